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
    let put = |name: String, extension, content: &str| {
        Destination::check(&folder.join(format!("{name}.{extension}")), extension)?.write(content)
    };
    let name = result.study.name;
    for (number, section) in result.sections.iter().enumerate() {
        let numbered =
            |kind: &str| if number == 0 { format!("{name}{kind}") } else { format!("{name}{kind}-{}", number + 1) };
        if let Some(table) = &section.table {
            put(numbered(""), "csv", &table.csv())?;
        }
        for (place, chart) in section.charts.iter().enumerate() {
            if let Some(svg) = chart.svg() {
                let place = if place == 0 { String::new() } else { format!("-{}", place + 1) };
                put(numbered("") + &place, "svg", &svg)?;
                if section.table.is_none() {
                    put(numbered("") + &place, "csv", &chart.csv())?;
                }
            }
        }
    }
    put(name.into(), "html", &page::page(result, provenance, folder)?)
}
