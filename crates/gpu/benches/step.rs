//! Whole steps on a GPU: milliseconds of each stage, and how far the invariants are from those of the processor.
//! `cargo bench -p unstick-gpu --bench step [-- SCENE CELLS…]`, with the cells along the first axis and the scenes
//!
//! ```text
//! sphere-half, dam-break-3d   as in the catalogue
//! stirred                     a paddle that the device places moves through a tank
//! stirred-by-host             the same paddle as values on a lattice, which the host evaluates and sends
//! poured                      a source and a drain
//! pulled                      surface tension and walls that pull
//! honey                       0.1 m²/s in a tank to whose walls it sticks
//! mud                         a liquid that yields, with friction: five rounds of viscosity
//! ```

use std::time::Instant;

use unstick_gpu::{Gpu, GpuLiquid};
use unstick_grid::{Grid, Motion, SampledDistance, SignedDistance, Spin, sample_nodes};
use unstick_liquid::{Drag, Emitter, Setup, Simulation, Solid, Stage, StepReport, Viscosity};
use unstick_parallel::bandwidth::median;

/// Steps before those that are timed.
const WARM_UP: usize = 5;

/// Steps that are timed.
const STEPS: usize = 15;

/// Length of a frame, which steps divide.
const FRAME: f64 = 0.01;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = match Gpu::first() {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("nothing to measure: {error}");
            return Ok(());
        }
    };
    println!("{}", gpu.name()?);
    let mut asked: Vec<(String, usize)> = Vec::new();
    let mut scene = "sphere-half".to_owned();
    for argument in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        match argument.parse() {
            Ok(cells) => asked.push((scene.clone(), cells)),
            Err(_) => scene = argument,
        }
    }
    if asked.is_empty() {
        let sizes = [
            ("sphere-half", 128),
            ("sphere-half", 256),
            ("dam-break-3d", 256),
            ("stirred", 128),
            ("stirred-by-host", 128),
            ("poured", 128),
        ];
        asked = sizes.map(|(scene, cells)| (scene.to_owned(), cells)).to_vec();
    }
    agree(gpu)?;
    print!("{:20}{:>12}{:>8}", "", "particles", "ms");
    Stage::ALL.iter().for_each(|stage| print!("{:>12}", stage.name()));
    println!("{:>10}{:>10}{:>14}", "cycles", "viscous", "M particles/s");
    for (scene, cells) in asked {
        measure(gpu, &scene, cells)?;
    }
    Ok(())
}

/// A scene of the catalogue as a simulation.
fn simulation(scene: &str, cells: usize) -> Result<Simulation<3>, Box<dyn std::error::Error>> {
    if scene == "dam-break-3d" {
        let grid = Grid::new([cells, 3 * cells / 4, cells / 2], 1.0 / cells as f64, [0.0; 3])?;
        let block = SignedDistance::cuboid([0.0; 3], [0.25, 0.5, 0.5]);
        return Ok(Simulation::new(Setup::new(grid), &block)?);
    }
    let mut setup = Setup::new(Grid::<3>::unit(cells)?);
    if scene != "sphere-half" {
        match scene {
            "stirred" => setup.solids.push(paddle(false)?),
            "stirred-by-host" => setup.solids.push(paddle(true)?),
            "poured" => setup.emitters = source_and_drain(),
            "pulled" => (setup.border_adhesion, setup.tension) = (300.0.into(), 5.0),
            "honey" | "mud" => return viscous(setup, scene == "mud"),
            unknown => return Err(format!("there is no scene `{unknown}`").into()),
        }
        return Ok(Simulation::new(setup, &SignedDistance::cuboid([0.0; 3], [1.0, 0.4, 1.0]))?);
    }
    setup.solids.push(Solid::still(SignedDistance::sphere([0.5; 3], 0.4).complement()));
    Ok(Simulation::new(setup, &SignedDistance::half_space([0.5; 3], [1.0, 0.0, 0.0]))?)
}

