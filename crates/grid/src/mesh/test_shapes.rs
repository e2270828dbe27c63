//! Meshes with known distances, for tests.

use super::TriangleMesh;
use crate::SignedDistance;
use crate::vector::{cross, dot, length, minus, plus, times};

/// The prism over a polygon, which is given counter-clockwise with the triangles that fill it.
fn prism(polygon: &[[f64; 2]], fill: &[[u32; 3]], low: f64, high: f64) -> TriangleMesh {
    let count = polygon.len() as u32;
    let at = |z: f64| polygon.iter().map(move |&[x, y]| [x, y, z]);
    let vertices = at(low).chain(at(high)).collect();
    let bottom = fill.iter().map(|&[a, b, c]| [a, c, b]);
    let top = fill.iter().map(|&[a, b, c]| [a + count, b + count, c + count]);
    let sides = (0..count).flat_map(|from| {
        let to = (from + 1) % count;
        [[from, to, to + count], [from, to + count, from + count]]
    });
    TriangleMesh::new(vertices, bottom.chain(top).chain(sides).collect()).unwrap()
}

pub fn cuboid(lower: [f64; 3], upper: [f64; 3]) -> TriangleMesh {
    let ([x0, y0, z0], [x1, y1, z1]) = (lower, upper);
    prism(&[[x0, y0], [x1, y0], [x1, y1], [x0, y1]], &[[0, 1, 2], [0, 2, 3]], z0, z1)
}

/// The square [0,2]² without its quarter [1,2]², from z = 0 to 1.
pub fn l_shape() -> TriangleMesh {
    let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    prism(&corners, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], 0.0, 1.0)
}

/// Outside: the distance to the nearer of two boxes. Inside: the distance to the nearest face or to the inner edge.
pub fn l_shape_distance([x, y, z]: [f64; 3]) -> f64 {
    let (long, short) = (
        SignedDistance::cuboid([0.0; 3], [2.0, 1.0, 1.0]).at([x, y, z]),
        SignedDistance::cuboid([0.0; 3], [1.0, 2.0, 1.0]).at([x, y, z]),
    );
    if long > 0.0 && short > 0.0 {
        return long.min(short);
    }
    // Seen from inside, the missing quarter is a convex column, so its distance is exact.
    let quarter = length([(1.0 - x).max(0.0), (1.0 - y).max(0.0)]);
    -x.min(y).min(z).min(1.0 - z).min(2.0 - x).min(2.0 - y).min(quarter)
}

pub fn tetrahedron() -> TriangleMesh {
    let vertices = vec![[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.1], [0.3, 0.2, 1.1]];
    TriangleMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]).unwrap()
}

/// An octahedron whose triangles are split in four `levels` times and projected onto the sphere.
pub fn sphere(centre: [f64; 3], radius: f64, levels: usize) -> TriangleMesh {
    let signs = [1.0, -1.0];
    let mut soup: Vec<[[f64; 3]; 3]> = Vec::new();
    for (x, y, z) in signs.iter().flat_map(|x| signs.iter().flat_map(move |y| signs.map(|z| (*x, *y, z)))) {
        let corners = [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]];
        soup.push(if x * y * z > 0.0 { corners } else { [corners[0], corners[2], corners[1]] });
    }
    let middle = |a, b| {
        let sum = plus(a, b);
        times(1.0 / length(sum), sum)
    };
    for _ in 0..levels {
        soup = soup
            .into_iter()
            .flat_map(|[a, b, c]| {
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    let vertices = soup.as_flattened().iter().map(|&unit| plus(centre, times(radius, unit))).collect();
    let triangles = (0..soup.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// Unsigned distance by a search over all triangles. It is slow and independent of the code under test.
pub fn nearest_by_search(mesh: &TriangleMesh, point: [f64; 3]) -> f64 {
    let segment = |a: [f64; 3], b: [f64; 3]| SignedDistance::capsule(a, b, 0.0).at(point);
    let distances = mesh.triangles().iter().map(|triangle| {
        let [a, b, c] = triangle.map(|vertex| mesh.vertices()[vertex as usize]);
        let normal = cross(minus(b, a), minus(c, a));
        let inside = |from, to| {
            let outward = cross(minus(to, from), normal);
            dot(minus(point, from), outward) <= 0.0
        };
        if inside(a, b) && inside(b, c) && inside(c, a) {
            dot(minus(point, a), normal).abs() / length(normal)
        } else {
            segment(a, b).min(segment(b, c)).min(segment(c, a))
        }
    });
    distances.fold(f64::INFINITY, f64::min)
}

/// Signed distances of a point to the planes of all triangles, positive on their outer side.
pub fn planes(mesh: &TriangleMesh, point: [f64; 3]) -> impl Iterator<Item = f64> {
    mesh.triangles().iter().map(move |triangle| {
        let [a, b, c] = triangle.map(|vertex| mesh.vertices()[vertex as usize]);
        let normal = cross(minus(b, a), minus(c, a));
        dot(minus(point, a), normal) / length(normal)
    })
}
