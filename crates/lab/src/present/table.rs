//! A comparison as a table.

use std::time::Duration;

use crate::compare::{Comparison, SolverRun};
use unstick::mlcp::{Stop, Tolerance};

/// Number of columns.
pub const COLUMNS: usize = 9;

/// Columns that hold words; all others hold numbers.
pub const WORDS: usize = 2;

/// The first of the columns that hold times.
const TIMES: usize = 7;

/// Spaces between columns.
const GAP: usize = 2;

/// The text in place of a missing number.
pub const NOTHING: &str = "–";

/// The problem in two lines, then a row for every solver.
pub fn text(comparison: &Comparison) -> String {
    format!("{}\n\n{}\n", facts(comparison), aligned(&head(comparison), &rows(comparison)))
}

/// Headings over rows, in columns. The first [`WORDS`] columns hold words, all others numbers.
pub fn aligned<R: AsRef<[String]>>(head: &[String], rows: &[R]) -> String {
    let rows: Vec<&[String]> = [head].into_iter().chain(rows.iter().map(AsRef::as_ref)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut lines: Vec<String> = rows.iter().map(|row| line(row, &widths)).collect();
    lines.insert(1, "─".repeat(widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)));
    lines.join("\n")
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let padded = cells.iter().zip(widths).enumerate().map(|(column, (text, &width))| match column < WORDS {
        true => format!("{text:<width$}"),
        false => format!("{text:>width$}"),
    });
    padded.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned()
}

/// The problem, and on a second line the tolerance, the start and the threads.
pub fn facts(comparison: &Comparison) -> String {
    let threads = if comparison.threads == 1 { "thread" } else { "threads" };
    format!(
        "{}: {} unknowns, {} wall rows, {} matrix entries\n{}; start {}; {} {threads}",
        comparison.problem,
        comparison.unknowns,
        comparison.wall_rows,
        comparison.entries,
        tolerance(&comparison.stop),
        comparison.start,
        comparison.threads,
    )
}

fn tolerance(stop: &Stop) -> String {
    match stop.tolerance {
        Tolerance::Relative(value) => format!("tolerance {value:e} of the residual at zero"),
        Tolerance::Absolute(value) => format!("tolerance {value:e}"),
    }
}

/// The headings.
pub fn head(comparison: &Comparison) -> [String; COLUMNS] {
    let unit = Unit::of(comparison).name();
    let heads = ["solver", "outcome", "cycles", "inner", "residual", "relative", "active", "set-up", "solve"];
    std::array::from_fn(
        |column| if column < TIMES { heads[column].into() } else { format!("{} {unit}", heads[column]) },
    )
}

/// The entries, one row per solver.
pub fn rows(comparison: &Comparison) -> Vec<[String; COLUMNS]> {
    let unit = Unit::of(comparison);
    comparison.runs.iter().map(|run| row(run, unit)).collect()
}

fn row(run: &SolverRun, unit: Unit) -> [String; COLUMNS] {
    let mut cells = [NOTHING; COLUMNS].map(String::from);
    cells[0] = run.solver.to_string();
    cells[1] = run.outcome();
    if let Ok(report) = &run.result {
        cells[2] = report.cycles().to_string();
        cells[3] = report.inner_iterations().to_string();
        cells[4] = format!("{:.2e}", report.residual());
        cells[5] = format!("{:.2e}", report.relative_residual());
        cells[6] = report.active_rows().to_string();
        cells[7] = unit.show(report.setup_time());
        cells[8] = unit.show(report.solve_time());
    }
    cells
}

/// One unit for all times of a table, so that they are easy to compare.
#[derive(Clone, Copy)]
enum Unit {
    Milliseconds,
    Seconds,
}

impl Unit {
    fn of(comparison: &Comparison) -> Self {
        let longest = comparison.reports().map(|report| report.setup_time().max(report.solve_time())).max();
        if longest.unwrap_or_default() < Duration::from_secs(10) { Self::Milliseconds } else { Self::Seconds }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
        }
    }

    fn show(self, time: Duration) -> String {
        match self {
            Self::Milliseconds => format!("{:.1}", 1e3 * time.as_secs_f64()),
            Self::Seconds => format!("{:.3}", time.as_secs_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_on_the_left_and_numbers_on_the_right() {
        let texts = |cells: [&str; 3]| cells.map(String::from);
        let table = aligned(&texts(["solver", "outcome", "cycles"]), &[texts(["best", "–", "12"])]);
        assert_eq!(table, "solver  outcome  cycles\n───────────────────────\nbest    –            12");
    }
}
