//! `stats.csv`: a line per step.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use unstick_liquid::{Simulation, Stage, StepReport};

use super::RunError;
use crate::draw::write_whole;

/// The columns before the times of the stages.
const COLUMNS: &str = "step,time,dt,particles,volume,surface_volume,kinetic_energy,potential_energy,divergence,complementarity,\
    unknowns,wall_rows,active_rows,solver,converged,cycles,inner_iterations,residual";

/// The statistics of a run, on disk after every frame.
#[derive(Debug)]
pub(super) struct Stats {
    path: PathBuf,
    file: File,
    lines: String,
}

impl Stats {
    /// Begins anew.
    pub fn create(path: &Path) -> Result<Self, RunError> {
        write_whole(path, (header() + "\n").as_bytes()).map_err(RunError::file(path))?;
        Self::open(path)
    }

    /// Goes on after a step; whatever was written of later ones is dropped.
    pub fn resume(path: &Path, step: u64) -> Result<Self, RunError> {
        let text = std::fs::read_to_string(path).map_err(RunError::file(path))?;
        let mut kept = header() + "\n";
        let is_kept = |line: &str| {
            line.split(',').next().and_then(|cell| cell.parse().ok()).is_some_and(|found: u64| found <= step)
        };
        for line in text.split_inclusive('\n').skip(1).filter(|line| line.ends_with('\n') && is_kept(line)) {
            kept.push_str(line);
        }
        write_whole(path, kept.as_bytes()).map_err(RunError::file(path))?;
        Self::open(path)
    }

    fn open(path: &Path) -> Result<Self, RunError> {
        let file = OpenOptions::new().append(true).open(path).map_err(RunError::file(path))?;
        Ok(Self { path: path.to_owned(), file, lines: String::new() })
    }

    /// Notes a step that was just taken.
    pub fn note<const D: usize>(&mut self, simulation: &Simulation<D>, report: &StepReport) {
        let StepReport { time, dt, particles, volume, surface_volume, kinetic_energy, potential_energy, .. } = report;
        let StepReport { divergence, complementarity, unknowns, wall_rows, active_rows, .. } = report;
        let StepReport { converged, cycles, inner_iterations, residual, .. } = report;
        let (step, solver) = (simulation.state().step, &report.solver);
        let line = &mut self.lines;
        let _ = write!(
            line,
            "{step},{time},{dt},{particles},{volume},{surface_volume},{kinetic_energy},{potential_energy},"
        );
        let _ = write!(line, "{divergence:e},{complementarity:e},{unknowns},{wall_rows},{active_rows},{solver},");
        let _ = write!(line, "{converged},{cycles},{inner_iterations},{residual:e}");
        for seconds in report.seconds {
            let _ = write!(line, ",{:.6}", seconds.as_secs_f64());
        }
        line.push('\n');
    }

    /// Puts what was noted on disk.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.file.write_all(self.lines.as_bytes()).map_err(RunError::file(&self.path))?;
        self.lines.clear();
        Ok(())
    }
}

fn header() -> String {
    Stage::ALL.iter().fold(COLUMNS.to_owned(), |line, stage| line + ",seconds_" + stage.name())
}
