//! A problem as a folder of files.

use std::io;
use std::path::Path;

use super::array::{read_array, write_array, write_mask};
use super::atomic;
use super::grid::GridInfo;
use super::matrix_market::{read_matrix, write_matrix};
use crate::csr::CsrMatrix;
use crate::error::{FileError, ProblemError};
use crate::problem::Mlcp;

const MATRIX: &str = "A.mtx";
const RIGHT_HAND_SIDE: &str = "b.npy";
const WALL: &str = "wall.npy";
const LOWER: &str = "lower.npy";
const ITERATE: &str = "x.npy";
const GRID: &str = "grid.json";

/// A problem as a folder of files; [`io`](crate::io) says which.
///
/// ```
/// use unstick_mlcp::CsrMatrix;
/// use unstick_mlcp::io::ProblemFolder;
///
/// let matrix = CsrMatrix::from_triplets(2, [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)])?;
/// let lower = vec![0.0, f64::NEG_INFINITY]; // a wall and an equation
/// let written = ProblemFolder { matrix, b: vec![2.0, -1.0], lower, x: None, grid: None };
///
/// let parent = tempfile::tempdir()?;
/// let folder = parent.path().join("problem");
/// written.write(&folder)?;
/// let read = ProblemFolder::read(&folder)?;
/// assert_eq!(read, written);
/// assert_eq!(read.problem()?.wall_rows(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ProblemFolder {
    /// `A.mtx`.
    pub matrix: CsrMatrix<'static>,
    /// `b.npy`.
    pub b: Vec<f64>,
    /// `wall.npy` and `lower.npy` together: −∞ on equation rows.
    pub lower: Vec<f64>,
    /// `x.npy`: a starting iterate or a known answer.
    pub x: Option<Vec<f64>>,
    /// `grid.json`.
    pub grid: Option<GridInfo>,
}

impl ProblemFolder {
    /// Reads a folder and checks that its files make a problem.
    ///
    /// Afterwards the matrix is symmetric with a positive diagonal, all arrays have its length, b
    /// and x are finite, bounds are finite on wall rows and −∞ elsewhere, and every row has a cell
    /// of its own where there is a grid. Errors name the file and the line or row.
    pub fn read(folder: &Path) -> Result<Self, FileError> {
        let matrix = required(read_matrix(&folder.join(MATRIX)))?;
        let b = required(read_array(&folder.join(RIGHT_HAND_SIDE)))?;
        let wall = required(read_array(&folder.join(WALL)))?;
        let bounds = optional(read_array(&folder.join(LOWER)))?;
        let x = optional(read_array(&folder.join(ITERATE)))?;
        let grid = optional(GridInfo::read(&folder.join(GRID)))?;

        let walls = walls(&wall, matrix.rows()).map_err(in_file(folder, WALL))?;
        let lower = lower(&walls, bounds).map_err(in_file(folder, LOWER))?;
        let problem = Self { matrix, b, lower, x, grid };
        problem.check(folder)?;
        Ok(problem)
    }

    /// Writes a new folder, all of it or nothing.
    ///
    /// Refused before anything is written: a problem that [`read`](Self::read) would refuse, and a
    /// folder that is there already, unless it is empty. `lower.npy` is left out where every wall
    /// has the bound zero.
    pub fn write(&self, folder: &Path) -> Result<(), FileError> {
        self.check(folder)?;
        atomic::write_new_folder(folder, |folder| {
            let walls: Vec<bool> = self.lower.iter().map(|&bound| bound > f64::NEG_INFINITY).collect();
            write_matrix(&folder.join(MATRIX), &self.matrix)?;
            write_array(&folder.join(RIGHT_HAND_SIDE), &self.b)?;
            write_mask(&folder.join(WALL), &walls)?;
            if self.lower.iter().any(|bound| bound.is_finite() && *bound != 0.0) {
                write_array(&folder.join(LOWER), &self.lower)?;
            }
            if let Some(x) = &self.x {
                write_array(&folder.join(ITERATE), x)?;
            }
            match &self.grid {
                Some(grid) => grid.write(&folder.join(GRID)),
                None => Ok(()),
            }
        })
    }

