//! `unstick solve`, `generate`, `demo` and `doctor`.

use std::fs;
use std::path::{Path, PathBuf};

use predicates::prelude::*;
use predicates::str::{contains, is_empty, starts_with};
use serde_json::Value;
use tempfile::TempDir;

use crate::{objects, unstick};

/// A folder that holds a small problem called `tank`.
fn with_tank() -> TempDir {
    with_example("sphere-half")
}

fn with_example(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let args = ["generate", name, "--dimension", "2", "--size", "24", "--out", "tank", "--quiet"];
    unstick(&folder).args(args).assert().success().stdout(is_empty());
    folder
}

/// Everything below a folder, by name.
fn content(folder: &Path) -> Vec<PathBuf> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names.extend(content(&path));
        }
        names.push(path);
    }
    names.sort();
    names
}

/// Asserts that a command is refused with that message, and that nothing is left behind.
fn assert_refused(folder: &TempDir, args: &[&str], message: &str) {
    let before = content(folder.path());
    unstick(folder).args(args).assert().code(2).stdout(is_empty()).stderr(contains(message));
    assert_eq!(content(folder.path()), before, "{args:?} left something behind");
}

fn json(folder: &TempDir, args: &[&str], code: i32) -> Vec<Value> {
    let output = unstick(folder).args(args).assert().code(code).get_output().stdout.clone();
    objects(&output)
}

#[test]
fn a_generated_problem_is_solved_by_every_method() {
    let folder = with_tank();
    let entries = json(&folder, &["solve", "tank", "--solver", "all", "--json"], 0);
    assert!(entries.len() >= 7);
    for entry in &entries {
        assert_eq!(entry["outcome"], "converged", "{entry}");
        assert_eq!(entry["problem"], "tank");
        assert!(entry["relative_residual"].as_f64().unwrap() <= 1e-6);
        assert!(entry["wall_rows"].as_u64().unwrap() > 0 && entry["unknowns"].as_u64() > entry["wall_rows"].as_u64());
        let cycles = entry["cycles"].as_u64().unwrap() as usize;
        for series in ["history", "work"] {
            assert_eq!(entry[series].as_array().unwrap().len(), cycles + 1, "{series}");
        }
    }
}

#[test]
fn the_objects_keep_their_keys() {
    let folder = with_tank();
    let entries = json(&folder, &["solve", "tank", "--solver", "psor", "--max-iterations", "2", "--json"], 1);
    let keys = [
        "problem",
        "unknowns",
        "wall_rows",
        "solver",
        "outcome",
        "cycles",
        "inner_iterations",
        "residual",
        "relative_residual",
        "active_rows",
        "setup_seconds",
        "solve_seconds",
        "threads",
        "history",
        "tolerance",
        "remark",
        "work",
        "pockets",
    ];
    for key in keys {
        assert!(entries[0].get(key).is_some(), "{key}");
    }
    assert_eq!(entries[0]["outcome"], "iteration-limit");
    assert_eq!(entries[0]["cycles"], 2);
}

#[test]
fn the_table_names_every_solver_once() {
    let folder = with_tank();
    let assert = unstick(&folder).args(["solve", "tank", "--solver", "policy,psor,policy+cg/mic0"]).assert().success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert_eq!(text.matches("policy+cg/mic0").count(), 1, "{text}");
    assert!(text.contains("psor") && text.contains("relative") && text.contains("converged"), "{text}");
}

#[test]
fn a_solver_that_falls_short_is_named_and_tells_the_caller() {
    let folder = with_tank();
    let args = ["solve", "tank", "--solver", "policy,psor", "--max-iterations", "3"];
    unstick(&folder)
        .args(args)
        .assert()
        .code(1)
        .stderr(contains("not converged").and(contains("psor (iteration limit)")));
}

#[test]
fn quiet_says_nothing_unless_something_is_wrong() {
    let folder = with_tank();
    unstick(&folder).args(["solve", "tank", "--quiet"]).assert().success().stdout(is_empty()).stderr(is_empty());
}

