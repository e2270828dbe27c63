//! The scheme on the processor: single precision on the checkerboard, double precision on the rows.

use unstick_parallel::vector;

use super::band::Band;
use super::walls::Walls;
use super::{BestParams, BestSteps, MOST_CYCLES};
use crate::checkerboard::{Hierarchy, Layout, Reduced};
use crate::error::SolveError;
use crate::pressure::PressureOperator;
use crate::problem::Mlcp;
use crate::run::{Solvable, Trace};

pub(super) struct OnCheckerboard<'t, const D: usize> {
    problem: &'t Mlcp<'t>,
    operator: &'t PressureOperator<D>,
    loose: &'t [Vec<u32>],
    hierarchy: Hierarchy<D>,
    layout: Layout,
    walls: Walls<'t, D>,
    band: Band<'t, D>,
    /// Rows that the last policy has changed.
    changes: usize,
    reduced: Reduced,
    answer: Vec<f32>,
    q: &'t mut [f64],
    /// A q + b.
    r: Vec<f64>,
}

impl<'t, const D: usize> OnCheckerboard<'t, D> {
    pub fn new(
        operator: &'t PressureOperator<D>,
        solvable: &Solvable<'t, 't>,
        q: &'t mut [f64],
        trace: &mut Trace,
    ) -> Self {
        let problem = solvable.problem;
        let (hierarchy, layout) = trace.set_up(|| (Hierarchy::new(operator, problem.lower()), Layout::new(operator)));
        let walls = trace.set_up(|| Walls::new(problem, operator, &hierarchy, &layout));
        let band = trace.set_up(|| Band::new(problem, operator, walls.rows()));
        walls.lift(q);
        let (answer, r) = (vec![0.0; hierarchy.size()], vec![0.0; q.len()]);
        Self {
            problem,
            operator,
            loose: solvable.loose,
            hierarchy,
            layout,
            walls,
            band,
            changes: usize::MAX,
            reduced: Reduced::default(),
            answer,
            q,
            r,
        }
    }

    /// Bytes that a policy moves beside its cycles: the sweeps over the band, r = A q + b, its norms, the
    /// right-hand side on the checkerboard, and the correction of q.
    fn bytes_around(&self) -> u64 {
        (self.band.bytes() + self.operator.bytes_per_product() + self.q.len() * (8 + 24 + 8 + 12 + 20)) as u64
    }
}

impl<const D: usize> BestSteps for OnCheckerboard<'_, D> {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        self.problem.residual(self.q, &mut self.r);
        Ok(self.problem.natural_residual(self.q, &self.r))
    }

    fn start(&mut self, trace: &mut Trace) -> Result<(), SolveError> {
        let norm = vector::norm_max(&self.r).max(f64::MIN_POSITIVE);
        let (scale, inverse) = (norm / self.operator.unit(), -1.0 / norm);
        let mut load = vec![0.0; self.hierarchy.size()];
        self.hierarchy.spread(&self.layout, &mut load, |row| (inverse * self.r[row]) as f32);
        let mut floor = vec![f32::NEG_INFINITY; self.hierarchy.size()];
        self.walls.floors(self.q, scale, &mut floor);
        let x = self.hierarchy.nested_start(&mut self.reduced, load, floor);
        self.layout.add(&self.hierarchy, scale, &x, self.q);
        self.walls.lift(self.q);
        trace.moves(self.hierarchy.bytes_per_iteration() + self.bytes_around());
        Ok(())
    }

    fn choose(&mut self, trace: &mut Trace) -> Result<(), SolveError> {
        self.band.relax(self.changes == 0, self.q, &mut self.r);
        let changes = self.walls.choose(self.loose, self.q, &mut self.r);
        self.changes = changes.len();
        trace.set_up(|| self.hierarchy.pin(0, changes.into_iter()));
        Ok(())
    }

    fn correct(&mut self, params: &BestParams, trace: &mut Trace) -> Result<(), SolveError> {
        let forcing = params.forcing_after(self.changes, self.walls.count());
        let norm = trace.residual(); // single precision works on numbers around one
        let (scale, inverse) = (norm / self.operator.unit(), -1.0 / norm);
        let free_norm = self.hierarchy.load(&self.layout, |row| (inverse * self.r[row]) as f32);
        let target = (forcing * free_norm).max(0.5 * trace.target() / norm);
        let (cycles, _) = self.reduced.solve(&mut self.hierarchy, 0, &mut self.answer, target, MOST_CYCLES);
        trace.spend(cycles);
        trace.moves(cycles as u64 * self.hierarchy.bytes_per_iteration() + self.bytes_around());
        self.layout.add(&self.hierarchy, scale, &self.answer, self.q);
        Ok(())
    }
}
