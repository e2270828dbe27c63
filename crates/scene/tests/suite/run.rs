//! Run folders: straight and resumed runs, damaged checkpoints, data files.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use unstick_liquid::StepError;
use unstick_scene::draw::Image;
use unstick_scene::run::{
    AnyRunScene, Comparison, Progress, Run, RunError, RunFolder, RunRecord, RunRequest, RunScene, RunState, RunStatus,
    Session,
};
use unstick_scene::sink::FrameSink;
use unstick_scene::{Frame, SceneFile};

static NEVER: AtomicBool = AtomicBool::new(false);

/// A small scene with everything that could spoil a resumed run: displaced particles, a source, moving walls.
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

fn lively(set: &[&str]) -> (SceneFile, RunScene<2>) {
    let mut file = SceneFile::parse("lively", "lively.toml", LIVELY, Path::new(".")).unwrap();
    set.iter().for_each(|assignment| file.set(assignment).unwrap());
    match AnyRunScene::of(&file, None).unwrap() {
        AnyRunScene::Plane(scene) => (file, scene),
        AnyRunScene::Space(_) => panic!("expected two dimensions"),
    }
}

fn record(file: &SceneFile) -> RunRecord {
    RunRecord::of(file, &AnyRunScene::of(file, None).unwrap(), serde_json::Value::Null)
}

fn begin<const D: usize>(file: &SceneFile, scene: RunScene<D>, folder: &Path) -> Run<D> {
    let folder = RunFolder::new(folder);
    let claim = folder.prepare(false).unwrap();
    Run::begin(scene).unwrap().write_to(claim, &record(file)).unwrap()
}

fn resume(set: &[&str], folder: &Path) -> Result<(Run<2>, Vec<String>), RunError> {
    let (file, scene) = lively(set);
    Run::resume(scene, RunFolder::new(folder).claim()?, &record(&file))
}

fn go_on<const D: usize>(run: &mut Run<D>, frames: usize) {
    while run.number() < frames {
        assert_eq!(run.advance(&NEVER).unwrap(), Progress::Frame);
    }
}

/// The whole state, bit for bit.
fn state<const D: usize>(run: &Run<D>) -> Vec<u8> {
    let mut bytes = Vec::new();
    run.stepper().store(&mut bytes).unwrap();
    bytes
}

/// Statistics without the times, which differ from run to run.
fn stats(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("stats.csv")).unwrap();
    text.lines().map(|line| line.split(',').take(17).collect::<Vec<_>>().join(",")).collect()
}

fn straight(set: &[&str], folder: &Path) -> Vec<u8> {
    let (file, scene) = lively(set);
    let mut run = begin(&file, scene, folder);
    go_on(&mut run, 8);
    state(&run)
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
        let (mut run, notes) = resume(&set, &folder).unwrap();
        assert_eq!((run.number(), notes.len()), (3, 0));
        go_on(&mut run, 8);
        assert!(state(&run) == expected, "{kind}");
        assert_eq!(stats(&folder), stats(&place.path().join("straight")));
    }
}

