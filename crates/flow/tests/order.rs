//! Second order in space and time, and flows that are met exactly.

use std::f64::consts::TAU;

use unstick_flow::{Axis, Boundary, Flow, FlowBody, FlowSetup, Freedom, Inflow, TensorGrid, Twist, Viscosity};
use unstick_grid::SignedDistance;

/// Largest difference of a component from a function of place.
fn error<const D: usize>(flow: &Flow<D>, component: usize, exact: impl Fn([f64; D]) -> f64) -> f64 {
    let grid = &flow.setup().grid;
    let field = &flow.state().velocity[component];
    let shape = field.shape();
    (0..field.values().len()).fold(0.0, |most: f64, index| {
        let mut rest = index;
        let place = std::array::from_fn(|axis| {
            let place = rest % shape[axis];
            rest /= shape[axis];
            place
        });
        most.max((field.values()[index] - exact(grid.face_centre(component, place))).abs())
    })
}

fn uniform<const D: usize>(cells: usize) -> TensorGrid<D> {
    TensorGrid::new(std::array::from_fn(|_| Axis::uniform(0.0, 1.0, cells).unwrap()))
}

/// The vortices of Taylor and Green after 0.2 s, space and time refined together; in space they do not change along
/// the last axis.
fn vortex_error<const D: usize>(cells: usize) -> f64 {
    let viscosity = 0.02;
    let mut setup = FlowSetup::<D>::new(uniform(cells), viscosity);
    setup.sides = std::array::from_fn(|_| [Boundary::Periodic, Boundary::Periodic]);
    let mut flow = Flow::new(setup).unwrap();
    let vortex = |component: usize, at: [f64; D]| match component {
        0 => (TAU * at[0]).sin() * (TAU * at[1]).cos(),
        1 => -(TAU * at[0]).cos() * (TAU * at[1]).sin(),
        _ => 0.0,
    };
    flow.start_from(vortex);
    for _ in 0..cells {
        flow.advance(0.2 / cells as f64, &mut []).unwrap();
    }
    let decay = (-2.0 * viscosity * TAU * TAU * flow.state().time).exp();
    (0..D).map(|component| error(&flow, component, |at| decay * vortex(component, at))).fold(0.0, f64::max)
}

#[test]
fn vortices_decay_with_second_order_in_the_plane_and_in_space() {
    let plane = [16, 32, 64].map(vortex_error::<2>);
    let space = [12, 24].map(vortex_error::<3>);
    for pair in plane.windows(2).chain(space.windows(2)) {
        let order = (pair[0] / pair[1]).log2();
        assert!(order > 1.85, "errors {plane:?} in the plane, {space:?} in space");
    }
}

#[test]
fn a_decaying_shear_flow_between_walls_has_second_order_on_stretched_grids() {
    // u = sin(π y) exp(−ν π² t) between walls at rest, periodic along x.
    let after = |cells: usize| {
        let y = Axis::clustered([0.0, 1.0], [0.4, 0.6], 0.5 / cells as f64, 1.0 + 1.6 / cells as f64, 1.0).unwrap();
        let grid = TensorGrid::new([Axis::uniform(0.0, 1.0, 4).unwrap(), y]);
        let mut setup = FlowSetup::new(grid, 0.1);
        setup.sides[0] = [Boundary::Periodic, Boundary::Periodic];
        let mut flow = Flow::new(setup).unwrap();
        let profile = |y: f64| (std::f64::consts::PI * y).sin();
        flow.start_from(|component, at| if component == 0 { profile(at[1]) } else { 0.0 });
        (0..cells).for_each(|_| drop(flow.advance(0.5 / cells as f64, &mut []).unwrap()));
        let decay = (-0.1 * std::f64::consts::PI.powi(2) * 0.5).exp();
        error(&flow, 0, |at| decay * profile(at[1]))
    };
    let errors = [16, 32, 64].map(after);
    assert!(errors.windows(2).all(|pair| pair[0] / pair[1] > 3.5), "{errors:?}");
}

#[test]
fn couette_flow_is_exact_on_a_stretched_grid() {
    let y = Axis::clustered([0.0, 1.0], [0.2, 0.3], 0.02, 1.2, 0.2).unwrap();
    let mut setup = FlowSetup::new(TensorGrid::new([Axis::uniform(0.0, 1.0, 6).unwrap(), y]), 1.0);
    setup.sides[0] = [Boundary::Periodic, Boundary::Periodic];
    setup.sides[1][1] = Boundary::NoSlip { velocity: [2.0, 0.0] };
    let mut flow = Flow::new(setup).unwrap();
    (0..60).for_each(|_| drop(flow.advance(1.0, &mut []).unwrap()));
    let worst = error(&flow, 0, |at| 2.0 * at[1]);
    assert!(worst < 1e-10, "{worst}");
}