#[test]
fn an_answer_is_written_and_started_from() {
    let folder = with_tank();
    let args = ["solve", "tank", "--solver", "sticking,policy,newton", "--write-x", "tank/x.npy"];
    unstick(&folder).args(args).assert().success().stdout(contains("the answer of policy+cg/mic0"));
    let entries = json(&folder, &["solve", "tank", "--start", "given", "--json"], 0);
    assert_eq!(entries[0]["cycles"], 0);
}

#[test]
fn other_starts_and_tolerances_are_understood() {
    let folder = with_tank();
    for start in ["psor:5", "gradient:5"] {
        let entries = json(&folder, &["solve", "tank", "--start", start, "--tol", "1e-4", "--absolute", "--json"], 0);
        assert_eq!(entries[0]["start"], start);
        assert_eq!(entries[0]["tolerance_kind"], "absolute");
        assert!(entries[0]["residual"].as_f64().unwrap() <= 1e-4);
    }
}

#[test]
fn pockets_are_named() {
    let folder = with_example("sealed-pocket");
    unstick(&folder).args(["solve", "tank"]).assert().stdout(contains("pocket without air"));
    let entries = json(&folder, &["solve", "tank", "--json"], 0);
    assert!(!entries[0]["pockets"].as_array().unwrap().is_empty());
}

