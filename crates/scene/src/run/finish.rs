//! What is made of a run at its end: movie and report.

use std::path::{Path, PathBuf};

use unstick_files::FileCount;
use unstick_gpu::Placement;

use super::{Run, RunError, RunRecord, data_files};
use crate::movie::{FrameRate, transcode_with_ffmpeg, write_from_folder};
use crate::output::Output;
use crate::report::{self, RunSeries, RunSummary};

/// The files that people open.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// MP4 where `ffmpeg` is at hand, else animated PNG; none if none is asked for.
    pub movie: Option<PathBuf>,
    /// The page.
    pub report: PathBuf,
    /// Data files by run and kind.
    pub data: Vec<(String, Vec<FileCount>)>,
    /// What did not go as it should have, though nothing is lost.
    pub notes: Vec<String>,
}

/// Joins the pictures of a run folder to a movie and writes the report on its runs: one, or several that are
/// compared, each with what to call it.
pub fn finish<const D: usize>(
    folder: &Path,
    record: &RunRecord,
    placement: &Placement,
    runs: &[(&str, &Run<D>)],
) -> Result<Finished, RunError> {
    let mut notes = Vec::new();
    let movie = match runs.first() {
        Some((_, run)) => join_frames(folder, &run.scene().output, &mut notes)?,
        None => None,
    };
    let mut series = Vec::new();
    for (label, run) in runs {
        let label = if label.is_empty() { "run" } else { label };
        series.push(RunSeries::read_csv(label, &run.folder().join("stats.csv"))?);
    }
    let data: Vec<_> = runs.iter().map(|(label, run)| ((*label).to_owned(), data_files(run.folder()))).collect();
    let mut facts = facts(record, placement, runs);
    facts.extend(data_lines(&data).map(|line| ("data".to_owned(), line)));
    let summary = RunSummary {
        title: record.title.clone(),
        scene_toml: record.toml.clone(),
        movie: movie.clone(),
        runs: series,
        facts,
    };
    let path = folder.join("report.html");
    report::write(&summary, &path)?;
    Ok(Finished { movie, report: path, data, notes })
}

impl Finished {
    /// How many data files there are and how large they are, a line for each kind.
    pub fn data_lines(&self) -> impl Iterator<Item = String> {
        data_lines(&self.data)
    }
}

fn data_lines(data: &[(String, Vec<FileCount>)]) -> impl Iterator<Item = String> {
    data.iter().flat_map(|(label, counts)| {
        let place = if label.is_empty() { String::new() } else { format!("{label}/") };
        counts.iter().map(move |count| format!("{place}{count}"))
    })
}

/// Joins the pictures of a run folder if a movie is wanted; gives the one that is best to look at.
pub fn join_frames(folder: &Path, wish: &Output, notes: &mut Vec<String>) -> Result<Option<PathBuf>, RunError> {
    if !(wish.frames && wish.movie) {
        return Ok(None);
    }
    let (frames, png, mp4) = (folder.join("frames"), folder.join("movie.png"), folder.join("movie.mp4"));
    write_from_folder(&frames, FrameRate::per_second(wish.fps)?, &png)?;
    match transcode_with_ffmpeg(&frames, "%04d.png", wish.fps, &mp4) {
        Ok(true) => Ok(Some(mp4)),
        Ok(false) => Ok(Some(png)),
        Err(error) => {
            notes.push(error.to_string()); // the other movie is there
            Ok(Some(png))
        }
    }
}

fn facts<const D: usize>(record: &RunRecord, placement: &Placement, runs: &[(&str, &Run<D>)]) -> Vec<(String, String)> {
    let cells = record.cells.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
    let mut facts = vec![("scene".to_owned(), record.scene.clone()), ("cells".into(), cells)];
    if let Some((_, run)) = runs.first() {
        let setup = run.simulation().setup();
        let reached = runs.iter().map(|(_, run)| run.frame()).min().unwrap_or(0);
        facts.push(("frames".into(), format!("{reached} of {}, {} s apart", record.frames, record.frame_seconds)));
        facts.push(("solver".into(), setup.pressure.solver.to_string()));
        facts.push(("pressure on".into(), placement.to_string()));
        facts.push(("tolerance".into(), format!("{:e}", setup.pressure.tolerance)));
    }
    facts.push(("seed".into(), record.seed.to_string()));
    facts.push(("threads".into(), record.threads.to_string()));
    let processor = record.machine.get("processor").and_then(|name| name.as_str());
    facts.extend(processor.map(|name| ("processor".into(), name.to_owned())));
    facts.push(("unstick".into(), record.unstick.clone()));
    facts
}
