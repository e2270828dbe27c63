//! Checks that a surface is closed: welds vertices and counts the triangles at each edge.

use std::collections::HashMap;

use super::{MeshProblem, TriangleMesh};
use crate::vector::{plus, times};

/// Joins vertices at the same position. Drops unused vertices and triangles with two equal corners.
pub(super) fn welded(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> TriangleMesh {
    let mut mesh = TriangleMesh { vertices: Vec::new(), triangles: Vec::with_capacity(triangles.len()) };
    let mut places: HashMap<[u64; 3], u32> = HashMap::new();
    for triangle in triangles {
        let corners = triangle.map(|corner| vertices[corner as usize]);
        if corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0] {
            continue;
        }
        mesh.triangles.push(corners.map(|corner| {
            // Adding zero turns −0 into 0.
            *places.entry(corner.map(|value| (value + 0.0).to_bits())).or_insert_with(|| {
                mesh.vertices.push(corner);
                (mesh.vertices.len() - 1) as u32
            })
        }));
    }
    mesh
}

/// Refuses a welded mesh unless every edge belongs to two triangles that traverse it in opposite directions.
pub(super) fn check(mesh: &TriangleMesh) -> Result<(), MeshProblem> {
    // Number of triangles that traverse an edge from its lower to its higher vertex, and back.
    let mut uses: HashMap<[u32; 2], [usize; 2]> = HashMap::new();
    let edges = |triangle: &[u32; 3]| [0, 1, 2].map(|side| [triangle[side], triangle[(side + 1) % 3]]);
    for [from, to] in mesh.triangles.iter().flat_map(edges) {
        uses.entry([from.min(to), from.max(to)]).or_default()[usize::from(from > to)] += 1;
    }
    let (mut counts, mut example) = ([0; 3], [None; 3]);
    for (&edge, &[upwards, downwards]) in &uses {
        let kind = match upwards + downwards {
            1 => 0,
            2 if upwards == 1 => continue,
            2 => 2,
            _ => 1,
        };
        counts[kind] += 1;
        // The lowest edge, so that the message does not depend on the order of the map.
        example[kind] = Some(example[kind].map_or(edge, |lowest: [u32; 2]| lowest.min(edge)));
    }
    let Some(edge) = example.into_iter().flatten().next() else { return Ok(()) };
    let [from, to] = edge.map(|vertex| mesh.vertices[vertex as usize]);
    let [open, crowded, flipped] = counts;
    Err(MeshProblem::NotClosed { open, crowded, flipped, near: times(0.5, plus(from, to)) })
}

#[cfg(test)]
mod tests {
    use super::super::test_shapes::cuboid;
    use super::*;

    fn refused(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> String {
        TriangleMesh::new(vertices.to_vec(), triangles.to_vec()).unwrap_err().problem.to_string()
    }

    #[test]
    fn vertices_at_the_same_position_are_welded() {
        let mesh = cuboid([0.0; 3], [1.0; 3]);
        let mut soup: Vec<[f64; 3]> =
            mesh.triangles().as_flattened().iter().map(|&corner| mesh.vertices()[corner as usize]).collect();
        // One vertex has a negative zero, and one is unused.
        let zero = soup.iter().position(|vertex| vertex[0] == 0.0).unwrap();
        soup[zero][0] = -0.0;
        let count = soup.len() as u32;
        soup.push([9.0; 3]);
        let triangles = (0..count / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let joined = TriangleMesh::new(soup, triangles).unwrap();
        assert_eq!((joined.vertices().len(), joined.triangles().len()), (8, 12));
    }

    #[test]
    fn a_missing_triangle_leaves_three_open_edges() {
        let mesh = cuboid([0.0; 3], [1.0; 3]);
        let message = refused(mesh.vertices(), &mesh.triangles()[1..]);
        assert!(
            message.starts_with("the surface is not closed: 3 edges belong to one triangle only, one of them near (")
        );
    }

    #[test]
    fn a_flipped_triangle_is_told_from_a_missing_one() {
        let mesh = cuboid([0.0; 3], [1.0; 3]);
        let mut triangles = mesh.triangles().to_vec();
        triangles[0].swap(0, 1);
        let message = refused(mesh.vertices(), &triangles);
        assert!(message.contains("3 edges belong to two triangles that face opposite ways"), "{message}");
    }

    #[test]
    fn an_edge_of_three_triangles_is_reported() {
        let mesh = cuboid([0.0; 3], [1.0; 3]);
        let mut triangles = mesh.triangles().to_vec();
        triangles.push(triangles[0]);
        let message = refused(mesh.vertices(), &triangles);
        assert!(message.contains("3 edges belong to more than two triangles"), "{message}");
        triangles.pop();
        triangles.remove(0);
        triangles.push(triangles[5]);
        let message = refused(mesh.vertices(), &triangles);
        assert!(message.contains("to one triangle only, ") && message.contains("more than two"), "{message}");
    }
}
