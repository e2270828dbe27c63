//! The fast multigrid cycle on a grid as a preconditioner (`multigrid`).

use unstick_parallel::{self as parallel, refill, vector};

use super::Preconditioner;
use crate::checkerboard::{Hierarchy, Layout};
use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::multigrid::Multigrid;
use crate::pressure::{AnyPressureOperator, PressureOperator};

/// One V-cycle in single precision where a pressure operator is seen through a mask; one of the
/// general hierarchy for all other systems. Hierarchies keep their memory.
#[derive(Default)]
pub struct GridMultigrid {
    used: Used,
    plane: MaskedCycle<2>,
    space: MaskedCycle<3>,
    general: Multigrid,
}

/// The hierarchy that fits the system at hand.
#[derive(Clone, Copy, Default, PartialEq)]
enum Used {
    #[default]
    General,
    Plane,
    Space,
}

impl GridMultigrid {
    /// Runs the V-cycle once more on the right-hand side of the last application, without the
    /// conversion around it: for measurements. Returns the bytes that it must move, None where the
    /// general hierarchy is in use.
    pub fn cycle_again(&mut self) -> Option<u64> {
        match self.used {
            Used::General => None,
            Used::Plane => Some(self.plane.again()),
            Used::Space => Some(self.space.again()),
        }
    }
}

impl Preconditioner for GridMultigrid {
    fn forget(&mut self) {
        self.used = Used::General;
        self.general.forget();
    }

    fn rebuild(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        let before = std::mem::take(&mut self.used);
        match system.nearby().pressure().filter(|_| !system.has_diagonals()) {
            None => return self.general.rebuild(system),
            Some(AnyPressureOperator::Plane(operator)) => {
                self.plane.mask(operator, system, before == Used::Plane);
                self.used = Used::Plane;
            }
            Some(AnyPressureOperator::Space(operator)) => {
                self.space.mask(operator, system, before == Used::Space);
                self.used = Used::Space;
            }
        }
        Ok(())
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        match self.used {
            Used::General => self.general.apply(r, z),
            Used::Plane => self.plane.apply(r, z),
            Used::Space => self.space.apply(r, z),
        }
    }
}

/// A hierarchy in which some rows are pinned.
#[derive(Default)]
struct MaskedCycle<const D: usize> {
    hierarchy: Hierarchy<D>,
    layout: Layout,
    /// All rows that may be pinned, in the order of the hierarchy, and whether they are.
    rows: Vec<u32>,
    pinned: Vec<bool>,
    /// Zero on rows that may be pinned, −∞ on all others.
    bounds: Vec<f64>,
    unit: f64,
}

impl<const D: usize> MaskedCycle<D> {
    /// Follows a new mask, of the matrix before if `is_known`.
    ///
    /// Which rows will ever be pinned is not known here. They are those that have been pinned so far and, if there are
    /// any, all at walls and surfaces.
    fn mask(&mut self, operator: &PressureOperator<D>, system: &Subsystem, is_known: bool) {
        let pinned = || (0..system.size()).filter(|&row| !system.is_free(row));
        if !is_known {
            refill(&mut self.bounds, system.size(), f64::NEG_INFINITY);
        } else if pinned().all(|row| self.bounds[row] == 0.0) {
            return self.pin(system);
        }
        if pinned().next().is_some() {
            pinned().chain(operator.cut_stencils().map(|(row, _)| row)).for_each(|row| self.bounds[row] = 0.0);
        }
        self.hierarchy.rebuild(operator, &self.bounds);
        self.layout.rebuild(operator);
        self.rows = self.layout.rows_of_walls(&self.hierarchy);
        refill(&mut self.pinned, self.rows.len(), false);
        self.unit = operator.unit();
        self.pin(system);
    }

    fn pin(&mut self, system: &Subsystem) {
        let Self { rows, pinned, hierarchy, .. } = self;
        let lanes = (rows.as_slice(), hierarchy.walls(), pinned.as_mut_slice());
        let changes = parallel::list_scattered(lanes, |(rows, cells, pinned)| {
            let mut changes = Vec::new();
            for ((&row, &cell), pinned) in rows.iter().zip(cells).zip(pinned) {
                let is_pinned = !system.is_free(row as usize);
                if is_pinned != std::mem::replace(pinned, is_pinned) {
                    changes.push((cell, is_pinned));
                }
            }
            changes
        });
        hierarchy.pin(0, &changes);
    }

    fn again(&mut self) -> u64 {
        self.hierarchy.cycle(0, false);
        self.hierarchy.bytes_per_cycle(false)
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let norm = vector::norm_max(r);
        vector::clear(z);
        if norm > 0.0 {
            let inverse = 1.0 / norm;
            self.hierarchy.load(&self.layout, |row| (inverse * r[row]) as f32);
            self.hierarchy.cycle(0, false);
            self.layout.add(&self.hierarchy, norm / self.unit, self.hierarchy.answer(), z);
        }
    }
}
