//! The frame around a solve, on the processor or on a device.

use unstick_parallel::clock::Instant;

use super::{Reached, Solvable, Trace};
use crate::error::SolveError;
use crate::pool::in_pool;
use crate::problem::Mlcp;
use crate::report::{Outcome, SolveReport};
use crate::singular::Compatible;
use crate::stop::Stop;

/// A problem and its iterate in the memory of a device, with the method that works on them.
pub trait RemoteProblem<'a> {
    /// ‖H(0)‖∞. Where it vanishes, zero is the exact answer and the only one that a relative tolerance accepts: the
    /// iterate becomes zero.
    fn residual_at_zero(&mut self) -> Result<f64, SolveError>;

    /// The problem, or at least the rows of its components without air; None if there are none.
    fn unheld(&self) -> Option<Mlcp<'a>>;

    /// The number in the problem of a row of [`unheld`](Self::unheld).
    fn row_of(&self, unheld: usize) -> usize {
        unheld
    }

    /// Runs the method, as it would run in [`run`](super::run()), on the unheld rows made solvable.
    fn iterate(&mut self, solvable: Option<Solvable<'_, 'a>>, trace: &mut Trace) -> Result<(), SolveError>;

    /// Lets `settle` change the iterate on the unheld rows.
    fn settle(&mut self, settle: &dyn Fn(&mut [f64])) -> Result<(), SolveError>;

    /// Measures the answer, on all rows of the problem as it was given.
    fn measure(&mut self) -> Result<Reached, SolveError>;
}

/// Runs the method of a problem on a device and reports on it.
pub fn run_remote<'a>(
    solver: String,
    remote: &mut dyn RemoteProblem<'a>,
    stop: &Stop,
    max_cycles: usize,
) -> Result<SolveReport, SolveError> {
    let start = Instant::now();
    let reference = remote.residual_at_zero()?;
    let target = stop.tolerance.target(reference)?;
    let mut trace = Trace::new(target, stop.max_cycles.unwrap_or(max_cycles));
    let unheld = remote.unheld();
    let compatible = trace.set_up(|| unheld.as_ref().map(|problem| Compatible::of(problem, target)));
    let mut solvable = None;
    if let Some(compatible) = &compatible {
        trace.target = compatible.target(target);
        solvable = Some(Solvable { problem: &compatible.problem, loose: &compatible.loose });
    }
    remote.iterate(solvable, &mut trace)?;
    if let (Some(compatible), Some(problem)) = (&compatible, &unheld) {
        remote.settle(&|q| compatible.settle(problem, q))?;
    }
    let reached = remote.measure()?.checked(trace.cycles())?;
    let outcome = match trace.outcome {
        _ if reached.residual <= target => Outcome::Converged,
        Some(Outcome::Converged) if compatible.as_ref().is_some_and(|part| !part.is_solvable()) => {
            Outcome::Incompatible
        }
        Some(Outcome::Converged) | None => Outcome::Stalled,
        Some(other) => other,
    };
    let mut pockets = compatible.map_or_else(Vec::new, Compatible::into_reports);
    pockets.iter_mut().for_each(|pocket| pocket.first_row = remote.row_of(pocket.first_row));
    let solve = trace.time_since(start);
    Ok(SolveReport { solver, outcome, reference, target, reached, pockets, trace, solve })
}

/// A problem in the memory of the processor.
pub(super) struct Local<'l, 'a, M> {
    pub problem: &'l Mlcp<'a>,
    /// ‖H(0)‖∞.
    pub reference: f64,
    pub q: &'l mut [f64],
    pub method: Option<M>,
}

impl<'a, M> RemoteProblem<'a> for Local<'_, 'a, M>
where
    M: FnOnce(Solvable<'_, 'a>, &mut [f64], &mut Trace) -> Result<(), SolveError> + Send,
{
    fn residual_at_zero(&mut self) -> Result<f64, SolveError> {
        if self.reference == 0.0 {
            self.q.fill(0.0);
        }
        Ok(self.reference)
    }

    fn unheld(&self) -> Option<Mlcp<'a>> {
        Some(self.problem.clone())
    }

    fn iterate(&mut self, solvable: Option<Solvable<'_, 'a>>, trace: &mut Trace) -> Result<(), SolveError> {
        let (Some(solvable), Some(method), q) = (solvable, self.method.take(), &mut *self.q) else { return Ok(()) };
        in_pool(|| method(solvable, q, trace))
    }

    fn settle(&mut self, settle: &dyn Fn(&mut [f64])) -> Result<(), SolveError> {
        settle(self.q);
        Ok(())
    }

    fn measure(&mut self) -> Result<Reached, SolveError> {
        Ok(Reached::by(self.problem, self.q))
    }
}
