//! From a plot to SVG. Colours come from the style sheet, so that they suit dark pages too.

use std::fmt::Write as _;

use super::axis::Axis;
use super::{Curve, Marks, Plot, Stroke};
use crate::page::escape;

/// The style of lines, ticks and marks, for documents of their own. Pages contain it too.
pub(crate) const STYLE: &str = include_str!("plot.css");

/// Colours in the style sheet.
const COLOURS: usize = 12;

/// Lines with more points than this have no marks.
const MOST_MARKS: usize = 60;

/// A line is widened for at most this many lines on top of it.
const WIDEST: usize = 3;

/// Height of a line in the legend.
const LEGEND_LINE: f64 = 24.0;

/// Places on the canvas, in its units.
struct Frame {
    width: f64,
    height: f64,
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

/// For figures of a page, whose caption and legend are text of the page.
const FIGURE: Frame = Frame { width: 560.0, height: 258.0, left: 64.0, top: 12.0, right: 548.0, bottom: 214.0 };

/// For documents of their own: the title above, the legend on the right.
const DOCUMENT: Frame = Frame { width: 1000.0, height: 540.0, left: 92.0, top: 54.0, right: 724.0, bottom: 474.0 };

/// The plot alone.
pub(super) fn drawing(plot: &Plot) -> Option<String> {
    let title = escape(&plot.title);
    let (Frame { width, height, .. }, content) = (&FIGURE, Drawing::of(plot, &FIGURE)?.content());
    Some(format!("<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\">{content}</svg>"))
}

/// A document with title and legend.
pub(super) fn document(plot: &Plot) -> Option<String> {
    let named: Vec<&Curve> = plot.named().collect();
    let ends = legend_of_ends(plot);
    let lines = named.len() + ends.len() + 2;
    let height = DOCUMENT.height.max(DOCUMENT.top + LEGEND_LINE * lines as f64);
    let frame = Frame { height, bottom: height - 66.0, ..DOCUMENT };
    let width = frame.width;
    let content = Drawing::of(plot, &frame)?.content();
    let title = escape(&plot.title);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{title}\">\n<style>{STYLE}\
         svg {{ background: var(--plot-ground); font-size: 15px; }}</style>\n\
         <text class=\"title\" x=\"20\" y=\"34\">{title}</text>\n{content}"
    );
    let (key, text) = (frame.right + 24.0, frame.right + 56.0);
    let vertical = 0.5 * (frame.top + frame.bottom);
    let _ = writeln!(
        svg,
        "<text text-anchor=\"middle\" transform=\"translate(24 {vertical:.1}) rotate(-90)\">{}</text>",
        escape(&plot.up.name)
    );
    let mut y = frame.top + 14.0;
    for curve in named {
        let (class, name) = (class(curve), escape(&curve.name));
        let _ = write!(svg, "<path class=\"{class} key\" d=\"M{key:.0} {y:.0}h24\"/>");
        let _ = writeln!(svg, "<text class=\"name\" x=\"{text:.0}\" y=\"{:.0}\">{name}</text>", y + 5.0);
        y += LEGEND_LINE;
    }
    y += 0.5 * LEGEND_LINE;
    for (marks, name) in ends {
        svg += &mark(*marks, (key + 12.0, y), 1.0, "soft");
        let _ = writeln!(svg, "<text x=\"{text:.0}\" y=\"{:.0}\">{name}</text>", y + 5.0);
        y += LEGEND_LINE;
    }
    Some(svg + "</svg>\n")
}

/// The marks at ends of lines that occur, with their meaning.
fn legend_of_ends(plot: &Plot) -> Vec<&'static (Marks, &'static str)> {
    static ENDS: [(Marks, &str); 2] = [(Marks::GoodEnd, "converged"), (Marks::BadEnd, "did not converge")];
    ENDS.iter().filter(|(marks, _)| plot.curves.iter().any(|curve| curve.marks == *marks)).collect()
}

/// The class of a line in the style sheet.
pub(super) fn class(curve: &Curve) -> String {
    let colour = curve.colour % COLOURS;
    match curve.stroke {
        Stroke::Solid => format!("line c{colour}"),
        Stroke::Dashed => format!("line c{colour} dashed"),
        Stroke::Dotted => format!("line c{colour} dotted"),
        Stroke::Faded => "line faded".into(),
    }
}

