//! Checkpoints.

use unstick::scene::run::{AnyRunScene, Run, RunFolder, RunRecord};

use crate::Target;
use crate::folder::{seeds as seeds_of, with_replaced};
use crate::run_folder::SOUND;

/// Resumes a run: the first byte chooses the checkpoint or the statistics, the rest is the content.
pub const TARGET: Target = Target { name: "checkpoint", run, seeds };

fn chosen() -> Vec<&'static str> {
    let names = SOUND.iter().map(|(name, _)| name.as_str());
    names.filter(|name| name.starts_with("checkpoint") || *name == "stats.csv").collect()
}

fn run(data: &[u8]) {
    let Some(folder) = with_replaced(&SOUND, &chosen(), data) else { return };
    let folder = RunFolder::new(folder.path());
    let Ok(record) = RunRecord::read(&folder) else { return };
    let Ok(file) = record.scene_file(&folder) else { return };
    let Ok(scene) = AnyRunScene::of(&file, None) else { return };
    if let (Some(scene), Ok(claim)) = (scene.plane(), folder.claim()) {
        let _ = Run::resume(scene, claim, &record);
    }
}

fn seeds() -> Vec<Vec<u8>> {
    seeds_of(&SOUND, &chosen())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sound_folder_has_a_checkpoint() {
        assert!(chosen().len() >= 2, "{:?}", chosen());
    }
}