#[test]
fn a_parabola_that_enters_a_channel_leaves_it_unchanged() {
    let after = |cells: usize| {
        let grid = TensorGrid::new([Axis::uniform(0.0, 2.0, cells).unwrap(), Axis::uniform(0.0, 1.0, cells).unwrap()]);
        let mut setup = FlowSetup::new(grid, 0.1);
        setup.sides[0] = [Boundary::Inflow(Inflow::parabolic(1.0)), Boundary::Outflow];
        let mut flow = Flow::new(setup).unwrap();
        (0..400).for_each(|_| drop(flow.advance(0.05, &mut []).unwrap()));
        error(&flow, 0, |at| 4.0 * at[1] * (1.0 - at[1]))
    };
    // The discrete parabola differs by h² where it meets the wall.
    let errors = [8, 16].map(after);
    assert!(errors[1] < 5e-3 && errors[0] / errors[1] > 3.0, "{errors:?}");
}

#[test]
fn liquid_that_turns_with_a_body_stays_as_it_is() {
    // Liquid between a shaft and a ring that turn alike.
    let spin = Twist { linear: [0.0; 2], angular: [0.0, 0.0, 1.5] };
    let shaft = FlowBody::ball([0.5, 0.5], 0.15);
    let mut drum = FlowBody::ball([0.5, 0.5], 0.4);
    drum.shape = drum.shape.complement().and(SignedDistance::sphere([0.5, 0.5], 0.47));
    drum.reach = 0.47;
    let mut bodies = [shaft, drum];
    for body in &mut bodies {
        body.freedom = Freedom::Prescribed(spin);
        (body.twist, body.previous) = (spin, spin);
    }
    let mut setup = FlowSetup::new(uniform(40), 0.05);
    setup.sides = std::array::from_fn(|_| [Boundary::FreeSlip, Boundary::FreeSlip]);
    (setup.solve.viscous_tolerance, setup.solve.pressure_tolerance) = (1e-11, 1e-11);
    let mut flow = Flow::new(setup).unwrap();
    flow.start_from(|component, at| spin.velocity([at[0] - 0.5, at[1] - 0.5])[component]);
    for _ in 0..200 {
        flow.advance(0.02, &mut bodies).unwrap();
    }
    let grid = &flow.setup().grid;
    for component in 0..2 {
        let field = &flow.state().velocity[component];
        for i in 1..39 {
            for j in 1..39 {
                let at = grid.face_centre(component, [i, j]);
                let offset = [at[0] - 0.5, at[1] - 0.5];
                if offset[0].hypot(offset[1]) < 0.37 {
                    let slip = field.at([i, j]) - spin.velocity(offset)[component];
                    assert!(slip.abs() < 2e-3, "{slip} at {at:?}");
                }
            }
        }
    }
}

#[test]
fn a_thinning_liquid_has_the_known_profile_between_plates() {
    // A power law under a force f along x: u = n/(n+1) (f/k)^(1/n) ((1/2)^(1+1/n) − |y − 1/2|^(1+1/n)).
    let (exponent, force) = (0.6, 1.0);
    let cells = 48;
    let grid = TensorGrid::new([Axis::uniform(0.0, 1.0, 3).unwrap(), Axis::uniform(0.0, 1.0, cells).unwrap()]);
    let mut setup = FlowSetup::new(grid, 1.0);
    setup.viscosity = Viscosity::PowerLaw { consistency: 0.5, exponent, bounds: [1e-3, 50.0] };
    setup.sides[0] = [Boundary::Periodic, Boundary::Periodic];
    setup.force = [force, 0.0];
    setup.solve.viscous_tolerance = 1e-9;
    let mut flow = Flow::new(setup).unwrap();
    for _ in 0..400 {
        flow.advance(0.05, &mut []).unwrap();
    }
    let power = 1.0 + 1.0 / exponent;
    let exact =
        |y: f64| (force / 0.5f64).powf(1.0 / exponent) / power * (0.5f64.powf(power) - (y - 0.5).abs().powf(power));
    let worst = error(&flow, 0, |at| exact(at[1]));
    assert!(worst < 5e-3 * exact(0.5), "{worst} of {}", exact(0.5));
}
