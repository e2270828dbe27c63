//! Where the rows of a problem lie on a grid.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use unstick_mlcp::{CsrMatrix, Lattice};

use crate::error::FileError;
use crate::folder::write_file;

/// `grid.json`: where the rows of a problem lie on a grid.
///
/// ```json
/// {"shape": [3, 2], "spacing": 0.5, "origin": [0.0, 0.0], "cells": [0, 1, 4]}
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GridInfo {
    /// Cells along each axis; two or three numbers.
    pub shape: Vec<usize>,
    /// Edge length of a cell.
    pub spacing: f64,
    /// Lower corner of the grid.
    pub origin: Vec<f64>,
    /// Cell of each row, as x + nx (y + ny z).
    pub cells: Vec<usize>,
}

impl GridInfo {
    /// Rows in `cells` of a grid.
    pub fn new(shape: Vec<usize>, spacing: f64, origin: Vec<f64>, cells: Vec<usize>) -> Self {
        Self { shape, spacing, origin, cells }
    }

    pub(crate) fn read(path: &Path) -> Result<Self, FileError> {
        let bytes = fs::read(path).map_err(FileError::io(path))?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let message = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            let found = message.strip_suffix(&place).unwrap_or(&message).to_owned();
            let expected = "shape, spacing, origin and cells of a grid".to_owned();
            FileError::Text { path: path.to_owned(), line: error.line().max(1), expected, found }
        })
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), FileError> {
        write_file(path, |file| Ok(serde_json::to_writer(file, self)?))
    }

    /// Every row has a cell of its own on a grid of two or three dimensions; errors blame `path`.
    pub fn check(&self, rows: usize, path: &Path) -> Result<(), FileError> {
        let refuse = |expected: String, found: String| Err(FileError::Data { path: path.to_owned(), expected, found });
        let Some(size) = self.size() else {
            return refuse("a shape of two or three positive numbers".into(), format!("{:?}", self.shape));
        };
        if !(self.spacing.is_finite() && self.spacing > 0.0) {
            return refuse("a positive spacing".into(), self.spacing.to_string());
        }
        if self.origin.len() != self.shape.len() || !self.origin.iter().all(|x| x.is_finite()) {
            return refuse(format!("an origin of {} numbers", self.shape.len()), format!("{:?}", self.origin));
        }
        if self.cells.len() != rows {
            return refuse(format!("a cell for each of {rows} rows"), format!("{} cells", self.cells.len()));
        }
        if let Some(row) = self.cells.iter().position(|&cell| cell >= size) {
            return refuse(format!("cells below {size}"), format!("cell {} in row {row}", self.cells[row]));
        }
        match self.rows_that_share_a_cell() {
            None => Ok(()),
            Some((one, other)) => {
                refuse("every cell once".into(), format!("cell {} in rows {one} and {other}", self.cells[one]))
            }
        }
    }

    /// The grid as solvers use it: None where rows are not in the order of their cells, or the matrix couples others
    /// than face neighbours.
    pub fn lattice_of(&self, matrix: &CsrMatrix) -> Option<Lattice> {
        let cells = self.cells.iter().map(|&cell| u32::try_from(cell).ok()).collect::<Option<_>>()?;
        Lattice::new(&self.shape, cells).filter(|lattice| lattice.couples_neighbours_only(matrix))
    }

    /// Number of cells. None if the shape makes no sense.
    fn size(&self) -> Option<usize> {
        let fits = matches!(self.shape.len(), 2 | 3) && !self.shape.contains(&0);
        self.shape.iter().try_fold(1usize, |size, &count| size.checked_mul(count)).filter(|_| fits)
    }

    /// Needs memory for the rows, not for the grid: its shape may be a lie.
    fn rows_that_share_a_cell(&self) -> Option<(usize, usize)> {
        if self.cells.is_sorted_by(|one, next| one < next) {
            return None;
        }
        let mut rows: Vec<_> = (0..self.cells.len()).map(|row| (self.cells[row], row)).collect();
        rows.sort_unstable();
        rows.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> GridInfo {
        GridInfo { shape: vec![3, 2], spacing: 0.5, origin: vec![0.0, -1.0], cells: vec![4, 0, 1] }
    }

    fn refusal(change: impl FnOnce(&mut GridInfo)) -> String {
        let mut grid = grid();
        change(&mut grid);
        grid.check(3, Path::new("grid.json")).unwrap_err().to_string()
    }

    fn refusal_of_text(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grid.json");
        fs::write(&path, text).unwrap();
        let message = GridInfo::read(&path).unwrap_err().to_string();
        message.strip_prefix(folder.path().to_str().unwrap()).unwrap().to_owned()
    }

    #[test]
    fn a_grid_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grid.json");
        grid().write(&path).unwrap();
        assert_eq!(GridInfo::read(&path).unwrap(), grid());
        grid().check(3, &path).unwrap();
    }

    #[test]
    fn text_that_is_no_grid_is_refused_with_its_line() {
        let expected = "expected shape, spacing, origin and cells of a grid, found";
        assert_eq!(
            refusal_of_text("{\n\"shape\": \"big\"}"),
            format!("/grid.json:2: {expected} invalid type: string \"big\", expected a sequence")
        );
        assert_eq!(refusal_of_text("{"), format!("/grid.json:1: {expected} EOF while parsing an object"));
        assert_eq!(refusal_of_text(""), format!("/grid.json:1: {expected} EOF while parsing a value"));
        assert_eq!(refusal_of_text("{\"shape\": [2, 2]}"), format!("/grid.json:1: {expected} missing field `spacing`"));
        let message = refusal_of_text("{\"shape\": [2, 2],\n\n\"sape\": 3}");
        assert!(message.starts_with(&format!("/grid.json:3: {expected} unknown field `sape`")), "{message}");
        assert!(refusal_of_text(&"[".repeat(100_000)).starts_with("/grid.json:1: "));
    }

    #[test]
    fn a_grid_that_makes_no_sense_is_refused() {
        let shape = "grid.json: expected a shape of two or three positive numbers, found";
        assert_eq!(refusal(|grid| grid.shape = vec![3]), format!("{shape} [3]"));
        assert_eq!(refusal(|grid| grid.shape = vec![3, 0]), format!("{shape} [3, 0]"));
        assert_eq!(refusal(|grid| grid.shape = vec![usize::MAX, 2]), format!("{shape} [{}, 2]", usize::MAX));
        let spacing = "grid.json: expected a positive spacing, found";
        assert_eq!(refusal(|grid| grid.spacing = 0.0), format!("{spacing} 0"));
        assert_eq!(refusal(|grid| grid.spacing = f64::NAN), format!("{spacing} NaN"));
        let origin = "grid.json: expected an origin of 2 numbers, found";
        assert_eq!(refusal(|grid| grid.origin = vec![0.0]), format!("{origin} [0.0]"));
        assert_eq!(refusal(|grid| grid.origin[1] = f64::INFINITY), format!("{origin} [0.0, inf]"));
    }

    #[test]
    fn every_row_needs_a_cell_of_its_own() {
        let message = refusal(|grid| grid.cells.truncate(2));
        assert_eq!(message, "grid.json: expected a cell for each of 3 rows, found 2 cells");
        let message = refusal(|grid| grid.cells[2] = 6);
        assert_eq!(message, "grid.json: expected cells below 6, found cell 6 in row 2");
        let message = refusal(|grid| grid.cells[2] = 4);
        assert_eq!(message, "grid.json: expected every cell once, found cell 4 in rows 0 and 2");
    }
}
