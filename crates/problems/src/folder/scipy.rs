//! Sparse matrices as `scipy.sparse.save_npz` writes them.

use std::fs;
use std::path::Path;

use unstick_mlcp::{CsrMatrix, MatrixError};
use unstick_parallel as parallel;

use super::archive::Archive;
use super::array::{Mismatch, mismatch, parse, parse_indices, split};
use crate::error::FileError;

/// Reads a square matrix in compressed rows or columns; a symmetric matrix is the same in both. Entries of a row may be
/// in any order; those of one place are added up.
pub fn read_scipy_matrix(path: &Path) -> Result<CsrMatrix<'static>, FileError> {
    let bytes = fs::read(path).map_err(FileError::io(path))?;
    let parts = read(&bytes).map_err(|Mismatch { expected, found }| FileError::Data {
        path: path.to_owned(),
        expected,
        found,
    })?;
    parts.matrix().map_err(|error| FileError::problem(path)(error.into()))
}

struct Parts {
    rows: usize,
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

fn read(bytes: &[u8]) -> Result<Parts, Mismatch> {
    let archive = Archive::open(bytes)?;
    let format = archive.read("format.npy")?;
    let (_, format) = split(&format)?;
    // Older versions write text in four bytes a letter.
    let format: String = format.iter().filter(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect();
    if !matches!(format.as_str(), "csr" | "csc") {
        return Err(mismatch("a matrix in compressed rows: save A.tocsr()", format!("the format {format:?}")));
    }
    let shape = indices(&archive.read("shape.npy")?, "shape")?;
    let [rows, columns] = shape[..] else {
        return Err(mismatch("a shape of two numbers", format!("{} numbers", shape.len())));
    };
    if rows != columns {
        return Err(mismatch("a square matrix", format!("{rows} rows and {columns} columns")));
    }
    // Two long members, which may have to be unpacked.
    let (columns, values) =
        parallel::join(|| indices(&archive.read("indices.npy")?, "indices"), || parse(&archive.read("data.npy")?));
    let starts = indices(&archive.read("indptr.npy")?, "indptr")?;
    Ok(Parts { rows: rows as usize, starts, columns: columns?, values: values? })
}

/// Numbers from 0 to 2³² − 1.
fn indices(bytes: &[u8], what: &str) -> Result<Vec<u32>, Mismatch> {
    if let Some(indices) = parse_indices(bytes)? {
        return Ok(indices);
    }
    let as_index = |&number: &f64| {
        let index = number as u32;
        if f64::from(index) == number {
            Ok(index)
        } else {
            Err(mismatch(format!("whole numbers below 2³² in {what}"), number.to_string()))
        }
    };
    parse(bytes)?.iter().map(as_index).collect()
}

impl Parts {
    fn matrix(self) -> Result<CsrMatrix<'static>, MatrixError> {
        let Self { rows, starts, columns, values } = self;
        if starts.len() != rows + 1 {
            return Err(MatrixError::Layout { starts: starts.len(), columns: columns.len(), values: values.len() });
        }
        let is_ascending = |window: &[u32]| {
            let row = columns.get(window[0] as usize..window[1] as usize);
            row.is_none_or(|row| row.is_sorted_by(|one, next| one < next))
        };
        if columns.len() != values.len() || starts.windows(2).all(is_ascending) {
            return CsrMatrix::from_raw(starts, columns, values);
        }
        let entries = starts.windows(2).enumerate().flat_map(|(row, window)| {
            let range = window[0] as usize..(window[1] as usize).min(columns.len());
            range.map(move |place| (row, place))
        });
        CsrMatrix::from_triplets(rows, entries.map(|(row, place)| (row, columns[place] as usize, values[place])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by `scipy.sparse.save_npz` with and without compression: [[2, -1, 0], [-1, 2, -1], [0, -1, 2]].
    const COMPRESSED: &[u8] = include_bytes!("../../tests/data/line-compressed.npz");
    const STORED: &[u8] = include_bytes!("../../tests/data/line-stored.npz");

    fn read_bytes(bytes: &[u8]) -> Result<CsrMatrix<'static>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("A.npz");
        fs::write(&path, bytes).unwrap();
        let place = format!("{}: ", path.display());
        read_scipy_matrix(&path).map_err(|error| error.to_string().strip_prefix(&place).unwrap().to_string())
    }

    #[test]
    fn what_scipy_writes_is_read() {
        for bytes in [COMPRESSED, STORED] {
            let matrix = read_bytes(bytes).unwrap();
            assert_eq!(matrix.starts(), [0, 2, 5, 7]);
            assert_eq!(matrix.columns(), [0, 1, 0, 1, 2, 1, 2]);
            assert_eq!(matrix.values(), [2.0, -1.0, -1.0, 2.0, -1.0, -1.0, 2.0]);
        }
    }

    #[test]
    fn damaged_archives_are_refused() {
        assert!(read_bytes(b"").unwrap_err().contains("expected an archive of NumPy arrays (.npz)"));
        for bytes in [COMPRESSED, STORED] {
            for length in (0..bytes.len()).step_by(7) {
                assert!(read_bytes(&bytes[..length]).is_err(), "{length}");
            }
            for place in 0..bytes.len() {
                let mut damaged = bytes.to_vec();
                damaged[place] ^= 0x55;
                let _ = read_bytes(&damaged); // an error or another matrix, never a panic
            }
        }
    }

    #[test]
    fn rows_in_any_order_are_sorted_and_places_added_up() {
        let parts = Parts {
            rows: 2,
            starts: vec![0, 3, 5],
            columns: vec![1, 0, 0, 1, 0],
            values: vec![-1.0, 1.5, 0.5, 2.0, -1.0],
        };
        let matrix = parts.matrix().unwrap();
        assert_eq!((matrix.entry(0, 0), matrix.entry(0, 1), matrix.entry(1, 0)), (2.0, -1.0, -1.0));
    }
}
