//! `.vtp`: particles and meshes.

use super::xml::Document;
use crate::{Points, Surface};

/// Positions and velocities of particles.
pub fn points<const D: usize>(points: &Points<'_, D>) -> Vec<u8> {
    let count = points.len();
    let mut file = Document::new("PolyData", "", points.time);
    file.line(&format!("<Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{count}\">\n<Points>"));
    file.floats("Points", 3, points.positions().flatten().map(|value| value as f32));
    file.line("</Points>\n<PointData Vectors=\"velocity\">");
    file.floats("velocity", 3, points.velocities().flatten().map(|value| value as f32));
    file.line("</PointData>\n<Verts>");
    file.integers("connectivity", 0..count);
    file.integers("offsets", 1..=count);
    file.line("</Verts>\n</Piece>");
    file.finish()
}

/// A mesh of triangles, with velocities where they are known.
pub fn surface(surface: &Surface) -> Vec<u8> {
    let (vertices, triangles) = (surface.vertices.len(), surface.triangles.len());
    let mut file = Document::new("PolyData", "", surface.time);
    file.line(&format!("<Piece NumberOfPoints=\"{vertices}\" NumberOfPolys=\"{triangles}\">\n<Points>"));
    file.floats("Points", 3, surface.vertices.as_flattened().iter().copied());
    file.line("</Points>\n<PointData>");
    if !surface.velocities.is_empty() {
        file.floats("velocity", 3, surface.velocities.as_flattened().iter().copied());
    }
    file.line("</PointData>\n<Polys>");
    file.integers("connectivity", surface.triangles.as_flattened().iter().map(|&index| index as usize));
    file.integers("offsets", (1..=triangles).map(|count| 3 * count));
    file.line("</Polys>\n</Piece>");
    file.finish()
}
