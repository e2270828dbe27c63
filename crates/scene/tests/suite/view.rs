//! What a run leaves for the viewer.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use unstick_grid::{Motion, Spin};
use unstick_scene::run::{AnyRunScene, Run, RunFolder, RunRecord, RunScene};
use unstick_scene::{AnyScene, Scene, SceneFile};

static NEVER: AtomicBool = AtomicBool::new(false);

fn file(name: &str, set: &[&str]) -> SceneFile {
    let mut file = SceneFile::find(name).unwrap();
    set.iter().for_each(|assignment| file.set(assignment).unwrap());
    file
}

fn record(file: &SceneFile) -> RunRecord {
    RunRecord::of(file, &AnyRunScene::of(file, None).unwrap(), serde_json::Value::Null)
}

fn simulate<const D: usize>(file: &SceneFile, scene: impl Into<RunScene<D>>, folder: &Path, frames: usize) {
    let run = Run::begin(scene.into()).unwrap();
    let mut run = run.write_to(RunFolder::new(folder).claim().unwrap(), &record(file)).unwrap();
    while run.number() < frames {
        run.advance(&NEVER).unwrap();
    }
}

fn plane(file: &SceneFile) -> Scene<2> {
    match file.scene().unwrap() {
        AnyScene::Plane(scene) => scene,
        AnyScene::Space(_) => panic!("expected two dimensions"),
    }
}

/// Header and array bytes of a file.
fn read(path: &Path) -> (serde_json::Value, Vec<u8>) {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    let length = u32::from_le_bytes(bytes[16..20].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[20..20 + length]).unwrap(), bytes.split_off(20 + length))
}

/// Entries of each array by name.
fn counts(header: &serde_json::Value) -> BTreeMap<String, u64> {
    let arrays = header["arrays"].as_array().unwrap().iter();
    arrays.map(|array| (array["name"].as_str().unwrap().to_owned(), array["count"].as_u64().unwrap())).collect()
}

#[test]
fn a_run_in_the_plane_leaves_particles_fields_and_solids() {
    let folder = tempfile::tempdir().unwrap();
    let file = file("circle-half", &["grid.cells=[16,16]", "time.frames=3"]);
    simulate(&file, plane(&file), folder.path(), 3);
    let view = folder.path().join("view");
    let scene = read(&view.join("scene.gz")).0;
    assert_eq!(counts(&scene)["solid"], 17 * 17);
    assert!(scene["fastest"].as_f64().unwrap() > 1.0 && scene["highest"].as_f64().unwrap() > 100.0);
    let particles = read(&view.join("particles/0003.gz")).0;
    let found = counts(&particles);
    assert!(found["position"] > 100 && found["position"] == found["speed"] && found["position"] == found["pressure"]);
    assert_eq!(particles["particles"].as_u64(), Some(found["position"]));
    let (surface, bytes) = read(&view.join("surface/0003.gz"));
    let fields = counts(&surface);
    assert!(["liquid", "speed", "pressure"].iter().all(|name| fields[*name] == 256) && !fields.contains_key("solid"));
    // The middle of the left half is deep inside, the right end of the circle far outside.
    assert!(bytes[8 * 16 + 4] < 80 && bytes[8 * 16 + 13] > 170, "{} {}", bytes[8 * 16 + 4], bytes[8 * 16 + 13]);
}

#[test]
fn a_run_in_space_leaves_meshes_and_moving_solids_come_with_every_frame() {
    let folder = tempfile::tempdir().unwrap();
    let file = file("sphere-half", &["grid.cells=[12,12,12]", "time.frames=1"]);
    let AnyScene::Space(mut scene) = file.scene().unwrap() else { panic!("expected three dimensions") };
    simulate(&file, scene.clone(), folder.path(), 1);
    let view = folder.path().join("view");
    let still = counts(&read(&view.join("scene.gz")).0);
    assert!(still["solid_vertex"] > 50 && still["solid_triangle"] > 100);
    let mesh = counts(&read(&view.join("surface/0001.gz")).0);
    assert!(mesh["vertex"] > 50 && mesh["triangle"] > 100 && mesh["normal"] == mesh["vertex"]);
    assert!(!mesh.contains_key("solid_vertex"));
    scene.setup.solids[0].motion = Motion::Steady { velocity: [0.1, 0.0, 0.0], spin: Spin::none(), pivot: [0.5; 3] };
    let moving = tempfile::tempdir().unwrap();
    simulate(&file, scene, moving.path(), 1);
    assert!(counts(&read(&moving.path().join("view/surface/0001.gz")).0)["solid_vertex"] > 50);
    assert!(!counts(&read(&moving.path().join("view/scene.gz")).0).contains_key("solid_vertex"));
}

