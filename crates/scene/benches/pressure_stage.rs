//! Where the time of the pressure stage goes in a run with a GPU: `cargo bench -p unstick-scene --bench
//! pressure_stage [-- SCENE CELLS FRAMES]`. The same run with rows made by the processor stands beside it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use unstick_gpu::{Gpu, GpuSolver, Times};
use unstick_liquid::{Simulation, Stage};
use unstick_mlcp::fields::{FieldSolver, PressureFields, RowSolver};
use unstick_mlcp::{PressureMethod, SolveError, SolveReport};
use unstick_scene::{AnyScene, Scene, SceneFile};

/// What the device was busy with, added up.
#[derive(Clone, Copy, Default)]
struct Account {
    solves: u32,
    in_all: Duration,
    times: Times,
}

/// A device that keeps account.
struct Watched {
    solver: GpuSolver,
    account: Arc<Mutex<Account>>,
}

impl<const D: usize> FieldSolver<D> for Watched {
    fn solve_fields(
        &mut self,
        fields: &PressureFields<D>,
        q: &mut [f64],
        active: &mut [bool],
    ) -> Result<SolveReport, SolveError> {
        let start = Instant::now();
        let report = self.solver.solve_fields(fields, q, active)?;
        let (elapsed, times) = (start.elapsed(), self.solver.times());
        let mut account = self.account.lock().expect("nobody panics");
        account.solves += 1;
        // The first solve also takes the memory.
        if account.solves > 1 {
            account.in_all += elapsed;
            account.times.upload += times.upload;
            account.times.assembly += times.assembly;
            account.times.setup += times.setup;
            account.times.solve += times.solve;
            account.times.download += times.download;
        }
        Ok(report)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = match Gpu::first() {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("nothing to measure: {error}");
            return Ok(());
        }
    };
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let argument = |place: usize, default: &'static str| arguments.get(place).map_or(default, String::as_str);
    let (scene, cells, frames) = (argument(0, "dam-break-3d"), argument(1, "128"), argument(2, "10"));
    let mut file = SceneFile::find(scene)?;
    let axes = if file.scene()?.dimension() == 2 { [cells, cells].join(",") } else { [cells; 3].join(",") };
    file.set(&format!("grid.cells = [{axes}]"))?;
    let frames = frames.parse()?;
    match file.scene()? {
        AnyScene::Plane(scene) => measure(gpu, &scene, frames),
        AnyScene::Space(scene) => measure(gpu, &scene, frames),
    }
}

fn measure<const D: usize>(gpu: Gpu, scene: &Scene<D>, frames: usize) -> Result<(), Box<dyn std::error::Error>> {
    let PressureMethod::Solver(name) = scene.setup.pressure.solver else {
        return Err("splittings have no device".into());
    };
    let options = scene.setup.pressure.stop();
    let solver = || gpu.solver(&name, options);
    println!("{} {:?}, {frames} frames, ms a step:", scene.name, scene.setup.grid.cells());

    let account = Arc::<Mutex<Account>>::default();
    let mut simulation = scene.simulation()?;
    simulation.solve_on(Box::new(Watched { solver: solver()?, account: Arc::clone(&account) }));
    let stages = run(&mut simulation, scene, frames)?;
    let Account { solves, in_all, times } = *account.lock().expect("nobody panics");
    let ms = |time: Duration| 1e3 * time.as_secs_f64() / (solves - 1).max(1) as f64;
    let Times { upload, assembly, setup, solve, download, .. } = times;
    println!("fields: {}", line(&stages));
    println!(
        "  pressure: upload {:.2}, assembly {:.2}, set-up {:.2}, solve {:.2}, download {:.2}, other work of the solver {:.2}, host {:.2}",
        ms(upload),
        ms(assembly),
        ms(setup),
        ms(solve),
        ms(download),
        ms(in_all.saturating_sub(upload + assembly + setup + solve + download)),
        stages[Stage::Pressure as usize] - ms(in_all),
    );

    let mut simulation = scene.simulation()?;
    simulation.solve_on(Box::new(RowSolver::new(Box::new(solver()?))));
    println!("rows:   {}", line(&run(&mut simulation, scene, frames)?));
    Ok(())
}

/// Milliseconds a step of every stage, without the first step.
fn run<const D: usize>(
    simulation: &mut Simulation<D>,
    scene: &Scene<D>,
    frames: usize,
) -> Result<[f64; 6], Box<dyn std::error::Error>> {
    let (mut sums, mut steps) = ([0.0; 6], 0);
    for frame in 1..=frames {
        for step in simulation.advance_to(frame as f64 * scene.frame)?.steps {
            if let Some(failure) = step.device_failure {
                return Err(failure.into());
            }
            if steps > 0 {
                sums.iter_mut().zip(step.seconds).for_each(|(sum, time)| *sum += 1e3 * time.as_secs_f64());
            }
            steps += 1;
        }
    }
    Ok(sums.map(|sum| sum / (steps - 1).max(1) as f64))
}

fn line(stages: &[f64; 6]) -> String {
    let parts = Stage::ALL.iter().zip(stages).map(|(stage, ms)| format!("{} {ms:.2}", stage.name()));
    parts.collect::<Vec<_>>().join(", ")
}
