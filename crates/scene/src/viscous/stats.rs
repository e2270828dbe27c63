//! `stats.csv` of a viscous flow: a line per step.

use std::fmt::Write as _;
use std::path::Path;

use unstick_bodies::{RigidBody, Suspension, SuspensionReport, SuspensionSeconds};
use unstick_grid::vector::length;

use crate::run::RunError;
use crate::run::csv::Csv;

/// The columns before the times of the stages.
const COLUMNS: &str = "step,time,dt,kinetic_energy,fastest_body,fastest_liquid,divergence,viscous_iterations,\
    pressure_iterations,contacts,contact_iterations,films,overlap";

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
    pub fn note<const D: usize>(&mut self, scene: &Suspension<D>, report: &SuspensionReport<D>) {
        let (state, bodies) = (scene.flow().state(), scene.bodies());
        let (flow, contact) = (&report.flow, &report.contact);
        let energy: f64 = bodies.iter().map(RigidBody::kinetic_energy).sum();
        let fastest = bodies.iter().map(|body| length(body.velocity())).fold(0.0, f64::max);
        let liquid = state.velocity.iter().flat_map(|field| field.values()).fold(0.0f64, |most, u| most.max(u.abs()));
        let line = &mut self.0.lines;
        let _ = write!(line, "{},{},{},{energy},{fastest},{liquid},", state.step, state.time, flow.length);
        let _ = write!(line, "{:e},{},{},", flow.divergence, flow.viscous.iterations, flow.pressure.iterations);
        let _ = write!(
            line,
            "{},{},{},{:e}",
            contact.contacts, contact.impulse_solve.iterations, report.films, contact.deepest
        );
        for (_, seconds) in report.seconds.parts() {
            let _ = write!(line, ",{seconds:.6}");
        }
        line.push('\n');
    }

    /// Puts what was noted on disk.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.0.flush()
    }
}

fn header() -> String {
    let stages = SuspensionSeconds::default().parts();
    stages.iter().fold(COLUMNS.to_owned(), |line, (stage, _)| line + ",seconds_" + stage)
}