/// A plot with its axes and its lines on the canvas.
struct Drawing<'a> {
    plot: &'a Plot,
    frame: &'a Frame,
    across: Axis,
    up: Axis,
    /// Points of each line; none where there is a gap.
    lines: Vec<Vec<Option<(f64, f64)>>>,
}

impl<'a> Drawing<'a> {
    fn of(plot: &'a Plot, frame: &'a Frame) -> Option<Self> {
        let place = |&(x, y): &(f64, f64)| {
            let point = (plot.across.scale.coordinate(x), plot.up.scale.coordinate(y));
            (point.0.is_finite() && point.1.is_finite()).then_some(point)
        };
        let placed: Vec<Vec<_>> = plot.curves.iter().map(|curve| curve.points.iter().map(place).collect()).collect();
        let all = placed.iter().flatten().flatten();
        all.clone().next()?;
        let across = plot.across.scale.axis(all.clone().map(|point| point.0));
        let level = plot.level.iter().map(|level| plot.up.scale.coordinate(level.value));
        let up = plot.up.scale.axis(all.map(|point| point.1).chain(level.filter(|height| height.is_finite())));
        let mut drawing = Self { plot, frame, across, up, lines: Vec::new() };
        let on_canvas = |line: Vec<Option<(f64, f64)>>| thin(line.into_iter().map(|p| p.map(|p| drawing.at(p))));
        drawing.lines = placed.into_iter().map(on_canvas).collect();
        Some(drawing)
    }

    /// Where a point of the axes lies on the canvas.
    fn at(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let Frame { left, top, right, bottom, .. } = self.frame;
        (left + self.across.part(x) * (right - left), bottom - self.up.part(y) * (bottom - top))
    }

    fn content(&self) -> String {
        let mut svg = self.mesh();
        for (index, (curve, line)) in self.plot.curves.iter().zip(&self.lines).enumerate() {
            // A line with an end that later ones cover is drawn wider, so that it shows on both sides of them.
            let has_end = matches!(curve.marks, Marks::GoodEnd | Marks::BadEnd);
            let covering = self.lines[index + 1..].iter().filter(|later| has_end && runs_along(line, later));
            let later = covering.count().min(WIDEST);
            let wider = match later {
                0 => String::new(),
                count => format!(" style=\"stroke-width:{}\"", 2 + 3 * count),
            };
            let _ = writeln!(svg, "<path class=\"{}\"{wider} d=\"{}\"/>", class(curve), path(line));
            svg += &self.marks(curve, line, 1.0 + 0.3 * later as f64);
        }
        svg
    }

    /// Lines and names of the ticks, the name of the horizontal axis, and the level.
    fn mesh(&self) -> String {
        let Frame { left, right, bottom, .. } = *self.frame;
        let mut svg = String::new();
        for (tick, label) in &self.up.ticks {
            let (_, y) = self.at((self.across.range.start, *tick));
            let _ = write!(svg, "<path class=\"grid\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>");
            let (x, y) = (left - 6.0, y + 4.0);
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{label}</text>");
        }
        for (tick, label) in &self.across.ticks {
            let (x, _) = self.at((*tick, self.up.range.start));
            let _ = write!(svg, "<path class=\"grid\" d=\"M{x:.1} {bottom:.1}v5\"/>");
            let y = bottom + 19.0;
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{label}</text>");
        }
        let (x, y) = (0.5 * (left + right), bottom + 39.0);
        let name = escape(&self.plot.across.name);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{name}</text>");
        if let Some(level) = &self.plot.level {
            let height = self.plot.up.scale.coordinate(level.value);
            if self.up.range.contains(&height) {
                let (_, y) = self.at((self.across.range.start, height));
                let _ = write!(svg, "<path class=\"level\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>");
                let (x, y, name) = (left + 8.0, y - 5.0, escape(&level.name));
                let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\">{name}</text>");
            }
        }
        svg
    }

    fn marks(&self, curve: &Curve, line: &[Option<(f64, f64)>], scale: f64) -> String {
        let colour = match curve.stroke {
            Stroke::Faded => "faded".into(),
            _ => format!("c{}", curve.colour % COLOURS),
        };
        let points = || line.iter().flatten();
        match curve.marks {
            Marks::Points if points().count() <= MOST_MARKS => {
                points().map(|&point| mark(Marks::Points, point, scale, &colour)).collect()
            }
            Marks::None | Marks::Points => String::new(),
            end => points().last().map(|&point| mark(end, point, scale, &colour)).unwrap_or_default(),
        }
    }
}

