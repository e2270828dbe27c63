//! Sheets leave the process: pages, plots, tables.

mod markdown;
mod page;

use std::path::Path;

use super::sheet::Sheet;
use super::store::Head;
use crate::Destination;
use crate::LabError;

pub use markdown::write as write_tables;
pub use page::index;

/// Writes the page of a study, its tables and its plots into a folder.
pub fn write(sheet: &Sheet, head: &Head, folder: &Path) -> Result<(), LabError> {
    let put = |name: String, extension, content: &str| {
        Destination::check(&folder.join(format!("{name}.{extension}")), extension)?.write(content)
    };
    let name = sheet.study.name;
    let mut plots = Vec::new();
    for (number, part) in sheet.parts.iter().enumerate() {
        let numbered =
            |kind: &str| if number == 0 { format!("{name}{kind}") } else { format!("{name}{kind}-{}", number + 1) };
        if let Some(table) = &part.table {
            put(numbered(""), "csv", &table.csv())?;
        }
        let mut drawn = Vec::new();
        for (place, chart) in part.charts.iter().enumerate() {
            if let Some(svg) = chart.svg()? {
                let place = if place == 0 { String::new() } else { format!("-{}", place + 1) };
                put(numbered("") + &place, "svg", &svg)?;
                if part.table.is_none() {
                    put(numbered("") + &place, "csv", &chart.csv())?;
                }
                drawn.push(svg);
            }
        }
        plots.push(drawn);
    }
    put(name.into(), "html", &page::page(sheet, head, &plots, folder)?)
}
