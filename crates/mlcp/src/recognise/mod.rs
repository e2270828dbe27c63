//! The grid that a bare matrix came from.
//!
//! Codes that assemble a 5- or 7-point matrix hand over rows and columns; where the rows lie has to be found again:
//!
//! - a full box in the order of its cells, by the distances between coupled rows ([`boxes`]);
//! - a full box in any other order, from one of its corners ([`boxes`]);
//! - any set of cells in the order of the grid, by the lines that its rows form ([`lines`]);
//! - any set of cells in any other order, by a walk over its couplings ([`walk`]).
//!
//! What is found is checked: every coupling joins face neighbours, and no two rows share a cell. A matrix that passes is
//! one of that grid, whatever its author had in mind. Couplings must be of similar size along all axes: geometric
//! coarsening does not pay on others.

mod boxes;
mod lines;
mod on_grid;
mod packing;
mod walk;

pub use on_grid::FoundGrid;
use unstick_parallel as parallel;

use crate::csr::CsrMatrix;
use crate::lattice::Lattice;
use crate::operator::LinearOperator;
use crate::pressure::PressureOperator;

/// Boxes may hold this many cells for every row. Memory follows the box.
const SPARSEST: u64 = 64;

/// Couplings from this part of the largest on count as large.
const LARGE: f64 = 0.25;

/// The least part of all couplings that must be large, and the least ratio between the means along two axes.
const EVEN: f64 = 0.25;

/// A diagonal that exceeds the largest coupling by this factor is left to aggregates.
const HUGE: f64 = 1e32;

/// The grid of a matrix.
#[derive(Debug, PartialEq)]
pub(crate) struct Found {
    pub lattice: Lattice,
    /// The row of each cell, where rows are not in the order of cells.
    pub order: Option<Vec<u32>>,
}

/// A matrix on the grid that was found for it.
pub(crate) enum FoundOperator {
    Plane(PressureOperator<2>),
    Space(PressureOperator<3>),
}

/// The place of a row on a grid.
type Place = [u32; 3];

impl Found {
    /// The grid of a matrix, if it has one on which geometric coarsening pays.
    pub fn of(matrix: &CsrMatrix) -> Option<Self> {
        let most = most_couplings(matrix)?;
        if matrix.rows() < 2 || most > 6 {
            return None;
        }
        let found = boxes::in_order(matrix)
            .or_else(|| boxes::from_corner(matrix, most))
            .or_else(|| lines::of(matrix))
            .or_else(|| walk::of(matrix, most))?;
        is_even(matrix, &found).then_some(found)
    }

    /// Rows at `places`, after a check that these explain every coupling.
    fn checked(matrix: &CsrMatrix, shape: Place, places: &[Place]) -> Option<Self> {
        let joins_neighbours = parallel::fold(
            0..places.len(),
            &|mut rows: std::ops::Range<usize>| {
                rows.all(|row| {
                    couplings(matrix, row).all(|(column, _)| {
                        let steps = (0..3).map(|axis| places[row][axis].abs_diff(places[column][axis]));
                        steps.sum::<u32>() == 1
                    })
                })
            },
            &|one, other| one && other,
        );
        let dimension = if shape[2] == 1 { 2 } else { 3 };
        let shape: Vec<usize> = shape[..dimension].iter().map(|&count| count as usize).collect();
        shape
            .iter()
            .try_fold(1usize, |size, &count| size.checked_mul(count))
            .filter(|&size| size <= u32::MAX as usize)?;
        let cell = |place: &Place| place[0] + shape[0] as u32 * (place[1] + shape[1] as u32 * place[2]);
        let mut cells: Vec<u32> = places.iter().map(cell).collect();
        let order = (!cells.is_sorted()).then(|| {
            let mut order: Vec<u32> = (0..cells.len() as u32).collect();
            order.sort_unstable_by_key(|&row| cells[row as usize]);
            cells.sort_unstable();
            order
        });
        // Lattices refuse cells that do not ascend strictly: two rows in one cell.
        Lattice::new(&shape, cells).filter(|_| joins_neighbours).map(|lattice| Self { lattice, order })
    }

