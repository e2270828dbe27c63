//! Captured frames of every scene: the kernels of the GPU, run on the host, against the processor.
#![cfg(feature = "emulation")]

use rayon::prelude::*;
use unstick_gpu::Gpu;
use unstick_liquid::Air;
use unstick_mlcp::{MlcpSolver, SolveReport, SolverName};
use unstick_scene::{AnyScene, Scene, SceneFile, catalogue};

/// Frames after which the problem of the next step is taken.
const FRAMES: [usize; 2] = [3, 25];

/// Difference of two answers that both meet the tolerance of 1e-6, as a part of the largest pressure.
const DIFFERENCE: f64 = 1e-4;

fn coarse(name: &str) -> AnyScene {
    let mut file = SceneFile::find(name).unwrap();
    let cells = if file.scene().unwrap().dimension() == 2 { "[40, 40]" } else { "[16, 16, 16]" };
    file.set(&format!("grid.cells = {cells}")).unwrap();
    file.scene().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Solves the problems of the frames on both; returns what differs.
fn compare<const D: usize>(scene: &Scene<D>) -> Vec<String> {
    let name: SolverName = "best".parse().unwrap();
    let mut on_gpu = Gpu::emulated().solver(&name, Default::default()).unwrap();
    let mut on_cpu = name.build(&Default::default());
    let mut simulation = scene.simulation().unwrap();
    let mut differences = Vec::new();
    for frame in FRAMES {
        simulation.advance_to(frame as f64 * scene.frame).unwrap();
        let stage = simulation.stage(simulation.next_step((frame + 1) as f64 * scene.frame).unwrap()).unwrap();
        let problem = stage.rows().problem().unwrap();
        let solve = |solver: &mut dyn MlcpSolver| -> (SolveReport, Vec<f64>) {
            let mut q = vec![0.0; problem.size()];
            (solver.solve(&problem, &mut q).unwrap(), q)
        };
        let ((expected, q_cpu), (found, q_gpu)) = (solve(&mut *on_cpu), solve(&mut on_gpu));
        let largest = q_cpu.iter().fold(f64::MIN_POSITIVE, |most, q| most.max(q.abs()));
        let apart = q_cpu.iter().zip(&q_gpu).fold(0.0f64, |most, (a, b)| most.max((a - b).abs())) / largest;
        let is_same = found.converged()
            && expected.converged()
            && apart < DIFFERENCE
            && found.active_rows() == expected.active_rows()
            // V-cycles; they may be divided among more or fewer policies.
            && found.inner_iterations().abs_diff(expected.inner_iterations()) <= 2;
        if !is_same {
            let said = |report: &SolveReport| {
                let (cycles, inner) = (report.cycles(), report.inner_iterations());
                format!("{}, {} active, {cycles} cycles, {inner} inner", report.outcome(), report.active_rows())
            };
            let (cpu, gpu) = (said(&expected), said(&found));
            differences.push(format!("{} frame {frame}: cpu {cpu}; gpu {gpu}; {apart:.1e} apart", scene.name));
        }
    }
    differences
}

#[test]
fn frames_of_every_scene_have_the_answer_of_the_processor() {
    // Bodies and bubbles are coupled with the liquid on the processor: their scenes have no matrix to capture.
    let differences = catalogue::ALL.par_iter().flat_map_iter(|entry| match coarse(entry.name) {
        AnyScene::Plane(scene) if scene.bodies.is_empty() && scene.setup.air == Air::Open => compare(&scene),
        AnyScene::Space(scene) if scene.bodies.is_empty() && scene.setup.air == Air::Open => compare(&scene),
        _ => Vec::new(),
    });
    let differences: Vec<_> = differences.collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
