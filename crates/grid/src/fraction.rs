//! Cut cells: the open fraction V of each face, the part that no solid covers, and the part of a cell behind a plane.

use crate::field::{CellField, FaceField};
use crate::grid::Grid;
use crate::sample::sample;
use crate::vector::{dot, times};

/// Openings below this fraction count as closed: they carry no flow and spoil the conditioning.
pub const CLOSED: f64 = 1e-3;

/// In space, nodes closer to a surface than this part of a cell lie on it: distances are rounded. In the plane a face has no
/// corner beside an edge between two walls, and distances count as they are.
pub const TOUCHES: f64 = 1e-9;

/// Open fraction V ∈ [0, 1] of every face, from the distance to the solid (negative inside it).
///
/// The distance is sampled at the nodes. In 2D it is linear along each edge. In 3D the polygon through its zeros on
/// the edges of a face cuts off an area. A face with a corner outside the solid and none inside has exactly 1: walls that
/// meet along an edge of the grid leave the faces beside that edge open. A face without a corner outside has exactly 0,
/// and so has a face that is open by less than [`CLOSED`].
pub fn open_fractions<const D: usize>(grid: &Grid<D>, solid: impl Fn([f64; D]) -> f64) -> FaceField<f64, D> {
    let nodes = grid.cells().map(|count| count + 1);
    open_fractions_of_nodes(grid, &CellField::of_shape(nodes, |node| solid(grid.node(node))))
}

/// The same from distances at the nodes. Runs on all threads.
pub fn open_fractions_of_nodes<const D: usize>(grid: &Grid<D>, solid: &CellField<f64, D>) -> FaceField<f64, D> {
    let touches = if D == 3 { TOUCHES * grid.spacing() } else { 0.0 };
    std::array::from_fn(|axis| sample(grid.faces(axis), |face| open_fraction(solid, touches, axis, face)))
}

/// A corner within `touches` of a solid's surface lies on it, neither outside nor inside.
fn open_fraction<const D: usize>(solid: &CellField<f64, D>, touches: f64, axis: usize, face: [usize; D]) -> f64 {
    let corner = |steps: [usize; 2]| {
        let mut node = face;
        let others = (0..D).filter(|&other| other != axis);
        others.zip(steps).for_each(|(other, step)| node[other] += step);
        let distance = solid.at(node);
        if distance.abs() <= touches { 0.0 } else { distance }
    };
    let open = match D {
        2 => open_part_of_edge(corner([0, 0]), corner([1, 0])),
        3 => open_part_of_square([corner([0, 0]), corner([1, 0]), corner([1, 1]), corner([0, 1])]),
        _ => unreachable!("grids have two or three dimensions"),
    };
    if open < CLOSED { 0.0 } else { open }
}

/// The fraction of an edge on which a linear function is positive.
fn open_part_of_edge(a: f64, b: f64) -> f64 {
    match (a > 0.0, b > 0.0) {
        (true, true) => 1.0,
        (false, false) => 0.0,
        (true, false) => a / (a - b),
        (false, true) => b / (b - a),
    }
}

/// The fraction of the unit square on which a function is positive. The corners are given in order around the square.
///
/// Walks around the square and collects the corners and zeros that bound the positive part. With two opposite positive
/// corners, the sign of the mean decides whether the two parts are joined.
fn open_part_of_square(corners: [f64; 4]) -> f64 {
    const PLACES: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let positive = corners.map(|value| value > 0.0);
    if corners.iter().all(|value| *value >= 0.0) {
        return if positive.contains(&true) { 1.0 } else { 0.0 };
    }
    let is_saddle = positive[0] == positive[2] && positive[1] == positive[3] && positive[0] != positive[1];
    if is_saddle && corners.iter().sum::<f64>() <= 0.0 {
        // Two separate triangles.
        let triangle = |corner: usize| {
            let edge = |other: usize| open_part_of_edge(corners[corner], corners[other % 4]);
            if positive[corner] { 0.5 * edge(corner + 1) * edge(corner + 3) } else { 0.0 }
        };
        return (0..4).map(triangle).sum();
    }
    let mut twice_area = 0.0;
    let (mut first, mut last): (Option<[f64; 2]>, [f64; 2]) = (None, [0.0; 2]);
    let mut visit = |point: [f64; 2]| {
        twice_area += last[0] * point[1] - last[1] * point[0];
        first.get_or_insert(point);
        last = point;
    };
    for corner in 0..4 {
        let next = (corner + 1) % 4;
        if positive[corner] {
            visit(PLACES[corner]);
        }
        if positive[corner] != positive[next] {
            let part = corners[corner] / (corners[corner] - corners[next]);
            let [from, to] = [PLACES[corner], PLACES[next]];
            visit([from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])]);
        }
    }
    let Some(first) = first else { return 0.0 };
    // The walk starts with `last` at the origin. Its cross product with any point is zero.
    twice_area += last[0] * first[1] - last[1] * first[0];
    (0.5 * twice_area).clamp(0.0, 1.0)
}

/// Smallest component of a normal: the formula divides by their product.
const LEAST: f64 = 1e-4;

