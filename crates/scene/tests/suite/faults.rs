//! Runs that are killed at every place where a file is written, and disks that refuse: once resumed, a folder is that of
//! a run that was never disturbed.
//!
//! The run is a process of its own: this program again, with [`child`] as its only test. What happens to it is in its
//! environment, by name: `kill`, `full` or `denied`, and a place such as `rename frames/0002.png`.

use std::collections::{BTreeMap, HashMap};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use unstick_files::faults::{self, Point};
use unstick_scene::SceneFile;
use unstick_scene::run::{AnyRunScene, Replay, RunError, RunFolder, RunRecord, RunRequest, Session};
use unstick_scene::sink::{FrameSink as _, data_sinks};

/// Everything that a run can write, in the plane: bodies, walls that move and walls that do not.
const POOL: &str = r#"
[grid]
cells = [10, 8]
[time]
frames = 3
[[solid]]
shape = { cuboid = { lower = [0.7, 0.0], upper = [0.8, 0.3] } }
motion = { velocity = [-0.5, 0.0] }
[[solid]]
shape = { sphere = { centre = [0.1, 0.1], radius = 0.1 } }
[[liquid]]
shape = { half_space = { point = [0.0, 0.4], normal = [0.0, 1.0] } }
[[body]]
name = "cork"
shape = { sphere = { radius = 0.1 } }
centre = [0.4, 0.5]
density = 300.0
[output]
width = 64
checkpoint_every = 1
view = true
particles = ["vtp", "npz"]
volume = "vti"
states = { every = 2 }
"#;

/// The outputs that space alone has.
const TANK: &str = r#"
[grid]
cells = [6, 6, 6]
[time]
frames = 2
[[liquid]]
shape = { half_space = { point = [0.0, 0.4, 0.0], normal = [0.0, 1.0, 0.0] } }
[output]
frames = false
view = false
checkpoint_every = 1
surface = ["usd", "glb"]
volume = "vdb"
"#;

/// A viscous flow with bodies.
const SYRUP: &str = r#"
density = 1.0
gravity = [0.0, -1.0]
[grid]
cells = [12, 12]
[time]
frame = 0.02
frames = 3
[flow]
viscosity = 0.05
[[body]]
name = "pearl"
shape = { sphere = { radius = 0.15 } }
centre = [0.5, 0.6]
density = 2.0
[output]
width = 64
checkpoint_every = 2
volume = "vti"
"#;

/// What a child does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    Pool,
    Compare,
    Tank,
    Syrup,
    /// Frames of a pool that is there, in other formats.
    Export,
}

impl Job {
    const ALL: [(&'static str, Self); 5] = [
        ("pool", Self::Pool),
        ("compare", Self::Compare),
        ("tank", Self::Tank),
        ("syrup", Self::Syrup),
        ("export", Self::Export),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, job)| *job == self).unwrap().0
    }

    fn file(self) -> SceneFile {
        let text = match self {
            Self::Pool | Self::Compare | Self::Export => POOL,
            Self::Tank => TANK,
            Self::Syrup => SYRUP,
        };
        let mut file = SceneFile::parse(self.name(), "fault.toml", text, Path::new(".")).unwrap();
        if self == Self::Compare {
            // The other outputs are those of each run by itself.
            file.set(r#"output={width=64,checkpoint_every=2,view=false}"#).unwrap();
        }
        file
    }

    fn carry_out(self, folder: &Path, resume: bool, force: bool) -> Result<(), RunError> {
        if self == Self::Export {
            return export(&RunFolder::new(folder.with_file_name("source")), &RunFolder::new(folder));
        }
        let compare = (self == Self::Compare).then(|| "density=500.0".parse().unwrap());
        let folder = Some(RunFolder::new(folder));
        let request = RunRequest { compare, folder, resume, force, ..RunRequest::new(self.file()) };
        let mut session = Session::open(request, Arc::default())?;
        session.run(&Default::default(), |_, _| ())?;
        session.finish().map(drop)
    }
}

