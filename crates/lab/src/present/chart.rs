//! Lines over an axis, for whatever there is to compare.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Axis;
use super::plot::{Area, Drawn, FAINT, HEIGHT, INK, LEGEND, LINE, PALETTE, SOFT, TITLE, WIDTH, text_style};
use crate::LabError;

/// Values further apart than this need a logarithmic axis.
const DECADES: f64 = 30.0;

/// Residuals below this part of the largest are rounding.
const LOWEST: f64 = 1e-16;

/// Colours of lines beyond the palette.
const MORE: [RGBColor; 5] = [
    RGBColor(120, 94, 240),
    RGBColor(140, 86, 75),
    RGBColor(127, 127, 127),
    RGBColor(188, 189, 34),
    RGBColor(23, 120, 80),
];

/// A plot.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Heading.
    pub title: String,
    /// What is across, and how.
    pub across: Across,
    /// What is upwards.
    pub up: String,
    /// What is drawn, in the order of the legend.
    pub lines: Vec<Line>,
}

/// What the horizontal axis shows.
#[derive(Clone, Debug)]
pub enum Across {
    /// Values as they are, under a name.
    Linear(String),
    /// A few values, logarithmic, with a tick at each.
    Places(String),
}

/// A line of a plot.
#[derive(Clone, Debug)]
pub struct Line {
    /// In the legend; lines without a name do not stand there.
    pub name: String,
    /// Lines of one colour belong together.
    pub colour: usize,
    /// Whether it is the lesser one of its colour: published, or a quartile.
    pub is_dashed: bool,
    /// Across and up.
    pub points: Vec<(f64, f64)>,
}

impl Chart {
    /// The plot as an SVG document; none if there is nothing to draw.
    pub fn svg(&self) -> Result<Option<String>, LabError> {
        let finite = |point: &&(f64, f64)| point.0.is_finite() && point.1.is_finite();
        let points: Vec<_> = self.lines.iter().flat_map(|line| line.points.iter().filter(finite)).copied().collect();
        if points.is_empty() {
            return Ok(None);
        }
        let is_logarithmic = needs_logarithm(&points);
        let lowest_shown = LOWEST * points.iter().map(|point| point.1).fold(0.0, f64::max);
        let up = |value: f64| if is_logarithmic { value.max(lowest_shown).log10() } else { value };
        let across = |value: f64| if matches!(self.across, Across::Places(_)) { value.log10() } else { value };
        let placed: Vec<Vec<(f64, f64)>> = self
            .lines
            .iter()
            .map(|line| line.points.iter().filter(finite).map(|&(x, y)| (across(x), up(y))).collect())
            .collect();
        let mut text = String::new();
        let height = HEIGHT.max(TITLE + LINE as u32 * (self.lines.len() as u32 + 2));
        let area = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
        let drawn = self.draw(&area, self.axes(&points, is_logarithmic, lowest_shown), &placed);
        drop(area);
        drawn.map_err(|error| LabError::Plot(error.to_string()))?;
        Ok(Some(text))
    }

    /// All points, a line for each: name, across, up.
    pub fn csv(&self) -> String {
        let (Across::Linear(across) | Across::Places(across)) = &self.across;
        let plain = |text: &str| text.replace(',', ";");
        let mut text = format!("line,{},{}\n", plain(across), plain(&self.up));
        for line in &self.lines {
            for (x, y) in &line.points {
                text += &format!("{},{x},{y}\n", plain(&line.name));
            }
        }
        text
    }

