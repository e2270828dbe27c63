//! `unstick bench` as people and scripts meet it.

use std::fs;

use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;
use tempfile::TempDir;

use crate::{objects, unstick};

fn with_tank() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let args = ["generate", "sphere-half", "--dimension", "2", "--size", "24", "--out", "tank", "--quiet"];
    unstick(&folder).args(args).assert().success();
    folder
}

/// The objects that a bench prints, one a line.
fn lines(folder: &TempDir, args: &[&str]) -> Vec<Value> {
    let assert = unstick(folder).arg("bench").args(args).arg("--json").assert().success();
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of(lines: &[Value], key: &str) -> Vec<Value> {
    lines.iter().map(|line| line[key].clone()).collect()
}

/// Asserts that a bench is refused with that message before it has said anything else.
fn assert_refused(folder: &TempDir, args: &[&str], message: &str) {
    let is_first = contains(message).and(contains("simulating").not());
    unstick(folder).arg("bench").args(args).assert().code(2).stdout(is_empty()).stderr(is_first);
}

#[test]
fn every_solver_has_a_line_for_every_size_and_frame() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["circle-half", "--sizes", "16,24", "--frames", "2,1", "--solvers", "mprgp,psor", "--repetitions", "1"];
    let lines = lines(&folder, &args);
    assert_eq!(of(&lines, "size"), [16, 16, 16, 16, 24, 24, 24, 24]);
    assert_eq!(of(&lines, "frame"), [1, 1, 2, 2, 1, 1, 2, 2]);
    assert_eq!(of(&lines, "solver"), ["mprgp/jacobi", "psor"].repeat(4));
    for line in &lines {
        assert_eq!((&line["scene"], &line["outcome"]), (&"circle-half".into(), &"converged".into()), "{line}");
        assert_eq!((&line["start"], &line["tolerance"]), (&"zero".into(), &1e-6.into()));
        assert!(line["unknowns"].as_u64().unwrap() > 0);
    }
}

#[test]
fn a_line_is_that_of_solve_and_more() {
    let folder = with_tank();
    let output = unstick(&folder).args(["solve", "tank", "--json"]).assert().success().get_output().stdout.clone();
    let solved = objects(&output);
    let line = &lines(&folder, &["tank", "--solvers", "best", "--threads", "1"])[0];
    for key in solved[0].as_object().unwrap().keys() {
        assert!(line.get(key).is_some(), "{key}");
    }
    for key in ["cycles", "inner_iterations", "residual", "history", "active_rows"] {
        assert_eq!(line[key], solved[0][key], "{key}");
    }
    assert_eq!((&line["scene"], &line["size"], &line["frame"]), (&"tank".into(), &24.into(), &Value::Null));
    assert_eq!((&line["threads"], &line["repetitions"]), (&1.into(), &5.into()));
    assert!(line.get("bytes_moved_model").is_some());
    let [larger, before, after] = ["bandwidth_gbs", "bandwidth_before_gbs", "bandwidth_after_gbs"]
        .map(|key| line[key].as_f64().unwrap_or_else(|| panic!("{key}")));
    assert!(before > 0.0 && after > 0.0 && larger == before.max(after));
}

#[test]
fn solvers_take_turns_and_times_are_medians() {
    let folder = with_tank();
    let args = ["tank", "--solvers", "policy,newton,psor", "--repetitions", "3"];
    let lines = lines(&folder, &args);
    assert_eq!(of(&lines, "turns"), [[0, 5, 7], [1, 3, 8], [2, 4, 6]].map(|turns| Value::from(turns.to_vec())));
    for line in &lines {
        let each = line["total_seconds_each"].as_array().unwrap();
        let mut each: Vec<f64> = each.iter().map(|seconds| seconds.as_f64().unwrap()).collect();
        each.sort_by(f64::total_cmp);
        assert_eq!((each.len(), line["total_seconds"].as_f64()), (3, Some(each[1])));
    }
}

#[test]
fn a_bench_solves_what_capture_writes() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["capture", "dam-break", "--frame", "3", "--out", "problem", "--set", "grid.cells=[32,24]", "--quiet"];
    unstick(&folder).args(args).assert().success();
    for warm in [&[][..], &["--warm"]] {
        let options = [&["--solvers", "policy", "--repetitions", "1"], warm].concat();
        let captured = lines(&folder, &[&["problem"], &options[..]].concat());
        let benched = lines(&folder, &[&["dam-break", "--sizes", "32", "--frames", "3"], &options[..]].concat());
        assert_eq!(benched[0]["history"], captured[0]["history"], "{warm:?}");
    }
}

