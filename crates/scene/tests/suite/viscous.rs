//! Scenes of viscous flow: every one runs, bad input is refused, resumed runs are the straight ones.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use unstick_scene::draw::draw;
use unstick_scene::run::{
    AnyRunScene, Comparison, Progress, Run, RunError, RunFolder, RunRecord, RunRequest, RunScene, Session,
};
use unstick_scene::viscous::{AnyViscousScene, ViscousScene};
use unstick_scene::{Frame, SceneError, SceneFile, catalogue};

static NEVER: AtomicBool = AtomicBool::new(false);

/// A small scene with everything that could spoil a resumed run: collisions, films, a stirrer, spinning bodies.
const LIVELY: &str = r#"
density = 1.0
gravity = [0.0, -1.0]
[grid]
cells = [32, 32]
[time]
frame = 0.02
frames = 8
max_step = 0.01
[flow]
viscosity = 0.01
[flow.sides]
top = { lid = [1.0, 0.0] }
[[body]]
name = "stirrer"
shape = { cuboid = { size = [0.2, 0.1] } }
density = 1.0
centre = [0.5, 0.5]
motion = { velocity = [0.5, 0.0], spin = 90.0, about = [0.5, 0.5] }
[[body]]
name = "grain"
shape = { sphere = { radius = 0.06 } }
density = 4.0
copies = 6
within = { lower = [0.0, 0.0], upper = [1.0, 0.4] }
jitter = 1.0
friction = 0.2
[output]
checkpoint_every = 3
width = 64
"#;

fn parsed(text: &str) -> SceneFile {
    SceneFile::parse("lively", "lively.toml", text, Path::new(".")).unwrap()
}

fn plane(file: &SceneFile) -> ViscousScene<2> {
    match file.viscous_scene().unwrap() {
        AnyViscousScene::Plane(scene) => scene,
        AnyViscousScene::Space(_) => panic!("expected two dimensions"),
    }
}

fn record(file: &SceneFile) -> RunRecord {
    RunRecord::of(file, &AnyRunScene::of(file, None).unwrap(), serde_json::Value::Null)
}

fn begin(file: &SceneFile, folder: &RunFolder) -> Run<2> {
    let claim = folder.prepare(false).unwrap();
    Run::begin(RunScene::from(plane(file))).unwrap().write_to(claim, &record(file)).unwrap()
}

fn resume(file: &SceneFile, folder: &RunFolder) -> Result<(Run<2>, Vec<String>), RunError> {
    Run::resume(RunScene::from(plane(file)), folder.claim()?, &record(file))
}

fn go_on(run: &mut Run<2>, frames: usize) {
    while run.number() < frames {
        assert_eq!(run.advance(&NEVER).unwrap(), Progress::Frame);
    }
}

/// The whole state, bit for bit.
fn state(run: &Run<2>) -> Vec<u8> {
    let mut bytes = Vec::new();
    run.stepper().store(&mut bytes).unwrap();
    bytes
}

/// A table without the times, which differ from run to run.
fn table(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.split(',').take(13).collect::<Vec<_>>().join(",")).collect()
}

#[test]
fn a_resumed_run_is_the_straight_one_bit_for_bit() {
    let (place, file) = (tempfile::tempdir().unwrap(), parsed(LIVELY));
    let [straight, resumed] = ["straight", "resumed"].map(|name| RunFolder::new(place.path().join(name)));
    let mut run = begin(&file, &straight);
    go_on(&mut run, 8);
    let expected = state(&run);
    let mut run = begin(&file, &resumed);
    go_on(&mut run, 5); // two frames beyond the checkpoint
    drop(run);
    let (mut run, notes) = resume(&file, &resumed).unwrap();
    assert_eq!((run.number(), notes.len()), (3, 0));
    go_on(&mut run, 4);
    // Stopped within a frame.
    assert_eq!(run.advance(&AtomicBool::new(true)).unwrap(), Progress::Interrupted);
    drop(run);
    let (mut run, _) = resume(&file, &resumed).unwrap();
    go_on(&mut run, 8);
    assert!(state(&run) == expected);
    drop(run);
    assert_eq!(table(&resumed.stats()), table(&straight.stats()));
    assert_eq!(table(&resumed.bodies()), table(&straight.bodies()));
    for layer in ["particles", "surface"] {
        for number in 0..=8 {
            let file = |folder: &RunFolder| std::fs::read(folder.view_layer(layer).path(number)).unwrap();
            assert_eq!(file(&straight), file(&resumed), "{layer} {number}");
        }
    }
    let mut other = parsed(LIVELY);
    other.set("flow.viscosity=0.02").unwrap();
    assert!(matches!(resume(&other, &resumed).err().unwrap(), RunError::OtherScene { .. }));
}

