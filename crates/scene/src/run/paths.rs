//! `bodies.csv`: a line per step and body.

use std::fmt::Write as _;
use std::path::Path;

use unstick_bodies::Afloat;
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
        let Some(afloat) = Afloat::of(simulation) else { return };
        let (state, contact) = (simulation.state(), afloat.contact());
        for (body, forces) in afloat.world().bodies().iter().zip(afloat.forces()) {
            let line = &mut self.0.lines;
            let name = body.name().replace(['"', ',', '\n'], " ");
            let _ = write!(line, "{},{},{name}", state.step, state.time);
            let rotation = body.pose().rotation();
            let turning: &[f64] = if D == 2 { &[body.spin()[2]] } else { &body.spin() };
            let torque: &[f64] = if D == 2 { &[forces.torque[2]] } else { &forces.torque };
            let angle = [rotation[1][0].atan2(rotation[0][0])];
            let orientation: &[f64] = if D == 2 { &angle } else { rotation.as_flattened() };
            let groups =
                [&body.position(), orientation, &body.velocity(), turning, &forces.liquid, torque, &forces.contact];
            for value in groups.into_iter().flatten() {
                let _ = write!(line, ",{value}");
            }
            let _ = writeln!(line, ",{},{:e}", contact.contacts, contact.deepest);
        }
    }

    /// Puts what was noted on disk.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.0.flush()
    }
}

fn header<const D: usize>() -> String {
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
        ",contacts,overlap".to_owned(),
    ];
    parts.concat()
}
