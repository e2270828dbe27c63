//! The table of totals.

use std::fmt::Write as _;

use unstick_files::page::escape;

use super::RunSeries;

/// One line per total, one column per run; lines that no run can tell are left out.
pub(super) fn render(runs: &[RunSeries]) -> String {
    let mut lines: Vec<(String, Vec<Option<String>>)> = Vec::new();
    let mut add = |name: &str, value: &dyn Fn(&RunSeries) -> Option<String>| {
        lines.push((name.to_owned(), runs.iter().map(value).collect()));
    };
    add("simulated time", &|run| Some(format!("{:.3} s", last(run, "time")?)));
    add("substeps", &|run| Some(run.times().len().to_string()));
    add("particles at the end", &|run| Some(format!("{:.0}", last(run, "particles")?)));
    add("volume at the end, of that at the start", &|run| {
        Some(format!("{:.2} %", 100.0 * last(run, "volume")? / first(run, "volume")?))
    });
    // Sources and drains change the number of particles, and nothing else does.
    add("volume per particle kept", &|run| {
        let per_particle =
            (last(run, "volume")? / last(run, "particles")?, first(run, "volume")? / first(run, "particles")?);
        Some(format!("{:.2} %", 100.0 * per_particle.0 / per_particle.1)).filter(|_| last(run, "particles") > Some(0.0))
    });
    add("cycles per solve, mean", &|run| Some(format!("{:.1}", mean(run.column("cycles")?)?)));
    add("cycles per solve, most", &|run| Some(format!("{:.0}", greatest(run.column("cycles")?)?)));
    add("inner iterations per solve, mean", &|run| Some(format!("{:.1}", mean(run.column("inner_iterations")?)?)));
    add("worst residual", &|run| Some(format!("{:.1e}", greatest(run.column("residual")?)?)));
    add("worst divergence", &|run| Some(format!("{:.1e}", greatest(run.column("divergence")?)?)));
    add("worst complementarity", &|run| Some(format!("{:.1e}", greatest(run.column("complementarity")?)?)));
    for stage in stage_names(runs) {
        add(&format!("seconds: {}", stage.replace('_', " ")), &|run| {
            let (_, values) = run.stages().find(|(name, _)| *name == stage)?;
            Some(format!("{:.2}", sum(values)))
        });
    }
    add("seconds: all stages", &|run| {
        let stages: Vec<f64> = run.stages().map(|(_, values)| sum(values)).collect();
        (!stages.is_empty()).then(|| format!("{:.2}", stages.iter().sum::<f64>()))
    });
    let mut table = String::from("<table><thead><tr><th></th>");
    for run in runs {
        let _ = write!(table, "<th>{}</th>", escape(&run.label));
    }
    table += "</tr></thead><tbody>\n";
    for (name, values) in lines.iter().filter(|(_, values)| values.iter().any(Option::is_some)) {
        let _ = write!(table, "<tr><th>{}</th>", escape(name));
        for value in values {
            let _ = write!(table, "<td>{}</td>", value.as_deref().unwrap_or("–"));
        }
        table += "</tr>\n";
    }
    table + "</tbody></table>\n"
}

/// The stages of all runs, in the order in which they first appear.
pub(super) fn stage_names(runs: &[RunSeries]) -> Vec<&str> {
    let mut names = Vec::new();
    for (name, _) in runs.iter().flat_map(RunSeries::stages) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn finite(values: &[f64]) -> impl Iterator<Item = f64> {
    values.iter().copied().filter(|value| value.is_finite())
}

fn first(run: &RunSeries, name: &str) -> Option<f64> {
    run.column(name)?.iter().copied().find(|value| value.is_finite())
}

fn last(run: &RunSeries, name: &str) -> Option<f64> {
    run.column(name)?.iter().copied().rfind(|value| value.is_finite())
}

fn sum(values: &[f64]) -> f64 {
    finite(values).sum()
}

fn mean(values: &[f64]) -> Option<f64> {
    let count = finite(values).count();
    (count > 0).then(|| sum(values) / count as f64)
}

fn greatest(values: &[f64]) -> Option<f64> {
    finite(values).reduce(f64::max)
}