    /// The problem, borrowing from the folder. On a grid its operator is a [`PressureOperator`](crate::PressureOperator).
    pub fn problem(&self) -> Result<Mlcp<'_>, ProblemError> {
        problem_on(self.grid.as_ref(), &self.matrix, &self.b)?.with_lower(&self.lower)
    }

    /// All that [`read`](Self::read) promises, with the file to blame.
    fn check(&self, folder: &Path) -> Result<(), FileError> {
        self.matrix.check_symmetric_positive().map_err(|error| in_file(folder, MATRIX)(error.into()))?;
        let problem = Mlcp::new(&self.matrix, &self.b).map_err(in_file(folder, RIGHT_HAND_SIDE))?;
        let problem = problem.with_lower(&self.lower).map_err(in_file(folder, LOWER))?;
        if let Some(x) = &self.x {
            problem.check_iterate(x).map_err(in_file(folder, ITERATE))?;
        }
        match &self.grid {
            Some(grid) => grid.check(self.matrix.rows(), &folder.join(GRID)),
            None => Ok(()),
        }
    }
}

/// A problem of equations, which makes use of a grid where there is one that explains the matrix.
pub fn problem_on<'a>(
    grid: Option<&GridInfo>,
    matrix: &'a CsrMatrix<'a>,
    b: &'a [f64],
) -> Result<Mlcp<'a>, ProblemError> {
    let lattice = grid.and_then(GridInfo::lattice);
    match lattice.filter(|lattice| lattice.couples_neighbours_only(matrix)) {
        Some(lattice) => Mlcp::on_lattice(lattice, matrix, b),
        None => Mlcp::new(matrix, b),
    }
}

/// Which rows are walls, from zeros and ones.
pub fn walls(wall: &[f64], rows: usize) -> Result<Vec<bool>, ProblemError> {
    let what = "the wall mask";
    if wall.len() != rows {
        return Err(ProblemError::Length { what, expected: rows, found: wall.len() });
    }
    let as_bool = |(row, &value): (usize, &f64)| match value {
        0.0 => Ok(false),
        1.0 => Ok(true),
        value => Err(ProblemError::Value { what, row, value, expected: "0 or 1" }),
    };
    wall.iter().enumerate().map(as_bool).collect()
}

/// The bound of every row: zero or what is given on walls, −∞ on equation rows whatever is given for those.
pub fn lower(walls: &[bool], bounds: Option<Vec<f64>>) -> Result<Vec<f64>, ProblemError> {
    let what = "the lower bound";
    let mut lower = bounds.unwrap_or_else(|| vec![0.0; walls.len()]);
    if lower.len() != walls.len() {
        return Err(ProblemError::Length { what, expected: walls.len(), found: lower.len() });
    }
    for (row, (bound, &wall)) in lower.iter_mut().zip(walls).enumerate() {
        if !wall {
            *bound = f64::NEG_INFINITY;
        } else if !bound.is_finite() {
            return Err(ProblemError::Value { what, row, value: *bound, expected: "a finite number on a wall row" });
        }
    }
    Ok(lower)
}

fn in_file(folder: &Path, name: &str) -> impl FnOnce(ProblemError) -> FileError {
    let path = folder.join(name);
    move |source| FileError::Problem { path, source }
}

