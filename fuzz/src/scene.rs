//! Scene files.

use std::path::Path;

use unstick::scene::{SceneFile, catalogue};

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
    catalogue::names().filter_map(catalogue::find).map(|entry| entry.text.as_bytes().to_vec()).collect()
}
