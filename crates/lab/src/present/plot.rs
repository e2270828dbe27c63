//! Residual against work, one line per solver.

use unstick::files::plot::{Curve, Dimension, Level, Marks, Plot, Scale, Stroke};
use unstick::mlcp::SolveReport;

use crate::compare::Comparison;

/// Lines beyond the first seven repeat their colours in dashes, then in dots.
const COLOURS: usize = 7;

/// The residual of every solver against its work.
pub fn residuals(comparison: &Comparison) -> Plot {
    let target = comparison.reports().next().map_or(0.0, |report| relative(report, report.target()));
    let (low, high) = shown_residuals(comparison, target);
    let curve = |(index, report): (usize, &SolveReport)| {
        let work = report.work().iter().map(|&work| work as f64);
        // Values outside are drawn on the rim, and so is an exact zero, which has no logarithm.
        let residuals = report.history().iter().map(|&residual| relative(report, residual).clamp(low, high));
        let marks = if report.converged() { Marks::GoodEnd } else { Marks::BadEnd };
        let stroke = [Stroke::Solid, Stroke::Dashed, Stroke::Dotted][index / COLOURS % 3];
        let name = report.solver().to_string();
        Curve { stroke, marks, ..Curve::new(name, index % COLOURS, work.zip(residuals).collect()) }
    };
    Plot {
        curves: comparison.reports().enumerate().map(curve).collect(),
        level: (target > 0.0).then(|| Level { value: target, name: "tolerance".into() }),
        ..Plot::new(
            format!("Residual against work: {}", comparison.problem),
            Dimension::new("work: iterations of the linear solver, or sweeps (logarithmic)", Scale::Counts),
            Dimension::new("residual, relative to that at zero", Scale::Logarithmic),
        )
    }
}

/// The same with all lines but one in grey, for a page on the solver of that line.
pub fn residuals_with_focus(comparison: &Comparison, focus: usize) -> Plot {
    let mut plot = residuals(comparison);
    let focused = plot.curves.remove(focus);
    plot.curves.iter_mut().for_each(|curve| curve.stroke = Stroke::Faded);
    plot.curves.push(focused);
    plot
}

/// A residual over the residual at zero.
fn relative(report: &SolveReport, residual: f64) -> f64 {
    if report.reference() > 0.0 { residual / report.reference() } else { residual }
}

/// The least and greatest residual that is shown. Values far below the tolerance are luck, and values far above the
/// start say no more than that the solver diverged.
fn shown_residuals(comparison: &Comparison, target: f64) -> (f64, f64) {
    let residuals = comparison.reports().flat_map(|report| report.history().iter().map(|&h| relative(report, h)));
    let positive = residuals.chain([target, 1.0]).filter(|value| *value > 0.0 && value.is_finite());
    let (low, high) = positive.fold((1.0, 1.0), |(low, high): (f64, f64), v| (low.min(v), high.max(v)));
    let low = if target > 0.0 { low.clamp(1e-2 * target, 0.3 * target).min(1.0) } else { low };
    (low, high.min(1e4))
}
