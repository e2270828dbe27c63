//! Runs every kernel briefly on small problems, for tools that watch a device:
//! `compute-sanitizer cargo run -p unstick-gpu --example every_kernel [-- solves|steps|views] [2|3]`, the number of
//! dimensions.

use unstick_gpu::{Gpu, GpuLiquid};
use unstick_grid::{Grid, Motion, SampledDistance, SignedDistance, Spin, sample_nodes};
use unstick_liquid::{Drag, Emitter, Setup, Simulation, Solid, Transport, Viscosity};
use unstick_mlcp::fields::{FieldSolver, PressureFields, WallFields};
use unstick_mlcp::{MlcpSolver, Stop};
use unstick_problems::Example;

/// The solvers of the device.
const SOLVERS: [&str; 13] = [
    "best",
    "policy+cg/none",
    "policy+cg/jacobi",
    "policy+cg/multigrid",
    "policy+multigrid",
    "newton+cg/none",
    "newton+cg/jacobi",
    "newton+cg/multigrid",
    "newton+multigrid",
    "sticking+cg/none",
    "sticking+cg/jacobi",
    "sticking+cg/multigrid",
    "sticking+multigrid",
];

/// Cells along each axis, in the plane and in space: with and without a large level.
const SIZES: [(usize, usize); 3] = [(2, 64), (3, 16), (3, 40)];

/// Steps of each liquid.
const STEPS: usize = 2;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let gpu = Gpu::first()?;
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_asked = |names: &[&str], name: &str| {
        let mut of_kind = asked.iter().filter(|asked| names.contains(&asked.as_str())).peekable();
        of_kind.peek().is_none() || of_kind.any(|asked| asked == name)
    };
    let is_part = |part| is_asked(&["solves", "steps", "views"], part);
    println!("{}", gpu.name()?);
    for dimension in [2, 3].into_iter().filter(|dimension| is_asked(&["2", "3"], &dimension.to_string())) {
        if is_part("solves") {
            solves(gpu, dimension)?;
        }
        for with_views in [false, true].into_iter().filter(|views| is_part(if *views { "views" } else { "steps" })) {
            match dimension {
                2 => steps::<2>(gpu, with_views)?,
                _ => steps::<3>(gpu, with_views)?,
            }
        }
    }
    Ok(())
}

/// All solvers on generated problems, and one on fields.
fn solves(gpu: Gpu, dimension: usize) -> Outcome {
    for (_, cells) in SIZES.into_iter().filter(|size| size.0 == dimension) {
        let problem = Example::SphereHalf.generate(dimension, cells, 0)?.into_mlcp();
        for name in SOLVERS {
            let mut q = vec![0.0; problem.size()];
            let report = gpu.solver(&name.parse()?, Stop::relative(1e-3))?.solve(&problem, &mut q)?;
            println!("{name} {dimension}D {cells}: {}", report.outcome());
        }
    }
    const CELLS: usize = 24;
    let (count, faces) = (CELLS * CELLS, (CELLS + 1) * CELLS);
    let (liquid, velocity, open) = (vec![-1.0; count], vec![0.1; faces], vec![1.0; faces]);
    let (separating, cell_open) = (vec![true; count], vec![1.0; count]);
    let walls = WallFields { version: 0, open: [&open; 2], separating: &separating, cell_open: &cell_open, flow: None };
    let fields = PressureFields {
        cells: [CELLS; 2],
        spacing: 1.0 / CELLS as f64,
        walls,
        liquid: &liquid,
        velocity: [&velocity; 2],
        divergence: None,
        control: 0.0,
        lower: None,
    };
    let (mut q, mut active) = (vec![0.0; count], vec![false; count]);
    let report = gpu.solver(&"best".parse()?, Stop::relative(1e-3))?.solve_fields(&fields, &mut q, &mut active)?;
    println!("fields without air: {}", report.outcome());
    Ok(())
}

/// Short runs of every transport, with still and with moving solids, walls that pull and drag, surface tension, viscosity, sources
/// and drains; perhaps with views that leave beside the steps.
fn steps<const D: usize>(gpu: Gpu, with_views: bool) -> Outcome {
    let transports = [Transport::default(), Transport::Apic, Transport::SemiLagrangian];
    for (transport, is_stirred) in transports.into_iter().flat_map(|transport| [(transport, false), (transport, true)])
    {
        let mut setup = Setup::new(Grid::<D>::unit(if D == 2 { 32 } else { 16 })?);
        setup.transport = transport;
        if is_stirred {
            setup.solids = vec![paddle(false)?, paddle(true)?];
            (setup.border_adhesion, setup.tension) = (50.0.into(), 1.0);
            // It needs multigrid, and viscosity and friction follow the velocity.
            setup.viscosity = Viscosity::PowerLaw { consistency: 0.3, exponent: 0.5, bounds: [0.1, 1.0] };
            (setup.border_drag, setup.solids[0].drag) = (Drag::Friction(0.3.into()), Drag::no_slip());
            let emitter = |centre, velocity| {
                let shape = SignedDistance::sphere([centre; D], 0.15);
                Emitter { shape, velocity, start: 0.0, end: f64::INFINITY }
            };
            setup.emitters = vec![emitter(0.75, Some([-0.5; D])), emitter(0.2, None)];
        }
        let tank = Simulation::new(setup, &SignedDistance::cuboid([0.0; D], [0.5; D]))?;
        let mut liquid = GpuLiquid::new(gpu, tank).map_err(|(error, _)| error)?;
        for _ in 0..STEPS {
            let view = if with_views { liquid.begin_view() } else { None };
            let dt = liquid.next_step(liquid.time() + 0.01).ok_or("no step")?;
            liquid.advance(dt)?;
            view.map_or(Ok(()), |view| view.wait().map(drop))?;
        }
        let (count, energy) = liquid.show(|shown| (shown.state().particles.len(), shown.fastest()));
        println!("{D}D, {transport:?}, stirred {is_stirred}: {count} particles, the fastest at {energy:.3} m/s");
    }
    Ok(())
}

/// A plate that turns as it is drawn through the tank; perhaps as values on a lattice.
fn paddle<const D: usize>(is_sampled: bool) -> Result<Solid<D>, Box<dyn std::error::Error>> {
    let along = if is_sampled { 0.7 } else { 0.3 };
    let mut low = [0.2; D];
    let mut high = [0.8; D];
    (low[0], high[0]) = (along - 0.08, along + 0.08);
    let mut shape = SignedDistance::cuboid(low, high);
    if is_sampled {
        let lattice = Grid::<D>::unit(32)?;
        let sampled = SampledDistance::new(lattice, sample_nodes(&lattice, |point| shape.at(point)));
        shape = SignedDistance::Sampled(sampled.ok_or("a lattice of another shape")?);
    }
    let mut velocity = [0.0; D];
    velocity[0] = 0.5;
    Ok(Solid {
        motion: Motion::Steady { velocity, spin: Spin::about_axis([0.0, 0.0, 1.0]), pivot: [0.5; D] },
        ..Solid::still(shape)
    })
}
