//! What was asked for, checked before anything runs.

use std::path::{Path, PathBuf};

use rayon::ThreadPool;

use unstick::mlcp::generate::Example;
use unstick::mlcp::io::ProblemFolder;
use unstick::mlcp::{PressureMethod, Start, Stop, Tolerance};
use unstick::scene::file::nearest;
use unstick::scene::{AnyScene, SceneFile, catalogue};

use crate::args::BenchArgs;
use crate::command::compare::{self, Contest};
use crate::command::generate;
use crate::error::CommandError;
use crate::machine::{self, GIBI, Memory};

/// Tells an example from a scene of the same name.
const EXAMPLE: &str = "example:";

/// Axes of the examples.
pub const DIMENSION: usize = 3;

/// Cells along each axis of an example, where nothing is said.
const DEFAULT_SIZE: usize = 64;

/// Late enough that the liquid is on the move, early enough to be reached soon.
const DEFAULT_FRAME: usize = 10;

/// An example of so many cells takes no time, and is refused if a smaller one is.
const TRIED: usize = 16;

/// What is going to be done.
pub struct Plan {
    /// Where problems come from, in the order asked for.
    pub sources: Vec<Source>,
    /// Who solves them, how well and from where.
    pub contest: Contest,
    /// Solves by each solver.
    pub repetitions: usize,
    /// A pool for each number of threads.
    pub pools: Vec<ThreadPool>,
    /// Where scenes are simulated, with the most threads of all; their bits do not depend on it.
    pub simulation_pool: ThreadPool,
}

