//! From the entries of a file, in any order, to a matrix.

use unstick_mlcp::{CsrMatrix, MatrixError};

/// One place of the matrix, counted from 0, and its value.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) value: f64,
}

/// Sorts entries into rows by counting; `mirror` adds A_ji for every A_ij off the diagonal.
///
/// Places must lie within the matrix. One given twice is refused as
/// [`MatrixError::ColumnOrder`], at its first row.
pub(super) fn assemble(rows: usize, entries: &[Entry], mirror: bool) -> Result<CsrMatrix<'static>, MatrixError> {
    let mirrored = |entry: &Entry| mirror && entry.row != entry.column;
    let total = entries.len() + entries.iter().filter(|entry| mirrored(entry)).count();
    if total > u32::MAX as usize {
        return Err(MatrixError::TooLarge { rows, entries: total });
    }
    let mut starts = vec![0u32; rows + 1];
    for entry in entries {
        starts[entry.row as usize + 1] += 1;
        starts[entry.column as usize + 1] += u32::from(mirrored(entry));
    }
    for row in 0..rows {
        starts[row + 1] += starts[row];
    }

    let (mut columns, mut values) = (vec![0u32; total], vec![0.0; total]);
    let mut next = starts.clone();
    let mut put = |row: u32, column: u32, value: f64| {
        let place = &mut next[row as usize];
        columns[*place as usize] = column;
        values[*place as usize] = value;
        *place += 1;
    };
    for entry in entries {
        put(entry.row, entry.column, entry.value);
        if mirrored(entry) {
            put(entry.column, entry.row, entry.value);
        }
    }
    sort_columns(&starts, &mut columns, &mut values);
    CsrMatrix::from_raw(starts, columns, values)
}

/// Sorts the rows that need it: none, if the entries came row by row or column by column.
fn sort_columns(starts: &[u32], columns: &mut [u32], values: &mut [f64]) {
    let mut sorted = Vec::new();
    for ends in starts.windows(2) {
        let row = ends[0] as usize..ends[1] as usize;
        let (columns, values) = (&mut columns[row.clone()], &mut values[row]);
        if columns.is_sorted() {
            continue;
        }
        sorted.clear();
        sorted.extend(columns.iter().copied().zip(values.iter().copied()));
        sorted.sort_unstable_by_key(|&(column, _)| column);
        for (place, &(column, value)) in sorted.iter().enumerate() {
            (columns[place], values[place]) = (column, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(triplets: &[(u32, u32, f64)]) -> Vec<Entry> {
        triplets.iter().map(|&(row, column, value)| Entry { row, column, value }).collect()
    }

    #[test]
    fn the_order_of_entries_makes_no_difference() {
        let mut triplets = [(0, 0, 1.0), (1, 0, 2.0), (1, 1, 3.0), (2, 0, 4.0), (2, 2, 5.0)];
        let by_rows = assemble(3, &entries(&triplets), true).unwrap();
        assert_eq!(by_rows.columns(), [0, 1, 2, 0, 1, 0, 2]);
        assert_eq!(by_rows.values(), [1.0, 2.0, 4.0, 2.0, 3.0, 4.0, 5.0]);
        triplets.reverse();
        assert_eq!(assemble(3, &entries(&triplets), true).unwrap(), by_rows);
    }

    #[test]
    fn a_place_given_twice_is_refused() {
        let twice = entries(&[(1, 0, 1.0), (0, 0, 1.0), (1, 0, 1.0)]);
        assert_eq!(assemble(2, &twice, true), Err(MatrixError::ColumnOrder { row: 0, column: 1 }));
        assert_eq!(assemble(2, &twice, false), Err(MatrixError::ColumnOrder { row: 1, column: 0 }));
    }
}
