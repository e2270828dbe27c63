//! The page itself.

use std::path::Path;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use unstick_files::page::{self, escape};
use unstick_files::plot::{Curve, Dimension, Plot, Scale, Stroke};

use super::{ReportError, RunSeries, RunSummary, totals};

/// Writes the page. A reader of the path sees the old file or the complete new one.
pub fn write(summary: &RunSummary, path: &Path) -> Result<(), ReportError> {
    let page = render(summary)?;
    unstick_files::write_atomic(path, page.as_bytes())
        .map_err(|source| ReportError::File { path: path.to_owned(), source })
}

/// The page as text. Reads the movie, nothing else.
pub fn render(summary: &RunSummary) -> Result<String, ReportError> {
    let mut body = String::new();
    if !summary.facts.is_empty() {
        body += "<dl class=\"pairs\">";
        for (name, value) in &summary.facts {
            body += &format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value));
        }
        body += "</dl>\n";
    }
    if let Some(movie) = &summary.movie {
        body += &embed(movie)?;
    }
    if !summary.scene_toml.is_empty() {
        let scene = escape(&summary.scene_toml);
        body += &format!("<details><summary>Scene</summary><pre>{scene}</pre></details>\n");
    }
    let curves: String = body_plots(&summary.bodies).iter().filter_map(Plot::figure).collect();
    if !curves.is_empty() {
        body += &format!("<h2>Bodies</h2>\n<div class=\"plots\">\n{curves}</div>\n");
    }
    if !summary.runs.is_empty() {
        body += "<h2>Over time</h2>\n<div class=\"plots\">\n";
        plots(&summary.runs).iter().filter_map(Plot::figure).for_each(|plot| body += &plot);
        body += "</div>\n<h2>Totals</h2>\n";
        body += &totals::render(&summary.runs);
    }
    Ok(page::report(&summary.title, &body))
}

/// A movie or a picture as part of a page.
pub fn embed(movie: &Path) -> Result<String, ReportError> {
    let bytes = std::fs::read(movie).map_err(|source| ReportError::File { path: movie.to_owned(), source })?;
    let extension = movie.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let data = STANDARD.encode(bytes);
    Ok(match extension.as_str() {
        "mp4" | "webm" => {
            format!("<video controls loop autoplay muted src=\"data:video/{extension};base64,{data}\"></video>\n")
        }
        "gif" => format!("<img class=\"movie\" alt=\"the simulation\" src=\"data:image/gif;base64,{data}\">\n"),
        _ => format!("<img class=\"movie\" alt=\"the simulation\" src=\"data:image/png;base64,{data}\">\n"),
    })
}

