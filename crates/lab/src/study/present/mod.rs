//! Writes results: pages, plots, tables.

mod markdown;
mod page;

use std::path::Path;

use super::result::StudyResult;
use super::store::Provenance;
use crate::Destination;
use crate::LabError;

pub use markdown::write as write_tables;
pub use page::index;

/// Writes the page of a study, its tables and its plots into a folder.
pub fn write(result: &StudyResult, provenance: &Provenance, folder: &Path) -> Result<(), LabError> {
    let name = &result.study.name;
    for (number, section) in result.sections.iter().enumerate() {
        let name = numbered(name, number);
        if let Some(table) = &section.table {
            put(folder, &name, "csv", &table.csv())?;
        }
        for (place, chart) in section.charts.iter().enumerate() {
            if let Some(svg) = chart.svg() {
                let name = numbered(&name, place);
                put(folder, &name, "svg", &svg)?;
                if section.table.is_none() {
                    put(folder, &name, "csv", &chart.csv())?;
                }
            }
        }
    }
    put(folder, name, "html", &page::page(result, provenance, folder)?)
}

/// A name for each of several files: the first has none of its own, then `-2`, `-3` and so on.
fn numbered(name: &str, index: usize) -> String {
    if index == 0 { name.into() } else { format!("{name}-{}", index + 1) }
}

fn put(folder: &Path, name: &str, extension: &'static str, content: &str) -> Result<(), LabError> {
    Destination::check(&folder.join(format!("{name}.{extension}")), extension)?.write(content)
}
