//! The compact pressure matrix from its rows.

use std::sync::OnceLock;

use rayon::prelude::*;
use unstick_parallel::Chunks;

use super::lines::{Line, Lines};
use super::{INSIDE, PressureOperator, Stencil, Stretch};
use crate::csr::CsrMatrix;
use crate::lattice::Lattice;
use crate::operator::LinearOperator;

impl<const D: usize> PressureOperator<D> {
    /// Asks for every row once, from all threads.
    ///
    /// The matrix must be symmetric, and `towards` must vanish where the neighbour is no row.
    ///
    /// # Panics
    /// If the lattice has not D axes.
    pub fn from_stencils(lattice: Lattice, stencil: impl Fn(usize) -> Stencil<D> + Sync) -> Self {
        Self::with_unit(1.0, lattice, stencil)
    }

    /// The same for a matrix whose inner couplings are `unit`.
    fn with_unit(unit: f64, lattice: Lattice, stencil: impl Fn(usize) -> Stencil<D> + Sync) -> Self {
        assert_eq!(lattice.dimension(), D, "axes of the lattice and of the operator");
        let lines = lines_of(&lattice);
        let size = lattice.cells().len();
        let parts = lines.lines.par_chunks(LINES_OF_A_PART).map(|some| {
            let mut part = Part::default();
            some.iter().for_each(|line| part.add(unit, &lines, line, size, &stencil));
            part
        });
        let mut whole = Part { diagonal: Vec::with_capacity(size), ..Part::default() };
        parts.collect::<Vec<_>>().into_iter().for_each(|part| whole.append(part));
        let Part { diagonal, stretches, coefficients } = whole;
        let chunks = Chunks::new(0, stretches.iter().map(|stretch| stretch.length as usize));
        let (assembled, loose) = (OnceLock::new(), OnceLock::new());
        Self { lattice, unit, diagonal, lines, stretches, coefficients, chunks, assembled, loose }
    }

    /// The same matrix in compact form. It must couple face neighbours only
    /// ([`Lattice::couples_neighbours_only`]).
    ///
    /// # Panics
    /// If lattice and matrix do not fit each other.
    pub fn from_csr(lattice: Lattice, matrix: &CsrMatrix) -> Self {
        assert_eq!(lattice.cells().len(), matrix.rows(), "cells of the lattice and rows of the matrix");
        let strides: Vec<i64> = (0..D).map(|axis| lattice.shape()[..axis].iter().product::<usize>() as i64).collect();
        let cells = lattice.cells().to_vec();
        // Matrices come scaled by Δt/(ρ h²) and the like; most inner couplings are the largest ones.
        let largest = (0..matrix.rows()).flat_map(|row| matrix.row(row).filter(move |&(column, _)| column != row));
        let unit = largest.map(|(_, value)| -value).fold(0.0, f64::max);
        let unit = if unit > 0.0 { unit } else { 1.0 };
        Self::with_unit(unit, lattice, |row| {
            let mut towards = [[0.0; 2]; D];
            for (column, value) in matrix.row(row).filter(|&(column, value)| column != row && value != 0.0) {
                let step = cells[column] as i64 - cells[row] as i64;
                let axis = strides.iter().rposition(|&stride| step.abs() >= stride).unwrap_or(0);
                // In a grid that is one cell wide two strides are equal; the first axis has no neighbour there.
                towards[axis][(step > 0) as usize] = -value;
            }
            Stencil { diagonal: matrix.diagonal()[row], towards }
        })
    }

    /// The same, keeping the matrix for those who read its entries.
    ///
    /// # Panics
    /// If lattice and matrix do not fit each other.
    pub fn keeping(lattice: Lattice, matrix: CsrMatrix<'static>) -> Self {
        let operator = Self::from_csr(lattice, &matrix);
        Self { assembled: OnceLock::from(matrix), ..operator }
    }

    /// The assembled matrix.
    pub fn to_csr(&self) -> CsrMatrix<'static> {
        let size = self.diagonal.len();
        let (mut starts, mut columns, mut values) = (vec![0u32], Vec::new(), Vec::new());
        for stretch in &self.stretches {
            for row in stretch.first as usize..(stretch.first + stretch.length) as usize {
                let stencil = self.stencil(stretch, row as u32);
                let mut push = |column: i64, value: f64| {
                    columns.push(column as u32);
                    values.push(value);
                };
                let offset = |axis: usize, side: usize| match axis {
                    0 => 2 * side as i64 - 1,
                    _ => stretch.offsets[axis][side] as i64,
                };
                let sides = |side: usize| {
                    (0..D).map(move |axis| (axis, side)).filter(|&(axis, side)| stencil.towards[axis][side] != 0.0)
                };
                sides(0).rev().for_each(|(axis, side)| {
                    push(row as i64 + offset(axis, side), -stencil.towards[axis][side]);
                });
                push(row as i64, stencil.diagonal);
                sides(1).for_each(|(axis, side)| {
                    push(row as i64 + offset(axis, side), -stencil.towards[axis][side]);
                });
                starts.push(columns.len() as u32);
            }
        }
        debug_assert_eq!(starts.len(), size + 1);
        CsrMatrix::from_raw(starts, columns, values).expect("neighbours ascend with their offsets")
    }
}

