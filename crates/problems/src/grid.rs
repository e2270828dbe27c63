//! Where the rows of a problem lie on a grid.

use std::path::Path;
use std::{fs, io};

use serde::{Deserialize, Serialize};
use unstick_mlcp::{CsrMatrix, Lattice};

use crate::error::FileError;
use crate::folder::{read_array, write_file};

/// `grid.json`: where the rows of a problem lie on a grid.
///
/// ```json
/// {"shape": [3, 2], "spacing": 0.5, "origin": [0.0, 0.0], "cells": [0, 1, 4]}
/// ```
///
/// In the file, `cells` may be the name of a `.npy` file beside it, and may be left out where every cell has a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
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

/// Why the grid of a problem is of no use to solvers. They work without it, and find another if they can.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GridMisfit {
    /// Rows do not ascend with their cells.
    #[error("row {next} lies in an earlier cell than row {row}; solvers need rows in the order of their cells")]
    RowOrder {
        /// A row.
        row: usize,
        /// The row after it.
        next: usize,
    },
    /// The matrix is no 5- or 7-point matrix.
    #[error("row {row} is coupled with row {column}, whose cell is no face neighbour")]
    Coupling {
        /// The row.
        row: usize,
        /// The column.
        column: usize,
    },
    /// Cells are numbered in 32 bits.
    #[error("the grid has 2³² cells or more")]
    TooLarge,
}

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GridFile {
    shape: Vec<usize>,
    spacing: f64,
    origin: Vec<f64>,
    cells: Option<Cells>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a list of cells or the name of a .npy file")]
enum Cells {
    List(Vec<usize>),
    File(String),
}

impl GridInfo {
    /// Rows in `cells` of a grid.
    pub fn new(shape: Vec<usize>, spacing: f64, origin: Vec<f64>, cells: Vec<usize>) -> Self {
        Self { shape, spacing, origin, cells }
    }

    /// Reads the grid of a problem of that many rows.
    pub(crate) fn read(path: &Path, rows: usize) -> Result<Self, FileError> {
        let bytes = fs::read(path).map_err(FileError::io(path))?;
        let file: GridFile = serde_json::from_slice(&bytes).map_err(|error| {
            let message = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            let found = message.strip_suffix(&place).unwrap_or(&message).to_owned();
            let expected = "shape, spacing, origin and cells of a grid".to_owned();
            FileError::Text { path: path.to_owned(), line: error.line().max(1), expected, found }
        })?;
        let GridFile { shape, spacing, origin, cells } = file;
        let mut grid = Self { shape, spacing, origin, cells: Vec::new() };
        grid.cells = match cells {
            Some(Cells::List(cells)) => cells,
            Some(Cells::File(name)) => read_cells(path, &name)?,
            None => grid.all_cells(rows, path)?,
        };
        Ok(grid)
    }

    /// Every cell, if there are as many as rows: the shape may be a lie.
    fn all_cells(&self, rows: usize, path: &Path) -> Result<Vec<usize>, FileError> {
        if self.size() == Some(rows) {
            return Ok((0..rows).collect());
        }
        let has = self.size().map_or("no size".into(), |size| format!("{size} cells"));
        let expected = format!("`cells`, because the grid has {has} and the problem {rows} rows");
        Err(FileError::Data { path: path.to_owned(), expected, found: "none".into() })
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

    /// Why solvers cannot use the grid for a matrix; None where they can.
    pub fn misfit(&self, matrix: &CsrMatrix) -> Option<GridMisfit> {
        let descent = self.cells.windows(2).position(|pair| pair[0] >= pair[1]);
        if let Some(row) = descent {
            return Some(GridMisfit::RowOrder { row, next: row + 1 });
        }
        let cells = self.cells.iter().map(|&cell| u32::try_from(cell).ok()).collect::<Option<_>>();
        match cells.and_then(|cells| Lattice::new(&self.shape, cells)) {
            None => Some(GridMisfit::TooLarge),
            Some(lattice) => {
                let far = lattice.first_coupling_beyond_neighbours(matrix);
                far.map(|(row, column)| GridMisfit::Coupling { row, column })
            }
        }
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

/// The cells in a `.npy` file beside `grid.json`.
fn read_cells(grid: &Path, name: &str) -> Result<Vec<usize>, FileError> {
    let is_beside = name.ends_with(".npy") && Path::new(name).file_name().is_some_and(|file| file == name);
    if !is_beside {
        let expected = "`cells` as a list or as the name of a .npy file beside it".into();
        return Err(FileError::Data { path: grid.to_owned(), expected, found: format!("{name:?}") });
    }
    let path = grid.with_file_name(name);
    let as_cell = |(row, &number): (usize, &f64)| {
        let cell = number as usize;
        let found = || format!("{number} in row {row}");
        let bad = || FileError::Data { path: path.clone(), expected: "whole numbers".into(), found: found() };
        if cell as f64 == number { Ok(cell) } else { Err(bad()) }
    };
    let cells = read_array(&path).map_err(|error| match error {
        // Only a grid.json that is not there means that there is no grid.
        FileError::Io { path, source } if source.kind() == io::ErrorKind::NotFound => {
            let expected = "the cells that grid.json names".into();
            FileError::Data { path, expected, found: "no such file".into() }
        }
        error => error,
    })?;
    cells.iter().enumerate().map(as_cell).collect()
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
        let message = GridInfo::read(&path, 3).unwrap_err().to_string();
        message.strip_prefix(folder.path().to_str().unwrap()).unwrap().to_owned()
    }

    #[test]
    fn a_grid_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grid.json");
        grid().write(&path).unwrap();
        assert_eq!(GridInfo::read(&path, 3).unwrap(), grid());
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
    fn a_grid_that_is_of_no_use_says_why() {
        let coupled = |one: usize, other: usize| {
            let diagonal = (0..3).map(|row| (row, row, 1.0));
            CsrMatrix::from_triplets(3, diagonal.chain([(one, other, -0.5), (other, one, -0.5)])).unwrap()
        };
        let in_order = GridInfo { cells: vec![0, 1, 4], ..grid() };
        assert_eq!(in_order.misfit(&coupled(0, 1)), None);
        assert_eq!(in_order.misfit(&coupled(0, 2)), Some(GridMisfit::Coupling { row: 0, column: 2 }));
        assert_eq!(grid().misfit(&coupled(0, 1)), Some(GridMisfit::RowOrder { row: 0, next: 1 }));
        let huge = GridInfo { shape: vec![1 << 20, 1 << 20], ..in_order };
        assert_eq!(huge.misfit(&coupled(0, 1)), Some(GridMisfit::TooLarge));
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
