//! How far walls hold the liquid of a bottle: down to the pressure of the thinnest air at it.
//!
//! A wall lets go where air gets between it and the liquid. The air at a part of the liquid may have a lower pressure than
//! the outer air, as above the water in a bottle that is held upside down. Then the bound of its wall rows is that pressure
//! and not zero: ℓ = min(0, q_B) over the bubbles that it touches. q_B is that of the last step, times the step. Where it has
//! become much lower, the walls hold without a bound in a first solve, and with the bound from that in a second one: from above,
//! the bound would creep down by half a cell of liquid in each.

use crate::air::{AirState, Part};

/// A pressure that lies below the bound by less than this part is close enough.
const CLOSE: f64 = 0.1;

/// The air of a step, for the pressure.
pub(crate) struct Enclosed<'a> {
    pub air: &'a AirState,
    /// Parts of liquid and of air that touch.
    pub touching: &'a [(u32, u32)],
    /// q of a pressure over density: the time over which it acts, by the spacing.
    pub scale: f64,
    /// The pressure over density of a cell of liquid.
    pub cell: f64,
}

/// The bounds of wall rows by the part of the liquid that they belong to.
#[derive(Clone, Debug, Default)]
pub(super) struct AirBounds {
    /// The part of each row, and ℓ without air.
    rows: Vec<(u32, f64)>,
    /// min(0, q_B) of each part.
    least: Vec<f64>,
    /// Parts of liquid and bubbles that touch.
    touching: Vec<(u32, u32)>,
    /// Differences of q that do not matter.
    slack: f64,
}

impl AirBounds {
    /// Bounds by the last step, for rows with their cells and their ℓ by all else; nothing without bubbles.
    pub fn new(enclosed: &Enclosed, bubbles: usize, cells: &[u32], lower: &[f64]) -> Self {
        let Enclosed { air, touching, scale, cell, .. } = enclosed;
        if bubbles == 0 {
            return Self::default();
        }
        let mut count = 0;
        let bubble_of: Vec<Option<u32>> =
            air.parts.iter().map(|part| matches!(part, Part::Bubble(_)).then(|| (count, count += 1).0)).collect();
        let bubble = |&(liquid, air): &(u32, u32)| Some((liquid, bubble_of[air as usize]?));
        let of_part = |part: &Part| if let Part::Liquid(least) = part { least * scale } else { 0.0 };
        Self {
            rows: cells.iter().zip(lower).map(|(&cell, &lower)| (air.part_of[cell as usize], lower)).collect(),
            least: air.parts.iter().map(of_part).collect(),
            touching: touching.iter().filter_map(bubble).collect(),
            slack: CLOSE * cell * scale,
        }
    }

    /// Writes ℓ of every row; rows without a wall keep their −∞.
    pub fn write(&self, lower: &mut [f64]) {
        for (lower, &(part, alone)) in lower.iter_mut().zip(&self.rows) {
            *lower = alone + self.least[part as usize - 1];
        }
    }

    /// Takes the bound off where a bubble has a pressure far below it; returns whether there is such a one.
    pub fn hold_where_thinner(&mut self, air: &[f64]) -> bool {
        let found = self.found(air);
        let mut is_thinner = false;
        for (least, found) in self.least.iter_mut().zip(found) {
            if found < (1.0 + CLOSE) * *least - self.slack {
                (*least, is_thinner) = (f64::NEG_INFINITY, true);
            }
        }
        is_thinner
    }

    /// Takes the bounds from the pressures of the bubbles.
    pub fn take(&mut self, air: &[f64]) {
        self.least = self.found(air);
    }

    fn found(&self, air: &[f64]) -> Vec<f64> {
        let mut least = vec![0.0f64; self.least.len()];
        for &(liquid, bubble) in &self.touching {
            let least = &mut least[liquid as usize];
            *least = least.min(air[bubble as usize]);
        }
        least
    }
}
