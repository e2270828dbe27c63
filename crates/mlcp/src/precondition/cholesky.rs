//! Incomplete Cholesky factorisation without fill (`ic0`) and its modified form (`mic0`).
//!
//! S ≈ (I + L) D (I + L)ᵀ with L on the pattern of S. What elimination would add outside the
//! pattern is dropped (`ic0`) or moved to the diagonal with weight τ (`mic0`), which preserves row
//! sums and with them smooth functions: iterations grow with the square root of what they were.

use super::Preconditioner;
use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::multigrid::sparse::Sparse;
use crate::parameter::parameters;

parameters! {
    /// Parameters of `ic0`.
    pub struct Ic0Params {
        /// A pivot below this part of the diagonal is replaced by the diagonal.
        safety: f64 = 0.25, 0.0..=1.0;
    }
}

parameters! {
    /// Parameters of `mic0`.
    pub struct Mic0Params {
        /// Part of the dropped fill that goes to the diagonal. The default is the usual value of fluid codes; 1 can
        /// make pivots vanish.
        tuning: f64 = 0.97, 0.0..=1.0;
        /// A pivot below this part of the diagonal is replaced by the diagonal.
        safety: f64 = 0.25, 0.0..=1.0;
    }
}

/// The factors, kept from rebuild to rebuild.
#[derive(Debug)]
pub struct IncompleteCholesky {
    params: Mic0Params,
    part: &'static str,
    lower: Sparse,
    upper: Sparse,
    inverse_pivots: Vec<f64>,
}

impl IncompleteCholesky {
    /// `ic0`: the modified form with nothing moved to the diagonal.
    pub fn plain(params: Ic0Params) -> Self {
        Self::named("ic0", Mic0Params { tuning: 0.0, safety: params.safety })
    }

    /// `mic0`.
    pub fn modified(params: Mic0Params) -> Self {
        Self::named("mic0", params)
    }

    fn named(part: &'static str, params: Mic0Params) -> Self {
        Self { params, part, lower: Sparse::new(0), upper: Sparse::new(0), inverse_pivots: Vec::new() }
    }

    /// Entries of both triangles: what one application reads.
    pub fn entries(&self) -> usize {
        self.lower.columns.len() + self.upper.columns.len()
    }

    /// Eliminates row by row. `upper` holds the remaining entries of S right of the diagonal and
    /// ends as Lᵀ; `inverse_pivots` holds the remaining diagonal and ends as D⁻¹.
    fn eliminate(&mut self, system: &Subsystem) {
        let Self { upper, inverse_pivots: pivots, params: Mic0Params { tuning, safety }, .. } = self;
        for row in 0..system.size() {
            let full = system.diagonal(row);
            let pivot = if pivots[row] < *safety * full { full } else { pivots[row] };
            pivots[row] = 1.0 / pivot;
            for first in upper.range(row) {
                let i = upper.columns[first] as usize;
                let factor = upper.values[first] / pivot; // L_i,row
                pivots[i] -= factor * upper.values[first];
                for second in first + 1..upper.range(row).end {
                    let j = upper.columns[second] as usize;
                    let fill = factor * upper.values[second];
                    let range = upper.range(i);
                    match upper.columns[range.clone()].binary_search(&(j as u32)) {
                        Ok(place) => upper.values[range.start + place] -= fill,
                        Err(_) => {
                            pivots[i] -= *tuning * fill;
                            pivots[j] -= *tuning * fill;
                        }
                    }
                }
            }
            for place in upper.range(row) {
                upper.values[place] /= pivot;
            }
        }
    }
}

impl Preconditioner for IncompleteCholesky {
    fn rebuild(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        let matrix = system.matrix(self.part)?;
        self.upper.clear(system.size());
        self.inverse_pivots.clear();
        for row in 0..system.size() {
            if system.is_free(row) {
                for (column, value) in matrix.row(row) {
                    if column > row && system.is_free(column) {
                        self.upper.push(column as u32, system.entry(row, column, value));
                    }
                }
            }
            self.upper.end_row();
            self.inverse_pivots.push(system.diagonal(row));
        }
        self.eliminate(system);
        self.upper.transpose(&mut self.lower);
        Ok(())
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        self.apply_dot(r, z);
    }

    fn apply_dot(&mut self, r: &[f64], z: &mut [f64]) -> f64 {
        self.lower.forward(r, z);
        self.upper.backward(&self.inverse_pivots, r, z)
    }
}
