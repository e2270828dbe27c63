//! Closed meshes from formulas.

use unstick_grid::TriangleMesh;
use unstick_grid::vector::{dot, length, minus, plus, times};

/// A box about the origin.
pub fn cuboid(half: [f64; 3]) -> TriangleMesh {
    let corner =
        |index: usize| std::array::from_fn(|axis| if index >> axis & 1 == 1 { half[axis] } else { -half[axis] });
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleMesh::new((0..8).map(corner).collect(), triangles).expect("a box is closed")
}

/// A sphere of triangles about the origin: an octahedron whose triangles are split into four, `levels` times.
pub fn sphere(radius: f64, levels: usize) -> TriangleMesh {
    star(levels, |_| radius)
}

/// A toy duck of body, head, beak and tail that faces +x; `long` is its length from beak to tail. Most of its volume
/// lies low, so it floats upright.
///
/// Its parts are ellipsoids. In every direction from the neck the surface is the farthest point of any part.
pub fn duck(long: f64) -> TriangleMesh {
    // Centre and half axes of ellipsoids, in parts of a duck of length 2 from tail to breast.
    let parts = [
        ([0.0, 0.0, 0.0], [0.95, 0.55, 0.62]),    // body
        ([0.55, 0.72, 0.0], [0.40, 0.42, 0.38]),  // head
        ([1.02, 0.66, 0.0], [0.22, 0.09, 0.17]),  // beak
        ([-0.85, 0.36, 0.0], [0.32, 0.14, 0.22]), // tail
    ];
    let neck = [0.42, 0.40, 0.0];
    let leaves = |direction: [f64; 3]| {
        let of_part = |(centre, half): ([f64; 3], [f64; 3])| {
            let scaled = |vector: [f64; 3]| std::array::from_fn(|axis| vector[axis] / half[axis]);
            let (from, along): ([f64; 3], [f64; 3]) = (scaled(minus(neck, centre)), scaled(direction));
            let (a, b, c) = (dot(along, along), dot(from, along), dot(from, from) - 1.0);
            let root = b * b - a * c;
            if root > 0.0 { (-b + root.sqrt()) / a } else { 0.0 }
        };
        parts.into_iter().map(of_part).fold(0.0, f64::max)
    };
    // From the tip of the tail to that of the beak.
    let scale = long / (1.24 + 1.17);
    let mesh = star(4, |direction| scale * leaves(direction));
    mesh.moved(times(scale, neck)).expect("a finite shift")
}

/// A surface around the origin by its distance in every direction.
fn star(levels: usize, distance: impl Fn([f64; 3]) -> f64) -> TriangleMesh {
    let mut triangles: Vec<[[f64; 3]; 3]> = Vec::new();
    for octant in 0..8usize {
        let sign = |axis: usize| if octant >> axis & 1 == 1 { 1.0 } else { -1.0 };
        let corners = [[sign(0), 0.0, 0.0], [0.0, sign(1), 0.0], [0.0, 0.0, sign(2)]];
        let [a, b, c] = corners;
        triangles.push(if octant.count_ones() % 2 == 1 { [a, b, c] } else { [a, c, b] });
    }
    for _ in 0..levels {
        let split = |[a, b, c]: [[f64; 3]; 3]| {
            let [ab, bc, ca] = [plus(a, b), plus(b, c), plus(c, a)].map(|sum| times(1.0 / length(sum), sum));
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        triangles = triangles.into_iter().flat_map(split).collect();
    }
    let vertices = triangles.iter().flatten().map(|&unit| times(distance(unit), unit)).collect::<Vec<_>>();
    let indices = (0..triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    TriangleMesh::new(vertices, indices).expect("a star is closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duck_is_closed_and_as_long_as_asked() {
        let mesh = duck(0.5);
        let (lower, upper) = mesh.bounds();
        assert!(((upper[0] - lower[0]) / 0.5 - 1.0).abs() < 0.05, "{lower:?} {upper:?}");
        assert!(mesh.volume() > 0.0 && mesh.triangles().len() == 2048);
        let ball = 4.0 / 3.0 * std::f64::consts::PI;
        assert!((sphere(1.0, 4).volume() / ball - 1.0).abs() < 0.01);
    }
}
