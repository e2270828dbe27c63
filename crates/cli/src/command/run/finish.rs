//! What is made of the frames: movie and report.

use std::path::Path;

use unstick::scene::Dim;
use unstick::scene::Dimension;
use unstick::scene::run::{self, Finished, RunRecord};

use super::members::Members;
use super::plan::Plan;
use crate::command::export::count;
use crate::error::CommandError;
use crate::output;

/// The files that people open.
pub struct Files(pub Finished);

/// Joins the pictures to a movie and writes the report.
pub fn finish<const D: usize>(plan: &Plan, members: &Members<D>) -> Result<Files, CommandError>
where
    Dim<D>: Dimension<D>,
{
    let runs: Vec<_> = members.iter().collect();
    let finished = run::finish(&plan.folder, &plan.record, &plan.placement, &runs)?;
    finished.notes.iter().for_each(output::note);
    Ok(Files(finished))
}

impl Files {
    /// The data files, a line for each kind.
    pub fn data(&self) -> impl Iterator<Item = String> {
        self.0.data_lines()
    }

    /// Where they are, in a line.
    pub fn line(&self) -> String {
        let report = self.0.report.display();
        match &self.0.movie {
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
            "movie": self.0.movie,
            "report": self.0.report,
            "data": self.0.data.iter().flat_map(|(_, counts)| counts.iter().map(count)).collect::<Vec<_>>(),
        });
        object.to_string()
    }
}
