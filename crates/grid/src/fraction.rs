//! The open fraction of each face, the V of the cut-cell discretisation: the part that no solid covers.

use crate::field::{CellField, FaceField};
use crate::grid::Grid;

/// Openings below this fraction count as closed: they carry no flow and spoil the conditioning.
pub const CLOSED: f64 = 1e-3;

/// Open fraction V ∈ [0, 1] of every face, from the distance to the solid (negative inside it).
///
/// The distance is sampled at the nodes. In 2D it is linear along each edge. In 3D the polygon through its zeros on
/// the edges of a face cuts off an area. A face whose corners all lie outside the solid has exactly 1. A face whose
/// corners all lie inside has exactly 0, and so has a face that is open by less than [`CLOSED`].
pub fn open_fractions<const D: usize>(grid: &Grid<D>, solid: impl Fn([f64; D]) -> f64) -> FaceField<f64, D> {
    let nodes = grid.cells().map(|count| count + 1);
    let solid = CellField::of_shape(nodes, |node| solid(grid.node(node)));
    std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |face| open_fraction(&solid, axis, face)))
}

fn open_fraction<const D: usize>(solid: &CellField<f64, D>, axis: usize, face: [usize; D]) -> f64 {
    let corner = |steps: [usize; 2]| {
        let mut node = face;
        let others = (0..D).filter(|&other| other != axis);
        others.zip(steps).for_each(|(other, step)| node[other] += step);
        solid.at(node)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SignedDistance;

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
