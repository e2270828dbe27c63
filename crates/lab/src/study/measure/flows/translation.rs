//! A ball moved steadily through liquid, across the cells: the numerical noise of its force.

use unstick::flow::{Axis, Flow, FlowBody, FlowSetup, Freedom, StepError, TensorGrid, Twist, stress_force};
use unstick::grid::SignedDistance;

use super::{Say, sound, thinned};
use crate::study::record::Findings;

/// In units of diameter and speed.
pub fn run(reynolds: f64, cells: usize, say: Say) -> Result<Findings, StepError> {
    let viscosity = 1.0 / reynolds;
    let spacing = 1.0 / cells as f64;
    let lateral = || sound(Axis::clustered([-2.0, 2.0], [-0.7, 0.7], spacing, 1.15, 6.0 * spacing));
    let z = sound(Axis::uniform(-3.0, 3.0, 6 * cells));
    let mut flow = sound(Flow::new(FlowSetup::new(TensorGrid::new([lateral(), lateral(), z]), viscosity)));
    // Off the grid lines, so that no symmetry helps.
    let mut bodies = [FlowBody::ball([0.013, 0.007, -2.0], 0.5)];
    let speed = Twist::translation([0.0, 0.0, 1.0]);
    (bodies[0].twist, bodies[0].previous, bodies[0].freedom) = (speed, speed, Freedom::Prescribed(speed));
    let length = 0.3 * spacing;
    let (mut taken, mut stress) = (Vec::new(), Vec::new());
    while bodies[0].centre[2] < 0.9 {
        bodies[0].centre[2] += length;
        bodies[0].shape = SignedDistance::sphere(bodies[0].centre, 0.5);
        let report = flow.advance(length, &mut bodies)?;
        let (state, place) = (flow.state(), bodies[0].centre[2]);
        let by_stress = stress_force(&flow.setup().grid, &state.velocity, &state.pressure, viscosity, &bodies[0]);
        taken.push((place, -report.forces[0].force[2]));
        stress.push((place, -by_stress.force[2]));
        say(format!("at {place:.2} of 0.9"));
    }
    let late = |force: &[(f64, f64)]| noise(&force[force.len() / 2..]);
    Ok(Findings::default()
        .with("noise by momentum, %", late(&taken))
        .with("noise by stress, %", late(&stress))
        .drawing("momentum", thinned(&taken))
        .drawing("stress", thinned(&stress)))
}

/// Root mean square of the deviation from a straight line, as percents of the mean.
fn noise(force: &[(f64, f64)]) -> f64 {
    let count = force.len() as f64;
    let mean = |value: &dyn Fn(&(f64, f64)) -> f64| force.iter().map(value).sum::<f64>() / count;
    let (centre, level) = (mean(&|point| point.0), mean(&|point| point.1));
    let slope = mean(&|point| (point.0 - centre) * (point.1 - level)) / mean(&|point| (point.0 - centre).powi(2));
    let rest = mean(&|point| (point.1 - level - slope * (point.0 - centre)).powi(2));
    100.0 * rest.sqrt() / level.abs()
}
