//! Tables that grow line by line: `stats.csv` and `bodies.csv`. The first cell of a line is the step.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use unstick_bodies::{Forces, RigidBody};
use unstick_files::faults::{Point, pass};
use unstick_files::write_atomic;

use super::RunError;

/// A table on disk, up to date after every frame.
#[derive(Debug)]
pub(super) struct CsvTable {
    path: PathBuf,
    file: File,
    /// Lines that are not on disk yet.
    pub lines: String,
    /// Lines of steps before that say of a solve that it fell short of its tolerance.
    pub fell_short: usize,
}

impl CsvTable {
    /// Begins a table; or continues one after a step. Lines of later steps, and a line that was cut short, are dropped.
    pub fn open(path: &Path, header: &str, after: Option<u64>) -> Result<Self, RunError> {
        let mut kept = format!("{header}\n");
        if let Some(step) = after {
            let text = std::fs::read_to_string(path).map_err(RunError::file(path))?;
            let is_kept = |line: &&str| {
                let found = line.split(',').next().and_then(|cell| cell.parse::<u64>().ok());
                line.ends_with('\n') && found.is_some_and(|found| found <= step)
            };
            kept.extend(text.split_inclusive('\n').skip(1).filter(is_kept));
        }
        // The turns of a coupling are limited in number; they do not count.
        let counts = |name: &str| name.ends_with("converged") && name != "coupling_converged";
        let is_short = |(name, cell): (&str, &str)| counts(name) && cell == "false";
        let fell_short =
            kept.lines().skip(1).filter(|line| header.split(',').zip(line.split(',')).any(is_short)).count();
        write_atomic(path, kept.as_bytes()).map_err(RunError::file(path))?;
        let file = OpenOptions::new().append(true).open(path).map_err(RunError::file(path))?;
        Ok(Self { path: path.to_owned(), file, lines: String::new(), fell_short })
    }

    /// Makes the lines that were written survive a power failure.
    pub fn sync(&self) -> Result<(), RunError> {
        self.file.sync_data().map_err(RunError::file(&self.path))
    }

    /// Writes the new lines to the file.
    pub fn flush(&mut self) -> Result<(), RunError> {
        let written = pass(Point::Append, &self.path).and_then(|()| self.file.write_all(self.lines.as_bytes()));
        written.map_err(RunError::file(&self.path))?;
        self.lines.clear();
        Ok(())
    }
}

/// Place, motion and forces of a body after a step: the values of [`body_columns`], without the end of the line.
pub(super) fn write_body<const D: usize>(
    line: &mut String,
    step: u64,
    time: f64,
    body: &RigidBody<D>,
    forces: &Forces<D>,
) {
    let name = body.name().replace(['"', ',', '\n'], " ");
    let _ = write!(line, "{step},{time},{name}");
    let rotation = body.pose().rotation();
    let turning: &[f64] = if D == 2 { &[body.spin()[2]] } else { &body.spin() };
    let torque: &[f64] = if D == 2 { &[forces.torque[2]] } else { &forces.torque };
    let angle = [rotation[1][0].atan2(rotation[0][0])];
    let orientation: &[f64] = if D == 2 { &angle } else { rotation.as_flattened() };
    let groups = [&body.position(), orientation, &body.velocity(), turning, &forces.liquid, torque, &forces.contact];
    for value in groups.into_iter().flatten() {
        let _ = write!(line, ",{value}");
    }
}

/// Names of the columns of `bodies.csv` that every physics has.
pub(super) fn body_columns<const D: usize>() -> String {
    let axes = ["x", "y", "z"];
    let of_axes = |what: &str| (0..D).map(|axis| format!(",{what}_{}", axes[axis])).collect::<String>();
    let all_axes = |what: &str| axes.iter().map(|axis| format!(",{what}_{axis}")).collect::<String>();
    let turning = |what: &str| if D == 2 { format!(",{what}") } else { all_axes(what) };
    let orientation = match D {
        2 => ",angle".to_owned(),
        _ => (1..4).flat_map(|row| (1..4).map(move |column| format!(",rotation_{row}{column}"))).collect(),
    };
    let parts = [
        "step,time,body".to_owned(),
        (0..D).map(|axis| format!(",{}", axes[axis])).collect(),
        orientation,
        of_axes("velocity"),
        turning("spin"),
        of_axes("liquid_force"),
        turning("liquid_torque"),
        of_axes("contact_force"),
    ];
    parts.concat()
}
