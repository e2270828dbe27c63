//! Pressure problems that the device makes of fields, against those that the processor makes rows of: the kernels run
//! on the host here, so that the same matrix, bounds and right-hand side give the same answer bit for bit.
#![cfg(feature = "emulation")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use rayon::prelude::*;
use unstick_gpu::{Gpu, GpuSolver};
use unstick_liquid::Air;
use unstick_mlcp::fields::{FieldSolver, PressureFields, RowSolver};
use unstick_mlcp::{SolveError, SolveReport};
use unstick_scene::{AnyScene, Scene, SceneFile, catalogue};

/// Frames of every scene.
const FRAMES: usize = 2;

/// Solves both ways, one after the other, and goes on with the device's answer.
struct BothWays<const D: usize> {
    of_fields: GpuSolver,
    of_rows: RowSolver<D>,
    differences: Arc<Mutex<Vec<String>>>,
    solves: Arc<Mutex<usize>>,
}

/// What must agree.
fn facts(solve: &SolveReport) -> String {
    format!(
        "{} unknowns, {} walls, {} active, {}, history {:?}, work {:?}, target {}, pockets {:?}, {:?}",
        solve.rows(),
        solve.wall_rows(),
        solve.active_rows(),
        solve.outcome(),
        solve.history(),
        solve.work(),
        solve.target(),
        solve.pockets(),
        solve.remark()
    )
}

impl<const D: usize> FieldSolver<D> for BothWays<D> {
    fn solve_fields(
        &mut self,
        fields: &PressureFields<D>,
        q: &mut [f64],
        active: &mut [bool],
    ) -> Result<SolveReport, SolveError> {
        let (mut expected_q, mut expected_active) = (q.to_vec(), active.to_vec());
        let expected = self.of_rows.solve_fields(fields, &mut expected_q, &mut expected_active)?;
        let found = self.of_fields.solve_fields(fields, q, active)?;
        let number = {
            let mut solves = self.solves.lock().unwrap();
            *solves += 1;
            *solves
        };
        let mut differences = self.differences.lock().unwrap();
        if facts(&found) != facts(&expected) {
            differences.push(format!("solve {number}: {}\n  rows: {}", facts(&found), facts(&expected)));
        }
        if let Some(cell) = (0..q.len()).find(|&cell| q[cell].to_bits() != expected_q[cell].to_bits()) {
            differences.push(format!("solve {number}, cell {cell}: {:e}, rows: {:e}", q[cell], expected_q[cell]));
        }
        if active != expected_active {
            differences.push(format!("solve {number}: walls are left elsewhere"));
        }
        // Residuals are added up in another order.
        let about = found.reference().max(f64::MIN_POSITIVE);
        let numbers = |report: &SolveReport| [report.divergence(), report.complementarity(), report.residual()];
        for (found, expected) in numbers(&found).into_iter().zip(numbers(&expected)) {
            if (found - expected).abs() > 1e-12 * about.max(1.0) {
                differences.push(format!("solve {number}: {found:e} left, rows: {expected:e}"));
            }
        }
        Ok(found)
    }
}

fn coarse(name: &str) -> AnyScene {
    let mut file = SceneFile::find(name).unwrap();
    let cells = if file.scene().unwrap().dimension() == 2 { "[24, 24]" } else { "[12, 12, 12]" };
    file.set(&format!("grid.cells = {cells}")).unwrap();
    file.scene().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs some frames; returns what differs.
fn compare<const D: usize>(scene: &Scene<D>, solver: &str) -> Vec<String> {
    let device = || Gpu::emulated().solver(&solver.parse().unwrap(), Default::default()).unwrap();
    let (differences, solves) = (Arc::default(), Arc::default());
    let both = BothWays {
        of_fields: device(),
        of_rows: RowSolver::new(Box::new(device())),
        differences: Arc::clone(&differences),
        solves: Arc::clone(&solves),
    };
    let mut simulation = scene.simulation().unwrap();
    simulation.solve_on(Box::new(both));
    for frame in 1..=FRAMES {
        let report = simulation.advance_to(frame as f64 * scene.frame).unwrap();
        let failure = report.steps.iter().find_map(|step| step.device_failure.as_ref());
        assert_eq!(failure, None, "{}", scene.name);
    }
    assert!(*solves.lock().unwrap() > 0, "{}: nothing was solved", scene.name);
    let differences = differences.lock().unwrap();
    differences.iter().map(|difference| format!("{} with {solver}: {difference}", scene.name)).collect()
}

/// Bodies and bubbles stay on the processor.
fn is_for_device<const D: usize>(scene: &Scene<D>) -> bool {
    scene.bodies.is_empty() && scene.setup.air == Air::Open
}

fn compare_any(scene: &AnyScene, solver: &str) -> Vec<String> {
    match scene {
        AnyScene::Plane(scene) if is_for_device(scene) => compare(scene, solver),
        AnyScene::Space(scene) if is_for_device(scene) => compare(scene, solver),
        _ => Vec::new(),
    }
}

#[test]
fn every_scene_has_the_answer_of_its_rows_bit_for_bit() {
    let differences = catalogue::ALL.par_iter().flat_map_iter(|entry| compare_any(&coarse(entry.name), "best"));
    let differences: Vec<_> = differences.collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// Walls that move through liquid, with a source, in the plane and in space.
const PADDLES: [&str; 2] = [
    r#"
[grid]
cells = [24, 20]
[[solid]]
shape = { cuboid = { lower = [0.5, 0.0], upper = [0.6, 0.3] } }
motion = { velocity = [-0.4, 0.0], spin = 40.0, about = [0.55, 0.15] }
[[liquid]]
shape = { cuboid = { lower = [0.0, 0.0], upper = [0.7, 0.4] } }
[[source]]
shape = { sphere = { centre = [0.8, 0.6], radius = 0.1 } }
velocity = [-1.0, 0.0]
"#,
    r#"
[grid]
cells = [12, 10, 11]
[[solid]]
shape = { cuboid = { lower = [0.4, 0.0, 0.3], upper = [0.6, 0.4, 0.7] } }
motion = { spin = [0.0, 180.0, 0.0], about = [0.5, 0.2, 0.5] }
[[liquid]]
shape = { cuboid = { lower = [0.0, 0.0, 0.0], upper = [1.0, 0.5, 0.8] } }
"#,
];

#[test]
fn walls_that_move_have_the_answer_of_their_rows_bit_for_bit() {
    for (text, solver) in PADDLES.iter().zip(["best", "sticking+cg/jacobi"]) {
        let file = SceneFile::parse("paddle", "paddle.toml", text, Path::new(".")).unwrap();
        let differences = compare_any(&file.scene().unwrap(), solver);
        assert!(differences.is_empty(), "{}", differences.join("\n"));
    }
}
