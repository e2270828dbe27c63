//! Flow around a cylinder in a channel: the DFG benchmarks \[Schafer1996\].

use unstick::flow::{
    Axis, Boundary, Course, Flow, FlowBody, FlowSetup, Force, Inflow, Profile, StepError, TensorGrid, stress_force,
    velocity_at,
};
use unstick::grid::SignedDistance;

use super::{Say, sound, thinned};
use crate::study::record::Findings;

const DIAMETER: f64 = 0.1;
const HEIGHT: f64 = 0.41;
const VISCOSITY: f64 = 1e-3;
/// Cells that the flow may cross in a step. At 0.8 vortex shedding is unstable; below 0.5 results no longer change.
const CFL: f64 = 0.4;

/// A channel in the plane with the cylinder in it.
///
/// Away from the cylinder, cells grow by a ratio that tends to one on finer grids. With a fixed ratio, the wake and the
/// boundary layers would be equally coarse on every grid, and the lift would converge to a wrong value. The cylinder
/// is aligned with the grid: if it is shifted by half a cell, its mean lift is off by up to 0.025 at 24 cells.
fn channel(cells: usize, speed: f64, course: Course) -> (Flow<2>, [FlowBody<2>; 1]) {
    let spacing = DIAMETER / cells as f64;
    let growth = |rate: f64| 1.0 + rate / cells as f64;
    let coarsest = 5.0 * spacing;
    let x = sound(Axis::clustered([0.0, 2.2], [0.13, 0.27], spacing, growth(0.5), coarsest));
    let y = sound(Axis::clustered([0.0, HEIGHT], [0.13, 0.27], spacing, growth(0.25), coarsest));
    let mut setup = FlowSetup::new(TensorGrid::new([x, y]), VISCOSITY);
    setup.sides[0] = [Boundary::Inflow(Inflow { speed, profile: Profile::Parabolic, course }), Boundary::Outflow];
    (sound(Flow::new(setup)), [FlowBody::ball([0.2, 0.2], 0.5 * DIAMETER)])
}

/// Forces and pressure difference over time, as coefficients.
#[derive(Default)]
struct History {
    drag: Vec<(f64, f64)>,
    lift: Vec<(f64, f64)>,
    difference: Vec<(f64, f64)>,
}

impl History {
    /// Simulates until a time with steps of at most `longest`. Forces times `unit` are coefficients.
    fn of(
        flow: &mut Flow<2>,
        bodies: &mut [FlowBody<2>],
        until: f64,
        longest: f64,
        unit: f64,
        say: Say,
    ) -> Result<Self, StepError> {
        let mut history = Self::default();
        while flow.state().time < until {
            let length = flow.longest_step(CFL).unwrap_or(longest).min(longest).min(until - flow.state().time);
            let report = flow.advance(length.max(1e-9), bodies)?;
            let time = flow.state().time;
            history.drag.push((time, unit * report.forces[0].force[0]));
            history.lift.push((time, unit * report.forces[0].force[1]));
            history.difference.push((time, pressure_difference(flow)));
            say(format!("time {time:.3} of {until}, c_D {:.4}", unit * report.forces[0].force[0]));
        }
        Ok(history)
    }
}

/// Pressure in front of the cylinder minus that behind it, at its surface.
fn pressure_difference(flow: &Flow<2>) -> f64 {
    let grid = &flow.setup().grid;
    let (x, y) = (grid.axis(0), grid.axis(1));
    // Rows around the middle of the cylinder.
    let below = y.cell_at(0.2 - 0.5 * y.width(y.cell_at(0.2)));
    let part = (0.2 - y.centre(below)) / (y.centre(below + 1) - y.centre(below));
    let value = |column: usize| {
        let at = |row: usize| flow.state().pressure.at([column, row]);
        (1.0 - part) * at(below) + part * at(below + 1)
    };
    // Extrapolates linearly from two cells of liquid at least half a cell away from the surface.
    let at_surface = |place: f64, outwards: isize| {
        let mut near = x.cell_at(place);
        while (x.centre(near) - place) * outwards as f64 <= 0.5 * x.width(near) {
            near = near.saturating_add_signed(outwards);
        }
        let far = near.saturating_add_signed(outwards);
        let slope = (value(far) - value(near)) / (x.centre(far) - x.centre(near));
        value(near) + slope * (place - x.centre(near))
    };
    at_surface(0.15, -1) - at_surface(0.25, 1)
}

fn last(points: &[(f64, f64)]) -> f64 {
    points.last().map_or(f64::NAN, |point| point.1)
}

/// DFG 2D-1.
pub fn steady(cells: usize, say: Say) -> Result<Findings, StepError> {
    let (mut flow, mut bodies) = channel(cells, 0.3, Course::Ramp { duration: 1.0 });
    let unit = 2.0 / (0.2f64.powi(2) * DIAMETER);
    let history = History::of(&mut flow, &mut bodies, 12.0, 0.01, unit, say)?;
    let state = flow.state();
    let Force { force: stress, .. } =
        stress_force(&flow.setup().grid, &state.velocity, &state.pressure, VISCOSITY, &bodies[0]);
    Ok(Findings::default()
        .with("c_D", last(&history.drag))
        .with("c_L", last(&history.lift))
        .with("Δp", last(&history.difference))
        .with("c_D by stress", unit * stress[0])
        .with("c_L by stress", unit * stress[1])
        .drawing("c_L", thinned(&history.lift)))
}

