//! Bodies in the liquid: known drags, light and heavy bodies, same bits.

use serde::de::DeserializeSeed as _;
use unstick_flow::{
    Axis, Boundary, Flow, FlowBody, FlowSetup, FlowState, Freedom, Inflow, RestoredFlow, TensorGrid, Twist,
    stress_force,
};
use unstick_grid::SignedDistance;

fn box_of(cells: usize) -> TensorGrid<2> {
    TensorGrid::new(std::array::from_fn(|_| Axis::uniform(0.0, 1.0, cells).unwrap()))
}

fn free_disc(centre: [f64; 2], radius: f64, density: f64, gravity: f64) -> FlowBody<2> {
    let mut body = FlowBody::ball(centre, radius);
    let mass = density * body.volume;
    let spin = 0.5 * mass * radius * radius;
    body.freedom = Freedom::Free {
        mass,
        inertia: [[0.0; 3], [0.0; 3], [0.0, 0.0, spin]],
        force: [0.0, -(mass - body.volume) * gravity],
        torque: [0.0; 3],
    };
    body
}

fn move_disc(body: &mut FlowBody<2>, by: [f64; 2], radius: f64) {
    body.centre = std::array::from_fn(|axis| body.centre[axis] + by[axis]);
    body.shape = SignedDistance::sphere(body.centre, radius);
}

#[test]
fn the_first_drag_benchmark_is_met_at_twelve_cells_per_diameter() {
    // DFG 2D-1: c_D 5.5795, c_L 0.0106.
    let spacing = 0.1 / 12.0;
    let x = Axis::clustered([0.0, 2.2], [0.12, 0.29], spacing, 1.08, 0.06).unwrap();
    let y = Axis::clustered([0.0, 0.41], [0.12, 0.28], spacing, 1.08, 0.06).unwrap();
    let mut setup = FlowSetup::new(TensorGrid::new([x, y]), 1e-3);
    setup.sides[0] = [Boundary::Inflow(Inflow::parabolic(0.3)), Boundary::Outflow];
    let mut flow = Flow::new(setup).unwrap();
    let mut bodies = [FlowBody::ball([0.2, 0.2], 0.05)];
    let mut drag = 0.0;
    for _ in 0..500 {
        let report = flow.advance(0.01, &mut bodies).unwrap();
        drag = 500.0 * report.forces[0].force[0];
    }
    let state = flow.state();
    let stress = stress_force(&flow.setup().grid, &state.velocity, &state.pressure, 1e-3, &bodies[0]);
    assert!((drag / 5.5795 - 1.0).abs() < 0.02, "{drag}");
    assert!((500.0 * stress.force[0] / drag - 1.0).abs() < 0.04, "{} against {drag}", 500.0 * stress.force[0]);
}

#[test]
fn a_body_as_heavy_as_the_liquid_stays_where_it_is() {
    let mut bodies = [free_disc([0.5, 0.5], 0.2, 1.0, 9.81)];
    let mut flow = Flow::new(FlowSetup::new(box_of(24), 0.01)).unwrap();
    (0..20).for_each(|_| drop(flow.advance(0.05, &mut bodies).unwrap()));
    assert!(bodies[0].twist.linear.iter().all(|speed| speed.abs() < 1e-12), "{:?}", bodies[0].twist);
}

#[test]
fn a_body_far_lighter_than_the_liquid_rises_without_rocking() {
    // Its mass is a twentieth of what it displaces: loose coupling would diverge within a few steps.
    let radius = 0.1;
    let mut bodies = [free_disc([0.5, 0.3], radius, 0.05, 1.0)];
    let mut flow = Flow::new(FlowSetup::new(box_of(48), 0.01)).unwrap();
    let (mut last, mut speeds) = (0.0, Vec::new());
    for _ in 0..40 {
        let by = bodies[0].twist.linear.map(|speed| 0.02 * speed);
        move_disc(&mut bodies[0], by, radius);
        flow.advance(0.02, &mut bodies).unwrap();
        let speed = bodies[0].twist.linear[1];
        speeds.push(speed);
        assert!(speed > last - 0.02 && speed < 1.0, "{speeds:?}");
        last = speed;
    }
    assert!(last > 0.1, "{speeds:?}");
    // Over the first step: buoyancy against the mass of the body, its added mass (that of the liquid in its place) and
    // the drag of a layer of √(ν Δt) around it, 4π R ν/√(ν Δt). The box is ten radii wide, which adds some.
    let (volume, layer) = (bodies[0].volume, (0.01f64 * 0.02).sqrt());
    let drag = 4.0 * std::f64::consts::PI * radius * 0.01 / layer;
    let expected = 0.95 * volume / (1.05 * volume / 0.02 + drag);
    assert!((speeds[0] / expected - 1.0).abs() < 0.15, "{} against {expected}", speeds[0]);
}

#[test]
fn momentum_that_a_body_takes_is_what_moves_it() {
    let radius = 0.12;
    let mut bodies = [free_disc([0.5, 0.7], radius, 2.0, 1.0)];
    let mut setup = FlowSetup::new(box_of(32), 0.02);
    (setup.solve.viscous_tolerance, setup.solve.pressure_tolerance) = (1e-12, 1e-12);
    let mut flow = Flow::new(setup).unwrap();
    let mut before = [0.0; 2];
    for step in 0..10 {
        let by = bodies[0].twist.linear.map(|speed| 0.01 * speed);
        move_disc(&mut bodies[0], by, radius);
        let report = flow.advance(0.01, &mut bodies).unwrap();
        let [now, last] = [bodies[0].twist.linear[1], bodies[0].previous.linear[1]];
        let rate = if step == 0 { (now - last) / 0.01 } else { (1.5 * now - 2.0 * last + 0.5 * before[1]) / 0.01 };
        let Freedom::Free { mass, force, .. } = bodies[0].freedom else { unreachable!() };
        let found = mass * rate - force[1];
        assert!((report.forces[0].force[1] - found).abs() < 1e-9 * mass, "{:?} against {found}", report.forces);
        before = bodies[0].previous.linear;
    }
}

/// Some steps of a disc that falls, from a state.
fn fall(threads: usize, interrupted: bool) -> (FlowState<2>, Twist<2>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let setup = FlowSetup::new(box_of(64), 0.01);
        let mut flow = Flow::new(setup.clone()).unwrap();
        let mut bodies = [free_disc([0.5, 0.7], 0.12, 2.0, 1.0)];
        for step in 0..6 {
            if interrupted && step == 3 {
                let text = serde_json::to_string(&flow.state().to_data()).unwrap();
                let state = RestoredFlow(&setup.grid).deserialize(&mut serde_json::Deserializer::from_str(&text));
                flow = Flow::new(setup.clone()).unwrap();
                flow.set_state(state.unwrap());
            }
            let by = bodies[0].twist.linear.map(|speed| 0.01 * speed);
            move_disc(&mut bodies[0], by, 0.12);
            flow.advance(0.01, &mut bodies).unwrap();
        }
        (flow.state().clone(), bodies[0].twist)
    })
}

#[test]
fn the_bits_do_not_depend_on_threads_or_interruptions() {
    let straight = fall(1, false);
    assert!(straight == fall(3, false));
    assert!(straight == fall(2, true));
}
