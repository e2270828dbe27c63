//! A step of both sides, and what is the same of it.

use unstick_gpu::{Gpu, GpuLiquid};
use unstick_grid::{CellField, FaceField, Grid, SignedDistance};
use unstick_liquid::{LiquidState, Setup, Simulation, Solid, StepReport};

/// A block of liquid that falls into a tank with a ball on its floor.
pub fn tank<const D: usize>(cells: [usize; D], change: impl FnOnce(&mut Setup<D>)) -> Simulation<D> {
    let spacing = 1.0 / cells[0] as f64;
    let mut setup = Setup::new(Grid::new(cells, spacing, [-0.5; D]).unwrap());
    let mut centre = [0.0; D];
    centre[1] = -0.5;
    setup.solids.push(Solid::still(SignedDistance::sphere(centre, 0.2)));
    change(&mut setup);
    let mut upper = [0.5; D];
    upper[1] = -0.1;
    let (mut low, mut high) = ([-0.2; D], [0.25; D]);
    (low[1], high[1]) = (0.0, 0.3);
    let mut falling = [0.3; D];
    falling[1] = -2.0;
    let liquids = [(SignedDistance::cuboid([-0.5; D], upper), [0.0; D]), (SignedDistance::cuboid(low, high), falling)];
    Simulation::with_liquids(setup, &liquids).unwrap()
}

pub fn on_device<const D: usize>(simulation: Simulation<D>) -> GpuLiquid<D> {
    GpuLiquid::new(Gpu::emulated(), simulation).map_err(|(error, _)| error).unwrap()
}

/// A copy of a simulation at its state.
pub fn copy<const D: usize>(simulation: &Simulation<D>) -> Simulation<D> {
    Simulation::resume(simulation.setup().clone(), simulation.state().clone()).unwrap()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| most.max(value.abs()))
}

/// The largest difference, as a part of the largest value.
pub fn apart(what: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(what.len(), expected.len());
    let difference = what.iter().zip(expected).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
    difference / largest(expected).max(f64::MIN_POSITIVE)
}

fn cells_apart<const D: usize>(what: &CellField<f64, D>, expected: &CellField<f64, D>) -> f64 {
    apart(what.values(), expected.values())
}

fn faces_apart<const D: usize>(what: &FaceField<f64, D>, expected: &FaceField<f64, D>) -> f64 {
    let all = |faces: &FaceField<f64, D>| faces.iter().flat_map(|field| field.values().to_vec()).collect::<Vec<_>>();
    apart(&all(what), &all(expected))
}

/// Positions or velocities by the numbers of the particles.
pub fn by_id<const D: usize>(state: &LiquidState<D>, rows: &[[f64; D]]) -> Vec<f64> {
    let mut rows: Vec<_> = state.particles.id.iter().zip(rows).collect();
    rows.sort_by_key(|(id, _)| **id);
    rows.into_iter().flat_map(|(_, row)| *row).collect()
}

/// One step of both from a state that some steps have led to; each stage leaves its result in the state.
pub fn compare<const D: usize>(cells: [usize; D], change: impl Fn(&mut Setup<D>)) {
    let mut on_host = tank(cells, change);
    for _ in 0..4 {
        on_host.advance(0.004).unwrap();
    }
    compare_step(on_host);
}

/// One step of both from the state of a simulation.
pub fn compare_step<const D: usize>(mut on_host: Simulation<D>) {
    let cells = on_host.setup().grid.cells();
    let mut device = on_device(copy(&on_host));
    let expected = on_host.advance(0.004).unwrap();
    let report = device.advance(0.004).unwrap();
    let what = format!("{cells:?} {:?}", on_host.setup().transport);
    device.show(|shown| {
        let (found, state) = (shown.state(), on_host.state());
        let facts = [
            ("density", cells_apart(&found.density, &state.density), 1e-5),
            ("pressure", cells_apart(&found.pressure, &state.pressure), 2e-4),
            ("velocity", faces_apart(&found.velocity, &state.velocity), 1e-4),
            (
                "velocities",
                apart(&by_id(found, &found.particles.velocity), &by_id(state, &state.particles.velocity)),
                1e-4,
            ),
            (
                "positions",
                apart(&by_id(found, &found.particles.position), &by_id(state, &state.particles.position)),
                // Both solve for displacements of some thousandths, each in its own way, and stop at a hundredth of them.
                5e-5,
            ),
            ("affine", cells_apart_of_affine(found, state), 1e-3),
        ];
        for (fact, apart, tolerance) in facts {
            assert!(apart < tolerance, "{what}: {fact} {apart:.1e} apart");
        }
        // Where the density is ½ the distance changes at once; it is compared as the surface that it makes.
        let differs = |(a, b): (&f64, &f64)| (*a < 0.0) != (*b < 0.0);
        let flipped = found.liquid.values().iter().zip(state.liquid.values()).filter(|two| differs(*two)).count();
        assert_eq!(flipped, 0, "{what}: cells that are wet");
        assert_eq!(found.separated, state.separated, "{what}");
        assert_eq!((found.time, found.step, found.last_step), (state.time, state.step, state.last_step));
    });
    assert_reports_agree(&report, &expected, &what);
}

fn cells_apart_of_affine<const D: usize>(found: &LiquidState<D>, state: &LiquidState<D>) -> f64 {
    if state.particles.affine.is_empty() {
        return 0.0;
    }
    let of_axis = |state: &LiquidState<D>, axis: usize| {
        let rows: Vec<[f64; D]> = state.particles.affine.iter().map(|rows| rows[axis]).collect();
        by_id(state, &rows)
    };
    (0..D).map(|axis| apart(&of_axis(found, axis), &of_axis(state, axis))).fold(0.0, f64::max)
}

pub fn assert_reports_agree(report: &StepReport, expected: &StepReport, what: &str) {
    let numbers = |report: &StepReport| {
        [report.volume, report.surface_volume, report.kinetic_energy, report.potential_energy, report.time]
    };
    for (found, expected) in numbers(report).into_iter().zip(numbers(expected)) {
        assert!((found - expected).abs() <= 1e-4 * expected.abs(), "{what}: {found} for {expected}");
    }
    let counts = |report: &StepReport| [report.unknowns, report.wall_rows, report.active_rows, report.particles];
    assert_eq!(counts(report), counts(expected), "{what}");
    assert!(report.converged && report.solver.ends_with("on gpu"));
    assert!(report.cycles.abs_diff(expected.cycles) <= 2 && report.density.converged());
    let iterations = [report.viscosity.iterations, expected.viscosity.iterations];
    assert!(iterations[0].abs_diff(iterations[1]) <= 2 + iterations[1] / 10, "{what}: {iterations:?}");
}

/// Takes some steps straight on, and the same with the state by way of the host in between.
pub fn assert_same_bits_by_way_of_the_host<const D: usize>(begin: impl Fn() -> Simulation<D>) {
    let (mut straight, mut halved) = (on_device(begin()), on_device(begin()));
    for step in 0..6 {
        straight.advance(0.005).unwrap();
        if step == 3 {
            halved = on_device(halved.show(copy));
        }
        halved.advance(0.005).unwrap();
    }
    let state = |liquid: &GpuLiquid<D>| liquid.show(|shown| shown.state().clone());
    assert!(state(&straight) == state(&halved), "{:?}", straight.setup().transport);
}
