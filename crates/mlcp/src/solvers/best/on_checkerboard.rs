//! The scheme on the processor: corrections in single precision on the checkerboard, the iterate and its residual in
//! double precision on the rows.

use unstick_parallel as parallel;

use super::walls::WallRows;
use super::{BestParams, BestSteps, MOST_CYCLES, Rows};
use crate::checkerboard::{Hierarchy, Layout, LevelProblem, NestedStart, Reduced};
use crate::error::SolveError;
use crate::pressure::PressureOperator;
use crate::run::{Solvable, Trace};

/// Projected sweeps before a policy. They let the fronts of what has let go settle.
const SWEEPS: usize = 2;

/// What is left of a residual, about, once it has been swept from the red cells. Forcings are parts of all of it.
const LEFT_ON_BLACK: f64 = 0.28;

/// All that the scheme keeps between solves: its memory.
#[derive(Default)]
pub(super) struct Memory<const D: usize> {
    hierarchy: Hierarchy<D>,
    layout: Layout,
    walls: WallRows,
    reduced: Reduced,
    start: NestedStart,
    /// The problem that a correction of the iterate has to solve.
    problem: LevelProblem,
    /// A q + b.
    r: Vec<f64>,
    /// The matrix and the wall rows that the hierarchy was made for.
    fingerprint: Option<u64>,
}

/// The scheme at work.
pub(super) struct OnCheckerboard<'t, const D: usize> {
    rows: Rows<'t, D>,
    memory: &'t mut Memory<D>,
    /// Rows that the last policy has changed.
    changes: usize,
    /// What a correction of one means in units of the iterate.
    scale: f64,
    /// The iterate, with room for ghosts behind it.
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
        let Memory { hierarchy, layout, walls, problem, r, fingerprint, .. } = &mut *memory;
        trace.set_up(|| {
            // Ranks would have to agree whether theirs are the same.
            let same = operator.share().is_none().then(|| operator.fingerprint(rows.problem.lower()));
            if same.is_some() && *fingerprint == same {
                hierarchy.release(0, problem);
            } else {
                hierarchy.share = operator.share().cloned();
                hierarchy.rebuild(operator, rows.problem.lower());
                layout.rebuild(operator);
                *fingerprint = same;
            }
            walls.rebuild(hierarchy, layout, solvable.loose);
            problem.begin(hierarchy, 0);
            parallel::resize(r, rows.problem.size(), 0.0);
        });
        walls.lift(rows, q);
        Self { rows, memory, changes: usize::MAX, scale: 0.0, q }
    }

    /// Poses the problem of a correction: single precision works on numbers around one.
    fn pose(&mut self, norm: f64) {
        let Memory { hierarchy, layout, walls, problem, r, .. } = &mut *self.memory;
        let inverse = -1.0 / norm;
        self.scale = norm / self.rows.operator.unit();
        layout.spread(hierarchy, &mut problem.load, |row| (inverse * r[row]) as f32);
        walls.find_floors(self.rows, self.q, self.scale, problem);
    }

    /// Adds the correction to the iterate.
    fn accept(&mut self) {
        let Memory { hierarchy, layout, walls, problem, .. } = &mut *self.memory;
        layout.add(hierarchy, self.scale, &problem.x, &mut self.q[..self.rows.problem.size()]);
        walls.settle(self.rows, &problem.pinned, self.q);
    }

    /// Bytes that a policy moves beside its cycles: r = A q + b, its norm, load and sweeps on the checkerboard, and the
    /// correction of q.
    fn bytes_around(&self) -> u64 {
        let product = self.rows.operator.bytes_per_product();
        (product + self.q.len() * (8 + 8 + 12 + SWEEPS * 2 * 6 + 20)) as u64
    }
}

impl<const D: usize> BestSteps for OnCheckerboard<'_, D> {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        let Rows { problem, operator } = self.rows;
        Ok(operator.natural_residual(self.q, problem.b(), problem.lower(), &mut self.memory.r))
    }

    fn start(&mut self, trace: &mut Trace) -> Result<(), SolveError> {
        self.pose(trace.residual());
        let Memory { hierarchy, reduced, start, problem, .. } = &mut *self.memory;
        hierarchy.nested_start(reduced, start, problem);
        self.accept();
        self.memory.walls.lift(self.rows, self.q);
        trace.moves(self.memory.hierarchy.bytes_per_iteration() + self.bytes_around());
        Ok(())
    }

    fn choose(&mut self, trace: &mut Trace) -> Result<(), SolveError> {
        self.pose(trace.residual());
        let Memory { hierarchy, walls, problem, .. } = &mut *self.memory;
        hierarchy.relax_from_zero(0, problem, SWEEPS);
        self.changes = hierarchy.choose(0, problem, walls.loose());
        Ok(())
    }

    fn correct(&mut self, params: &BestParams, trace: &mut Trace) -> Result<(), SolveError> {
        let Memory { hierarchy, walls, reduced, problem, .. } = &mut *self.memory;
        let forcing = params.forcing_after(self.changes, walls.count()) / LEFT_ON_BLACK;
        let least = 0.5 * trace.target() / trace.residual();
        let (cycles, _) = reduced.solve(hierarchy, 0, problem, |norm| (forcing * norm).max(least), MOST_CYCLES);
        self.accept();
        trace.spend(cycles);
        trace.moves(cycles as u64 * self.memory.hierarchy.bytes_per_iteration() + self.bytes_around());
        Ok(())
    }
}