/// The fraction of the unit cube about the origin where n·x + distance < 0. The gradient n may have any length.
///
/// The result is exact: the volume of a cut corner is (Σ ± max(α − Σ n, 0)^D) / (D! Π n), summed over the corners of
/// the cube.
pub fn part_behind_plane<const D: usize>(gradient: [f64; D], distance: f64) -> f64 {
    let size: f64 = gradient.iter().map(|value| value.abs()).sum();
    if size <= 0.0 || !size.is_finite() {
        return if distance < 0.0 { 1.0 } else { 0.0 };
    }
    // Mirror the normal so that all components are positive, and scale it so that they add up to one.
    let normal = times(1.0 / size, gradient).map(|value| value.abs().max(LEAST));
    let sum: f64 = normal.iter().sum();
    let depth = (0.5 - distance / size) * sum;
    if depth <= 0.0 || depth >= sum {
        return if depth <= 0.0 { 0.0 } else { 1.0 };
    }
    let (mut total, mut product) = (0.0, 1.0);
    for (axis, value) in normal.iter().enumerate() {
        product *= value * (axis + 1) as f64;
    }
    for corner in 0..1usize << D {
        let chosen: [f64; D] = std::array::from_fn(|axis| f64::from(u8::from(corner >> axis & 1 == 1)));
        let reach = (depth - dot(chosen, normal)).max(0.0).powi(D as i32);
        total += if corner.count_ones() % 2 == 0 { reach } else { -reach };
    }
    (total / product).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SignedDistance;

    #[test]
    fn planes_cut_off_the_exact_volume() {
        assert!((part_behind_plane([1.0, 0.0], 0.25) - 0.25).abs() < 1e-4);
        assert!((part_behind_plane([0.0, -3.0, 0.0], 0.6) - 0.3).abs() < 1e-4);
        assert!((part_behind_plane([1.0, 1.0], 0.5) - 0.125).abs() < 1e-12);
        assert!((part_behind_plane([1.0, -1.0, 1.0], 1.0) - 1.0 / 48.0).abs() < 1e-12);
        assert!((part_behind_plane([2.0, 1.0, 0.5], 0.0) - 0.5).abs() < 1e-12);
        assert_eq!((part_behind_plane([0.0; 2], -1.0), part_behind_plane([0.0; 2], 1.0)), (1.0, 0.0));
    }

    #[test]
    fn squares_cut_by_lines_have_exact_areas() {
        assert_eq!(open_part_of_square([1.0; 4]), 1.0);
        assert_eq!(open_part_of_square([-1.0; 4]), 0.0);
        assert_eq!(open_part_of_square([1.0, 1.0, -1.0, -1.0]), 0.5);
        assert_eq!(open_part_of_square([1.0, -1.0, -3.0, -1.0]), 0.125);
        assert_eq!(open_part_of_square([-1.0, 1.0, 3.0, 1.0]), 0.875);
        assert_eq!(open_part_of_square([-3.0, -1.0, 1.0, -1.0]), 0.125);
    }

    #[test]
    fn a_saddle_is_joined_or_split_by_its_mean() {
        assert_eq!(open_part_of_square([1.0, -3.0, 1.0, -3.0]), 2.0 * 0.5 * 0.25 * 0.25);
        assert_eq!(open_part_of_square([3.0, -1.0, 3.0, -1.0]), 1.0 - 2.0 * 0.5 * 0.25 * 0.25);
        // The same saddles, rotated by one corner.
        assert_eq!(open_part_of_square([-1.0, 3.0, -1.0, 3.0]), 1.0 - 2.0 * 0.5 * 0.25 * 0.25);
    }

    /// A box whose walls lie on planes of nodes, also where rounding has moved them: all of its faces are open.
    #[test]
    fn faces_beside_an_edge_between_two_walls_are_open() {
        for shift in [0.0, 1e-14, -1e-14] {
            let grid = Grid::<3>::unit(8).unwrap();
            let solid = SignedDistance::cuboid([0.25 + shift; 3], [0.75 + shift; 3]).complement();
            let open = open_fractions(&grid, |point| solid.at(point));
            let inside = |place: usize| (2..6).contains(&place);
            let is_open = |[x, y, z]: [usize; 3]| inside(x) && inside(y) && (3..6).contains(&z);
            let expected = CellField::of_shape(grid.faces(2), |face| if is_open(face) { 1.0 } else { 0.0 });
            assert_eq!(open[2], expected, "{shift:e}");
        }
    }

    /// The open areas of a plane of faces add up to the cross section of the container: π r² in the middle of a ball.
    #[test]
    fn the_cross_section_of_a_ball_converges() {
        let error = |size: usize| {
            let grid = Grid::<3>::unit(size).unwrap();
            let solid = SignedDistance::sphere([0.5; 3], 0.4).complement();
            let open = open_fractions(&grid, |point| solid.at(point));
            let h2 = grid.spacing() * grid.spacing();
            let slice = CellField::of_shape([size, size], |[j, k]| open[0].at([size / 2, j, k]));
            (slice.values().iter().sum::<f64>() * h2 - std::f64::consts::PI * 0.16).abs()
        };
        assert!(error(32) < 1e-3);
        assert!(error(64) < 0.3 * error(32), "second order");
    }
}
