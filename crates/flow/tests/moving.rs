//! Grids whose nodes move.

use std::f64::consts::TAU;

use serde::de::DeserializeSeed as _;
use unstick_flow::{
    Axis, Boundary, Flow, FlowBody, FlowSetup, FlowState, FollowingAxis, Freedom, Inflow, RestoredFlow, StepError,
    TensorGrid, Twist,
};
use unstick_grid::SignedDistance;

/// An axis of the unit interval whose inner nodes swing, those in the middle by a tenth of it.
fn swinging(cells: usize, time: f64) -> Axis {
    let node = |node: usize| {
        let rest = node as f64 / cells as f64;
        rest + if node.is_multiple_of(cells) {
            0.0
        } else {
            0.1 * (TAU * time).sin() * (0.5 * TAU * rest).sin().powi(2)
        }
    };
    Axis::new((0..=cells).map(node).collect()).unwrap()
}

fn grid<const D: usize>(cells: usize, time: f64) -> TensorGrid<D> {
    TensorGrid::new(std::array::from_fn(|axis| swinging(cells, time + 0.3 * axis as f64)))
}

fn assert_uniform<const D: usize>(sides: [[Boundary<D>; 2]; D], velocity: [f64; D]) {
    let mut setup = FlowSetup::new(grid(10, 0.0), 0.01);
    setup.sides = sides;
    let mut flow = Flow::new(setup).unwrap();
    flow.start_from(|component, _| velocity[component]);
    let mut time = 0.0;
    for step in 0..20 {
        let length = [0.02, 0.05, 0.01][step % 3];
        time += length;
        flow.advance_onto(length, grid(10, time), &mut []).unwrap();
        for (field, wanted) in flow.state().velocity.iter().zip(velocity) {
            let error = field.values().iter().map(|value| (value - wanted).abs()).fold(0.0, f64::max);
            assert!(error < 1e-12, "step {step}: {error:e}");
        }
    }
}

#[test]
fn a_uniform_flow_stays_uniform_to_rounding_whatever_the_nodes_do() {
    assert_uniform::<2>(std::array::from_fn(|_| [Boundary::Periodic, Boundary::Periodic]), [1.0, -0.7]);
    assert_uniform::<3>(std::array::from_fn(|_| [Boundary::Periodic, Boundary::Periodic]), [1.0, -0.7, 0.4]);
    let through = [Boundary::Inflow(Inflow::uniform(1.0)), Boundary::Outflow];
    assert_uniform::<2>([through, [Boundary::FreeSlip, Boundary::FreeSlip]], [1.0, 0.0]);
}

/// Error of the vortices of Taylor and Green after 0.2 s, beside that on nodes at rest.
fn vortex_error(cells: usize, swing: f64) -> f64 {
    let viscosity = 0.02;
    let mut setup = FlowSetup::<2>::new(grid(cells, 0.0), viscosity);
    setup.sides = std::array::from_fn(|_| [Boundary::Periodic, Boundary::Periodic]);
    let mut flow = Flow::new(setup).unwrap();
    let vortex = |component: usize, at: [f64; 2]| match component {
        0 => (TAU * at[0]).sin() * (TAU * at[1]).cos(),
        _ => -(TAU * at[0]).cos() * (TAU * at[1]).sin(),
    };
    flow.start_from(vortex);
    for step in 1..=cells {
        let time = 0.2 * step as f64 / cells as f64;
        flow.advance_onto(0.2 / cells as f64, grid(cells, swing * time), &mut []).unwrap();
    }
    let decay = (-2.0 * viscosity * TAU * TAU * flow.state().time).exp();
    let mut most: f64 = 0.0;
    for (component, field) in flow.state().velocity.iter().enumerate() {
        let [columns, rows] = field.shape();
        for place in (0..rows).flat_map(|j| (0..columns).map(move |i| [i, j])) {
            let exact = decay * vortex(component, flow.grid().face_centre(component, place));
            most = most.max((field.at(place) - exact).abs());
        }
    }
    most
}

#[test]
fn vortices_decay_with_second_order_among_moving_nodes() {
    let (moving, still) = ([16, 32, 64].map(|cells| vortex_error(cells, 2.0)), vortex_error(64, 0.0));
    assert!(moving.windows(2).all(|pair| (pair[0] / pair[1]).log2() > 1.8), "{moving:?}");
    assert!(moving[2] < 4.0 * still, "{moving:?} among moving nodes, {still} among nodes at rest");
}

