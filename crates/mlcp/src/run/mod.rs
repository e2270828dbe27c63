//! The frame around every solver: checks, singular parts, the stopping rule, the report.
//!
//! A method of your own fits in like this:
//!
//! ```
//! use unstick_mlcp::{Mlcp, MlcpSolver, SolveError, SolveReport, Stop, run};
//!
//! /// Projected Jacobi: slow, and short enough to show the frame.
//! struct ProjectedJacobi;
//!
//! impl MlcpSolver for ProjectedJacobi {
//!     fn name(&self) -> String {
//!         "projected-jacobi".into()
//!     }
//!
//!     fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
//!         run::run(self.name(), problem, q, &Stop::default(), 10_000, |solvable, q, trace| {
//!             let mut r = vec![0.0; q.len()];
//!             solvable.problem.residual(q, &mut r);
//!             while trace.goes_on(solvable.problem.natural_residual(q, &r))? {
//!                 for row in 0..q.len() {
//!                     let step = -0.6 * r[row] / solvable.problem.operator().diagonal()[row];
//!                     q[row] = (q[row] + step).max(solvable.problem.lower()[row]);
//!                 }
//!                 trace.spend(1);
//!                 solvable.problem.residual(q, &mut r);
//!             }
//!             Ok(())
//!         })
//!     }
//! }
//!
//! let problem = unstick_problems::Example::SphereHalf.generate(2, 16, 0)?;
//! let mut q = vec![0.0; problem.size()];
//! assert!(ProjectedJacobi.solve(problem.mlcp(), &mut q)?.converged());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod measure;
pub(crate) mod remote;

pub use measure::Reached;
use remote::{Local, run_remote};

use std::ops::ControlFlow;
use std::time::Duration;

use unstick_parallel::clock::Instant;

use crate::error::SolveError;
use crate::interrupt;
use crate::pool::in_pool;
use crate::problem::Mlcp;
use crate::ranks::agree;
use crate::report::{Outcome, SolveReport};
use crate::scale::Scale;
use crate::stop::Stop;
use crate::witness;

/// A solve whose residual grows by this factor has diverged. Active-set methods pass through residuals
/// that grow with the grid, and by far more with an unsteady linear solver.
const HOPELESS: f64 = 1e20;

/// The records of a running solve.
#[derive(Clone, Debug)]
pub struct Trace {
    target: f64,
    max_cycles: usize,
    pub(crate) history: Vec<f64>,
    pub(crate) work: Vec<usize>,
    inner: usize,
    pub(crate) setup: Duration,
    outcome: Option<Outcome>,
    pub(crate) remark: Option<&'static str>,
    pub(crate) bytes_moved: Option<u64>,
}

impl Trace {
    fn new(target: f64, max_cycles: usize) -> Self {
        let room = max_cycles.min(1 << 14) + 1;
        Self {
            target,
            max_cycles,
            history: Vec::with_capacity(room),
            work: Vec::with_capacity(room),
            inner: 0,
            setup: Duration::ZERO,
            outcome: None,
            remark: None,
            bytes_moved: None,
        }
    }

    /// Records the natural residual of the iterate; true as long as another cycle is due.
    pub fn goes_on(&mut self, residual: f64) -> Result<bool, SolveError> {
        if interrupt::is_interrupted() {
            return Err(SolveError::Interrupted);
        }
        if !residual.is_finite() {
            return Err(SolveError::NotFinite { cycle: self.history.len(), residual });
        }
        self.history.push(residual);
        self.work.push(self.inner);
        let is_seen_enough = self.show().is_break();
        if residual <= self.target {
            self.outcome = Some(Outcome::Converged);
        } else if residual > HOPELESS * self.history[0] {
            self.stall("the residual grows without bound: the matrix is not positive definite");
        } else if is_seen_enough {
            self.outcome = Some(Outcome::Stopped);
        } else if self.cycles() >= self.max_cycles {
            self.outcome.get_or_insert(Outcome::IterationLimit);
        }
        Ok(self.outcome.is_none())
    }

    /// Records the measure before the first cycle. That cycle is always due.
    pub fn start(&mut self, residual: f64) -> Result<(), SolveError> {
        self.goes_on(residual)?;
        self.outcome = None;
        Ok(())
    }

    /// Shows the last record to the witness of the solve.
    fn show(&self) -> ControlFlow<()> {
        witness::show_cycle(|| witness::Cycle {
            number: self.cycles(),
            residual: self.residual(),
            target: self.target,
            inner_iterations: self.inner,
        })
    }

    /// Records an inner iteration as a cycle, for methods that consist of one linear solve. The residual is that
    /// of a recurrence; [`Trace::correct`] replaces it by the true one. A break asks to end the linear solve.
    pub fn watch(&mut self, residual: f64) -> ControlFlow<()> {
        self.inner += 1;
        self.history.push(residual);
        self.work.push(self.inner);
        self.show()
    }

    /// Replaces the last record by the true residual; true as long as another cycle is due.
    pub fn correct(&mut self, residual: f64) -> Result<bool, SolveError> {
        if self.history.len() > 1 {
            self.history.pop();
            self.work.pop();
        }
        self.goes_on(residual)
    }

    /// Cycles that may still follow.
    pub fn cycles_left(&self) -> usize {
        self.max_cycles - self.cycles()
    }

    /// Ends the solve at the next record, because the method makes no more progress.
    pub fn stall(&mut self, remark: &'static str) {
        self.outcome = Some(Outcome::Stalled);
        self.remark = Some(remark);
    }

    /// Ends the solve at the next record, as a solve within it has ended.
    pub fn end(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }

