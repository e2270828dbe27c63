//! Residual against work, one line per solver.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use unstick::mlcp::SolveReport;

use super::axis::{Axis, abscissa};
use crate::LabError;
use crate::compare::Comparison;

pub(super) const WIDTH: u32 = 1000;
/// Height unless there are very many lines to name.
pub(super) const HEIGHT: u32 = 540;
/// Height of the strip with the title.
pub(super) const TITLE: u32 = 48;
/// Width of the strip on the right that names the lines.
pub(super) const LEGEND: u32 = 270;
/// Height of a name there.
pub(super) const LINE: i32 = 24;

/// Colours that people with any colour vision tell apart on white (after Okabe and Ito).
pub(super) const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// How lines are drawn on each round through the palette.
const DASHES: [Option<(i32, i32)>; 3] = [None, Some((8, 4)), Some((2, 4))];

pub(super) const INK: RGBColor = RGBColor(40, 44, 52);
pub(super) const SOFT: RGBColor = RGBColor(95, 103, 112);
pub(super) const FAINT: RGBColor = RGBColor(226, 230, 234);

/// Of lines that are only there for comparison.
const FADED: RGBColor = RGBColor(190, 196, 203);

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// One line of the plot; both coordinates are logarithms.
struct Curve {
    name: String,
    color: RGBColor,
    /// Lines beyond the palette are dashed: pixels drawn and left out.
    dashes: Option<(i32, i32)>,
    converged: bool,
    points: Vec<(f64, f64)>,
}

impl Curve {
    /// Makes a line part of the background.
    fn fade(&mut self) {
        (self.color, self.dashes) = (FADED, None);
    }

    /// Whether half of two lines or more cannot be told apart.
    fn runs_along(&self, other: &Self) -> bool {
        let pairs = || self.points.iter().zip(&other.points);
        let is_close =
            |(one, other): &(&(f64, f64), &(f64, f64))| (one.0 - other.0).abs().max((one.1 - other.1).abs()) < 0.02;
        2 * pairs().filter(is_close).count() > pairs().count()
    }
}

/// The plot as an SVG document.
pub fn svg(comparison: &Comparison) -> Result<String, LabError> {
    with_focus(comparison, None)
}

/// The same with all lines but one in grey, for a page on the solver of that line.
pub fn svg_of(comparison: &Comparison, focus: usize) -> Result<String, LabError> {
    with_focus(comparison, Some(focus))
}

fn with_focus(comparison: &Comparison, focus: Option<usize>) -> Result<String, LabError> {
    let target = comparison.reports().next().map_or(0.0, |report| relative(report, report.target()));
    let (work, residual) = axes(comparison, target);
    let mut curves = curves(comparison, &residual, &work);
    if let Some(focus) = focus {
        let focus = curves.remove(focus);
        curves.iter_mut().for_each(Curve::fade);
        curves.push(focus);
    }
    let mut text = String::new();
    let height = HEIGHT.max(TITLE + LINE as u32 * (curves.len() as u32 + 4));
    let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
    let drawn = draw(&area, &comparison.problem, (work, residual), target, &curves);
    drop(area);
    drawn.map_err(|error| LabError::Plot(error.to_string()))?;
    Ok(text)
}

/// A residual over the residual at zero.
fn relative(report: &SolveReport, residual: f64) -> f64 {
    if report.reference() > 0.0 { residual / report.reference() } else { residual }
}

fn axes(comparison: &Comparison, target: f64) -> (Axis, Axis) {
    let most = comparison.reports().map(SolveReport::inner_iterations).max().unwrap_or(0);
    let residuals = comparison.reports().flat_map(|report| report.history().iter().map(|&h| relative(report, h)));
    let positive = residuals.chain([target, 1.0]).filter(|value| *value > 0.0 && value.is_finite());
    let (low, high) = positive.fold((1.0, f64::MIN_POSITIVE), |(low, high): (f64, f64), v| (low.min(v), high.max(v)));
    // Far below the tolerance there is nothing to see but luck, far above the start nothing but divergence.
    let low = if target > 0.0 { low.clamp(1e-2 * target, 0.3 * target).min(1.0) } else { low };
    (Axis::work(most), Axis::decades(low, high.min(1e4)))
}

fn curves(comparison: &Comparison, residual: &Axis, work: &Axis) -> Vec<Curve> {
    let half_pixel = work.range.end / f64::from(2 * WIDTH);
    let curve = |(index, report): (usize, &SolveReport)| {
        // What lies outside is drawn on the rim, also an exact zero, which has no logarithm.
        let ordinate = |h: f64| relative(report, h).log10().clamp(residual.range.start, residual.range.end);
        let points = report.work().iter().zip(report.history()).map(|(&work, &h)| (abscissa(work), ordinate(h)));
        Curve {
            name: report.solver().to_string(),
            color: PALETTE[index % PALETTE.len()],
            dashes: DASHES[index / PALETTE.len() % DASHES.len()],
            converged: report.converged(),
            points: thinned(points, half_pixel),
        }
    };
    comparison.reports().enumerate().map(curve).collect()
}

