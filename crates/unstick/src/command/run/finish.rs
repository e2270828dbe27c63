//! What is made of the frames: movie and report.

use std::path::PathBuf;

use unstick::scene::Dim;
use unstick::scene::Dimension;
use unstick::scene::run;

use super::members::Members;
use super::plan::Plan;
use crate::error::CommandError;
use crate::output;

/// The files that people open.
pub struct Files {
    movie: Option<PathBuf>,
    report: PathBuf,
}

/// Joins the pictures to a movie and writes the report.
pub fn finish<const D: usize>(plan: &Plan, members: &Members<D>) -> Result<Files, CommandError>
where
    Dim<D>: Dimension<D>,
{
    let runs: Vec<_> = members.iter().collect();
    let run::Finished { movie, report, notes } = run::finish(&plan.folder, &plan.record, &plan.placement, &runs)?;
    notes.iter().for_each(output::note);
    Ok(Files { movie, report })
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
    pub fn json(&self, plan: &Plan, frame: usize, finished: bool) -> String {
        let object = serde_json::json!({
            "folder": plan.folder,
            "scene": plan.record.scene,
            "frame": frame,
            "frames": plan.record.frames,
            "finished": finished,
            "movie": self.movie,
            "report": self.report,
        });
        object.to_string()
    }
}