/// Forces on a disc that is drawn through liquid, across the cells or with the fine ones.
fn drawn(follows: bool) -> Vec<f64> {
    let spacing = 0.2 / 10.0;
    let along = FollowingAxis::new([0.0, 3.0], [-0.2, 0.2], 0.7, spacing, 1.08).unwrap();
    let across = Axis::clustered([0.0, 1.0], [0.3, 0.7], spacing, 1.08, 0.1).unwrap();
    let fixed = Axis::clustered([0.0, 3.0], [0.5, 2.3], spacing, 1.08, 0.2).unwrap();
    let grid = |place: f64| TensorGrid::new([across.clone(), if follows { along.at(place) } else { fixed.clone() }]);
    let mut flow = Flow::new(FlowSetup::new(grid(0.7), 0.01)).unwrap();
    let mut disc = FlowBody::ball([0.503, 0.7], 0.1);
    let speed = Twist::translation([0.0, 1.0]);
    (disc.twist, disc.previous, disc.freedom) = (speed, speed, Freedom::Prescribed(speed));
    let (length, mut bodies) = (0.3 * spacing, [disc]);
    let step = |_| {
        bodies[0].centre[1] += length;
        bodies[0].shape = SignedDistance::sphere(bodies[0].centre, 0.1);
        let report = flow.advance_onto(length, grid(bodies[0].centre[1]), &mut bodies).unwrap();
        report.forces[0].force[1]
    };
    (0..200).map(step).collect()
}

#[test]
fn the_force_on_a_disc_that_its_cells_follow_has_no_noise() {
    // Second differences see what jumps from step to step.
    let roughness = |force: &[f64]| {
        let late = &force[100..];
        late.windows(3).map(|three| (three[0] - 2.0 * three[1] + three[2]).abs()).fold(0.0, f64::max) / late[0].abs()
    };
    let [followed, crossed] = [true, false].map(drawn);
    assert!(roughness(&followed) < 0.05 * roughness(&crossed), "{} {}", roughness(&followed), roughness(&crossed));
    let mean = |force: &[f64]| force[100..].iter().sum::<f64>() / 100.0;
    assert!((mean(&followed) / mean(&crossed) - 1.0).abs() < 0.02, "{} {}", mean(&followed), mean(&crossed));
}

#[test]
fn the_bits_do_not_depend_on_threads_or_interruptions() {
    let run = |threads: usize, interrupted: bool| -> FlowState<2> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let setup = FlowSetup::new(grid(40, 0.0), 0.01);
            let mut flow = Flow::new(setup.clone()).unwrap();
            let mut bodies = [FlowBody::ball([0.45, 0.5], 0.15)];
            bodies[0].freedom = Freedom::Prescribed(Twist::translation([0.3, 0.1]));
            for step in 1..=6 {
                if interrupted && step == 4 {
                    let text = serde_json::to_string(&flow.state().to_data()).unwrap();
                    let state = RestoredFlow(&setup.grid).deserialize(&mut serde_json::Deserializer::from_str(&text));
                    flow = Flow::new(setup.clone()).unwrap();
                    flow.set_state(state.unwrap());
                }
                flow.advance_onto(0.01, grid(40, 0.01 * f64::from(step)), &mut bodies).unwrap();
            }
            flow.state().clone()
        })
    };
    let straight = run(1, false);
    assert!(straight == run(3, false));
    assert!(straight == run(2, true));
}

#[test]
fn a_grid_of_other_cells_or_ends_is_refused() {
    let mut flow = Flow::new(FlowSetup::new(grid::<2>(8, 0.0), 0.01)).unwrap();
    let other = TensorGrid::new([swinging(8, 0.1), swinging(9, 0.1)]);
    assert_eq!(flow.advance_onto(0.1, other, &mut []).unwrap_err(), StepError::OtherGrid { axis: 1 });
    let longer = TensorGrid::new([Axis::uniform(0.0, 1.5, 8).unwrap(), swinging(8, 0.1)]);
    assert_eq!(flow.advance_onto(0.1, longer, &mut []).unwrap_err(), StepError::OtherGrid { axis: 0 });
    let text = serde_json::to_string(&flow.state().to_data()).unwrap();
    let restored =
        |grid: &TensorGrid<2>| RestoredFlow(grid).deserialize(&mut serde_json::Deserializer::from_str(&text));
    assert!(restored(flow.grid()).is_ok());
    let longer = TensorGrid::new([Axis::uniform(0.0, 1.5, 8).unwrap(), swinging(8, 0.1)]);
    assert!(restored(&longer).unwrap_err().to_string().contains("other ends"));
}
