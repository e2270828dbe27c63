//! Solves that can be interrupted.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// The flag that interrupts the work of this thread.
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Does `work`. Once another thread raises `flag`, solves within it end after their current iteration with
/// [`SolveError::Interrupted`](crate::SolveError::Interrupted).
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::AtomicBool;
/// use unstick_mlcp::{CsrMatrix, Mlcp, SolveError, SolverName, interruptible};
///
/// let matrix = CsrMatrix::from_triplets(1, [(0, 0, 2.0)])?;
/// let problem = Mlcp::new(matrix, &[-3.0])?;
/// let mut solver = "best".parse::<SolverName>()?.build(&Default::default());
///
/// let flag = Arc::new(AtomicBool::new(true)); // raised before the solve begins
/// let result = interruptible(&flag, || solver.solve(&problem, &mut [0.0]));
/// assert_eq!(result.err(), Some(SolveError::Interrupted));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn interruptible<T>(flag: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    under(Some(flag.clone()), work)
}

/// The same with the flag of another thread: [`current`] there, `under` here.
pub(crate) fn under<T>(flag: Option<Arc<AtomicBool>>, work: impl FnOnce() -> T) -> T {
    let _restored = Restore(FLAG.replace(flag));
    work()
}

/// The flag that interrupts the work of this thread.
pub(crate) fn current() -> Option<Arc<AtomicBool>> {
    FLAG.with_borrow(Clone::clone)
}

/// Whether the work of this thread is [interrupted](interruptible): long loops ask between their iterations.
pub fn is_interrupted() -> bool {
    FLAG.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)))
}

/// Restores the previous flag, also when `work` panics.
struct Restore(Option<Arc<AtomicBool>>);

impl Drop for Restore {
    fn drop(&mut self) {
        FLAG.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::test_problems::{Example, generate};
    use crate::{SolveError, SolverName, Stop};

    #[test]
    fn every_method_can_be_interrupted() {
        let generated = generate(Example::SphereHalf, 2, 48, 0);
        let problem = generated.problem();
        // No residual is ever that small: without the flag these run until their limit.
        let stop = Stop::absolute(1e-300).with_max_cycles(usize::MAX - 1);
        let inner = ["cr", "gmres", "bicgstab", "multigrid"].map(|linear| format!("policy+{linear}"));
        let names = SolverName::defaults().into_iter().map(|name| name.to_string()).chain(inner);
        for name in names {
            let mut solver = name.parse::<SolverName>().unwrap().build(&stop);
            let flag = Arc::new(AtomicBool::new(true));
            let result = interruptible(&flag, || solver.solve(&problem, &mut vec![0.0; problem.size()]));
            assert_eq!(result.err(), Some(SolveError::Interrupted), "{name}");
        }
    }

    #[test]
    fn a_solve_in_the_middle_of_its_work_ends_too() {
        let generated = generate(Example::SphereHalf, 2, 32, 0);
        let problem = generated.problem();
        let stop = Stop::absolute(1e-300).with_max_cycles(usize::MAX - 1);
        let mut solver = "psor".parse::<SolverName>().unwrap().build(&stop);
        let flag = Arc::new(AtomicBool::new(false));
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(20));
                flag.store(true, Ordering::Relaxed);
            });
            interruptible(&flag, || solver.solve(&problem, &mut vec![0.0; problem.size()]))
        });
        assert_eq!(result.err(), Some(SolveError::Interrupted));
    }

    #[test]
    fn the_flag_is_gone_afterwards() {
        let flag = Arc::new(AtomicBool::new(true));
        interruptible(&flag, || {
            assert!(is_interrupted());
            under(None, || assert!(!is_interrupted()));
            assert!(is_interrupted());
        });
        assert!(!is_interrupted());
    }
}
