//! `--backend gpu` from end to end, the host standing in for the device.

use std::fs;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

/// A small scene of either dimension, without pictures.
const SCENES: [[&str; 6]; 2] = [
    ["run", "dam-break", "--set", "grid.cells=[24,24]", "--set", "output.frames=false"],
    ["run", "dam-break-3d", "--set", "grid.cells=[12,12,12]", "--set", "output.frames=false"],
];

fn unstick(folder: &TempDir, emulated: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unstick"));
    command.current_dir(folder.path()).env("NO_COLOR", "1").env("UNSTICK_EMULATED_GPU", emulated);
    command
}

/// A column of the statistics.
fn column(folder: &TempDir, run: &str, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.path().join(run).join("stats.csv")).unwrap();
    let place = text.lines().next().unwrap().split(',').position(|column| column == name).unwrap();
    text.lines().skip(1).map(|line| line.split(',').nth(place).unwrap().to_owned()).collect()
}

fn numbers(folder: &TempDir, run: &str, name: &str) -> Vec<f64> {
    column(folder, run, name).iter().map(|text| text.parse().unwrap()).collect()
}

/// Everything but the times.
fn without_times(folder: &TempDir, run: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.path().join(run).join("stats.csv")).unwrap();
    text.lines().map(|line| line.split(',').take(18).collect::<Vec<_>>().join(",")).collect()
}

#[test]
fn a_run_has_the_invariants_and_cycles_of_the_processor() {
    for scene in SCENES {
        let folder = tempfile::tempdir().unwrap();
        for backend in ["cpu", "gpu"] {
            let args = ["--frames", "12", "--backend", backend, "--out", backend];
            unstick(&folder, "yes").args(scene).args(args).assert().success();
        }
        assert!(column(&folder, "gpu", "solver").iter().all(|solver| solver == "best on gpu"));
        assert!(column(&folder, "cpu", "solver").iter().all(|solver| solver == "best"));
        assert_eq!(column(&folder, "gpu", "step").len(), column(&folder, "cpu", "step").len());
        for name in ["volume", "kinetic_energy", "potential_energy"] {
            let (on_cpu, on_gpu) = (numbers(&folder, "cpu", name), numbers(&folder, "gpu", name));
            let largest = on_cpu.iter().fold(0.0f64, |most, value| most.max(value.abs()));
            for (cpu, gpu) in on_cpu.iter().zip(&on_gpu) {
                assert!((cpu - gpu).abs() < 1e-3 * largest, "{name}: {cpu} {gpu}");
            }
        }
        let (on_cpu, on_gpu) = (numbers(&folder, "cpu", "cycles"), numbers(&folder, "gpu", "cycles"));
        assert!(on_cpu.iter().zip(&on_gpu).all(|(cpu, gpu)| (cpu - gpu).abs() <= 2.0), "{on_cpu:?} {on_gpu:?}");
        for name in ["divergence", "complementarity"] {
            assert!(numbers(&folder, "gpu", name).iter().all(|&value| value < 1e-4), "{name}");
        }
    }
}

#[test]
fn a_resumed_run_is_the_straight_one_bit_for_bit() {
    for scene in SCENES {
        let folder = tempfile::tempdir().unwrap();
        let run = |args: &[&str]| unstick(&folder, "yes").args(args).assert().success();
        run(&[&scene[..], &["--backend", "gpu", "--frames", "6", "--out", "straight"]].concat());
        run(&[&scene[..], &["--backend", "gpu", "--frames", "3", "--out", "halved"]].concat());
        run(&["run", "--resume", "--out", "halved", "--frames", "6"]);
        assert_eq!(without_times(&folder, "straight"), without_times(&folder, "halved"));
    }
}

/// All files of a folder and those below it, with their names.
fn files_of(folder: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_of(&path)),
            false => files.push((path.display().to_string(), fs::read(&path).unwrap())),
        }
    }
    files.sort();
    files
}

/// A run that is resumed for each frame waits for all of them; one that goes on has frames and checkpoints written beside
/// its steps.
#[test]
fn frames_that_leave_beside_the_steps_are_those_that_are_waited_for() {
    for scene in SCENES {
        let folder = tempfile::tempdir().unwrap();
        let output = ["frames=true", "width=64", "view=true", "movie=false", "checkpoint_every=2"];
        let set: Vec<String> = output.iter().map(|key| format!("output.{key}")).collect();
        let set: Vec<&str> = set.iter().flat_map(|key| ["--set", key]).collect();
        let run = |args: &[&str]| unstick(&folder, "yes").args(args).assert().success();
        let first = [&scene[..4], &set, &["--backend", "gpu"]].concat();
        run(&[&first[..], &["--frames", "5", "--out", "beside"]].concat());
        run(&[&first[..], &["--frames", "1", "--out", "waited"]].concat());
        for frames in ["2", "3", "4", "5"] {
            run(&["run", "--resume", "--out", "waited", "--frames", frames]);
        }
        for part in ["frames", "view"] {
            let [beside, waited] = ["beside", "waited"].map(|run| files_of(&folder.path().join(run).join(part)));
            assert!(beside.len() == if part == "frames" { 6 } else { 13 }, "{part}: {}", beside.len());
            for ((name, content), (_, expected)) in beside.iter().zip(&waited) {
                assert!(content == expected, "{name}");
            }
        }
        let checkpoints = files_of(&folder.path().join("beside/checkpoint"));
        assert_eq!(checkpoints.len(), 2, "that of frame 4, which was written in passing, and the last");
        let last = |run: &str| files_of(&folder.path().join(run).join("checkpoint")).pop().unwrap().1;
        assert!(last("beside") == last("waited"));
    }
}

