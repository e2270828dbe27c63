//! Tables of keyframes.

use unstick::scene::SceneFile;

use crate::Target;

/// Reads a table of keyframes, in the plane and in space.
pub const TARGET: Target = Target { name: "keyframes", run, seeds };

const SCENES: [&str; 2] = [PLANE, SPACE];
const PLANE: &str = "title = \"A disc\"\n[grid]\ncells = [8, 8]\n[time]\nframes = 1\n\
    [[liquid]]\nshape = { cuboid = { lower = [0.0, 0.0], upper = [0.3, 0.3] } }\n\
    [[solid]]\nshape = { sphere = { centre = [0.6, 0.6], radius = 0.1 } }\n\
    motion = { about = [0.5, 0.5], keyframes = \"table.csv\" }\n";
const SPACE: &str = "title = \"A ball\"\n[grid]\ncells = [8, 8, 8]\n[time]\nframes = 1\n\
    [[liquid]]\nshape = { cuboid = { lower = [0.0, 0.0, 0.0], upper = [0.3, 0.3, 0.3] } }\n\
    [[solid]]\nshape = { sphere = { centre = [0.6, 0.6, 0.6], radius = 0.1 } }\n\
    motion = { about = [0.5, 0.5, 0.5], keyframes = \"table.csv\" }\n";

fn run(data: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    if std::fs::write(folder.path().join("table.csv"), data).is_err() {
        return;
    }
    for scene in SCENES {
        if let Ok(file) = SceneFile::parse("fuzz", "fuzz.toml", scene, folder.path()) {
            let _ = file.scene();
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let tables = [
        "time,x,y,turn\n0,0,0,0\n0.5,0.1,-0.2,90\n# a comment\n\n1,0,0,360\n",
        "time,x,y,z,turn_x,turn_y,turn_z\n0,0,0,0,0,0,0\n1.5e0,1,2,3,10,20,-30\n",
        "time,qw,qx,qy,qz\n0,1,0,0,0\n1,0.7071,0,0.7071,0\n",
    ];
    tables.map(|table| table.as_bytes().to_vec()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_is_accepted_in_the_plane_or_in_space() {
        for seed in seeds() {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("table.csv"), &seed).unwrap();
            let read = |scene: &str| SceneFile::parse("fuzz", "fuzz.toml", scene, folder.path())?.scene().map(drop);
            let results = SCENES.map(read);
            assert!(results.iter().any(Result::is_ok), "{:?}: {results:?}", String::from_utf8_lossy(&seed));
        }
    }
}
