//! Lines of `bodies.csv`: place, motion and forces of a body after a step.

use std::fmt::Write as _;

use unstick_bodies::{Forces, RigidBody};

/// A body after a step.
pub(crate) struct BodyLine<'a, const D: usize> {
    pub step: u64,
    pub time: f64,
    pub body: &'a RigidBody<D>,
    pub forces: &'a Forces<D>,
}

/// Writes the values of [`columns`], without the end of the line.
pub(crate) fn write_body<const D: usize>(line: &mut String, entry: &BodyLine<'_, D>) {
    let BodyLine { step, time, body, forces } = entry;
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

/// Names of the columns that every physics has.
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
