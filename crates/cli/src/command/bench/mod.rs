//! `unstick bench`: times solvers on problems from simulations.

mod request;

use std::collections::HashSet;

use unstick_lab::compare::timing;
use unstick_lab::present::timing as present;

use super::{Verdict, judge};
use crate::args::BenchArgs;
use crate::error::CommandError;
use crate::output;
use crate::progress::TerminalProgress;
use request::BenchRequest;

/// Checks the request, then measures on one problem after the other.
pub fn run(args: &BenchArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let request = BenchRequest::check(args)?;
    if !quiet {
        request.left_out.iter().for_each(output::note);
    }
    let progress = TerminalProgress::new(!quiet);
    let (mut verdict, mut told) = (Verdict::Done, HashSet::new());
    for source in &request.sources {
        source.visit(&request.simulation_pool, &progress, &mut |captured| -> Result<(), CommandError> {
            for pool in &request.pools {
                let measured =
                    pool.install(|| timing::measure(&captured, &request.contest, request.repetitions, &progress))?;
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
