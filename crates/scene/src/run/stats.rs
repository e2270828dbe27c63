//! `stats.csv`: a line per step.

use std::fmt::Write as _;
use std::path::Path;

use unstick_liquid::{Simulation, Stage, StepReport};

use super::RunError;
use super::csv::Csv;

/// The columns before the times of the stages.
const COLUMNS: &str = "step,time,dt,particles,volume,surface_volume,kinetic_energy,potential_energy,divergence,complementarity,\
    unknowns,wall_rows,active_rows,solver,converged,cycles,inner_iterations,residual";

/// The statistics of a run, on disk after every frame.
#[derive(Debug)]
pub(super) struct Stats(Csv);

impl Stats {
    /// Begins anew.
    pub fn create(path: &Path) -> Result<Self, RunError> {
        Ok(Self(Csv::create(path, &header())?))
    }

    /// Goes on after a step.
    pub fn resume(path: &Path, step: u64) -> Result<Self, RunError> {
        Ok(Self(Csv::resume(path, &header(), step)?))
    }

    /// Notes a step that was just taken.
    pub fn note<const D: usize>(&mut self, simulation: &Simulation<D>, report: &StepReport) {
        let StepReport { time, dt, particles, volume, surface_volume, kinetic_energy, potential_energy, .. } = report;
        let StepReport { divergence, complementarity, unknowns, wall_rows, active_rows, .. } = report;
        let StepReport { converged, cycles, inner_iterations, residual, .. } = report;
        let (step, solver) = (simulation.state().step, &report.solver);
        let line = &mut self.0.lines;
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
        self.0.flush()
    }
}

fn header() -> String {
    Stage::ALL.iter().fold(COLUMNS.to_owned(), |line, stage| line + ",seconds_" + stage.name())
}
