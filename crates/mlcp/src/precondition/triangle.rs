//! Sparse triangles, and substitution with them.
//!
//! Substitution is sequential: each row waits for the one before. The loops below keep that chain
//! short (multiply and subtract; no division) so that memory is the limit, not latency.

/// A strictly triangular matrix, row by row.
#[derive(Debug, Default)]
pub(crate) struct Triangle {
    pub starts: Vec<u32>,
    pub columns: Vec<u32>,
    pub values: Vec<f64>,
}

impl Triangle {
    /// Removes all rows, keeps the memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.columns.clear();
        self.values.clear();
    }

    pub fn push(&mut self, column: usize, value: f64) {
        self.columns.push(column as u32);
        self.values.push(value);
    }

    pub fn end_row(&mut self) {
        self.starts.push(self.columns.len() as u32);
    }

    #[inline]
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }

    #[inline]
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.range(row);
        (&self.columns[range.clone()], &self.values[range])
    }

    /// y ← (I + L)⁻¹ r for a lower triangle L.
    pub fn forward(&self, r: &[f64], y: &mut [f64]) {
        for row in 0..r.len() {
            let (columns, values) = self.row(row);
            let mut value = r[row];
            for (&column, l) in columns.iter().zip(values) {
                value -= l * y[column as usize];
            }
            y[row] = value;
        }
    }

    /// z ← (I + U)⁻¹ (d ⊗ z) for an upper triangle U; returns rᵀ z.
    pub fn backward(&self, scale: &[f64], r: &[f64], z: &mut [f64]) -> f64 {
        let mut total = 0.0;
        for row in (0..z.len()).rev() {
            let (columns, values) = self.row(row);
            let mut value = z[row] * scale[row];
            for (&column, u) in columns.iter().zip(values).rev() {
                value -= u * z[column as usize];
            }
            z[row] = value;
            total += r[row] * value;
        }
        total
    }

    /// The transposed triangle, written over `into`.
    pub fn transpose(&self, into: &mut Triangle) {
        let rows = self.starts.len() - 1;
        into.clear();
        into.starts.resize(rows + 1, 0);
        for &column in &self.columns {
            into.starts[column as usize + 1] += 1;
        }
        for row in 0..rows {
            into.starts[row + 1] += into.starts[row];
        }
        into.columns.resize(self.columns.len(), 0);
        into.values.resize(self.values.len(), 0.0);
        for row in 0..rows {
            for place in self.range(row) {
                let cursor = &mut into.starts[self.columns[place] as usize];
                into.columns[*cursor as usize] = row as u32;
                into.values[*cursor as usize] = self.values[place];
                *cursor += 1;
            }
        }
        // Every cursor now stands where the next row starts: shift them back by one row.
        into.starts.copy_within(0..rows, 1);
        into.starts[0] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_twice_changes_nothing() {
        let mut lower = Triangle::default();
        lower.clear();
        lower.end_row();
        lower.push(0, 1.0);
        lower.end_row();
        lower.push(0, 2.0);
        lower.push(1, 3.0);
        lower.end_row();
        let (mut upper, mut again) = (Triangle::default(), Triangle::default());
        lower.transpose(&mut upper);
        assert_eq!(upper.row(0), (&[1, 2][..], &[1.0, 2.0][..]));
        upper.transpose(&mut again);
        assert_eq!((again.starts, again.columns, again.values), (lower.starts, lower.columns, lower.values));
    }
}
