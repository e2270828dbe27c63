//! Curves: over sizes, over iterations, over time.

use unstick::files::plot::{Curve, Dimension, Marks, Plot, Scale, Stroke};

use super::Observation;
use crate::study::quantity::Quantity;
use crate::study::record::{Record, Solve};
use crate::study::table::{Cell, Table};

/// Values further apart than this factor need a logarithmic axis.
const WIDE: f64 = 30.0;

/// Residuals below this part of the largest value are rounding.
const ROUNDING: f64 = 1e-16;

/// Name of an axis.
const RELATIVE: &str = "residual, relative to that at zero";

fn linear(name: &str) -> Dimension {
    Dimension::new(name, Scale::Linear)
}

fn curve(name: String, colour: usize, is_dashed: bool, points: Vec<(f64, f64)>) -> Curve {
    match is_dashed {
        true => Curve { stroke: Stroke::Dashed, ..Curve::new(name, colour, points) },
        false => Curve { marks: Marks::Points, ..Curve::new(name, colour, points) },
    }
}

/// A plot whose vertical axis is logarithmic if its values are positive and far apart.
fn chart(title: &str, across: Dimension, up: &str, mut curves: Vec<Curve>) -> Plot {
    let points = || curves.iter().flat_map(|curve| &curve.points).filter(|point| point.1.is_finite());
    let least = points().map(|point| point.1).filter(|&value| value > 0.0).fold(f64::INFINITY, f64::min);
    let most = points().map(|point| point.1).fold(0.0, f64::max);
    let is_wide = points().all(|point| point.1 >= 0.0) && least.is_finite() && most > WIDE * least;
    if is_wide {
        for point in curves.iter_mut().flat_map(|curve| &mut curve.points) {
            point.1 = if point.1.is_finite() { point.1.max(ROUNDING * most) } else { f64::NAN };
        }
    }
    let scale = if is_wide { Scale::Logarithmic } else { Scale::FromZero };
    Plot { curves, ..Plot::new(title, across, Dimension::new(up, scale)) }
}

/// Lines of columns over rows that are numbers; published ones are dashed. Where only the columns are
/// numbers, lines of rows over columns.
pub fn over_rows(title: &str, up: &str, published: &Table, ours: &Table) -> Plot {
    let is_number = |text: &String| text.parse::<f64>().is_ok();
    if !ours.rows.iter().any(|(row, _)| is_number(row)) && ours.columns.iter().any(is_number) {
        return over_rows(title, up, &published.transposed(), &ours.transposed());
    }
    let mut lines = Vec::new();
    for (colour, column) in ours.columns.iter().enumerate() {
        for (table, is_dashed) in [(ours, false), (published, true)] {
            let number = |(row, value): (&str, f64)| Some((row.parse::<f64>().ok().filter(|&row| row > 0.0)?, value));
            let points: Vec<_> = table.column(column).into_iter().filter_map(number).collect();
            if !points.is_empty() {
                let name = if is_dashed { format!("{column}, published") } else { column.clone() };
                lines.push(curve(name, colour, is_dashed, points));
            }
        }
    }
    chart(title, Dimension::new(ours.corner.clone(), Scale::AtValues), up, lines)
}

/// Residual against iterations, a chart for each scene, on its finest grid and in its last frame.
pub fn convergence(title: &str, observations: &[Observation]) -> Vec<Plot> {
    let of_scene = |scene: &str| {
        let records = || observations.iter().filter(|(measurement, _)| measurement.scene == scene);
        let finest = records().map(|(measurement, _)| (measurement.size, measurement.frame)).max();
        let drawn = records().filter(|(measurement, _)| Some((measurement.size, measurement.frame)) == finest);
        let line = |(colour, (measurement, record)): (usize, &Observation)| {
            let solve = solve_of(record)?;
            let points = solve.work.iter().zip(&solve.history).map(|(&work, h)| (work as f64, h / solve.reference));
            Some(curve(label(&measurement.row, &measurement.column), colour, colour >= 7, points.collect()))
        };
        let (size, frame) = finest.unwrap_or_default();
        let title = format!("{title}: {scene}, {size} cells along an axis, frame {frame}");
        let lines = drawn.enumerate().filter_map(line).collect();
        chart(&title, linear("iterations"), RELATIVE, lines)
    };
    scenes(observations).into_iter().map(of_scene).collect()
}

