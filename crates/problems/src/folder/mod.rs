//! Problem folders.

mod archive;
mod array;
mod lines;
mod matrix_market;
mod scipy;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use unstick_files::{AtomicFile, AtomicFolder};
use unstick_mlcp::CsrMatrix;

use array::write_mask;
pub use array::{read_array, write_array};
pub use matrix_market::{read_matrix, write_matrix};
pub use scipy::read_scipy_matrix;

use crate::error::FileError;
use crate::grid::GridInfo;
use crate::problem::{Problem, lower_bounds, wall_mask};

const MATRIX: &str = "A.mtx";
const SCIPY_MATRIX: &str = "A.npz";
const RIGHT_HAND_SIDE: &str = "b.npy";
const WALL: &str = "wall.npy";
const LOWER: &str = "lower.npy";
const START: &str = "x.npy";
const GRID: &str = "grid.json";

impl Problem {
    /// Reads a folder and checks that its files make a problem.
    ///
    /// Afterwards the matrix is symmetric with a positive diagonal, all arrays have its length, b
    /// and the start are finite, bounds are finite on wall rows and −∞ elsewhere, and every row has a
    /// cell of its own where there is a grid. Errors name the file and the line or row.
    pub fn read(folder: &Path) -> Result<Self, FileError> {
        let file = |name: &str| folder.join(name);
        // Tools keep a copy of A.mtx as A.npz beside it; the text is what people edit.
        let scipy = if file(MATRIX).exists() { None } else { optional(read_scipy_matrix(&file(SCIPY_MATRIX)))? };
        let (matrix, matrix_file) = match scipy {
            Some(matrix) => (matrix, SCIPY_MATRIX),
            None => (required(read_matrix(&file(MATRIX)))?, MATRIX),
        };
        let b = required(read_array(&file(RIGHT_HAND_SIDE)))?;
        let wall = required(read_array(&file(WALL)))?;
        let bounds = optional(read_array(&file(LOWER)))?;
        let start = optional(read_array(&file(START)))?;
        let grid = optional(GridInfo::read(&file(GRID), matrix.rows()))?;

        let walls = wall_mask(&wall, matrix.rows()).map_err(FileError::problem(&file(WALL)))?;
        let lower = lower_bounds(&walls, bounds).map_err(FileError::problem(&file(LOWER)))?;
        check(&matrix, matrix_file, grid.as_ref(), folder)?;
        let problem = match grid {
            Some(grid) => Self::on_grid(grid, matrix, b),
            None => Self::new(matrix, b),
        };
        let problem = problem.map_err(FileError::problem(&file(RIGHT_HAND_SIDE)))?;
        let problem = problem.with_lower(lower).map_err(FileError::problem(&file(LOWER)))?;
        match start {
            Some(start) => problem.with_start(start).map_err(FileError::problem(&file(START))),
            None => Ok(problem),
        }
    }

    /// Writes a new folder, all of it or nothing.
    ///
    /// Refused before anything is written: a problem that [`read`](Self::read) would refuse, and a
    /// folder that is there already, unless it is empty. `lower.npy` is left out where every wall
    /// has the bound zero.
    pub fn write(&self, folder: &Path) -> Result<(), FileError> {
        check(self.matrix(), MATRIX, self.grid(), folder)?;
        let (b, lower) = (self.mlcp().b(), self.mlcp().lower());
        let walls: Vec<bool> = lower.iter().map(|&bound| bound > f64::NEG_INFINITY).collect();
        let refused = |error: io::Error| match error.kind() {
            io::ErrorKind::DirectoryNotEmpty => FileError::Exists { path: folder.to_owned() },
            _ => FileError::io(folder)(error),
        };
        let new = AtomicFolder::create(folder).map_err(refused)?;
        let file = |name: &str| new.path().join(name);
        write_matrix(&file(MATRIX), self.matrix())?;
        write_array(&file(RIGHT_HAND_SIDE), b)?;
        write_mask(&file(WALL), &walls)?;
        if lower.iter().any(|bound| bound.is_finite() && *bound != 0.0) {
            write_array(&file(LOWER), lower)?;
        }
        if let Some(start) = self.start() {
            write_array(&file(START), start)?;
        }
        if let Some(grid) = self.grid() {
            grid.write(&file(GRID))?;
        }
        new.commit().map_err(refused)
    }
}

