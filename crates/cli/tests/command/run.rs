//! Scenes, runs and captured problems as people and scripts meet them.

use std::fs;
use std::path::Path;

use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::Value;
use tempfile::TempDir;

use crate::{objects, unstick};

/// A dam break that takes no time.
const SMALL: [&str; 4] = ["--set", "grid.cells=[24,24]", "--set", "output.width=96"];

fn run(folder: &TempDir, args: &[&str]) -> assert_cmd::assert::Assert {
    unstick(folder).arg("run").args(args).args(SMALL).assert()
}

/// Asserts that a command is refused with that message, and that nothing is left behind.
fn assert_refused(folder: &TempDir, args: &[&str], message: &str) {
    let names = || {
        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    unstick(folder).args(args).assert().code(2).stdout(is_empty()).stderr(contains(message));
    assert_eq!(names(), before, "{args:?} left something behind");
}

/// Names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_run_leaves_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let told =
        starts_with("Breaking dam: 24 × 24 cells, 3 frames\n").and(contains("The movie is out/dam-break/movie."));
    run(&folder, &["dam-break", "--frames", "3"]).success().stdout(told).stderr(is_empty());
    let out = folder.path().join("out/dam-break");
    for name in ["checkpoint", "frames", "movie.png", "report.html", "run.json", "stats.csv"] {
        assert!(out.join(name).exists(), "{name}");
    }
    assert_eq!(names(&out.join("frames")), ["0000.png", "0001.png", "0002.png", "0003.png"]);
    let record: Value = serde_json::from_str(&fs::read_to_string(out.join("run.json")).unwrap()).unwrap();
    assert_eq!(
        (&record["scene"], &record["cells"][0], &record["frames"]),
        (&"dam-break".into(), &24.into(), &3.into())
    );
    let stats = fs::read_to_string(out.join("stats.csv")).unwrap();
    let header = "step,time,dt,particles,volume,surface_volume,kinetic_energy,potential_energy,surface_energy,divergence,complementarity,unknowns,\
        wall_rows,active_rows,solver,converged,cycles,inner_iterations,residual,viscous_iterations,viscous_residual,bubbles,bubble_volume,seconds_solids,\
        seconds_gather,seconds_surface";
    assert!(stats.starts_with(header) && stats.lines().count() > 3, "{stats}");
    assert!(fs::read_to_string(out.join("report.html")).unwrap().contains("Breaking dam"));
}

#[test]
fn a_folder_with_something_in_it_is_refused_resumed_or_replaced() {
    let folder = tempfile::tempdir().unwrap();
    run(&folder, &["dam-break", "--frames", "2", "--quiet"]).success().stdout(is_empty()).stderr(is_empty());
    run(&folder, &["dam-break", "--frames", "2"]).code(2).stderr(contains("is not empty").and(contains("--resume")));
    run(&folder, &["dam-break", "--frames", "4", "--resume"]).success();
    assert_eq!(names(&folder.path().join("out/dam-break/frames")).len(), 5);
    // Without a scene it goes on with the one that was run; `--set` may change what is written.
    let args = ["run", "--resume", "--out", "out/dam-break", "--frames", "5", "--json"];
    let output = unstick(&folder).args(args).assert().success().get_output().stdout.clone();
    let [told] = &objects(&output)[..] else { panic!("one object") };
    assert_eq!((&told["frame"], &told["finished"]), (&5.into(), &true.into()));
    run(&folder, &["dam-break", "--resume", "--set", "density=2"]).code(2).stderr(contains("another scene"));
    run(&folder, &["dam-break", "--frames", "1", "--force"]).success();
    assert_eq!(names(&folder.path().join("out/dam-break/frames")).len(), 2);
    fs::create_dir(folder.path().join("precious")).unwrap();
    fs::write(folder.path().join("precious/frames"), "mine").unwrap();
    // Help names what works: a folder without a run can be neither resumed nor replaced.
    let useful =
        || contains("is not empty; it holds no run").and(contains("--force").not()).and(contains("--resume").not());
    run(&folder, &["dam-break", "--force", "--out", "precious"]).code(2).stderr(useful());
    run(&folder, &["dam-break", "--out", "precious"]).code(2).stderr(useful());
    run(&folder, &["dam-break", "--resume", "--out", "nowhere"]).code(2).stderr(contains("there is no such folder"));
    run(&folder, &["dam-break", "--resume", "--out", "precious"]).code(2).stderr(contains("it holds no run.json"));
    fs::remove_dir_all(folder.path().join("out/dam-break/checkpoint")).unwrap();
    let begun_again = contains("no checkpoint").and(contains("`--force` instead of `--resume`"));
    run(&folder, &["dam-break", "--resume"]).code(2).stderr(begun_again);
}

