//! Tables: published ones from text, ours from measurements, and both combined.

use super::measure::Measurement;
use super::quantity::Quantity;
use super::record::Record;
use super::result::columns;

/// The text of an empty cell.
const NOTHING: &str = "–";

/// A table of numbers, some of which may be words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What the rows are.
    pub corner: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows by name.
    pub rows: Vec<(String, Vec<Cell>)>,
}

/// A number or a word.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// As it is shown; empty where there is nothing.
    pub text: String,
    /// The number, if it is one.
    pub value: Option<f64>,
}

impl Cell {
    fn of(text: &str) -> Self {
        let text = text.trim();
        let digits = text.replace([',', '%'], "");
        Self { text: text.into(), value: digits.trim().parse().ok() }
    }
}

impl Table {
    /// Reads text: one row per line, cells between bars, the head first.
    pub fn published(text: &str) -> Self {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let Some(head) = lines.next() else { return Self::default() };
        let mut head = head.split('|').map(|text| text.trim().to_string());
        let corner = head.next().unwrap_or_default();
        let columns: Vec<String> = head.collect();
        let row = |line: &str| {
            let (name, rest) = line.split_once('|').unwrap_or((line, ""));
            let mut cells: Vec<Cell> = rest.split('|').map(Cell::of).collect();
            cells.resize(columns.len(), Cell::default());
            (name.trim().to_string(), cells)
        };
        let rows = lines.map(row).collect();
        Self { corner, columns, rows }
    }

    /// A quantity of measurements, averaged over those that share a row and a column.
    pub fn measured(observations: &[(Measurement, &Record)], quantity: Quantity) -> Self {
        let mut table = Self { corner: corner(observations).into(), ..Self::default() };
        for (measurement, _) in observations {
            let (row, column) = (row_name(observations, measurement), &measurement.column);
            if !table.columns.contains(column) {
                table.columns.push(column.clone());
            }
            if !table.rows.iter().any(|(known, _)| *known == row) {
                table.rows.push((row, Vec::new()));
            }
        }
        for (row, cells) in &mut table.rows {
            for column in &table.columns {
                let of_cell = observations.iter().filter(|(measurement, _)| {
                    measurement.column == *column && row_name(observations, measurement) == *row
                });
                cells.push(mean(&of_cell.map(|(_, record)| *record).collect::<Vec<_>>(), quantity));
            }
        }
        table
    }

    /// The same with a row for each size, whatever the scene.
    pub fn measured_by_size(observations: &[(Measurement, &Record)], quantity: Quantity) -> Self {
        let of_any_scene = observations
            .iter()
            .map(|(measurement, record)| (Measurement { scene: String::new(), ..measurement.clone() }, *record));
        Self::measured(&of_any_scene.collect::<Vec<_>>(), quantity)
    }

    /// One row per method, one column per quantity.
    pub fn methods(observations: &[(Measurement, &Record)], quantities: &[Quantity]) -> Self {
        let row = |name: &str| {
            let of_name = observations.iter().filter(|(measurement, _)| measurement.column == name);
            let records: Vec<_> = of_name.map(|(_, record)| *record).collect();
            (name.to_string(), quantities.iter().map(|&quantity| mean(&records, quantity)).collect())
        };
        Self {
            corner: "method".into(),
            columns: quantities.iter().map(|quantity| quantity.name().into()).collect(),
            rows: columns(observations).into_iter().map(row).collect(),
        }
    }

    /// One row per trial, columns by name.
    pub fn numbers(observations: &[(Measurement, &Record)], columns: &[String]) -> Self {
        let cell = |record: &Record, column: &str| match record {
            Record::Trial(trial) => {
                trial.number(column).map_or(Cell::default(), |value| Cell { text: plain(value), value: Some(value) })
            }
            _ => Cell::default(),
        };
        let row = |(measurement, record): &(Measurement, &Record)| {
            (measurement.row.to_string(), columns.iter().map(|column| cell(record, column)).collect())
        };
        Self { corner: String::new(), columns: columns.to_vec(), rows: observations.iter().map(row).collect() }
    }

    /// Numbers as percents above those of a column, which is left out.
    pub fn excess_over(&self, base: &str) -> Self {
        let Some(index) = self.columns.iter().position(|column| column == base) else { return self.clone() };
        let mut table = self.clone();
        table.columns.remove(index);
        for (_, cells) in &mut table.rows {
            let zero = cells.remove(index).value;
            for cell in cells {
                if let Some((value, zero)) = cell.value.zip(zero) {
                    let percent = 100.0 * (value / zero - 1.0);
                    *cell = Cell { text: format!("{percent:.0}%"), value: Some(percent) };
                }
            }
        }
        table
    }

    /// Rows and columns exchanged.
    pub fn transposed(&self) -> Self {
        let column = |index: usize| self.rows.iter().map(|(_, cells)| cells[index].clone()).collect();
        Self {
            corner: self.corner.clone(),
            columns: self.rows.iter().map(|(name, _)| name.clone()).collect(),
            rows: self.columns.iter().enumerate().map(|(index, name)| (name.clone(), column(index))).collect(),
        }
    }

    /// The rows that another table has too.
    pub fn with_rows_of(&self, other: &Self) -> Self {
        let rows = self.rows.iter().filter(|(name, _)| has_row(other, name)).cloned();
        Self { rows: rows.collect(), ..self.clone() }
    }

    /// The number in a row and a column.
    pub fn value(&self, row: &str, column: &str) -> Option<f64> {
        self.cell(row, column)?.value
    }

