//! The catalogue of studies holds together.

use unstick::gpu::Backend;

use super::table::Table;
use super::*;

#[test]
fn names_are_told_apart_and_published_tables_are_whole() {
    let names: Vec<_> = all().map(|study| &study.name).collect();
    for (index, name) in names.iter().enumerate() {
        assert!(!names[..index].contains(name), "{name} twice");
    }
    for study in all() {
        for view in &study.views {
            let table = Table::published(&view.published);
            for (row, cells) in &table.rows {
                assert_eq!(cells.len(), table.columns.len(), "{}, row {row}", study.name);
            }
        }
    }
}

#[test]
fn every_published_column_has_a_solver_and_best_comes_last() {
    // Only flows have numbers of other names.
    let is_unknown = |quantity: &Quantity| matches!(quantity, Quantity::Named(_));
    for study in all() {
        let columns: Vec<&str> = match &study.experiment {
            Experiment::Problems(experiment) => experiment.entrants.iter().map(|entrant| &*entrant.column).collect(),
            Experiment::Runs(experiment) => experiment.settings.iter().map(|setting| &*setting.column).collect(),
            Experiment::Steps(experiment) => experiment.settings.iter().map(|setting| &*setting.column).collect(),
            Experiment::Trials(experiment) => {
                assert!(bodies::trial(&experiment.what).is_some(), "{}: nobody measures it", study.name);
                continue;
            }
            Experiment::Flows(_) | Experiment::Impossible(_) => continue,
        };
        for view in &study.views {
            let table = Table::published(&view.published);
            let named = match &view.show {
                Show::Methods(quantities) if quantities.iter().any(is_unknown) => {
                    panic!("{}: {quantities:?}", study.name)
                }
                Show::Table(quantity) | Show::Sizes(quantity) if is_unknown(quantity) => {
                    panic!("{}: {quantity:?}", study.name)
                }
                Show::Methods(_) => table.rows.into_iter().map(|(name, _)| name).collect(),
                Show::Table(_) | Show::Sizes(_) | Show::Excess { .. } => table.columns,
                _ => Vec::new(),
            };
            for name in &named {
                assert!(columns.contains(&name.as_str()), "{}: nobody measures {name}", study.name);
            }
        }
        assert_eq!(columns.last(), Some(&BEST), "{}", study.name);
    }
}

#[test]
fn solvers_and_scenes_of_the_first_two_sources_exist() {
    let names = ["lai", "andersen"].map(String::from);
    for study in find(&names).unwrap() {
        measure::check(study, Scope::Quick, Backend::Cpu).unwrap_or_else(|error| panic!("{}: {error}", study.name));
    }
}

#[test]
fn measurements_of_a_study_have_keys_of_their_own() {
    for study in all() {
        let mut keys: Vec<_> =
            measure::measurements(study, Scope::Full).into_iter().map(|measurement| measurement.key).collect();
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count, "{}", study.name);
    }
}

#[test]
fn a_name_stands_for_one_study_or_for_all_of_a_source() {
    let count = |name: &str| find(&[name.to_string()]).map(|studies| studies.len());
    let of_lai = all().filter(|study| study.source.starts_with("Lai2021")).count();
    assert_eq!((count("lai-6.1").unwrap(), count("lai").unwrap()), (1, of_lai));
    assert_eq!(count("all").unwrap(), all().count());
    assert!(count("lai-6").is_err());
}

