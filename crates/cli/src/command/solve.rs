//! `unstick solve`: one or several solvers on a problem folder.

use std::path::Path;

use unstick::mlcp::{Start, Stop, Tolerance};
use unstick::problems::{Problem, write_array};
use unstick_lab::Destination;
use unstick_lab::compare::{self, AnswerQuality, Comparison, Contest, Entrant};
use unstick_lab::present::page::Page;
use unstick_lab::present::{json, notes, plot, table};

use super::{Verdict, judge};
use crate::args::SolveArgs;
use crate::error::CommandError;
use crate::output;
use crate::progress::TerminalProgress;

/// Files of a problem folder that an answer must not replace.
const INPUTS: [&str; 3] = ["b.npy", "wall.npy", "lower.npy"];

/// Files to write in addition to the table.
struct Files {
    x: Option<Destination>,
    plot: Option<Destination>,
    page: Option<Destination>,
}

/// Checks the arguments, solves, and writes the files.
pub fn run(args: &SolveArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let (contest, left_out) = contest(args)?;
    let files = Files::check(args)?;
    let problem = Problem::read(&args.folder).map_err(|error| CommandError::reading(error, &args.folder))?;
    let mut start = match (contest.start, problem.start()) {
        (Start::Given, Some(start)) => start.to_vec(),
        (Start::Given, None) => {
            let message = format!("{} holds no x.npy to start from", args.folder.display());
            return Err(
                CommandError::new(message).with_help("leave out `--start given`, or write x.npy with `--write-x`")
            );
        }
        _ => vec![0.0; problem.size()],
    };
    let prepared = contest.start.prepare(problem.mlcp(), &mut start);
    prepared.map_err(|error| CommandError::new(format_args!("the starting iterate: {error}")))?;

    if !quiet {
        let misfit = problem.grid().and_then(|grid| grid.misfit(problem.matrix()));
        misfit.iter().for_each(|misfit| output::note(format!("grid.json is not used: {misfit}")));
        left_out.iter().for_each(output::note);
    }
    let name = args.folder.display().to_string();
    let comparison = contest.run(&name, &problem, &start, &TerminalProgress::new(!args.json && !quiet));
    if args.json {
        json::lines(&comparison).iter().try_for_each(output::print)?;
    } else if !quiet {
        output::print(table::text(&comparison))?;
        notes::lines(&comparison).iter().try_for_each(output::print)?;
    }
    files.write(&comparison, |line| match (quiet, args.json) {
        (true, _) => Ok(()),
        (false, false) => output::print(line),
        (false, true) => {
            output::note(line); // standard output belongs to the objects
            Ok(())
        }
    })?;
    Ok(judge(&comparison))
}

/// The checked request, and notes on solvers that are left out.
fn contest(args: &SolveArgs) -> Result<(Contest, Vec<String>), CommandError> {
    let tolerance = match args.tol {
        value if !(value > 0.0 && value.is_finite()) => return Err(CommandError::tolerance(value)),
        value if args.absolute => Tolerance::Absolute(value),
        value => Tolerance::Relative(value),
    };
    let start: Start = args.start.parse().map_err(CommandError::new)?;
    let (solvers, left_out) = Entrant::all(&compare::solvers(&args.solver)?, &args.backend)?;
    Ok((Contest { solvers, stop: Stop::from(tolerance).with_max_cycles(args.max_iterations), start }, left_out))
}

impl Files {
    fn check(args: &SolveArgs) -> Result<Self, CommandError> {
        let check = |path: &Option<_>, extension| path.as_deref().map(|path| Destination::check(path, extension));
        let files = Self {
            x: check(&args.write_x, "npy").transpose()?,
            plot: check(&args.plot, "svg").transpose()?,
            page: check(&args.page, "html").transpose()?,
        };
        if let Some(x) = &files.x
            && INPUTS.iter().any(|input| is_same_file(x.path(), &args.folder.join(input)))
        {
            return Err(CommandError::unwritable(x.path(), "it is part of the problem"));
        }
        Ok(files)
    }

    fn write(
        &self,
        comparison: &Comparison,
        tell: impl Fn(String) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        if let Some(x) = &self.x {
            tell(write_answer(comparison, x)?)?;
        }
        if let Some(file) = &self.plot {
            let path = file.path().display();
            match plot::residuals(comparison).svg() {
                Some(svg) => {
                    file.write(&svg)?;
                    tell(format!("wrote {path}"))?;
                }
                None => tell(format!("{path} not written: no solver has residuals to draw"))?,
            }
        }
        if let Some(file) = &self.page {
            let page = Page { title: &format!("Solvers on {}", comparison.problem), lead: LEAD, next: &[] };
            file.write(&page.html(comparison))?;
            tell(format!("wrote {}", file.path().display()))?;
        }
        Ok(())
    }
}

/// The first paragraph of a page.
const LEAD: &[&str] =
    &["Every solver worked on the same problem from the same starting iterate and aimed at the same \
     residual. On a wall row either the liquid presses on the wall, or it has let go and the wall does \
     not pull: such rows are counted as active. On all other rows the flow is in balance."];

/// Writes the best answer. Returns a line on whose it is, or why there is none.
///
/// The answer of a single solver is always written; of several solvers, one must have converged.
fn write_answer(comparison: &Comparison, file: &Destination) -> Result<String, CommandError> {
    let path = file.path().display();
    let is_alone = comparison.runs.len() == 1;
    let kept = comparison.answer.as_ref().filter(|answer| is_alone || answer.quality > AnswerQuality::Unfinished);
    let Some(answer) = kept else {
        return Ok(format!("{path} not written: no solver converged"));
    };
    write_array(file.path(), &answer.x).map_err(CommandError::new)?;
    let caution = match answer.quality {
        AnswerQuality::Unfinished => ", which did not converge",
        AnswerQuality::Sticking if comparison.wall_rows > 0 => ", whose walls pull: not a solution of the problem",
        _ => "",
    };
    Ok(format!("wrote {path}: the answer of {}{caution}", answer.solver))
}

/// Whether two paths lead to the same existing file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