#[test]
fn pictures_and_pages_are_complete() {
    let folder = with_tank();
    let args = ["solve", "tank", "--solver", "all", "--plot", "a.svg", "--page", "a.html", "--json"];
    let entries = json(&folder, &args, 0);
    let [plot, page] = ["a.svg", "a.html"].map(|name| fs::read_to_string(folder.path().join(name)).unwrap());
    assert!(plot.starts_with("<svg") && plot.trim_end().ends_with("</svg>"));
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg"));
    for entry in &entries {
        let name = entry["solver"].as_str().unwrap();
        assert!(plot.contains(name) && page.contains(name), "{name}");
    }
    for outside in ["src=", "href=", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn a_matrix_without_guarantees_is_solved_with_a_warning() {
    let folder = with_tank();
    let tank = folder.path().join("tank");
    fs::remove_file(tank.join("grid.json")).unwrap();
    let text = fs::read_to_string(tank.join("A.mtx")).unwrap();
    let positive: String = text.lines().map(|line| flip_first_coupling(line) + "\n").collect();
    fs::write(tank.join("A.mtx"), positive).unwrap();
    unstick(&folder).args(["solve", "tank"]).assert().success().stdout(contains("warning: the matrix is no M-matrix"));
}

/// Turns the coupling of the first two rows positive.
fn flip_first_coupling(line: &str) -> String {
    match line.strip_prefix("2 1 -") {
        Some(value) => format!("2 1 {value}"),
        None => line.into(),
    }
}

#[test]
fn a_wrong_name_is_answered_with_the_nearest() {
    let folder = with_tank();
    assert_refused(&folder, &["solve", "tank", "--solver", "polcy"], "did you mean `policy`?");
    assert_refused(&folder, &["solve", "tank", "--solver", "policy,newton+cgg"], "did you mean `cg`?");
    assert_refused(&folder, &["solve", "tank", "--solver", "psor,,policy"], "expected one of best, policy");
    let out = ["--size", "16", "--out", "new"];
    assert_refused(&folder, &[&["generate", "sphre-half"], &out[..]].concat(), "did you mean `sphere-half`?");
    assert_refused(&folder, &[&["generate", "volcano"], &out[..]].concat(), "expected one of cube-lid");
}

#[test]
fn wrong_numbers_are_refused() {
    let folder = with_tank();
    for tolerance in ["0", "-1e-6", "nan", "inf"] {
        assert_refused(&folder, &["solve", "tank", "--tol", tolerance], "expected a positive number");
    }
    assert_refused(&folder, &["solve", "tank", "--threads", "0"], "--threads");
    assert_refused(&folder, &["solve", "tank", "--start", "psor:many"], "not a starting iterate");
    assert_refused(&folder, &["solve", "tank", "--start", "given"], "tank holds no x.npy");
    assert_refused(&folder, &["solve", "tank", "--relative", "--absolute"], "cannot be used with");
    assert_refused(&folder, &["generate", "cube-lid", "--size", "2", "--out", "new"], "too few");
    assert_refused(
        &folder,
        &["generate", "cube-lid", "--size", "16", "--dimension", "4", "--out", "new"],
        "4 dimensions",
    );
    assert_refused(
        &folder,
        &["generate", "cube-lid", "--size", "99999999", "--out", "new"],
        "cells along the longest axis",
    );
    assert_refused(&folder, &["generate", "cube-lid", "--size", "16"], "--out");
}

#[test]
fn a_truncated_matrix_is_refused_with_file_and_line() {
    let folder = with_tank();
    let path = folder.path().join("tank/A.mtx");
    let text = fs::read_to_string(&path).unwrap();
    let lines = text.lines().count() / 2;
    let half: String = text.lines().take(lines).map(|line| format!("{line}\n")).collect();
    fs::write(&path, half).unwrap();
    let place = Path::new("tank").join("A.mtx");
    assert_refused(&folder, &["solve", "tank", "--plot", "a.svg"], &format!("{}:{}: expected", place.display(), lines));
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let folder = with_tank();
    assert_refused(&folder, &["solve", "nowhere"], "unstick generate");
    fs::remove_file(folder.path().join("tank/b.npy")).unwrap();
    assert_refused(&folder, &["solve", "tank"], "b.npy");
    assert_refused(&folder, &["generate", "cube-lid", "--size", "16", "--out", "tank"], "exists already");
}

#[test]
fn files_that_could_not_be_written_are_refused_before_the_work() {
    let folder = with_tank();
    assert_refused(&folder, &["solve", "tank", "--plot", "nowhere/a.svg"], "there is no folder `nowhere`");
    assert_refused(&folder, &["solve", "tank", "--page", "nowhere/a.html"], "there is no folder `nowhere`");
    assert_refused(&folder, &["solve", "tank", "--write-x", "nowhere/x.npy"], "there is no folder `nowhere`");
    assert_refused(&folder, &["solve", "tank", "--plot", "a.png"], "ends in .svg");
    assert_refused(&folder, &["solve", "tank", "--write-x", "tank/b.npy"], "part of the problem");
}

#[test]
fn help_tells_of_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let told = contains("solve").and(contains("generate")).and(contains("doctor")).and(contains("Examples:"));
    unstick(&folder).arg("--help").assert().success().stdout(told);
    for command in ["run", "scenes", "capture", "demo", "solve", "bench", "generate", "doctor"] {
        unstick(&folder).args([command, "--help"]).assert().success().stdout(contains("Usage: unstick"));
    }
    unstick(&folder).arg("--version").assert().success().stdout(starts_with("unstick "));
}

#[test]
fn generate_alone_lists_the_examples() {
    let folder = tempfile::tempdir().unwrap();
    let listed = ["cube-lid", "sphere-half", "thin-plates", "sealed-pocket", "open-box", "closed-box"];
    let assert = unstick(&folder).arg("generate").assert().success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(listed.iter().all(|name| text.contains(name)), "{text}");
}

#[test]
fn the_doctor_reports_what_it_measured() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        unstick(&folder).args(["doctor", "--json", "--threads", "2"]).assert().success().get_output().stdout.clone();
    let [diagnosis] = &objects(&output)[..] else { panic!("one object") };
    assert_eq!(diagnosis["threads"], 2);
    assert!(diagnosis["copy_bandwidth_one_thread"].as_f64().unwrap() > 0.0);
}

#[test]
fn the_demonstration_leaves_a_plot_and_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let assert = unstick(&folder).arg("demo").assert().success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let report = Path::new("out/demo").join("report.html");
    assert!(text.trim_end().lines().last().unwrap().contains(report.to_str().unwrap()), "{text}");
    assert!(folder.path().join("out/demo/convergence.svg").is_file() && folder.path().join(report).is_file());
}

/// `unstick … | head -1` is no reason to complain.
#[cfg(unix)]
#[test]
fn a_reader_that_leaves_early_does_no_harm() {
    use std::process::{Command, Stdio};
    let folder = with_tank();
    let mut child = Command::new(env!("CARGO_BIN_EXE_unstick"))
        .args(["solve", "tank", "--plot", "a.svg"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(folder.path().join("a.svg").is_file());
}
