//! What is made of the frames: movie and report.

use std::path::{Path, PathBuf};

use unstick::scene::Dim;
use unstick::scene::Dimension;
use unstick::scene::Output;
use unstick::scene::movie::{FrameRate, transcode_with_ffmpeg, write_from_folder};
use unstick::scene::report::{self, RunSeries, RunSummary};
use unstick::scene::run::{RunError, RunRecord};

use super::members::Members;
use super::plan::Plan;
use crate::error::CommandError;
use crate::machine;
use crate::output;

/// The files that people open.
pub struct Files {
    pub movie: Option<PathBuf>,
    pub report: PathBuf,
}

/// Joins the pictures to a movie and writes the report.
pub fn finish<const D: usize>(plan: &Plan, members: &Members<D>) -> Result<Files, CommandError>
where
    Dim<D>: Dimension<D>,
{
    let movie = movie(plan, members)?;
    let mut runs = Vec::new();
    for (label, run) in members.iter() {
        let label = if label.is_empty() { "run" } else { label };
        runs.push(RunSeries::read_csv(label, &run.folder().join("stats.csv")).map_err(RunError::from)?);
    }
    let summary = RunSummary {
        title: plan.title.clone(),
        scene_toml: plan.record.toml.clone(),
        movie: movie.clone(),
        runs,
        facts: facts(plan, members),
    };
    let path = plan.folder.join("report.html");
    report::write(&summary, &path).map_err(RunError::from)?;
    Ok(Files { movie, report: path })
}

/// The movie that is best to look at: MP4 where `ffmpeg` is at hand, else animated PNG.
fn movie<const D: usize>(plan: &Plan, members: &Members<D>) -> Result<Option<PathBuf>, CommandError>
where
    Dim<D>: Dimension<D>,
{
    let Some(wish) = members.iter().next().map(|(_, run)| run.scene().output.clone()) else { return Ok(None) };
    join_frames(&plan.folder, &wish)
}

/// Joins the pictures of a run folder, if a movie is wanted.
pub fn join_frames(folder: &Path, wish: &Output) -> Result<Option<PathBuf>, CommandError> {
    if !(wish.frames && wish.movie) {
        return Ok(None);
    }
    let (frames, png, mp4) = (folder.join("frames"), folder.join("movie.png"), folder.join("movie.mp4"));
    let rate = FrameRate::per_second(wish.fps).map_err(RunError::from)?;
    write_from_folder(&frames, rate, &png).map_err(RunError::from)?;
    match transcode_with_ffmpeg(&frames, "%04d.png", wish.fps, &mp4) {
        Ok(true) => Ok(Some(mp4)),
        Ok(false) => Ok(Some(png)),
        Err(error) => {
            output::note(error); // the other movie is there
            Ok(Some(png))
        }
    }
}

fn facts<const D: usize>(plan: &Plan, members: &Members<D>) -> Vec<(String, String)>
where
    Dim<D>: Dimension<D>,
{
    let record = &plan.record;
    let cells = record.cells.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
    let mut facts = vec![("scene".to_owned(), record.scene.clone()), ("cells".into(), cells)];
    if let Some((_, run)) = members.iter().next() {
        let setup = run.simulation().setup();
        facts.push((
            "frames".into(),
            format!("{} of {}, {} s apart", members.frame(), record.frames, record.frame_seconds),
        ));
        facts.push(("solver".into(), setup.pressure.solver.to_string()));
        facts.push(("pressure on".into(), plan.placement.to_string()));
        facts.push(("tolerance".into(), format!("{:e}", setup.pressure.tolerance)));
    }
    facts.push(("seed".into(), record.seed.to_string()));
    facts.push(("threads".into(), record.threads.to_string()));
    facts.extend(machine::processor().map(|name| ("processor".into(), name)));
    facts.push(("unstick".into(), record.unstick.clone()));
    facts
}

impl Files {
    /// Where they are, in a line.
    pub fn line(&self) -> String {
        let report = self.report.display();
        match &self.movie {
            Some(movie) => format!("The movie is {}, the report {report}.", movie.display()),
            None => format!("The report is {report}."),
        }
    }

    /// Where they are, as an object.
    pub fn json(&self, folder: &Path, record: &RunRecord, frame: usize, finished: bool) -> String {
        let object = serde_json::json!({
            "folder": folder,
            "scene": record.scene,
            "frame": frame,
            "frames": record.frames,
            "finished": finished,
            "movie": self.movie,
            "report": self.report,
        });
        object.to_string()
    }
}
