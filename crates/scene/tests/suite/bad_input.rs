//! What is refused, where, and in which words.

use std::path::Path;

use unstick_scene::{AnyScene, SceneError, SceneFile};

const GOOD: &str =
    "[grid]\ncells = [16, 16]\n[[liquid]]\nshape = { cuboid = { lower = [0, 0], upper = [0.5, 0.5] } }\n";

fn refuse(text: &str) -> SceneError {
    let scene = SceneFile::parse("bad", "bad.toml", text, Path::new(".")).and_then(|file| file.scene());
    match scene {
        Err(error) => error,
        Ok(AnyScene::Plane(scene)) => scene.simulation().err().expect("a scene that is refused"),
        Ok(AnyScene::Space(scene)) => scene.simulation().err().expect("a scene that is refused"),
    }
}

/// Asserts place and message of what is refused in the good scene with more lines in front of it.
#[track_caller]
fn assert_refused(lines: &str, place: &str, message: &str, help: &str) {
    let error = refuse(&format!("{lines}\n{GOOD}"));
    let text = error.to_string();
    assert!(text.starts_with(&format!("bad.toml:{place}: ")) && text.contains(message), "{text}");
    assert!(error.help.clone().unwrap_or_default().contains(help), "{:?} for {text}", error.help);
}

#[test]
fn unknown_keys_get_the_nearest_name() {
    assert_refused("densty = 3", "1:1", "unknown key `densty`", "did you mean `density`?");
    assert_refused(
        "[walls]\nboarder = \"sealed\"",
        "2:1",
        "unknown key `boarder` in `walls`",
        "did you mean `border`?",
    );
    assert_refused("tension = -0.1", "1:11", "a number from 0 to 1000000", "");
    assert_refused("[xyzzy]", "1:2", "unknown key `xyzzy`", "known here: `title`");
    let ball = "[[solid]]\nshape = { ball = { centre = [0, 0], radius = 1 } }";
    assert_refused(ball, "2:11", "unknown key `ball` in `solid[0].shape`", "known here: `sphere`");
    let radius = "[[solid]]\nshape = { sphere = { centre = [0, 0], raduis = 1 } }";
    assert_refused(radius, "2:39", "unknown key `raduis`", "did you mean `radius`?");
}

#[test]
fn viscosities_and_drags_that_make_no_sense_are_refused() {
    assert_refused("viscosity = -1", "1:13", "`viscosity` is -1, expected a number from 0", "");
    assert_refused("viscosity = nan", "1:13", "expected a number from 0", "");
    assert_refused(
        "viscosity = { honey = 1 }",
        "1:15",
        "unknown key `honey` in `viscosity`",
        "known here: `power_law`",
    );
    assert_refused("viscosity = {}", "1:13", "one law", "");
    let mud = "viscosity = { yield = { stress = 1, consistency = 1, at_rest = 0 } }";
    assert_refused(mud, "1:64", "expected a positive number", "");
    assert_refused("viscosity_tolerance = 2", "1:23", "expected a number between 0 and 1", "");
    assert_refused("[walls]\nborder_drag = \"noslip\"", "2:15", "expected one of", "did you mean `no-slip`?");
    assert_refused("[walls]\nsolids_drag = { slip = 1 }", "2:17", "unknown key `slip`", "`slip_length`");
    assert_refused(
        "[walls]\nborder_drag = { friction = -1 }",
        "2:28",
        "is -1, expected a number that is zero or more",
        "",
    );
    assert_refused("[walls]\nborder_drag = { friction = \"0.5-w\" }", "2:28", "`w` is unknown", "");
    let both = "[walls]\nborder_drag = { friction = 1, slip_length = 1 }";
    assert_refused(both, "2:15", "one of { slip_length", "");
}

