//! What the hierarchy promises.

use super::level::{Level, NONE};
use super::*;
use crate::operator::LinearOperator;
use crate::test_problems::{Example, generate};

fn prepared(matrix: &CsrMatrix) -> Aggregation {
    let mut hierarchy = Aggregation::default();
    hierarchy.prepare(matrix, matrix.fingerprint());
    hierarchy
}

fn values(hierarchy: &Aggregation) -> Vec<(Vec<f32>, Vec<f32>, Vec<f32>)> {
    let of = |level: &Level| (level.rows.off.clone(), level.rows.excess.clone(), level.inverse.clone());
    hierarchy.levels.iter().map(of).collect()
}

/// A_IJ of a coarse level, from the finer one in double precision; pinned rows and rows without an aggregate left out.
fn galerkin(fine: &Level, one: usize, other: usize) -> f64 {
    let follows = |row: usize| fine.aggregates.parents[row] != NONE && fine.inverse[row] > 0.0;
    let members = |aggregate: usize| {
        fine.aggregates.members(aggregate).iter().map(|&row| row as usize).filter(move |&row| follows(row))
    };
    let entry = |row: usize, column: usize| match row == column {
        true => fine.diagonal[row] as f64,
        false => fine.rows.row(row).filter(|entry| entry.0 == column).map(|entry| entry.1 as f64).sum(),
    };
    members(one).flat_map(|row| members(other).map(move |column| (row, column))).map(|(i, j)| entry(i, j)).sum()
}

#[test]
fn coarse_matrices_are_galerkin_products_without_the_pinned_rows() {
    let generated = generate(Example::ThinPlates, 2, 96, 0);
    let mut hierarchy = prepared(&generated.matrix);
    hierarchy.follow(0, |place| place % 9 == 2);
    assert!(hierarchy.levels.len() > 2);
    for pair in hierarchy.levels.windows(2) {
        let (fine, coarse) = (&pair[0], &pair[1]);
        for row in 0..coarse.rows() {
            let expected = galerkin(fine, row, row);
            assert!((coarse.diagonal[row] as f64 - expected).abs() < 1e-5, "({row}, {row})");
            for (column, value) in coarse.rows.row(row) {
                assert!((value as f64 - galerkin(fine, row, column)).abs() < 1e-5, "({row}, {column})");
            }
        }
    }
}

#[test]
fn what_changed_is_renewed_to_the_last_bit() {
    let generated = generate(Example::SphereHalf, 3, 24, 0);
    let mut renewed = prepared(&generated.matrix);
    let untouched = values(&renewed);
    for period in [5, 7, 100] {
        renewed.follow(0, |place| place % period == 2);
        let mut fresh = prepared(&generated.matrix);
        fresh.follow(0, |place| place % period == 2);
        assert!(values(&renewed) == values(&fresh) && values(&renewed) != untouched, "{period}");
    }
    renewed.release();
    assert!(values(&renewed) == untouched);
}

#[test]
fn a_matrix_of_before_keeps_its_levels_and_another_does_not() {
    let generated = generate(Example::SphereHalf, 2, 48, 0);
    let mut hierarchy = prepared(&generated.matrix);
    let place = |hierarchy: &Aggregation| hierarchy.levels[1].rows.off.as_ptr();
    let (before, untouched) = (place(&hierarchy), values(&hierarchy));
    hierarchy.follow(0, |place| place < 50);
    hierarchy.prepare(&generated.matrix.clone(), generated.matrix.fingerprint());
    assert!(place(&hierarchy) == before && values(&hierarchy) == untouched);
    let (starts, columns) = (generated.matrix.starts(), generated.matrix.columns());
    let mut changed = generated.matrix.values().to_vec();
    changed[0] *= 1.0 + 1e-15;
    let changed = CsrMatrix::from_raw(starts, columns, changed).unwrap();
    assert_ne!(changed.fingerprint(), generated.matrix.fingerprint());
}

#[test]
fn aggregates_follow_strong_couplings() {
    // Lines along x, coupled a thousand times less with each other.
    let (nx, ny) = (64, 16);
    let mut triplets = Vec::new();
    for row in 0..nx * ny {
        let beside = [(row % nx + 1 < nx).then_some((row + 1, 1.0)), (row + nx < nx * ny).then_some((row + nx, 1e-3))];
        for (other, coupling) in beside.into_iter().flatten() {
            triplets.extend([(row, row, coupling), (other, other, coupling)]);
            triplets.extend([(row, other, -coupling), (other, row, -coupling)]);
        }
    }
    let matrix = CsrMatrix::from_triplets(nx * ny, triplets).unwrap();
    let hierarchy = prepared(&matrix);
    let aggregates = &hierarchy.levels[0].aggregates;
    assert!(aggregates.count() <= nx * ny / 3);
    for aggregate in 0..aggregates.count() {
        let lines = aggregates.members(aggregate).iter().map(|&row| row as usize / nx);
        assert_eq!(lines.clone().min(), lines.max(), "aggregate {aggregate} joins two lines");
    }
    assert_eq!(matrix.size(), aggregates.members.len());
}

#[test]
fn scattered_rows_are_gathered_in_compact_chunks() {
    let generated = generate(Example::CubeLid, 3, 28, 0);
    let size = generated.b.len();
    // Neighbours lie far apart.
    let place = |row: usize| row * 7919 % size;
    let entries = (0..size).flat_map(|row| generated.matrix.row(row).map(move |(column, value)| (row, column, value)));
    let matrix = CsrMatrix::from_triplets(size, entries.map(|(i, j, value)| (place(i), place(j), value))).unwrap();
    let hierarchy = prepared(&matrix);
    let level = &hierarchy.levels[0];
    let leaves = |row: usize| move |entry: &(usize, f32)| entry.0 / chunks::LENGTH != row / chunks::LENGTH;
    let leaving: usize = (0..size).map(|row| level.rows.row(row).filter(leaves(row)).count()).sum();
    assert!(leaving * 6 < level.rows.columns.len(), "{leaving} of {} couplings leave", level.rows.columns.len());
}

#[test]
fn a_row_that_is_coupled_with_all_others_keeps_every_column() {
    let size = 70_000; // more rows outside of its chunk than two bytes can number
    let couple =
        |one, other, value: f64| [(one, one, value), (other, other, value), (one, other, -value), (other, one, -value)];
    let star = (1..size).flat_map(|row| couple(0, row, 1e-3));
    let line = (1..size - 1).flat_map(|row| couple(row, row + 1, 1.0));
    let matrix = CsrMatrix::from_triplets(size, star.chain(line).chain([(0, 0, 1.0)])).unwrap();
    let hierarchy = prepared(&matrix);
    let (level, order, unit) = (&hierarchy.levels[0], &hierarchy.order, hierarchy.unit);
    for row in 0..size {
        let beside = matrix.row(row).filter(|&(column, _)| column != row);
        let mut expected: Vec<_> = beside.map(|(column, value)| (order.place(column), (value / unit) as f32)).collect();
        expected.sort_unstable_by_key(|entry| entry.0);
        assert_eq!(level.rows.row(order.place(row)).collect::<Vec<_>>(), expected, "row {row}");
    }
}