#[test]
fn a_run_that_is_stopped_within_a_frame_is_resumed_bit_for_bit() {
    let place = tempfile::tempdir().unwrap();
    // Steps so short that every frame has several.
    let set = ["time.max_step=0.002"];
    let expected = straight(&set, &place.path().join("straight"));
    let folder = place.path().join("stopped");
    let (file, scene) = lively(&set);
    let mut run = begin(&file, scene, &folder);
    go_on(&mut run, 4);
    assert_eq!(run.advance(&AtomicBool::new(true)).unwrap(), Progress::Interrupted);
    assert_eq!(run.number(), 4);
    drop(run);
    let (mut run, _) = resume(&set, &folder).unwrap();
    go_on(&mut run, 8);
    assert!(state(&run) == expected);
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
    let expected = state(&run);
    drop(run);
    let mut files: Vec<_> =
        std::fs::read_dir(folder.join("checkpoint")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 2, "the last two are kept");
    let mut bytes = std::fs::read(&files[1]).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&files[1], &bytes).unwrap();
    let (mut run, notes) = resume(&[], &folder).unwrap();
    assert_eq!(run.number(), 6);
    assert!(notes[0].contains("does not match its hash"), "{notes:?}");
    go_on(&mut run, 8);
    assert!(state(&run) == expected);
    drop(run);

    for file in std::fs::read_dir(folder.join("checkpoint")).unwrap() {
        std::fs::write(file.unwrap().path(), &bytes[..40]).unwrap();
    }
    let refused = resume(&[], &folder).err().unwrap();
    assert!(matches!(&refused, RunError::NoCheckpoint { reasons, .. } if reasons.len() == 2), "{refused}");

    // A checkpoint before particles had numbers.
    bytes[middle] ^= 1;
    bytes[..21].copy_from_slice(b"unstick checkpoint 4\n");
    for file in std::fs::read_dir(folder.join("checkpoint")).unwrap() {
        std::fs::write(file.unwrap().path(), &bytes).unwrap();
    }
    let RunError::NoCheckpoint { reasons, .. } = resume(&[], &folder).err().unwrap() else { panic!("resumed") };
    assert!(reasons.iter().all(|reason| reason.contains("another version of unstick has written it")), "{reasons:?}");
}

/// Water at rest without gravity has no pressure. Later no solve reaches the tolerance.
const LATE: &str = r#"
gravity = [{ time = 0.0, value = [0.0, 0.0] }, { time = 0.04, value = [0.0, 0.0] }, { time = 0.05, value = [0.0, -9.81] }]
[grid]
cells = [12, 12]
[time]
frames = 8
[pressure]
tolerance = 1e-300
[[liquid]]
shape = { cuboid = { lower = [0.0, 0.0], upper = [0.5, 0.5] } }
[output]
frames = false
checkpoint_every = 2
"#;

#[test]
fn a_step_that_fails_leaves_the_checkpoint_before_it() {
    let place = tempfile::tempdir().unwrap();
    let late = |on_unconverged: &str| {
        let mut file = SceneFile::parse("late", "late.toml", LATE, Path::new(".")).unwrap();
        file.set(&format!("pressure.on_unconverged={on_unconverged}")).unwrap();
        let scene = AnyRunScene::of(&file, None).unwrap().plane().unwrap();
        (file, scene)
    };
    let (file, scene) = late("accept");
    let mut straight = begin(&file, scene, &place.path().join("straight"));
    go_on(&mut straight, 8);

    let folder = place.path().join("failed");
    let (file, scene) = late("error");
    let mut run = begin(&file, scene, &folder);
    go_on(&mut run, 5);
    let is_unconverged = |error: &RunError| matches!(error, RunError::Step(StepError::Unconverged { .. }));
    assert!(run.advance(&NEVER).is_err_and(|error| is_unconverged(&error)));
    let is_broken = |error: &RunError| matches!(error, RunError::Step(StepError::Broken { .. }));
    assert!(run.checkpoint().is_err_and(|error| is_broken(&error)), "the middle of a step is stored");
    assert!(run.advance(&NEVER).is_err_and(|error| is_broken(&error)), "the middle of a step is gone on from");
    drop(run);

    let (file, scene) = late("accept");
    let (mut run, notes) = Run::resume(scene, RunFolder::new(&folder).claim().unwrap(), &record(&file)).unwrap();
    assert_eq!((run.number(), notes.len()), (4, 0));
    go_on(&mut run, 8);
    assert!(state(&run) == state(&straight));
}

#[test]
fn another_scene_is_not_resumed_but_more_frames_are() {
    let place = tempfile::tempdir().unwrap();
    let (file, scene) = lively(&[]);
    let mut run = begin(&file, scene, place.path());
    go_on(&mut run, 8);
    drop(run);
    assert!(matches!(resume(&["density=900"], place.path()), Err(RunError::OtherScene { .. })));
    let (mut run, _) = resume(&["time.frames=9", "pressure.on_unconverged=accept"], place.path()).unwrap();
    go_on(&mut run, 9);
}

