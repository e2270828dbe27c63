//! The catalogue of studies holds together.

use unstick::gpu::Backend;

use super::table::Table;
use super::*;

#[test]
fn names_are_told_apart_and_published_tables_are_whole() {
    let names: Vec<_> = all().map(|study| study.name).collect();
    for (index, name) in names.iter().enumerate() {
        assert!(!names[..index].contains(name), "{name} twice");
    }
    for study in all() {
        for view in study.views {
            let table = Table::published(view.published);
            for (row, cells) in &table.rows {
                assert_eq!(cells.len(), table.columns.len(), "{}, row {row}", study.name);
            }
        }
    }
}

#[test]
fn every_published_column_has_a_solver_and_best_comes_last() {
    for study in all() {
        let columns: Vec<&str> = match &study.experiment {
            Experiment::Problems(experiment) => experiment.entrants.iter().map(|entrant| entrant.column).collect(),
            Experiment::Runs(experiment) => experiment.settings.iter().map(|setting| setting.column).collect(),
            Experiment::Steps(experiment) => experiment.settings.iter().map(|setting| setting.column).collect(),
            Experiment::Trials(_) | Experiment::Flows(_) | Experiment::Impossible(_) => continue,
        };
        for view in study.views {
            let table = Table::published(view.published);
            let named = match view.show {
                Show::Methods(_) => table.rows.into_iter().map(|(name, _)| name).collect(),
                Show::Table(_) | Show::Excess { .. } => table.columns,
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
    for study in [lai::ALL, andersen::ALL].into_iter().flatten().copied().flatten() {
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
    assert_eq!((count("lai-6.1").unwrap(), count("lai").unwrap()), (1, lai::ALL.iter().map(|part| part.len()).sum()));
    assert_eq!(count("all").unwrap(), all().count());
    assert!(count("lai-6").is_err());
}

#[test]
fn a_solver_that_does_not_exist_is_an_error_that_names_it() {
    const SETTINGS: &[Setting] = &[Setting::new("nobody", &["pressure.solver=nonesuch"])];
    const ENTRANTS: &[Entrant] = &[Entrant::new("nobody", "nonesuch")];
    let efforts = ByScope::same(Effort { sizes: &[8], frames: &[1] });
    let runs = Runs { scenes: &["dam-break"], efforts, settings: SETTINGS, is_drawn: false };
    let target = Target::Relative(1e-6);
    let problems = Problems { scenes: &["dam-break"], efforts, entrants: ENTRANTS, target, repetitions: 1 };
    for experiment in [Experiment::Runs(runs), Experiment::Problems(problems)] {
        let study = Study {
            name: "none",
            source: "",
            title: "",
            about: "",
            experiment,
            views: &[],
            minutes: ByScope::same(0.0),
        };
        let error = measure::check(&study, Scope::Quick, Backend::Cpu).unwrap_err().to_string();
        assert!(error.contains("`nonesuch`"), "{error}");
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
    assert!(all < 30.0, "{all} minutes");
}

const TINY: ByScope<Effort> = ByScope::same(Effort { sizes: &[16], frames: &[1, 2] });
const WAYS: &[Setting] = &[
    Setting::new("slip", &["walls.border=sealed", "pressure.solver=sticking"]),
    Setting::new("best", &["pressure.solver=best"]),
];
const VIEWS: &[View] = &[
    View::new("means", Show::Methods(&[Quantity::Iterations, Quantity::Difference, Quantity::VolumeGain]))
        .published("Method | iterations\nslip | 7")
        .claims(&[Claim::new("they differ", Check::Below("best", "slip", "velocity difference, m/s"))]),
    View::new("course", Show::Course(Quantity::VolumeGain)),
    View::new("pictures", Show::Gallery),
];

/// A study of the dam on a tiny grid.
const fn tiny(name: &'static str, experiment: Experiment) -> Study {
    Study {
        name,
        source: "nobody",
        title: "the dam",
        about: "`tiny`",
        experiment,
        views: VIEWS,
        minutes: ByScope::same(0.0),
    }
}

static RUNS: Study =
    tiny("runs", Experiment::Runs(Runs { scenes: &["dam-break"], efforts: TINY, settings: WAYS, is_drawn: true }));
static STEPS: Study = tiny(
    "steps",
    Experiment::Steps(Steps {
        scene: "dam-break",
        efforts: TINY,
        settings: WAYS,
        reference: &["pressure.tolerance=1e-10"],
    }),
);

#[test]
fn runs_and_steps_become_pages_with_pictures_and_differences() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = store::Store::create(folder.path(), store::Provenance::here(Backend::Cpu).unwrap()).unwrap();
    for study in [&RUNS, &STEPS] {
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
