//! `bodies.csv` of a viscous flow: a line per body, after every step or every frame.

use std::path::Path;

use unstick_bodies::{Forces, Suspension};

use crate::run::RunError;
use crate::run::csv::Csv;
use crate::run::paths::{columns, write_body};

/// Paths of and forces on the bodies of a run.
#[derive(Debug)]
pub(super) struct Paths(Csv);

impl Paths {
    /// Begins anew.
    pub fn create<const D: usize>(path: &Path) -> Result<Self, RunError> {
        Ok(Self(Csv::create(path, &columns::<D>())?))
    }

    /// Goes on after a step.
    pub fn resume<const D: usize>(path: &Path, step: u64) -> Result<Self, RunError> {
        Ok(Self(Csv::resume(path, &columns::<D>(), step)?))
    }

    /// Notes where the bodies are and what acted on them in the last step.
    pub fn note<const D: usize>(&mut self, scene: &Suspension<D>) {
        let state = scene.flow().state();
        let forces = scene.forces().iter().zip(scene.contact_forces());
        for (body, (liquid, contact)) in scene.bodies().iter().zip(forces) {
            let forces = Forces { liquid: liquid.force, torque: liquid.torque, contact: contact.force };
            write_body(&mut self.0.lines, (state.step, state.time), body, &forces);
            self.0.lines.push('\n');
        }
    }

    /// Puts what was noted on disk.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.0.flush()
    }
}
