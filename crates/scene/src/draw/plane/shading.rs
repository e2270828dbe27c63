//! What the inside of the liquid shows.

use unstick_grid::{CellField, Grid};

use super::{Fill, LIQUID};
use crate::Frame;
use crate::draw::colour::{Colour, from_bytes, mix};

const LOW_PRESSURE: [u8; 3] = [104, 174, 230];
const HIGH_PRESSURE: [u8; 3] = [14, 34, 104];

/// A field and its colours.
pub(super) enum Shading<'a> {
    Flat,
    Speed { speed: CellField<f64, 2>, table: &'a [Colour], fastest: f64 },
    Pressure { highest: f64 },
}

impl<'a> Shading<'a> {
    pub fn new(frame: &Frame<2>, fill: Fill, table: &'a [Colour], fastest: f64) -> Self {
        match fill {
            Fill::Flat => Self::Flat,
            Fill::Speed => Self::Speed { speed: mean_speed(frame), table, fastest },
            Fill::Pressure { highest } => {
                let found = || frame.pressure.values().iter().copied().fold(0.0, f64::max);
                Self::Pressure { highest: highest.unwrap_or_else(found).max(f64::MIN_POSITIVE) }
            }
        }
    }

    /// What is read at each pixel.
    pub fn field<'f>(&'f self, frame: &'f Frame<2>) -> &'f CellField<f64, 2> {
        match self {
            Self::Speed { speed, .. } => speed,
            _ => &frame.pressure,
        }
    }

    #[inline]
    pub fn colour(&self, value: f64) -> Colour {
        match self {
            Self::Flat => from_bytes(LIQUID),
            Self::Speed { table, fastest, .. } => table[((value / fastest * 255.0) as usize).min(255)],
            Self::Pressure { highest } => {
                mix(from_bytes(LOW_PRESSURE), from_bytes(HIGH_PRESSURE), (value / highest).clamp(0.0, 1.0) as f32)
            }
        }
    }
}

/// Mean speed of the particles of each cell; cells without any take that of their neighbours.
fn mean_speed(frame: &Frame<2>) -> CellField<f64, 2> {
    let grid = &frame.grid;
    let mut sum = CellField::from_fn(grid, |_| 0.0);
    let mut count = CellField::from_fn(grid, |_| 0.0);
    for (&position, speed) in frame.positions.iter().zip(frame.speeds()) {
        if speed.is_finite()
            && let Some(cell) = cell_of(grid, position)
        {
            *sum.at_mut(cell) += speed;
            *count.at_mut(cell) += 1.0;
        }
    }
    // Two rounds are enough for the cells that a surface touches.
    for _ in 0..2 {
        let (known_sum, known_count) = (sum.clone(), count.clone());
        for cell in grid.iter().filter(|&cell| known_count.at(cell) == 0.0) {
            for other in (0..4).filter_map(|side| grid.neighbour(cell, side / 2, side % 2 == 1)) {
                *sum.at_mut(cell) += known_sum.at(other);
                *count.at_mut(cell) += known_count.at(other);
            }
        }
    }
    CellField::from_fn(grid, |cell| if count.at(cell) > 0.0 { sum.at(cell) / count.at(cell) } else { 0.0 })
}

/// The cell of a point; none outside of the grid.
pub(super) fn cell_of(grid: &Grid<2>, point: [f64; 2]) -> Option<[usize; 2]> {
    let place = grid.in_cells(point);
    let is_inside = (0..2).all(|axis| place[axis] >= 0.0 && place[axis] < grid.cells()[axis] as f64);
    is_inside.then(|| place.map(|place| place as usize))
}