#[test]
fn wrong_types_and_values_are_refused_with_what_was_expected() {
    assert_refused("density = -3", "1:11", "`density` is -3, expected a positive number", "");
    assert_refused("density = nan", "1:11", "expected a positive number", "");
    assert_refused("density = \"heavy\"", "1:11", "is the text \"heavy\", expected a positive number", "");
    assert_refused("gravity = [0, -9.81, 0]", "1:11", "a list of 3, expected 2 numbers, one per axis", "");
    assert_refused("[time]\nframes = 1.5", "2:10", "is 1.5, expected a whole number", "");
    assert_refused("[transport]\nkind = \"flop\"", "2:8", "expected one of \"flip\", \"apic\"", "did you mean `flip`?");
    assert_refused("[transport]\nkind = \"apic\"\npic = 0.1", "3:7", "for kind \"flip\" alone", "");
    assert_refused("[pressure]\nsolver = \"polcy\"", "2:10", "polcy", "did you mean `policy`?");
    assert_refused("[output]\nsurface = \"ply\"", "2:11", "needs three dimensions", "`volume = \"vti\"`");
    assert_refused("[output]\nvolume = [\"vti\", \"vdb\"]", "2:10", "OpenVDB needs three dimensions", "");
    assert_refused("[output]\nvolume = \"vbd\"", "2:10", "expected one of", "did you mean `vdb`?");
    assert_refused("[output]\nvolume = { format = \"vti\", thin = 3 }", "2:28", "unknown key `thin`", "");
    assert_refused("[output]\nfrom = 9\nuntil = 3", "3:9", "is 3, expected a frame not before 9", "");
    assert_refused("[output]\nvdb = { grids = [\"surface\", \"surface\"] }", "2:7", "twice", "");
    assert_refused("[output]\nstates = 3", "2:10", "true, false or {", "");
    assert_refused("density = 99999999999999999999", "1:11", "does not fit", "");
}

#[test]
fn impossible_shapes_are_refused() {
    let solid = |shape: &str| format!("[[solid]]\nshape = {shape}");
    assert_refused(&solid("{ cuboid = { lower = [0, 1], upper = [1, 0] } }"), "2:20", "from 1 to 0 along axis 1", "");
    assert_refused(&solid("{ sphere = { centre = [0, 0], radius = 0 } }"), "2:48", "expected a positive number", "");
    assert_refused(&solid("{ half_space = { point = [0, 0], normal = [0, 0] } }"), "2:51", "not zero", "");
    assert_refused(&solid("{ union = [] }"), "2:19", "at least one shape", "");
    assert_refused(&solid("{ sphere = { radius = 0.1 } }"), "2:20", "has no `centre`", "");
    assert_refused(&solid("{}"), "2:9", "names 0 shapes", "");
    assert_refused(&solid("{ mesh = { file = \"boat.stl\" } }"), "2:27", "boat.stl: there is no such file", "");
}

#[test]
fn a_scene_without_liquid_or_grid_is_refused() {
    let inside = "[[solid]]\nshape = { cuboid = { lower = [-1, -1], upper = [0.6, 0.6] } }";
    let error = refuse(&format!("{inside}\n{GOOD}"));
    assert!(error.to_string().contains("there is no liquid") && error.place.is_some(), "{error}");
    assert!(refuse("title = \"nothing\"").to_string().contains("no `grid`"));
    assert!(refuse("[grid]\ncells = [0, 16]").to_string().starts_with("bad.toml:2:10: `grid.cells[0]` is 0, expected"));
    assert!(refuse("[grid]\ncells = [16]").to_string().contains("expected 2 or 3 whole numbers"));
    assert!(refuse("[grid]\ncells = [900000, 900000, 900000]").to_string().contains("or fewer"));
    assert!(refuse("[grid\ncells = 3").to_string().contains("bad.toml:1:6: not valid TOML"));
}

