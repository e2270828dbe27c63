//! Times solvers that take turns on one problem.

use std::time::Duration;

use unstick::gpu::Times;
use unstick::mlcp::{SolveReport, Start};
use unstick_parallel::bandwidth::{self, median};

use super::{Comparison, Contest, PreparedSolver, SolverRun};
use crate::source::CapturedProblem;
use crate::{LabError, Progress};

/// Time for each repetition, on average. A slower solver is repeated less often.
const PATIENCE: Duration = Duration::from_secs(20);

/// Times of solvers on one problem with one number of threads.
pub struct Benchmark {
    /// The scene, example or folder.
    pub scene: String,
    /// Cells along the longest axis, if known.
    pub size: Option<usize>,
    /// The frame before the step, if there is one.
    pub frame: Option<usize>,
    /// The report of each solver's first solve.
    pub comparison: Comparison,
    /// Times of each solver, in the same order.
    pub timings: Vec<SolverTiming>,
    /// Requested number of solves.
    pub repetitions: usize,
    /// How fast this machine copies.
    pub copy: CopyBandwidth,
}

/// Bytes that a copy reads and writes per second.
#[derive(Clone, Copy, Debug)]
pub struct CopyBandwidth {
    /// Before the solves.
    pub before: f64,
    /// After them.
    pub after: f64,
}

impl CopyBandwidth {
    /// What a copy does when nothing disturbs it: the larger of the two.
    pub fn best(self) -> f64 {
        self.before.max(self.after)
    }
}

/// The solves of one solver.
#[derive(Clone, Debug, Default)]
pub struct SolverTiming {
    /// One entry per solve, in seconds.
    pub solves: Vec<SolveTime>,
    /// Whether a later solve had other residuals than the first: then it depends on more than its input.
    pub varies: bool,
}

/// One solve.
#[derive(Clone, Copy, Debug)]
pub struct SolveTime {
    /// Number of solves by any solver before this one.
    pub turn: usize,
    /// Seconds of set-up.
    pub setup: f64,
    /// Seconds of everything else.
    pub solve: f64,
    /// Seconds to transfer the problem to a device and the answer back.
    pub transfer: f64,
}

/// Lets the solvers take turns, on the threads of the current pool.
///
/// On the processor each solve uses a new solver, so no solve profits from an earlier one.
pub fn measure(
    captured: &CapturedProblem,
    contest: &Contest,
    repetitions: usize,
    progress: &dyn Progress,
) -> Result<Benchmark, LabError> {
    let problem = captured.problem.mlcp();
    let mut start = match (contest.start, captured.problem.start()) {
        (Start::Given, Some(start)) => start.to_vec(),
        _ => vec![0.0; problem.size()],
    };
    contest.start.prepare(problem, &mut start).map_err(LabError::Prepare)?;

    progress.activity("timing a copy");
    let before = bandwidth::copy();
    let entrants: Vec<_> = contest.solvers.iter().map(|solver| solver.on(problem)).collect();
    let count = entrants.len();
    let prepared = entrants.iter().map(|&entrant| PreparedSolver::new(entrant, &contest.stop, problem, &start));
    let mut workers: Vec<_> = prepared.collect();
    let mut runs: Vec<Option<SolverRun>> = (0..count).map(|_| None).collect();
    let mut timings = vec![SolverTiming::default(); count];
    let mut x = start.clone();
    let mut turn = 0;
    take_turns(count, repetitions, |index| {
        let (solver, timing) = (entrants[index], &mut timings[index]);
        progress.activity(&format!("{solver}, repetition {} of {repetitions}", timing.solves.len() + 1));
        x.copy_from_slice(&start);
        let worker = workers[index].as_mut().map_err(|error| error.clone());
        let result = worker.and_then(|worker| {
            let report = worker.solve(&contest.stop, problem, captured.velocities.as_deref(), &mut x)?;
            timing.solves.push(SolveTime::of(turn, &report, worker.times()));
            Ok(report)
        });
        let spent = result.as_ref().ok().map(|report| report.setup_time() + report.solve_time());
        match &runs[index] {
            None => runs[index] = Some(SolverRun { solver, result }),
            Some(first) => timing.varies |= !is_same_path(first, result.as_ref().ok()),
        }
        turn += 1;
        spent
    });
    progress.activity("timing a copy");
    let copy = CopyBandwidth { before, after: bandwidth::copy() };
    progress.end();
    let runs = runs.into_iter().flatten().collect();
    Ok(Benchmark {
        scene: captured.scene.clone(),
        size: captured.size,
        frame: captured.frame,
        comparison: Comparison::of(contest, &captured.title(), &captured.problem, runs),
        timings,
        repetitions,
        copy,
    })
}