#[test]
fn statistics_say_how_every_solve_ended() {
    let (place, file) = (tempfile::tempdir().unwrap(), parsed(LIVELY));
    let folder = RunFolder::new(place.path());
    go_on(&mut begin(&file, &folder), 1);
    let text = std::fs::read_to_string(folder.stats()).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let first = header.iter().position(|name| *name == "viscous_converged").unwrap();
    assert_eq!(
        header[first + 1..][..4],
        ["pressure_converged", "contact_converged", "film_converged", "position_converged"]
    );
    for line in lines {
        assert_eq!(line.len(), header.len());
        assert_eq!(line[first..][..2], ["true", "true"]);
    }
}

#[test]
fn a_setting_of_a_flow_is_compared_side_by_side_and_resumed() {
    let place = tempfile::tempdir().unwrap();
    let [straight, resumed] = ["straight", "resumed"].map(|name| RunFolder::new(place.path().join(name)));
    let carry_out = |folder: &RunFolder, frames: usize, resume: bool, compare: Option<Comparison>| {
        let mut file = parsed(LIVELY);
        file.set(&format!("time.frames={frames}")).unwrap();
        let request = RunRequest { folder: Some(folder.clone()), resume, compare, ..RunRequest::new(file) };
        let stop = Arc::new(AtomicBool::new(false));
        let mut session = Session::open(request, stop.clone()).unwrap();
        session.run(&stop, |_, _| ()).unwrap();
        session.finish().unwrap().unwrap();
    };
    let compare: Option<Comparison> = Some("flow.viscosity=0.1".parse().unwrap());
    carry_out(&straight, 4, false, compare.clone());
    carry_out(&resumed, 2, false, compare);
    carry_out(&resumed, 4, true, None);
    for name in ["original", "changed"] {
        let [one, other] = [&straight, &resumed].map(|folder| table(&folder.member(name).stats()));
        assert_eq!(one, other, "{name}");
    }
    assert_ne!(table(&straight.member("original").stats()), table(&straight.member("changed").stats()));
    for number in 0..=4 {
        let [one, other] = [&straight, &resumed].map(|folder| std::fs::read(folder.picture(number)).unwrap());
        assert_eq!(one, other, "{number}");
    }
    let walls = RunRequest { compare: Some("sealed".parse().unwrap()), ..RunRequest::new(parsed(LIVELY)) };
    assert!(matches!(Session::open(walls, Arc::default()), Err(RunError::NoWalls { .. })));
}

/// The scenes on coarse grids, for a few frames: what to set, and the fastest liquid and body at the end.
const COARSE: [(&str, &[&str], usize, [f64; 2]); 10] = [
    ("cavity", &["grid.refine=0.5"], 5, [0.7910, 0.0]),
    ("cavity-particles", &["grid.refine=0.5", "body.0.copies=12"], 5, [0.8055, 0.1654]),
    ("cylinder-channel", &["grid.refine=0.5"], 4, [1.7368, 0.0]),
    ("cylinder-channel-3d", &["grid.refine=0.5"], 3, [0.28975, 0.0]),
    ("oscillating-cylinder", &["grid.refine=0.5"], 8, [0.64636, 0.30902]),
    ("settling-sphere", &["grid.refine=0.5"], 6, [0.069091, 0.069091]),
    ("settling-disk", &["grid.refine=0.5"], 6, [0.030668, 0.030668]),
    ("kissing", &["grid.refine=0.5"], 4, [0.0033712, 0.0033474]),
    (
        "fluidised-bed",
        &["grid.cells=[24,36,24]", "body.0.copies=60", "body.0.within.upper=[0.012,0.012,0.012]"],
        3,
        [0.028120, 0.0038284],
    ),
    ("sedimentation-5000", &["grid.cells=[24,30,24]", "body.0.copies=60"], 3, [0.015824, 0.014797]),
];