fn plots(runs: &[RunSeries]) -> Vec<Plot> {
    let several = runs.len() > 1;
    let named = |run: &RunSeries, what: &str| if several { format!("{}, {what}", run.label) } else { what.to_owned() };
    let relative_volume = runs.iter().enumerate().map(|(colour, run)| {
        let values = run.column("volume").unwrap_or_default();
        let first = values.iter().copied().find(|value| value.is_finite()).unwrap_or(1.0);
        let relative: Vec<f64> = values.iter().map(|value| value / first).collect();
        curve(run, run.label.clone(), &relative, colour)
    });
    let pair = |names: [(&str, &str); 2]| {
        let mut curves = Vec::new();
        for (place, run) in runs.iter().enumerate() {
            for (second, (column, what)) in names.into_iter().enumerate() {
                let values = run.column(column).unwrap_or_default();
                // One run: two colours. Several: a colour each, and dashes.
                let colour = if several { place } else { second };
                let stroke = if several && second == 1 { Stroke::Dashed } else { Stroke::Solid };
                curves.push(Curve { stroke, ..curve(run, named(run, what), values, colour) });
            }
        }
        curves
    };
    let single = |column: &str| {
        let each = runs.iter().enumerate();
        each.map(|(colour, run)| curve(run, run.label.clone(), run.column(column).unwrap_or_default(), colour))
            .collect::<Vec<_>>()
    };
    let of_surface =
        |run: &RunSeries| run.column("surface_energy").unwrap_or_default().iter().any(|energy| *energy > 0.0);
    let has_tension = runs.iter().any(of_surface);
    let of_bubbles = |run: &RunSeries| run.column("bubbles").unwrap_or_default().iter().any(|count| *count > 0.0);
    let has_bubbles = runs.iter().any(of_bubbles);
    let mut stages = Vec::new();
    for (colour, stage) in totals::stage_names(runs).into_iter().enumerate() {
        for (place, run) in runs.iter().enumerate() {
            if let Some((_, values)) = run.stages().find(|(name, _)| *name == stage) {
                let stroke = if place > 0 { Stroke::Dashed } else { Stroke::Solid };
                stages.push(Curve { stroke, ..curve(run, named(run, &stage.replace('_', " ")), values, colour) });
            }
        }
    }
    let plot = |title, unit: &str, scale, curves| over_time(title, Dimension::new(unit, scale), curves);
    use Scale::{FromZero, Linear, Logarithmic};
    vec![
        plot("Volume", "relative to the start", Linear, relative_volume.collect()),
        plot("Energy", "J", Linear, pair([("kinetic_energy", "kinetic"), ("potential_energy", "potential")])),
        plot("Energy of the surface", "J", Linear, if has_tension { single("surface_energy") } else { Vec::new() }),
        plot(
            "Enclosed air",
            "volume of all bubbles",
            FromZero,
            if has_bubbles { single("bubble_volume") } else { Vec::new() },
        ),
        plot(
            "Solver cycles",
            "per pressure solve",
            FromZero,
            pair([("cycles", "cycles"), ("inner_iterations", "inner iterations")]),
        ),
        plot("Residual", "natural residual, m/s", Logarithmic, single("residual")),
        plot("Complementarity", "worst product", Logarithmic, single("complementarity")),
        plot("Worst divergence", "of a cell", Logarithmic, single("divergence")),
        plot(
            "Iterations",
            "per step",
            FromZero,
            pair([("viscous_iterations", "viscous step"), ("pressure_iterations", "pressure")]),
        ),
        plot(
            "Largest speed",
            "m/s",
            FromZero,
            pair([("fastest_liquid", "liquid, along an axis"), ("fastest_body", "bodies")]),
        ),
        plot(
            "Contacts",
            "and films thinner than two cells",
            FromZero,
            pair([("contacts", "contacts"), ("films", "films")]),
        ),
        plot("Time per stage", "seconds per substep", FromZero, stages),
        plot("Particles", "", Linear, single("particles")),
    ]
}

/// Place, velocity and force along every axis, all bodies in one plot.
fn body_plots(bodies: &[RunSeries]) -> Vec<Plot> {
    const QUANTITIES: [(&str, &str, &str); 11] = [
        ("x", "Place along x", "m"),
        ("y", "Place along y", "m"),
        ("z", "Place along z", "m"),
        ("velocity_x", "Velocity along x", "m/s"),
        ("velocity_y", "Velocity along y", "m/s"),
        ("velocity_z", "Velocity along z", "m/s"),
        ("spin", "Spin", "1/s"),
        ("liquid_force_x", "Force of the liquid along x", "N"),
        ("liquid_force_y", "Force of the liquid along y", "N"),
        ("liquid_force_z", "Force of the liquid along z", "N"),
        ("contact_force_y", "Force of contacts along y", "N"),
    ];
    let moves = |values: &[f64]| values.iter().any(|value| value.is_finite() && *value != values[0]);
    let plot = |&(column, title, unit): &(&str, &str, &str)| {
        let each = bodies.iter().enumerate().filter_map(|(colour, body)| {
            let values = body.column(column)?;
            moves(values).then(|| curve(body, body.label.clone(), values, colour))
        });
        over_time(title, Dimension::new(unit, Scale::Linear), each.collect())
    };
    QUANTITIES.iter().map(plot).collect()
}

