//! The compact pressure matrix from its rows.

use std::sync::{Arc, OnceLock};

use unstick_parallel::binary::{shift_all, shifted};
use unstick_parallel::{self as parallel, Chunks};

use super::lines::{Frame, Line, Lines};
use super::{INSIDE, PressureOperator, Shared, Stencil, Stretch};
use crate::csr::CsrMatrix;
use crate::lattice::Lattice;
use crate::operator::LinearOperator;
use crate::ranks::{Halo, Share};

impl<const D: usize> PressureOperator<D> {
    /// Asks for every row once, from all threads.
    ///
    /// The matrix must be symmetric, and `towards` must vanish where the neighbour is no row.
    ///
    /// # Panics
    /// If the lattice has not D axes.
    pub fn from_stencils(lattice: Lattice, stencil: impl Fn(usize) -> Stencil<D> + Sync) -> Self {
        let mut operator = Self::empty();
        operator.rebuild(1.0, lattice, |_, row| stencil(row));
        operator
    }

    /// A matrix without rows.
    pub(crate) fn empty() -> Self {
        Self {
            lattice: Lattice::new(&[1; D], Vec::new()).expect("two or three axes"),
            unit: 1.0,
            diagonal: Vec::new(),
            lines: Lines::default(),
            stretches: Vec::new(),
            coefficients: Vec::new(),
            chunks: Chunks::default(),
            assembled: OnceLock::new(),
            loose: OnceLock::new(),
            shared: None,
        }
    }

    /// Takes the list of cells out, as memory for the next lattice.
    pub(crate) fn take_cells(&mut self) -> Vec<u32> {
        std::mem::replace(&mut self.lattice, Self::empty().lattice).into_cells()
    }

    /// Replaces the matrix by one whose inner couplings are `unit`; keeps the memory.
    pub(crate) fn rebuild(
        &mut self,
        unit: f64,
        lattice: Lattice,
        stencil: impl Fn(&Lattice, usize) -> Stencil<D> + Sync,
    ) {
        assert_eq!(lattice.dimension(), D, "axes of the lattice and of the operator");
        self.rebuild_part(unit, lattice, None, stencil);
    }

    /// The same for the part of a rank, if it has not all.
    pub(crate) fn rebuild_part(
        &mut self,
        unit: f64,
        lattice: Lattice,
        share: Option<Arc<Share>>,
        stencil: impl Fn(&Lattice, usize) -> Stencil<D> + Sync,
    ) {
        let Self { lines, diagonal, stretches, coefficients, .. } = self;
        let size = lattice.cells().len();
        let columns = [lattice.shape()[1], lattice.shape().get(2).copied().unwrap_or(1)];
        let frame = share.as_ref().map_or(Frame::whole(columns), |share| share.frame());
        lines.rebuild(frame, |lines| find_lines(&lattice, lines));
        self.shared = share.map(|share| {
            let ghosts = share.ghost_lines(lines, size as u32, |line| line.length);
            lines.append(ghosts.into_iter());
            Shared { halo: Arc::new(Halo::new(&share, lines, |line| line.length)), share }
        });
        let lines = &*lines;
        let stored = lines.lines.last().map_or(0, |line| (line.base + line.length) as usize);
        let stencil = |row| stencil(&lattice, row);
        parallel::resize(diagonal, size, 0.0);
        self.chunks.rebuild(0, lines.own().iter().map(|line| line.length as usize));
        let mut parts = self.chunks.map(diagonal.as_mut_slice(), |range, first, diagonal| {
            let mut rows = LineRows::default();
            for line in &lines.lines[range] {
                let diagonal = &mut diagonal[line.base as usize - first..][..line.length as usize];
                rows.add(unit, lines, line, stored, diagonal, &stencil);
            }
            rows
        });
        number_coefficients(&mut parts);
        let of_parts = parts.iter().map(|part| (part.stretches.as_slice(), part.coefficients.as_slice()));
        let (all_stretches, all_coefficients): (Vec<_>, Vec<_>) = of_parts.unzip();
        parallel::concatenate(&all_stretches, stretches);
        parallel::concatenate(&all_coefficients, coefficients);
        self.chunks.rebuild(0, stretches.iter().map(|stretch| stretch.length as usize));
        (self.lattice, self.unit) = (lattice, unit);
        (self.assembled, self.loose) = (OnceLock::new(), OnceLock::new());
    }

    /// The same matrix in compact form. It must couple face neighbours only
    /// ([`Lattice::couples_neighbours_only`]).
    ///
    /// # Panics
    /// If lattice and matrix do not fit each other.
    pub fn from_csr(lattice: Lattice, matrix: &CsrMatrix) -> Self {
        Self::from_rows_of(lattice, matrix, |row| row, |row| row)
    }

