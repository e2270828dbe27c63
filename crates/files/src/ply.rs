//! PLY, binary, little-endian.

use crate::{Points, Surface};

const POSITION: [&str; 3] = ["x", "y", "z"];
const VELOCITY: [&str; 3] = ["vx", "vy", "vz"];

/// Positions, velocities and numbers of particles. PLY has integers of 32 bits: the lower ones of the numbers.
pub fn points<const D: usize>(points: &Points<'_, D>) -> Vec<u8> {
    let properties = format!("{}{}property uint id\n", floats(POSITION), floats(VELOCITY));
    let elements = format!("element vertex {}\n{properties}", points.len());
    let mut bytes = header(points.time, &elements);
    for ((position, velocity), id) in points.positions().zip(points.velocities()).zip(points.ids()) {
        for value in position.into_iter().chain(velocity) {
            bytes.extend((value as f32).to_le_bytes());
        }
        bytes.extend((id as u32).to_le_bytes());
    }
    bytes
}

/// A mesh of triangles, with velocities where they are known.
pub fn surface(surface: &Surface) -> Vec<u8> {
    let (vertices, triangles) = (surface.vertices.len(), surface.triangles.len());
    let velocity = if surface.velocities.is_empty() { String::new() } else { floats(VELOCITY) };
    let elements = format!(
        "element vertex {vertices}\n{}{velocity}element face {triangles}\nproperty list uchar int vertex_indices\n",
        floats(POSITION)
    );
    let mut bytes = header(surface.time, &elements);
    for (index, vertex) in surface.vertices.iter().enumerate() {
        let velocity = surface.velocities.get(index).into_iter().flatten();
        vertex.iter().chain(velocity).for_each(|value| bytes.extend(value.to_le_bytes()));
    }
    for triangle in &surface.triangles {
        bytes.push(3);
        triangle.iter().for_each(|index| bytes.extend(index.to_le_bytes()));
    }
    bytes
}

fn floats(names: [&str; 3]) -> String {
    names.map(|name| format!("property float {name}\n")).concat()
}

fn header(time: f64, elements: &str) -> Vec<u8> {
    format!("ply\nformat binary_little_endian 1.0\ncomment unstick, time {time} s\n{elements}end_header\n").into_bytes()
}