#[test]
fn what_would_not_fit_is_refused_with_what_would() {
    let file = SceneFile::parse("large", "large.toml", GOOD, Path::new(".")).unwrap();
    let AnyScene::Plane(scene) = file.scene().unwrap() else { panic!("expected two dimensions") };
    let error = scene.check_memory(10_000).unwrap_err();
    assert!(error.to_string().starts_with("large.toml:2:9: this grid takes about"), "{error}");
    assert!(error.help.unwrap().starts_with("`--set grid.cells="));
    scene.check_memory(1 << 30).unwrap();
}

#[test]
fn values_are_set_by_their_path() {
    let mut file = SceneFile::parse("good", "good.toml", GOOD, Path::new(".")).unwrap();
    for assignment in
        ["grid.cells=[8,9]", "walls.border=sealed", "liquid.0.velocity = [1, 0]", "pressure.solver=newton+gmres/ainv"]
    {
        file.set(assignment).unwrap();
    }
    let AnyScene::Plane(scene) = file.scene().unwrap() else { panic!("expected two dimensions") };
    assert_eq!((scene.setup.grid.cells(), scene.liquids[0].1), ([8, 9], [1.0, 0.0]));
    assert_eq!(scene.setup.border, unstick_liquid::Wall::Sealed);
    let refused = |assignment: &str| {
        let mut file = file.clone();
        file.set(assignment).and_then(|()| file.scene()).unwrap_err()
    };
    assert_eq!(refused("grid.cell=[3,3]").help.unwrap(), "did you mean `cells`?");
    assert!(refused("liquid.1.velocity=[0,0]").to_string().contains("has 1 entries, counted from 0"));
    assert!(refused("density").to_string().contains("sets nothing"));
    assert!(refused("density=[1").to_string().starts_with("--set:1:"));
    assert!(refused("density.x=1").to_string().contains("expected a positive number"));
    assert!(refused("grid..x=1").to_string().contains("empty"));
    let unknown = SceneFile::find("dam-brek").unwrap_err();
    assert!(unknown.help.unwrap().contains("did you mean `dam-break`?"));
    assert!(SceneFile::find("nowhere/my.toml").unwrap_err().to_string().contains("there is no such file"));
}

#[test]
fn thresholds_of_splittings_are_checked_and_are_for_splittings_alone() {
    let splitting = |lines: &str| format!("[pressure]\nsolver = \"iop\"\n[pressure.splitting]\n{lines}");
    assert_refused(&splitting("inner = -1.0"), "4:9", "pressure.splitting.inner", "");
    assert_refused(&splitting("mark = \"presure\""), "4:8", "\"velocity\", \"pressure\"", "did you mean");
    assert_refused(&splitting("outre = 1.0"), "4:1", "unknown key `outre`", "did you mean `outer`?");
    let without = "[pressure]\nsplitting = { inner = 1e-4 }";
    assert_refused(without, "2:13", "is for splittings, `best` is none", "\"iop-bc\"");
    assert_refused("[pressure]\nsolver = \"iob\"", "2:10", "there is no solver `iob`", "did you mean `iop`?");
    let control = "[walls]\ncontrol = 0.1\n[pressure]\nsolver = \"iop\"";
    let error = refuse(&format!("{control}\n{GOOD}")).to_string();
    assert!(error.contains("κ is 0.1, which `iop` cannot follow"), "{error}");
}

#[test]
fn a_pull_that_cannot_be_is_refused_with_its_place() {
    assert_refused(
        "[walls]\nadhesion = -1.0",
        "2:12",
        "`walls.adhesion` is -1, expected a number that is zero or more",
        "",
    );
    assert_refused("[walls]\nadhesio = 1.0", "2:1", "unknown key `adhesio`", "did you mean `adhesion`?");
    let solid = "[[solid]]\nshape = { sphere = { centre = [0.5, 0.9], radius = 0.05 } }\nwall = \"sealed\"";
    assert_refused(&format!("{solid}\nadhesion = 5.0"), "4:12", "is for separating walls", "");
    let error = refuse(&format!("[walls]\nadhesion = 5.0\n[pressure]\nsolver = \"iop\"\n{GOOD}")).to_string();
    assert!(error.contains("`iop` knows no walls that pull"), "{error}");
}

