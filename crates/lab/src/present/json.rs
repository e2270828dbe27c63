//! A comparison as data.

use serde::Serialize;

use unstick::mlcp::{PocketReport, Tolerance};

use crate::compare::{Comparison, SolverRun};

/// The result of one solver. Numbers of a solver that failed are null.
#[derive(Serialize)]
pub struct Entry<'a> {
    problem: &'a str,
    unknowns: usize,
    wall_rows: usize,
    solver: String,
    backend: &'static str,
    /// Words joined by hyphens.
    outcome: String,
    error: Option<String>,
    remark: Option<&'a str>,
    cycles: Option<usize>,
    inner_iterations: Option<usize>,
    residual: Option<f64>,
    relative_residual: Option<f64>,
    /// ‖H(0)‖∞, what the relative residual refers to.
    residual_at_zero: Option<f64>,
    tolerance: f64,
    tolerance_kind: &'static str,
    start: String,
    active_rows: Option<usize>,
    /// Seconds of set-up, such as factorisations.
    pub setup_seconds: Option<f64>,
    /// Seconds of everything else.
    pub solve_seconds: Option<f64>,
    threads: usize,
    m_matrix: bool,
    history: &'a [f64],
    work: &'a [usize],
    pockets: Vec<Pocket>,
}

/// Liquid that touches no air.
#[derive(Serialize)]
struct Pocket {
    first_row: usize,
    rows: usize,
    imbalance: f64,
    compatible: bool,
}

impl From<&PocketReport> for Pocket {
    fn from(&PocketReport { first_row, rows, imbalance, compatible, .. }: &PocketReport) -> Self {
        Self { first_row, rows, imbalance, compatible }
    }
}

/// One object for every solver, a line each.
pub fn lines(comparison: &Comparison) -> Vec<String> {
    let entries = comparison.runs.iter().map(|run| entry(comparison, run));
    // An entry holds strings, numbers and lists of them, which can always be written.
    entries.filter_map(|entry| serde_json::to_string(&entry).ok()).collect()
}

/// The entry of one run.
pub fn entry<'a>(comparison: &'a Comparison, run: &'a SolverRun) -> Entry<'a> {
    let (tolerance_kind, tolerance) = match comparison.stop.tolerance {
        Tolerance::Relative(value) => ("relative", value),
        Tolerance::Absolute(value) => ("absolute", value),
    };
    let report = run.result.as_ref().ok();
    Entry {
        problem: &comparison.problem,
        unknowns: comparison.unknowns,
        wall_rows: comparison.wall_rows,
        solver: run.solver.method.to_string(),
        backend: run.solver.backend(),
        outcome: run.outcome().replace(' ', "-"),
        error: run.result.as_ref().err().map(|error| error.to_string()),
        remark: report.and_then(|report| report.remark()),
        cycles: report.map(|report| report.cycles()),
        inner_iterations: report.map(|report| report.inner_iterations()),
        residual: report.map(|report| report.residual()),
        relative_residual: report.map(|report| report.relative_residual()),
        residual_at_zero: report.map(|report| report.reference()),
        tolerance,
        tolerance_kind,
        start: comparison.start.to_string(),
        active_rows: report.map(|report| report.active_rows()),
        setup_seconds: report.map(|report| report.setup_time().as_secs_f64()),
        solve_seconds: report.map(|report| report.solve_time().as_secs_f64()),
        threads: comparison.threads,
        m_matrix: comparison.defect.is_none(),
        history: report.map_or(&[], |report| report.history()),
        work: report.map_or(&[], |report| report.work()),
        pockets: report.map_or_else(Vec::new, |report| report.pockets().iter().map(Pocket::from).collect()),
    }
}
