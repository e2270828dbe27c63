//! The fast multigrid cycle on a grid as a preconditioner (`multigrid`).

use unstick_parallel::vector;

use super::Preconditioner;
use crate::checkerboard::{Hierarchy, Layout};
use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::multigrid::Multigrid;
use crate::pressure::{AnyPressureOperator, PressureOperator};

/// One V-cycle in single precision where a pressure operator is seen through a mask; one of the
/// general hierarchy for all other systems.
#[derive(Default)]
pub struct GridMultigrid {
    cycle: Option<GridCycle>,
    general: Multigrid,
}

enum GridCycle {
    Plane(MaskedCycle<2>),
    Space(MaskedCycle<3>),
}

impl GridMultigrid {
    /// Runs the V-cycle once more on the right-hand side of the last application, without the
    /// conversion around it: for measurements. Returns the bytes that it must move, None where the
    /// general hierarchy is in use.
    pub fn cycle_again(&mut self) -> Option<u64> {
        match self.cycle.as_mut()? {
            GridCycle::Plane(cycle) => Some(cycle.again()),
            GridCycle::Space(cycle) => Some(cycle.again()),
        }
    }
}

impl Preconditioner for GridMultigrid {
    fn forget(&mut self) {
        self.cycle = None;
        self.general.forget();
    }

    fn rebuild(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        match (system.nearby().pressure(), &mut self.cycle) {
            _ if system.has_diagonals() => {
                self.cycle = None;
                return self.general.rebuild(system);
            }
            (None, _) => return self.general.rebuild(system),
            (Some(AnyPressureOperator::Plane(operator)), Some(GridCycle::Plane(cycle))) => cycle.mask(operator, system),
            (Some(AnyPressureOperator::Space(operator)), Some(GridCycle::Space(cycle))) => cycle.mask(operator, system),
            (Some(AnyPressureOperator::Plane(operator)), cycle) => {
                *cycle = Some(GridCycle::Plane(MaskedCycle::new(operator, system)));
            }
            (Some(AnyPressureOperator::Space(operator)), cycle) => {
                *cycle = Some(GridCycle::Space(MaskedCycle::new(operator, system)));
            }
        }
        Ok(())
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        match &mut self.cycle {
            Some(GridCycle::Plane(cycle)) => cycle.apply(r, z),
            Some(GridCycle::Space(cycle)) => cycle.apply(r, z),
            None => self.general.apply(r, z),
        }
    }
}

/// A hierarchy in which some rows are pinned.
struct MaskedCycle<const D: usize> {
    hierarchy: Hierarchy<D>,
    layout: Layout,
    /// (row, cell) of all rows that may be pinned, and whether they are.
    rows: Vec<(u32, u32)>,
    pinned: Vec<bool>,
    unit: f64,
}

impl<const D: usize> MaskedCycle<D> {
    /// Which rows will ever be pinned is not known here. They are those pinned now and, if there are
    /// any, all at walls and surfaces.
    fn new(operator: &PressureOperator<D>, system: &Subsystem) -> Self {
        let mut bounds = vec![f64::NEG_INFINITY; system.size()];
        let mut any = false;
        for row in (0..system.size()).filter(|&row| !system.is_free(row)) {
            bounds[row] = 0.0;
            any = true;
        }
        if any {
            operator.cut_rows().for_each(|row| bounds[row] = 0.0);
        }
        Self::with_bounds(operator, system, &bounds)
    }

    fn with_bounds(operator: &PressureOperator<D>, system: &Subsystem, bounds: &[f64]) -> Self {
        let (hierarchy, layout) = (Hierarchy::new(operator, bounds), Layout::new(operator));
        let rows = layout.cells_of(&hierarchy, |row| bounds[row] == 0.0);
        let pinned = vec![false; rows.len()];
        let mut cycle = Self { hierarchy, layout, rows, pinned, unit: operator.unit() };
        cycle.pin(system);
        cycle
    }

    /// Follows a new mask.
    fn mask(&mut self, operator: &PressureOperator<D>, system: &Subsystem) {
        let known = self.rows.iter().filter(|(row, _)| !system.is_free(*row as usize)).count();
        let pinned = (0..system.size()).filter(|&row| !system.is_free(row)).count();
        if known == pinned {
            return self.pin(system);
        }
        let mut bounds = vec![f64::NEG_INFINITY; system.size()];
        self.rows.iter().for_each(|&(row, _)| bounds[row as usize] = 0.0);
        (0..system.size()).filter(|&row| !system.is_free(row)).for_each(|row| bounds[row] = 0.0);
        operator.cut_rows().for_each(|row| bounds[row] = 0.0);
        *self = Self::with_bounds(operator, system, &bounds);
    }

    fn pin(&mut self, system: &Subsystem) {
        let mut changes = Vec::new();
        for (&(row, cell), pinned) in self.rows.iter().zip(&mut self.pinned) {
            let is_pinned = !system.is_free(row as usize);
            if is_pinned != std::mem::replace(pinned, is_pinned) {
                changes.push((cell as usize, is_pinned));
            }
        }
        self.hierarchy.pin(0, changes.into_iter());
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
