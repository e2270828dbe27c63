//! OBJ: a mesh as text.

use std::fmt::Write as _;

use crate::Surface;

/// A mesh of triangles.
pub fn surface(surface: &Surface) -> Vec<u8> {
    let mut text = format!("# unstick, time {} s\n", surface.time);
    for [x, y, z] in &surface.vertices {
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|index| index + 1);
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    text.into_bytes()
}
