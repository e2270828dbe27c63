//! The part of liquid in every cell around the surface, carried on into walls.

use unstick_grid::{CellField, Grid};

use super::patch::Patch;
use crate::cells::{fill, multi_index};
use crate::setup::Setup;
use crate::solids::Geometry;

/// The part of liquid of a cell, as linear weights see it across a plane surface at its distance.
///
/// Full or empty cells come with the noise of their particles. Only what lies beside the surface needs a number of its own.
fn part_of<const D: usize>(grid: &Grid<D>, liquid: &CellField<f64, D>, cell: [usize; D]) -> f64 {
    let depth = (-liquid.at(cell) / grid.spacing()).clamp(-1.0, 1.0);
    let is_wet = depth > 0.0;
    let is_other = |around: usize| {
        let shift = multi_index([3; D], around);
        let other: [usize; D] =
            std::array::from_fn(|axis| (cell[axis] + shift[axis]).saturating_sub(1).min(grid.cells()[axis] - 1));
        (liquid.at(other) < 0.0) != is_wet
    };
    if !(0..3usize.pow(D as u32)).any(is_other) {
        return f64::from(u8::from(is_wet));
    }
    let away = 1.0 - depth.abs();
    if is_wet { 1.0 - 0.5 * away * away } else { 0.5 * away * away }
}

/// Fills a box with the parts of liquid. Solids and all that is beyond the border have those of their mirror image, as if
/// the surface met all walls at a right angle.
pub(super) fn fill_parts<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    liquid: &CellField<f64, D>,
    patch: &mut Patch<D>,
) {
    let grid = &setup.grid;
    let has_solids = !setup.solids.is_empty() || !geometry.bodies.is_empty();
    let frame = patch.frame();
    fill(&mut patch.values, |place, value| {
        let cell = frame.mirrored_cell(grid, place);
        let depth = || geometry.distance(grid, grid.centre(cell));
        *value = if has_solids && depth() < 0.0 {
            let (depth, centre) = (depth(), grid.centre(cell));
            let normal = geometry.normal(grid, centre);
            let image: [f64; D] = std::array::from_fn(|axis| centre[axis] - 2.0 * depth * normal[axis]);
            let image = grid.in_cells(image).map(|place| place - 0.5);
            between(grid.cells(), image, |cell| part_of(grid, liquid, cell))
        } else {
            part_of(grid, liquid, cell)
        };
    });
}

/// A value between places, with linear weights; that of the border beyond it.
pub(super) fn between<const D: usize>(shape: [usize; D], at: [f64; D], value: impl Fn([usize; D]) -> f64) -> f64 {
    let at: [f64; D] = std::array::from_fn(|axis| at[axis].clamp(0.0, shape[axis] as f64 - 1.0));
    (0..1usize << D)
        .map(|corner| {
            let (mut weight, mut place) = (1.0, [0; D]);
            for axis in 0..D {
                let part = at[axis] - at[axis].floor();
                let upper = corner >> axis & 1;
                weight *= if upper == 1 { part } else { 1.0 - part };
                place[axis] = (at[axis] as usize + upper).min(shape[axis] - 1);
            }
            if weight > 0.0 { weight * value(place) } else { 0.0 }
        })
        .sum()
}