    /// The matrix on the grid.
    pub fn operator(&self, matrix: &CsrMatrix) -> FoundOperator {
        let numbers = self.numbers();
        let row_of = |number: usize| self.order.as_ref().map_or(number, |order| order[number] as usize);
        let number_of = |row: usize| numbers.as_ref().map_or(row, |numbers| numbers[row] as usize);
        let lattice = self.lattice.clone();
        match lattice.dimension() {
            2 => FoundOperator::Plane(PressureOperator::from_rows_of(lattice, matrix, row_of, number_of)),
            _ => FoundOperator::Space(PressureOperator::from_rows_of(lattice, matrix, row_of, number_of)),
        }
    }

    /// The number of the cell of each row, where that is another than the row.
    pub fn numbers(&self) -> Option<Vec<u32>> {
        let order = self.order.as_ref()?;
        let mut numbers = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(number, &row)| numbers[row as usize] = number as u32);
        Some(numbers)
    }
}

/// The entries of a row beside its diagonal that are not zero.
fn couplings<'m>(matrix: &'m CsrMatrix, row: usize) -> impl Iterator<Item = (usize, f64)> + Clone + 'm {
    let range = matrix.range(row);
    let entries = matrix.columns()[range.clone()].iter().zip(&matrix.values()[range]);
    let entries = entries.map(|(&column, &value)| (column as usize, value));
    entries.filter(move |&(column, value)| column != row && value != 0.0)
}

/// The most couplings of any row; None if one of them is positive, which no flow between two cells is.
fn most_couplings(matrix: &CsrMatrix) -> Option<usize> {
    parallel::fold(
        0..matrix.rows(),
        &|rows: std::ops::Range<usize>| {
            let mut most = 0;
            for row in rows {
                let mut count = 0;
                for (_, value) in couplings(matrix, row) {
                    if value > 0.0 {
                        return None;
                    }
                    count += 1;
                }
                most = most.max(count);
            }
            Some(most)
        },
        &|one: Option<usize>, other| Some(one?.max(other?)),
    )
}

/// Whether couplings are of similar size, all and along each axis.
fn is_even(matrix: &CsrMatrix, found: &Found) -> bool {
    let largest = parallel::max(matrix.diagonal(), |diagonal| diagonal.iter().fold(0.0, |most: f64, d| most.max(*d)));
    let dimension = found.lattice.dimension();
    let shape = found.lattice.shape();
    let strides = [1, shape[0] as u32, (shape[0] * shape[1]) as u32];
    let cells = found.lattice.cells();
    let numbers = found.numbers();
    let cell = |row: usize| cells[numbers.as_ref().map_or(row, |numbers| numbers[row] as usize)];
    // Largest coupling, and sum and number along each axis.
    type Sums = (f64, [(f64, f64); 3]);
    let sums = parallel::fold(
        0..matrix.rows(),
        &|rows: std::ops::Range<usize>| {
            let mut sums: Sums = Default::default();
            for row in rows {
                for (column, value) in couplings(matrix, row) {
                    let step = cell(row).abs_diff(cell(column));
                    let axis = (0..dimension).rev().find(|&axis| step == strides[axis]).unwrap_or(0);
                    sums.0 = sums.0.max(-value);
                    sums.1[axis].0 -= value;
                    sums.1[axis].1 += 1.0;
                }
            }
            sums
        },
        &|one: Sums, other: Sums| {
            let add = |axis: usize| (one.1[axis].0 + other.1[axis].0, one.1[axis].1 + other.1[axis].1);
            (one.0.max(other.0), [add(0), add(1), add(2)])
        },
    );
    let means = sums.1.iter().filter(|sum| sum.1 > 0.0).map(|sum| sum.0 / sum.1);
    let (least, most) =
        means.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), mean| (least.min(mean), most.max(mean)));
    let (total, count) = sums.1.iter().fold((0.0, 0.0), |(total, count), sum| (total + sum.0, count + sum.1));
    // Stencils are kept in units of the largest coupling, in single precision.
    let fits = largest < HUGE * if sums.0 > 0.0 { sums.0 } else { 1.0 };
    // A mean of the given part of the largest means that at least about as many are large.
    largest > 0.0 && fits && least >= EVEN * most && total >= LARGE * count * sums.0
}

#[cfg(test)]
mod tests;