/// A sink that wants two frames and no more.
struct Enough;

impl FrameSink<2> for Enough {
    fn receive(&mut self, frame: &Arc<Frame<2>>) -> Result<ControlFlow<()>, RunError> {
        assert_eq!(frame.positions.len(), frame.velocities.len());
        Ok(if frame.number < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    }
}

#[test]
fn sinks_receive_every_frame_and_may_stop_the_run() {
    let place = tempfile::tempdir().unwrap();
    let (file, scene) = lively(&[]);
    let mut run = begin(&file, scene, place.path());
    run.add_sink(Enough);
    assert_eq!(run.advance(&NEVER).unwrap(), Progress::Frame);
    assert!(Arc::ptr_eq(&run.frame(), &run.frame()), "a frame is made once");
    assert_eq!(run.advance(&NEVER).unwrap(), Progress::Interrupted);
    drop(run);
    assert_eq!(resume(&[], place.path()).unwrap().0.number(), 2);
}

#[test]
fn a_run_without_a_folder_takes_the_same_steps() {
    let place = tempfile::tempdir().unwrap();
    let expected = straight(&[], place.path());
    let mut run = Run::begin(lively(&[]).1).unwrap();
    go_on(&mut run, 7);
    assert_eq!(run.advance(&AtomicBool::new(true)).unwrap(), Progress::Interrupted);
    while run.number() < 8 {
        run.advance(&NEVER).unwrap();
    }
    assert!(state(&run) == expected && run.folder().is_none());
    assert_eq!(run.steps().last().unwrap().values.len(), run.columns().len());
}

fn request(set: &[&str], folder: &Path) -> RunRequest {
    RunRequest { folder: Some(RunFolder::new(folder)), ..RunRequest::new(lively(set).0) }
}

fn carry_out(request: RunRequest) -> Session {
    let stop = Arc::new(AtomicBool::new(false));
    let mut session = Session::open(request, stop.clone()).unwrap();
    session.run(&stop, |_, _| ()).unwrap();
    session
}

#[test]
fn a_file_that_cannot_be_written_ends_the_run_before_its_checkpoint() {
    let place = tempfile::tempdir().unwrap();
    let (folder, set) = (place.path().join("run"), ["output.particles=[\"ply\"]", "output.frames=false"]);
    let stop = Arc::new(AtomicBool::new(false));
    let mut session = Session::open(request(&set, &folder), stop.clone()).unwrap();
    let particles = folder.join("particles");
    std::fs::create_dir(particles.join("0005.ply")).unwrap(); // no file can take this name
    let error = session.run(&stop, |_, _| ()).unwrap_err();
    assert!(matches!(error, RunError::File { .. }) && error.to_string().contains("0005.ply"), "{error}");
    drop(session);
    std::fs::remove_dir(particles.join("0005.ply")).unwrap();

    let resumed = RunRequest { resume: true, ..request(&set, &folder) };
    let mut session = Session::open(resumed, stop.clone()).unwrap();
    assert_eq!(session.number(), 3, "no checkpoint promises a file that is not there");
    session.run(&stop, |_, _| ()).unwrap();
    session.finish().unwrap();
    assert!((0..=8).all(|number| particles.join(format!("{number:04}.ply")).is_file()));
}

#[test]
fn a_session_draws_every_frame_and_ends_with_a_report() {
    let place = tempfile::tempdir().unwrap();
    let folder = RunFolder::new(place.path());
    let mut session = carry_out(request(&["output.width=64", "time.frames=3"], place.path()));
    let finished = session.finish().unwrap().unwrap();
    assert_eq!((finished.report, finished.movie.is_some()), (folder.report(), true));
    for number in 0..=3 {
        let image = Image::read_png(&folder.picture(number)).unwrap();
        assert_eq!((image.width(), image.height()), (64, 64));
    }
    assert_eq!(RunStatus::read(&folder).unwrap().state, RunState::Finished);
}

#[test]
fn a_checkpoint_comes_after_the_pictures_of_its_frame() {
    for compare in [None, Some(Comparison::Setting("density=500.0".into()))] {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::new(place.path().join("run"));
        let set = ["output.width=64", "output.checkpoint_every=1", "time.frames=5"];
        let mut session =
            Session::open(RunRequest { compare, ..request(&set, folder.path()) }, Arc::default()).unwrap();
        // Picture 3 cannot be written: a folder has its name.
        let obstacle = folder.picture(3);
        std::fs::create_dir_all(obstacle.join("within")).unwrap();
        let refused = session.run(&NEVER, |_, _| ()).unwrap_err();
        assert!(matches!(&refused, RunError::Draw(_)), "{refused}");
        drop(session);
        std::fs::remove_dir_all(&obstacle).unwrap();
        let session = carry_out(RunRequest { resume: true, ..request(&set, folder.path()) });
        assert_eq!(session.number(), 5);
        drop(session);
        assert_eq!(folder.pictures().numbers().unwrap(), [0, 1, 2, 3, 4, 5]);
    }
}

#[test]
fn only_one_run_writes_into_a_folder() {
    let place = tempfile::tempdir().unwrap();
    let (single, both) = (place.path().join("single"), place.path().join("both"));
    let compare = Some(Comparison::Setting("density=500.0".into()));
    let set = ["output.width=64", "time.frames=3", "output.checkpoint_every=1"];
    let mut at_work = [
        Session::open(request(&set, &single), Arc::default()).unwrap(),
        Session::open(RunRequest { compare, ..request(&set, &both) }, Arc::default()).unwrap(),
    ];
    at_work.iter_mut().for_each(|session| assert_eq!(session.advance(&NEVER).unwrap(), Progress::Frame));
    let refused = |folder: &Path, resume: bool| {
        let request = RunRequest { resume, force: !resume, ..request(&set, folder) };
        matches!(Session::open(request, Arc::default()).err(), Some(RunError::Busy { .. }))
    };
    for folder in [&single, &both, &both.join("original"), &both.join("changed")] {
        assert!(refused(folder, true) && refused(folder, false), "{}", folder.display());
    }
    for mut session in at_work {
        session.run(&NEVER, |_, _| ()).unwrap();
        session.finish().unwrap();
    }
    for folder in [&single, &both] {
        assert_eq!(RunFolder::new(folder).pictures().numbers().unwrap(), [0, 1, 2, 3]);
        assert_eq!(carry_out(RunRequest { resume: true, ..request(&set, folder) }).number(), 3);
        assert!(!folder.join("live.lock").exists());
    }
}

#[test]
fn a_comparison_of_a_setting_is_resumed_with_the_same_bits() {
    let set = ["output.width=64", "time.frames=4"];
    let compare = Some(Comparison::Setting("density=500.0".into()));
    let place = tempfile::tempdir().unwrap();
    let [straight, resumed] = ["straight", "resumed"].map(|name| place.path().join(name));
    let finished = |request: RunRequest| {
        let mut session = carry_out(request);
        session.finish().unwrap().unwrap();
        session
    };
    finished(RunRequest { compare: compare.clone(), ..request(&set, &straight) });
    finished(RunRequest { compare: compare.clone(), ..request(&[set[0], "time.frames=2"], &resumed) });
    let session = finished(RunRequest { resume: true, ..request(&set, &resumed) });
    assert_eq!(session.record().compare, compare);
    for name in ["original", "changed"] {
        assert_eq!(stats(&straight.join(name)), stats(&resumed.join(name)), "{name}");
    }
    assert_ne!(stats(&straight.join("original")), stats(&straight.join("changed")));
    let labels = ["original", "changed"]
        .map(|name| RunRecord::read(&RunFolder::new(&straight).member(name)).unwrap().label.unwrap());
    assert_eq!(labels, ["default density", "density=500.0"]);
    for number in 0..=4 {
        let picture = |folder: &Path| std::fs::read(RunFolder::new(folder).picture(number)).unwrap();
        assert_eq!(picture(&straight), picture(&resumed), "{number}");
    }
    let other = RunRequest { compare: Some("density=9".parse().unwrap()), resume: true, ..request(&set, &resumed) };
    assert!(matches!(Session::open(other, Arc::default()), Err(RunError::OtherComparison { .. })));
}

#[test]
fn comparisons_that_make_no_sense_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let refused = |set: &[&str], compare: &str| {
        let compare = Some(compare.parse().unwrap());
        let request = RunRequest { compare, ..request(set, &place.path().join("run")) };
        Session::open(request, Arc::default()).err().unwrap()
    };
    assert!(matches!(refused(&["density=900.0"], "density=900.0"), RunError::NothingToCompare { .. }));
    assert!(matches!(refused(&[], "separating"), RunError::NothingToCompare { .. }));
    assert!(matches!(refused(&[], "time.frames=3"), RunError::OtherFrames));
    assert!(matches!(refused(&[], "grid.celsl=3"), RunError::Scene(_)));
    assert!(!place.path().join("run").exists());
}

