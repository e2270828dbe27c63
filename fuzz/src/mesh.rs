//! Meshes.

use std::path::Path;

use unstick::files::{Surface, gltf, obj, ply};
use unstick::grid::{Grid, SignedDistance, TriangleMesh, sample_cells};

use crate::Target;

/// Reads a mesh: the first byte chooses the format.
pub const TARGET: Target = Target { name: "mesh", run, seeds };

const EXTENSIONS: [&str; 5] = ["obj", "stl", "ply", "gltf", "glb"];

fn run(data: &[u8]) {
    let Some((&format, content)) = data.split_first() else { return };
    let extension = EXTENSIONS[usize::from(format) % EXTENSIONS.len()];
    if let Ok(mesh) = TriangleMesh::parse(content, extension, Path::new("nowhere")) {
        let _ = (mesh.volume(), mesh.bounds());
    }
}

/// A small ball in every format.
fn seeds() -> Vec<Vec<u8>> {
    let grid = Grid::<3>::unit(5).expect("a small grid");
    let ball = SignedDistance::sphere([0.5; 3], 0.3);
    let surface = Surface::of_distance(&grid, &sample_cells(&grid, |point| ball.at(point)), 0.0);
    let corners = |triangle: &[u32; 3]| triangle.map(|vertex| surface.vertices[vertex as usize]);
    let mut binary_stl = [&[0; 80][..], &(surface.triangles.len() as u32).to_le_bytes()].concat();
    let mut text_stl = String::from("solid ball\n");
    let mut text_ply = format!(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        surface.vertices.len(),
        surface.triangles.len()
    );
    for triangle in surface.triangles.iter().map(corners) {
        binary_stl.extend([0; 12]);
        triangle.as_flattened().iter().for_each(|value| binary_stl.extend(value.to_le_bytes()));
        binary_stl.extend([0; 2]);
        let vertices = triangle.map(|[x, y, z]| format!("vertex {x} {y} {z}\n")).concat();
        text_stl += &format!("facet normal 0 0 0\nouter loop\n{vertices}endloop\nendfacet\n");
    }
    surface.vertices.iter().for_each(|[x, y, z]| text_ply += &format!("{x} {y} {z}\n"));
    surface.triangles.iter().for_each(|[a, b, c]| text_ply += &format!("3 {a} {b} {c}\n"));
    text_stl += "endsolid ball\n";
    let glb = gltf::surface(&surface);
    let json_length = u32::from_le_bytes([glb[12], glb[13], glb[14], glb[15]]) as usize;
    let gltf = glb[20..20 + json_length].to_vec(); // its buffer is missing, which the reader refuses late
    [
        (0, obj::surface(&surface)),
        (1, binary_stl),
        (1, text_stl.into_bytes()),
        (2, ply::surface(&surface)),
        (2, text_ply.into_bytes()),
        (3, gltf),
        (4, glb),
    ]
    .map(|(format, content)| [&[format][..], &content].concat())
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_with_all_its_data_is_a_closed_mesh() {
        for seed in seeds().iter().filter(|seed| seed[0] != 3) {
            let extension = EXTENSIONS[usize::from(seed[0])];
            let mesh = TriangleMesh::parse(&seed[1..], extension, Path::new("nowhere"));
            assert!(mesh.is_ok(), "{extension}: {mesh:?}");
        }
    }
}