/// What each method stops on against its outer iterations, in the last of the steps on the finest grid.
pub fn residuals(title: &str, observations: &[Observation]) -> Plot {
    let last = observations.iter().map(|(measurement, _)| (measurement.size, measurement.frame)).max();
    let drawn = observations.iter().filter(|(measurement, _)| Some((measurement.size, measurement.frame)) == last);
    let line = |(colour, (measurement, record)): (usize, &Observation)| {
        let Record::Step(step) = record else { return None };
        let points = step.history.iter().enumerate().map(|(cycle, &residual)| (cycle as f64, residual)).collect();
        Some(curve(label(&measurement.row, &measurement.column), colour, false, points))
    };
    chart(title, linear("outer iterations"), "residual, m/s", drawn.enumerate().filter_map(line).collect())
}

/// Residual against outer iterations: median and quartiles over all frames on the finest grid.
pub fn quartiles(title: &str, observations: &[Observation]) -> Vec<Plot> {
    let finest = observations.iter().map(|(measurement, _)| measurement.size).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (colour, column) in columns(observations).into_iter().enumerate() {
        let of_column =
            observations.iter().filter(|(measurement, _)| measurement.column == column && measurement.size == finest);
        let solves: Vec<&Solve> = of_column.filter_map(|(_, record)| solve_of(record)).collect();
        let longest = solves.iter().map(|solve| solve.history.len()).max().unwrap_or(0);
        for (part, name) in [(0.5, column), (0.25, ""), (0.75, "")] {
            // A solve that has ended stays where it is.
            let at = |cycle: usize| {
                let ended = solves
                    .iter()
                    .filter_map(|solve| solve.history.get(cycle).or(solve.history.last()).map(|h| h / solve.reference));
                quantile(ended.collect(), part).map(|residual| (cycle as f64, residual))
            };
            let points = (0..longest).filter_map(at).collect();
            let name = if name.is_empty() { String::new() } else { format!("{name}: median and quartiles") };
            lines.push(curve(name, colour, part != 0.5, points));
        }
    }
    let title = format!("{title}, {finest} cells along an axis");
    vec![chart(&title, linear("outer iterations"), RELATIVE, lines)]
}

/// A quantity over time, a chart for each scene.
pub fn courses(title: &str, quantity: Quantity, observations: &[Observation]) -> Vec<Plot> {
    let of_scene = |scene: &str| {
        let records = observations.iter().filter(|(measurement, _)| measurement.scene == scene);
        let line = |(colour, (measurement, record)): (usize, &Observation)| {
            let Record::Run(run) = record else { return None };
            let until = |count: usize| {
                let frames = run.frames[..count].to_vec();
                // The value of a run that ended here; rates are those of its last frame.
                let from = if matches!(quantity, Quantity::Iterations | Quantity::Cycles) { count - 1 } else { 0 };
                let part = crate::study::record::Course { frames: frames[from..].to_vec(), ..run.clone() };
                Some((run.frames[count - 1].time, quantity.of(&Record::Run(part))?))
            };
            let points = (1..=run.frames.len()).filter_map(until).collect();
            Some(curve(label(&measurement.row, &measurement.column), colour, false, points))
        };
        let lines = records.enumerate().filter_map(line).collect();
        chart(&format!("{title}: {scene}"), linear("time, s"), quantity.name(), lines)
    };
    scenes(observations).into_iter().map(of_scene).collect()
}

/// Quantities of single steps over the frames they follow, a chart for each.
pub fn over_frames(title: &str, quantities: &[Quantity], observations: &[Observation]) -> Vec<Plot> {
    let of_quantity = |&quantity: &Quantity| {
        let line = |(colour, column): (usize, &str)| {
            let steps = observations
                .iter()
                .filter(|(measurement, record)| measurement.column == column && matches!(record, Record::Step(_)));
            let points = steps
                .filter_map(|(measurement, record)| Some((measurement.frame as f64, quantity.of(record)?)))
                .collect();
            curve(column.into(), colour, false, points)
        };
        let lines = columns(observations).into_iter().enumerate().map(line).collect();
        chart(title, linear("frame"), quantity.name(), lines)
    };
    quantities.iter().map(of_quantity).collect()
}

/// Outer iterations, inner ones and outcome of each solve on the finest grid of each scene.
pub fn counts(observations: &[Observation]) -> Table {
    let several = scenes(observations).len() > 1;
    let mut rows = Vec::new();
    for scene in scenes(observations) {
        let of_scene = || observations.iter().filter(|(measurement, _)| measurement.scene == scene);
        let finest = of_scene().map(|(measurement, _)| measurement.size).max();
        for column in columns(observations) {
            for row in rows_of(observations, column) {
                let is_meant = |(measurement, _): &&Observation| {
                    measurement.column == column && measurement.row == row && Some(measurement.size) == finest
                };
                let solves: Vec<&Solve> =
                    of_scene().filter(is_meant).filter_map(|(_, record)| solve_of(record)).collect();
                if !solves.is_empty() {
                    let name = label(row, column);
                    rows.push((if several { format!("{scene}: {name}") } else { name }, count_cells(&solves)));
                }
            }
        }
    }
    let columns =
        ["solves", "converged", "outer, median", "outer, most", "iterations, median", "residual left, median"];
    Table { corner: "solver".into(), columns: columns.map(String::from).to_vec(), rows }
}