#[test]
fn contact_angles_that_no_wedge_has_are_refused_with_their_place() {
    for angle in ["0", "180", "-10", "true"] {
        let refused = |key: &str| format!("{key} is {angle}, expected a number of degrees between 0 and 180");
        let walls = format!("[walls]\ncontact_angle = {angle}");
        assert_refused(&walls, "2:17", &refused("`walls.contact_angle`"), "");
        let solid = "[[solid]]\nshape = { sphere = { centre = [0.5, 0.9], radius = 0.05 } }";
        assert_refused(
            &format!("{solid}\ncontact_angle = {angle}"),
            "3:17",
            "expected a number of degrees between",
            "",
        );
    }
    assert_refused("[walls]\ncontact_angl = 60", "2:1", "unknown key `contact_angl`", "did you mean `contact_angle`?");
}

#[test]
fn formulas_tables_and_pictures_that_cannot_be_are_refused_with_their_place() {
    let walls = |value: &str| format!("[walls]\nadhesion = {value}");
    assert_refused(&walls("\"500*(x\""), "2:12", "`walls.adhesion` is \"500*(x\"", "");
    assert_refused(&walls("\"500*w\""), "2:12", "`w` is unknown, expected `x`, `y`, `t` or a function", "");
    assert_refused(&walls("\"500*z\""), "2:12", "`z` is unknown", "");
    assert_refused(&walls("\"3+(-x^2)\""), "2:12", "a minus before a power is read in two ways", "-(x^2)");
    assert_refused(&walls("\"-sin(x) ^2\""), "2:12", "a minus before a power", "");
    assert_refused(&walls("\"sqrt(x-0.5)\""), "2:12", "is NaN at", "");
    assert_refused(&walls("\"1/0\""), "2:12", "is inf at", "");
    assert_refused(&walls("true"), "2:12", "expected a number, a formula in quotes", "");
    assert_refused(
        &walls("[{ time = 1, value = 2 }, { time = 1, value = 3 }]"),
        "2:47",
        "a time after the one before",
        "",
    );
    assert_refused(&walls("[{ time = 1, value = -2 }]"), "2:12", "is -2, expected a number that is zero or more", "");
    assert_refused(&walls("{ image = \"nowhere.png\" }"), "2:22", "there is no such file", "");
    assert_refused(&walls("{ image = \"a.png\", plane = \"xz\" }"), "2:39", "one of \"xy\"", "");
}

#[test]
fn bodies_that_cannot_be_are_refused_with_names_and_numbers() {
    let body = |rest: &str| format!("[[body]]\nshape = {{ sphere = {{ radius = 0.1 }} }}\n{rest}");
    let at = "centre = [0.5, 0.7]";
    assert_refused(&body(at), "1:1", "`body[0]` has neither `density` nor `mass`", "");
    assert_refused(&body(&format!("{at}\nmass = 0")), "4:8", "`body[0].mass` is 0, expected a positive number", "");
    assert_refused(&body(&format!("{at}\nmass = 1\ndensity = 2")), "4:8", "beside a density", "");
    assert_refused(&body("density = 500"), "1:1", "`body[0]` has no `centre`", "");
    assert_refused(
        &body("density = 500\ncentre = [0.5, 3.0]"),
        "1:1",
        "body `body 1` reaches 2.100e0 m into the wall",
        "",
    );
    let two =
        format!("{}\ndensity = 1\nname = \"a\"\n{}\ndensity = 1\nname = \"b\"", body(at), body("centre = [0.55, 0.7]"));
    assert_refused(&two, "1:1", "bodies `a` and `b` overlap by 1.500e-1 m", "");
    assert_refused(&body(&format!("{at}\ndensity = 1\nrestitution = 2")), "5:15", "expected a number from 0 to 1", "");
    let mesh = "[[body]]\nshape = { mesh = { file = \"nothing.ply\" } }\ndensity = 1\ncentre = [0.5, 0.7]";
    assert_refused(mesh, "2:27", "the mesh cannot be used", "");
    let duck = "[[body]]\nshape = { duck = { length = 0.2 } }\ndensity = 1\ncentre = [0.5, 0.7]";
    assert_refused(duck, "2:18", "a mesh needs three dimensions", "");
    assert_refused("[contact]\nmodel = \"springs\"\nsolver = \"psor\"", "3:10", "not for the model \"springs\"", "");
    assert_refused("[contact]\nsolver = \"psr\"", "2:10", "psr", "did you mean `psor`?");
    let split = format!("{}\n[pressure]\nsolver = \"admm\"", body(&format!("{at}\ndensity = 1")));
    assert_refused(&split, "9:1", "`admm` cannot move bodies", "");
}