    /// The cell in a row and a column.
    pub fn cell(&self, row: &str, column: &str) -> Option<&Cell> {
        let index = self.columns.iter().position(|known| known == column)?;
        self.rows.iter().find(|(known, _)| known == row)?.1.get(index)
    }

    /// Numbers of a column with the names of their rows.
    pub fn column(&self, column: &str) -> Vec<(&str, f64)> {
        let value = |(row, _): &'_ (String, Vec<Cell>)| self.value(row, column);
        self.rows.iter().filter_map(|row| Some((row.0.as_str(), value(row)?))).collect()
    }

    /// Published and our numbers, one line below the other, with the rows and columns of both.
    pub fn beside(published: &Self, ours: &Self) -> TextTable {
        let mut columns = published.columns.clone();
        columns.extend(ours.columns.iter().filter(|column| !published.columns.contains(column)).cloned());
        let mut rows: Vec<&str> = published.rows.iter().map(|(name, _)| name.as_str()).collect();
        rows.extend(ours.rows.iter().map(|(name, _)| name.as_str()).filter(|name| !has_row(published, name)));
        let line = |table: &Self, row: &str| -> Vec<String> {
            let shown = |cell: Option<&Cell>| match cell {
                Some(cell) if !cell.text.is_empty() => cell.text.clone(),
                _ => NOTHING.into(),
            };
            columns.iter().map(|column| shown(table.cell(row, column))).collect()
        };
        let mut lines = Vec::new();
        for row in rows {
            for (whose, table) in [("published", published), ("ours", ours)] {
                if has_row(table, row) {
                    lines.push([vec![row.to_string(), whose.into()], line(table, row)].concat());
                }
            }
        }
        TextTable { head: [vec![ours.corner.clone(), String::new()], columns].concat(), rows: lines }
    }
}

/// A table as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextTable {
    /// Names of the columns.
    pub head: Vec<String>,
    /// Rows with as many cells as the head.
    pub rows: Vec<Vec<String>>,
}

impl TextTable {
    /// As comma-separated values.
    pub fn csv(&self) -> String {
        let quoted = |text: &String| match text.contains([',', '"', '\n']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.clone(),
        };
        let line = |cells: &Vec<String>| cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
        std::iter::once(&self.head).chain(&self.rows).map(line).collect()
    }
}

/// A number of any size with four digits.
fn plain(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if size >= 1e4 && value.fract() == 0.0 => format!("{value:.0}"),
        size if !(1e-3..1e5).contains(&size) => format!("{value:.2e}"),
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        size => format!("{value:.*}", (3.0 - size.log10().floor()).clamp(0.0, 6.0) as usize),
    }
}

fn has_row(table: &Table, name: &str) -> bool {
    table.rows.iter().any(|(known, _)| known == name)
}

/// The mean of the records that have a number; the text says how many have none.
fn mean(records: &[&Record], quantity: Quantity) -> Cell {
    let values: Vec<f64> = records.iter().filter_map(|record| quantity.of(record)).collect();
    let failures: Vec<&str> =
        records.iter().filter(|record| quantity.of(record).is_none()).map(|record| record.failure()).collect();
    if values.is_empty() {
        return Cell { text: failures.first().map(|text| text.to_string()).unwrap_or_default(), value: None };
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let mut text = quantity.text(mean);
    if !failures.is_empty() {
        text += &format!(" ({} of {} {})", failures.len(), records.len(), failures[0]);
    }
    Cell { text, value: Some(mean) }
}

/// What rows stand for: rows of the entrants if there are any, else scenes, else sizes.
fn row_name(observations: &[(Measurement, &Record)], measurement: &Measurement) -> String {
    match measurement {
        Measurement { row, .. } if !row.is_empty() => row.to_string(),
        Measurement { scene, .. } if has_scenes(observations) => scene.to_string(),
        Measurement { size, .. } => size.to_string(),
    }
}

fn corner(observations: &[(Measurement, &Record)]) -> &'static str {
    match observations.first() {
        Some((measurement, _)) if !measurement.row.is_empty() => "",
        _ if has_scenes(observations) => "scene",
        _ => "size",
    }
}

fn has_scenes(observations: &[(Measurement, &Record)]) -> bool {
    observations.iter().any(|(measurement, _)| measurement.scene != observations[0].0.scene)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_text_keeps_its_words_and_gives_its_numbers() {
        let table = Table::published("Size | FAS-MG | No LCP\n32 | 7.45 | 1,446\n64 | Diverged |");
        assert_eq!(table.columns, ["FAS-MG", "No LCP"]);
        assert_eq!((table.value("32", "No LCP"), table.value("64", "FAS-MG")), (Some(1446.0), None));
        assert_eq!(table.cell("64", "FAS-MG").unwrap().text, "Diverged");
        assert_eq!(table.transposed().value("FAS-MG", "32"), Some(7.45));
    }

    #[test]
    fn both_tables_in_one_keep_rows_and_columns_of_either() {
        let published = Table::published("Size | A\n32 | 1\n64 | 2");
        let ours = Table::published("size | A | best\n32 | 3 | 4");
        let texts = Table::beside(&published, &ours);
        assert_eq!(texts.head, ["size", "", "A", "best"]);
        assert_eq!(
            texts.rows,
            [["32", "published", "1", "–"], ["32", "ours", "3", "4"], ["64", "published", "2", "–"]]
        );
        assert_eq!(texts.csv().lines().next(), Some("size,,A,best"));
    }

    #[test]
    fn an_excess_is_counted_from_its_base() {
        let table = Table::published("size | PCG | Newton\n64 | 2 | 2.5").excess_over("PCG");
        assert_eq!((table.columns.len(), table.value("64", "Newton")), (1, Some(25.0)));
    }
}