/// As `unstick export` does it.
fn export(source: &RunFolder, out: &RunFolder) -> Result<(), RunError> {
    let record = RunRecord::read(source)?;
    let mut file = record.scene_file(source)?;
    file.set(r#"output={particles=["ply","vtp"],volume="vtk"}"#)?;
    let scene = AnyRunScene::of(&file, None)?.plane().unwrap();
    let mut replay = Replay::open(scene, source, &record)?;
    out.create()?;
    let _claim = out.claim()?;
    let mut sinks = data_sinks(replay.scene(), out);
    sinks.iter().try_for_each(|sink| sink.begin(replay.last()))?;
    for number in 0..=replay.last() {
        replay.seek(number, &Default::default())?;
        let frame = replay.frame().unwrap();
        for sink in &mut sinks {
            let _ = sink.receive(&frame)?;
        }
    }
    Ok(())
}

/// The exit status of a child whose run ended with an error.
const FAILED: i32 = 3;

/// The run of a child; does nothing unless a parent has started it.
#[test]
#[ignore = "the other tests start it"]
fn child() {
    let Ok(plan) = std::env::var("UNSTICK_FAULT") else { return };
    let plan: serde_json::Value = serde_json::from_str(&plan).unwrap();
    let text = |key: &str| plan[key].as_str().unwrap_or_default().to_owned();
    let folder = PathBuf::from(text("folder"));
    let (fault, place, log) = (text("fault"), text("place"), text("log"));
    let (root, counts) = (folder.clone(), Mutex::new(HashMap::<String, usize>::new()));
    faults::set_hook(move |point, path| {
        let place_here = name(&counts, point, path.strip_prefix(&root).unwrap_or(path));
        if !log.is_empty() {
            let mut log = std::fs::OpenOptions::new().append(true).create(true).open(&log).unwrap();
            log.write_all(format!("{place_here}\n").as_bytes()).unwrap();
        }
        match fault.as_str() {
            // Each first attempt to write is interrupted by a signal.
            "signal" if point == Point::Write && place_here.ends_with("#1") => Err(ErrorKind::Interrupted.into()),
            _ if place_here != place => Ok(()),
            "kill" => std::process::abort(), // nothing is cleaned up
            "full" => Err(ErrorKind::StorageFull.into()),
            "denied" => Err(ErrorKind::PermissionDenied.into()),
            _ => Ok(()),
        }
    });
    let job = Job::ALL.iter().find(|(name, _)| *name == text("job")).unwrap().1;
    if let Err(error) = job.carry_out(&folder, text("how") == "resume", text("how") == "force") {
        println!("{error}");
        std::process::exit(FAILED);
    }
}

/// A place in words: what happens, to which file, and the how manieth time.
fn name(counts: &Mutex<HashMap<String, usize>>, point: Point, path: &Path) -> String {
    let what = format!("{} {}", point.name(), path.display());
    let mut counts = counts.lock().unwrap();
    let count = counts.entry(what.clone()).or_default();
    *count += 1;
    format!("{what} #{count}")
}

/// Starts a child; its exit status, none if it was killed.
fn start(job: Job, folder: &Path, how: &str, more: &[(&str, &str)]) -> Option<i32> {
    let mut plan = serde_json::json!({ "job": job.name(), "folder": folder, "how": how });
    more.iter().for_each(|(key, value)| plan[*key] = (*value).into());
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["faults::child", "--exact", "--ignored"])
        .env("UNSTICK_FAULT", plan.to_string())
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .unwrap();
    let code = output.status.code();
    let told = [output.stdout, output.stderr].concat();
    assert!(code != Some(101), "{plan}: {}", String::from_utf8_lossy(&told));
    code
}

/// All files below a folder; without what a clock has written.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(contents(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let bytes = match name.as_str() {
            "stats.csv" => without_seconds(&String::from_utf8(bytes).unwrap()).into_bytes(),
            "report.html" | "movie.mp4" => Vec::new(),
            _ => bytes,
        };
        found.insert(name, bytes);
    }
    found
}

fn without_seconds(table: &str) -> String {
    let names: Vec<&str> = table.lines().next().unwrap_or_default().split(',').collect();
    let kept = |line: &str| {
        let cells = line.split(',').zip(&names).filter(|(_, name)| !name.starts_with("seconds_"));
        cells.map(|(cell, _)| cell).collect::<Vec<_>>().join(",")
    };
    table.lines().map(|line| kept(line) + "\n").collect()
}

