//! A cylinder that oscillates in liquid at rest \[Dutsch1998\]: Re 100, Keulegan–Carpenter number 5.
//!
//! In units of its diameter and its largest speed: x = −A sin ωt with a period of 5.

use std::f64::consts::{PI, TAU};

use unstick::flow::{Axis, Flow, FlowBody, FlowSetup, Freedom, StepError, TensorGrid, Twist, stress_force};
use unstick::grid::SignedDistance;

use super::{Say, sound, thinned};
use crate::study::record::Findings;

const PERIOD: f64 = 5.0;
const VISCOSITY: f64 = 0.01;
const PERIODS: usize = 4;

pub fn run(cells: usize, say: Say) -> Result<Findings, StepError> {
    let spacing = 1.0 / cells as f64;
    let frequency = TAU / PERIOD;
    let reach = 1.0 / frequency;
    let x = sound(Axis::clustered([-15.0, 15.0], [-reach - 0.7, reach + 0.7], spacing, 1.08, 1.0));
    let y = sound(Axis::clustered([-10.0, 10.0], [-0.7, 0.7], spacing, 1.08, 1.0));
    let mut flow = sound(Flow::new(FlowSetup::new(TensorGrid::new([x, y]), VISCOSITY)));
    let mut bodies = [FlowBody::ball([0.0, 0.0], 0.5)];
    bodies[0].twist = Twist::translation([-1.0, 0.0]);
    bodies[0].previous = bodies[0].twist;
    let steps = (PERIOD / (0.3 * spacing)).ceil() as usize;
    let length = PERIOD / steps as f64;
    let (mut taken, mut stress) = (Vec::new(), Vec::new());
    for step in 1..=PERIODS * steps {
        let time = step as f64 * length;
        let body = &mut bodies[0];
        body.centre = [-reach * (frequency * time).sin(), 0.0];
        body.shape = SignedDistance::sphere(body.centre, 0.5);
        body.freedom = Freedom::Prescribed(Twist::translation([-(frequency * time).cos(), 0.0]));
        let report = flow.advance(length, &mut bodies)?;
        let state = flow.state();
        let by_stress = stress_force(&flow.setup().grid, &state.velocity, &state.pressure, VISCOSITY, &bodies[0]);
        taken.push((time, 2.0 * report.forces[0].force[0]));
        stress.push((time, 2.0 * by_stress.force[0]));
        say(format!("time {time:.2} of {}", PERIODS as f64 * PERIOD));
    }
    let [drag, inertia] = morison(&taken[(PERIODS - 1) * steps..]);
    Ok(Findings::default()
        .with("c_D", drag)
        .with("c_M", inertia)
        .drawing("momentum", thinned(&taken))
        .drawing("stress", thinned(&stress)))
}

/// The coefficients of drag and inertia that fit a force best: F = −½ c_D u|u| − ¼π c_M u' (times two).
fn morison(force: &[(f64, f64)]) -> [f64; 2] {
    let frequency = TAU / PERIOD;
    let (mut matrix, mut right) = ([0.0; 3], [0.0; 2]);
    for &(time, force) in force {
        let (speed, change) = (-(frequency * time).cos(), frequency * (frequency * time).sin());
        let parts = [-speed * speed.abs(), -0.5 * PI * change];
        matrix = [matrix[0] + parts[0] * parts[0], matrix[1] + parts[0] * parts[1], matrix[2] + parts[1] * parts[1]];
        right = [right[0] + parts[0] * force, right[1] + parts[1] * force];
    }
    let determinant = matrix[0] * matrix[2] - matrix[1] * matrix[1];
    [
        (right[0] * matrix[2] - right[1] * matrix[1]) / determinant,
        (right[1] * matrix[0] - right[0] * matrix[1]) / determinant,
    ]
}