    /// The same for rows in another order: `row_of` tells the row of a cell by the number of the cell, `number_of` that
    /// of a row.
    pub(crate) fn from_rows_of(
        lattice: Lattice,
        matrix: &CsrMatrix,
        row_of: impl Fn(usize) -> usize + Sync,
        number_of: impl Fn(usize) -> usize + Sync,
    ) -> Self {
        assert_eq!(lattice.cells().len(), matrix.rows(), "cells of the lattice and rows of the matrix");
        let strides: Vec<i64> = (0..D).map(|axis| lattice.shape()[..axis].iter().product::<usize>() as i64).collect();
        // Matrices come scaled by Δt/(ρ h²) and the like; most inner couplings are the largest ones.
        let unit = parallel::max(0..matrix.rows(), |rows| {
            let couplings = rows.flat_map(|row| matrix.row(row).filter(move |&(column, _)| column != row));
            couplings.map(|(_, value)| -value).fold(0.0, f64::max)
        });
        let unit = if unit > 0.0 { unit } else { 1.0 };
        let mut operator = Self::empty();
        operator.rebuild(unit, lattice, |lattice, number| {
            let (cells, row) = (lattice.cells(), row_of(number));
            let mut towards = [[0.0; 2]; D];
            for (column, value) in matrix.row(row).filter(|&(column, value)| column != row && value != 0.0) {
                let step = cells[number_of(column)] as i64 - cells[number] as i64;
                let axis = strides.iter().rposition(|&stride| step.abs() >= stride).unwrap_or(0);
                // In a grid that is one cell wide two strides are equal; the first axis has no neighbour there.
                towards[axis][(step > 0) as usize] = -value;
            }
            Stencil { diagonal: matrix.diagonal()[row], towards }
        });
        operator
    }

    /// The same, keeping the matrix for those who read its entries.
    ///
    /// # Panics
    /// If lattice and matrix do not fit each other.
    pub fn keeping(lattice: Lattice, matrix: CsrMatrix<'static>) -> Self {
        let operator = Self::from_csr(lattice, &matrix);
        Self { assembled: OnceLock::from(matrix), ..operator }
    }

    /// All entries times 2^exponent.
    pub(crate) fn shifted(&self, exponent: i32) -> Self {
        let mut operator = Self { assembled: OnceLock::new(), unit: shifted(self.unit, exponent), ..self.clone() };
        shift_all(exponent, &mut operator.diagonal);
        shift_all(exponent, &mut operator.coefficients);
        operator
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

/// The rows of some lines, without their diagonal.
#[derive(Default)]
struct LineRows<const D: usize> {
    stretches: Vec<Stretch<D>>,
    coefficients: Vec<f64>,
}

impl<const D: usize> LineRows<D> {
    /// Appends the rows of a line; their diagonal is written.
    fn add(
        &mut self,
        unit: f64,
        lines: &Lines,
        line: &Line,
        size: usize,
        diagonal: &mut [f64],
        stencil: &impl Fn(usize) -> Stencil<D>,
    ) {
        let mut cut = Vec::new();
        lines.stretches::<D>(line, size, |from, until, offsets| {
            let row_of = |place: u32| line.base + place - line.from;
            let mut first = row_of(from);
            let mut is_inside = true;
            for row in row_of(from)..row_of(until) {
                let stencil = stencil(row as usize);
                diagonal[(row - line.base) as usize] = stencil.diagonal;
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
}

/// Makes the coefficients of the parts count on from one to the next.
fn number_coefficients<const D: usize>(parts: &mut [LineRows<D>]) {
    let mut before = 0;
    let mut first = |count: usize| {
        before += count as u32;
        before - count as u32
    };
    let firsts: Vec<u32> = parts.iter().map(|part| first(part.coefficients.len())).collect();
    parallel::for_each_chunk(parts, 1, |number, part| {
        let cut = part[0].stretches.iter_mut().filter(|stretch| stretch.coefficients != INSIDE);
        cut.for_each(|stretch| stretch.coefficients += firsts[number]);
    });
}

/// Appends the lines along the first axis.
fn find_lines(lattice: &Lattice, lines: &mut Vec<Line>) {
    let (nx, cells) = (lattice.shape()[0] as u32, lattice.cells());
    let begins = |row: usize| row == 0 || cells[row] != cells[row - 1] + 1 || cells[row].is_multiple_of(nx);
    let firsts = parallel::list(0..cells.len(), |rows| rows.filter(|&row| begins(row)).map(|row| row as u32).collect());
    let ends = firsts[1.min(firsts.len())..].iter().copied().chain([cells.len() as u32]);
    lines.extend(firsts.iter().zip(ends).map(|(&base, end)| {
        let cell = cells[base as usize];
        Line { column: cell / nx, from: cell % nx, length: end - base, base }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_problems::{Example, difference, generate, wave};

    fn equals_its_matrix<const D: usize>(example: Example, size: usize) {
        let generated = generate(example, D, size, 7);
        let operator = generated.operator::<D>();
        assert_eq!(operator.to_csr(), generated.matrix);
        let x = wave(generated.b.len(), 0.37);
        let (mut compact, mut assembled) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let dot = operator.product(&x, &mut compact);
        let expected = generated.matrix.apply_dot(&x, &mut assembled);
        assert!((dot - expected).abs() < 1e-12 * expected);
        assert!(difference(&compact, &assembled) < 1e-13 * 6.0);
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
