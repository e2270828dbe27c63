//! Remarks on a comparison: what solvers say, singular parts, lost guarantees.

use unstick::mlcp::{PocketReport, PressureMethod};

use crate::compare::Comparison;

/// Pockets that are named one by one. A splash can have hundreds.
const POCKETS_SHOWN: usize = 5;

/// One line for each remark; those on single solvers come first.
pub fn lines(comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    for run in &comparison.runs {
        match &run.result {
            Ok(report) => lines.extend(report.remark().map(|remark| format!("{}: {remark}", run.solver))),
            Err(error) => lines.push(format!("{} failed: {error}", run.solver)),
        }
    }
    lines.extend(pockets(comparison));
    if comparison.wall_rows > 0 && comparison.runs.iter().any(|run| run.solver.is_sticking()) {
        lines.push("sticking solves another problem, in which walls pull: the baseline, not an answer".into());
    }
    if comparison.runs.iter().any(|run| matches!(run.solver.method, PressureMethod::Splitting(_))) {
        lines.push(
            "splittings stop on thresholds of their own; their residual says how far the answer is from that of the \
             complementarity problem"
                .into(),
        );
    }
    if let Some(defect) = comparison.defect {
        lines.push(format!(
            "warning: the matrix is no M-matrix ({defect}). policy and penalty no longer converge monotonically and \
             rely on their safeguards; incomplete factorisations may need their pivot safeguard"
        ));
    }
    lines
}

/// The pockets of the problem, and those that only `sticking` has: its walls separate more liquid from
/// the air.
fn pockets(comparison: &Comparison) -> Vec<String> {
    let seen_by = |sticking: bool| -> &[PocketReport] {
        let mut runs = comparison.runs.iter().filter(|run| run.solver.is_sticking() == sticking);
        runs.find_map(|run| run.result.as_ref().ok()).map_or(&[], |report| report.pockets())
    };
    let (separating, sticking) = (seen_by(false), seen_by(true));
    let mut lines = described(separating, "");
    let is_known = |pocket: &PocketReport| separating.iter().any(|known| known.first_row == pocket.first_row);
    let additional: Vec<_> = sticking.iter().filter(|pocket| !is_known(pocket)).cloned().collect();
    lines.extend(described(&additional, "sticking: "));
    lines
}

fn described(pockets: &[PocketReport], prefix: &str) -> Vec<String> {
    let mut lines: Vec<_> = pockets
        .iter()
        .take(POCKETS_SHOWN)
        .map(|pocket| {
            let verdict = match pocket.compatible {
                true => "solvable up to a constant",
                false => "no solution: the liquid there is asked to change its volume",
            };
            format!(
                "{prefix}pocket without air, {} rows from row {}: imbalance {:.2e}, {verdict}",
                pocket.rows, pocket.first_row, pocket.imbalance
            )
        })
        .collect();
    if pockets.len() > POCKETS_SHOWN {
        let rest = &pockets[POCKETS_SHOWN..];
        let unsolvable = rest.iter().filter(|pocket| !pocket.compatible).count();
        lines.push(format!("{prefix}and {} more pockets, {unsolvable} of them without a solution", rest.len()));
    }
    lines
}
