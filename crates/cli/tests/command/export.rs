//! `unstick export`: runs that are over, in further formats.

use predicates::str::contains;

use crate::{objects, unstick};

#[test]
fn a_finished_run_is_exported_and_its_sizes_are_told() {
    let place = tempfile::tempdir().unwrap();
    let small = ["--set", "grid.cells=[12,12,12]", "--set", "output={frames=false,states={every=2},volume=\"vti\"}"];
    let run = ["run", "sphere-half", "--frames", "4", "--out", "run", "--json"];
    let told = unstick(place.path()).args(run).args(small).assert().success();
    let [told] = &objects(&told.get_output().stdout)[..] else { panic!("one object") };
    assert_eq!((&told["data"][1]["extension"], &told["data"][1]["files"]), (&"vti".into(), &5.into()), "{told}");
    assert!(std::fs::read_to_string(place.path().join("run/report.html")).unwrap().contains("volume: 5 .vti, "));

    let export = ["export", "run", "--format", "vdb,usd,particles:npz", "--out", "more", "--until", "3", "--json"];
    let told = unstick(place.path()).args(export).assert().success();
    let [told] = &objects(&told.get_output().stdout)[..] else { panic!("one object") };
    assert_eq!((&told["kept"], &told["computed"]), (&2.into(), &2.into()), "{told}");
    for name in ["volume/0003.vdb", "surface/0003.usda", "particles/0000.npz", "stage.usda"] {
        assert!(place.path().join("more").join(name).is_file(), "{name}");
    }
    assert!(!place.path().join("more/volume/0004.vdb").exists());
    let told = unstick(place.path()).args(["export", "run", "--format", "vdb", "--every", "2"]).assert().success();
    told.stdout(contains("3 frames in run: 3 from states that were kept, 0 computed again")).stderr("");
    let told = unstick(place.path()).args(["export", "run", "--format", "vdb", "--out", "all"]).assert().success();
    told.stderr(contains("2 of 4 frames are simulated again"));
    assert!(place.path().join("run/volume/0004.vti").is_file(), "what was there stays");
}

#[test]
fn what_cannot_be_exported_is_refused_in_words() {
    let place = tempfile::tempdir().unwrap();
    let refused = |args: &[&str], message: &str| {
        unstick(place.path()).arg("export").args(args).assert().code(2).stderr(contains(message));
    };
    refused(&["nowhere", "--format", "vdb"], "nowhere is no run folder: there is no such folder");
    let run = ["run", "dam-break", "--frames", "1", "--out", "plane", "--set", "grid.cells=[16,16]"];
    unstick(place.path()).args(run).args(["--set", "output.frames=false"]).assert().success();
    refused(
        &["plane", "--format", "vdb"],
        "error: `vdb` needs three dimensions, and plane is a run in the plane\n  help:",
    );
    refused(&["plane", "--format", "surface:ply"], "`ply` needs three dimensions");
    refused(&["plane", "--format", "vti", "--from", "7"], "no frame is asked for: plane has the frames 0 to 1");
    refused(&["plane", "--format", "vti", "--from", "-1"], "invalid value '-1' for '--from <K>'");
    refused(&["plane", "--format", "vti", "--from", "1", "--until", "0"], "comes before the first");
    assert!(!place.path().join("plane/volume").exists(), "nothing is written");
    refused(&["plane", "--format", "vbd"], "there is no format `vbd`");
    refused(&["plane", "--format", "ply"], "expected `particles:ply` or `surface:ply`");
    let run =
        ["run", "dam-break", "--frames", "1", "--out", "both", "--compare", "sealed", "--set", "grid.cells=[16,16]"];
    unstick(place.path()).args(run).args(["--set", "output.frames=false"]).assert().success();
    refused(&["both", "--format", "vti"], "holds two runs");
    unstick(place.path()).args(["export", "both/sealed", "--format", "vti"]).assert().success();
}
