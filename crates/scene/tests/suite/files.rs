//! Data files of runs: sequences that survive interruptions, replays, tables of keyframes, meshes in and out.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use unstick_files::{Surface, gltf};
use unstick_grid::{SignedDistance, sample_cells};
use unstick_scene::run::{AnyRunScene, Origin, Replay, Run, RunFolder, RunRecord, RunScene};
use unstick_scene::sink::{FrameSink as _, data_sinks};
use unstick_scene::{AnyScene, SceneFile};

static NEVER: AtomicBool = AtomicBool::new(false);

/// A tank with a body and a paddle, in space, that takes no time.
const TANK: &str = r#"
[grid]
cells = [12, 12, 12]
[time]
frames = 6
[[solid]]
shape = { cuboid = { lower = [0.7, 0.0, 0.4], upper = [0.8, 0.5, 0.6] } }
motion = { velocity = [-0.5, 0.0, 0.0] }
[[liquid]]
shape = { half_space = { point = [0.0, 0.4, 0.0], normal = [0.0, 1.0, 0.0] } }
[[body]]
name = "cork 1"
shape = { sphere = { radius = 0.12 } }
centre = [0.3, 0.5, 0.5]
density = 300.0
[output]
frames = false
checkpoint_every = 2
particles = { format = "vtp", thin = 7, every = 3 }
surface = ["usd", { format = "glb", from = 2, until = 4 }]
volume = ["vdb", "vti"]
states = { every = 4 }
"#;

fn tank(set: &[&str]) -> (RunRecord, RunScene<3>) {
    let mut file = SceneFile::parse("tank", "tank.toml", TANK, Path::new(".")).unwrap();
    set.iter().for_each(|assignment| file.set(assignment).unwrap());
    space(&file)
}

fn space(file: &SceneFile) -> (RunRecord, RunScene<3>) {
    let scene = AnyRunScene::of(file, None).unwrap();
    let record = RunRecord::of(file, &scene, serde_json::Value::Null);
    match scene {
        AnyRunScene::Space(scene) => (record, scene),
        AnyRunScene::Plane(_) => panic!("expected three dimensions"),
    }
}

fn begin(folder: &Path) -> Run<3> {
    let (record, scene) = tank(&[]);
    let folder = RunFolder::new(folder);
    let claim = folder.prepare(false).unwrap();
    Run::begin(scene).unwrap().write_to(claim, &record).unwrap()
}

fn go_on(run: &mut Run<3>, frames: usize) {
    while run.number() < frames {
        run.advance(&NEVER).unwrap();
    }
}

