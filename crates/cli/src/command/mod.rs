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

/// How a command that could be carried out has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that was asked for.
    Done,
    /// At least one solver did not converge.
    Unsolved,
    /// Asked to stop before the end; what there is can be gone on from.
    Interrupted,
}

/// The verdict on a comparison; names on standard error whoever did not converge.
fn judge(comparison: &Comparison) -> Verdict {
    let unsolved: Vec<_> = comparison.unsolved().map(|run| format!("{} ({})", run.solver, run.outcome())).collect();
    if unsolved.is_empty() {
        return Verdict::Done;
    }
    output::note(format_args!("not converged: {}", unsolved.join(", ")));
    Verdict::Unsolved
}
