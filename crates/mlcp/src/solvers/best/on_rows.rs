//! The scheme without a grid: corrections by algebraic multigrid, on the rows of any matrix.

use super::{BestParams, BestSteps, MOST_CYCLES};
use crate::aggregation::{Aggregation, Bounded, Goal, Krylov, Posed};
use crate::csr::CsrMatrix;
use crate::error::SolveError;
use crate::linear::fit;
use crate::problem::Mlcp;
use crate::run::{Solvable, Trace};

/// A policy that makes the residual larger by this factor was misled by the sweeps before it.
#[doc(hidden)]
pub const MISLED: f64 = 100.0;

/// Without sweeps, policies are solved at least to this part of their right-hand side.
#[doc(hidden)]
pub const FORCING_WITHOUT_SWEEPS: f64 = 1e-2;

/// All that the scheme keeps between solves: its memory, and the levels of the last matrix.
#[derive(Default)]
pub(super) struct Memory {
    hierarchy: Aggregation,
    krylov: Krylov,
    /// The problem that a correction of the iterate has to solve, and that of each coarse level.
    problem: Bounded,
    coarse: Vec<Bounded>,
    /// A q + b.
    r: Vec<f64>,
}

/// The scheme at work.
pub(super) struct OnRows<'t> {
    problem: &'t Mlcp<'t>,
    matrix: &'t CsrMatrix<'t>,
    loose: &'t [Vec<u32>],
    memory: &'t mut Memory,
    walls: usize,
    /// Rows that the last policy has changed.
    changes: usize,
    /// The residual before the last policy.
    before: f64,
    /// Whether policies follow projected sweeps. Where couplings differ by many orders of magnitude, sweeps and policies
    /// may undo each other in turns.
    is_swept: bool,
    /// Whether corrections are solved with the matrix as it was given. Where large couplings of both signs cancel, single
    /// precision leaves too little of what is left.
    is_exact: bool,
    q: &'t mut [f64],
}

impl<'t> OnRows<'t> {
    pub fn new(
        memory: &'t mut Memory,
        (matrix, fingerprint): (&'t CsrMatrix<'t>, u64),
        solvable: &Solvable<'t, 't>,
        q: &'t mut [f64],
        trace: &mut Trace,
    ) -> Self {
        let (problem, size) = (solvable.problem, q.len());
        trace.set_up(|| memory.hierarchy.prepare(matrix, fingerprint));
        fit(&mut memory.r, size);
        let mut own = Self {
            problem,
            matrix,
            loose: solvable.loose,
            memory,
            walls: problem.wall_rows(),
            changes: usize::MAX,
            before: f64::INFINITY,
            is_swept: true,
            is_exact: false,
            q,
        };
        own.lift();
        own
    }

    /// The same with products of the given matrix in double precision.
    pub fn exactly(&mut self) -> &mut Self {
        (self.changes, self.before, self.is_swept, self.is_exact) = (usize::MAX, f64::INFINITY, true, true);
        self.memory.hierarchy.release();
        self
    }

    /// Lifts every wall row to its bound.
    fn lift(&mut self) {
        unstick_parallel::for_each((&mut *self.q, self.problem.lower()), |(q, lower)| {
            q.iter_mut().zip(lower).for_each(|(q, lower)| *q = q.max(*lower));
        });
    }

    /// Poses the problem of a correction.
    fn pose(&mut self, norm: f64) {
        let Memory { hierarchy, problem, r, .. } = &mut *self.memory;
        hierarchy.pose(&Posed { r, q: self.q, lower: self.problem.lower(), norm }, problem);
    }
}

impl BestSteps for OnRows<'_> {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        self.problem.residual(self.q, &mut self.memory.r);
        Ok(self.problem.natural_residual(self.q, &self.memory.r))
    }

    fn start(&mut self, trace: &mut Trace) -> Result<(), SolveError> {
        self.pose(trace.residual());
        let Memory { hierarchy, problem, coarse, .. } = &mut *self.memory;
        hierarchy.nested_start(problem, coarse);
        hierarchy.accept(problem, hierarchy.scale(trace.residual()), self.problem.lower(), self.q);
        self.lift();
        Ok(())
    }

    fn choose(&mut self, trace: &mut Trace) -> Result<(), SolveError> {
        self.pose(trace.residual());
        self.is_swept &= trace.residual() < MISLED * self.before;
        self.before = trace.residual();
        let Memory { hierarchy, problem, .. } = &mut *self.memory;
        if self.is_swept {
            hierarchy.relax(0, problem);
        }
        self.changes = hierarchy.choose(0, problem, self.loose);
        Ok(())
    }

    fn correct(&mut self, params: &BestParams, trace: &mut Trace) -> Result<(), SolveError> {
        let Memory { hierarchy, krylov, problem, r, .. } = &mut *self.memory;
        let most = if self.is_swept { 1.0 } else { FORCING_WITHOUT_SWEEPS };
        let forcing = params.forcing_after(self.changes, self.walls).min(most);
        let target = |norm: f64| (forcing * norm).max(0.5 * trace.target());
        let given = self.is_exact.then_some(self.matrix);
        let goal = Goal { norm: trace.residual(), target, most: MOST_CYCLES, given };
        let cycles = krylov.solve(hierarchy, problem, r, goal);
        krylov.accept(hierarchy, self.problem.lower(), self.q);
        trace.spend(cycles);
        Ok(())
    }
}
