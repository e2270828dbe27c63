//! `bodies.csv`: a line per step and body.

use std::fmt::Write as _;
use std::path::Path;

use unstick_bodies::{FloatingBodies, Forces, RigidBody};
use unstick_liquid::Simulation;

use super::RunError;
use super::csv::Csv;

/// Paths of and forces on the bodies of a run.
#[derive(Debug)]
pub(super) struct Paths(Csv);

impl Paths {
    /// Begins anew.
    pub fn create<const D: usize>(path: &Path) -> Result<Self, RunError> {
        Ok(Self(Csv::create(path, &header::<D>())?))
    }

    /// Goes on after a step.
    pub fn resume<const D: usize>(path: &Path, step: u64) -> Result<Self, RunError> {
        Ok(Self(Csv::resume(path, &header::<D>(), step)?))
    }

    /// Notes a step that was just taken.
    pub fn note<const D: usize>(&mut self, simulation: &Simulation<D>) {
        let Some(afloat) = FloatingBodies::of(simulation) else { return };
        let (state, contact) = (simulation.state(), afloat.contact());
        for (body, forces) in afloat.world().bodies().iter().zip(afloat.forces()) {
            let line = &mut self.0.lines;
            write_body(line, (state.step, state.time), body, forces);
            let _ = writeln!(line, ",{},{:e}", contact.contacts, contact.deepest);
        }
    }

    /// Puts what was noted on disk.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.0.flush()
    }
}

/// Place, motion and forces of a body after a step, in the columns of [`columns`].
pub(crate) fn write_body<const D: usize>(
    line: &mut String,
    (step, time): (u64, f64),
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

fn header<const D: usize>() -> String {
    columns::<D>() + ",contacts,overlap"
}

/// Names of the columns that every kind of run has.
pub(crate) fn columns<const D: usize>() -> String {
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
