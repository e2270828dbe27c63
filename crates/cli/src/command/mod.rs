//! The commands, one file each.

pub mod bench;
pub mod capture;
pub mod demo;
pub mod doctor;
pub mod export;
pub mod generate;
pub mod run;
pub mod scenes;
pub mod solve;
pub mod solvers;
pub mod study;
pub mod view;

use unstick_lab::compare::Comparison;

use crate::output;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything was done.
    Done,
    /// At least one solver did not converge.
    Unsolved,
    /// The user stopped it; it can be resumed.
    Interrupted,
}

/// The verdict on a comparison. Prints the solvers that did not converge to standard error.
fn judge(comparison: &Comparison) -> Verdict {
    let unsolved: Vec<_> = comparison.unsolved().map(|run| format!("{} ({})", run.solver, run.outcome())).collect();
    if unsolved.is_empty() {
        return Verdict::Done;
    }
    output::note(format_args!("not converged: {}", unsolved.join(", ")));
    Verdict::Unsolved
}
