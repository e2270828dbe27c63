//! Line plots as SVG that takes its colours from the page.

use std::fmt::Write as _;

/// A line in a plot.
pub(super) struct Line {
    pub label: String,
    /// Horizontal and vertical values; gaps where not finite.
    pub points: Vec<[f64; 2]>,
    /// Which colour of the page, from 0.
    pub colour: usize,
    /// Dashes tell the second quantity of a plot from the first.
    pub dashed: bool,
}

/// A plot to be drawn.
pub(super) struct Plot<'a> {
    pub title: &'a str,
    /// Name and unit of the vertical axis.
    pub vertical: &'a str,
    pub horizontal: &'a str,
    /// Powers of ten at equal distances.
    pub logarithmic: bool,
    /// Always show zero.
    pub from_zero: bool,
    pub lines: Vec<Line>,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 250.0;
/// Left, top, right, bottom.
const MARGIN: [f64; 4] = [64.0, 12.0, 12.0, 36.0];
/// Points drawn per line: the least and greatest of as many parts.
const DETAIL: usize = 400;

impl Plot<'_> {
    /// The plot with its heading and legend; none when there is nothing to show.
    pub fn render(&self) -> Option<String> {
        let value = |y: f64| if self.logarithmic { y.log10() } else { y };
        let lines: Vec<(&Line, Vec<[f64; 2]>)> = self
            .lines
            .iter()
            .map(|line| (line, thin(line.points.iter().map(|&[x, y]| [x, value(y)]))))
            .filter(|(_, points)| !points.is_empty())
            .collect();
        let all = || lines.iter().flat_map(|(_, points)| points.iter());
        all().next()?;
        let across = Axis::new(all().map(|point| point[0]), false, false);
        let up = Axis::new(all().map(|point| point[1]), self.from_zero && !self.logarithmic, self.logarithmic);
        let x = |at: f64| MARGIN[0] + across.part(at) * (WIDTH - MARGIN[0] - MARGIN[2]);
        let y = |at: f64| HEIGHT - MARGIN[3] - up.part(at) * (HEIGHT - MARGIN[1] - MARGIN[3]);

        let mut svg = format!(r#"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{}">"#, escape(self.title));
        for tick in up.ticks() {
            let label = if self.logarithmic { format!("1e{tick:.0}") } else { up.label(tick) };
            let (left, right, at) = (MARGIN[0], WIDTH - MARGIN[2], y(tick));
            let _ = write!(svg, r#"<path class="grid" d="M{left:.1} {at:.1}H{right:.1}"/>"#);
            let _ = write!(svg, r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{label}</text>"#, left - 6.0, at + 4.0);
        }
        for tick in across.ticks() {
            let (at, bottom) = (x(tick), HEIGHT - MARGIN[3]);
            let _ = write!(svg, r#"<path class="grid" d="M{at:.1} {bottom:.1}v4"/>"#);
            let (label, below) = (across.label(tick), bottom + 16.0);
            let _ = write!(svg, r#"<text x="{at:.1}" y="{below:.1}" text-anchor="middle">{label}</text>"#);
        }
        let (middle, bottom) = (0.5 * (MARGIN[0] + WIDTH - MARGIN[2]), HEIGHT - 4.0);
        let horizontal = escape(self.horizontal);
        let _ = write!(svg, r#"<text x="{middle:.1}" y="{bottom:.1}" text-anchor="middle">{horizontal}</text>"#);
        for (line, points) in &lines {
            let mut path = String::new();
            let mut joined = false;
            for point in points {
                if point[1].is_nan() {
                    joined = false;
                } else {
                    let _ = write!(path, "{}{:.1} {:.1}", if joined { "L" } else { "M" }, x(point[0]), y(point[1]));
                    joined = true;
                }
            }
            let dashed = if line.dashed { " dashed" } else { "" };
            let _ = write!(svg, r#"<path class="line c{}{dashed}" d="{path}"/>"#, line.colour % 6);
        }
        svg += "</svg>";

        let mut figure = format!("<figure><figcaption><b>{}</b>", escape(self.title));
        if !self.vertical.is_empty() {
            let _ = write!(figure, " <small>{}</small>", escape(self.vertical));
        }
        figure += "</figcaption>";
        figure += &svg;
        if lines.len() > 1 {
            figure += r#"<p class="legend">"#;
            for (line, _) in &lines {
                let dashed = if line.dashed { " dashed" } else { "" };
                let (colour, label) = (line.colour % 6, escape(&line.label));
                let key =
                    format!(r#"<svg viewBox="0 0 22 6"><path class="line c{colour}{dashed}" d="M0 3H22"/></svg>"#);
                let _ = write!(figure, "<span>{key}{label}</span> ");
            }
            figure += "</p>";
        }
        Some(figure + "</figure>\n")
    }
}

/// Leaves the extremes of each part, so that no peak is lost; one gap for many.
fn thin(points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let points: Vec<[f64; 2]> = points
        .filter(|point| point[0].is_finite())
        .map(|[x, y]| [x, if y.is_finite() { y } else { f64::NAN }])
        .collect();
    if points.iter().all(|point| point[1].is_nan()) {
        return Vec::new();
    }
    if points.len() <= 2 * DETAIL {
        return points;
    }
    let mut kept = Vec::with_capacity(2 * DETAIL);
    for part in points.chunks(points.len().div_ceil(DETAIL)) {
        let finite = || part.iter().enumerate().filter(|(_, point)| !point[1].is_nan());
        let least = finite().min_by(|a, b| a.1[1].total_cmp(&b.1[1]));
        let most = finite().max_by(|a, b| a.1[1].total_cmp(&b.1[1]));
        match (least, most) {
            (Some(least), Some(most)) if least.0 != most.0 => {
                let (first, second) = if least.0 < most.0 { (least, most) } else { (most, least) };
                kept.extend([*first.1, *second.1]);
            }
            (Some(only), _) => kept.push(*only.1),
            _ => kept.push(part[0]),
        }
    }
    kept
}

/// A range of values with round ticks.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, from_zero: bool, whole: bool) -> Self {
        let start = if from_zero { (0.0, 0.0) } else { (f64::INFINITY, f64::NEG_INFINITY) };
        let (mut low, mut high) = values
            .filter(|value| value.is_finite())
            .fold(start, |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
        if whole {
            (low, high) = (low.floor(), high.ceil());
        }
        let least = if whole { 1.0 } else { (low.abs().max(high.abs()) * 1e-4).max(1e-12) };
        if high - low < least {
            (low, high) = if from_zero && low >= 0.0 { (0.0, least) } else { (low - 0.5 * least, high + 0.5 * least) };
        }
        let rough = (high - low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let round = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough).unwrap_or(10.0);
        let step = if whole { (round * power).max(1.0).round() } else { round * power };
        Self { low, high, step }
    }

    fn part(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let first = (self.low / self.step - 1e-9).ceil();
        let count = ((self.high / self.step + 1e-9).floor() - first).clamp(0.0, 50.0) as usize;
        let step = self.step;
        (0..=count).map(move |tick| (first + tick as f64) * step)
    }

    fn label(&self, tick: f64) -> String {
        let greatest = self.low.abs().max(self.high.abs());
        if greatest >= 1e5 || self.step < 1e-4 && greatest < 1e-2 {
            return if tick == 0.0 { "0".to_owned() } else { format!("{tick:.2e}") };
        }
        let digits = (-self.step.log10()).ceil().clamp(0.0, 9.0) as usize;
        // Without the sign of a negative zero.
        format!("{:.digits$}", if tick.abs() < 0.5 * self.step { 0.0 } else { tick })
    }
}

/// Text that may stand in a page.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_labelled_with_enough_digits() {
        let axis = Axis::new([0.013, 0.872].into_iter(), true, false);
        let labels: Vec<String> = axis.ticks().map(|tick| axis.label(tick)).collect();
        assert_eq!(labels, ["0.0", "0.2", "0.4", "0.6", "0.8"]);
        let flat = Axis::new([1.0, 1.0].into_iter(), false, false);
        assert!(flat.ticks().count() >= 2 && (flat.part(1.0) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn peaks_survive_thinning() {
        let points = (0..100_000).map(|x| [f64::from(x), if x == 77_777 { 9.0 } else { 1.0 }]);
        let kept = thin(points);
        assert!(kept.len() <= 2 * DETAIL && kept.iter().any(|point| point[1] == 9.0));
    }

    #[test]
    fn a_plot_without_values_is_left_out() {
        let line = Line { label: "x".into(), points: vec![[0.0, f64::NAN]], colour: 0, dashed: false };
        let plot =
            Plot { title: "t", vertical: "", horizontal: "", logarithmic: true, from_zero: false, lines: vec![line] };
        assert!(plot.render().is_none());
    }
}
