//! The finest level: a system written out, in the order in which it is relaxed.

use super::sparse::{Sparse, SquareMatrix};
use crate::csr::CsrMatrix;
use crate::lattice::Lattice;
use crate::linear::Subsystem;
use crate::operator::LinearOperator;

/// The order of the rows inside a hierarchy.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// Row of the problem at each place.
    pub rows: Vec<u32>,
    /// Place of each row.
    pub places: Vec<u32>,
    /// Number of red rows, which come first, where rows are coloured.
    pub red: Option<usize>,
}

impl Order {
    /// Rows as they are.
    pub fn natural(size: usize) -> Self {
        let rows: Vec<u32> = (0..size as u32).collect();
        Self { places: rows.clone(), rows, red: None }
    }

    /// Red rows, then black ones, by the parity of their cells.
    pub fn red_black(lattice: &Lattice) -> Self {
        let size = lattice.cells().len();
        let is_red = |row: &u32| lattice.place(*row as usize).iter().sum::<usize>() % 2 == 0;
        let (mut rows, black): (Vec<u32>, Vec<u32>) = (0..size as u32).partition(is_red);
        let red = rows.len();
        rows.extend(black);
        let mut places = vec![0; size];
        rows.iter().enumerate().for_each(|(place, &row)| places[row as usize] = place as u32);
        Self { rows, places, red: Some(red) }
    }

    /// to[place] ← from[row].
    pub fn gather(&self, from: &[f64], to: &mut [f64]) {
        unstick_parallel::for_each((self.rows.as_slice(), to), |(rows, to)| {
            rows.iter().zip(to).for_each(|(&row, to)| *to = from[row as usize]);
        });
    }

    /// to[row] ← from[place].
    pub fn scatter(&self, from: &[f64], to: &mut [f64]) {
        unstick_parallel::for_each((self.places.as_slice(), to), |(places, to)| {
            places.iter().zip(to).for_each(|(&place, to)| *to = from[place as usize]);
        });
    }

    /// Zeros on the pattern of a matrix.
    pub fn pattern(&self, matrix: &CsrMatrix) -> SquareMatrix {
        let mut off = Sparse::new(matrix.rows());
        for &row in &self.rows {
            let row = row as usize;
            matrix.row(row).filter(|&(column, _)| column != row).for_each(|(column, _)| {
                off.push(self.places[column], 0.0);
            });
            off.end_row();
        }
        SquareMatrix::zeros(off)
    }

    /// Writes a system on the pattern of its matrix, zeros on pinned rows, with the weights of its
    /// rows. `changed` is set on rows whose part in a coarse matrix is another than before.
    pub fn write(
        &self,
        system: &Subsystem,
        matrix: &CsrMatrix,
        target: &mut SquareMatrix,
        weights: &mut [f64],
        changed: &mut [bool],
    ) {
        let mut has_new_weight = vec![false; weights.len()];
        for (place, &row) in self.rows.iter().enumerate() {
            let row = row as usize;
            let new = weight(system, matrix, row);
            has_new_weight[place] = new != weights[place];
            weights[place] = new;
            let mut next = target.off.range(place).start;
            let mut differs = false;
            let mut set = |old: &mut f64, new: f64| {
                differs |= *old != new;
                *old = new;
            };
            for (column, value) in matrix.row(row) {
                let is_kept = system.is_free(row) && system.is_free(column);
                let entry = if is_kept { system.entry(row, column, value) } else { 0.0 };
                if column == row {
                    set(&mut target.diagonal[place], entry);
                } else {
                    set(&mut target.off.values[next], entry);
                    next += 1;
                }
            }
            target.inverse[place] = if target.diagonal[place] > 0.0 { 1.0 / target.diagonal[place] } else { 0.0 };
            changed[place] = differs;
        }
        for place in 0..changed.len() {
            changed[place] |= has_new_weight[place]
                || target.off.columns[target.off.range(place)].iter().any(|&column| has_new_weight[column as usize]);
        }
    }
}

/// How much a row follows the coarse levels: D/(D² + Σ/A_ii), zero where it is pinned.
///
/// Coarse levels approximate q = D w, so that w = q/D; a row held by a spring of stiffness Σ/D² does
/// not follow, by 1/(1 + Σ/(D² A_ii)). Without diagonals this is one.
fn weight(system: &Subsystem, matrix: &CsrMatrix, row: usize) -> f64 {
    if !system.is_free(row) {
        return 0.0;
    }
    let shift = system.entry(row, row, 0.0);
    let squared_scale = (system.entry(row, row, 1.0) - shift).max(0.0);
    let total = squared_scale + shift / matrix.diagonal()[row];
    if total > 0.0 { squared_scale.sqrt() / total } else { 0.0 }
}
