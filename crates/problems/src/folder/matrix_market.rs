//! Matrix Market files.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use unstick_mlcp::{CsrMatrix, MatrixError};

use super::lines::{Lines, fields, quote, whole_number};
use super::write_file;
use crate::error::FileError;

/// What our own files start with, and what a wrong file is compared to.
const BANNER: &str = "%%MatrixMarket matrix coordinate real symmetric";

/// The shortest entry, `1 1 1` and the end of its line: bounds how many a file can hold.
const SHORTEST_ENTRY: usize = 6;

/// Reads a square sparse matrix: `coordinate`, `real` or `integer`, `general` or `symmetric`.
///
/// A symmetric file, which holds the lower triangle, becomes the full matrix. Beyond what the
/// format asks, each place may be given once only, every number must be finite and there must be at
/// least as many entries as rows: a matrix with an empty row cannot be solved.
pub fn read_matrix(path: &Path) -> Result<CsrMatrix<'static>, FileError> {
    let bytes = fs::read(path).map_err(FileError::io(path))?;
    parse(&bytes, path)
}

/// Writes the lower triangle of a symmetric matrix, all of it or nothing.
///
/// Reading it back gives the same bits; where rounding has made the triangles differ, those of the
/// lower one. Refused: a matrix that is not symmetric up to rounding, or has a diagonal entry that
/// is not positive.
pub fn write_matrix(path: &Path, matrix: &CsrMatrix) -> Result<(), FileError> {
    matrix.check_symmetric_positive().map_err(unusable(path))?;
    let lower = |row: usize| matrix.row(row).take_while(move |&(column, _)| column <= row);
    let entries: usize = (0..matrix.rows()).map(|row| lower(row).count()).sum();
    write_file(path, |file| {
        writeln!(file, "{BANNER}")?;
        writeln!(file, "{0} {0} {entries}", matrix.rows())?;
        for row in 0..matrix.rows() {
            for (column, value) in lower(row) {
                writeln!(file, "{} {} {value:?}", row + 1, column + 1)?;
            }
        }
        Ok(())
    })
}

/// Reads the content of a file; `path` is for the errors only.
fn parse(bytes: &[u8], path: &Path) -> Result<CsrMatrix<'static>, FileError> {
    let mut lines = Lines::new(bytes, path);
    let header = Header::read(&mut lines)?;
    let entries = read_entries(&header, &mut lines)?;
    let is_mirrored = |&(row, column, _): &Entry| header.symmetric && row != column;
    let full = entries.iter().flat_map(|entry| {
        let (row, column, value) = (entry.0 as usize, entry.1 as usize, entry.2);
        [(row, column, value)].into_iter().chain(is_mirrored(entry).then_some((column, row, value)))
    });
    let matrix = CsrMatrix::from_triplets(header.rows, full).map_err(unusable(path));
    let expected = entries.len() + entries.iter().filter(|entry| is_mirrored(entry)).count();
    match matrix {
        Ok(matrix) if matrix.entries() == expected => Ok(matrix),
        // Values of one place were added up.
        matrix => repeated(&entries, bytes, path).map_or(matrix, Err),
    }
}

/// Row and column of a place, counted from 0, and its value.
type Entry = (u32, u32, f64);

struct Header {
    integers: bool,
    symmetric: bool,
    rows: usize,
    entries: usize,
}

impl Header {
    /// The banner and, after comments, the line of sizes.
    fn read(lines: &mut Lines) -> Result<Self, FileError> {
        let (integers, symmetric) = Self::read_banner(lines)?;
        let Some(line) = lines.next_data() else {
            return Err(lines.refuse("a line of sizes: rows, columns and entries", "the end of the file"));
        };
        let sizes = fields::<3>(line).map(|sizes| sizes.map(whole_number));
        let Some([Some(rows), Some(columns), Some(entries)]) = sizes else {
            return Err(lines.refuse("three numbers: rows, columns and entries", quote(line)));
        };
        if rows != columns {
            return Err(lines.refuse("a square matrix", format!("{rows} rows and {columns} columns")));
        }
        if rows.max(entries) > u64::from(u32::MAX) {
            return Err(lines.refuse(format!("at most {} rows and entries", u32::MAX), quote(line)));
        }
        if entries < rows {
            return Err(lines.refuse("at least one entry per row", format!("{rows} rows and {entries} entries")));
        }
        Ok(Self { integers, symmetric, rows: rows as usize, entries: entries as usize })
    }

