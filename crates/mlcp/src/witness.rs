//! Solves that somebody looks at.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::convergence::Convergence;
use crate::problem::Mlcp;
use crate::report::SolveReport;

thread_local! {
    /// Who looks at the solves of this thread.
    static WITNESS: RefCell<Option<Arc<dyn Witness>>> = const { RefCell::new(None) };
}

/// Somebody who sees every solve and may measure its answer again. Audits are made of it.
pub trait Witness: Send + Sync {
    /// A problem was solved: its answer, and what the solver says of it.
    fn saw(&self, problem: &Mlcp, q: &[f64], report: &SolveReport);

    /// A system that is no [`Mlcp`] was solved. `left` is its residual in the measure of the tolerance, computed from the
    /// equations and the answer.
    fn saw_system(&self, kind: &'static str, ended: &Convergence, left: f64);

    /// A cycle of a solve is over. A break ends the solve with what it has reached, as
    /// [`Outcome::Stopped`](crate::Outcome::Stopped).
    fn saw_cycle(&self, cycle: &Cycle) -> ControlFlow<()> {
        let _ = cycle;
        ControlFlow::Continue(())
    }
}

/// Where a solve is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cycle {
    /// Cycles so far; none at the start.
    pub number: usize,
    /// The measure that the solve stops on: ‖H‖∞, except for splittings.
    pub residual: f64,
    /// What it has to reach.
    pub target: f64,
    /// Iterations of the linear solver so far.
    pub inner_iterations: usize,
}

/// Does `work`. The witness sees every solve of this thread within it.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use unstick_mlcp::{Convergence, CsrMatrix, Mlcp, SolveReport, SolverName, Witness, witnessed};
///
/// #[derive(Default)]
/// struct Answers(Mutex<Vec<f64>>);
///
/// impl Witness for Answers {
///     fn saw(&self, _problem: &Mlcp, q: &[f64], _report: &SolveReport) {
///         self.0.lock().unwrap().push(q[0]);
///     }
///     fn saw_system(&self, _kind: &'static str, _ended: &Convergence, _left: f64) {}
/// }
///
/// let problem = Mlcp::new(CsrMatrix::from_triplets(1, [(0, 0, 2.0)])?, &[-3.0])?;
/// let mut solver = "policy".parse::<SolverName>()?.build(&Default::default());
/// let answers = Arc::new(Answers::default());
/// witnessed(answers.clone(), || solver.solve(&problem, &mut [0.0]))?;
/// assert!((answers.0.lock().unwrap()[0] - 1.5).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn witnessed<T>(witness: Arc<dyn Witness>, work: impl FnOnce() -> T) -> T {
    under(Some(witness), work)
}

/// The same with the witness of another thread: [`current`] there, `under` here.
pub(crate) fn under<T>(witness: Option<Arc<dyn Witness>>, work: impl FnOnce() -> T) -> T {
    let _restored = Restore(WITNESS.replace(witness));
    work()
}

/// Who looks at the solves of this thread.
pub(crate) fn current() -> Option<Arc<dyn Witness>> {
    WITNESS.with_borrow(Clone::clone)
}

/// Shows a solve to the witness, if there is one.
pub(crate) fn show(problem: &Mlcp, q: &[f64], report: &SolveReport) {
    if let Some(witness) = current() {
        witness.saw(problem, q, report);
    }
}

/// Shows a cycle to the witness, if there is one.
pub(crate) fn show_cycle(cycle: impl FnOnce() -> Cycle) -> ControlFlow<()> {
    current().map_or(ControlFlow::Continue(()), |witness| witness.saw_cycle(&cycle()))
}

/// Shows a solve of a system that is no [`Mlcp`] to the witness. What is left is measured only if there is one.
pub fn show_system(kind: &'static str, ended: &Convergence, left: impl FnOnce() -> f64) {
    if let Some(witness) = current() {
        witness.saw_system(kind, ended, left());
    }
}

/// Restores the previous witness, also when `work` panics.
struct Restore(Option<Arc<dyn Witness>>);

impl Drop for Restore {
    fn drop(&mut self) {
        WITNESS.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::test_problems::{Example, generate};
    use crate::{CsrMatrix, Outcome, SolverName, Stop};

    #[derive(Default)]
    struct Counts(Mutex<(usize, Vec<(&'static str, f64)>)>);

    impl Witness for Counts {
        fn saw(&self, _: &Mlcp, _: &[f64], report: &SolveReport) {
            assert!(report.converged());
            self.0.lock().unwrap().0 += 1;
        }

        fn saw_system(&self, kind: &'static str, _: &Convergence, left: f64) {
            self.0.lock().unwrap().1.push((kind, left));
        }
    }

    #[test]
    fn every_method_is_seen_once_and_nobody_is_asked_to_measure_for_nobody() {
        let matrix = CsrMatrix::from_triplets(2, [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)]).unwrap();
        // Numbers that cannot be squared are solved for in other units.
        for scale in [1.0, 1e200] {
            let b = [scale, -scale];
            let problem = Mlcp::new(&matrix, &b).unwrap().with_walls(&[true, false]).unwrap();
            for name in SolverName::defaults() {
                let counts = Arc::new(Counts::default());
                let solve = || name.build(&Default::default()).solve(&problem, &mut [0.0; 2]);
                let solved = witnessed(counts.clone(), solve);
                let seen = counts.0.lock().unwrap().0;
                assert_eq!(seen, usize::from(solved.is_ok()), "{name}");
                let _ = solve(); // of which nobody hears
                assert_eq!(counts.0.lock().unwrap().0, seen, "{name}");
            }
        }
        show_system("none", &Convergence::default(), || unreachable!("nobody looks"));
        let counts = Arc::new(Counts::default());
        witnessed(counts.clone(), || show_system("some", &Convergence::default(), || 0.5));
        assert_eq!(counts.0.lock().unwrap().1, [("some", 0.5)]);
    }
    /// Ends every solve at its third record.
    struct Impatient(Mutex<Vec<Cycle>>);

    impl Witness for Impatient {
        fn saw(&self, _: &Mlcp, _: &[f64], _: &SolveReport) {}
        fn saw_system(&self, _: &'static str, _: &Convergence, _: f64) {}
        fn saw_cycle(&self, cycle: &Cycle) -> ControlFlow<()> {
            self.0.lock().unwrap().push(*cycle);
            if cycle.number >= 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }

    #[test]
    fn every_method_ends_with_what_it_has_when_the_witness_has_seen_enough() {
        let generated = generate(Example::SphereHalf, 2, 48, 0);
        let problem = generated.problem();
        // No residual is ever that small.
        let stop = Stop::absolute(1e-300).with_max_cycles(Some(1000));
        let inner = ["cg", "gmres", "multigrid"].map(|linear| format!("sticking+{linear}"));
        for name in SolverName::defaults().into_iter().map(|name| name.to_string()).chain(inner) {
            let witness = Arc::new(Impatient(Mutex::default()));
            let mut solver = name.parse::<SolverName>().unwrap().build(&stop);
            let mut q = vec![0.0; problem.size()];
            let report = witnessed(witness.clone(), || solver.solve(&problem, &mut q)).unwrap();
            assert_eq!(report.outcome(), Outcome::Stopped, "{name}");
            let seen = witness.0.lock().unwrap();
            assert!(seen.iter().take(3).map(|cycle| cycle.number).eq(0..3), "{name}: {seen:?}");
            assert_eq!(seen[0].residual, report.history()[0], "{name}");
            assert!(report.cycles() <= 3 && report.residual().is_finite(), "{name}: {} cycles", report.cycles());
        }
    }
}