/// Leaves out points that fall on the same half pixel, as those of thousands of sweeps do.
fn thinned(points: impl Iterator<Item = (f64, f64)>, half_pixel: f64) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let mut skipped = None;
    for point in points {
        if kept.last().is_none_or(|before| point.0 == before.0 || point.0 > before.0 + half_pixel) {
            kept.push(point);
            skipped = None;
        } else {
            skipped = Some(point);
        }
    }
    kept.extend(skipped);
    kept
}

pub(super) fn text_style(size: u32, color: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&color)
}

fn draw(root: &Area, problem: &str, axes: (Axis, Axis), target: f64, curves: &[Curve]) -> Drawn {
    root.fill(&WHITE)?;
    root.draw(&Text::new(format!("Residual against work: {problem}"), (20, 16), text_style(20, INK)))?;
    let (left, right) = root.margin(TITLE, 0, 0, 0).split_horizontally(WIDTH - LEGEND);
    draw_chart(&left, axes, target, curves)?;
    draw_legend(&right, curves)?;
    root.present()
}

fn draw_chart(area: &Area, (work, residual): (Axis, Axis), target: f64, curves: &[Curve]) -> Drawn {
    let (end, shown) = (work.range.end, residual.range.clone());
    let mut chart = ChartBuilder::on(area)
        .margin_left(12)
        .margin_bottom(10)
        .margin_top(6)
        .x_label_area_size(56)
        .y_label_area_size(72)
        .build_cartesian_2d(work, residual)?;
    chart
        .configure_mesh()
        .bold_line_style(FAINT)
        .light_line_style(TRANSPARENT)
        .axis_style(SOFT)
        .label_style(text_style(15, INK))
        .axis_desc_style(text_style(16, INK))
        .x_desc("work: iterations of the linear solver, or sweeps (logarithmic)")
        .y_desc("residual, relative to that at zero")
        .draw()?;
    let height = target.log10();
    if shown.contains(&height) {
        chart.draw_series(DashedLineSeries::new([(0.0, height), (end, height)], 6, 5, SOFT.into()))?;
        let above = text_style(14, SOFT).pos(Pos::new(HPos::Left, VPos::Bottom));
        chart.draw_series([EmptyElement::at((0.0, height)) + Text::new("tolerance", (8, -3), above)])?;
    }
    for (index, curve) in curves.iter().enumerate() {
        // A line that later ones run over is drawn wider, so that it shows on both sides of them.
        let widened = 3 * curves[index + 1..].iter().filter(|later| curve.runs_along(later)).count() as u32;
        let stroke = curve.color.stroke_width(2 + widened);
        let points = curve.points.iter().copied();
        match curve.dashes {
            Some((on, off)) => chart.draw_series(DashedLineSeries::new(points, on, off, stroke))?,
            None => chart.draw_series(LineSeries::new(points, stroke))?,
        };
        let end = curve.points.last().copied();
        match curve.converged {
            true => chart.draw_series(end.map(|end| Circle::new(end, 5 + widened / 2, curve.color.filled())))?,
            false => chart.draw_series(end.map(|end| Cross::new(end, 6 + widened / 2, stroke)))?,
        };
    }
    Ok(())
}

fn draw_legend(area: &Area, curves: &[Curve]) -> Drawn {
    let beside = |size: u32, color| text_style(size, color).pos(Pos::new(HPos::Left, VPos::Center));
    let mut y = 20;
    for curve in curves {
        let (on, off) = curve.dashes.unwrap_or((24, 0));
        for x in (12..36).step_by((on + off) as usize) {
            area.draw(&PathElement::new([(x, y), (x + on, y)], curve.color.stroke_width(3)))?;
        }
        area.draw(&Text::new(curve.name.clone(), (44, y), beside(15, INK)))?;
        y += LINE;
    }
    y += 14;
    area.draw(&Circle::new((24, y), 5, SOFT.filled()))?;
    area.draw(&Text::new("converged", (44, y), beside(14, SOFT)))?;
    if curves.iter().any(|curve| !curve.converged) {
        area.draw(&Cross::new((24, y + LINE), 6, SOFT.stroke_width(2)))?;
        area.draw(&Text::new("did not converge", (44, y + LINE), beside(14, SOFT)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_both_ends_and_vertical_steps() {
        let points = [(0.0, 0.0), (0.0, -1.0), (0.1, -2.0), (1.0, -3.0), (1.01, -4.0)];
        assert_eq!(thinned(points.into_iter(), 0.5), [(0.0, 0.0), (0.0, -1.0), (1.0, -3.0), (1.01, -4.0)]);
    }
}