fn mark(marks: Marks, (x, y): (f64, f64), scale: f64, colour: &str) -> String {
    let radius = if marks == Marks::Points { 3.0 } else { 5.0 * scale };
    match marks {
        Marks::BadEnd => format!(
            "<path class=\"line {colour}\" d=\"M{:.1} {:.1}l{d:.1} {d:.1}m0 -{d:.1}l-{d:.1} {d:.1}\"/>\n",
            x - radius,
            y - radius,
            d = 2.0 * radius
        ),
        _ => format!("<circle class=\"mark {colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>\n"),
    }
}

/// The commands that draw a line, broken at its gaps.
fn path(line: &[Option<(f64, f64)>]) -> String {
    let mut path = String::new();
    let mut is_joined = false;
    for point in line {
        if let Some((x, y)) = point {
            let _ = write!(path, "{}{x:.1} {y:.1}", if is_joined { "L" } else { "M" });
        }
        is_joined = point.is_some();
    }
    path
}

/// Leaves the first, lowest, highest and last of the points that share half a pixel, so that no peak is lost.
fn thin(points: impl Iterator<Item = Option<(f64, f64)>>) -> Vec<Option<(f64, f64)>> {
    let points: Vec<_> = points.collect();
    let column = |point: &Option<(f64, f64)>| point.map(|(x, _)| (2.0 * x).round() as i64);
    let mut kept = Vec::new();
    for group in points.chunk_by(|one, next| column(one) == column(next)) {
        if group.len() <= 4 || group[0].is_none() {
            kept.extend_from_slice(&group[..group.len().min(4)]);
            continue;
        }
        let height = |index: &usize| group[*index].map_or(0.0, |(_, y)| y);
        let lowest = (0..group.len()).max_by(|a, b| height(a).total_cmp(&height(b))).unwrap_or(0);
        let highest = (0..group.len()).min_by(|a, b| height(a).total_cmp(&height(b))).unwrap_or(0);
        let mut chosen = vec![0, lowest, highest, group.len() - 1];
        chosen.sort_unstable();
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|index| group[index]));
    }
    kept
}

/// Whether more than half of two lines cannot be told apart.
fn runs_along(one: &[Option<(f64, f64)>], other: &[Option<(f64, f64)>]) -> bool {
    let pairs = || one.iter().flatten().zip(other.iter().flatten());
    let near = pairs().filter(|(a, b)| (a.0 - b.0).abs().max((a.1 - b.1).abs()) < 2.0).count();
    2 * near > pairs().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_survive_thinning() {
        let points = (0..100_000).map(|x| Some((f64::from(x) * 0.005, if x == 77_777 { 9.0 } else { 1.0 })));
        let kept = thin(points);
        assert!(kept.len() <= 4 * 1001 && kept.contains(&Some((77_777.0 * 0.005, 9.0))));
    }

    #[test]
    fn thinning_keeps_both_ends_and_gaps() {
        let line = [Some((0.0, 5.0)), None, None, Some((3.0, 1.0)), Some((9.0, 2.0))];
        assert_eq!(thin(line.into_iter()), line);
        assert_eq!(path(&line), "M0.0 5.0M3.0 1.0L9.0 2.0");
    }

    #[test]
    fn lines_on_top_of_each_other_are_noticed() {
        let line: Vec<_> = (0..9).map(|x| Some((f64::from(x), 4.0))).collect();
        let apart: Vec<_> = line.iter().map(|point| point.map(|(x, y)| (x, y + 9.0))).collect();
        assert!(runs_along(&line, &line) && !runs_along(&line, &apart));
    }
}