/// Where problems come from.
pub enum Source {
    /// Some frames of a scene on one grid.
    Scene {
        /// As it was typed.
        name: String,
        /// On the grid asked for.
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
enum Named {
    Scene(SceneFile),
    Example(Example),
    Folder(PathBuf),
}

impl Plan {
    /// Refuses whatever cannot be done, and whatever would have no effect.
    pub fn check(args: &BenchArgs) -> Result<Self, CommandError> {
        if !(args.tol > 0.0 && args.tol.is_finite()) {
            return Err(CommandError::Tolerance(args.tol));
        }
        let solvers = compare::methods(&args.solvers)?;
        let stop = Stop { tolerance: Tolerance::Relative(args.tol), max_cycles: None };
        let start = if args.warm { Start::Given } else { Start::Zero };
        let mut sources = Vec::new();
        for name in &distinct(&args.problems) {
            sources.extend(sources_of(name, args)?);
        }
        check_effect(args, &sources)?;
        check_velocities(&solvers, &sources)?;
        let threads = match distinct(&args.threads) {
            none if none.is_empty() => vec![u16::try_from(rayon::current_num_threads()).unwrap_or(u16::MAX)],
            some => some,
        };
        Ok(Self {
            sources,
            contest: Contest { solvers, stop, start },
            repetitions: args.repetitions as usize,
            simulation_pool: machine::thread_pool(threads.iter().copied().max().unwrap_or(1))?,
            pools: threads.into_iter().map(machine::thread_pool).collect::<Result<_, _>>()?,
        })
    }
}

/// The problems that a name stands for, on every grid.
fn sources_of(name: &str, args: &BenchArgs) -> Result<Vec<Source>, CommandError> {
    let sizes: Vec<_> = distinct(&args.sizes).iter().map(|&size| size as usize).collect();
    match find(name)? {
        Named::Scene(file) => {
            let mut frames: Vec<_> = args.frames.iter().map(|&frame| frame as usize).collect();
            frames.sort_unstable();
            frames.dedup();
            let frames = if frames.is_empty() { vec![DEFAULT_FRAME] } else { frames };
            let scenes = match sizes.as_slice() {
                [] => vec![file.scene()?],
                sizes => sizes.iter().map(|&size| resized(&file, size)).collect::<Result<_, _>>()?,
            };
            scenes.iter().try_for_each(check_memory)?;
            let source = |scene| Source::Scene { name: name.into(), scene: Box::new(scene), frames: frames.clone() };
            Ok(scenes.into_iter().map(source).collect())
        }
        Named::Example(example) => {
            let sizes = if sizes.is_empty() { vec![DEFAULT_SIZE] } else { sizes };
            for &size in &sizes {
                generate::check_memory(DIMENSION, size)?;
                let tried = example.generate(DIMENSION, size.min(TRIED), 0);
                tried.map_err(|error| CommandError::Generate { example, error })?;
            }
            if args.warm {
                return Err(nothing_before(&format!("the example `{example}` has no step before")));
            }
            Ok(sizes.into_iter().map(|size| Source::Example { name: name.into(), example, size }).collect())
        }
        Named::Folder(path) => {
            let folder = ProblemFolder::read(&path).map_err(|error| CommandError::reading(error, &path))?;
            if args.warm && folder.x.is_none() {
                return Err(nothing_before(&format!("{} holds no x.npy to start from", path.display())));
            }
            Ok(vec![Source::Folder { path }])
        }
    }
}

/// Scenes of the catalogue come first, then folders, examples, and scenes in files.
fn find(name: &str) -> Result<Named, CommandError> {
    if let Some(example) = name.strip_prefix(EXAMPLE) {
        return Ok(Named::Example(example.parse().map_err(CommandError::example)?));
    }
    if catalogue::find(name).is_none() {
        if Path::new(name).is_dir() {
            return Ok(Named::Folder(name.into()));
        }
        if let Ok(example) = name.parse() {
            return Ok(Named::Example(example));
        }
    }
    SceneFile::find(name).map(Named::Scene).map_err(|error| {
        let scenes = catalogue::ALL.iter().map(|entry| entry.name);
        let known = scenes.chain(Example::ALL.map(Example::name));
        match (&error.place, nearest(name, known)) {
            (None, Some(best)) if catalogue::find(best).is_none() => {
                CommandError::Run { message: error.message, help: Some(format!("did you mean `{best}`?")) }
            }
            _ => error.into(),
        }
    })
}

/// A scene with `size` cells along its longest axis and the extent it had.
fn resized(file: &SceneFile, size: usize) -> Result<AnyScene, CommandError> {
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

/// Refuses scenes that would not fit, before the system ends the process for it.
fn check_memory(scene: &AnyScene) -> Result<(), CommandError> {
    let Some(memory) = Memory::of_this_machine() else { return Ok(()) };
    let (needed, available) = (bytes_needed(scene), memory.available_bytes as f64);
    if needed <= available {
        return Ok(());
    }
    let longest = scene.cells().into_iter().max().unwrap_or(1);
    let largest = longest as f64 * (available / needed).powf(1.0 / scene.dimension() as f64);
    let [needed, available] = [needed, available].map(|bytes| bytes / GIBI);
    Err(CommandError::Run {
        message: format!(
            "{longest} cells along the longest axis take about {needed:.0} GiB of memory, {available:.1} GiB are available"
        ),
        help: Some(format!("about {largest:.0} cells would fit")),
    })
}

fn bytes_needed(scene: &AnyScene) -> f64 {
    match scene {
        AnyScene::Plane(scene) => scene.bytes_needed(),
        AnyScene::Space(scene) => scene.bytes_needed(),
    }
}

/// Refuses options that none of the problems would follow.
fn check_effect(args: &BenchArgs, sources: &[Source]) -> Result<(), CommandError> {
    let has_scene = sources.iter().any(|source| matches!(source, Source::Scene { .. }));
    let has_size = sources.iter().any(|source| !matches!(source, Source::Folder { .. }));
    let refused =
        |message: &str, help: &str| Err(CommandError::Run { message: message.into(), help: Some(help.into()) });
    if !args.sizes.is_empty() && !has_size {
        return refused("`--sizes` has no effect: a problem folder has the size it has", "leave out `--sizes`");
    }
    if !args.frames.is_empty() && !has_scene {
        return refused("`--frames` has no effect: there is no scene among the problems", "leave out `--frames`");
    }
    Ok(())
}

/// Refuses splittings of problems that come without velocities.
fn check_velocities(solvers: &[PressureMethod], sources: &[Source]) -> Result<(), CommandError> {
    let splitting = solvers.iter().find(|solver| matches!(solver, PressureMethod::Splitting(_)));
    let bare = sources.iter().find_map(|source| match source {
        Source::Scene { .. } => None,
        Source::Example { name, .. } => Some(name.clone()),
        Source::Folder { path } => Some(path.display().to_string()),
    });
    let (Some(splitting), Some(bare)) = (splitting, bare) else { return Ok(()) };
    Err(CommandError::Run {
        message: format!("`{splitting}` works on the velocities of a step, which {bare} does not have"),
        help: Some("splittings run on scenes, for example `unstick bench dam-break`".into()),
    })
}

fn nothing_before(message: &str) -> CommandError {
    CommandError::Run { message: message.into(), help: Some("leave out `--warm` to start from zero".into()) }
}

/// Each once, in the order in which they were given.
fn distinct<T: Clone + PartialEq>(values: &[T]) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(value) {
            distinct.push(value.clone());
        }
    }
    distinct
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
        assert!(matches!(find("sphere-half"), Ok(Named::Scene(_))));
        assert!(matches!(find("example:sphere-half"), Ok(Named::Example(Example::SphereHalf))));
        assert!(matches!(find("cube-lid"), Ok(Named::Example(Example::CubeLid))));
    }
}