/// Lines that one thread takes at a time.
const LINES_OF_A_PART: usize = 64;

/// The rows of some lines.
#[derive(Default)]
struct Part<const D: usize> {
    diagonal: Vec<f64>,
    stretches: Vec<Stretch<D>>,
    coefficients: Vec<f64>,
}

impl<const D: usize> Part<D> {
    /// Appends the rows of a line.
    fn add(&mut self, unit: f64, lines: &Lines, line: &Line, size: usize, stencil: &impl Fn(usize) -> Stencil<D>) {
        let mut cut = Vec::new();
        lines.stretches::<D>(line, size, |from, until, offsets| {
            let row_of = |place: u32| line.base + place - line.from;
            let mut first = row_of(from);
            let mut is_inside = true;
            for row in row_of(from)..row_of(until) {
                let stencil = stencil(row as usize);
                self.diagonal.push(stencil.diagonal);
                let was_inside = std::mem::replace(&mut is_inside, stencil.is_inside(unit));
                if row > first && was_inside != is_inside {
                    self.push(first, row - first, offsets, &mut cut);
                    first = row;
                }
                if !is_inside {
                    cut.push(stencil.towards);
                }
            }
            self.push(first, row_of(until) - first, offsets, &mut cut);
        });
    }

    /// Appends a stretch; its rows are inside unless `cut` holds their coefficients.
    fn push(&mut self, first: u32, length: u32, offsets: [[i32; 2]; D], cut: &mut Vec<[[f64; 2]; D]>) {
        let mut coefficients = INSIDE;
        if !cut.is_empty() {
            coefficients = self.coefficients.len() as u32;
            for axis in 0..D {
                for side in 0..2 {
                    self.coefficients.extend(cut.iter().map(|towards| towards[axis][side]));
                }
            }
            cut.clear();
        }
        self.stretches.push(Stretch { first, length, offsets, coefficients });
    }

    /// Appends the rows behind.
    fn append(&mut self, next: Self) {
        let before = self.coefficients.len() as u32;
        self.stretches.extend(next.stretches.into_iter().map(|stretch| match stretch.coefficients {
            INSIDE => stretch,
            at => Stretch { coefficients: before + at, ..stretch },
        }));
        self.diagonal.extend_from_slice(&next.diagonal);
        self.coefficients.extend_from_slice(&next.coefficients);
    }
}

/// The lines along the first axis.
fn lines_of(lattice: &Lattice) -> Lines {
    let nx = lattice.shape()[0] as u32;
    let mut lines: Vec<Line> = Vec::new();
    for (row, &cell) in lattice.cells().iter().enumerate() {
        let (column, place) = (cell / nx, cell % nx);
        match lines.last_mut() {
            Some(line) if line.column == column && line.end() == place => line.length += 1,
            _ => lines.push(Line { column, from: place, length: 1, base: row as u32 }),
        }
    }
    Lines::new([lattice.shape()[1], lattice.shape().get(2).copied().unwrap_or(1)], lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_problems::{Example, generate};

    fn equals_its_matrix<const D: usize>(example: Example, size: usize) {
        let generated = generate(example, D, size, 7);
        let operator = generated.operator::<D>();
        assert_eq!(operator.to_csr(), generated.matrix);
        let x: Vec<f64> = (0..generated.b.len()).map(|row| (row as f64 * 0.37).sin()).collect();
        let (mut compact, mut assembled) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let dot = operator.product(&x, &mut compact);
        let expected = generated.matrix.apply_dot(&x, &mut assembled);
        assert!((dot - expected).abs() < 1e-12 * expected);
        assert!(compact.iter().zip(&assembled).all(|(a, b)| (a - b).abs() < 1e-13 * 6.0));
    }

    #[test]
    fn the_compact_operator_is_the_assembled_matrix() {
        for example in Example::ALL {
            equals_its_matrix::<2>(example, 37);
            equals_its_matrix::<3>(example, 22);
        }
    }

    #[test]
    fn grids_one_cell_wide_and_single_cells_work() {
        for shape in [[1, 5], [5, 1], [1, 1]] {
            let cells: Vec<u32> = (0..5).take(shape[0] * shape[1]).collect();
            let size = cells.len();
            let matrix = CsrMatrix::from_rows(size, |row, entries| {
                entries.extend(row.checked_sub(1).map(|left| (left, -1.0)));
                entries.push((row, 3.0));
                entries.extend((row + 1 < size).then_some((row + 1, -1.0)));
            });
            let matrix = matrix.unwrap();
            let operator = PressureOperator::<2>::from_csr(Lattice::new(&shape, cells).unwrap(), &matrix);
            assert_eq!(operator.to_csr(), matrix);
            let (x, mut y) = (vec![1.0; size], vec![0.0; size]);
            operator.product(&x, &mut y);
            let mut expected = vec![0.0; size];
            matrix.apply(&x, &mut expected);
            assert_eq!(y, expected);
        }
    }
}
