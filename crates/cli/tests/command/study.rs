//! `unstick study` as people and scripts meet it.

use std::fs;
use std::path::Path;

use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use tempfile::TempDir;

use crate::unstick;

/// The smallest study, and one that needs nothing but its measurements.
const SMALL: &str = "lai-6.3";
const SAME: &str = "lai-6.11";

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join("site").join(name)).unwrap()
}

fn study(folder: &TempDir, args: &[&str]) -> assert_cmd::assert::Assert {
    unstick(folder).arg("study").args(args).args(["--quick", "--out", "site"]).assert()
}

#[test]
fn all_studies_are_listed_with_their_times() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&["study"][..], &["study", "--list"]] {
        let listed =
            contains("lai-6.10").and(contains("andersen-fig15")).and(contains("eckert-4.1")).and(contains(" h  "));
        unstick(&folder).args(args).assert().success().stdout(listed);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn wrong_names_are_answered_with_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let help = contains("there is no study `lai-6.13`").and(contains("did you mean `lai-6."));
    study(&folder, &["lai-6.13"]).code(2).stdout(is_empty()).stderr(help);
    study(&folder, &["--resume", "--fresh", SMALL]).code(2);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_study_gives_a_page_a_table_and_a_plot_and_can_be_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    study(&folder, &[SMALL, "--tables", "kept"]).success().stdout(contains("one study").and(contains("index.html")));

    let page = read(&folder, "lai-6.3.html");
    assert!(page.contains("published") && page.contains("<svg") && page.contains("450.21"));
    assert!(page.contains("Trend holds") || page.contains("Does not hold"));
    assert!(!page.contains("src=\"http"), "nothing is fetched from elsewhere");
    assert!(read(&folder, "lai-6.3.svg").starts_with("<svg"));
    let table = read(&folder, "lai-6.3.csv");
    assert!(table.starts_with("size,,FAS-MG,") && table.lines().next().unwrap().ends_with(",best"));
    assert_eq!(table.lines().filter(|line| line.contains(",ours,")).count(), 3);
    let index = read(&folder, "index.html");
    assert!(index.contains("href=\"lai-6.3.html\"") && index.contains("not run here yet"));
    let kept = |name: &str| fs::read_to_string(folder.path().join("kept").join(name)).unwrap();
    assert!(kept("README.md").contains("unstick study lai-6.3 --quick"));
    assert!(kept("lai-6.3.md").contains("| 128 | published | 5.83 |"));

    // Neither mixed nor lost unasked.
    study(&folder, &[SMALL]).code(2).stderr(contains("holds measurements already").and(contains("--resume")));

    // Interrupted while the last measurement but one was written.
    let path = folder.path().join("site/measurements.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let torn = format!("{}\n{}", lines[..lines.len() - 2].join("\n"), &lines[lines.len() - 2][..40]);
    fs::write(&path, &torn).unwrap();
    study(&folder, &[SAME, "--resume"]).success();
    let resumed = fs::read_to_string(&path).unwrap();
    assert_eq!(resumed.lines().count(), lines.len(), "two measurements are made again and no other");
    assert!(resumed.starts_with(&(lines[..lines.len() - 2].join("\n") + "\n")), "all others are kept");
    assert!(exists(&folder, "lai-6.11.html") && !exists(&folder, "lai-6.1.html"));

    // From the beginning, if asked; a part of it does here.
    study(&folder, &[SMALL, "--fresh", "--quiet", "--only", "maze 32 "]).success().stdout(is_empty());
    let wanted = lines.iter().filter(|line| line.contains("maze 32 ")).count();
    assert!(wanted > 1 && wanted < lines.len() - 1);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1 + wanted);
}

fn exists(folder: &TempDir, name: &str) -> bool {
    Path::new(&folder.path().join("site").join(name)).is_file()
}
