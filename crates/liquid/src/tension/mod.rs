//! Surface tension: the pressure jumps by γκ from the air into the liquid.
//!
//! At a face between liquid and air the surface is a distance of θ cells from the centre of the liquid cell, and the scaled
//! pressure there is q_s = Δt γ κ/(ρ h) instead of zero. So (q − q_s)/θ stands where q/θ stands without tension, in the rows
//! as in the velocity \[Kang2000\]. Since q_s is known, its part is a change of the velocity of these faces before the
//! pressure: whatever solves for the pressure needs not know of tension.
//!
//! Waves on the surface have ω² = γ k³/ρ, and steps of Δt can only follow ω Δt < 2. The filter of the
//! [curvature](curvature) leaves waves shorter than its width σ without tension, and the stiffest one that is left has
//! ω² = 0.875 γ/(ρ σ³). Longer steps get a wider filter, such that ω Δt ≤ 1: every step is stable, and
//! what it does not follow stands still. The width goes with Δt^⅔ and its error with the fourth power of that.

mod angle;
mod curvature;
mod parts;
pub(crate) mod patch;
pub(crate) mod smooth;

use unstick_grid::{CellField, FaceField};
use unstick_mlcp::fields::{Window, theta};
use unstick_parallel as parallel;

use crate::cells::{fill, multi_index};
use crate::setup::Setup;
use crate::solids::Geometry;
use angle::{lean, reach_beside};
use curvature::Curvature;
use parts::fill_parts;
use patch::{BESIDE, Patch};
use smooth::{Kernel, blur};

/// Least width of the filter, in cells. Narrower ones see how the particles happen to lie.
const LEAST_WIDTH: f64 = 1.5;

/// Largest width of the filter, in cells; it limits the step.
pub(crate) const LARGEST_WIDTH: f64 = 6.0;

/// The largest value of x³ (3g² − 2g³), g = exp(−x²/2).
const STIFFEST: f64 = 0.875;

/// The width of the filter for a step, in cells.
pub(crate) fn filter_width<const D: usize>(setup: &Setup<D>, kick: f64) -> f64 {
    let width = (STIFFEST * setup.tension * kick * kick / setup.density).cbrt();
    (width / setup.grid.spacing()).clamp(LEAST_WIDTH, LARGEST_WIDTH)
}

/// The longest step that the widest filter makes stable. It is 39 times the usual limit √(ρh³/2πγ).
pub(crate) fn longest_step<const D: usize>(setup: &Setup<D>) -> f64 {
    (setup.density * (LARGEST_WIDTH * setup.grid.spacing()).powi(3) / (STIFFEST * setup.tension)).sqrt()
}

/// Adds what tension does within a time of `kick` to the velocity at the faces of the surface. Returns the area of the
/// surface (its length in 2D).
pub(crate) fn apply<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    liquid: &CellField<f64, D>,
    kick: f64,
    velocity: &mut FaceField<f64, D>,
) -> f64 {
    let grid = &setup.grid;
    let window = Window::around_negative(grid.cells(), liquid.values());
    let width = filter_width(setup, kick);
    let kernel = Kernel::of_width(width);
    let reach = 2 * kernel.reach();
    let has_angles = setup.has_contact_angles();
    let beside = if has_angles { reach.max(reach_beside(setup, reach)) } else { BESIDE };
    let mut patch = Patch::around(grid, window, beside, reach);
    fill_parts(setup, geometry, liquid, &mut patch);
    if has_angles {
        lean(setup, geometry, &kernel, &mut patch);
    }
    let (frame, once) = (patch.frame(), blur(&kernel, &patch.values));
    let curvature = Curvature::of(&kernel, width, &once);
    let of_cell = |cell: [usize; D]| frame.place(cell).map_or(0.0, |place| curvature.at(place));
    // q_s of a curvature in 1/cell.
    let scale = kick * setup.tension / (setup.density * grid.spacing() * grid.spacing());
    for (axis, field) in velocity.iter_mut().enumerate() {
        let open = &geometry.open[axis];
        fill(field, |face, velocity| {
            if open.at(face) == 0.0 || face[axis] == 0 || face[axis] == grid.cells()[axis] {
                return;
            }
            let mut below = face;
            below[axis] -= 1;
            let (lower, upper) = (liquid.at(below), liquid.at(face));
            if (lower < 0.0) == (upper < 0.0) {
                return;
            }
            let (inside, outside, out) = if lower < 0.0 { (below, face, 1.0) } else { (face, below, -1.0) };
            let theta = theta(liquid.at(inside), Some(liquid.at(outside)), grid.spacing());
            let at_surface = (1.0 - theta) * of_cell(inside) + theta * of_cell(outside);
            *velocity -= out * scale * at_surface / theta;
        });
    }
    area(setup, geometry, frame, &once)
}

/// The area of the surface: ∫|∇c| of the smoothed parts of liquid in the open space \[Brackbill1992\].
fn area<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    frame: patch::Frame<D>,
    once: &CellField<f64, D>,
) -> f64 {
    let grid = &setup.grid;
    let of_place = |place: [usize; D]| {
        let mut square = 0.0;
        for axis in 0..D {
            let (mut below, mut above) = (place, place);
            below[axis] = place[axis].saturating_sub(1);
            above[axis] = (place[axis] + 1).min(once.shape()[axis] - 1);
            square += (0.5 * (once.at(above) - once.at(below))).powi(2);
        }
        square.sqrt()
    };
    let cells = geometry.cell_open.values();
    let sum = parallel::sum((0..cells.len(), cells), |(numbers, open)| {
        let parts = numbers.zip(open).filter(|(_, open)| **open > 0.0);
        parts.filter_map(|(cell, open)| Some(open * of_place(frame.place(multi_index(grid.cells(), cell))?))).sum()
    });
    sum * grid.spacing().powi(D as i32 - 1)
}
