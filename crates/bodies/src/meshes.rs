//! Closed meshes made by formula.

use unstick_grid::TriangleMesh;

/// A box about the origin.
pub fn cuboid(half: [f64; 3]) -> TriangleMesh {
    let corner =
        |index: usize| std::array::from_fn(|axis| if index >> axis & 1 == 1 { half[axis] } else { -half[axis] });
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleMesh::new((0..8).map(corner).collect(), triangles).expect("a box is closed")
}
