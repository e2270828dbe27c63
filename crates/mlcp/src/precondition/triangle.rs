//! Substitution with strictly triangular matrices.
//!
//! It is sequential: each row waits for the one before. The loops below keep that chain short (multiply and
//! subtract; no division) so that memory is the limit, not latency.

use crate::multigrid::sparse::Sparse;

impl Sparse {
    /// y ← (I + L)⁻¹ r for a lower triangle L.
    pub fn forward(&self, r: &[f64], y: &mut [f64]) {
        for row in 0..r.len() {
            let mut value = r[row];
            for (column, l) in self.row(row) {
                value -= l * y[column];
            }
            y[row] = value;
        }
    }

    /// z ← (I + U)⁻¹ (d ⊗ z) for an upper triangle U; returns rᵀ z.
    pub fn backward(&self, scale: &[f64], r: &[f64], z: &mut [f64]) -> f64 {
        let mut total = 0.0;
        for row in (0..z.len()).rev() {
            let mut value = z[row] * scale[row];
            for (column, u) in self.row(row).rev() {
                value -= u * z[column];
            }
            z[row] = value;
            total += r[row] * value;
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_twice_changes_nothing() {
        let mut lower = Sparse::new(3);
        lower.end_row();
        lower.push(0, 1.0);
        lower.end_row();
        lower.push(0, 2.0);
        lower.push(1, 3.0);
        lower.end_row();
        let (mut upper, mut again) = (Sparse::new(9), Sparse::new(0));
        lower.transpose(&mut upper);
        assert_eq!(upper.row(0).collect::<Vec<_>>(), [(1, 1.0), (2, 2.0)]);
        upper.transpose(&mut again);
        assert_eq!(format!("{again:?}"), format!("{lower:?}"));
    }
}