/// A block that collapses; perhaps of a liquid that yields.
fn viscous(mut setup: Setup<3>, yields: bool) -> Result<Simulation<3>, Box<dyn std::error::Error>> {
    (setup.viscosity, setup.border_drag) = match yields {
        true => {
            let mud = Viscosity::Yield { stress: 0.3, consistency: 0.01, exponent: 1.0, at_rest: 3.0 };
            (mud, Drag::Friction(0.4.into()))
        }
        false => (Viscosity::Newtonian(0.1), Drag::no_slip()),
    };
    Ok(Simulation::new(setup, &SignedDistance::cuboid([0.2, 0.0, 0.2], [0.7, 0.7, 0.7]))?)
}

/// A paddle that turns as it is drawn through the tank; perhaps as values on a lattice.
fn paddle(is_sampled: bool) -> Result<Solid<3>, Box<dyn std::error::Error>> {
    let mut shape = SignedDistance::cuboid([0.25, 0.1, 0.2], [0.35, 0.7, 0.8]);
    if is_sampled {
        let lattice = Grid::<3>::unit(64)?;
        let sampled = SampledDistance::new(lattice, sample_nodes(&lattice, |point| shape.at(point)));
        shape = SignedDistance::Sampled(sampled.ok_or("a lattice of another shape")?);
    }
    let spin = Spin::about_axis([0.0, 1.0, 1.5]);
    let motion = Motion::Steady { velocity: [0.6, 0.1, 0.0], spin, pivot: [0.3, 0.4, 0.5] };
    Ok(Solid { motion, ..Solid::still(shape) })
}

fn source_and_drain() -> Vec<Emitter<3>> {
    let emitter = |centre, velocity| {
        let shape = SignedDistance::sphere(centre, 0.1);
        Emitter { shape, velocity, start: 0.0, end: f64::INFINITY }
    };
    vec![emitter([0.3, 0.8, 0.5], Some([0.2, -2.0, 0.0])), emitter([0.8, 0.1, 0.5], None)]
}

/// Takes steps towards frames.
fn steps(
    count: usize,
    mut next: impl FnMut(f64) -> Option<f64>,
    mut advance: impl FnMut(f64) -> Result<StepReport, unstick_liquid::StepError>,
) -> Result<Vec<StepReport>, unstick_liquid::StepError> {
    let (mut reports, mut frame) = (Vec::new(), 1);
    while reports.len() < count {
        match next(frame as f64 * FRAME) {
            Some(dt) => reports.push(advance(dt)?),
            None => frame += 1,
        }
    }
    Ok(reports)
}

fn put(gpu: Gpu, simulation: Simulation<3>) -> Result<GpuLiquid<3>, unstick_gpu::GpuError> {
    GpuLiquid::new(gpu, simulation).map_err(|(error, _)| error)
}

/// Small runs of both, and the same bits from two runs on the device.
fn agree(gpu: Gpu) -> Result<(), Box<dyn std::error::Error>> {
    for scene in ["sphere-half", "dam-break-3d", "stirred", "stirred-by-host", "poured", "pulled", "honey", "mud"] {
        let mut on_host = simulation(scene, 32)?;
        let mut expected = Vec::new();
        for frame in 1..=10 {
            expected.extend(on_host.advance_to(frame as f64 * FRAME)?.steps);
        }
        let run = || -> Result<_, Box<dyn std::error::Error>> {
            let mut liquid = put(gpu, simulation(scene, 32)?)?;
            let mut reports = Vec::new();
            for report in &expected {
                reports.push(liquid.advance(report.dt)?);
            }
            Ok((reports, liquid.show(|shown| shown.state().clone())))
        };
        let ((reports, state), (_, again)) = (run()?, run()?);
        let apart = |number: fn(&StepReport) -> f64| {
            let most = expected.iter().map(number).fold(0.0, |most: f64, value| most.max(value.abs()));
            let pairs = reports.iter().zip(&expected);
            pairs.map(|(a, b)| (number(a) - number(b)).abs()).fold(0.0, f64::max) / most
        };
        println!(
            "{scene} 32: {} steps, volume {:.1e}, surface volume {:.1e}, kinetic {:.1e}, potential energy {:.1e} apart, viscous iterations {} for {}; the same bits: {}",
            reports.len(),
            apart(|report| report.volume),
            apart(|report| report.surface_volume),
            apart(|report| report.kinetic_energy),
            apart(|report| report.potential_energy),
            viscous_iterations(&reports),
            viscous_iterations(&expected),
            state == again,
        );
    }
    Ok(())
}

