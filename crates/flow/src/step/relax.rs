//! Pockets between a body and a lid: their pressure does not last.
//!
//! The projection leaves the net inflow of a pocket as it is, and a lid drags the body along: the inflow lasts.
//! Increments of the pressure would add up to a spring that nothing damps. A disc under a moving lid is set swinging
//! by it, faster and faster. A pressure that is forgotten in a few steps makes a damper of the spring. Without a
//! lid pockets keep their pressure: it is part of what a body lies on.

use unstick_grid::CellField;

use super::Flow;
use crate::boundary::Boundary;
use crate::tensor::{index_of, place_of};

/// The part of a pocket's pressure, relative to the cells around it, that a step keeps. With all of it a disc under a
/// lid blows up, with 0.95 on some grids; with half of it bodies lack the force that holds them off, and chatter.
const KEPT: f64 = 0.8;

impl<const D: usize> Flow<D> {
    /// Pockets at the sides of a box with a lid; none without a lid. In the corner beside it a body swings as well.
    pub(super) fn under_lids(&self, mut pockets: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        let cells = self.discrete.grid.cells();
        let is_lid = |side: &Boundary<D>| matches!(side, Boundary::NoSlip { velocity } if *velocity != [0.0; D]);
        let has_lid = self.setup.sides.iter().flatten().any(is_lid);
        let is_at_side = |cell: usize| {
            let place = place_of(cells, cell);
            (0..D).any(|axis| place[axis] == 0 || place[axis] + 1 == cells[axis])
        };
        pockets.retain(|pocket| has_lid && pocket.iter().any(|&cell| is_at_side(cell)));
        pockets
    }

    /// Brings the pressure of pockets nearer to that of the cells around them.
    pub(super) fn relax(&mut self, pockets: &[Vec<usize>]) {
        let cells = self.discrete.grid.cells();
        let pressure = self.state.pressure.values_mut();
        for pocket in pockets {
            let (mut sum, mut count) = (0.0, 0.0);
            for &cell in pocket {
                let place = place_of(cells, cell);
                for axis in 0..D {
                    let beside = [place[axis].checked_sub(1), Some(place[axis] + 1).filter(|next| *next < cells[axis])];
                    for beside in beside.into_iter().flatten() {
                        let mut next = place;
                        next[axis] = beside;
                        let next = index_of(cells, next);
                        if !pocket.contains(&next) {
                            sum += pressure[next];
                            count += 1.0;
                        }
                    }
                }
            }
            if count > 0.0 {
                pocket.iter().for_each(|&cell| pressure[cell] = KEPT * pressure[cell] + (1.0 - KEPT) * sum / count);
            }
        }
    }
}

/// Takes out the divergence of pockets, which stays from step to step.
pub(super) fn leave_out<const D: usize>(pockets: &[Vec<usize>], divergence: &mut CellField<f64, D>) {
    pockets.iter().flatten().for_each(|&cell| divergence.values_mut()[cell] = 0.0);
}
