//! Run folders: straight and resumed runs, damaged checkpoints, data files.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use unstick_liquid::LiquidState;
use unstick_scene::draw::Image;
use unstick_scene::run::{Progress, Run, RunError, RunRecord, prepare_folder};
use unstick_scene::sink::{FrameSink, Look, PictureSink, Shot};
use unstick_scene::{AnyScene, Dim, Dimension, Scene, SceneFile};

static NEVER: AtomicBool = AtomicBool::new(false);

/// A small scene with everything that could spoil a resumed run: reseeding, a source, moving walls.
const LIVELY: &str = r#"
[grid]
cells = [24, 24]
[time]
frames = 8
[[solid]]
shape = { cuboid = { lower = [0.6, 0.0], upper = [0.7, 0.3] } }
motion = { velocity = [-0.4, 0.0], spin = 40.0, about = [0.65, 0.15] }
[[liquid]]
shape = { cuboid = { lower = [0.0, 0.0], upper = [0.4, 0.9] } }
velocity = [1.0, 0.0]
[[source]]
shape = { sphere = { centre = [0.8, 0.8], radius = 0.08 } }
velocity = [-1.0, 0.0]
[output]
checkpoint_every = 3
"#;

fn lively(set: &[&str]) -> (SceneFile, Scene<2>) {
    let mut file = SceneFile::parse("lively", "lively.toml", LIVELY, Path::new(".")).unwrap();
    set.iter().for_each(|assignment| file.set(assignment).unwrap());
    match file.scene().unwrap() {
        AnyScene::Plane(scene) => (file, scene),
        AnyScene::Space(_) => panic!("expected two dimensions"),
    }
}

fn record(file: &SceneFile) -> RunRecord {
    RunRecord::of(file, &file.scene().unwrap(), serde_json::Value::Null)
}

fn begin<const D: usize>(file: &SceneFile, scene: Scene<D>, folder: &Path) -> Run<D>
where
    Dim<D>: Dimension<D>,
{
    prepare_folder(folder, false).unwrap();
    let simulation = scene.simulation().unwrap();
    let mut run = Run::create(scene, simulation, &record(file), folder).unwrap();
    run.add_data_sinks().unwrap();
    let _ = run.show().unwrap();
    run
}

fn go_on<const D: usize>(run: &mut Run<D>, frames: usize) {
    while run.frame() < frames {
        assert_eq!(run.advance(&NEVER).unwrap(), Progress::Frame);
    }
}

/// Statistics without the times, which differ from run to run.
fn stats(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("stats.csv")).unwrap();
    text.lines().map(|line| line.split(',').take(17).collect::<Vec<_>>().join(",")).collect()
}

fn straight(set: &[&str], folder: &Path) -> LiquidState<2> {
    let (file, scene) = lively(set);
    let mut run = begin(&file, scene, folder);
    go_on(&mut run, 8);
    run.simulation().state().clone()
}

#[test]
fn a_resumed_run_is_the_straight_one_bit_for_bit() {
    for kind in ["flip", "apic", "semi-lagrangian"] {
        let set = [&*format!("transport.kind={kind}")];
        let place = tempfile::tempdir().unwrap();
        let expected = straight(&set, &place.path().join("straight"));
        let folder = place.path().join("resumed");
        let (file, scene) = lively(&set);
        let mut run = begin(&file, scene, &folder);
        go_on(&mut run, 5); // two frames beyond the checkpoint
        drop(run);
        let (mut run, notes) = Run::resume(lively(&set).1, &record(&file), &folder).unwrap();
        assert_eq!((run.frame(), notes.len()), (3, 0));
        go_on(&mut run, 8);
        assert!(*run.simulation().state() == expected, "{kind}");
        assert_eq!(stats(&folder), stats(&place.path().join("straight")));
    }
}

#[test]
fn a_run_that_is_stopped_within_a_frame_goes_on_bit_for_bit() {
    let place = tempfile::tempdir().unwrap();
    // Steps so short that every frame has several.
    let set = ["time.max_step=0.002"];
    let expected = straight(&set, &place.path().join("straight"));
    let folder = place.path().join("stopped");
    let (file, scene) = lively(&set);
    let mut run = begin(&file, scene, &folder);
    go_on(&mut run, 4);
    assert_eq!(run.advance(&AtomicBool::new(true)).unwrap(), Progress::Interrupted);
    assert_eq!(run.frame(), 4);
    drop(run);
    let (mut run, _) = Run::resume(lively(&set).1, &record(&file), &folder).unwrap();
    go_on(&mut run, 8);
    assert!(*run.simulation().state() == expected);
    assert_eq!(stats(&folder), stats(&place.path().join("straight")));
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let place = tempfile::tempdir().unwrap();
            straight(&["grid.cells=[48,48]"], &place.path().join("run"))
        })
    };
    let one = run(1);
    assert!(run(2) == one && run(3) == one);
}

