//! Curves: over sizes, over iterations, over time.

use super::Observation;
use crate::present::chart::{Across, Chart, Line};
use crate::study::quantity::Quantity;
use crate::study::record::{Record, Solve};
use crate::study::table::{Cell, Table};

/// Lines of columns over rows that are numbers; published ones are dashed. Where only the columns are
/// numbers, lines of rows over columns.
pub fn over_rows(title: &str, up: &str, published: &Table, ours: &Table) -> Chart {
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
                lines.push(Line { name, colour, is_dashed, points });
            }
        }
    }
    Chart { title: title.into(), across: Across::Places(ours.corner.clone()), up: up.into(), lines }
}

/// Residual against iterations, a chart for each scene, on its finest grid and in its last frame.
pub fn convergence(title: &str, observations: &[Observation]) -> Vec<Chart> {
    let chart = |scene: &str| {
        let of_scene = || observations.iter().filter(|(place, _)| place.scene == scene);
        let finest = of_scene().map(|(place, _)| (place.size, place.frame)).max();
        let drawn = of_scene().filter(|(place, _)| Some((place.size, place.frame)) == finest);
        let line = |(colour, (place, record)): (usize, &Observation)| {
            let solve = solve_of(record)?;
            let points = solve.work.iter().zip(&solve.history).map(|(&work, h)| (work as f64, h / solve.reference));
            Some(Line {
                name: label(place.row, place.column),
                colour,
                is_dashed: colour >= 7,
                points: points.collect(),
            })
        };
        let (size, frame) = finest.unwrap_or_default();
        Chart {
            title: format!("{title}: {scene}, {size} cells along an axis, frame {frame}"),
            across: Across::Linear("iterations".into()),
            up: "residual, relative to that at zero".into(),
            lines: drawn.enumerate().filter_map(line).collect(),
        }
    };
    scenes(observations).into_iter().map(chart).collect()
}

/// What each method stops on against its outer iterations, in the last of the steps on the finest grid.
pub fn residuals(title: &str, observations: &[Observation]) -> Chart {
    let last = observations.iter().map(|(place, _)| (place.size, place.frame)).max();
    let drawn = observations.iter().filter(|(place, _)| Some((place.size, place.frame)) == last);
    let line = |(colour, (place, record)): (usize, &Observation)| {
        let Record::Step(step) = record else { return None };
        let points = step.history.iter().enumerate().map(|(cycle, &residual)| (cycle as f64, residual)).collect();
        Some(Line { name: label(place.row, place.column), colour, is_dashed: false, points })
    };
    Chart {
        title: title.into(),
        across: Across::Linear("outer iterations".into()),
        up: "residual, m/s".into(),
        lines: drawn.enumerate().filter_map(line).collect(),
    }
}

/// Residual against outer iterations: median and quartiles over all frames on the finest grid.
pub fn quartiles(title: &str, observations: &[Observation]) -> Vec<Chart> {
    let finest = observations.iter().map(|(place, _)| place.size).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (colour, column) in columns(observations).into_iter().enumerate() {
        let of_column = observations.iter().filter(|(place, _)| place.column == column && place.size == finest);
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
            lines.push(Line { name, colour, is_dashed: part != 0.5, points });
        }
    }
    vec![Chart {
        title: format!("{title}, {finest} cells along an axis"),
        across: Across::Linear("outer iterations".into()),
        up: "residual, relative to that at zero".into(),
        lines,
    }]
}