#[test]
fn walls_are_compared_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["ceiling-drop", "--compare", "sealed", "--frames", "4", "--out", "both"];
    run(&folder, &args).success().stdout(contains("both/report.html"));
    let both = folder.path().join("both");
    assert_eq!(names(&both.join("frames")).len(), 5);
    // The height of the particles, by the potential energy: one falls, the other hangs.
    let energy = |name: &str| {
        let text = fs::read_to_string(both.join(name).join("stats.csv")).unwrap();
        let last = text.lines().last().unwrap().split(',').nth(7).unwrap().parse::<f64>().unwrap();
        let first = text.lines().nth(1).unwrap().split(',').nth(7).unwrap().parse::<f64>().unwrap();
        last / first
    };
    assert!(energy("separating") < energy("sealed") - 1e-3, "{} {}", energy("separating"), energy("sealed"));
    run(&folder, &["ceiling-drop", "--resume", "--frames", "6", "--out", "both"]).success();
    assert_eq!(names(&both.join("frames")).len(), 7);
    run(&folder, &["sealed-full", "--compare", "sealed"]).code(2).stderr(contains("--compare separating"));
    let changed = ["dam-break", "--compare", "density=500.0", "--frames", "1", "--out", "heavy"];
    run(&folder, &changed).success().stdout(contains("density=500.0 side by side"));
    assert!(folder.path().join("heavy/changed/stats.csv").exists());
}

/// Ctrl-C writes a checkpoint, says how to resume, and resuming works.
#[cfg(unix)]
#[test]
fn an_interrupted_run_can_be_resumed() {
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_unstick"))
        .args(["run", "dam-break", "--frames", "5000", "--out", "long", "--set", "output.checkpoint_every=0"])
        .args(SMALL)
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !folder.path().join("long/frames/0002.png").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("unstick run --resume --out long"), "{told}");
    let frames = names(&folder.path().join("long/frames")).len();
    let args = ["run", "--resume", "--out", "long", "--frames", &frames.to_string(), "--quiet"];
    unstick(&folder).args(args).assert().success();
    assert_eq!(names(&folder.path().join("long/frames")).len(), frames + 1);
}

/// A scene is still being read: its mesh comes through a pipe into which nobody writes.
#[cfg(unix)]
#[test]
fn an_interrupt_while_a_scene_is_read_ends_the_command_at_once_and_leaves_nothing() {
    use std::process::{Command, Stdio};
    for signal in ["-TERM", "-INT"] {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("never.obj");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let scene = "[grid]\ncells = [8, 8, 8]\n[[liquid]]\nshape = { mesh = { file = \"never.obj\" } }\n";
        fs::write(folder.path().join("scene.toml"), scene).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_unstick"))
            .args(["run", "scene.toml"])
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Opens when the command has opened the other end.
        let open_end = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), told.as_str()), (Some(130), ""), "{signal}");
        drop(open_end);
        assert_eq!(names(folder.path()), ["never.obj", "scene.toml"]);
    }
}

#[test]
fn scenes_are_listed_printed_and_copied() {
    let folder = tempfile::tempdir().unwrap();
    unstick(&folder).arg("scenes").assert().success().stdout(contains("stairs-hard").and(contains("48×48×48")));
    let output = unstick(&folder).args(["scenes", "column"]).assert().success().get_output().stdout.clone();
    fs::write(folder.path().join("mine.toml"), output).unwrap();
    run(&folder, &["mine.toml", "--frames", "1"]).success().stdout(contains("out/mine/report.html"));
    assert_refused(&folder, &["scenes", "colum"], "did you mean `column`?");
}

