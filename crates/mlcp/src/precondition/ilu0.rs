//! Incomplete LU factorisation without fill (`ilu0`), what [Lai2021, sec. 5.1] used.
//!
//! On a symmetric matrix it equals `ic0` up to rounding, at twice the set-up cost; it asks for no
//! symmetry.

use super::Preconditioner;
use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::multigrid::sparse::Sparse;

/// S ≈ (I + L)(D + U) on the pattern of S.
#[derive(Debug)]
pub struct IncompleteLu {
    lower: Sparse,
    upper: Sparse, // D⁻¹ U, so that both substitutions are free of divisions
    inverse_pivots: Vec<f64>,
}

impl Default for IncompleteLu {
    fn default() -> Self {
        Self { lower: Sparse::new(0), upper: Sparse::new(0), inverse_pivots: Vec::new() }
    }
}

/// A pivot below this part of its diagonal entry is replaced by that entry.
const SAFETY: f64 = 1e-3;

/// Marks a column that the current row does not hold.
const ABSENT: u32 = u32::MAX;

impl Preconditioner for IncompleteLu {
    fn rebuild(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        let matrix = system.assemble("ilu0")?;
        let mut values = matrix.values().to_vec();
        let mut place_of = vec![ABSENT; matrix.rows()];
        self.inverse_pivots.clear();
        self.lower.clear(matrix.rows());
        self.upper.clear(matrix.rows());
        for row in 0..matrix.rows() {
            let range = matrix.range(row);
            for place in range.clone() {
                place_of[matrix.columns()[place] as usize] = place as u32;
            }
            for place in range.clone() {
                let k = matrix.columns()[place] as usize;
                if k >= row {
                    break;
                }
                // Row k is finished: its pivot and D⁻¹U are stored.
                let remaining = values[place];
                for (column, u) in self.upper.row(k) {
                    let target = place_of[column];
                    if target != ABSENT {
                        values[target as usize] -= remaining * u;
                    }
                }
                self.lower.push(k as u32, remaining * self.inverse_pivots[k]);
            }
            let diagonal = system.diagonal(row);
            let mut pivot = values[place_of[row] as usize];
            if pivot < SAFETY * diagonal {
                pivot = diagonal;
            }
            self.inverse_pivots.push(1.0 / pivot);
            for place in range {
                let column = matrix.columns()[place] as usize;
                if column > row {
                    self.upper.push(column as u32, values[place] / pivot);
                }
                place_of[column] = ABSENT;
            }
            self.lower.end_row();
            self.upper.end_row();
        }
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