/// Says what a problem folder is where a file is not found.
fn required<T>(read: Result<T, FileError>) -> Result<T, FileError> {
    read.map_err(|error| match error {
        FileError::Io { path, source } if source.kind() == io::ErrorKind::NotFound => {
            let explanation = format!(
                "no such file; a problem folder holds {MATRIX}, {RIGHT_HAND_SIDE} and {WALL}, \
                 and may hold {LOWER}, {ITERATE} and {GRID}"
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

    /// A line of three cells: a wall, an equation, a wall whose bound is 0.5.
    fn line() -> ProblemFolder {
        let matrix = CsrMatrix::from_rows(3, |row, entries| {
            for column in row.saturating_sub(1)..(row + 2).min(3) {
                entries.push((column, if row == column { 2.0 } else { -1.0 }));
            }
        });
        let grid = GridInfo { shape: vec![2, 2], spacing: 0.5, origin: vec![0.0; 2], cells: vec![0, 1, 3] };
        ProblemFolder {
            matrix: matrix.unwrap(),
            b: vec![1.0, -2.0, 0.25],
            lower: vec![0.0, f64::NEG_INFINITY, 0.5],
            x: Some(vec![0.0, 1.0, 0.5]),
            grid: Some(grid),
        }
    }

    fn written(problem: &ProblemFolder) -> (TempDir, std::path::PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("problem");
        problem.write(&folder).unwrap();
        (parent, folder)
    }

    /// What reading says after one file of a good folder has been changed.
    fn refusal(change: impl FnOnce(&Path)) -> String {
        let (parent, folder) = written(&line());
        change(&folder);
        let message = ProblemFolder::read(&folder).unwrap_err().to_string();
        message.strip_prefix(parent.path().to_str().unwrap()).unwrap().to_owned()
    }

    fn refusal_of_array(name: &str, values: &[f64]) -> String {
        refusal(|folder| write_array(&folder.join(name), values).unwrap())
    }

    #[test]
    fn a_folder_comes_back_as_it_was_written() {
        let (_parent, folder) = written(&line());
        assert_eq!(ProblemFolder::read(&folder).unwrap(), line());
    }

    #[test]
    fn files_that_say_nothing_are_left_out() {
        let plain = ProblemFolder { lower: vec![0.0, f64::NEG_INFINITY, 0.0], x: None, grid: None, ..line() };
        let (_parent, folder) = written(&plain);
        let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["A.mtx", "b.npy", "wall.npy"]);
        assert_eq!(ProblemFolder::read(&folder).unwrap(), plain);
    }

    #[test]
    fn a_missing_file_is_named_with_what_belongs_there() {
        let expected = "no such file; a problem folder holds A.mtx, b.npy and wall.npy, \
                        and may hold lower.npy, x.npy and grid.json";
        for name in ["A.mtx", "b.npy", "wall.npy"] {
            let message = refusal(|folder| fs::remove_file(folder.join(name)).unwrap());
            assert_eq!(message, format!("/problem/{name}: {expected}"));
        }
        let message = ProblemFolder::read(Path::new("nowhere")).unwrap_err().to_string();
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
        assert_eq!(
            refusal_of_array("b.npy", &[0.0, f64::NAN, 0.0]),
            "/problem/b.npy: b is NaN in row 1, expected a finite number"
        );
        assert_eq!(
            refusal_of_array("x.npy", &[0.0, 0.0, f64::INFINITY]),
            "/problem/x.npy: the iterate is inf in row 2, expected a finite number"
        );
        for (value, text) in [(2.0, "2"), (-1.0, "-1"), (0.5, "0.5"), (f64::NAN, "NaN")] {
            assert_eq!(
                refusal_of_array("wall.npy", &[0.0, 1.0, value]),
                format!("/problem/wall.npy: the wall mask is {text} in row 2, expected 0 or 1")
            );
        }
        for (value, text) in [(f64::NEG_INFINITY, "-inf"), (f64::INFINITY, "inf"), (f64::NAN, "NaN")] {
            assert_eq!(
                refusal_of_array("lower.npy", &[0.0, 0.0, value]),
                format!(
                    "/problem/lower.npy: the lower bound is {text} in row 2, expected a finite number on a wall row"
                )
            );
        }
    }

    #[test]
    fn bounds_of_equation_rows_are_ignored() {
        let (_parent, folder) = written(&line());
        write_array(&folder.join("lower.npy"), &[0.0, f64::NAN, 0.5]).unwrap();
        assert_eq!(ProblemFolder::read(&folder).unwrap(), line());
    }

    #[test]
    fn walls_may_be_numbers() {
        let (_parent, folder) = written(&line());
        write_array(&folder.join("wall.npy"), &[1.0, 0.0, 1.0]).unwrap();
        assert_eq!(ProblemFolder::read(&folder).unwrap(), line());
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
    fn a_folder_that_could_not_be_read_is_not_written() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("problem");
        let refusal = |problem: ProblemFolder| {
            let message = problem.write(&folder).unwrap_err().to_string();
            assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0, "{message}");
            message.strip_prefix(parent.path().to_str().unwrap()).unwrap().to_owned()
        };
        assert_eq!(
            refusal(ProblemFolder { b: vec![0.0], ..line() }),
            "/problem/b.npy: b has 1 entries, the problem has 3 rows"
        );
        assert_eq!(
            refusal(ProblemFolder { lower: vec![f64::INFINITY; 3], ..line() }),
            "/problem/lower.npy: the lower bound is inf in row 0, expected a finite number, or -inf on equation rows"
        );
        assert_eq!(
            refusal(ProblemFolder { grid: Some(GridInfo { spacing: f64::NAN, ..line().grid.unwrap() }), ..line() }),
            "/problem/grid.json: expected a positive spacing, found NaN"
        );
    }

    #[test]
    fn a_folder_with_content_is_not_replaced() {
        let (_parent, folder) = written(&line());
        let other = ProblemFolder { b: vec![0.0; 3], ..line() };
        assert!(matches!(other.write(&folder), Err(FileError::Exists { path }) if path == folder));
        assert_eq!(ProblemFolder::read(&folder).unwrap(), line());
    }
}
