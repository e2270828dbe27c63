//! What is made of a run at its end: movie and report.

use std::path::PathBuf;
use std::time::Instant;

use unstick_files::FileCount;
use unstick_gpu::Placement;

use super::{RunError, RunFolder, RunRecord};
use crate::movie::{write_apng, write_mp4};
use crate::output::Output;
use crate::report::{self, RunSeries, RunSummary};

/// Bodies of each run that get curves of their own in the report.
const CURVES: usize = 4;

/// One of the runs of a folder at its end.
pub(super) struct Member<'a> {
    /// What tells it from the others; empty for a single one.
    pub label: &'a str,
    pub folder: &'a RunFolder,
    /// Time that no line of `stats.csv` has: columns and seconds.
    pub unwritten: Vec<(&'static str, f64)>,
    pub output: &'a Output,
    /// What there is to say of its physics.
    pub facts: &'a [(String, String)],
    /// What a user should know of it.
    pub warnings: &'a [String],
    /// Names of its bodies.
    pub bodies: Vec<&'a str>,
    /// The last complete frame.
    pub reached: usize,
    /// Steps that fell short of a tolerance.
    pub unconverged: usize,
}

/// The files that people open.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// MP4 where `ffmpeg` is installed, else animated PNG; none if none is asked for.
    pub movie: Option<PathBuf>,
    /// The page.
    pub report: PathBuf,
    /// Data files, of one run after the other.
    pub data: Vec<DataFiles>,
    /// Steps of all runs that fell short of a tolerance.
    pub unconverged: usize,
    /// What did not go as it should have, though nothing is lost.
    pub notes: Vec<String>,
}

/// The data files of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct DataFiles {
    /// Its folder within that of a comparison; empty for a single run.
    pub folder: String,
    /// How many there are of each kind.
    pub counts: Vec<FileCount>,
}

impl Finished {
    /// How many data files there are and how large they are, a line for each kind.
    pub fn data_lines(&self) -> impl Iterator<Item = String> {
        data_lines(&self.data)
    }
}

fn data_lines(data: &[DataFiles]) -> impl Iterator<Item = String> {
    data.iter().flat_map(|DataFiles { folder, counts }| {
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        counts.iter().map(move |count| format!("{folder}{count}"))
    })
}

/// Joins the pictures of a folder to a movie and writes the report on its runs.
pub(super) fn finish(
    folder: &RunFolder,
    record: &RunRecord,
    placement: &Placement,
    members: &[Member<'_>],
) -> Result<Finished, RunError> {
    let mut notes: Vec<String> = members.iter().filter_map(unconverged_note).collect();
    let start = Instant::now();
    let movie = match members.first() {
        Some(member) => join_pictures(folder, member.output, &mut notes)?,
        None => None,
    };
    let of_movie = [("seconds_pictures", start.elapsed().as_secs_f64())];
    let (mut runs, mut bodies) = (Vec::new(), Vec::new());
    for member in members {
        let label = if member.label.is_empty() { "run" } else { member.label };
        let mut series = RunSeries::read_csv(label, &member.folder.stats())?;
        member.unwritten.iter().chain(&of_movie).for_each(|(column, seconds)| series.add_to_last(column, *seconds));
        runs.push(series);
        bodies.extend(curves(member)?);
    }
    let data: Vec<DataFiles> = members.iter().map(|member| data_of(folder, member)).collect();
    let mut facts = facts(record, placement, members);
    let warnings = members.first().into_iter().flat_map(|member| member.warnings);
    facts.extend(warnings.map(|warning| ("warning".to_owned(), warning.clone())));
    facts.extend(members.iter().filter_map(unconverged_note).map(|note| ("not converged".to_owned(), note)));
    facts.extend(data_lines(&data).map(|line| ("data".to_owned(), line)));
    let summary = RunSummary {
        title: record.title.clone(),
        scene_toml: record.toml.clone(),
        movie: movie.clone(),
        runs,
        bodies,
        facts,
    };
    let path = folder.report();
    report::write(&summary, &path)?;
    let unconverged = members.iter().map(|member| member.unconverged).sum();
    Ok(Finished { movie, report: path, data, unconverged, notes })
}

fn unconverged_note(member: &Member<'_>) -> Option<String> {
    let run = if member.label.is_empty() { String::new() } else { format!("{}: ", member.label) };
    let steps = if member.unconverged == 1 { "one step".into() } else { format!("{} steps", member.unconverged) };
    let table = member.folder.stats();
    (member.unconverged > 0).then(|| {
        format!("{run}{steps} fell short of a tolerance: the columns `…_converged` of {} say which", table.display())
    })
}

/// Paths of a few bodies.
fn curves(member: &Member<'_>) -> Result<Vec<RunSeries>, RunError> {
    if member.bodies.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = member.bodies.iter().take(CURVES).copied().collect();
    let mut curves = RunSeries::read_bodies(&names, &member.folder.bodies())?;
    if !member.label.is_empty() {
        curves.iter_mut().for_each(|curve| curve.label = format!("{}, {}", curve.label, member.label));
    }
    Ok(curves)
}

fn data_of(root: &RunFolder, member: &Member<'_>) -> DataFiles {
    let within = member.folder.path().strip_prefix(root.path()).unwrap_or(member.folder.path());
    DataFiles { folder: within.display().to_string(), counts: member.folder.data_files() }
}

/// Joins the pictures of a folder if a movie is wanted; gives the one that is best to look at.
fn join_pictures(folder: &RunFolder, output: &Output, notes: &mut Vec<String>) -> Result<Option<PathBuf>, RunError> {
    if !(output.frames && output.movie) {
        return Ok(None);
    }
    let (pictures, png, mp4) = (folder.pictures(), folder.movie_png(), folder.movie_mp4());
    write_apng(&pictures, output.fps, &png)?;
    match write_mp4(&pictures, output.fps, &mp4) {
        Ok(true) => Ok(Some(mp4)),
        Ok(false) => Ok(Some(png)),
        Err(error) => {
            notes.push(error.to_string()); // the other movie is there
            Ok(Some(png))
        }
    }
}

fn facts(record: &RunRecord, placement: &Placement, members: &[Member<'_>]) -> Vec<(String, String)> {
    let cells = record.cells.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
    let reached = members.iter().map(|member| member.reached).min().unwrap_or(0);
    let frames = format!("{reached} of {}, {} s apart", record.frames, record.frame_seconds);
    let mut facts: Vec<(String, String)> =
        vec![("scene".into(), record.scene.clone()), ("cells".into(), cells), ("frames".into(), frames)];
    facts.extend(members.first().into_iter().flat_map(|member| member.facts.iter().cloned()));
    facts.push(("pressure on".into(), placement.to_string()));
    facts.push(("seed".into(), record.seed.to_string()));
    facts.push(("threads".into(), record.threads.to_string()));
    let processor = record.machine.get("processor").and_then(|name| name.as_str());
    facts.extend(processor.map(|name| ("processor".into(), name.to_owned())));
    facts.push(("unstick".into(), record.unstick.clone()));
    facts
}
