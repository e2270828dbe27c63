//! Line plots as SVG: by themselves, or as figures of a [page](crate::page).

mod axis;
pub(crate) mod draw;

pub use axis::Scale;

use crate::page::escape;

/// Lines over an axis.
#[derive(Clone, Debug)]
pub struct Plot {
    /// Heading.
    pub title: String,
    /// What runs across.
    pub across: Dimension,
    /// What runs upwards.
    pub up: Dimension,
    /// The lines, in the order of the legend.
    pub curves: Vec<Curve>,
    /// A value of the vertical axis to mark, such as a tolerance.
    pub level: Option<Level>,
}

/// What an axis shows.
#[derive(Clone, Debug)]
pub struct Dimension {
    /// Name and unit.
    pub name: String,
    /// How values are spread.
    pub scale: Scale,
}

/// A dashed line across the plot with its name.
#[derive(Clone, Debug)]
pub struct Level {
    /// Where it is.
    pub value: f64,
    /// What it is called.
    pub name: String,
}

/// A line of a plot.
#[derive(Clone, Debug)]
pub struct Curve {
    /// In the legend; lines without a name are left out there.
    pub name: String,
    /// Across and up. A value that is not finite, or that the axis cannot show, is a gap.
    pub points: Vec<(f64, f64)>,
    /// Lines of one colour belong together.
    pub colour: usize,
    /// How the line is drawn.
    pub stroke: Stroke,
    /// Which of its points are marked.
    pub marks: Marks,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stroke {
    /// Without gaps.
    #[default]
    Solid,
    /// In dashes.
    Dashed,
    /// In dots.
    Dotted,
    /// In grey, behind the others.
    Faded,
}

/// Which points of a line are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// None.
    #[default]
    None,
    /// All of them, as long as they are few.
    Points,
    /// The last one, as a good end: a dot.
    GoodEnd,
    /// The last one, as a bad end: a cross.
    BadEnd,
}

impl Dimension {
    /// A name and a scale.
    pub fn new(name: impl Into<String>, scale: Scale) -> Self {
        Self { name: name.into(), scale }
    }
}

impl Curve {
    /// A solid line without marks.
    pub fn new(name: impl Into<String>, colour: usize, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, colour, stroke: Stroke::Solid, marks: Marks::None }
    }
}

impl Plot {
    /// A plot with a title and nothing in it yet.
    pub fn new(title: impl Into<String>, across: Dimension, up: Dimension) -> Self {
        Self { title: title.into(), across, up, curves: Vec::new(), level: None }
    }

    /// All points, one a line: name, across, up.
    pub fn csv(&self) -> String {
        let plain = |text: &str| text.replace(',', ";");
        let mut text = format!("line,{},{}\n", plain(&self.across.name), plain(&self.up.name));
        for curve in &self.curves {
            for (x, y) in &curve.points {
                text += &format!("{},{x},{y}\n", plain(&curve.name));
            }
        }
        text
    }

    /// A document of its own, with title and legend; none if there is nothing to draw.
    pub fn svg(&self) -> Option<String> {
        draw::document(self)
    }

    /// A figure for a page: caption, plot, legend; none if there is nothing to draw.
    pub fn figure(&self) -> Option<String> {
        let drawing = draw::drawing(self)?;
        let mut figure = format!("<figure><figcaption><b>{}</b>", escape(&self.title));
        if !self.up.name.is_empty() {
            figure += &format!(" <small>{}</small>", escape(&self.up.name));
        }
        figure += &format!("</figcaption>{drawing}");
        let has_values =
            |curve: &&Curve| curve.points.iter().any(|point| self.up.scale.coordinate(point.1).is_finite());
        let named: Vec<&Curve> = self.named().filter(has_values).collect();
        if named.len() > 1 {
            figure += "<p class=\"legend\">";
            for curve in named {
                let class = draw::class(curve);
                let key = format!("<svg viewBox=\"0 0 22 6\"><path class=\"{class}\" d=\"M0 3H22\"/></svg>");
                figure += &format!("<span>{key}{}</span> ", escape(&curve.name));
            }
            figure += "</p>";
        }
        Some(figure + "</figure>\n")
    }

    /// The lines of the legend.
    fn named(&self) -> impl Iterator<Item = &Curve> {
        self.curves.iter().filter(|curve| !curve.name.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(scale: Scale, points: &[(f64, f64)]) -> Plot {
        let (across, up) = (Dimension::new("size", Scale::AtValues), Dimension::new("s", scale));
        let curves = vec![Curve { marks: Marks::Points, ..Curve::new("fas <1>", 0, points.to_vec()) }];
        Plot { curves, ..Plot::new("t", across, up) }
    }

    #[test]
    fn a_plot_names_its_lines_and_its_ticks() {
        let svg = plot(Scale::Logarithmic, &[(32.0, 1e-3), (64.0, 1.0)]).svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains("fas &lt;1&gt;") && svg.contains("10⁻³") && svg.contains("size"));
    }

    #[test]
    fn a_plot_without_values_is_left_out() {
        for points in [&[][..], &[(32.0, f64::NAN)], &[(32.0, 0.0)]] {
            let plot = plot(Scale::Logarithmic, points);
            assert!(plot.svg().is_none() && plot.figure().is_none(), "{points:?}");
        }
        assert!(plot(Scale::Linear, &[(32.0, 0.0), (64.0, 0.0)]).svg().is_some());
    }

    #[test]
    fn points_are_also_a_table() {
        assert_eq!(plot(Scale::Linear, &[(1.0, 2.0)]).csv(), "line,size,s\nfas <1>,1,2\n");
    }
}