#[test]
fn a_resumed_run_leaves_the_same_files() {
    let set = ["grid.cells=[24,18]", "time.frames=6", "output.checkpoint_every=3"];
    let (straight, broken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = file("dam-break", &set);
    simulate(&file, plane(&file), straight.path(), 6);
    simulate(&file, plane(&file), broken.path(), 5); // the last checkpoint is of frame 3
    let (mut run, _) =
        Run::resume(plane(&file).into(), RunFolder::new(broken.path()).claim().unwrap(), &record(&file)).unwrap();
    assert!(!broken.path().join("view/particles/0004.gz").exists(), "later frames are dropped");
    while run.number() < 6 {
        run.advance(&NEVER).unwrap();
    }
    let layers = ["particles", "surface"].into_iter();
    let names = layers.flat_map(|layer| (0..=6).map(move |frame| format!("view/{layer}/{frame:04}.gz")));
    for name in names.chain(["view/scene.gz".to_owned()]) {
        let [one, other] = [&straight, &broken].map(|folder| std::fs::read(folder.path().join(&name)).unwrap());
        assert!(one == other, "{name}");
    }
}

#[test]
fn the_scene_decides_and_huge_runs_leave_nothing_unasked() {
    let is_viewed = |set: &[&str]| RunScene::from(plane(&file("dam-break", set))).is_viewed();
    assert!(is_viewed(&[]));
    assert!(!is_viewed(&["output.view=false"]));
    let endless = "time.frames=1000000";
    assert!(!is_viewed(&[endless]));
    assert!(is_viewed(&[endless, "output.view=true"]));
}

#[test]
fn a_viscous_flow_leaves_fields_and_bodies() {
    let folder = tempfile::tempdir().unwrap();
    let plane = file("cavity-particles", &["grid.refine=0.25", "body.0.copies=5", "time.frames=1"]);
    let AnyRunScene::Plane(scene) = AnyRunScene::of(&plane, None).unwrap() else { panic!("expected two dimensions") };
    let (cells, bodies) = (scene.grid.len() as u64, scene.bodies.len() as u64);
    simulate(&plane, scene, folder.path(), 1);
    let view = folder.path().join("view");
    let header = read(&view.join("scene.gz")).0;
    assert!(header["fastest"].as_f64().unwrap() > 0.0 && header["highest"].as_f64().unwrap() > 0.0);
    let particles = counts(&read(&view.join("particles/0001.gz")).0);
    assert_eq!([particles["position"], particles["speed"]], [bodies; 2]);
    let fields = counts(&read(&view.join("surface/0001.gz")).0);
    assert!(["liquid", "speed", "pressure"].iter().all(|name| fields[*name] == cells) && fields["solid"] > cells);

    let folder = tempfile::tempdir().unwrap();
    let space = file("settling-sphere", &["grid.refine=0.4", "time.frames=1"]);
    let AnyRunScene::Space(scene) = AnyRunScene::of(&space, None).unwrap() else { panic!("expected three dimensions") };
    simulate(&space, scene, folder.path(), 1);
    let mesh = counts(&read(&folder.path().join("view/surface/0001.gz")).0);
    assert!(mesh["vertex"] > 20 && mesh["speed"] == mesh["vertex"], "the mesh is that of the sphere: {mesh:?}");
    let narrow = file("cavity", &["output.viewer=false"]);
    let AnyRunScene::Plane(scene) = AnyRunScene::of(&narrow, None).unwrap() else { panic!("expected two dimensions") };
    assert!(!scene.is_viewed());
}