    /// Whether values are integers and whether the matrix is symmetric. Case does not matter.
    fn read_banner(lines: &mut Lines) -> Result<(bool, bool), FileError> {
        let Some(line) = lines.next() else {
            return Err(lines.refuse(format!("the banner {BANNER:?}"), "an empty file"));
        };
        let Some([magic, object, format, kind, symmetry]) = fields(line) else {
            return Err(lines.refuse(format!("the banner {BANNER:?}"), quote(line)));
        };
        let is = |field: &[u8], name: &str| field.eq_ignore_ascii_case(name.as_bytes());
        if !is(magic, "%%MatrixMarket") || !is(object, "matrix") {
            return Err(lines.refuse(format!("the banner {BANNER:?}"), quote(line)));
        }
        if !is(format, "coordinate") {
            return Err(lines.refuse("the format \"coordinate\"", quote(format)));
        }
        if !is(kind, "real") && !is(kind, "integer") {
            return Err(lines.refuse("values that are \"real\" or \"integer\"", quote(kind)));
        }
        if !is(symmetry, "general") && !is(symmetry, "symmetric") {
            return Err(lines.refuse("a matrix that is \"general\" or \"symmetric\"", quote(symmetry)));
        }
        Ok((is(kind, "integer"), is(symmetry, "symmetric")))
    }
}

/// As many entries as the header promises, and nothing after them.
fn read_entries(header: &Header, lines: &mut Lines) -> Result<Vec<Entry>, FileError> {
    // A header may promise anything; the file cannot hold more than its length.
    let possible = lines.bytes_left() / SHORTEST_ENTRY + 1;
    let mut entries = Vec::with_capacity(header.entries.min(possible));
    while entries.len() < header.entries {
        let Some(line) = lines.next_data() else {
            let found = format!("the end of the file after {}", entries.len());
            return Err(lines.refuse(format!("{} entries", header.entries), found));
        };
        entries.push(read_entry(header, line, lines)?);
    }
    match lines.next_data() {
        None => Ok(entries),
        Some(line) => Err(lines.refuse(format!("the end of the file after {} entries", header.entries), quote(line))),
    }
}

fn read_entry(header: &Header, line: &[u8], lines: &Lines) -> Result<Entry, FileError> {
    let Some([row, column, value]) = fields(line) else {
        return Err(lines.refuse("a row, a column and a value", quote(line)));
    };
    let index = |what: &str, field: &[u8]| match whole_number(field) {
        Some(number) if 1 <= number && number <= header.rows as u64 => Ok(number as u32 - 1),
        _ => Err(lines.refuse(format!("a {what} from 1 to {}", header.rows), quote(field))),
    };
    let (row, column) = (index("row", row)?, index("column", column)?);
    if header.symmetric && column > row {
        let expected = "an entry on or below the diagonal of a symmetric matrix";
        return Err(lines.refuse(expected, quote(line)));
    }
    let number = read_value(header.integers, value);
    let expected = if header.integers { "an integer" } else { "a finite number" };
    let value = number.ok_or_else(|| lines.refuse(expected, quote(value)))?;
    Ok((row, column, value))
}

