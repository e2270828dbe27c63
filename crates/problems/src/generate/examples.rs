//! The fields behind the examples.

use unstick_grid::{Random, SignedDistance};

use super::Example;
use super::fields::Fields;
use super::part::Part;

/// Random part of every face velocity, so that no two runs with different seeds agree by accident.
const NOISE: f64 = 0.02;

/// The fields of an example.
pub(super) fn fields<const D: usize>(example: Example, grid: Part<D>, seed: u64) -> Fields<D> {
    let size = grid.size();
    match example {
        Example::CubeLid => cube(grid, seed, size / 2, true),
        Example::OpenBox => cube(grid, seed, 0, true),
        Example::ClosedBox => cube(grid, seed, size, false),
        Example::SphereHalf => in_sphere(grid, seed, Vec::new()),
        Example::ThinPlates => in_sphere(grid, seed, thin_plates(&grid)),
        Example::SealedPocket => sealed_pocket(grid, seed),
    }
}

/// The whole domain is liquid. The first cells of its top along x are below a lid, the rest is open. The
/// velocity leads away from the wall at x = 0 and from the lid, with a swirl on top.
fn cube<const D: usize>(grid: Part<D>, seed: u64, lid: usize, separates: bool) -> Fields<D> {
    let size = grid.size();
    let open = grid.faces(|axis, face| {
        let is_inside = face[axis] > 0 && face[axis] < size;
        let is_opening = axis == 1 && face[1] == size && face[0] >= lid;
        if is_inside || is_opening { 1.0 } else { 0.0 }
    });
    let turn = |x: f64| (std::f64::consts::TAU * x).sin();
    let velocity = |axis: usize, at: [f64; D]| {
        let across = at.get(2).copied().unwrap_or(0.25);
        let smooth = match axis {
            0 => 1.0 + 0.6 * turn(2.0 * at[1]) * turn(across),
            1 => -1.0 + 0.6 * turn(2.0 * at[0] + 0.25) * turn(across),
            _ => 0.5 * turn(at[0]) * turn(at[1]),
        };
        smooth + noise(seed, axis, at)
    };
    Fields::sample(grid, open, |at| at[1] - 1.0, velocity, |_| separates)
}

/// A ball of radius 0.4 whose left half is full, with obstacles. The liquid falls and turns, so that
/// about half of the wall pulls.
fn in_sphere<const D: usize>(grid: Part<D>, seed: u64, obstacles: Vec<SignedDistance<D>>) -> Fields<D> {
    let mut solids = vec![SignedDistance::sphere([0.5; D], 0.4).complement()];
    solids.extend(obstacles);
    let solid = SignedDistance::Union(solids);
    let velocity = |axis: usize, at: [f64; D]| {
        let (x, y) = (at[0] - 0.5, at[1] - 0.5);
        let smooth = match axis {
            0 => 0.3 - 0.8 * y,
            1 => -1.0 + 0.8 * x,
            _ => 0.2,
        };
        smooth + noise(seed, axis, at)
    };
    let open = grid.open_fractions(|at| solid.at(at));
    Fields::sample(grid, open, |at| at[0] - 0.5, velocity, |_| true)
}

/// Two shelves two cells thick, one from the wall and one from the surface, that the liquid must
/// flow around.
fn thin_plates<const D: usize>(grid: &Part<D>) -> Vec<SignedDistance<D>> {
    let plate = |height: f64, from: f64, to: f64| {
        let (mut lower, mut upper) = ([0.0; D], [1.0; D]);
        (lower[0], upper[0]) = (from, to);
        (lower[1], upper[1]) = (height - grid.spacing(), height + grid.spacing());
        SignedDistance::cuboid(lower, upper)
    };
    vec![plate(0.6, 0.0, 0.4), plate(0.4, 0.22, 0.6)]
}

/// Two boxes side by side: the left one two thirds full with separating walls, the right one full
/// with sealed walls. The liquid is thrown to the right, off the left wall.
fn sealed_pocket<const D: usize>(grid: Part<D>, seed: u64) -> Fields<D> {
    let chamber = |from: f64, to: f64| {
        let (mut lower, mut upper) = ([0.1; D], [0.9; D]);
        (lower[0], upper[0]) = (from, to);
        SignedDistance::cuboid(lower, upper)
    };
    let solid = chamber(0.1, 0.45).or(chamber(0.55, 0.9)).complement();
    let liquid = |at: [f64; D]| if at[0] < 0.5 { at[1] - 0.63 } else { -1.0 };
    let velocity = |axis: usize, at: [f64; D]| {
        let smooth = if axis == 1 { -0.5 + 0.5 * at[0] } else { 2.5 - 0.3 * at[1] };
        smooth + noise(seed, axis, at)
    };
    let open = grid.open_fractions(|at| solid.at(at));
    Fields::sample(grid, open, liquid, velocity, |at| at[0] < 0.5)
}

/// A number in [−NOISE, NOISE) that depends on the seed and the place alone.
fn noise<const D: usize>(seed: u64, axis: usize, at: [f64; D]) -> f64 {
    let place = at.iter().map(|coordinate| coordinate.to_bits());
    NOISE * (2.0 * Random::hash(seed, [axis as u64].into_iter().chain(place)) - 1.0)
}
