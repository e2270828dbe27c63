//! The choice between processor and GPU, on a machine that shows no GPU.

use std::fs;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;
use tempfile::TempDir;

use crate::objects;

/// A dam break that takes no time.
const SMALL: [&str; 6] = ["--set", "grid.cells=[16,16]", "--set", "output.frames=false", "--frames", "2"];

/// The command, run in a folder of its own. Whatever GPU there is is hidden from it.
fn unstick(folder: &TempDir) -> Command {
    let mut command = crate::unstick(folder);
    command.env("CUDA_VISIBLE_DEVICES", "");
    command.env_remove("UNSTICK_EMULATED_GPU");
    command
}

fn with_tank() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let args = ["generate", "sphere-half", "--dimension", "2", "--size", "16", "--out", "tank", "--quiet"];
    unstick(&folder).args(args).assert().success();
    folder
}

#[test]
fn a_gpu_that_is_not_there_is_refused_before_anything_is_written() {
    let folder = with_tank();
    let in_scene = ["run", "--set", "pressure.backend=gpu"];
    let commands: [&[&str]; 4] = [
        &["run", "--backend", "gpu"],
        &in_scene,
        &["solve", "tank", "--backend", "gpu", "--write-x", "x.npy"],
        &["bench", "tank", "--backend", "cpu,gpu"],
    ];
    for args in commands {
        unstick(&folder)
            .args(args)
            .assert()
            .code(2)
            .stdout(is_empty())
            .stderr(contains("unstick doctor").and(contains("auto")));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{args:?} left something behind");
    }
}

#[test]
fn auto_takes_the_processor_and_says_why() {
    let folder = with_tank();
    unstick(&folder)
        .args(["run", "--backend", "auto"])
        .args(SMALL)
        .assert()
        .success()
        .stdout(contains("pressure on cpu ("));
    let record: Value =
        serde_json::from_slice(&fs::read(folder.path().join("out/dam-break/run.json")).unwrap()).unwrap();
    assert!(record["machine"]["pressure_on"].as_str().unwrap().starts_with("cpu ("), "{record}");
    let args = ["solve", "tank", "--backend", "auto,cpu", "--json"];
    let output = unstick(&folder).args(args).assert().success().get_output().stdout.clone();
    let solved = objects(&output);
    assert_eq!(solved.len(), 1, "both are the same");
    assert_eq!((&solved[0]["solver"], &solved[0]["backend"]), (&"best".into(), &"cpu".into()));
}

#[test]
fn a_run_may_be_gone_on_with_on_another_machine() {
    let folder = tempfile::tempdir().unwrap();
    unstick(&folder).args(["run", "--backend", "auto", "--quiet"]).args(SMALL).assert().success();
    let args = ["run", "--resume", "--out", "out/dam-break", "--frames", "3", "--quiet", "--backend"];
    unstick(&folder).args(args).arg("gpu").assert().code(2).stderr(contains("cannot be solved for on the GPU"));
    unstick(&folder).args(args).arg("cpu").assert().success();
}

#[test]
fn the_doctor_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    unstick(&folder)
        .args(["doctor", "--bench"])
        .assert()
        .success()
        .stdout(contains("GPU").and(contains("none that can be used")));
    let output = unstick(&folder).args(["doctor", "--json"]).assert().success().get_output().stdout.clone();
    let [told] = &objects(&output)[..] else { panic!("one object") };
    assert!(told["gpu_missing"].is_string() && told["gpus"].as_array().unwrap().is_empty(), "{told}");
}

#[test]
fn a_study_needs_the_gpu_it_asks_for_and_auto_does_without() {
    let folder = tempfile::tempdir().unwrap();
    let study = |backend: &str, more: &[&str]| {
        let args =
            ["study", "lai-6.3", "--quick", "--only", "maze 32 frame 10 fas ", "--out", "site", "--backend", backend];
        unstick(&folder).args(args).args(more).assert()
    };
    study("gpu", &[]).code(2).stdout(is_empty()).stderr(contains("unstick doctor").and(contains("auto")));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is written");
    study("auto", &[]).success();
    study("cpu", &["--resume"]).success(); // all was done by the processor
}
