//! Where pressure problems come from: frames of scenes, examples, problem folders.

mod visit;

use std::path::{Path, PathBuf};

use unstick::mlcp::nearest;
use unstick::problems::Example;
use unstick::scene::{AnyScene, SceneFile, catalogue};

use crate::{LabError, machine};

pub use visit::{CapturedProblem, problem_of, simulate, stage_after};

/// The prefix of examples, for names that a scene has too.
const EXAMPLE: &str = "example:";

/// Bytes that it takes at most to generate and write a cell of an example, as measured.
const BYTES_PER_CELL: f64 = 200.0;

/// Axes of the examples.
pub const DIMENSION: usize = 3;

/// Where problems come from.
pub enum Source {
    /// Some frames of a scene on one grid.
    Scene {
        /// As it was typed.
        name: String,
        /// On the requested grid.
        scene: Box<AnyScene>,
        /// Ascending.
        frames: Vec<usize>,
    },
    /// A generated problem.
    Example {
        /// As it was typed.
        name: String,
        /// Which one.
        example: Example,
        /// Cells along each axis.
        size: usize,
    },
    /// A problem folder.
    Folder {
        /// Where it is.
        path: PathBuf,
    },
}

/// What a name stands for.
pub enum ProblemName {
    /// A scene of the catalogue or in a file.
    Scene(SceneFile),
    /// A generated problem.
    Example(Example),
    /// A problem folder.
    Folder(PathBuf),
}

/// Scenes of the catalogue come first, then folders, examples, and scenes in files.
pub fn find(name: &str) -> Result<ProblemName, LabError> {
    if let Some(example) = name.strip_prefix(EXAMPLE) {
        return Ok(ProblemName::Example(example.parse().map_err(LabError::Example)?));
    }
    if catalogue::find(name).is_none() {
        if Path::new(name).is_dir() {
            return Ok(ProblemName::Folder(name.into()));
        }
        if let Ok(example) = name.parse() {
            return Ok(ProblemName::Example(example));
        }
    }
    SceneFile::find(name).map(ProblemName::Scene).map_err(|error| {
        let scenes = catalogue::ALL.iter().map(|entry| entry.name);
        let known = scenes.chain(Example::ALL.map(Example::name));
        match (&error.place, nearest(name, known)) {
            (None, Some(best)) if catalogue::find(best).is_none() => {
                LabError::UnknownProblem { message: error.message, nearest: best.into() }
            }
            _ => error.into(),
        }
    })
}

/// A scene with `size` cells along its longest axis and the same extent as before.
pub fn resized(file: &SceneFile, size: usize) -> Result<AnyScene, LabError> {
    let mut file = file.clone();
    let (cells, spacing) = grid_of(&file.scene()?);
    let longest = cells.iter().copied().max().unwrap_or(1) as f64;
    let scaled = cells.iter().map(|&count| (count as f64 * size as f64 / longest).round().max(1.0) as usize);
    file.set(&format!("grid.cells={:?}", scaled.collect::<Vec<_>>()))?;
    let scene = file.scene()?;
    let keeps_extent = |found: f64| (found * size as f64 / (spacing * longest) - 1.0).abs() < 1e-9;
    if keeps_extent(grid_of(&scene).1) {
        return Ok(scene);
    }
    // The file gives the spacing itself.
    file.set(&format!("grid.spacing={:?}", spacing * longest / size as f64))?;
    Ok(file.scene()?)
}

/// Cells along each axis, and their edge length.
fn grid_of(scene: &AnyScene) -> (Vec<usize>, f64) {
    let spacing = match scene {
        AnyScene::Plane(scene) => scene.setup.grid.spacing(),
        AnyScene::Space(scene) => scene.setup.grid.spacing(),
    };
    (scene.cells(), spacing)
}

/// Refuses a scene that needs more memory than there is.
pub fn check_memory(scene: &AnyScene) -> Result<(), LabError> {
    let needed = match scene {
        AnyScene::Plane(scene) => scene.bytes_needed(),
        AnyScene::Space(scene) => scene.bytes_needed(),
    };
    let longest = scene.cells().into_iter().max().unwrap_or(1);
    machine::check_memory(longest, scene.dimension(), needed)
}

/// Refuses an example that needs more memory than there is.
pub fn check_example_memory(dimension: usize, size: usize) -> Result<(), LabError> {
    let needed = (size as f64).powf(dimension as f64) * BYTES_PER_CELL;
    machine::check_memory(size, dimension, needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene(text: &str) -> SceneFile {
        let liquid = "[[liquid]]\nshape = { cuboid = { lower = [0.0, 0.0], upper = [0.5, 0.5] } }\n";
        SceneFile::parse("tank", "tank.toml", &format!("{text}\n{liquid}"), Path::new(".")).unwrap()
    }

    #[test]
    fn another_size_keeps_the_shape_and_the_extent() {
        for grid in ["cells = [40, 30]", "cells = [40, 30]\nsize = 2.0", "cells = [40, 30]\nspacing = 0.125"] {
            let file = scene(&format!("[grid]\n{grid}"));
            let (cells, spacing) = grid_of(&resized(&file, 64).unwrap());
            assert_eq!(cells, [64, 48], "{grid}");
            assert!((64.0 * spacing / (40.0 * grid_of(&file.scene().unwrap()).1) - 1.0).abs() < 1e-12, "{grid}");
        }
    }

    #[test]
    fn a_thin_domain_keeps_at_least_one_cell() {
        assert_eq!(grid_of(&resized(&scene("[grid]\ncells = [100, 1]"), 8).unwrap()).0, [8, 1]);
    }

    #[test]
    fn scenes_win_over_examples_of_the_same_name() {
        assert!(matches!(find("sphere-half"), Ok(ProblemName::Scene(_))));
        assert!(matches!(find("example:sphere-half"), Ok(ProblemName::Example(Example::SphereHalf))));
        assert!(matches!(find("cube-lid"), Ok(ProblemName::Example(Example::CubeLid))));
    }
}
