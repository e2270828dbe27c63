//! `unstick bench`: solvers side by side on problems of real frames.

mod measure;
mod plan;
mod present;

use std::collections::HashSet;

use super::{Verdict, judge};
use crate::args::BenchArgs;
use crate::error::CommandError;
use crate::output;
use plan::Plan;

/// Checks everything, then takes one problem after the other and measures on it.
pub fn run(args: &BenchArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let plan = Plan::check(args)?;
    if !quiet {
        plan.left_out.iter().for_each(output::note);
    }
    let (mut verdict, mut told) = (Verdict::Done, HashSet::new());
    for source in &plan.sources {
        source.visit(&plan.simulation_pool, !quiet, &mut |captured| {
            for pool in &plan.pools {
                let measured = pool.install(|| measure::measure(&captured, &plan.contest, plan.repetitions, !quiet))?;
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