    fn axes(&self, points: &[(f64, f64)], is_logarithmic: bool, lowest_shown: f64) -> (Axis, Axis) {
        let extent = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high): (f64, f64), v| (low.min(v), high.max(v)))
        };
        let (left, right) = extent(&mut points.iter().map(|point| point.0));
        let (bottom, top) = extent(&mut points.iter().map(|point| point.1));
        let across = match self.across {
            Across::Linear(_) => Axis::linear(left, right),
            Across::Places(_) => Axis::places(&points.iter().map(|point| point.0).collect::<Vec<_>>()),
        };
        let up = match is_logarithmic {
            true => Axis::decades(bottom.max(lowest_shown), top),
            false => Axis::linear(bottom.min(0.0), top),
        };
        (across, up)
    }

    fn draw(&self, root: &Area, (across, up): (Axis, Axis), placed: &[Vec<(f64, f64)>]) -> Drawn {
        root.fill(&WHITE)?;
        root.draw(&Text::new(self.title.clone(), (20, 16), text_style(20, INK)))?;
        let (left, right) = root.margin(TITLE, 0, 0, 0).split_horizontally(WIDTH - LEGEND);
        let (Across::Linear(name) | Across::Places(name)) = &self.across;
        let mut chart = ChartBuilder::on(&left)
            .margin_left(12)
            .margin_bottom(10)
            .margin_top(6)
            .x_label_area_size(56)
            .y_label_area_size(72)
            .build_cartesian_2d(across, up)?;
        chart
            .configure_mesh()
            .bold_line_style(FAINT)
            .light_line_style(TRANSPARENT)
            .axis_style(SOFT)
            .label_style(text_style(15, INK))
            .axis_desc_style(text_style(16, INK))
            .x_desc(name)
            .y_desc(&self.up)
            .draw()?;
        let has_marks = placed.iter().map(Vec::len).max().unwrap_or(0) <= 60;
        for (line, points) in self.lines.iter().zip(placed) {
            let colour = colour_of(line);
            let stroke = colour.stroke_width(if line.is_dashed { 1 } else { 2 });
            match line.is_dashed {
                true => chart.draw_series(DashedLineSeries::new(points.iter().copied(), 5, 4, stroke))?,
                false => chart.draw_series(LineSeries::new(points.iter().copied(), stroke))?,
            };
            if has_marks && !line.is_dashed {
                chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
            }
        }
        self.draw_legend(&right)?;
        root.present()
    }

    fn draw_legend(&self, area: &Area) -> Drawn {
        let named = self.lines.iter().filter(|line| !line.name.is_empty());
        for (place, line) in named.enumerate() {
            let y = 20 + LINE * place as i32;
            let colour = colour_of(line);
            let parts: &[(i32, i32)] = if line.is_dashed { &[(12, 18), (22, 28), (32, 36)] } else { &[(12, 36)] };
            for &(from, to) in parts {
                area.draw(&PathElement::new([(from, y), (to, y)], colour.stroke_width(3)))?;
            }
            let beside = text_style(15, INK).pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(line.name.clone(), (44, y), beside))?;
        }
        Ok(())
    }
}

fn colour_of(line: &Line) -> RGBColor {
    let count = PALETTE.len() + MORE.len();
    let index = line.colour % count;
    PALETTE.iter().chain(&MORE).nth(index).copied().unwrap_or(INK)
}

/// Whether values are positive and far apart.
fn needs_logarithm(points: &[(f64, f64)]) -> bool {
    let least = points.iter().map(|point| point.1).filter(|&value| value > 0.0).fold(f64::INFINITY, f64::min);
    let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
    points.iter().all(|point| point.1 >= 0.0) && least.is_finite() && most > DECADES * least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: &[(f64, f64)]) -> Chart {
        let line = Line { name: "fas".into(), colour: 0, is_dashed: false, points: points.to_vec() };
        Chart { title: "t".into(), across: Across::Places("size".into()), up: "s".into(), lines: vec![line] }
    }

    #[test]
    fn a_chart_names_its_lines_and_an_empty_one_is_left_out() {
        let svg = chart(&[(32.0, 1e-3), (64.0, 1.0)]).svg().unwrap().unwrap();
        assert!(svg.contains("fas") && svg.contains("10⁻³"));
        assert!(chart(&[(32.0, f64::NAN)]).svg().unwrap().is_none());
    }

    #[test]
    fn zero_and_equal_values_are_drawn() {
        assert!(chart(&[(32.0, 0.0), (64.0, 0.0)]).svg().unwrap().is_some());
        assert!(chart(&[(32.0, 5.0)]).svg().unwrap().is_some());
        assert!(chart(&[(1.0, 0.0), (2.0, 1e-9), (3.0, 1.0)]).svg().unwrap().is_some());
    }
}