#[test]
fn bad_scenes_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[grid]\ncells = [16, 16]\n[walls]\nborder = \"seald\"\n";
    fs::write(folder.path().join("bad.toml"), text).unwrap();
    assert_refused(&folder, &["run", "bad.toml"], "bad.toml:4:10");
    assert_refused(&folder, &["run", "bad.toml"], "did you mean `sealed`?");
    assert_refused(&folder, &["run", "bad.toml", "--set", "walls.border=sealed"], "the scene has no `[[liquid]]`");
    assert_refused(&folder, &["run", "missing.toml"], "there is no such file");
    assert_refused(&folder, &["run", "dam-brek"], "did you mean `dam-break`?");
    assert_refused(&folder, &["run", "--set", "grid.cels=[9,9]"], "did you mean `cells`?");
    assert_refused(&folder, &["run", "--set", "grid.cells=[0,9]"], "expected a whole number");
    assert_refused(&folder, &["run", "--set", "density=-1"], "expected a positive number");
    for count in ["0", "-3"] {
        assert_refused(&folder, &["run", "--frames", count], &format!("{count} is not in 1..=1000000"));
    }
    assert_refused(&folder, &["capture", "dam-break", "--out", "z", "--frame", "-3"], "-3 is not in 0..=1000000");
    assert_refused(&folder, &["run", "--compare", "glued"], "separating");
    let solid = "solid=[{shape={mesh={file=\"boat.obj\"}}}]";
    assert_refused(&folder, &["run", "dam-break-3d", "--set", solid], "boat.obj: there is no such file");
    if cfg!(target_os = "linux") {
        assert_refused(&folder, &["run", "dam-break-3d", "--set", "grid.cells=[1290,1290,1290]"], "GiB of memory");
    }
}

#[test]
fn a_captured_problem_is_solved() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["capture", "circle-half", "--frame", "3", "--out", "problem", "--set", "grid.cells=[24,24]"];
    unstick(&folder).args(args).assert().success().stdout(contains("unknowns"));
    unstick(&folder).args(["solve", "problem", "--solver", "policy,newton"]).assert().success();
    unstick(&folder).args(["solve", "problem", "--start", "given"]).assert().success();
    assert_refused(&folder, &args, "is not empty");
    let refused = unstick(&folder).args(args).assert();
    refused.stderr(contains("--resume").not().and(contains("--force").not()).and(contains("--out")));
}

#[test]
fn a_run_whose_solves_fall_short_says_so_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let accepted = ["--set", "pressure.on_unconverged=accept", "--set", "pressure.tolerance=1e-300"];
    let told =
        contains("steps fell short of a tolerance: the columns `…_converged` of out/dam-break/stats.csv say which");
    run(&folder, &[&["dam-break", "--frames", "2"][..], &accepted].concat()).code(1).stderr(told);
    let out = folder.path().join("out/dam-break");
    let report = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("fell short of a tolerance"));
    let stats = fs::read_to_string(out.join("stats.csv")).unwrap();
    let columns = "pressure_converged,viscosity_converged,density_converged,contact_converged,coupling_converged";
    assert!(
        stats.lines().next().unwrap().contains(columns) && stats.contains(",false,true,true,true,true,"),
        "{stats}"
    );
    // What happened before a run was resumed is not forgotten.
    let resumed = ["--resume", "--out", "out/dam-break", "--frames", "3", "--json"];
    let told =
        unstick(&folder).arg("run").args(resumed).args(["--set", "pressure.on_unconverged=accept"]).assert().code(1);
    let told: Value = serde_json::from_slice(&told.get_output().stdout).unwrap();
    assert!(told["unconverged_steps"].as_u64().unwrap() >= stats.matches(",false,true").count() as u64, "{told}");
}

#[test]
fn viscous_flows_and_contacts_that_fall_short_say_so_too() {
    let folder = tempfile::tempdir().unwrap();
    let small = ["--set", "grid.refine=0.5", "--set", "output.frames=false", "--frames", "1"];
    let run = |scene: &str, set: &[&str]| {
        let sets = set.iter().flat_map(|set| ["--set", set]);
        unstick(&folder).args(["run", scene, "--force"]).args(small).args(sets).assert()
    };
    let once = "flow.solve.max_iterations=1";
    run("settling-sphere", &[once]).code(2).stderr(contains("the viscous step at").and(contains("iteration limit")));
    run("settling-sphere", &[once, "flow.on_unconverged=accept"]).code(1).stderr(contains("fell short of a tolerance"));
}