/// A plot over time.
fn over_time(title: &str, up: Dimension, curves: Vec<Curve>) -> Plot {
    Plot { curves, ..Plot::new(title, Dimension::new("time (s)", Scale::Linear), up) }
}

/// Values over the time of a run.
fn curve(run: &RunSeries, name: String, values: &[f64], colour: usize) -> Curve {
    Curve::new(name, colour, run.times().into_iter().zip(values.iter().copied()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Image;

    fn run(label: &str, factor: f64) -> RunSeries {
        let column = |name: &str, value: &dyn Fn(f64) -> f64| {
            (name.to_owned(), (0..300).map(|step| value(f64::from(step) * 0.01)).collect())
        };
        let columns = vec![
            column("time", &|time| time),
            column("particles", &|_| 20_000.0),
            column("volume", &|time| 0.12 * (1.0 - 0.01 * factor * time)),
            column("kinetic_energy", &|time| 40.0 * (3.0 * time).sin().abs() * (-0.5 * factor * time).exp()),
            column("potential_energy", &|time| 300.0 - 30.0 * (3.0 * time).sin().abs()),
            column("cycles", &|time| (4.0 + 3.0 * (20.0 * time).sin() * factor).round()),
            column("residual", &|time| 1e-7 * (1.0 + (50.0 * time).sin().abs() * 30.0 * factor)),
            column("seconds_pressure", &|time| 0.02 + 0.01 * factor * (9.0 * time).cos().abs()),
            column("seconds_particles", &|time| 0.008 + 0.001 * time),
        ];
        RunSeries::new(label, columns)
    }

    #[test]
    fn a_page_holds_movie_scene_plots_and_totals() {
        let folder = tempfile::tempdir().unwrap();
        let movie = folder.path().join("movie.png");
        Image::new(8, 8, [9; 3]).write_png(&movie).unwrap();
        let summary = RunSummary {
            title: "dam-break <2D>".into(),
            scene_toml: "size = 128 # a < b".into(),
            movie: Some(movie),
            runs: vec![run("sticking", 1.0), run("separating", 0.5)],
            facts: vec![("threads".into(), "2".into())],
            ..RunSummary::default()
        };
        let path = folder.path().join("report.html");
        write(&summary, &path).unwrap();
        let page = std::fs::read_to_string(&path).unwrap();
        assert!(page.contains("dam-break &lt;2D&gt;") && page.contains("a &lt; b"));
        assert!(page.contains("src=\"data:image/png;base64,iVBORw0KGgo"));
        assert_eq!(page.matches("<figure>").count(), 6, "plots without columns are left out");
        assert!(page.contains("<tr><th>volume per particle kept</th><td>97.01 %</td><td>98.50 %</td></tr>"));
        assert!(page.contains("<tr><th>seconds: all stages</th><td>"), "the time in all");
        assert!(!page.contains("http"), "nothing is fetched from elsewhere");
    }

    /// A drain takes half of the particles and their volume: nothing is lost.
    #[test]
    fn what_a_drain_takes_is_no_loss() {
        let columns = [("time", [0.0, 1.0]), ("particles", [100.0, 50.0]), ("volume", [0.2, 0.1])];
        let columns = columns.map(|(name, values)| (name.to_owned(), values.to_vec())).into();
        let summary = RunSummary { runs: vec![RunSeries::new("run", columns)], ..RunSummary::default() };
        let page = render(&summary).unwrap();
        assert!(page.contains("<th>volume per particle kept</th><td>100.00 %</td>"), "{page}");
        assert!(page.contains("<th>volume at the end, of that at the start</th><td>50.00 %</td>"), "{page}");
    }

    #[test]
    fn a_missing_movie_is_named_and_an_empty_run_is_a_page() {
        let summary = RunSummary { movie: Some("/nowhere/movie.png".into()), ..RunSummary::default() };
        assert!(render(&summary).unwrap_err().to_string().starts_with("/nowhere/movie.png"));
        let empty = RunSummary { runs: vec![RunSeries::default()], ..RunSummary::default() };
        assert!(render(&empty).is_ok());
    }
}
