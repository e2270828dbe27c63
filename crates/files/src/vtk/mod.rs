//! VTK files for ParaView: the XML formats (`.vti`, `.vtp`, and `.pvd` for time series) and the legacy format.

mod legacy;
pub mod pieces;
mod xml;

use std::fmt::Write as _;

use unstick_grid::Grid;

use crate::page::escape;
use crate::{Fields, Points, Surface, in_space};
use xml::Document;

pub use legacy::{fields as legacy_fields, points as legacy_points};

/// `.pvd`: a time series of files. Each has a time in seconds and a path relative to the `.pvd`.
pub fn pvd(files: &[(f64, String)]) -> Vec<u8> {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (time, file) in files {
        let file = escape(file);
        let _ = writeln!(text, "<DataSet timestep=\"{time}\" part=\"0\" file=\"{file}\"/>");
    }
    text.push_str("</Collection>\n</VTKFile>\n");
    text.into_bytes()
}

/// `.vti`: fields of the cells, velocity among them, and of the nodes. Of a part of a grid it is a piece, which a
/// [list](pieces::fields) of all pieces names.
pub fn fields<const D: usize>(fields: &Fields<'_, D>) -> Vec<u8> {
    let extent = extent(fields.grid.first(), fields.grid.cells());
    let mut file = Document::new("ImageData", &placement(&fields.grid), fields.time);
    file.line(&format!("<Piece Extent=\"{extent}\">\n<CellData Vectors=\"velocity\">"));
    for (name, values) in &fields.cells {
        file.floats(name, 1, values.iter().copied());
    }
    file.floats("velocity", 3, fields.velocity_of_cells().flatten().map(|value| value as f32));
    file.line("</CellData>\n<PointData>");
    for (name, values) in &fields.nodes {
        file.floats(name, 1, values.values().iter().map(|&value| value as f32));
    }
    file.line("</PointData>\n</Piece>");
    file.finish()
}

/// The nodes of some cells of a grid, first and last along each axis.
fn extent<const D: usize>(first: [usize; D], cells: [usize; D]) -> String {
    let along = |axis: usize| match axis < D {
        true => format!("{} {}", first[axis], first[axis] + cells[axis]),
        false => "0 0".into(),
    };
    [0, 1, 2].map(along).join(" ")
}

/// Where the whole of a grid lies, as attributes.
fn placement<const D: usize>(grid: &Grid<D>) -> String {
    let (whole, spacing) = (extent([0; D], grid.whole().cells()), grid.spacing());
    let [x, y, z] = in_space(&grid.origin());
    format!(" WholeExtent=\"{whole}\" Origin=\"{x} {y} {z}\" Spacing=\"{spacing} {spacing} {spacing}\"")
}

/// `.vtp`: positions, velocities and numbers of particles.
pub fn points<const D: usize>(points: &Points<'_, D>) -> Vec<u8> {
    let count = points.len();
    let mut file = Document::new("PolyData", "", points.time);
    file.line(&format!("<Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{count}\">\n<Points>"));
    file.floats("Points", 3, points.positions().flatten().map(|value| value as f32));
    file.line("</Points>\n<PointData Vectors=\"velocity\">");
    file.floats("velocity", 3, points.velocities().flatten().map(|value| value as f32));
    file.integers("id", points.ids());
    file.line("</PointData>\n<Verts>");
    file.integers("connectivity", 0..count as i64);
    file.integers("offsets", 1..=count as i64);
    file.line("</Verts>\n</Piece>");
    file.finish()
}

/// `.vtp`: a mesh of triangles, with velocities where they are known.
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
    file.integers("connectivity", surface.triangles.as_flattened().iter().map(|&index| index.into()));
    file.integers("offsets", (1..=triangles as i64).map(|count| 3 * count));
    file.line("</Polys>\n</Piece>");
    file.finish()
}
