//! OBJ: a mesh as text.

use std::fmt::Write as _;

use crate::Surface;

/// A mesh of triangles with normals.
pub fn surface(surface: &Surface) -> Vec<u8> {
    let mut text = format!("# unstick, time {} s\n", surface.time);
    for [x, y, z] in &surface.vertices {
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    for [x, y, z] in surface.normals() {
        let _ = writeln!(text, "vn {x} {y} {z}");
    }
    for triangle in &surface.triangles {
        let [a, b, c] = triangle.map(|index| index + 1);
        let _ = writeln!(text, "f {a}//{a} {b}//{b} {c}//{c}");
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_name_their_vertex_and_its_normal() {
        let triangle = Surface {
            vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]],
            triangles: vec![[0, 1, 2]],
            ..Surface::default()
        };
        let text = String::from_utf8(surface(&triangle)).unwrap();
        assert!(text.contains("vn 0 0 1\nvn 0 0 1\nvn 0 0 1\nf 1//1 2//2 3//3\n"), "{text}");
    }
}
