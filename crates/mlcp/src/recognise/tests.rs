//! Grids that are found, and matrices that have none.

use super::*;
use crate::test_problems::{Example, Generated, generate};
use unstick_grid::Random;

/// A matrix that couples face neighbours among some cells, with `coupling` between two of them.
fn matrix_of(
    shape: [usize; 3],
    is_liquid: impl Fn(usize) -> bool,
    coupling: impl Fn(usize, usize) -> f64,
) -> CsrMatrix<'static> {
    let size = shape.iter().product();
    let mut numbers = vec![None; size];
    (0..size).filter(|&cell| is_liquid(cell)).enumerate().for_each(|(row, cell)| numbers[cell] = Some(row));
    let strides = [1, shape[0], shape[0] * shape[1]];
    let mut triplets = Vec::new();
    for cell in 0..size {
        let Some(row) = numbers[cell] else { continue };
        triplets.push((row, row, 0.5));
        for axis in 0..3 {
            let is_inside = cell / strides[axis] % shape[axis] + 1 < shape[axis];
            if let Some(other) = is_inside.then(|| numbers[cell + strides[axis]]).flatten() {
                let value = coupling(axis, cell);
                triplets.extend([(row, row, value), (other, other, value), (row, other, -value), (other, row, -value)]);
            }
        }
    }
    CsrMatrix::from_triplets(numbers.iter().flatten().count(), triplets).unwrap()
}

fn shuffled(matrix: &CsrMatrix) -> CsrMatrix<'static> {
    let (size, mut random) = (matrix.rows(), Random::new(1));
    let mut order: Vec<usize> = (0..size).collect();
    (1..size).rev().for_each(|last| order.swap(last, (random.unit() * (last + 1) as f64) as usize));
    let entries = (0..size).flat_map(|row| matrix.row(row).map(move |(column, value)| (row, column, value)));
    CsrMatrix::from_triplets(size, entries.map(|(row, column, value)| (order[row], order[column], value))).unwrap()
}

/// The matrix on the found grid must be the given one.
fn assert_explains(found: &Found, matrix: &CsrMatrix) {
    let check = |operator: &dyn LinearOperator| {
        let numbers = found.numbers();
        let number = |row: usize| numbers.as_ref().map_or(row, |numbers| numbers[row] as usize);
        let x: Vec<f64> = (0..matrix.rows()).map(|row| (row as f64).sin()).collect();
        let mut reordered = vec![0.0; x.len()];
        (0..x.len()).for_each(|row| reordered[number(row)] = x[row]);
        let (mut given, mut on_grid) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        matrix.apply(&x, &mut given);
        operator.apply(&reordered, &mut on_grid);
        assert!((0..x.len()).all(|row| (given[row] - on_grid[number(row)]).abs() < 1e-12));
    };
    match found.operator(matrix) {
        FoundOperator::Plane(operator) => check(&operator),
        FoundOperator::Space(operator) => check(&operator),
    }
}

#[test]
fn full_boxes_are_found_in_any_order() {
    for shape in [[7, 5, 4], [4, 5, 7], [9, 6, 1]] {
        let matrix = matrix_of(shape, |_| true, |_, _| 1.0);
        let found = Found::of(&matrix).unwrap();
        let expected = &shape[..if shape[2] == 1 { 2 } else { 3 }];
        assert_eq!((found.lattice.shape(), &found.order), (expected, &None));
        assert_explains(&found, &matrix);
        let matrix = shuffled(&matrix);
        let found = Found::of(&matrix).unwrap();
        let (mut one, mut other) = (found.lattice.shape().to_vec(), expected.to_vec());
        one.sort_unstable();
        other.sort_unstable();
        assert_eq!(one, other);
        assert!(found.order.is_some());
        assert_explains(&found, &matrix);
    }
}

#[test]
fn liquid_of_any_shape_is_found_where_its_rows_are_in_order() {
    let of = |example, dimension, size| {
        let Generated { matrix, lattice, .. } = generate(example, dimension, size, 0);
        let found = Found::of(&matrix).unwrap_or_else(|| panic!("{example} {dimension}"));
        assert_explains(&found, &matrix);
        assert!(found.lattice.shape().iter().product::<usize>() <= lattice.shape().iter().product());
        found
    };
    for dimension in [2, 3] {
        assert!(of(Example::SphereHalf, dimension, 24).order.is_none());
        of(Example::ThinPlates, dimension, 24);
        of(Example::CubeLid, dimension, 12);
    }
}

#[test]
fn a_blob_with_holes_and_droplets_is_found_in_any_order() {
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let shape = [24, 24, 24];
        let holes: Vec<f64> = (0..shape.iter().product()).map(|_| random.unit()).collect();
        let is_liquid = |cell: usize| {
            let place = [cell % 24, cell / 24 % 24, cell / 576].map(|x| x as f64 - 11.5);
            let radius = place.iter().map(|x| x * x).sum::<f64>().sqrt();
            if radius < 9.0 { holes[cell] > 0.03 } else { holes[cell] > 0.985 }
        };
        let matrix = matrix_of(shape, is_liquid, |_, _| 1.0);
        let found = Found::of(&matrix).expect("a grid");
        assert_explains(&found, &matrix);
        let matrix = shuffled(&matrix);
        assert_explains(&Found::of(&matrix).expect("a grid"), &matrix);
    }
}

#[test]
fn liquid_of_any_shape_is_found_in_any_order() {
    for (example, dimension, size) in [
        (Example::SphereHalf, 2, 24),
        (Example::SphereHalf, 3, 24),
        (Example::ThinPlates, 2, 24),
        (Example::ThinPlates, 3, 24),
    ] {
        let matrix = shuffled(&generate(example, dimension, size, 0).matrix);
        let found = Found::of(&matrix).unwrap_or_else(|| panic!("{example} {dimension}"));
        assert_eq!(found.lattice.dimension(), dimension);
        assert_explains(&found, &matrix);
    }
}

#[test]
fn what_is_no_grid_or_no_even_one_is_refused() {
    let periodic = {
        let open = matrix_of([6, 5, 4], |_| true, |_, _| 1.0);
        let entries = (0..120).flat_map(|row| open.row(row).map(move |(column, value)| (row, column, value)));
        let around = (0..20).flat_map(|line| [(6 * line, 6 * line + 5, -1.0), (6 * line + 5, 6 * line, -1.0)]);
        CsrMatrix::from_triplets(120, entries.chain(around).collect::<Vec<_>>()).unwrap()
    };
    assert_eq!(Found::of(&periodic), None);
    let stretched = matrix_of([6, 5, 4], |_| true, |axis, _| [1.0, 0.01, 1.0][axis]);
    assert_eq!(Found::of(&stretched), None);
    let jumps = matrix_of([6, 5, 4], |_| true, |_, cell| if cell % 11 == 0 { 1e6 } else { 1.0 });
    assert_eq!(Found::of(&jumps), None);
    let pulling = matrix_of([6, 5, 4], |_| true, |_, cell| if cell == 7 { -0.1 } else { 1.0 });
    assert_eq!(Found::of(&pulling), None);
    let ring: Vec<_> =
        (0..9).flat_map(|row| [(row, row, 2.0), (row, (row + 1) % 9, -1.0), ((row + 1) % 9, row, -1.0)]).collect();
    assert_eq!(Found::of(&CsrMatrix::from_triplets(9, ring).unwrap()), None);
}
