//! `unstick view` as a user runs it; the server itself is tested in `crates/view`, the page in `viewer/tests`.

use assert_cmd::Command;
use predicates::str::contains;

fn unstick() -> Command {
    Command::cargo_bin("unstick").unwrap()
}

#[test]
fn folders_that_are_not_of_runs_are_refused_with_help() {
    let folder = tempfile::tempdir().unwrap();
    let refused = unstick().args(["view", "--no-open"]).arg(folder.path()).assert().code(2);
    refused.stderr(contains("is no run folder: it holds no run.json")).stderr(contains("unstick run"));
}

#[test]
fn other_machines_are_let_in_with_a_token_alone() {
    let refused = unstick().args(["view", "--no-open", "--bind", "0.0.0.0"]).assert().code(2);
    refused.stderr(contains("takes a token")).stderr(contains("ssh -L"));
}

#[test]
fn the_sandbox_is_written_as_a_page_that_needs_no_server_if_it_was_built() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("sandbox");
    let done = unstick().args(["view", "--save-sandbox"]).arg(&target).assert();
    if unstick_view::has_sandbox() {
        done.success().stdout(contains("it needs no server"));
        assert!(std::fs::read_to_string(target.join("index.html")).unwrap().contains("class Sandbox"));
        std::fs::write(target.join("index.html"), "mine").unwrap();
        let refused = unstick().args(["view", "--save-sandbox"]).arg(&target).assert().code(2);
        refused.stderr(contains("is there already")).stderr(contains("--force"));
        assert_eq!(std::fs::read_to_string(target.join("index.html")).unwrap(), "mine");
        unstick().args(["view", "--force", "--save-sandbox"]).arg(&target).assert().success();
    } else {
        done.code(2).stderr(contains("built without the sandbox")).stderr(contains("viewer/build.sh"));
    }
}

#[test]
fn a_run_leaves_what_the_viewer_plays_and_says_that_it_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let set = ["--set", "grid.cells=[16,12]", "--frames", "2", "--quiet"];
    unstick().args(["run", "dam-break"]).args(set).arg("--out").arg(&out).assert().success();
    assert!(out.join("view/scene.gz").is_file() && out.join("view/surface/0002.gz").is_file());
    let status = std::fs::read_to_string(out.join("status.json")).unwrap();
    assert!(status.contains("\"state\":\"finished\"") && status.contains("\"frame\":2"), "{status}");
    assert!(!out.join("live.lock").exists());
    unstick()
        .args(["run", "dam-break", "--force"])
        .args(set)
        .args(["--set", "output.view=false"])
        .arg("--out")
        .arg(&out)
        .assert()
        .success();
    assert!(!out.join("view").exists());
}