#[test]
fn cells_of_no_sensible_size_are_refused() {
    for size in ["spacing = 1e103", "spacing = 1e-300", "size = 1e200"] {
        let text = GOOD.replace("cells = [16, 16]", &format!("cells = [16, 16]\n{size}"));
        let error = refuse(&text).to_string();
        assert!(error.starts_with("bad.toml:3:") && error.contains("expected cells of 1e-30 to 1e30 m"), "{error}");
    }
}

/// The warnings of the good scene with more lines in front of it.
fn warnings(lines: &str) -> Vec<String> {
    let file = SceneFile::parse("odd", "odd.toml", &format!("{lines}\n{GOOD}"), Path::new(".")).unwrap();
    let AnyScene::Plane(scene) = file.scene().unwrap() else { panic!("a scene of the plane") };
    scene.warnings().iter().map(ToString::to_string).collect()
}

#[test]
fn shapes_that_the_grid_does_not_see_are_warned_of_with_place_and_number() {
    assert!(warnings("").is_empty());
    let shaped = |kind: &str, shape: &str| format!("[[{kind}]]\nshape = {{ {shape} }}\n");
    let away = "sphere = { centre = [3, 0.5], radius = 0.5 }";
    let cases = [
        (shaped("solid", away), "solid 1 lies outside of the grid, from [2.5, 0.0] to [3.5, 1.0]"),
        (shaped("drain", away), "drain 1 lies outside of the grid"),
        (shaped("source", away) + "velocity = [1, 0]\n", "source 1 lies outside of the grid"),
        (shaped("liquid", away), "liquid 1 lies outside of the grid"),
        (
            shaped("liquid", "cuboid = { lower = [0.5, 0.5], upper = [1.25, 0.75] }"),
            "liquid 1 reaches 2.500e-1 m beyond the grid along axis 0",
        ),
        (
            shaped("solid", "cuboid = { lower = [0.5, 0.2], upper = [0.51, 0.8] }"),
            "solid 1 is 1.000e-2 m thick, a cell measures 6.250e-2 m",
        ),
    ];
    for (lines, said) in cases {
        let warnings = warnings(&lines);
        assert!(warnings.len() == 1 && warnings[0].contains(said), "{warnings:?}");
    }
}

/// Whether there is a GPU or not. `auto` leaves such scenes to the processor.
#[test]
fn what_no_gpu_does_is_refused_before_one_is_looked_for() {
    let refused = [
        ("air = \"enclosed\"\n[pressure]", 3, "enclosed air is worked out by the processor"),
        ("[pressure]\nsolver = \"iop\"", 3, "splittings run on the processor"),
    ];
    for (lines, line, reason) in refused {
        let asked = format!("{lines}\nbackend = \"gpu\"");
        assert_refused(&asked, &format!("{line}:11"), reason, "`auto` takes the GPU where it can");
        let text = format!("{lines}\nbackend = \"auto\"\n{GOOD}");
        let scene = SceneFile::parse("good", "good.toml", &text, Path::new(".")).unwrap().scene().unwrap();
        assert!(matches!(scene, AnyScene::Plane(scene) if scene.simulation().is_ok()), "{text}");
    }
}