#[test]
fn data_files_hold_what_they_say() {
    let place = tempfile::tempdir().unwrap();
    let mut file = SceneFile::find("sphere-half").unwrap();
    let formats = r#"output={particles=["ply","vtk","npz"],surface=["ply","obj"],volume="vtk",every=2}"#;
    file.set(formats).unwrap();
    file.set("grid.cells=[16,16,16]").unwrap();
    let AnyRunScene::Space(scene) = AnyRunScene::of(&file, None).unwrap() else { panic!("expected three dimensions") };
    let mut run = begin(&file, scene, place.path());
    go_on(&mut run, 3);
    let count = run.frame().positions.len();
    let names = |folder: &str| {
        let entries = std::fs::read_dir(place.path().join(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(names("particles"), "0000.npz 0000.ply 0000.vtk 0002.npz 0002.ply 0002.vtk");
    assert_eq!(names("volume"), "0000.vtk 0002.vtk");
    for name in ["particles/0000.ply", "particles/0002.ply"] {
        let ply = std::fs::read(place.path().join(name)).unwrap();
        let header = b"end_header\n";
        let start = ply.windows(header.len()).position(|window| window == header).unwrap() + header.len();
        // Place and velocity as floats, then the number: none has come or gone.
        let id = |vertex: &[u8]| u32::from_le_bytes(vertex[24..].try_into().unwrap());
        let mut ids: Vec<u32> = ply[start..].chunks(28).map(id).collect();
        ids.sort_unstable();
        assert!(ids.into_iter().eq(0..count as u32), "{name}");
    }
    // The mesh is closed and encloses the liquid: our own readers are strict about that.
    let half_ball = 2.0 / 3.0 * std::f64::consts::PI * 0.4f64.powi(3);
    for name in ["0000.ply", "0000.obj"] {
        let mesh = unstick_grid::TriangleMesh::read(place.path().join("surface").join(name)).unwrap();
        assert!((mesh.volume() / half_ball - 1.0).abs() < 0.15, "{name}: {} against {half_ball}", mesh.volume());
    }
}

#[test]
fn a_run_whose_steps_shrink_without_end_stops_and_says_why() {
    let mut file = SceneFile::find("dam-break").unwrap();
    for set in ["grid.cells=[16,16]", "liquid.0.velocity=[1e9, 0.0]"] {
        file.set(set).unwrap();
    }
    let AnyRunScene::Plane(scene) = AnyRunScene::of(&file, None).unwrap() else { panic!("a scene of the plane") };
    let error = Run::begin(scene).unwrap().advance(&AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error, RunError::StepsShrink { step: 0, bound, .. } if bound.speed == 1e9), "{error}");
    let said = error.to_string();
    assert!(
        said.contains("after 0 steps, the next step would take") && said.contains("moves at 1.000e9 m/s"),
        "{said}"
    );
}
