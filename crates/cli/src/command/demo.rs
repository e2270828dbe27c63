//! `unstick demo`: solves one problem with every method; writes a plot and a page.

use std::path::Path;

use unstick::mlcp::{PressureMethod, SolverName, Start, Stop};
use unstick::problems::Example;
use unstick_lab::Destination;
use unstick_lab::compare::{Comparison, Contest};
use unstick_lab::present::page::Page;
use unstick_lab::present::{notes, plot, table};

use super::{Verdict, judge};
use crate::args::DemoArgs;
use crate::error::CommandError;
use crate::output;
use crate::progress::TerminalProgress;

/// Cells along each axis: enough to tell the methods apart, few enough for seconds.
const SIZE: usize = 32;

/// The folder of the results.
const FOLDER: &str = "out/demo";

const TITLE: &str = "A liquid that lets go of its wall";

const LEAD: &[&str] = &[
    "A round tank is half full, and the liquid in it is on the move. Where it runs against the wall, the \
     wall pushes back. Where it moves away, a real wall lets it go; a solver that does not know this \
     pulls it back, and water sticks to ceilings.",
    "So at every cell along the wall one of two things holds: the liquid presses on the wall, or it has \
     let go and the pressure there is zero. Which cells do what is part of the question. This is a \
     complementarity problem, and below every method solves the same one: same start, same tolerance. \
     `sticking` is the classic wall that never lets go, there for comparison.",
];

const NEXT: &[(&str, &str)] = &[
    ("unstick generate sphere-half --size 64 --out tank", "write a larger problem as a folder of plain files"),
    ("unstick solve tank --solver best,policy,newton --page tank.html", "compare solvers on it, or on your own"),
    ("unstick doctor", "see what this machine offers"),
];

/// Solves, explains, and prints where the results are.
pub fn run(args: &DemoArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let folder = Path::new(FOLDER);
    std::fs::create_dir_all(folder).map_err(|error| CommandError::unwritable(folder, error))?;
    let plot_file = Destination::check(&folder.join("convergence.svg"), "svg")?;
    let page_file = Destination::check(&folder.join("report.html"), "html")?;

    let example = Example::SphereHalf;
    let problem = example.generate(3, SIZE, 0).map_err(CommandError::generate(example))?;
    if !quiet {
        output::print(format_args!("{TITLE}\n"))?;
        LEAD.iter().try_for_each(|paragraph| output::print(format_args!("{}\n", filled(paragraph))))?;
    }
    let solvers = SolverName::defaults().into_iter().map(|name| PressureMethod::from(name).into()).collect();
    let contest = Contest { solvers, stop: Stop::default(), start: Start::Zero };
    let name = format!("{example}, {SIZE} cells along each axis");
    let comparison = contest.run(&name, &problem, &vec![0.0; problem.size()], &TerminalProgress::new(!quiet));

    plot_file.write(&plot::residuals(&comparison).svg().unwrap_or_default())?;
    let page = Page { title: TITLE, lead: LEAD, next: NEXT };
    page_file.write(&page.html(&comparison))?;
    if !quiet {
        output::print(table::text(&comparison))?;
        notes::lines(&comparison).iter().try_for_each(output::print)?;
        output::print("\nGo on with")?;
        NEXT.iter().try_for_each(|(command, _)| output::print(format_args!("  {command}")))?;
        output::print("")?;
    }
    if let Some(folder) = &args.each {
        each(folder, &comparison)?;
    }
    let verdict = judge(&comparison);
    let (plot, page) = (plot_file.path().display(), page_file.path().display());
    output::print(format_args!("The plot is {plot}, the report {page}."))?;
    Ok(verdict)
}

/// A plot for each method that highlights it.
fn each(folder: &Path, comparison: &Comparison) -> Result<(), CommandError> {
    std::fs::create_dir_all(folder).map_err(|error| CommandError::unwritable(folder, error))?;
    for (index, report) in comparison.reports().enumerate() {
        let name = report.solver().to_string();
        let method = name.split(['+', '/']).next().unwrap_or(&name);
        let file = Destination::check(&folder.join(format!("{method}.svg")), "svg")?;
        file.write(&plot::residuals_with_focus(comparison, index).svg().unwrap_or_default())?;
    }
    Ok(())
}

/// Breaks a paragraph into lines of readable length.
fn filled(paragraph: &str) -> String {
    const WIDTH: usize = 88;
    let mut lines = vec![String::new()];
    for word in paragraph.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines.join("\n")
}
