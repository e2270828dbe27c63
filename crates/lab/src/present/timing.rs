//! A benchmark as a table or as data.

use serde::Serialize;

use super::json::{self, Entry};
use super::{notes, table};
use crate::compare::SolverRun;
use crate::compare::timing::{Benchmark, SolverTiming};

/// A line of `--json`: the entry of `unstick solve` with median times, and where it was measured.
#[derive(Serialize)]
struct TimingEntry<'a> {
    #[serde(flatten)]
    entry: Entry<'a>,
    /// Transfer to a device and back; zero on the processor.
    transfer_seconds: Option<f64>,
    total_seconds: Option<f64>,
    scene: &'a str,
    size: Option<usize>,
    frame: Option<usize>,
    /// Number of solves behind the medians.
    repetitions: usize,
    /// Set-up and solve together, one entry per solve.
    total_seconds_each: Vec<f64>,
    /// For each solve, the number of solves by any solver before it.
    turns: Vec<usize>,
    /// The larger of the next two.
    bandwidth_gbs: f64,
    bandwidth_before_gbs: f64,
    bandwidth_after_gbs: f64,
    bytes_moved_model: Option<u64>,
}

/// One object for every solver.
pub fn json_lines(benchmark: &Benchmark) -> Vec<String> {
    let pairs = benchmark.comparison.runs.iter().zip(&benchmark.timings);
    // A line holds strings, numbers and lists of them, which can always be written.
    pairs.filter_map(|(run, timing)| serde_json::to_string(&line(benchmark, run, timing)).ok()).collect()
}

fn line<'a>(benchmark: &'a Benchmark, run: &'a SolverRun, timing: &SolverTiming) -> TimingEntry<'a> {
    let mut entry = json::entry(&benchmark.comparison, run);
    (entry.setup_seconds, entry.solve_seconds) = (timing.setup(), timing.solve());
    TimingEntry {
        entry,
        transfer_seconds: timing.transfer(),
        total_seconds: timing.total(),
        scene: &benchmark.scene,
        size: benchmark.size,
        frame: benchmark.frame,
        repetitions: timing.solves.len(),
        total_seconds_each: timing.solves.iter().map(|sample| sample.total()).collect(),
        turns: timing.solves.iter().map(|sample| sample.turn).collect(),
        bandwidth_gbs: benchmark.copy.best() / 1e9,
        bandwidth_before_gbs: benchmark.copy.before / 1e9,
        bandwidth_after_gbs: benchmark.copy.after / 1e9,
        bytes_moved_model: bytes_moved(run),
    }
}

/// The problem and the conditions in three lines, then a row for every solver.
pub fn table(benchmark: &Benchmark) -> String {
    let facts = table::facts(&benchmark.comparison);
    let median = match benchmark.repetitions {
        1 => "one solve each".into(),
        count => format!("medians of {count} solves in turn"),
    };
    let best = benchmark.copy.best() / 1e9;
    let (before, after) = (benchmark.copy.before / 1e9, benchmark.copy.after / 1e9);
    let has_model = benchmark.comparison.runs.iter().any(|run| bytes_moved(run).is_some());
    let mut head = ["solver", "outcome", "cycles", "inner", "set-up ms", "solve ms", "total ms", "ratio"].to_vec();
    head.extend(has_model.then_some("of limit"));
    let head: Vec<_> = head.into_iter().map(String::from).collect();
    let pairs = benchmark.comparison.runs.iter().zip(&benchmark.timings);
    let rows: Vec<_> = pairs.map(|(run, timing)| row(benchmark, run, timing)[..head.len()].to_vec()).collect();
    format!(
        "{facts}\n{median}; copy bandwidth {best:.1} GB/s (before {before:.1}, after {after:.1})\n\n{}",
        table::aligned(&head, &rows)
    )
}

fn row(benchmark: &Benchmark, run: &SolverRun, timing: &SolverTiming) -> [String; 9] {
    let or_nothing = |text: Option<String>| text.unwrap_or_else(|| table::NOTHING.into());
    let report = run.result.as_ref().ok();
    let ms = |seconds: Option<f64>| or_nothing(seconds.map(|seconds| format!("{:.1}", 1e3 * seconds)));
    let first = benchmark.timings.first().and_then(SolverTiming::total);
    let ratio = timing.total().zip(first).map(|(total, first)| format!("{:.2}", total / first));
    let part = part_of_limit(bytes_moved(run), benchmark.copy.best(), timing.solve());
    [
        run.solver.to_string(),
        run.outcome(),
        or_nothing(report.map(|report| report.cycles().to_string())),
        or_nothing(report.map(|report| report.inner_iterations().to_string())),
        ms(timing.setup()),
        ms(timing.solve()),
        ms(timing.total()),
        or_nothing(ratio),
        or_nothing(part.map(|part| format!("{:.0} %", 100.0 * part))),
    ]
}

fn bytes_moved(run: &SolverRun) -> Option<u64> {
    run.result.as_ref().ok().and_then(|report| report.bytes_moved())
}

/// The time of a copy of as many bytes, divided by the time of the solve.
fn part_of_limit(bytes: Option<u64>, bandwidth: f64, seconds: Option<f64>) -> Option<f64> {
    let (bytes, seconds) = bytes.zip(seconds)?;
    Some(bytes as f64 / bandwidth / seconds)
}

/// Remarks below the table.
pub fn notes(benchmark: &Benchmark) -> Vec<String> {
    let mut lines = Vec::new();
    for (run, timing) in benchmark.comparison.runs.iter().zip(&benchmark.timings) {
        let (count, solver) = (timing.solves.len(), run.solver);
        if count < benchmark.repetitions
            && let Some(total) = timing.total()
        {
            let asked = benchmark.repetitions;
            lines.push(format!("{solver}: {count} of {asked} repetitions, since one takes {total:.0} s"));
        }
        if timing.varies {
            lines.push(format!("{solver}: repetitions went different ways, which they never should"));
        }
    }
    lines.extend(notes::lines(&benchmark.comparison));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solve_at_the_limit_takes_as_long_as_a_copy() {
        assert_eq!(part_of_limit(Some(2_000_000_000), 4e9, Some(0.5)), Some(1.0));
        assert_eq!(part_of_limit(Some(2_000_000_000), 4e9, Some(1.0)), Some(0.5));
        assert_eq!((part_of_limit(None, 4e9, Some(1.0)), part_of_limit(Some(1), 4e9, None)), (None, None));
    }
}
