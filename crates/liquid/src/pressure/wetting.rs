//! Walls that hold a liquid by its surface tension.
//!
//! To part a liquid from a wall takes the work γ(1 + cos α) for each area, α the contact angle: two surfaces come in place
//! of one \[Dupre1869\]. On the grid they part over the way of a cell. So a separating wall holds until the pressure has
//! fallen to −γ(1 + cos α)/h. On grids that are much coarser than drops this is next to nothing. On grids that resolve
//! drops, liquid stays at its wall where its surface is hollow, as it is beside a contact line that advances.
//!
//! This is so where any wall has another contact angle than 90 degrees. Where none has, walls do what they did: a bubble that
//! rises in a slit would be 13 % too fast instead of 3 %.

use unstick_grid::CellField;

use crate::cells::fill;
use crate::setup::Setup;
use crate::solids::Geometry;

/// ℓ of every cell for a pressure that acts for a time of `kick`; `lower` is what walls hold for other reasons.
pub(super) fn least_scaled_pressure<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    kick: f64,
    lower: Option<CellField<f64, D>>,
) -> Option<CellField<f64, D>> {
    if !setup.is_wetting() {
        return lower;
    }
    let spacing = setup.grid.spacing();
    let scale = kick * setup.tension / (setup.density * spacing * spacing);
    let mut lower = lower.unwrap_or_else(|| CellField::filled(setup.grid.cells(), 0.0));
    fill(&mut lower, |cell, lower| *lower -= scale * (1.0 + geometry.cos_contact_angle(setup, cell)));
    Some(lower)
}