fn read_value(integer: bool, field: &[u8]) -> Option<f64> {
    let text = str::from_utf8(field).ok()?;
    if integer {
        return text.parse::<i64>().ok().map(|value| value as f64);
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Goes through the file once more for the first place that is given twice, and tells both lines.
fn repeated(entries: &[Entry], bytes: &[u8], path: &Path) -> Option<FileError> {
    let mut lines = Lines::new(bytes, path);
    lines.next(); // the banner
    lines.next_data(); // the sizes
    let mut first_lines = HashMap::with_capacity(entries.len());
    entries.iter().find_map(|&(row, column, _)| {
        lines.next_data();
        let first = first_lines.insert((row, column), lines.number())?;
        let found = format!("({}, {}) again after line {first}", row + 1, column + 1);
        Some(lines.refuse("every place once", found))
    })
}

fn unusable(path: &Path) -> impl FnOnce(MatrixError) -> FileError + '_ {
    |error| FileError::problem(path)(error.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<CsrMatrix<'static>, String> {
        parse(text.as_bytes(), Path::new("A.mtx")).map_err(|error| error.to_string())
    }

    fn refusal(text: &str) -> String {
        read(text).expect_err(text)
    }

    /// The refusal of a file whose banner, comment and sizes (three lines) are in order.
    fn refusal_of_entries(entries: &str) -> String {
        refusal(&format!("%%MatrixMarket matrix coordinate real symmetric\n% 3 x 3\n3 3 3\n{entries}"))
    }

    #[test]
    fn a_symmetric_file_becomes_the_full_matrix() {
        let text =
            "%%MatrixMarket matrix coordinate real symmetric\n%\n\n 2 2  3\n1 1 2\n\n% note\n2 1 -1e0\r\n2\t2 2.5";
        let expected = [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.5)];
        assert_eq!(read(text).unwrap(), CsrMatrix::from_triplets(2, expected).unwrap());
    }

    #[test]
    fn a_general_file_of_integers_may_come_in_any_order_and_case() {
        let text = "%%matrixmarket MATRIX Coordinate INTEGER General\n3 3 5\n1 3 5\n3 3 1\n1 1 4\n2 2 -7\n1 2 +6\n";
        let expected = [(0, 0, 4.0), (0, 1, 6.0), (0, 2, 5.0), (1, 1, -7.0), (2, 2, 1.0)];
        assert_eq!(read(text).unwrap(), CsrMatrix::from_triplets(3, expected).unwrap());
    }

    #[test]
    fn a_matrix_without_rows_is_one() {
        assert_eq!(read("%%MatrixMarket matrix coordinate real general\n0 0 0\n").unwrap().rows(), 0);
    }

    #[test]
    fn a_wrong_banner_is_refused() {
        let banner = format!("the banner {BANNER:?}");
        let values = "values that are \"real\" or \"integer\"";
        assert_eq!(refusal(""), format!("A.mtx:1: expected {banner}, found an empty file"));
        let vector = "%%MatrixMarket vector coordinate real general";
        let matrix = |rest: &str| format!("%%MatrixMarket matrix {rest}\n1 1 1\n1 1 1\n");
        for (text, expected, found) in [
            ("3 3 3\n".into(), &*banner, "3 3 3"),
            ("%%MatrixMarket matrix\n".into(), &banner, "%%MatrixMarket matrix"),
            (vector.into(), &banner, vector),
            (matrix("array real general"), "the format \"coordinate\"", "array"),
            (matrix("coordinate pattern general"), values, "pattern"),
            (matrix("coordinate complex general"), values, "complex"),
            (
                matrix("coordinate real skew-symmetric"),
                "a matrix that is \"general\" or \"symmetric\"",
                "skew-symmetric",
            ),
        ] {
            assert_eq!(refusal(&text), format!("A.mtx:1: expected {expected}, found {found:?}"));
        }
    }

    #[test]
    fn wrong_sizes_are_refused() {
        let none = "A.mtx:2: expected a line of sizes: rows, columns and entries, found the end of the file";
        assert_eq!(refusal(&format!("{BANNER}\n%\n")), none);
        let sizes = |line: &str| refusal(&format!("{BANNER}\n%\n{line}\n1 1 1\n"));
        let expected = "A.mtx:3: expected three numbers: rows, columns and entries, found";
        for line in ["3 3", "3 3 3 3", "3 3 x", "-3 3 3", "3.0 3 3"] {
            assert_eq!(sizes(line), format!("{expected} {line:?}"));
        }
        assert_eq!(sizes("3 4 3"), "A.mtx:3: expected a square matrix, found 3 rows and 4 columns");
        assert_eq!(sizes("3 3 2"), "A.mtx:3: expected at least one entry per row, found 3 rows and 2 entries");
    }

    #[test]
    fn hostile_sizes_cost_nothing() {
        let sizes = |line: &str| refusal(&format!("{BANNER}\n{line}\n1 1 1\n"));
        let expected = "A.mtx:2: expected at most 4294967295 rows and entries, found";
        for line in ["4294967296 4294967296 4294967296", "1 1 1000000000000000000"] {
            assert_eq!(sizes(line), format!("{expected} {line:?}"));
        }
        assert_eq!(
            sizes("4294967295 4294967295 4294967295"),
            "A.mtx:3: expected 4294967295 entries, found the end of the file after 1"
        );
    }

    #[test]
    fn a_wrong_entry_is_refused_with_its_line() {
        let cases = [
            ("3 4", "a row, a column and a value", "3 4"),
            ("2 2 1 0", "a row, a column and a value", "2 2 1 0"),
            ("0 1 1", "a row from 1 to 3", "0"),
            ("4 1 1", "a row from 1 to 3", "4"),
            ("2 -1 1", "a column from 1 to 3", "-1"),
            ("1 2 1", "an entry on or below the diagonal of a symmetric matrix", "1 2 1"),
        ];
        let values = ["x", "NaN", "inf", "-infinity", "1e999", "1,5"].map(|value| (format!("2 2 {value}"), value));
        let values = values.iter().map(|(line, value)| (line.as_str(), "a finite number", *value));
        for (line, expected, found) in cases.into_iter().chain(values) {
            let refusal = refusal_of_entries(&format!("1 1 1\n{line}\n3 3 1\n"));
            assert_eq!(refusal, format!("A.mtx:5: expected {expected}, found {found:?}"));
        }
        let integers = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n";
        assert_eq!(refusal(integers), "A.mtx:3: expected an integer, found \"1.5\"");
    }

    #[test]
    fn a_repeated_place_is_refused_with_both_lines() {
        let symmetric = refusal_of_entries("2 2 1\n2 1 1\n%\n2 1 1\n");
        assert_eq!(symmetric, "A.mtx:7: expected every place once, found (2, 1) again after line 5");
        let general = "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 2 1\n2 1 1\n1 1 1\n1 2 3\n";
        assert_eq!(refusal(general), "A.mtx:6: expected every place once, found (1, 2) again after line 3");
    }

    #[test]
    fn too_few_and_too_many_entries_are_refused() {
        let short = refusal_of_entries("1 1 1\n2 2 1\n");
        assert_eq!(short, "A.mtx:5: expected 3 entries, found the end of the file after 2");
        let long = refusal_of_entries("1 1 1\n2 2 1\n3 3 1\n\n3 1 1\n");
        assert_eq!(long, "A.mtx:8: expected the end of the file after 3 entries, found \"3 1 1\"");
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_where_they_matter() {
        let latin = [BANNER.as_bytes(), b"\n% by Andr\xe9\n1 1 1\n1 1 "].concat();
        let good = parse(&[&latin[..], b"5"].concat(), Path::new("A.mtx"));
        assert_eq!(good.unwrap().values(), [5.0]);
        let message = parse(&[&latin[..], b"\xff"].concat(), Path::new("A.mtx")).unwrap_err().to_string();
        assert_eq!(message, "A.mtx:4: expected a finite number, found \"\u{fffd}\"");
    }

    #[test]
    fn an_asymmetric_matrix_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("A.mtx");
        let skew = CsrMatrix::from_triplets(2, [(0, 0, 1.0), (0, 1, -0.5), (1, 1, 1.0)]).unwrap();
        let message = write_matrix(&path, &skew).unwrap_err().to_string();
        assert!(message.ends_with("A.mtx: the matrix is not symmetric: entry (0, 1) is -0.5, entry (1, 0) is 0"));
        assert!(!path.exists());
    }

    #[test]
    fn what_is_written_is_the_lower_triangle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("A.mtx");
        let entries = [(0, 0, 0.1), (0, 1, -1e-300), (1, 0, -1e-300), (1, 1, 1.0)];
        let matrix = CsrMatrix::from_triplets(2, entries).unwrap();
        write_matrix(&path, &matrix).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, format!("{BANNER}\n2 2 3\n1 1 0.1\n2 1 -1e-300\n2 2 1.0\n"));
        assert_eq!(read_matrix(&path).unwrap(), matrix);
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = read_matrix(Path::new("no/such.mtx")).unwrap_err().to_string();
        assert_eq!(message, "no/such.mtx: No such file or directory (os error 2)");
    }
}
