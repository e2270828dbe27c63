//! Problem folders.

use std::sync::LazyLock;

use unstick::problems::{Example, Problem};

use crate::Target;
use crate::folder::{Files, files_of, seeds as seeds_of, with_replaced};

/// Reads a problem folder: the first byte chooses the file, the rest is its content.
pub const TARGET: Target = Target { name: "problem_folder", run, seeds };

const CHOSEN: [&str; 6] = ["A.mtx", "b.npy", "wall.npy", "lower.npy", "x.npy", "grid.json"];

static SOUND: LazyLock<Files> = LazyLock::new(|| {
    let problem = Example::SphereHalf.generate(2, 8, 0).expect("a small problem");
    let (size, lower) = (problem.size(), problem.mlcp().lower().to_vec());
    let problem = problem.with_lower(lower).expect("its own bounds").with_start(vec![0.5; size]).expect("as many");
    let folder = tempfile::tempdir().expect("a temporary folder");
    problem.write(folder.path()).expect("a folder that can be written");
    files_of(folder.path())
});

fn run(data: &[u8]) {
    let Some(folder) = with_replaced(&SOUND, &CHOSEN, data) else { return };
    if let Ok(problem) = Problem::read(folder.path()) {
        let _ = (problem.size(), problem.mlcp().residual_at_zero());
    }
}

fn seeds() -> Vec<Vec<u8>> {
    seeds_of(&SOUND, &CHOSEN)
}
