//! Scene files.

use std::path::Path;

use unstick::scene::SceneFile;

use crate::Target;

/// Reads a scene file and builds its scene.
pub const TARGET: Target = Target { name: "scene", run, seeds };

fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(file) = SceneFile::parse("fuzz", "fuzz.toml", text, Path::new("nowhere")) {
        let _ = file.physics();
        let _ = if file.is_viscous() { file.viscous_scene().map(drop) } else { file.scene().map(drop) };
    }
}

/// The scenes of the catalogue.
fn seeds() -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenes");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the catalogue").flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter(|path| path.extension().is_some_and(|end| end == "toml")).flat_map(std::fs::read).collect()
}
