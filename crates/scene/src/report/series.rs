//! What happened over time, column by column.

use std::path::Path;

use super::ReportError;

/// The columns of one run, one value per substep.
///
/// The report knows the names `time`, `dt`, `particles`, `volume`, `kinetic_energy`,
/// `potential_energy`, `divergence`, `complementarity`, `cycles`, `inner_iterations`, `residual`
/// and every `seconds_…`; each may be missing, others are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSeries {
    /// What tells this run from the others, such as "separating".
    pub label: String,
    /// Names and values.
    pub columns: Vec<(String, Vec<f64>)>,
}

impl RunSeries {
    /// A run from columns.
    pub fn new(label: impl Into<String>, columns: Vec<(String, Vec<f64>)>) -> Self {
        Self { label: label.into(), columns }
    }

    /// Reads `stats.csv`. Columns of words are left out; an empty place or a word among numbers is a gap.
    ///
    /// A last line that was cut short (the run was killed while it wrote) is left out.
    pub fn read_csv(label: impl Into<String>, path: &Path) -> Result<Self, ReportError> {
        let text = read(path)?;
        let cells = |line: &str| -> Vec<String> {
            line.split(',').map(|part| part.trim().trim_matches('"').to_owned()).collect()
        };
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let mut rows = lines.map(|(number, line)| (number + 1, cells(line))).peekable();
        let names: Vec<String> = rows.next().map(|(_, names)| names).unwrap_or_default();
        let mut series = Self::empty(label, &names);
        while let Some((line, row)) = rows.next() {
            if row.len() == names.len() {
                series.push(&row);
            } else if rows.peek().is_some() || text.ends_with('\n') {
                let (expected, found) = (names.len(), row.len());
                return Err(ReportError::Columns { path: path.to_owned(), line, expected, found });
            }
        }
        series.columns.retain(|(_, values)| values.iter().any(|value| !value.is_nan()));
        Ok(series)
    }

    /// Reads `bodies.csv`: the paths of some of the bodies, by name.
    pub fn read_bodies(names: &[&str], path: &Path) -> Result<Vec<Self>, ReportError> {
        let text = read(path)?;
        let mut rows = text.lines().map(|line| line.split(',').collect::<Vec<&str>>());
        let columns = rows.next().unwrap_or_default();
        let mut bodies: Vec<Self> = names.iter().map(|&name| Self::empty(name, &columns)).collect();
        for row in rows.filter(|row| row.len() == columns.len()) {
            let body = bodies.iter_mut().find(|body| row.get(2) == Some(&body.label.as_str()));
            body.into_iter().for_each(|body| body.push(&row));
        }
        Ok(bodies)
    }

    fn empty(label: impl Into<String>, names: &[impl AsRef<str>]) -> Self {
        Self::new(label, names.iter().map(|name| (name.as_ref().to_owned(), Vec::new())).collect())
    }

    fn push(&mut self, row: &[impl AsRef<str>]) {
        for (column, part) in self.columns.iter_mut().zip(row) {
            column.1.push(part.as_ref().parse().unwrap_or(f64::NAN));
        }
    }

    /// Adds to the last value of a column, if there is one.
    pub(crate) fn add_to_last(&mut self, name: &str, more: f64) {
        let column = self.columns.iter_mut().find(|(found, _)| found == name);
        column.and_then(|(_, values)| values.last_mut()).into_iter().for_each(|last| *last += more);
    }

    /// The values of a column.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.columns.iter().find(|(found, _)| found == name).map(|(_, values)| values.as_slice())
    }

    /// Time of every row; counted where the column is missing.
    pub(super) fn times(&self) -> Vec<f64> {
        let rows = self.columns.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
        self.column("time").map_or_else(|| (0..rows).map(|row| row as f64).collect(), <[f64]>::to_vec)
    }

    /// Names (without `seconds_`) and values of the stages of a step.
    pub(super) fn stages(&self) -> impl Iterator<Item = (&str, &[f64])> {
        self.columns.iter().filter_map(|(name, values)| Some((name.strip_prefix("seconds_")?, values.as_slice())))
    }
}

fn read(path: &Path) -> Result<String, ReportError> {
    std::fs::read_to_string(path).map_err(|source| ReportError::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_words_and_a_torn_end_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.csv");
        std::fs::write(&path, "time,solver,cycles\n0.0,best,3\n0.1,best,\n0.2,be").unwrap();
        let series = RunSeries::read_csv("one", &path).unwrap();
        assert_eq!(series.column("time").unwrap(), [0.0, 0.1]);
        assert!(series.column("solver").is_none() && series.column("cycles").unwrap()[1].is_nan());

        std::fs::write(&path, "time,cycles\n0.0,3,4\n").unwrap();
        let error = RunSeries::read_csv("one", &path).unwrap_err().to_string();
        assert!(error.contains("line 2: expected 2 columns as in the first line, found 3"), "{error}");
    }
}
