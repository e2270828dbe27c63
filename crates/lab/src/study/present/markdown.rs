//! Tables as Markdown and CSV, to be kept with the source.

use std::fmt::Write;
use std::path::Path;

use crate::Destination;
use crate::LabError;
use crate::study::sheet::Sheet;
use crate::study::store::Head;
use crate::study::table::Texts;

/// Below the folder of the tables: those of the published grids, where a quick run left them out.
const FULL: &str = "full/README.md";

/// Writes `README.md`, and for every study that was carried out a page of tables and sentences and its CSV.
pub fn write(sheets: &[Sheet], head: &Head, command: &str, folder: &Path) -> Result<(), LabError> {
    std::fs::create_dir_all(folder).map_err(LabError::writing(folder))?;
    let put = |name: String, extension, content: &str| {
        Destination::check(&folder.join(format!("{name}.{extension}")), extension)?.write(content)
    };
    let sheets: Vec<&Sheet> = sheets.iter().filter(|sheet| !sheet.is_waiting()).collect();
    for sheet in &sheets {
        put(sheet.study.name.into(), "md", &page(sheet, head))?;
        for (number, table) in sheet.parts.iter().filter_map(|part| part.table.as_ref()).enumerate() {
            let suffix = if number == 0 { String::new() } else { format!("-{}", number + 1) };
            put(format!("{}{suffix}", sheet.study.name), "csv", &table.csv())?;
        }
    }
    let has_full = folder.join(FULL).is_file();
    put("README".into(), "md", &index(&sheets, head, command, has_full))
}

fn index(sheets: &[&Sheet], head: &Head, command: &str, has_full: bool) -> String {
    let full =
        if has_full { format!(" Some of them on the published grids: [{FULL}]({FULL}).") } else { String::new() };
    let mut text = format!(
        "# Studies\n\nPublished tables and figures beside our own numbers, written by\n\n```sh\n{command}\n```\n\n\
         with {}. Nothing here is typed in but the published columns.{full}\n\n\
         | study | source | what | trends that hold |\n|---|---|---|---|\n",
        head.describe()
    );
    for sheet in sheets {
        let study = sheet.study;
        let [holds, judged] = sheet.score();
        let score = match (&sheet.reason, judged) {
            (Some(_), _) => "not measured".into(),
            (None, 0) => String::new(),
            (None, _) => format!("{holds} of {judged}"),
        };
        let _ = writeln!(text, "| [{0}]({0}.md) | {1} | {2} | {score} |", study.name, study.source, study.title);
    }
    text
}

fn page(sheet: &Sheet, head: &Head) -> String {
    let study = sheet.study;
    let mut text = format!("# {}\n\n[{}]; {}.\n\n{}\n", study.title, study.source, head.describe(), study.about);
    if let Some(reason) = &sheet.reason {
        let _ = writeln!(text, "\n**Not measured:** {reason}.");
    }
    for part in &sheet.parts {
        let _ = writeln!(text, "\n## {}\n", part.caption);
        for verdict in &part.verdicts {
            let _ = writeln!(text, "- {}", verdict.text);
        }
        if let Some(texts) = &part.table {
            text += "\n";
            text += &table(texts);
        }
    }
    if !sheet.failures.is_empty() {
        text += "\n## What did not come to its end\n\n";
        sheet.failures.iter().for_each(|line| text += &format!("- {line}\n"));
    }
    text
}

fn table(texts: &Texts) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = format!("|---|---|{}\n", "--:|".repeat(texts.head.len().saturating_sub(2)));
    let rows: String = texts.rows.iter().map(|row| line(row)).collect();
    line(&texts.head) + &rule + &rows
}