#[test]
fn every_number_of_threads_is_measured_with_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["example:cube-lid", "--sizes", "12", "--solvers", "policy", "--threads", "1,2", "--repetitions", "2"];
    let lines = lines(&folder, &args);
    assert_eq!(of(&lines, "threads"), [1, 2]);
    assert_eq!(of(&lines, "scene"), ["example:cube-lid"; 2]);
    assert_eq!(lines[0]["history"], lines[1]["history"]);
    assert_eq!(lines[0]["unknowns"], 12 * 12 * 12);
}

#[test]
fn a_table_says_what_was_measured_and_where() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["bench", "sphere-half", "thin-plates", "--sizes", "12", "--frames", "1", "--repetitions", "2"];
    let assert = unstick(&folder).args(args).assert().success();
    let output = assert.get_output();
    let [text, told] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap());
    assert!(text.contains("sphere-half, 12 × 12 × 12 cells, frame 1: "), "{text}");
    assert!(text.contains("thin-plates, 12 × 12 × 12 cells: "), "{text}");
    assert!(text.contains("medians of 2 solves in turn; copy bandwidth "), "{text}");
    assert!(text.contains("total ms  ratio  of limit"), "{text}");
    let ratio = |line: &&str| line.starts_with("best ") && line.contains(" 1.00 ");
    assert_eq!(text.lines().filter(ratio).count(), 2, "{text}");
    assert_eq!(text.matches("another problem").count(), 1, "{text}");
    assert!(told.contains("simulating sphere-half: 12 × 12 × 12 cells, frames 0 to 1 with "), "{told}");
}

#[test]
fn a_solver_that_falls_short_tells_the_caller() {
    let folder = with_tank();
    let args = ["bench", "tank", "--solvers", "policy,psor", "--tol", "1e-30", "--repetitions", "1", "--quiet"];
    let named = contains("not converged").and(contains("psor"));
    unstick(&folder).args(args).assert().code(1).stdout(is_empty()).stderr(named);
}

#[test]
fn bad_input_is_refused_before_anything_runs() {
    let folder = with_tank();
    fs::create_dir(folder.path().join("empty")).unwrap();
    // The first problem is sound and would be simulated.
    let refused = |args: &[&str], message: &str| {
        assert_refused(&folder, &[&["circle-half"], args].concat(), message);
    };
    refused(&["sphre-half"], "did you mean `sphere-half`?");
    refused(&["cube-ld"], "did you mean `cube-lid`?");
    refused(&["example:cube-ld"], "did you mean `cube-lid`?");
    refused(&["missing.toml"], "there is no such file");
    refused(&["empty"], "A.mtx: no such file");
    refused(&["--solvers", "polcy"], "did you mean `policy`?");
    refused(&["--solvers", "policy,"], "expected one of");
    refused(&["--sizes", "0"], "--sizes");
    refused(&["--sizes", ""], "--sizes");
    refused(&["--sizes", "16,,24"], "--sizes");
    refused(&["--frames", "ten"], "--frames");
    refused(&["--threads", "0"], "--threads");
    refused(&["--threads", "1,0"], "--threads");
    refused(&["--repetitions", "0"], "--repetitions");
    refused(&["--tol", "-1"], "expected a positive number");
    refused(&["cube-lid", "--sizes", "16,4"], "too few");
    refused(&["cube-lid", "--warm"], "leave out `--warm`");
    refused(&["tank", "--warm"], "tank holds no x.npy");
    assert_refused(&folder, &[], "<PROBLEM>");
    if cfg!(target_os = "linux") {
        refused(&["sphere-half", "--sizes", "1290"], "GiB of memory");
    }
}

#[test]
fn options_without_effect_are_refused() {
    let folder = with_tank();
    assert_refused(&folder, &["tank", "--sizes", "16"], "`--sizes` has no effect");
    assert_refused(&folder, &["cube-lid", "--sizes", "12", "--frames", "1"], "`--frames` has no effect");
}

#[test]
fn splittings_take_part_where_there_are_velocities_and_are_refused_elsewhere() {
    let folder = with_tank();
    let args = ["dam-break", "--sizes", "24", "--frames", "1", "--repetitions", "1", "--solvers"];
    let found = lines(&folder, &[&args[..], &["policy,admm,iop,reclassify,iop-bc"]].concat());
    assert_eq!(of(&found, "outcome"), vec!["converged"; 5]);
    assert!(found.iter().skip(1).all(|line| line["residual"].as_f64() > found[0]["residual"].as_f64()));
    let message = "`iop` works on the velocities of a step, which";
    assert_refused(&folder, &["tank", "--solvers", "iop"], message);
    let solve = ["solve", "tank", "--solver", "iop"];
    unstick(&folder).args(solve).assert().code(2).stdout(is_empty()).stderr(contains("runs inside a simulation"));
}
