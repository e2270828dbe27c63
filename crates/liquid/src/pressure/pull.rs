//! Walls that pull: the dial between the separating and the sealed wall.
//!
//! A wall of adhesion σ holds the liquid that touches it until the pressure there falls to −σ:
//!
//! ```text
//!     0 ≤ p + σ ⟂ u·n ≥ 0      at the wall
//! ```
//!
//! σ = 0 is the separating wall, and σ → ∞ the sealed one. In scaled pressure the bound is ℓ = −σ Δt/(ρ h), so that the
//! pull does not depend on the step. Rows hold the pressure of the centre of their cell, which lies up to half a cell from
//! the wall. It is continued to the wall by its gradient of the last step: without that a layer of depth d would hang as
//! if it were half a cell thinner.
//!
//! The pull lasts as long as the liquid touches, which on the grid means that less than half a cell has opened between
//! both: then the cell is dry. Liquid that comes back is pulled once it has pressed on the wall.

use unstick_grid::CellField;

use crate::cells::fill;
use crate::setup::Setup;
use crate::simulation::Simulation;
use crate::solids::Geometry;
use crate::state::LiquidState;

/// The continuation to the wall may change σ by this part. It keeps thin liquid, whose gradient is noise, from ruling.
pub(crate) const MOST_CONTINUED: f64 = 0.5;

/// A cell that pulls by less than this part of σ when it separates does not touch its wall.
pub(crate) const TOUCHING: f64 = 0.25;

/// What the pull of walls depends on: the liquid of this step, and all else of the last one.
pub(crate) struct Pull<'a, const D: usize> {
    pub setup: &'a Setup<D>,
    pub geometry: &'a Geometry<D>,
    pub state: &'a LiquidState<D>,
    /// The distance to the liquid in the last step.
    pub liquid_before: &'a CellField<f64, D>,
    /// σ of the cells at walls.
    pub adhesion: &'a CellField<f64, D>,
}

impl<const D: usize> Pull<'_, D> {
    /// ℓ of every cell for a pressure that acts for a time of `kick`.
    pub fn least_scaled_pressure(&self, kick: f64) -> CellField<f64, D> {
        let Self { setup: Setup { grid, density, .. }, adhesion, .. } = self;
        let mut lower = CellField::filled(grid.cells(), 0.0);
        fill(&mut lower, |cell, lower| {
            let strength = adhesion.at(cell) / density;
            if strength.is_nan() {
                *lower = strength; // which the solver refuses, with the place
            } else if strength > 0.0 && self.touches(cell, strength) {
                let continued = self.continued(cell).clamp(-MOST_CONTINUED * strength, MOST_CONTINUED * strength);
                *lower = -(strength + continued) * kick / grid.spacing();
            }
        });
        lower
    }

    /// Whether the liquid of a cell has touched its wall before this step. `strength` is σ/ρ.
    fn touches(&self, cell: [usize; D], strength: f64) -> bool {
        let Self { state, liquid_before, .. } = self;
        let has_let_go = || state.separated.at(cell) && state.pressure.at(cell) > -TOUCHING * strength;
        state.step == 0 || (liquid_before.at(cell) < 0.0 && !has_let_go())
    }

    /// How much higher the pressure over ρ is at the wall than in the centre of a cell, by its gradient in the last step:
    /// at the wall where it is lowest, and up to the liquid where that has left the wall.
    fn continued(&self, cell: [usize; D]) -> f64 {
        let Self { setup: Setup { grid, .. }, geometry, .. } = self;
        let centre = grid.centre(cell);
        let (normal, gap) = (geometry.normal(grid, centre), self.gap(cell));
        let way = (geometry.distance(grid, centre).clamp(0.0, grid.spacing()) - gap).max(0.0);
        let slope: [f64; D] = std::array::from_fn(|axis| self.slope(cell, axis));
        let mut lowest: f64 = (0..D).map(|axis| -way * normal[axis] * slope[axis]).sum();
        let open: [[f64; 2]; D] = std::array::from_fn(|axis| geometry.open_sides(cell, axis));
        for axis in 0..D {
            // Up to a wall across this axis the other faces are open.
            let beside = (0..D).filter(|&other| other != axis).flat_map(|other| open[other]).fold(0.5, f64::max);
            for (open, change) in open[axis].into_iter().zip([-slope[axis], slope[axis]]) {
                if open == 0.0 {
                    lowest = lowest.min(((beside - 0.5) * grid.spacing() - gap).max(0.0) * change);
                }
            }
        }
        lowest
    }

    /// The width that has opened between the wall of a cell and its liquid: what the particles lack there.
    fn gap(&self, cell: [usize; D]) -> f64 {
        let Self { setup: Setup { grid, .. }, geometry, state, .. } = self;
        if !state.separated.at(cell) {
            return 0.0;
        }
        let space = geometry.space.at(cell);
        let missing = (1.0 - state.density.at(cell)).max(0.0) * space * grid.spacing();
        // Weights are linear up to a solid, and the border is a mirror.
        let weight = if space < 1.0 { 1.0 - geometry.distance(grid, grid.centre(cell)) / grid.spacing() } else { 1.0 };
        missing / weight.clamp(0.5, 1.0)
    }

    /// ∂p/∂x over ρ of the last step along an axis, from open faces between liquid; the free surface would bring noise.
    /// Before the first step it is that of liquid at rest.
    fn slope(&self, cell: [usize; D], axis: usize) -> f64 {
        let Self { setup: Setup { grid, gravity, .. }, geometry, state, liquid_before, .. } = self;
        if state.step == 0 {
            return gravity.at(state.time)[axis]; // as if all were held
        }
        let (mut sum, mut count) = (0.0, 0.0);
        for is_upper in [false, true] {
            let Some(other) = grid.neighbour(cell, axis, is_upper) else { continue };
            let face = if is_upper { other } else { cell };
            if geometry.open[axis].at(face) > 0.0 && liquid_before.at(other) < 0.0 {
                let change = state.pressure.at(other) - state.pressure.at(cell);
                sum += if is_upper { change } else { -change };
                count += 1.0;
            }
        }
        if count > 0.0 { sum / (count * grid.spacing()) } else { 0.0 }
    }
}

impl<const D: usize> Simulation<D> {
    /// σ of the liquid cells at walls that pull, at the start of a step; zero elsewhere, and none where nothing pulls.
    pub(super) fn find_adhesion(&mut self) {
        let Self { setup, geometry, state, adhesion, .. } = self;
        if !setup.pulls() && geometry.bodies.iter().all(|covered| covered.body.adhesion == 0.0) {
            return;
        }
        let field = adhesion.get_or_insert_with(|| CellField::filled(setup.grid.cells(), 0.0));
        fill(field, |cell, value| {
            let is_meant = state.liquid.at(cell) < 0.0 && geometry.is_at_wall(cell);
            *value = if is_meant { geometry.adhesion(setup, state.time, cell) } else { 0.0 };
        });
    }
}