fn viscous_iterations(reports: &[StepReport]) -> usize {
    reports.iter().map(|report| report.viscosity.iterations).sum()
}

fn measure(gpu: Gpu, scene: &str, cells: usize) -> Result<(), Box<dyn std::error::Error>> {
    let begin = Instant::now();
    let simulation = simulation(scene, cells)?;
    let made = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let mut liquid = put(gpu, simulation)?;
    let sent = begin.elapsed().as_secs_f64();
    let cell = std::cell::RefCell::new(&mut liquid);
    let (mut seconds, mut tallies) = (Vec::new(), Vec::new());
    let reports = steps(
        WARM_UP + STEPS,
        |time| cell.borrow().next_step(time),
        |dt| {
            let begin = Instant::now();
            let report = cell.borrow_mut().advance(dt);
            seconds.push(begin.elapsed().as_secs_f64());
            tallies.push(cell.borrow().tally());
            report
        },
    )?;
    let (reports, seconds) = (&reports[WARM_UP..], &seconds[WARM_UP..]);
    let ms = 1e3 * median(seconds);
    print!("{:20}{:>12}{ms:>8.2}", format!("{scene} {cells}"), reports[0].particles);
    for stage in Stage::ALL {
        let of_stage: Vec<f64> = reports.iter().map(|report| report.seconds[stage as usize].as_secs_f64()).collect();
        print!("{:>12.2}", 1e3 * median(&of_stage));
    }
    let cycles: Vec<f64> = reports.iter().map(|report| report.inner_iterations as f64).collect();
    let viscous: Vec<f64> = reports.iter().map(|report| report.viscosity.iterations as f64).collect();
    println!("{:>10}{:>10}{:>14.0}", median(&cycles), median(&viscous), reports[0].particles as f64 / 1e3 / ms);
    let asked = tallies[WARM_UP + STEPS - 1] - tallies[WARM_UP - 1];
    let a_step = |count: u64| count as f64 / STEPS as f64;
    println!(
        "    (a step asks for {:.1} launches, {:.1} recordings with {:.1} more, {:.1} waits)",
        a_step(asked.launches),
        a_step(asked.replays),
        a_step(asked.replayed),
        a_step(asked.waits),
    );
    measure_views(&mut liquid)?;
    let begin = Instant::now();
    liquid.show(|shown| shown.state().time);
    println!("    (made in {made:.1} s, sent in {sent:.1} s, received in {:.1} s)", begin.elapsed().as_secs_f64());
    Ok(())
}

/// Steps that run while a view is on its way, and how long a view takes by itself.
fn measure_views(liquid: &mut GpuLiquid<3>) -> Result<(), Box<dyn std::error::Error>> {
    let (mut begins, mut steps, mut waits, mut alone) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for turn in 0..=STEPS / 3 {
        let seconds = |begin: Instant| begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let view = liquid.begin_view().ok_or("the device has failed")?;
        let begun = seconds(begin);
        let begin = Instant::now();
        let dt = liquid.next_step(liquid.time() + FRAME).ok_or("no step")?;
        liquid.advance(dt)?;
        let stepped = seconds(begin);
        let begin = Instant::now();
        view.wait()?;
        let waited = seconds(begin);
        let begin = Instant::now();
        liquid.begin_view().ok_or("the device has failed")?.wait()?;
        if turn > 0 {
            // The first view takes memory.
            begins.push(begun);
            steps.push(stepped);
            waits.push(waited);
            alone.push(seconds(begin));
        }
    }
    let [begun, stepped, waited, alone] = [begins, steps, waits, alone].map(|list| 1e3 * median(&list));
    println!(
        "    (a view begins in {begun:.2} ms, a step beside it takes {stepped:.2}, then the view {waited:.2}; alone {alone:.2})"
    );
    Ok(())
}
