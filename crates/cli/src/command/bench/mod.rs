//! `unstick bench`: solvers side by side on problems of real frames.

mod plan;

use std::collections::HashSet;

use unstick_lab::compare::timing;
use unstick_lab::present::timing as present;

use super::{Verdict, judge};
use crate::args::BenchArgs;
use crate::error::CommandError;
use crate::output;
use crate::progress::TerminalProgress;
use plan::Plan;

/// Checks everything, then takes one problem after the other and measures on it.
pub fn run(args: &BenchArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let plan = Plan::check(args)?;
    if !quiet {
        plan.left_out.iter().for_each(output::note);
    }
    let progress = TerminalProgress::new(!quiet);
    let (mut verdict, mut told) = (Verdict::Done, HashSet::new());
    for source in &plan.sources {
        source.visit(&plan.simulation_pool, &progress, &mut |captured| -> Result<(), CommandError> {
            for pool in &plan.pools {
                let measured =
                    pool.install(|| timing::measure(&captured, &plan.contest, plan.repetitions, &progress))?;
                if args.json {
                    present::json_lines(&measured).iter().try_for_each(output::print)?;
                } else if !quiet {
                    output::print(present::table(&measured))?;
                    for note in present::notes(&measured) {
                        if told.insert(note.clone()) {
                            output::print(note)?; // once, however many tables it would stand under
                        }
                    }
                    output::print("")?;
                }
                if judge(&measured.comparison) == Verdict::Unsolved {
                    verdict = Verdict::Unsolved;
                }
            }
            Ok(())
        })?;
    }
    Ok(verdict)
}
