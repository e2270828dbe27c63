//! Run folders: the record, the status and the tables.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use unstick::scene::SceneFile;
use unstick::scene::report::RunSeries;
use unstick::scene::run::{AnyRunScene, Run, RunFolder, RunRecord, RunState, RunStatus, StatusWriter};

use crate::Target;
use crate::folder::{Files, files_of, seeds as seeds_of, with_replaced};

/// Reads a run folder: the first byte chooses the file, the rest is its content.
pub const TARGET: Target = Target { name: "run_folder", run, seeds };

const CHOSEN: [&str; 4] = ["run.json", "status.json", "stats.csv", "bodies.csv"];

/// A disc that falls into liquid.
const SCENE: &str = "title = \"A disc\"\n[grid]\ncells = [12, 12]\n[time]\nframes = 2\n[output]\nview = true\nframes = false\n\
    [[liquid]]\nshape = { cuboid = { lower = [0.0, 0.0], upper = [1.0, 0.4] } }\n\
    [[body]]\nname = \"disc\"\ndensity = 500.0\nshape = { sphere = { radius = 0.1 } }\ncentre = [0.5, 0.6]\n";

/// The files of a run of two frames, with a checkpoint.
pub static SOUND: LazyLock<Files> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    simulate(&RunFolder::new(folder.path())).expect("a run that succeeds");
    files_of(folder.path())
});

fn simulate(folder: &RunFolder) -> Result<(), Box<dyn std::error::Error>> {
    let file = SceneFile::parse("fuzz", "fuzz.toml", SCENE, folder.path())?;
    let any = AnyRunScene::of(&file, None)?;
    let record = RunRecord::of(&file, &any, serde_json::Value::Null);
    let scene = any.plane().ok_or("the scene lies in the plane")?;
    let stop = Arc::new(AtomicBool::new(false));
    let status = StatusWriter::begin(folder, 0, 2, stop.clone())?;
    let mut run = Run::begin(scene)?.write_to(folder.claim()?, &record)?;
    while run.number() < 2 {
        run.advance(&stop)?;
    }
    run.checkpoint()?;
    status.end(RunState::Finished, 2)?;
    Ok(())
}

fn run(data: &[u8]) {
    let Some(folder) = with_replaced(&SOUND, &CHOSEN, data) else { return };
    let folder = RunFolder::new(folder.path());
    if let Ok(record) = RunRecord::read(&folder) {
        let _ = record.scene_file(&folder).map(|file| AnyRunScene::of(&file, None).map(drop));
    }
    let _ = RunStatus::read(&folder);
    let _ = RunSeries::read_csv("fuzz", &folder.stats());
    let _ = RunSeries::read_bodies(&["disc"], &folder.bodies());
}

fn seeds() -> Vec<Vec<u8>> {
    seeds_of(&SOUND, &CHOSEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sound_folder_has_all_files() {
        for name in CHOSEN {
            assert!(SOUND.iter().any(|(known, content)| known == name && !content.is_empty()), "{name} is missing");
        }
    }
}