    /// Leaves a remark without ending the solve.
    pub fn remark(&mut self, remark: &'static str) {
        self.remark = Some(remark);
    }

    /// Adds iterations of the sub-solver.
    pub fn spend(&mut self, iterations: usize) {
        self.inner += iterations;
    }

    /// Adds bytes that the solve must move through memory, for methods that have a model of it. Bytes of
    /// [`Trace::set_up`] do not count: the sum is compared with the solve time.
    pub fn moves(&mut self, bytes: u64) {
        self.bytes_moved = Some(self.bytes_moved.unwrap_or(0) + bytes);
    }

    /// Runs a part of the preparation and counts its time as set-up.
    pub fn set_up<T>(&mut self, prepare: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let prepared = prepare();
        self.setup += start.elapsed();
        prepared
    }

    /// Cycles so far.
    pub fn cycles(&self) -> usize {
        self.history.len().saturating_sub(1)
    }

    /// The residual to reach.
    pub fn target(&self) -> f64 {
        self.target
    }

    /// Time since the start of the solve, without that of the set-up.
    fn time_since(&self, start: Instant) -> Duration {
        start.elapsed().saturating_sub(self.setup)
    }

    /// The residual recorded last.
    pub fn residual(&self) -> f64 {
        self.history.last().copied().unwrap_or(f64::INFINITY)
    }
}

/// The problem that a method gets: the caller's, made solvable.
pub struct Solvable<'t, 'a> {
    /// The problem, with a right-hand side that is compatible on closed pockets.
    pub problem: &'t Mlcp<'a>,
    /// Components that must keep an active row: without one they are singular.
    pub loose: &'t [Vec<u32>],
}

/// Runs `method` on `problem` from `q` and reports on it.
///
/// The method calls [`Trace::goes_on`] with the natural residual before every cycle. It runs inside the
/// thread pool, so that its many short parallel loops start without delay.
pub fn run<'a, M>(
    solver: String,
    problem: &Mlcp<'a>,
    q: &mut [f64],
    stop: &Stop,
    max_cycles: usize,
    method: M,
) -> Result<SolveReport, SolveError>
where
    M: FnOnce(Solvable<'_, 'a>, &mut [f64], &mut Trace) -> Result<(), SolveError> + Send,
{
    if problem.ranks().count() > 1 {
        return Err(SolveError::OneRank(solver));
    }
    run_on_ranks(solver, problem, q, stop, max_cycles, method)
}

/// The same for a method that may share its rows with other ranks.
pub(crate) fn run_on_ranks<'a, M>(
    solver: String,
    problem: &Mlcp<'a>,
    q: &mut [f64],
    stop: &Stop,
    max_cycles: usize,
    method: M,
) -> Result<SolveReport, SolveError>
where
    M: FnOnce(Solvable<'_, 'a>, &mut [f64], &mut Trace) -> Result<(), SolveError> + Send,
{
    agree(problem.ranks(), problem.check_iterate(q))?;
    let reference = problem.residual_at_zero();
    let report = match Scale::of(problem, reference) {
        None => run_remote(solver, &mut Local { problem, reference, q, method: Some(method) }, stop, max_cycles)?,
        // In units in which numbers can be squared.
        Some(scale) => {
            let (target, ordinary, stop) =
                (stop.tolerance.target(reference)?, scale.problem(problem), scale.stop(stop));
            let (mut start, reference_there) = (scale.start(q), ordinary.residual_at_zero());
            let mut local =
                Local { problem: &ordinary, reference: reference_there, q: &mut start, method: Some(method) };
            let report = run_remote(solver, &mut local, &stop, max_cycles)?;
            scale.finish(&start, q);
            let reached = Reached::by(problem, q).checked(report.cycles())?;
            report.in_units_of(scale, reference, target, reached)
        }
    };
    witness::show(problem, q, &report);
    Ok(report)
}

/// Runs a `method` that stops on its own measure and reports on it.
///
/// The history and the target are of that measure, and the outcome says whether it was met. The residual
/// is still the natural residual of `problem`, which such a method approximates.
pub fn run_until<M>(
    solver: String,
    problem: &Mlcp,
    q: &mut [f64],
    target: f64,
    max_cycles: usize,
    method: M,
) -> Result<SolveReport, SolveError>
where
    M: FnOnce(&mut [f64], &mut Trace) -> Result<(), SolveError> + Send,
{
    let start = Instant::now();
    problem.check_iterate(q)?;
    let mut trace = Trace::new(target, max_cycles);
    in_pool(|| method(q, &mut trace))?;
    let (outcome, reference) = (trace.outcome.unwrap_or(Outcome::Stalled), problem.residual_at_zero());
    let reached = Reached::by(problem, q).checked(trace.cycles())?;
    let (pockets, solve) = (Vec::new(), trace.time_since(start));
    Ok(SolveReport { solver, outcome, reference, target, reached, pockets, trace, solve })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csr::CsrMatrix;

    #[test]
    fn bytes_add_up_and_are_none_where_nobody_counts() {
        let moved = |portions: &[u64]| {
            let matrix = CsrMatrix::from_triplets(1, [(0, 0, 2.0)]).unwrap();
            let problem = Mlcp::new(matrix, vec![-3.0]).unwrap();
            let report = run("by-hand".into(), &problem, &mut [1.5], &Stop::default(), 1, |_, _, trace| {
                portions.iter().for_each(|&bytes| trace.moves(bytes));
                trace.goes_on(0.0).map(drop)
            });
            report.unwrap().bytes_moved()
        };
        assert_eq!((moved(&[]), moved(&[0]), moved(&[16, 8])), (None, Some(0), Some(24)));
    }
}
