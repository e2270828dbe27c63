//! `unstick export`: runs that are over, in further formats.

use predicates::str::contains;
use serde_json::Value;

use crate::unstick;

#[test]
fn a_finished_run_is_exported_and_its_sizes_are_told() {
    let place = tempfile::tempdir().unwrap();
    let small = ["--set", "grid.cells=[12,12,12]", "--set", "output={frames=false,states={every=2},volume=\"vti\"}"];
    let run = ["run", "sphere-half", "--frames", "4", "--out", "run", "--json"];
    let told = unstick(place.path()).args(run).args(small).assert().success();
    let told: Value = serde_json::from_slice(&told.get_output().stdout).unwrap();
    assert_eq!((&told["data"][1]["extension"], &told["data"][1]["files"]), (&"vti".into(), &5.into()), "{told}");
    assert!(std::fs::read_to_string(place.path().join("run/report.html")).unwrap().contains("volume: 5 .vti, "));

    let export = ["export", "run", "--format", "vdb,usd,particles:npz", "--out", "more", "--until", "3", "--json"];
    let told = unstick(place.path()).args(export).assert().success();
    let told: Value = serde_json::from_slice(&told.get_output().stdout).unwrap();
    assert_eq!((&told["kept"], &told["computed"]), (&2.into(), &2.into()), "{told}");
    for name in ["volume/0003.vdb", "surface/0003.usda", "particles/0000.npz", "stage.usda"] {
        assert!(place.path().join("more").join(name).is_file(), "{name}");
    }
    assert!(!place.path().join("more/volume/0004.vdb").exists());
    let told = unstick(place.path()).args(["export", "run", "--format", "vdb", "--every", "2"]).assert().success();
    told.stdout(contains("3 frames in run: 3 from states that were kept, 0 computed again")).stderr("");
    assert!(place.path().join("run/volume/0004.vti").is_file(), "what was there stays");
}

#[test]
fn what_cannot_be_exported_is_refused_in_words() {
    let place = tempfile::tempdir().unwrap();
    let refused = |args: &[&str], message: &str| {
        unstick(place.path()).arg("export").args(args).assert().code(2).stderr(contains(message));
    };
    refused(&["nowhere", "--format", "vdb"], "nowhere holds no checkpoint");
    let run = ["run", "dam-break", "--frames", "1", "--out", "plane", "--set", "grid.cells=[16,16]"];
    unstick(place.path()).args(run).args(["--set", "output.frames=false"]).assert().success();
    refused(&["plane", "--format", "vdb"], "OpenVDB needs three dimensions");
    refused(&["plane", "--format", "vbd"], "there is no format `vbd`");
    refused(&["plane", "--format", "ply"], "expected `particles:ply` or `surface:ply`");
    let run =
        ["run", "dam-break", "--frames", "1", "--out", "both", "--compare", "sealed", "--set", "grid.cells=[16,16]"];
    unstick(place.path()).args(run).args(["--set", "output.frames=false"]).assert().success();
    refused(&["both", "--format", "vti"], "holds two runs");
    unstick(place.path()).args(["export", "both/sealed", "--format", "vti"]).assert().success();
}