/// Writes a file, all of it or nothing.
pub(crate) fn write_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), FileError> {
    let write = || {
        let mut file = BufWriter::with_capacity(1 << 18, AtomicFile::create(path)?);
        fill(&mut file)?;
        file.into_inner()?.commit()
    };
    write().map_err(FileError::io(path))
}

/// What a folder promises beyond what a [`Problem`] always keeps to.
fn check(matrix: &CsrMatrix, file: &str, grid: Option<&GridInfo>, folder: &Path) -> Result<(), FileError> {
    let check = matrix.check_symmetric_positive();
    check.map_err(|error| FileError::problem(&folder.join(file))(error.into()))?;
    match grid {
        Some(grid) => grid.check(matrix.rows(), &folder.join(GRID)),
        None => Ok(()),
    }
}

/// Says what a problem folder is where a file is not found.
fn required<T>(read: Result<T, FileError>) -> Result<T, FileError> {
    read.map_err(|error| match error {
        FileError::Io { path, source } if source.kind() == io::ErrorKind::NotFound => {
            let explanation = format!(
                "no such file; a problem folder holds {MATRIX} or {SCIPY_MATRIX}, {RIGHT_HAND_SIDE} and {WALL}, \
                 and may hold {LOWER}, {START} and {GRID}"
            );
            FileError::Io { path, source: io::Error::new(io::ErrorKind::NotFound, explanation) }
        }
        error => error,
    })
}