/// Every data file of a folder and its content.
fn contents(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in ["", "particles", "surface", "volume", "states"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if !name.ends_with(".csv") && !name.ends_with(".json") {
                files.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

#[test]
fn a_killed_run_that_is_resumed_leaves_the_same_files_as_a_straight_one() {
    let place = tempfile::tempdir().unwrap();
    let (straight, killed) = (place.path().join("straight"), place.path().join("killed"));
    go_on(&mut begin(&straight), 6);
    let expected = contents(&straight);
    let names: Vec<&str> = expected.keys().map(String::as_str).collect();
    let numbered = |folder: &str, extension: &str| -> Vec<&str> {
        names.iter().filter(|name| name.starts_with(folder) && name.ends_with(extension)).copied().collect()
    };
    assert_eq!(numbered("particles/", "vtp"), ["particles/0000.vtp", "particles/0003.vtp", "particles/0006.vtp"]);
    assert_eq!(numbered("surface/", "glb"), ["surface/0002.glb", "surface/0003.glb", "surface/0004.glb"]);
    assert_eq!(numbered("states/", "state"), ["states/0000.state", "states/0004.state"]);
    assert_eq!(numbered("volume/", "vdb").len(), 7);

    // Killed in frame 6, a write to the next file unfinished: the last checkpoint is that of frame 4.
    go_on(&mut begin(&killed), 5);
    std::fs::write(killed.join("volume/.unstick-a1b2"), "half a file").unwrap();
    let list = std::fs::read_to_string(killed.join("volume.pvd")).unwrap();
    assert_eq!(list.matches("<DataSet").count(), 6);
    let (record, scene) = tank(&[]);
    let (mut run, _) = Run::resume(scene, RunFolder::new(&killed).claim().unwrap(), &record).unwrap();
    assert_eq!(run.number(), 4);
    let list = std::fs::read_to_string(killed.join("volume.pvd")).unwrap();
    assert!(
        list.matches("<DataSet").count() == 5 && !list.contains("0005") && !killed.join("volume/0005.vti").exists()
    );
    let stage = std::fs::read_to_string(killed.join("stage.usda")).unwrap();
    assert!(stage.contains("0004.usda") && !stage.contains("0005.usda") && stage.contains("endTimeCode = 4"));
    go_on(&mut run, 6);
    drop(run);
    assert!(!killed.join("volume/.unstick-a1b2").exists());
    let found = contents(&killed);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, bytes) in &expected {
        assert!(found[name] == *bytes, "{name} differs");
    }
    let sizes: Vec<String> = RunFolder::new(&killed).data_files().iter().map(ToString::to_string).collect();
    assert!(sizes.len() == 6 && sizes.iter().any(|line| line.starts_with("volume: 7 .vdb, ")), "{sizes:?}");
}

#[test]
fn a_stage_knows_its_walls_bodies_and_scripted_solids() {
    let place = tempfile::tempdir().unwrap();
    go_on(&mut begin(place.path()), 2);
    let read = |name: &str| std::fs::read_to_string(place.path().join(name)).unwrap();
    let world = read("surface/world.usda");
    for prim in ["def Mesh \"Walls\"", "def Xform \"solid_1\"", "def Xform \"cork_1\"", "def Sphere \"Shape\""] {
        assert!(world.contains(prim), "{prim}");
    }
    // The paddle has moved by its velocity times the time.
    let frame = read("surface/0002.usda");
    let paddle = &frame[frame.find("\"solid_1\"").unwrap()..];
    assert!(paddle.contains("2: ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (-0.01, 0, 0, 1) )"), "{paddle}");
}

#[test]
fn any_frame_of_a_run_can_be_had_again_with_the_same_bits() {
    let place = tempfile::tempdir().unwrap();
    let (run, again) = (place.path().join("run"), place.path().join("again"));
    go_on(&mut begin(&run), 6);
    let folder = RunFolder::new(&run);
    let (record, scene) = tank(&[]);
    let mut replay = Replay::open(scene, &folder, &record).unwrap();
    assert_eq!(replay.last(), 6);
    let mut sinks = data_sinks(replay.scene(), &RunFolder::new(&again));
    sinks.iter().for_each(|sink| sink.begin(6).unwrap());
    let mut origins = Vec::new();
    for number in [0, 2, 4, 5, 6] {
        origins.push(replay.seek(number, &NEVER).unwrap());
        let frame = replay.frame().unwrap();
        for sink in &mut sinks {
            let _ = sink.receive(&frame).unwrap();
        }
    }
    use Origin::{Computed, Interrupted, Kept};
    assert_eq!(origins, [Kept, Computed, Kept, Computed, Kept]);
    for number in [0, 2, 4, 5, 6] {
        for name in [format!("volume/{number:04}.vdb"), format!("surface/{number:04}.usda")] {
            assert!(std::fs::read(run.join(&name)).unwrap() == std::fs::read(again.join(&name)).unwrap(), "{name}");
        }
    }
    // A damaged state is passed over.
    std::fs::write(run.join("states/0004.state"), "no state").unwrap();
    let (record, scene) = tank(&[]);
    let mut replay = Replay::open(scene, &folder, &record).unwrap();
    assert_eq!(replay.seek(4, &NEVER).unwrap(), Computed);
    assert_eq!(replay.seek(5, &AtomicBool::new(true)).unwrap(), Interrupted);
    let (record, scene) = tank(&["density=900"]);
    assert!(Replay::open(scene, &folder, &record).err().unwrap().to_string().contains("of another scene"));
}

#[test]
fn a_viscous_run_is_exported_with_the_same_bits() {
    let place = tempfile::tempdir().unwrap();
    let mut file = SceneFile::find("settling-sphere").unwrap();
    for set in [
        "grid.refine=0.4",
        "time.frames=3",
        r#"output={frames=false,states={every=2},volume="vti",surface=["ply","usd"],particles="npz"}"#,
    ] {
        file.set(set).unwrap();
    }
    let (run, again) = (RunFolder::new(place.path().join("run")), RunFolder::new(place.path().join("again")));
    let claim = run.prepare(false).unwrap();
    let (record, scene) = space(&file);
    go_on(&mut Run::begin(scene.clone()).unwrap().write_to(claim, &record).unwrap(), 3);
    let mut replay = Replay::open(scene, &run, &record).unwrap();
    let mut sinks = data_sinks(replay.scene(), &again);
    sinks.iter().for_each(|sink| sink.begin(3).unwrap());
    for (number, origin) in [Origin::Kept, Origin::Computed, Origin::Kept, Origin::Kept].into_iter().enumerate() {
        assert_eq!(replay.seek(number, &NEVER).unwrap(), origin, "{number}");
        let frame = replay.frame().unwrap();
        for sink in &mut sinks {
            let _ = sink.receive(&frame).unwrap();
        }
    }
    let (mut expected, found) = (contents(run.path()), contents(again.path()));
    expected.retain(|name, _| !name.starts_with("states/"));
    assert!(expected.len() > 16 && expected == found);
    // The surface is that of the sphere.
    let mesh = unstick_grid::TriangleMesh::read(run.path().join("surface/0000.ply")).unwrap();
    let sphere = replay.scene().bodies[0].volume();
    assert!((mesh.volume() / sphere - 1.0).abs() < 0.02, "{} against {sphere}", mesh.volume());
    assert!(String::from_utf8(expected["stage.usda"].clone()).unwrap().contains("0003.usda"));
}

#[test]
fn our_own_meshes_come_back_in() {
    let place = tempfile::tempdir().unwrap();
    let (_, scene) = tank(&[]);
    let grid = scene.grid;
    let ball = SignedDistance::sphere([0.5; 3], 0.3);
    let surface = Surface::of_distance(&grid, &sample_cells(&grid, |point| ball.at(point)), 0.0);
    std::fs::write(place.path().join("ball.glb"), gltf::surface(&surface)).unwrap();
    let text = "[grid]\ncells = [12, 12, 12]\n[[liquid]]\nshape = { mesh = { file = \"ball.glb\" } }\n";
    let file = SceneFile::parse("ball", "ball.toml", text, place.path()).unwrap();
    let AnyScene::Space(scene) = file.scene().unwrap() else { panic!("expected three dimensions") };
    let volume = scene.simulation().unwrap().volume();
    let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.3f64.powi(3);
    assert!((volume / exact - 1.0).abs() < 0.1, "{volume} against {exact}");
}

fn with_table(table: &str, more: &str) -> Result<AnyScene, unstick_scene::SceneError> {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("keys.csv"), table).unwrap();
    let text = format!(
        "[grid]\ncells = [12, 12, 12]\n[[liquid]]\nshape = {{ half_space = {{ point = [0, 0.4, 0], normal = [0, 1, 0] }} }}\n\
         [[solid]]\nshape = {{ sphere = {{ centre = [0.5, 0.5, 0.5], radius = 0.1 }} }}\n\
         motion = {{ keyframes = \"keys.csv\", about = [0.5, 0.5, 0.5]{more} }}\n"
    );
    SceneFile::parse("moved", "moved.toml", &text, place.path()).unwrap().scene()
}

#[test]
fn a_solid_follows_a_table_smoothly_and_its_velocity_with_it() {
    let table = "# from an animation\ntime, x, z, turn_y\n0, 0, 0, 0\n0.5, 0.1, 0, 90\n\n1.0, 0.2, 0.3, 360\n";
    let AnyScene::Space(scene) = with_table(table, ", interpolation = \"smooth\"").unwrap() else { panic!() };
    let motion = &scene.setup.solids[0].motion;
    let at = |time: f64| motion.pose(time).apply([0.6, 0.5, 0.5]);
    // A quarter turn about y takes x to −z.
    let [x, y, z] = at(0.5);
    assert!((x - 0.6).abs() < 1e-12 && (y - 0.5).abs() < 1e-12 && (z - 0.4).abs() < 1e-12, "{:?}", at(0.5));
    for step in 1..50 {
        let time = 0.02 * f64::from(step) + 0.003;
        let velocity = motion.velocity(time, at(time));
        for axis in 0..3 {
            let measured = (at(time + 1e-6)[axis] - at(time - 1e-6)[axis]) / 2e-6;
            assert!((velocity[axis] - measured).abs() < 1e-4, "{time}: {velocity:?}, axis {axis}: {measured}");
        }
    }
    let quaternions = "time,qw,qx,qy,qz\n0,1,0,0,0\n1,0.7071067811865476,0,0.7071067811865476,0\n";
    let AnyScene::Space(scene) = with_table(quaternions, "").unwrap() else { panic!() };
    let [x, _, z] = scene.setup.solids[0].motion.pose(1.0).apply([0.6, 0.5, 0.5]);
    assert!((x - 0.5).abs() < 1e-12 && (z - 0.4).abs() < 1e-12);
}

#[test]
fn a_table_that_makes_no_sense_is_refused_with_file_and_line() {
    let refused = |table: &str, more: &str| {
        let error = with_table(table, more).expect_err("a table that is refused").to_string();
        error[error.find("keys.csv").or(error.find("moved.toml")).unwrap()..].to_owned()
    };
    assert_eq!(refused("time,x\n0,0\n0.5\n", ""), "keys.csv:3:1: expected 2 numbers, one per column, found 1");
    assert_eq!(refused("time,x\n0, zero\n", ""), "keys.csv:2:4: `zero` is no number");
    assert_eq!(refused("time,x\n0,inf\n", ""), "keys.csv:2:3: `inf` is no number");
    assert_eq!(
        refused("time,x\n0,0\n\n0,1\n", ""),
        "keys.csv:4:1: the time 0 follows 0, expected strictly ascending times"
    );
    assert!(refused("time,w\n0,0\n", "").starts_with("keys.csv:1:6: the column `w` is unknown"));
    assert!(refused("x,y\n0,0\n", "").starts_with("keys.csv:1:1: there is no column `time`"));
    assert!(refused("time,qw,qx\n0,0,0\n", "").contains("all of qw, qx, qy, qz"));
    assert!(refused("time,qw,qx,qy,qz\n0,0,0,0,0\n", "").starts_with("keys.csv:2:1: a quaternion of four zeros"));
    assert!(refused("", "").starts_with("keys.csv:1:1: an empty table"));
    assert!(refused("time,x\n", "").contains("no lines after the names"));
    let missing = refused("time\n0\n", ", keyframe = 1");
    assert!(missing.contains("unknown key `keyframe`"), "{missing}");
}
