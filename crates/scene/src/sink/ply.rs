//! PLY, binary, little-endian.

use super::data::in_space;
use super::{Shot, Surface};

/// Positions and velocities of the particles.
pub(super) fn particles<const D: usize>(shot: &Shot<'_, D>) -> Vec<u8> {
    let particles = &shot.simulation.state().particles;
    let properties: String = ["x", "y", "z", "vx", "vy", "vz"].map(|name| format!("property float {name}\n")).concat();
    let mut bytes = header(shot.frame.time, &format!("element vertex {}\n{properties}", particles.len()));
    for (position, velocity) in particles.position.iter().zip(&particles.velocity) {
        for value in in_space(position).into_iter().chain(in_space(velocity)) {
            bytes.extend((value as f32).to_le_bytes());
        }
    }
    bytes
}

/// A mesh of triangles.
pub(super) fn surface(surface: &Surface) -> Vec<u8> {
    let (vertices, triangles) = (surface.vertices.len(), surface.triangles.len());
    let elements = format!(
        "element vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {triangles}\nproperty list uchar int vertex_indices\n"
    );
    let mut bytes = header(surface.time, &elements);
    surface.vertices.as_flattened().iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    for triangle in &surface.triangles {
        bytes.push(3);
        triangle.iter().for_each(|index| bytes.extend(index.to_le_bytes()));
    }
    bytes
}

fn header(time: f64, elements: &str) -> Vec<u8> {
    format!("ply\nformat binary_little_endian 1.0\ncomment unstick, time {time} s\n{elements}end_header\n").into_bytes()
}
