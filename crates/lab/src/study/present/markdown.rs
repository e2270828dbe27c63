//! Tables as Markdown and CSV, to keep with the source code.

use std::fmt::Write;
use std::path::Path;

use super::{numbered, put};
use crate::LabError;
use crate::study::result::{Score, StudyResult};
use crate::study::store::Provenance;
use crate::study::table::TextTable;

/// Inside the folder of the tables: those of the published grids, which quick runs leave out.
const FULL: &str = "full/README.md";

/// Writes `README.md`, and for every measured study a page of tables and sentences and its CSV.
pub fn write(results: &[StudyResult], provenance: &Provenance, command: &str, folder: &Path) -> Result<(), LabError> {
    std::fs::create_dir_all(folder).map_err(LabError::writing(folder))?;
    let results: Vec<&StudyResult> = results.iter().filter(|result| !result.is_waiting()).collect();
    for result in &results {
        put(folder, &result.study.name, "md", &page(result, provenance))?;
        for (number, table) in result.sections.iter().filter_map(|section| section.table.as_ref()).enumerate() {
            put(folder, &numbered(&result.study.name, number), "csv", &table.csv())?;
        }
    }
    let has_full = folder.join(FULL).is_file();
    put(folder, "README", "md", &index(&results, provenance, command, has_full))
}

fn index(results: &[&StudyResult], provenance: &Provenance, command: &str, has_full: bool) -> String {
    let full =
        if has_full { format!(" Some of them on the published grids: [{FULL}]({FULL}).") } else { String::new() };
    let mut text = format!(
        "# Studies\n\nPublished tables and figures beside our own numbers, written by\n\n```sh\n{command}\n```\n\n\
         with {}. Nothing here is typed in but the published columns.{full}\n\n\
         | study | source | what | trends that hold |\n|---|---|---|---|\n",
        provenance.describe()
    );
    for result in results {
        let study = result.study;
        let Score { hold, judged } = result.score();
        let score = match (&result.reason, judged) {
            (Some(_), _) => "not measured".into(),
            (None, 0) => String::new(),
            (None, _) => format!("{hold} of {judged}"),
        };
        let _ = writeln!(text, "| [{0}]({0}.md) | {1} | {2} | {score} |", study.name, study.source, study.title);
    }
    text
}

fn page(result: &StudyResult, provenance: &Provenance) -> String {
    let study = result.study;
    let mut text = format!("# {}\n\n[{}]; {}.\n\n{}\n", study.title, study.source, provenance.describe(), study.about);
    if let Some(reason) = &result.reason {
        let _ = writeln!(text, "\n**Not measured:** {reason}.");
    }
    for section in &result.sections {
        let _ = writeln!(text, "\n## {}\n", section.caption);
        for judgement in &section.judgements {
            let _ = writeln!(text, "- {}", judgement.text);
        }
        if let Some(texts) = &section.table {
            text += "\n";
            text += &table(texts);
        }
    }
    if !result.failures.is_empty() {
        text += "\n## What did not come to its end\n\n";
        result.failures.iter().for_each(|line| text += &format!("- {line}\n"));
    }
    text
}

fn table(texts: &TextTable) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|---|---|{}\n", "--:|".repeat(texts.head.len().saturating_sub(2)));
    let rows: String = texts.rows.iter().map(|row| line(row)).collect();
    line(&texts.head) + &rule + &rows
}
