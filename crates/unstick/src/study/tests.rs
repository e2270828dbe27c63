//! The catalogue of studies holds together.

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
        let columns: Vec<&str> = match &study.task {
            Task::Problems(task) => task.entrants.iter().map(|entrant| entrant.column).collect(),
            Task::Runs(task) => task.settings.iter().map(|setting| setting.column).collect(),
            Task::Steps(task) => task.settings.iter().map(|setting| setting.column).collect(),
            Task::Impossible(_) => continue,
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
        let is_sweep = study.name == "eckert-4.2" || study.name == "eckert-4.4";
        assert!(is_sweep || columns.last() == Some(&BEST), "{}", study.name);
    }
}

#[test]
fn solvers_and_scenes_of_the_first_two_sources_exist() {
    for study in lai::ALL.iter().chain(andersen::ALL) {
        measure::check(study, Pace::Quick).unwrap_or_else(|error| panic!("{}: {error}", study.name));
    }
}

#[test]
fn measurements_of_a_study_have_keys_of_their_own() {
    for study in all() {
        let mut keys: Vec<_> = measure::places(study, Pace::Full).into_iter().map(|place| place.key).collect();
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count, "{}", study.name);
    }
}

#[test]
fn a_name_stands_for_one_study_or_for_all_of_a_source() {
    let count = |name: &str| find(&[name.to_string()]).map(|studies| studies.len());
    assert_eq!((count("lai-6.1").unwrap(), count("lai").unwrap()), (1, lai::ALL.len()));
    assert_eq!(count("all").unwrap(), all().count());
    assert!(count("lai-6").is_err());
}