fn optional<T>(read: Result<T, FileError>) -> Result<Option<T>, FileError> {
    match read {
        Err(FileError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    const B: [f64; 3] = [1.0, -2.0, 0.25];

    fn matrix() -> CsrMatrix<'static> {
        let row = |row: usize, entries: &mut Vec<(usize, f64)>| {
            let neighbours = row.saturating_sub(1)..(row + 2).min(3);
            entries.extend(neighbours.map(|column| (column, if row == column { 2.0 } else { -1.0 })));
        };
        CsrMatrix::from_rows(3, row).unwrap()
    }

    fn grid() -> GridInfo {
        GridInfo { shape: vec![2, 2], spacing: 0.5, origin: vec![0.0; 2], cells: vec![0, 1, 3] }
    }

    /// A line of three cells: a wall, an equation, a wall whose bound is 0.5.
    fn line() -> Problem {
        let problem = Problem::on_grid(grid(), matrix(), B.to_vec()).unwrap();
        problem.with_lower(vec![0.0, f64::NEG_INFINITY, 0.5]).unwrap().with_start(vec![0.0, 1.0, 0.5]).unwrap()
    }

    fn written(problem: &Problem) -> (TempDir, std::path::PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("problem");
        problem.write(&folder).unwrap();
        (parent, folder)
    }

    /// What reading says after one file of a good folder has been changed.
    fn refusal(change: impl FnOnce(&Path)) -> String {
        let (parent, folder) = written(&line());
        change(&folder);
        let message = Problem::read(&folder).unwrap_err().to_string();
        message.strip_prefix(parent.path().to_str().unwrap()).unwrap().to_owned()
    }

    fn refusal_of_array(name: &str, values: &[f64]) -> String {
        refusal(|folder| write_array(&folder.join(name), values).unwrap())
    }

    #[test]
    fn a_folder_comes_back_as_it_was_written() {
        let (_parent, folder) = written(&line());
        assert_eq!(Problem::read(&folder).unwrap(), line());
    }

    #[test]
    fn files_that_say_nothing_are_left_out() {
        let plain = Problem::new(matrix(), B.to_vec()).unwrap();
        let plain = plain.with_lower(vec![0.0, f64::NEG_INFINITY, 0.0]).unwrap();
        let (_parent, folder) = written(&plain);
        let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["A.mtx", "b.npy", "wall.npy"]);
        assert_eq!(Problem::read(&folder).unwrap(), plain);
    }

    #[test]
    fn a_missing_file_is_named_with_what_belongs_there() {
        let expected = "no such file; a problem folder holds A.mtx or A.npz, b.npy and wall.npy, \
                        and may hold lower.npy, x.npy and grid.json";
        for name in ["A.mtx", "b.npy", "wall.npy"] {
            let message = refusal(|folder| fs::remove_file(folder.join(name)).unwrap());
            assert_eq!(message, format!("/problem/{name}: {expected}"));
        }
        let message = Problem::read(Path::new("nowhere")).unwrap_err().to_string();
        assert_eq!(message, format!("nowhere/A.mtx: {expected}"));
    }

    #[test]
    fn arrays_of_the_wrong_length_are_refused() {
        let cases =
            [("b.npy", "b"), ("wall.npy", "the wall mask"), ("lower.npy", "the lower bound"), ("x.npy", "the iterate")];
        for (name, what) in cases {
            let expected = format!("/problem/{name}: {what} has 2 entries, the problem has 3 rows");
            assert_eq!(refusal_of_array(name, &[0.0; 2]), expected);
        }
    }

    #[test]
    fn values_that_make_no_sense_are_refused_with_their_row() {
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        let refused = |name: &str, what: &str, values: &[f64], expected: &str| {
            for value in values {
                let message = format!("/problem/{name}: {what} is {value} in row 2, expected {expected}");
                assert_eq!(refusal_of_array(name, &[0.0, 1.0, *value]), message);
            }
        };
        refused("b.npy", "b", &[nan, -infinity], "a finite number");
        refused("x.npy", "the iterate", &[infinity], "a finite number");
        refused("wall.npy", "the wall mask", &[2.0, -1.0, 0.5, nan], "0 or 1");
        refused("lower.npy", "the lower bound", &[-infinity, infinity, nan], "a finite number on a wall row");
    }

    #[test]
    fn bounds_of_equation_rows_are_ignored() {
        let (_parent, folder) = written(&line());
        write_array(&folder.join("lower.npy"), &[0.0, f64::NAN, 0.5]).unwrap();
        assert_eq!(Problem::read(&folder).unwrap(), line());
    }

    #[test]
    fn walls_may_be_numbers() {
        let (_parent, folder) = written(&line());
        write_array(&folder.join("wall.npy"), &[1.0, 0.0, 1.0]).unwrap();
        assert_eq!(Problem::read(&folder).unwrap(), line());
    }

    #[test]
    fn a_matrix_that_cannot_be_solved_is_refused() {
        let with_matrix = |text: &str| refusal(|folder| fs::write(folder.join("A.mtx"), text).unwrap());
        let general = "%%MatrixMarket matrix coordinate real general";
        assert_eq!(
            with_matrix(&format!("{general}\n3 3 4\n1 1 1\n2 2 1\n3 3 1\n1 2 -1\n")),
            "/problem/A.mtx: the matrix is not symmetric: entry (0, 1) is -1, entry (1, 0) is 0"
        );
        assert_eq!(
            with_matrix(&format!("{general}\n3 3 3\n1 1 1\n2 2 0\n3 3 1\n")),
            "/problem/A.mtx: the diagonal of row 1 is 0, expected a positive number"
        );
        assert_eq!(
            with_matrix(&format!("{general}\n3 3 3\n1 1 1\n2 2\n3 3 1\n")),
            "/problem/A.mtx:4: expected a row, a column and a value, found \"2 2\""
        );
    }

    #[test]
    fn a_grid_that_does_not_fit_is_refused() {
        let text = r#"{"shape": [2, 2], "spacing": 1, "origin": [0, 0], "cells": [0, 1]}"#;
        assert_eq!(
            refusal(|folder| fs::write(folder.join("grid.json"), text).unwrap()),
            "/problem/grid.json: expected a cell for each of 3 rows, found 2 cells"
        );
    }

    #[test]
    fn a_matrix_may_be_that_of_scipy_where_there_is_no_other() {
        let (_parent, folder) = written(&line());
        fs::write(folder.join("A.npz"), b"PK").unwrap();
        assert_eq!(Problem::read(&folder).unwrap(), line());
        fs::remove_file(folder.join("A.mtx")).unwrap();
        assert!(Problem::read(&folder).unwrap_err().to_string().contains("A.npz: expected an archive"));
        fs::write(folder.join("A.npz"), include_bytes!("../../tests/data/line-compressed.npz")).unwrap();
        assert_eq!(Problem::read(&folder).unwrap(), line());
    }

    #[test]
    fn cells_of_a_grid_may_be_left_out_or_be_an_array() {
        let (_parent, folder) = written(&line());
        let grid_with = |cells: &str| {
            let text = format!(r#"{{"shape": [2, 2], "spacing": 0.5, "origin": [0, 0]{cells}}}"#);
            fs::write(folder.join("grid.json"), text).unwrap();
        };
        grid_with(r#", "cells": "cells.npy""#);
        write_array(&folder.join("cells.npy"), &[0.0, 1.0, 3.0]).unwrap();
        assert_eq!(Problem::read(&folder).unwrap(), line());
        let refused = |end: &str| {
            let message = Problem::read(&folder).unwrap_err().to_string();
            assert!(message.ends_with(end), "{message}");
        };
        write_array(&folder.join("cells.npy"), &[0.0, 1.5, 3.0]).unwrap();
        refused("/cells.npy: expected whole numbers, found 1.5 in row 1");
        grid_with(r#", "cells": "../cells.npy""#);
        refused(
            "/grid.json: expected `cells` as a list or as the name of a .npy file beside it, found \"../cells.npy\"",
        );
        grid_with("");
        refused("/grid.json: expected `cells`, because the grid has 4 cells and the problem 3 rows, found none");
        let text = r#"{"shape": [3, 1], "spacing": 0.5, "origin": [0, 0]}"#;
        fs::write(folder.join("grid.json"), text).unwrap();
        assert_eq!(Problem::read(&folder).unwrap().grid().unwrap().cells, [0, 1, 2]);
    }

    #[test]
    fn a_folder_that_could_not_be_read_is_not_written() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("problem");
        let refusal = |problem: Problem| {
            let message = problem.write(&folder).unwrap_err().to_string();
            assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0, "{message}");
            message.strip_prefix(parent.path().to_str().unwrap()).unwrap().to_owned()
        };
        let nowhere = GridInfo { spacing: f64::NAN, ..grid() };
        assert_eq!(
            refusal(Problem::on_grid(nowhere, matrix(), B.to_vec()).unwrap()),
            "/problem/grid.json: expected a positive spacing, found NaN"
        );
        let skew = CsrMatrix::from_triplets(2, [(0, 0, 1.0), (0, 1, -0.5), (1, 1, 1.0)]).unwrap();
        assert_eq!(
            refusal(Problem::new(skew, vec![0.0; 2]).unwrap()),
            "/problem/A.mtx: the matrix is not symmetric: entry (0, 1) is -0.5, entry (1, 0) is 0"
        );
    }

    #[test]
    fn a_folder_with_content_is_not_replaced() {
        let (_parent, folder) = written(&line());
        let other = Problem::new(matrix(), vec![0.0; 3]).unwrap();
        assert!(matches!(other.write(&folder), Err(FileError::Exists { path }) if path == folder));
        assert_eq!(Problem::read(&folder).unwrap(), line());
    }
}
