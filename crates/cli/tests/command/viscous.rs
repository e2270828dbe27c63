//! Viscous flows as a user runs them.

use assert_cmd::Command;

fn unstick(arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unstick"));
    command.env_remove("RUST_BACKTRACE").env("NO_COLOR", "1").args(arguments).assert()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_viscous_scene_becomes_a_run_folder_and_is_resumed() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("run");
    let out = folder.to_str().unwrap();
    let coarse = ["run", "settling-disk", "--set", "grid.refine=0.34", "--json", "--out", out];
    let done = unstick(&[&coarse[..], &["--frames", "2"]].concat()).success();
    let object: serde_json::Value = serde_json::from_str(&text(&done.get_output().stdout)).unwrap();
    assert_eq!((&object["frame"], &object["finished"]), (&2.into(), &true.into()));
    for name in ["run.json", "stats.csv", "bodies.csv", "frames/0002.png", "movie.png", "report.html", "checkpoint"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    let report = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(report.contains("Velocity along y") && report.contains("Largest speed"));
    unstick(&["run", "--resume", "--frames", "3", "--quiet", "--out", out]).success();
    assert!(folder.join("frames/0003.png").exists() && folder.join("view/surface/0003.gz").exists());
    let export = ["export", out, "--format", "vti,particles:npz", "--json"];
    let told = unstick(&export).success();
    let told: serde_json::Value = serde_json::from_str(&text(&told.get_output().stdout)).unwrap();
    assert_eq!((&told["kept"], &told["computed"]), (&2.into(), &2.into()), "{told}");
    for name in ["volume/0003.vti", "particles/0000.npz", "volume.pvd"] {
        assert!(folder.join(name).is_file(), "{name}");
    }
}

#[test]
fn a_setting_of_a_viscous_scene_is_compared_side_by_side() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("both");
    let out = folder.to_str().unwrap();
    let coarse = ["run", "settling-disk", "--set", "grid.refine=0.34", "--out", out];
    let done =
        unstick(&[&coarse[..], &["--frames", "1", "--compare", "flow.dynamic_viscosity=0.02"]].concat()).success();
    assert!(text(&done.get_output().stdout).contains("and flow.dynamic_viscosity=0.02 side by side"));
    unstick(&["run", "--resume", "--frames", "2", "--quiet", "--out", out]).success();
    for name in ["frames/0002.png", "original/stats.csv", "changed/view/surface/0002.gz", "report.html"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    let report = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(report.contains("flow.dynamic_viscosity=0.02"));
    unstick(&["export", out, "--format", "vti"]).failure().code(2);
}

#[test]
fn what_is_for_liquids_with_a_surface_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("none");
    let out = out.to_str().unwrap();
    for (arguments, words) in [
        (&["run", "kissing", "--compare", "sealed", "--out", out][..], "neither seal nor separate"),
        (&["run", "kissing", "--compare", "glued", "--out", out], "or KEY=VALUE, found `glued`"),
        (&["run", "kissing", "--backend", "gpu", "--out", out], "computed on the processor"),
        (&["capture", "kissing", "--frame", "1", "--out", out], "viscous flow that fills its box"),
        (&["bench", "kissing"], "viscous flow that fills its box"),
        (&["run", "kising", "--out", out], "did you mean `kissing`"),
    ] {
        let refused = unstick(arguments).failure().code(2);
        // Long lines are folded.
        let said = text(&refused.get_output().stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.replace("│ ", "").contains(words), "{arguments:?}: {said}");
    }
    assert!(!std::path::Path::new(out).exists());
}
