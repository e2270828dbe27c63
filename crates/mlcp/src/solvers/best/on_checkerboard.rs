//! The scheme on the processor: single precision on the checkerboard, double precision on the rows.

use unstick_parallel::vector;

use super::band::Band;
use super::walls::WallRows;
use super::{BestParams, BestSteps, MOST_CYCLES, Rows};
use crate::checkerboard::{Hierarchy, Layout, NestedStart, Reduced, refill};
use crate::error::SolveError;
use crate::pressure::PressureOperator;
use crate::run::{Solvable, Trace};

/// All that the scheme keeps between solves: its memory.
#[derive(Default)]
pub(super) struct Memory<const D: usize> {
    hierarchy: Hierarchy<D>,
    layout: Layout,
    walls: WallRows,
    band: Band,
    reduced: Reduced,
    start: NestedStart,
    /// A correction on the finest level.
    correction: Vec<f32>,
    /// A q + b.
    r: Vec<f64>,
}

/// The scheme at work.
pub(super) struct OnCheckerboard<'t, const D: usize> {
    rows: Rows<'t, D>,
    loose: &'t [Vec<u32>],
    memory: &'t mut Memory<D>,
    /// Rows that the last policy has changed.
    changes: usize,
    q: &'t mut [f64],
}

impl<'t, const D: usize> OnCheckerboard<'t, D> {
    pub fn new(
        memory: &'t mut Memory<D>,
        operator: &'t PressureOperator<D>,
        solvable: &Solvable<'t, 't>,
        q: &'t mut [f64],
        trace: &mut Trace,
    ) -> Self {
        let rows = Rows { problem: solvable.problem, operator };
        let Memory { hierarchy, layout, walls, band, correction, r, .. } = &mut *memory;
        trace.set_up(|| {
            hierarchy.rebuild(operator, rows.problem.lower());
            layout.rebuild(operator);
            walls.rebuild(rows, hierarchy, layout);
            band.rebuild(rows, walls.rows());
        });
        walls.lift(rows, q);
        refill(correction, hierarchy.size(), 0.0);
        r.resize(q.len(), 0.0);
        Self { rows, loose: solvable.loose, memory, changes: usize::MAX, q }
    }

    /// Bytes that a policy moves beside its cycles: the sweeps over the band, r = A q + b, its norms, the
    /// right-hand side on the checkerboard, and the correction of q.
    fn bytes_around(&self) -> u64 {
        let product = self.rows.operator.bytes_per_product();
        (self.memory.band.bytes() + product + self.q.len() * (8 + 24 + 8 + 12 + 20)) as u64
    }
}

impl<const D: usize> BestSteps for OnCheckerboard<'_, D> {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        let problem = self.rows.problem;
        problem.residual(self.q, &mut self.memory.r);
        Ok(problem.natural_residual(self.q, &self.memory.r))
    }

    fn start(&mut self, trace: &mut Trace) -> Result<(), SolveError> {
        let Memory { hierarchy, layout, walls, reduced, start, correction, r, .. } = &mut *self.memory;
        let norm = vector::norm_max(r).max(f64::MIN_POSITIVE);
        let (scale, inverse) = (norm / self.rows.operator.unit(), -1.0 / norm);
        hierarchy.load(layout, |row| (inverse * r[row]) as f32);
        hierarchy.nested_start(reduced, start, walls.floors(self.rows, self.q, scale), correction);
        layout.add(hierarchy, scale, correction, self.q);
        walls.lift(self.rows, self.q);
        trace.moves(hierarchy.bytes_per_iteration() + self.bytes_around());
        Ok(())
    }

    fn choose(&mut self, trace: &mut Trace) -> Result<(), SolveError> {
        let Memory { hierarchy, walls, band, r, .. } = &mut *self.memory;
        band.relax(self.rows, self.changes == 0, self.q, r);
        let changes = walls.choose(self.rows, self.loose, self.q, r);
        self.changes = changes.len();
        trace.set_up(|| hierarchy.pin(0, changes.into_iter()));
        Ok(())
    }

    fn correct(&mut self, params: &BestParams, trace: &mut Trace) -> Result<(), SolveError> {
        let Memory { hierarchy, layout, walls, reduced, correction, r, .. } = &mut *self.memory;
        let forcing = params.forcing_after(self.changes, walls.count());
        let norm = trace.residual(); // single precision works on numbers around one
        let (scale, inverse) = (norm / self.rows.operator.unit(), -1.0 / norm);
        let free_norm = hierarchy.load(layout, |row| (inverse * r[row]) as f32);
        let target = (forcing * free_norm).max(0.5 * trace.target() / norm);
        let (cycles, _) = reduced.solve(hierarchy, 0, correction, target, MOST_CYCLES);
        layout.add(hierarchy, scale, correction, self.q);
        trace.spend(cycles);
        trace.moves(cycles as u64 * hierarchy.bytes_per_iteration() + self.bytes_around());
        Ok(())
    }
}