/// Cells per diameter of the grid on which vortex shedding develops.
const COARSE: usize = 16;

/// DFG 2D-2: the largest coefficients of the last second, and the frequency of the lift.
///
/// Shedding takes seconds to become periodic. A coarse grid computes them, and finer grids start from its result.
pub fn periodic(cells: usize, say: Say) -> Result<Findings, StepError> {
    let unit = 2.0 / DIAMETER;
    let (mut flow, mut bodies) = channel(cells.min(COARSE), 1.5, Course::Ramp { duration: 0.2 });
    let mut until = 7.0;
    let mut history = History::of(&mut flow, &mut bodies, until, 0.01, unit, say)?;
    if cells > COARSE {
        let coarse = flow;
        (flow, bodies) = channel(cells, 1.5, Course::Steady);
        flow.start_from(|component, place| {
            velocity_at(&coarse.setup().grid, &coarse.state().velocity, component, place)
        });
        until = 3.0;
        history = History::of(&mut flow, &mut bodies, until, 0.01, unit, say)?;
    }
    let late = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
        points.iter().copied().filter(|point| point.0 > until - 1.2).collect()
    };
    let (drag, lift) = (late(&history.drag), late(&history.lift));
    let rises = crossings(&lift);
    let period = match rises[..] {
        [first, .., end] => (end - first) / (rises.len() - 1) as f64,
        _ => f64::NAN,
    };
    Ok(Findings::default()
        .with("c_D max", largest(&drag).1)
        .with("c_L max", largest(&lift).1)
        .with("St", DIAMETER / period)
        .drawing("c_D", drag)
        .drawing("c_L", thinned(&history.lift)))
}

/// DFG 2D-3.
pub fn pulse(cells: usize, say: Say) -> Result<Findings, StepError> {
    let (mut flow, mut bodies) = channel(cells, 1.5, Course::HalfSine { duration: 8.0 });
    let history = History::of(&mut flow, &mut bodies, 8.0, 0.005, 2.0 / DIAMETER, say)?;
    let (drag_time, drag) = largest(&history.drag);
    let (lift_time, lift) = largest(&history.lift);
    Ok(Findings::default()
        .with("c_D max", drag)
        .with("at t", drag_time)
        .with("c_L max", lift)
        .with("at t, c_L", lift_time)
        .with("Δp(8)", last(&history.difference))
        .drawing("c_D", thinned(&history.drag))
        .drawing("c_L", thinned(&history.lift)))
}

/// DFG 3D-1Z: a cylinder from wall to wall of a square duct.
pub fn in_space(cells: usize, say: Say) -> Result<Findings, StepError> {
    let spacing = DIAMETER / cells as f64;
    let growth = 1.0 + 1.0 / cells as f64;
    let x = sound(Axis::clustered([0.0, 2.5], [0.44, 0.56], spacing, growth, 6.0 * spacing));
    let y = sound(Axis::clustered([0.0, HEIGHT], [0.14, 0.26], spacing, growth, 3.0 * spacing));
    let z = sound(Axis::uniform(0.0, HEIGHT, 2 * cells));
    let mut setup = FlowSetup::new(TensorGrid::new([x, y, z]), VISCOSITY);
    let inflow = Inflow { speed: 0.45, profile: Profile::Parabolic, course: Course::Ramp { duration: 0.5 } };
    setup.sides[0] = [Boundary::Inflow(inflow), Boundary::Outflow];
    let mut flow = sound(Flow::new(setup));
    let shape = SignedDistance::capsule([0.5, 0.2, -1.0], [0.5, 0.2, 2.0], 0.5 * DIAMETER);
    let mut bodies = [FlowBody::prescribed(shape, [0.5, 0.2, 0.5 * HEIGHT], 0.51 * HEIGHT, 0.0)];
    let unit = 2.0 / (0.2f64.powi(2) * DIAMETER * HEIGHT);
    let (mut drag, mut lift) = (Vec::new(), Vec::new());
    let until = 5.0;
    while flow.state().time < until {
        let length = flow.longest_step(0.5).unwrap_or(0.02).min(0.02);
        let report = flow.advance(length, &mut bodies)?;
        let time = flow.state().time;
        drag.push((time, unit * report.forces[0].force[0]));
        lift.push((time, unit * report.forces[0].force[1]));
        say(format!("time {time:.2} of {until}, c_D {:.4}", last(&drag)));
    }
    Ok(Findings::default().with("c_D", last(&drag)).with("c_L", last(&lift)).drawing("c_D", thinned(&drag)))
}

/// The largest value of a curve and where it is.
fn largest(points: &[(f64, f64)]) -> (f64, f64) {
    points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((f64::NAN, f64::NAN))
}

/// Where a curve rises through zero.
fn crossings(points: &[(f64, f64)]) -> Vec<f64> {
    let rise = |pair: &[(f64, f64)]| {
        let [(t0, y0), (t1, y1)] = [pair[0], pair[1]];
        (y0 < 0.0 && y1 >= 0.0).then(|| t0 - y0 * (t1 - t0) / (y1 - y0))
    };
    points.windows(2).filter_map(rise).collect()
}