#[test]
fn a_damaged_checkpoint_gives_way_to_the_one_before() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("run");
    let (file, scene) = lively(&[]);
    let mut run = begin(&file, scene, &folder);
    go_on(&mut run, 8);
    let expected = run.simulation().state().clone();
    drop(run);
    let mut files: Vec<_> =
        std::fs::read_dir(folder.join("checkpoint")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 2, "the last two are kept");
    let mut bytes = std::fs::read(&files[1]).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&files[1], &bytes).unwrap();
    let (mut run, notes) = Run::resume(lively(&[]).1, &record(&file), &folder).unwrap();
    assert_eq!(run.frame(), 6);
    assert!(notes[0].contains("does not match its hash"), "{notes:?}");
    go_on(&mut run, 8);
    assert!(*run.simulation().state() == expected);

    for file in std::fs::read_dir(folder.join("checkpoint")).unwrap() {
        std::fs::write(file.unwrap().path(), &bytes[..40]).unwrap();
    }
    let refused = Run::resume(lively(&[]).1, &record(&file), &folder).err().unwrap();
    assert!(matches!(&refused, RunError::NoCheckpoint { reasons, .. } if reasons.len() == 2), "{refused}");
}

#[test]
fn another_scene_is_not_gone_on_with_but_more_frames_are() {
    let place = tempfile::tempdir().unwrap();
    let (file, scene) = lively(&[]);
    let mut run = begin(&file, scene, place.path());
    go_on(&mut run, 8);
    drop(run);
    let (other, scene) = lively(&["density=900"]);
    assert!(matches!(Run::resume(scene, &record(&other), place.path()), Err(RunError::OtherScene { .. })));
    let (longer, scene) = lively(&["time.frames=9", "pressure.on_unconverged=accept"]);
    let (mut run, _) = Run::resume(scene, &record(&longer), place.path()).unwrap();
    go_on(&mut run, 9);
}

/// A sink that wants two frames and no more.
struct Enough;

impl FrameSink<2> for Enough {
    fn receive(&mut self, shot: &Shot<'_, 2>) -> Result<ControlFlow<()>, RunError> {
        assert_eq!(shot.frame.positions.len(), shot.simulation.state().particles.len());
        Ok(if shot.frame.number < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    }
}

#[test]
fn sinks_receive_every_frame_and_may_stop_the_run() {
    let place = tempfile::tempdir().unwrap();
    let (file, scene) = lively(&["output.width=64"]);
    let mut run = begin(&file, scene.clone(), &place.path().join("run"));
    run.add_sink(PictureSink { folder: place.path().to_owned(), look: Look::of(&scene) });
    run.add_sink(Enough);
    assert!(run.show().unwrap().is_continue());
    assert_eq!(run.advance(&NEVER).unwrap(), Progress::Frame);
    assert_eq!(run.advance(&NEVER).unwrap(), Progress::Interrupted);
    for number in 0..3 {
        let image = Image::read_png(&place.path().join(format!("{number:04}.png"))).unwrap();
        assert_eq!((image.width(), image.height()), (64, 64));
    }
    assert_eq!(Run::resume(scene, &record(&file), &place.path().join("run")).unwrap().0.frame(), 2);
}

#[test]
fn data_files_hold_what_they_say() {
    let place = tempfile::tempdir().unwrap();
    let mut file = SceneFile::find("sphere-half").unwrap();
    let formats = r#"output={particles=["ply","vtk","npz"],surface=["ply","obj"],volume="vtk",every=2}"#;
    file.set(formats).unwrap();
    file.set("grid.cells=[16,16,16]").unwrap();
    let AnyScene::Space(scene) = file.scene().unwrap() else { panic!("expected three dimensions") };
    let mut run = begin(&file, scene, place.path());
    go_on(&mut run, 3);
    let count = run.simulation().state().particles.len();
    let names = |folder: &str| {
        let entries = std::fs::read_dir(place.path().join(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(names("particles"), "0000.npz 0000.ply 0000.vtk 0002.npz 0002.ply 0002.vtk");
    assert_eq!(names("volume"), "0000.vtk 0002.vtk");
    let ply = std::fs::read(place.path().join("particles/0000.ply")).unwrap();
    let header = b"end_header\n";
    let start = ply.windows(header.len()).position(|window| window == header).unwrap() + header.len();
    assert_eq!((ply.len() - start) % 24, 0);
    assert!(count.abs_diff((ply.len() - start) / 24) < count / 4);
    // The mesh is closed and encloses the liquid: our own readers are strict about that.
    let half_ball = 2.0 / 3.0 * std::f64::consts::PI * 0.4f64.powi(3);
    for name in ["0000.ply", "0000.obj"] {
        let mesh = unstick_grid::TriangleMesh::read(place.path().join("surface").join(name)).unwrap();
        assert!((mesh.volume() / half_ball - 1.0).abs() < 0.15, "{name}: {} against {half_ball}", mesh.volume());
    }
}