/// A study of the dam on a tiny grid, whose experiment is given.
fn tiny(name: &str, experiment: &str) -> Result<Vec<Study>, toml::de::Error> {
    let text = r#"
        [shared]
        views = [
            { caption = "means", show = { methods = ["iterations", "velocity difference, m/s", "volume gain, %"] },
              published = "Method | iterations\nslip | 7",
              claims = [{ text = "they differ", below = ["best", "slip", "velocity difference, m/s"] }] },
            { caption = "course", show = { course = "volume gain, %" } },
            { caption = "pictures", show = "gallery" },
        ]
        efforts = { sizes = [16], frames = [1, 2] }
        settings = [
            { column = "slip", sets = ["walls.border=sealed", "pressure.solver=sticking"] },
            { column = "best", sets = ["pressure.solver=best"] },
        ]
        [[study]]
        name = "NAME"
        source = "nobody"
        title = "the dam"
        about = "`tiny`"
        minutes = 0.0
        views = "$views"
    "#;
    read(&format!("{}\nexperiment = {experiment}", text.replace("NAME", name)))
}

#[test]
fn a_solver_that_does_not_exist_is_an_error_that_names_it() {
    for experiment in [
        r#"{ runs = { scenes = ["dam-break"], efforts = "$efforts", settings = [{ sets = ["pressure.solver=nonesuch"] }] } }"#,
        r#"{ problems = { scenes = ["dam-break"], efforts = "$efforts", target = { relative = 1e-6 },
            entrants = [{ column = "nobody", solver = "nonesuch" }] } }"#,
    ] {
        let error = measure::check(&tiny("none", experiment).unwrap()[0], Scope::Quick, Backend::Cpu).unwrap_err();
        assert!(error.to_string().contains("`nonesuch`"), "{error}");
    }
}

#[test]
fn what_a_file_says_wrongly_is_refused() {
    for (experiment, refusal) in [
        (r#"{ flows = { cases = [{ flow = "upwards" }], cells = [8] } }"#, "unknown variant `upwards`"),
        (r#"{ trials = { what = "x", rows = [], more = 1 } }"#, "unknown field `more`"),
        (r#"{ runs = { efforts = "$efforts", settings = "$settings" } }"#, "missing field `scenes`"),
    ] {
        let error = tiny("wrong", experiment).err().unwrap().to_string();
        assert!(error.contains(refusal), "{experiment}: {error}");
    }
}

#[test]
fn shared_measurements_are_expected_once() {
    let of = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| name.to_string()).collect();
        measure::minutes(&find(&names).unwrap(), Scope::Quick, |_| false)
    };
    assert_eq!(of(&["lai-6.1", "lai-6.7", "lai-6.9"]), of(&["lai-6.1"]));
    let all = of(&["all"]);
    assert!(all < 40.0, "{all} minutes: a quick run is one that is waited for");
}

#[test]
fn runs_and_steps_become_pages_with_pictures_and_differences() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = store::Store::create(folder.path(), store::Provenance::here(Backend::Cpu).unwrap()).unwrap();
    let runs =
        r#"{ runs = { scenes = ["dam-break"], efforts = "$efforts", settings = "$settings", is_drawn = true } }"#;
    let steps = r#"{ steps = { scene = "dam-break", efforts = "$efforts", settings = "$settings",
        reference = { sets = ["pressure.tolerance=1e-10"] } } }"#;
    let studies = [tiny("runs", runs), tiny("steps", steps)].map(|read| read.unwrap()).into_iter().flatten();
    for study in Vec::leak(studies.collect::<Vec<_>>()).iter() {
        measure::check(study, Scope::Quick, Backend::Cpu).unwrap();
        measure::measure(study, Scope::Quick, None, &mut store, &crate::Silent).unwrap();
        let result = result::StudyResult::of(study, Scope::Quick, &store);
        assert_eq!(result.completeness.found, result.completeness.expected);
        assert_eq!(result.reason, None);
        present::write(&result, store.provenance(), folder.path()).unwrap();
    }
    let page = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(page("runs.html").matches("data:image/png;base64,").count(), 4, "two settings, two frames");
    assert!(page("runs.html").contains("<svg") && page("runs-2.svg").starts_with("<svg"));
    assert!(page("steps.html").contains("Trend holds: they differ"));
    assert!(page("steps.csv").starts_with("method,,iterations,"));
}
