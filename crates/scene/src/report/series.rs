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
        let text =
            std::fs::read_to_string(path).map_err(|source| ReportError::File { path: path.to_owned(), source })?;
        let whole = text.ends_with('\n');
        let lines: Vec<(usize, Vec<&str>)> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(number, line)| (number + 1, line.split(',').map(|part| part.trim().trim_matches('"')).collect()))
            .collect();
        let Some(((_, names), rows)) = lines.split_first() else { return Ok(Self::new(label, Vec::new())) };
        let mut columns: Vec<(String, Vec<f64>)> = names.iter().map(|&name| (name.to_owned(), Vec::new())).collect();
        for (place, (line, row)) in rows.iter().enumerate() {
            if row.len() != names.len() {
                if !whole && place + 1 == rows.len() {
                    break;
                }
                let (expected, found) = (names.len(), row.len());
                return Err(ReportError::Columns { path: path.to_owned(), line: *line, expected, found });
            }
            for (column, part) in columns.iter_mut().zip(row) {
                column.1.push(part.parse().unwrap_or(f64::NAN));
            }
        }
        columns.retain(|(_, values)| values.iter().any(|value| !value.is_nan()));
        Ok(Self::new(label, columns))
    }

    /// Reads `bodies.csv`: the paths of some of the bodies, by name.
    pub fn read_bodies(names: &[&str], path: &Path) -> Result<Vec<Self>, ReportError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| ReportError::File { path: path.to_owned(), source })?;
        let mut lines = text.lines();
        let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let empty = || columns.iter().map(|&name| (name.to_owned(), Vec::new())).collect::<Vec<_>>();
        let mut bodies: Vec<Self> = names.iter().map(|&name| Self::new(name, empty())).collect();
        for line in lines {
            let parts: Vec<&str> = line.split(',').collect();
            let body = bodies.iter_mut().find(|body| parts.get(2) == Some(&body.label.as_str()));
            if let Some(body) = body.filter(|_| parts.len() == columns.len()) {
                for (column, part) in body.columns.iter_mut().zip(parts) {
                    column.1.push(part.parse().unwrap_or(f64::NAN));
                }
            }
        }
        Ok(bodies)
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