/// A quantity over time, a chart for each scene.
pub fn courses(title: &str, quantity: Quantity, observations: &[Observation]) -> Vec<Chart> {
    let chart = |scene: &str| {
        let of_scene = observations.iter().filter(|(place, _)| place.scene == scene);
        let line = |(colour, (place, record)): (usize, &Observation)| {
            let Record::Run(run) = record else { return None };
            let until = |count: usize| {
                let frames = run.frames[..count].to_vec();
                // The value of a run that ended here; rates are those of its last frame.
                let from = if matches!(quantity, Quantity::Iterations | Quantity::Cycles) { count - 1 } else { 0 };
                let part = crate::study::record::Course { frames: frames[from..].to_vec(), ..run.clone() };
                Some((run.frames[count - 1].time, quantity.of(&Record::Run(part))?))
            };
            let points = (1..=run.frames.len()).filter_map(until).collect();
            Some(Line { name: label(place.row, place.column), colour, is_dashed: false, points })
        };
        Chart {
            title: format!("{title}: {scene}"),
            across: Across::Linear("time, s".into()),
            up: quantity.name().into(),
            lines: of_scene.enumerate().filter_map(line).collect(),
        }
    };
    scenes(observations).into_iter().map(chart).collect()
}

/// Quantities of single steps over the frames they follow, a chart for each.
pub fn over_frames(title: &str, quantities: &[Quantity], observations: &[Observation]) -> Vec<Chart> {
    let chart = |&quantity: &Quantity| {
        let line = |(colour, column): (usize, &'static str)| {
            let steps = observations
                .iter()
                .filter(|(place, record)| place.column == column && matches!(record, Record::Step(_)));
            let points = steps.filter_map(|(place, record)| Some((place.frame as f64, quantity.of(record)?))).collect();
            Line { name: column.into(), colour, is_dashed: false, points }
        };
        Chart {
            title: title.into(),
            across: Across::Linear("frame".into()),
            up: quantity.name().into(),
            lines: columns(observations).into_iter().enumerate().map(line).collect(),
        }
    };
    quantities.iter().map(chart).collect()
}

/// Outer iterations, inner ones and outcome of each solve on the finest grid of each scene.
pub fn counts(observations: &[Observation]) -> Table {
    let several = scenes(observations).len() > 1;
    let mut rows = Vec::new();
    for scene in scenes(observations) {
        let of_scene = || observations.iter().filter(|(place, _)| place.scene == scene);
        let finest = of_scene().map(|(place, _)| place.size).max();
        for column in columns(observations) {
            for row in rows_of(observations, column) {
                let is_meant = |(place, _): &&Observation| {
                    place.column == column && place.row == row && Some(place.size) == finest
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
    let finest = observations.iter().map(|(place, _)| place.size).max().unwrap_or(0);
    let columns = columns(observations);
    let cycles = |column: &str| -> Vec<usize> {
        let of_column = observations.iter().filter(|(place, _)| place.column == column && place.size == finest);
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

fn scenes(observations: &[Observation]) -> Vec<&'static str> {
    distinct(observations.iter().map(|(place, _)| place.scene))
}

fn columns(observations: &[Observation]) -> Vec<&'static str> {
    distinct(observations.iter().map(|(place, _)| place.column))
}

fn rows_of(observations: &[Observation], column: &str) -> Vec<&'static str> {
    distinct(observations.iter().filter(|(place, _)| place.column == column).map(|(place, _)| place.row))
}

fn distinct(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
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

/// The curves that flows left, of those whose name begins with `of`, and the published ones, dashed.
pub fn of_flows(
    title: &str,
    of: &str,
    [across, up]: [&str; 2],
    published: &[(&str, &[(f64, f64)])],
    observations: &[Observation],
) -> Chart {
    let mut lines = Vec::new();
    for (place, record) in observations {
        let Record::Flow(findings) = record else { continue };
        for (name, points) in findings.curves.iter().filter(|(name, _)| name.starts_with(of)) {
            let name = format!("{name} {} {}", place.row, place.column).replace("  ", " ");
            lines.push(Line { name, colour: lines.len(), is_dashed: false, points: points.clone() });
        }
    }
    if lines.is_empty() {
        return Chart { title: title.into(), across: Across::Linear(across.into()), up: up.into(), lines };
    }
    for (name, points) in published {
        lines.push(Line { name: (*name).into(), colour: lines.len(), is_dashed: true, points: points.to_vec() });
    }
    Chart { title: title.into(), across: Across::Linear(across.into()), up: up.into(), lines }
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