fn run_coarse<const D: usize>(scene: &ViscousScene<D>, frames: usize) -> [f64; 2] {
    let mut suspension = scene.suspension().unwrap();
    let allowed = 0.01 * scene.bodies.iter().map(|body| body.shape().reach()).fold(f64::INFINITY, f64::min);
    while let Some(length) = scene.next_step(&suspension, frames as f64 * scene.frame) {
        let report = suspension.advance(length).unwrap();
        assert!(report.contact.deepest < allowed, "{}: {}", scene.name, report.contact.deepest);
    }
    let image = draw(&Frame::of_suspension(&suspension, frames), &scene.picture_style());
    assert!(image.width() >= 64 && image.bytes().iter().any(|&byte| byte != image.bytes()[0]));
    let fastest = |values: &[f64]| values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let liquid = suspension.flow().state().velocity.iter().map(|field| fastest(field.values())).fold(0.0, f64::max);
    [liquid, suspension.bodies().iter().map(|body| fastest(&body.velocity())).fold(0.0, f64::max)]
}

#[test]
fn every_scene_runs_on_a_coarse_grid_as_it_did() {
    let listed: Vec<&str> = catalogue::VISCOUS.iter().map(|entry| entry.name).collect();
    assert_eq!(listed, COARSE.map(|case| case.0));
    let found: Vec<(&str, [f64; 2], [f64; 2])> = COARSE
        .par_iter()
        .map(|&(name, set, frames, expected)| {
            let mut file = SceneFile::find(name).unwrap();
            set.iter().for_each(|assignment| file.set(assignment).unwrap());
            let found = match file.viscous_scene().unwrap() {
                AnyViscousScene::Plane(scene) => run_coarse(&scene, frames),
                AnyViscousScene::Space(scene) => run_coarse(&scene, frames),
            };
            (name, found, expected)
        })
        .collect();
    for (name, found, _) in &found {
        println!("{name} {found:?}");
    }
    for (name, found, expected) in found {
        let is_near = (0..2).all(|k| (found[k] - expected[k]).abs() <= 0.01 * expected[k]);
        assert!(is_near, "{name}: {found:?}, expected {expected:?}");
    }
}

#[test]
fn a_scene_survives_being_written_out() {
    for entry in catalogue::VISCOUS {
        let file = SceneFile::find(entry.name).unwrap();
        let again = SceneFile::parse(entry.name, "copy", &file.to_toml(), Path::new(".")).unwrap();
        let same = match (file.viscous_scene().unwrap(), again.viscous_scene().unwrap()) {
            (AnyViscousScene::Plane(one), AnyViscousScene::Plane(other)) => {
                one.setup == other.setup && one.bodies == other.bodies
            }
            (AnyViscousScene::Space(one), AnyViscousScene::Space(other)) => {
                one.setup == other.setup && one.bodies == other.bodies
            }
            _ => false,
        };
        assert!(same, "{}", entry.name);
    }
}

fn refused(set: &[&str]) -> SceneError {
    let mut file = parsed(LIVELY);
    set.iter().for_each(|assignment| file.set(assignment).unwrap());
    file.viscous_scene().err().unwrap_or_else(|| panic!("{set:?} was accepted"))
}