fn assert_same(expected: &BTreeMap<String, Vec<u8>>, folder: &Path, what: &str) {
    let found = contents(folder);
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{what}");
    expected.iter().for_each(|(name, bytes)| assert!(found[name] == *bytes, "{what}: {name} differs"));
}

/// Disturbs a job at every place that `choose` takes, resumes it, and compares with an undisturbed one.
fn disturb(job: Job, faults: &[&str], choose: impl Fn(&str) -> bool) {
    let place = tempfile::tempdir().unwrap();
    if job == Job::Export {
        assert_eq!(start(Job::Pool, &place.path().join("source"), "begin", &[]), Some(0));
    }
    let (straight, log) = (place.path().join("straight"), place.path().join("log"));
    assert_eq!(start(job, &straight, "begin", &[("log", log.to_str().unwrap())]), Some(0));
    let expected = contents(&straight);
    let log = std::fs::read_to_string(log).unwrap();
    let places: Vec<&str> = log.lines().filter(|place| choose(place)).collect();
    assert!(places.len() > 5, "{log}");
    for (number, at) in places.iter().enumerate() {
        let fault = faults[number % faults.len()];
        let (what, folder) = (format!("{job:?}: {fault} at {at}"), place.path().join("disturbed"));
        let code = start(job, &folder, "begin", &[("fault", fault), ("place", at)]);
        assert_eq!(code, (fault != "kill").then_some(FAILED), "{what}");
        // Before its first checkpoint a run is begun again.
        let resumed = start(job, &folder, "resume", &[]);
        if resumed == Some(FAILED) {
            assert!(!has_checkpoints(&folder, job), "{what}");
            assert_eq!(start(job, &folder, "force", &[]), Some(0), "{what}");
        } else {
            assert_eq!(resumed, Some(0), "{what}");
        }
        assert_same(&expected, &folder, &what);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// Whether all runs of a folder can be resumed.
fn has_checkpoints(folder: &Path, job: Job) -> bool {
    let members: &[&str] = if job == Job::Compare { &["original", "changed"] } else { &[""] };
    let is_checkpoint = |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|end| end == "checkpoint");
    members.iter().all(|member| {
        let entries = std::fs::read_dir(RunFolder::new(folder.join(member)).checkpoints());
        entries.is_ok_and(|mut entries| entries.any(|entry| is_checkpoint(entry.unwrap())))
    })
}

/// Between two such places nothing is written.
fn is_decisive(place: &str) -> bool {
    place.starts_with("rename ") || place.starts_with("append ") || place.starts_with("renamed checkpoint")
}

#[test]
fn a_run_with_all_outputs_survives_every_kill() {
    disturb(Job::Pool, &["kill"], is_decisive);
}

#[test]
fn two_runs_side_by_side_survive_every_kill() {
    disturb(Job::Compare, &["kill"], |place| is_decisive(place) || place.contains("/checkpoint/"));
}

#[test]
fn outputs_of_space_and_viscous_flows_survive_every_kill() {
    disturb(Job::Tank, &["kill"], is_decisive);
    disturb(Job::Syrup, &["kill"], is_decisive);
}

#[test]
fn an_export_survives_every_kill() {
    disturb(Job::Export, &["kill"], is_decisive);
}

#[test]
fn a_disk_that_refuses_ends_a_run_which_goes_on_later() {
    disturb(Job::Pool, &["full", "denied"], |place| place.starts_with("write ") && place.ends_with("#1"));
}

#[test]
fn signals_disturb_nobody() {
    let place = tempfile::tempdir().unwrap();
    let [straight, disturbed] = ["straight", "disturbed"].map(|name| place.path().join(name));
    assert_eq!(start(Job::Pool, &straight, "begin", &[]), Some(0));
    assert_eq!(start(Job::Pool, &disturbed, "begin", &[("fault", "signal")]), Some(0));
    assert_same(&contents(&straight), &disturbed, "signals");
}