#[test]
fn a_device_that_is_lost_ends_the_run_after_the_step_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--backend", "gpu", "--frames", "6", "--out", "lost"];
    let ended = unstick(&folder, "3").args(SCENES[0]).args(args).assert().code(2);
    ended.stderr(contains("the device is lost").and(contains("--backend cpu")));
    let solvers = column(&folder, "lost", "solver");
    let (last, before) = solvers.split_last().unwrap();
    assert!(last == "best" && !before.is_empty() && before.iter().all(|solver| solver == "best on gpu"), "{solvers:?}");
    let args = ["run", "--resume", "--out", "lost", "--frames", "6", "--backend", "cpu"];
    unstick(&folder, "yes").args(args).assert().success();
    assert!(column(&folder, "lost", "solver").starts_with(&solvers), "the steps before are kept");
}

/// A paddle stirs a tank that is filled and emptied.
const STIRRED: &str = r#"
title = "Stirred"
[grid]
cells = [20, 20]
[time]
frame = 0.01
frames = 6
[output]
frames = false
[[liquid]]
shape = { cuboid = { lower = [0.0, 0.0], upper = [1.0, 0.4] } }
[[solid]]
shape = { cuboid = { lower = [0.28, 0.15], upper = [0.38, 0.7] } }
motion = { velocity = [0.5, 0.0], spin = 90.0, about = [0.33, 0.4] }
[[source]]
shape = { sphere = { centre = [0.7, 0.75], radius = 0.1 } }
velocity = [0.2, -1.0]
[[drain]]
shape = { sphere = { centre = [0.8, 0.1], radius = 0.1 } }
"#;

#[test]
fn a_tank_that_is_stirred_filled_and_emptied_is_resumed_bit_for_bit_and_outlives_its_device() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("stirred.toml"), STIRRED).unwrap();
    let run = |emulated: &str, args: &[&str]| unstick(&folder, emulated).args(args).assert().success();
    let from_start = ["run", "stirred.toml", "--backend", "auto"];
    run("yes", &[&from_start[..], &["--out", "straight"]].concat()).stdout(contains("steps on gpu (emulated)"));
    run("yes", &[&from_start[..], &["--frames", "3", "--out", "halved"]].concat());
    run("yes", &["run", "--resume", "--out", "halved", "--frames", "6"]);
    assert_eq!(without_times(&folder, "straight"), without_times(&folder, "halved"));
    // The pressure and the density of each step are a problem: the device is lost in the third step.
    run("5", &[&from_start[..], &["--out", "lost"]].concat()).stderr(contains("the processor goes on"));
    let of = |run: &str| numbers(&folder, run, "particles");
    assert!(of("lost").len() == of("straight").len() && of("lost")[1..] != [of("lost")[0]; 1]);
    for (lost, straight) in of("lost").iter().zip(of("straight")) {
        assert!((lost - straight).abs() <= 3.0, "{lost} for {straight} particles");
    }
}

#[test]
fn auto_goes_on_without_a_device_that_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--backend", "auto", "--frames", "6", "--out", "lost"];
    let ended = unstick(&folder, "3").args(SCENES[0]).args(args).assert().success();
    ended.stdout(contains("steps on gpu (emulated)")).stderr(contains("the processor goes on"));
    let solvers = column(&folder, "lost", "solver");
    assert!(solvers[0] == "best on gpu" && solvers.last().unwrap() == "best", "{solvers:?}");
}

#[test]
fn a_run_of_the_processor_is_resumed_on_the_device_and_the_other_way() {
    for [first, second] in [["cpu", "gpu"], ["gpu", "cpu"]] {
        let folder = tempfile::tempdir().unwrap();
        let run = |args: &[&str]| unstick(&folder, "yes").args(args).assert().success();
        run(&[&SCENES[1][..], &["--backend", first, "--frames", "2", "--out", "run"]].concat());
        let before = column(&folder, "run", "solver").len();
        run(&["run", "--resume", "--out", "run", "--frames", "4", "--backend", second]);
        let solvers = column(&folder, "run", "solver");
        let is_on_gpu = |solver: &String| solver == "best on gpu";
        assert!(solvers[..before].iter().all(|solver| is_on_gpu(solver) == (first == "gpu")), "{solvers:?}");
        assert!(solvers[before..].iter().all(|solver| is_on_gpu(solver) == (second == "gpu")), "{solvers:?}");
        assert!(solvers.len() > before);
    }
}