/// Whether two solves have the same residuals, bit by bit.
fn is_same_path(first: &SolverRun, again: Option<&SolveReport>) -> bool {
    matches!((&first.result, again), (Ok(first), Some(again)) if first.history() == again.history())
}

/// The outer loop repeats, the inner loop goes over the solvers. Each round starts with another solver, so that
/// none always follows the same one. `solve` returns its time, or none if it failed; then it is not called again.
fn take_turns(count: usize, repetitions: usize, mut solve: impl FnMut(usize) -> Option<Duration>) {
    let budget = PATIENCE * u32::try_from(repetitions).unwrap_or(u32::MAX);
    let mut spent = vec![Some(Duration::ZERO); count];
    for round in 0..repetitions {
        for place in 0..count {
            let index = (round + place) % count;
            let Some(so_far) = spent[index] else { continue };
            let each = so_far / u32::try_from(round.max(1)).unwrap_or(u32::MAX);
            spent[index] = match so_far + each <= budget {
                true => solve(index).map(|time| so_far + time),
                false => None,
            };
        }
    }
}

impl SolverTiming {
    /// Median seconds of set-up; none if no solve finished.
    pub fn setup(&self) -> Option<f64> {
        self.median_of(|sample| sample.setup)
    }

    /// Median seconds of everything else.
    pub fn solve(&self) -> Option<f64> {
        self.median_of(|sample| sample.solve)
    }

    /// Median seconds of transfer.
    pub fn transfer(&self) -> Option<f64> {
        self.median_of(|sample| sample.transfer)
    }

    /// Median seconds of everything.
    pub fn total(&self) -> Option<f64> {
        self.median_of(SolveTime::total)
    }

    fn median_of(&self, seconds: impl Fn(&SolveTime) -> f64) -> Option<f64> {
        let times: Vec<f64> = self.solves.iter().map(seconds).collect();
        (!times.is_empty()).then(|| median(&times))
    }
}

impl SolveTime {
    fn of(turn: usize, report: &SolveReport, on_device: Option<Times>) -> Self {
        let [setup, solve] = [report.setup_time(), report.solve_time()].map(|time| time.as_secs_f64());
        match on_device.map(|times| [times.setup.as_secs_f64(), times.solve.as_secs_f64()]) {
            None => Self { turn, setup, solve, transfer: 0.0 },
            Some(on_device) => {
                let transfer = (setup + solve - on_device[0] - on_device[1]).max(0.0);
                Self { turn, setup: on_device[0], solve: on_device[1], transfer }
            }
        }
    }

    /// Seconds of everything.
    pub fn total(&self) -> f64 {
        self.setup + self.solve + self.transfer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who was asked, in order, if solvers take so many seconds; none for one that fails.
    fn turns(seconds: &[Option<u64>], repetitions: usize) -> Vec<usize> {
        let mut asked = Vec::new();
        take_turns(seconds.len(), repetitions, |index| {
            asked.push(index);
            seconds[index].map(Duration::from_secs)
        });
        asked
    }

    #[test]
    fn every_round_begins_with_another_solver() {
        assert_eq!(turns(&[Some(1); 3], 4), [0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 1, 2]);
        assert_eq!(turns(&[Some(1)], 3), [0, 0, 0]);
    }

    #[test]
    fn slow_solvers_are_repeated_less_and_failed_ones_not_at_all() {
        let count = |seconds, repetitions| turns(&[Some(seconds)], repetitions).len();
        assert_eq!([count(20, 5), count(21, 5), count(50, 5), count(51, 5), count(9000, 5)], [5, 4, 2, 1, 1]);
        assert_eq!(count(9000, 1), 1);
        assert_eq!(turns(&[Some(9000), None, Some(1)], 3), [0, 1, 2, 2, 2]);
    }

    #[test]
    fn times_are_medians_each_on_its_own() {
        let sample = |setup, solve| SolveTime { turn: 0, setup, solve, transfer: 0.0 };
        let timing = SolverTiming { solves: vec![sample(1.0, 9.0), sample(2.0, 3.0), sample(9.0, 2.0)], varies: false };
        assert_eq!((timing.setup(), timing.solve(), timing.total()), (Some(2.0), Some(3.0), Some(10.0)));
        assert_eq!(SolverTiming::default().total(), None);
    }
}
