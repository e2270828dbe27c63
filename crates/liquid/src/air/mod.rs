//! Enclosed air: a bubble has one pressure and keeps its volume.
//!
//! Air weighs nothing here, so its pressure is the same all over a connected part of it. The outer air has the pressure
//! zero. Every other part is a bubble, whose pressure q_B is one unknown more. Its row says that its surface moves such
//! that its volume grows at the rate g, which is zero but for a gentle correction:
//!
//! ```text
//!     Σ (V/θ)(q_B − q) + Σ ± (V u + w) = g/h^(D−1)      over the faces of the bubble
//! ```
//!
//! with (V/θ)(q − q_B) in the rows of the liquid beside it, where (V/θ) q stands at the outer air. So the matrix stays
//! symmetric, and an M-matrix \[Goldade2020\]. The unknowns of bubbles are eliminated before the solve: see
//! [`pressure::bubbles`](crate::pressure).
//!
//! Bubbles are found anew in every step. Each one inherits the volume that it should have from those whose cells it has
//! taken over: [`inherit`]. A wall lets go where air gets in, so the bound of its rows is not zero where the air at the
//! liquid has a lower pressure than the outer air: water hangs in a bottle that is held upside down.

mod inherit;
mod measure;
mod parts;

use serde::{Deserialize, Serialize};
use unstick_grid::SignedDistance;

use crate::simulation::Simulation;
use crate::simulation::report::Stage;
use inherit::Heirs;
use parts::Parts;

/// Part of an error of a bubble's volume that a step makes good, by displacements of the liquid around it. The error comes with
/// every step, not with time, and displacements leave no velocity behind: so this is a part of a step.
const MADE_GOOD: f64 = 0.25;

/// What the air around the liquid does.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Air<const D: usize> {
    /// All of it has the pressure zero: liquid falls into every hollow.
    #[default]
    Open,
    /// What the liquid encloses keeps its volume. The outer air has the pressure zero.
    Enclosed {
        /// Where outer air comes in: air that reaches one of these shapes is outer air. In a closed space without a vent
        /// it is what reaches highest at the start, and what follows from it.
        vents: Vec<SignedDistance<D>>,
    },
}

/// The parts of the space that solids leave open, in a step. Empty where [all air is open](Air::Open).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AirState {
    /// The part of every cell, from one; zero for none.
    pub part_of: Vec<u32>,
    /// The parts, each connected.
    pub parts: Vec<Part>,
}

/// A connected part of the open space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Part {
    /// Liquid, and the lowest pressure over density of the air at it: zero, or less where a bubble has less.
    Liquid(f64),
    /// Outer air: its pressure is zero.
    Outer,
    /// A hollow that no air has come into, as behind a wall that has let go. Its pressure is zero.
    Cavity,
    /// Air that liquid and walls enclose.
    Bubble(Bubble),
}

/// Enclosed air.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bubble {
    /// The volume that it should have (area in 2D).
    pub volume: f64,
    /// The volume that it had at the start of the step.
    pub measured: f64,
    /// Its pressure over density.
    pub pressure: f64,
}

impl Bubble {
    /// The volume that it should gain in a step.
    pub(crate) fn gain(&self) -> f64 {
        MADE_GOOD * (self.volume - self.measured)
    }
}

impl AirState {
    /// The bubbles, in the order of their rows.
    pub fn bubbles(&self) -> impl Iterator<Item = &Bubble> {
        self.parts.iter().filter_map(|part| if let Part::Bubble(bubble) = part { Some(bubble) } else { None })
    }

    /// The number of each cell's bubble, from one in the order of their rows; zero for none.
    pub(crate) fn bubble_of(&self) -> Vec<u32> {
        let mut count = 0;
        let mut number = |part: &Part| {
            count += u32::from(matches!(part, Part::Bubble(_)));
            if matches!(part, Part::Bubble(_)) { count } else { 0 }
        };
        let number_of: Vec<u32> = self.parts.iter().map(&mut number).collect();
        if count == 0 {
            return Vec::new();
        }
        self.part_of.iter().map(|&part| if part == 0 { 0 } else { number_of[part as usize - 1] }).collect()
    }

    /// The part of a cell.
    pub(crate) fn part(&self, cell: usize) -> Option<Part> {
        let number = self.part_of.get(cell)?.checked_sub(1)?;
        self.parts.get(number as usize).copied()
    }

    /// The lowest pressure over density that the air at the liquid of a cell has; zero where there is none.
    pub(crate) fn least_pressure(&self, cell: usize) -> f64 {
        if let Some(Part::Liquid(least)) = self.part(cell) { least } else { 0.0 }
    }

    /// Whether it belongs to a grid of so many cells, and every cell to a part that there is.
    pub(crate) fn fits(&self, cells: usize) -> bool {
        let is_known = |&number: &u32| number as usize <= self.parts.len();
        (self.part_of.is_empty() || self.part_of.len() == cells) && self.part_of.iter().all(is_known)
    }

    /// Keeps the pressures of the bubbles, and what they mean for the liquid at them.
    pub(crate) fn keep_pressures(&mut self, pressures: &[f64], touching: &[(u32, u32)]) {
        let mut left = pressures.iter();
        for part in &mut self.parts {
            match part {
                Part::Bubble(bubble) => bubble.pressure = left.next().copied().unwrap_or(0.0),
                Part::Liquid(least) => *least = 0.0,
                _ => {}
            }
        }
        tell_liquid(&mut self.parts, touching);
    }
}

/// Lowers what parts of liquid know to the pressures of the bubbles that they touch.
fn tell_liquid(parts: &mut [Part], touching: &[(u32, u32)]) {
    for &(liquid, air) in touching {
        if let Part::Bubble(Bubble { pressure, .. }) = parts[air as usize]
            && let Part::Liquid(least) = &mut parts[liquid as usize]
        {
            *least = least.min(pressure);
        }
    }
}

impl<const D: usize> Simulation<D> {
    /// Finds the bubbles of this step, where air is enclosed.
    pub(crate) fn find_air(&mut self) {
        let Self { setup, state, geometry, vented, touching, times, .. } = self;
        let Air::Enclosed { .. } = setup.air else { return };
        times.time(Stage::Surface, || {
            let parts = Parts::of(&setup.grid, geometry, &state.liquid);
            let volumes = measure::volumes(&setup.grid, geometry, &state.liquid, &parts);
            let reach = setup.cfl.ceil() as usize;
            let heirs = Heirs::of(&setup.grid, reach, &state.air, &parts);
            let gravity = setup.gravity.at(state.time);
            let heights = measure::heights(&setup.grid, gravity, &parts);
            let found = heirs.name(&parts, (&volumes, &heights), vented, &state.air);
            touching.clone_from(&parts.touching);
            state.air = AirState { part_of: parts.part_of, parts: found };
        });
    }

    /// The bubbles at the start of the last step; none where all air is open.
    pub fn bubbles(&self) -> impl Iterator<Item = &Bubble> {
        self.state.air.bubbles()
    }
}

impl<const D: usize> Air<D> {
    /// Whether each cell of a grid lies in a vent.
    pub(crate) fn vented(&self, grid: &unstick_grid::Grid<D>) -> Vec<bool> {
        let Self::Enclosed { vents } = self else { return Vec::new() };
        // A vent thinner than a cell still has cells.
        let is_in = |point: [f64; D]| vents.iter().any(|vent| vent.at(point) < 0.5 * grid.spacing());
        if vents.is_empty() { Vec::new() } else { grid.iter().map(|cell| is_in(grid.centre(cell))).collect() }
    }
}