#[test]
fn what_the_device_does_not_do_the_processor_does_and_a_warning_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let ball = "{sphere={centre=[0.7,0.7],radius=0.1}}";
    let layers = (0..9).fold(ball.to_owned(), |shape, _| format!("{{union=[{ball},{shape}]}}"));
    let source = format!("source=[{{shape={layers},velocity=[-1.0,0.0]}}]");
    let args = ["--set", &source, "--backend", "gpu", "--frames", "1", "--out", "run"];
    let ended = unstick(&folder, "yes").args(SCENES[0]).args(args).assert().success();
    ended.stdout(contains("pressure on gpu (emulated)")).stderr(contains("sources and drains"));
    assert!(column(&folder, "run", "solver").iter().all(|solver| solver == "best on gpu"));
}

#[test]
fn a_solver_that_the_gpu_does_not_have_is_left_out_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let tank = ["generate", "sphere-half", "--dimension", "2", "--size", "16", "--out", "tank", "--quiet"];
    unstick(&folder, "yes").args(tank).assert().success();
    let solve = |args: &[&str]| unstick(&folder, "yes").args(["solve", "tank", "--solver"]).args(args).assert();
    solve(&["psor,best", "--backend", "gpu"]).success().stderr(contains("psor on gpu is left out"));
    solve(&["psor", "--backend", "gpu"]).code(2).stderr(contains("GPU"));
    solve(&["psor", "--backend", "auto"]).success();
}

#[test]
fn a_bench_shows_both_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let args =
        ["bench", "circle-half", "--sizes", "24", "--solvers", "best", "--backend", "cpu,gpu", "--repetitions", "2"];
    let output = unstick(&folder, "yes").args(args).arg("--json").assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.iter().map(|line| line["backend"].as_str().unwrap()).collect::<Vec<_>>(), ["cpu", "gpu"]);
    assert_eq!(lines[0]["active_rows"], lines[1]["active_rows"]);
    let seconds = |key: &str| lines[1][key].as_f64().unwrap();
    assert!(seconds("transfer_seconds") > 0.0 && seconds("setup_seconds") > 0.0 && seconds("solve_seconds") > 0.0);
    unstick(&folder, "yes").args(args).assert().success().stdout(contains("best on gpu"));
}

#[test]
fn a_study_says_what_the_device_solved_and_is_not_mixed() {
    const STUDY: &str = "lai-6.3";
    let folder = tempfile::tempdir().unwrap();
    let study = |args: &[&str]| unstick(&folder, "yes").arg("study").args(args).arg("--quick").assert();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let only = ["--only", "maze 32 frame 10 "];
    study(&[&[STUDY, "--out", "site", "--backend", "gpu", "--tables", "kept"], &only[..]].concat())
        .success()
        .stdout(contains("problems solved on gpu (emulated)"))
        .stderr(contains("on gpu is left out"));
    let lines = read("site/measurements.jsonl");
    let (head, solves) = lines.split_once('\n').unwrap();
    assert_eq!(serde_json::from_str::<Value>(head).unwrap()["gpu"]["name"], "emulated");
    let solves: Vec<Value> = solves.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(solves.len(), 2, "Newton and best");
    for solve in &solves {
        assert!(solve["record"]["solve"]["is_on_gpu"].as_bool().unwrap(), "{solve}");
        assert!(solve["record"]["solve"]["converged"].as_bool().unwrap(), "{solve}");
        assert!(solve["record"]["solve"]["solve"].as_f64().unwrap() > 0.0, "{solve}");
    }
    let page = read(&format!("site/{STUDY}.html"));
    assert!(page.contains("problems solved on gpu (emulated)") && page.contains(", on gpu</h2>"), "{page}");
    assert!(read("kept/README.md").contains(&format!("unstick study {STUDY} --quick --backend gpu")));

    for backend in ["cpu", "auto"] {
        let resumed = [STUDY, "--out", "site", "--resume", "--backend", backend];
        study(&resumed).code(2).stderr(contains("was measured by").and(contains("gpu (emulated)")));
    }
    assert_eq!(read("site/measurements.jsonl"), lines, "what was there is as it was");

    // What the device does not have is left to the processor, and the caption says so.
    study(&[&[STUDY, "--out", "both", "--backend", "auto"], &only[..]].concat()).success();
    let page = read(&format!("both/{STUDY}.html"));
    assert!(page.contains("(on gpu: Newton, best; on cpu: FAS-MG, "), "{page}");

    // Nothing in it for a device.
    study(&["archimedes", "--out", "alone", "--backend", "gpu"]).code(2).stderr(contains("solves no problems"));
}

#[test]
fn the_doctor_measures_the_device() {
    let folder = tempfile::tempdir().unwrap();
    unstick(&folder, "yes").args(["doctor", "--bench"]).assert().success().stdout(contains("V(2,2)-cycle"));
}