#[test]
fn what_cannot_be_is_refused_with_names_and_numbers() {
    let ball = r#"{ name = "ball", shape = { sphere = { radius = 0.1 } }, density = 2.0, centre = [0.5, 0.5] }"#;
    let bodies = |extra: &str| format!("body=[{ball}, {extra}]");
    let at = |centre: &str| bodies(&ball.replace("\"ball\"", "\"other\"").replace("[0.5, 0.5]", centre));
    let cases: &[(String, &[&str])] = &[
        (at("[0.6, 0.5]"), &["bodies `ball` and `other` overlap by 1.000e-1 m"]),
        (at("[0.95, 0.5]"), &["body `other` reaches 5.000e-2 m into the wall"]),
        (at("[1.5, 0.5]"), &["body `other` lies at [1.5000, 0.5000], outside of the domain"]),
        (bodies(&ball.replace("density = 2.0", "mass = 0.0")), &["`body[1].mass` is 0, expected a positive number"]),
        ("body.1.copies=400".into(), &["400 copies have", "on a lattice of", "are 0.1200 m wide"]),
        ("flow.viscosity=-1".into(), &["`flow.viscosity` is -1"]),
        ("flow.sides.top={lid=[0.0, 1.0]}".into(), &["expected a velocity along the side"]),
        ("flow.sides.left={inflow={speed=1.0}}".into(), &["no side lets it out"]),
        ("flow.sides.left=periodic".into(), &["one side of axis 0 is periodic"]),
        ("flow.sides.left=outflw".into(), &["expected one of \"no-slip\""]),
        ("flow.viscocity=1".into(), &["unknown key `viscocity`"]),
        ("liquid=[]".into(), &["unknown key `liquid`"]),
        ("grid.axes=[{to=1.0},{to=1.0,cells=8}]".into(), &["`grid.cells` beside `grid.axes`"]),
        ("grid={axes=[{to=1.0,spacing=1e-300},{to=1.0,cells=8}]}".into(), &["more than 1048576 cells"]),
        ("grid={axes=[{to=1.0,spacing=1e-12,fine=[0.1,0.2]},{to=1.0,cells=8}]}".into(), &["more than 1048576 cells"]),
        ("grid={axes=[{to=1e300,spacing=0.1,fine=[0.1,0.2]},{to=1.0,cells=8}]}".into(), &["more than 1048576 cells"]),
        ("grid={axes=[{to=1e103,cells=8},{to=1.0,cells=8}]}".into(), &["expected 1e-30 to 1e30"]),
        ("grid.spacing=1e103".into(), &["expected cells of 1e-30 to 1e30 m"]),
        ("body.0.oscillation={amplitude=[0.1,0.0],period=1.0}".into(), &["beside"]),
    ];
    for (set, words) in cases {
        let error = refused(&[set]);
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{set}: {text}");
        assert!(error.place.is_some(), "{set}");
    }
    assert_eq!(refused(&["flow.viscocity=1"]).help.as_deref(), Some("did you mean `viscosity`?"));
    let mesh = tempfile::tempdir().unwrap();
    let open = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\n";
    std::fs::write(mesh.path().join("open.obj"), open).unwrap();
    let text = r#"
[grid]
cells = [16, 16, 16]
[flow]
viscosity = 0.01
[[body]]
shape = { mesh = { file = "open.obj", scale = 0.2 } }
density = 2.0
centre = [0.5, 0.5, 0.5]
"#;
    let error = SceneFile::parse("open", "open.toml", text, mesh.path()).unwrap().viscous_scene().unwrap_err();
    assert!(error.to_string().contains("open.toml:7") && error.to_string().contains("mesh"), "{error}");
}

#[test]
fn a_viscous_flow_is_no_liquid_with_a_surface() {
    let error = parsed(LIVELY).scene().unwrap_err();
    assert!(error.to_string().contains("viscous flow that fills its box"), "{error}");
    assert!(!SceneFile::find("dam-break").unwrap().is_viscous());
    assert!(SceneFile::find("dam-break").unwrap().viscous_scene().is_err());
}

#[test]
fn laws_of_viscosity_and_stretched_axes_are_what_they_say() {
    use unstick_flow::{Boundary, Viscosity};
    let mut file = parsed(LIVELY);
    file.set("flow.viscosity={carreau={at_rest=0.1,sheared=0.01,relaxation=2.0,exponent=0.5}}").unwrap();
    file.set("flow.sides.left=free-slip").unwrap();
    let scene = plane(&file);
    assert_eq!(
        scene.setup.viscosity,
        Viscosity::Carreau { at_rest: 0.1, sheared: 0.01, relaxation: 2.0, exponent: 0.5 }
    );
    assert_eq!(scene.setup.sides[0], [Boundary::FreeSlip, Boundary::wall()]);
    let mut suspension = scene.suspension().unwrap();
    suspension.advance(0.005).unwrap();
    let AnyViscousScene::Plane(channel) = SceneFile::find("cylinder-channel").unwrap().viscous_scene().unwrap() else {
        panic!("expected two dimensions")
    };
    assert!((channel.setup.grid.finest() - 0.00625).abs() < 2e-4);
}