fn count_cells(solves: &[&Solve]) -> Vec<Cell> {
    let number = |value: f64, text: String| Cell { text, value: Some(value) };
    let whole = |value: f64| number(value, format!("{value:.0}"));
    let median = |of: &dyn Fn(&Solve) -> f64| quantile(solves.iter().map(|solve| of(solve)).collect(), 0.5);
    let most = solves.iter().map(|solve| solve.cycles()).max().unwrap_or(0);
    let left = median(&|solve| solve.history.last().map_or(f64::NAN, |h| h / solve.reference)).unwrap_or(f64::NAN);
    vec![
        whole(solves.len() as f64),
        whole(solves.iter().filter(|solve| solve.converged).count() as f64),
        whole(median(&|solve| solve.cycles() as f64).unwrap_or(0.0)),
        whole(most as f64),
        whole(median(&|solve| solve.inner_iterations() as f64).unwrap_or(0.0)),
        number(left, format!("{left:.1e}")),
    ]
}

/// How many solves took how many outer iterations, on the finest grid.
pub fn histogram(observations: &[Observation]) -> Table {
    let finest = observations.iter().map(|(measurement, _)| measurement.size).max().unwrap_or(0);
    let columns = columns(observations);
    let cycles = |column: &str| -> Vec<usize> {
        let of_column =
            observations.iter().filter(|(measurement, _)| measurement.column == column && measurement.size == finest);
        of_column.filter_map(|(_, record)| solve_of(record)).map(Solve::cycles).collect()
    };
    let most = columns.iter().flat_map(|column| cycles(column)).max().unwrap_or(0);
    let row = |number: usize| {
        let count = |column: &&str| cycles(column).iter().filter(|&&cycles| cycles == number).count();
        let cell = |count: usize| Cell { text: count.to_string(), value: Some(count as f64) };
        (number.to_string(), columns.iter().map(count).map(cell).collect())
    };
    Table {
        corner: "outer iterations".into(),
        columns: columns.iter().map(|column| column.to_string()).collect(),
        rows: (1..=most).map(row).collect(),
    }
}

fn solve_of(record: &Record) -> Option<&Solve> {
    if let Record::Solve(solve) = record { Some(solve) } else { None }
}

fn label(row: &str, column: &str) -> String {
    if row.is_empty() { column.into() } else { format!("{column}, {row}") }
}

fn scenes<'o>(observations: &'o [Observation]) -> Vec<&'o str> {
    distinct(observations.iter().map(|(measurement, _)| measurement.scene.as_str()))
}

pub fn columns<'o>(observations: &'o [Observation]) -> Vec<&'o str> {
    distinct(observations.iter().map(|(measurement, _)| measurement.column.as_str()))
}

fn rows_of<'o>(observations: &'o [Observation], column: &str) -> Vec<&'o str> {
    let of_column = observations.iter().filter(|(measurement, _)| measurement.column == column);
    distinct(of_column.map(|(measurement, _)| measurement.row.as_str()))
}

fn distinct<'o>(names: impl Iterator<Item = &'o str>) -> Vec<&'o str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}

/// The value below which a part of them lies.
fn quantile(mut values: Vec<f64>, part: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    values.get((part * last as f64).round() as usize).copied()
}

/// The curves that flows left, of those whose name begins with `of`.
pub fn of_flows(title: &str, of: &str, [across, up]: [&str; 2], observations: &[Observation]) -> Plot {
    let mut lines = Vec::new();
    for (measurement, record) in observations {
        let Record::Flow(findings) = record else { continue };
        for (name, points) in findings.curves.iter().filter(|(name, _)| name.starts_with(of)) {
            let name = format!("{name} {} {}", measurement.row, measurement.column).replace("  ", " ");
            lines.push(curve(name, lines.len(), false, points.clone()));
        }
    }
    chart(title, linear(across), up, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_occur() {
        let of = |part| quantile(vec![4.0, 1.0, 3.0, 2.0, 5.0], part);
        assert_eq!([of(0.25), of(0.5), of(0.75)], [Some(2.0), Some(3.0), Some(4.0)]);
        assert_eq!(quantile(Vec::new(), 0.5), None);
    }
}
