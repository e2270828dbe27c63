//! What the hierarchy promises.

use std::ops::ControlFlow;

use unstick_parallel::vector;

use super::hierarchy::{Link, MatrixHierarchy};
use super::sites::Sites;
use super::sparse::SquareMatrix;
use super::*;
use crate::csr::CsrMatrix;
use crate::lattice::Lattice;
use crate::linear::{ConjugateGradients, LinearOutcome, LinearSolver, LinearTask};
use crate::test_problems::{Example, generate, wave};

/// (Pᵀ W A W P)_IJ, the plain way.
fn triple_product(link: &Link, fine: &SquareMatrix, row: usize, column: usize) -> f64 {
    let unit = |unknown: usize| {
        let mut coarse = vec![0.0; link.p.width()];
        coarse[unknown] = 1.0;
        let mut fine = vec![0.0; link.p.rows()];
        link.prolong(&coarse, &mut fine);
        fine
    };
    let (left, right) = (unit(row), unit(column));
    (0..left.len()).map(|row| left[row] * fine.row_dot(row, &right)).sum()
}

/// Some rows pinned, some scaled and held by springs.
struct Disturbed {
    free: Vec<bool>,
    scale: Vec<f64>,
    shift: Vec<f64>,
}

impl Disturbed {
    fn new(size: usize, period: usize) -> Self {
        let free = (0..size).map(|row| row % period != 2).collect();
        let scale = (0..size).map(|row| if row % 11 == 5 { 1e-3 } else { 1.0 - 0.02 * (row % 7) as f64 }).collect();
        let shift = (0..size).map(|row| if row % 11 == 5 { 4.0 } else { 0.03 * (row % 3) as f64 }).collect();
        Self { free, scale, shift }
    }

    fn system<'s>(&'s self, operator: &'s dyn crate::LinearOperator) -> Subsystem<'s> {
        Subsystem::whole(operator).with_free(&self.free).with_diagonals(&self.scale, &self.shift)
    }
}

#[test]
fn coarse_matrices_are_galerkin_products() {
    let generated = generate(Example::ThinPlates, 2, 20, 0);
    let problem = generated.problem();
    let disturbed = Disturbed::new(problem.size(), 9);
    for transfer in [Transfer::Barycentric, Transfer::Linear, Transfer::Constant] {
        let variant = MultigridVariant { transfer, ..Default::default() };
        let hierarchy = MatrixHierarchy::build(&disturbed.system(problem.operator()), Some(variant), None).unwrap();
        assert!(hierarchy.levels.len() > 2);
        let scale = if transfer == Transfer::Constant { 0.5 } else { 1.0 };
        for pair in hierarchy.levels.windows(2) {
            let (link, coarse) = (pair[0].link.as_ref().unwrap(), &pair[1].matrix);
            for row in 0..coarse.rows() {
                for (column, value) in coarse.row(row) {
                    let expected = scale * triple_product(link, &pair[0].matrix, row, column);
                    assert!((value - expected).abs() < 1e-12, "{transfer:?} ({row}, {column})");
                }
            }
        }
    }
}

#[test]
fn a_refreshed_hierarchy_is_a_new_one() {
    let generated = generate(Example::SphereHalf, 3, 16, 0);
    let problem = generated.problem();
    for variant in MultigridVariant::all() {
        let build = |system: &Subsystem| MatrixHierarchy::build(system, Some(variant), None).unwrap();
        let mut refreshed = build(&Subsystem::whole(problem.operator()));
        for period in [5, 7] {
            let disturbed = Disturbed::new(problem.size(), period);
            refreshed.refresh(&disturbed.system(problem.operator())).unwrap();
            let fresh = build(&disturbed.system(problem.operator()));
            for (one, other) in refreshed.levels.iter().zip(&fresh.levels) {
                assert_eq!(one.matrix.diagonal, other.matrix.diagonal, "{variant}");
                assert_eq!(one.matrix.off.values, other.matrix.off.values, "{variant}");
            }
        }
    }
}

#[test]
fn a_cycle_is_symmetric_and_positive_and_leaves_pinned_rows_alone() {
    let generated = generate(Example::ThinPlates, 3, 14, 0);
    let on_lattice = generated.problem();
    let disturbed = Disturbed::new(generated.b.len(), 9);
    let on_lattice = MultigridVariant::all().into_iter().map(|variant| (on_lattice.operator(), Some(variant)));
    let without: (&dyn crate::LinearOperator, _) = (&generated.matrix, None);
    for (operator, variant) in on_lattice.chain([without]) {
        let params = MultigridParams { coarsest: Some(20), ..Default::default() };
        let mut multigrid = Multigrid::new(variant, params);
        multigrid.rebuild(&disturbed.system(operator)).unwrap();
        let mut image = |x: &[f64]| {
            let masked: Vec<f64> = x.iter().zip(&disturbed.free).map(|(x, f)| if *f { *x } else { 0.0 }).collect();
            let mut z = vec![0.0; x.len()];
            let energy = multigrid.apply_dot(&masked, &mut z);
            assert!(energy > 0.0, "{variant:?}");
            assert!(z.iter().zip(&disturbed.free).all(|(z, free)| *free || *z == 0.0), "{variant:?}");
            (masked, z)
        };
        let (x, mx) = image(&wave(generated.b.len(), 0.3));
        let (y, my) = image(&wave(generated.b.len(), 1.7));
        let (one, other) = (vector::dot(&x, &my), vector::dot(&y, &mx));
        assert!((one - other).abs() < 1e-10 * vector::norm(&x) * vector::norm(&my), "{variant:?}: {one} {other}");
    }
}

/// Interpolation in a closed chamber keeps constants, whatever its walls look like.
#[test]
fn one_sided_transfers_keep_constants_where_there_is_no_air() {
    let generated = generate(Example::SealedPocket, 3, 22, 0);
    let problem = generated.problem();
    let pocket = generated.matrix.singular_components().remove(0);
    for transfer in [Transfer::Barycentric, Transfer::Linear, Transfer::Constant] {
        let variant = MultigridVariant { transfer, ..Default::default() };
        let hierarchy = MatrixHierarchy::build(&Subsystem::whole(problem.operator()), Some(variant), None).unwrap();
        let mut members: Vec<usize> = pocket.iter().map(|&row| hierarchy.order.places[row as usize] as usize).collect();
        for level in &hierarchy.levels {
            let Some(link) = &level.link else { continue };
            let mut below = Vec::new();
            for &row in &members {
                let sum: f64 = link.p.row(row).map(|(_, weight)| weight).sum();
                assert!((sum - 1.0).abs() < 1e-14, "{transfer:?}: {sum}");
                below.extend(link.p.row(row).map(|(column, _)| column));
            }
            below.sort_unstable();
            below.dedup();
            members = below;
        }
    }
}

/// A strip of liquid, six by six cells, with a wall without thickness between x = 2 and x = 3.
fn divided_square() -> CsrMatrix<'static> {
    let couples = |one: usize, other: usize| one % 6 != 2 || other != one + 1;
    let mut triplets: Vec<_> = (0..6).map(|x| (30 + x, 30 + x, 2.0)).collect(); // air above
    for row in 0..36 {
        let right = (row % 6 < 5).then_some(row + 1);
        let above = (row + 6 < 36).then_some(row + 6);
        for other in [right, above].into_iter().flatten().filter(|&other| couples(row, other)) {
            triplets.extend([(row, row, 1.0), (other, other, 1.0), (row, other, -1.0), (other, row, -1.0)]);
        }
    }
    CsrMatrix::from_triplets(36, triplets).unwrap()
}

#[test]
fn a_wall_thinner_than_a_cell_splits_the_blocks_it_runs_through() {
    let lattice = Lattice::new(&[6, 6], (0..36).collect()).unwrap();
    let sites = Sites::of(&lattice, &divided_square());
    let (coarse, parents) = sites.coarsen(true);
    assert_eq!(coarse.len(), 12); // three rows of blocks, the middle block of each is two
    assert!((0..6).all(|y| parents[6 * y + 2] != parents[6 * y + 3]));
    assert_eq!(sites.coarsen(false).0.len(), 9);

    let variant = MultigridVariant { transfer: Transfer::Linear, ..Default::default() };
    let p = transfer::interpolation(variant, &sites, &coarse, &parents);
    let is_left = |coarse: usize| (0..36).any(|row| parents[row] as usize == coarse && row % 6 < 3);
    for row in 0..36 {
        assert!(p.row(row).all(|(column, _)| is_left(column) == (row % 6 < 3)), "row {row} reaches through the wall");
        let sum: f64 = p.row(row).map(|(_, weight)| weight).sum();
        let beside_air = row / 6 == 5;
        assert!(if beside_air { sum < 1.0 - 1e-3 } else { (sum - 1.0).abs() < 1e-14 }, "row {row}: {sum}");
    }
}

fn iterations(operator: &dyn crate::LinearOperator, rhs: &[f64], variant: Option<MultigridVariant>) -> usize {
    let system = Subsystem::whole(operator);
    let mut multigrid = Multigrid::new(variant, MultigridParams::default());
    multigrid.rebuild(&system).unwrap();
    let (mut r, mut x) = (rhs.to_vec(), vec![0.0; rhs.len()]);
    let (preconditioner, target) = (&mut multigrid, 1e-6 * vector::norm_max(rhs));
    let task = LinearTask {
        system: &system,
        preconditioner,
        target,
        max_iterations: 500,
        watch: &mut |_| ControlFlow::Continue(()),
    };
    let report = ConjugateGradients::default().solve(task, &mut r, &mut x);
    assert_eq!(report.outcome, LinearOutcome::Converged, "{variant:?}");
    report.iterations
}

#[test]
fn iterations_do_not_grow_with_the_grid() {
    for (example, most) in [(Example::SphereHalf, [5, 5, 6]), (Example::ThinPlates, [6, 6, 8])] {
        for size in [32, 64] {
            let generated = generate(example, 3, size, 0);
            let problem = generated.problem();
            for (transfer, most) in [Transfer::Barycentric, Transfer::Linear, Transfer::Constant].into_iter().zip(most)
            {
                let variant = MultigridVariant { transfer, ..Default::default() };
                let count = iterations(problem.operator(), &generated.b, Some(variant));
                assert!(count <= most, "{example} {size} {variant}: {count}");
            }
        }
    }
}

#[test]
fn without_a_lattice_iterations_grow_slowly() {
    let count = |dimension, size| {
        let generated = generate(Example::SphereHalf, dimension, size, 0);
        iterations(&generated.matrix, &generated.b, None)
    };
    assert!(count(3, 32) <= 8 && count(3, 64) <= 10, "{} {}", count(3, 32), count(3, 64));
    assert!(count(2, 64) <= 8 && count(2, 128) <= 9, "{} {}", count(2, 64), count(2, 128));
}

#[test]
fn odd_numbers_of_cells_are_no_worse_than_even_ones() {
    for (dimension, size) in [(2, 63), (2, 77), (3, 23), (3, 37)] {
        let generated = generate(Example::SphereHalf, dimension, size, 0);
        let count = iterations(generated.problem().operator(), &generated.b, None);
        assert!(count <= 7, "{size}^{dimension}: {count}");
    }
}

#[test]
fn the_coarsest_level_is_small() {
    for (dimension, most) in [(2, 16), (3, 64)] {
        let generated = generate(Example::ThinPlates, dimension, 40, 0);
        let mut multigrid = Multigrid::default();
        multigrid.rebuild(&Subsystem::whole(generated.problem().operator())).unwrap();
        let sizes = multigrid.level_sizes();
        assert!(*sizes.last().unwrap() <= most, "{sizes:?}");
    }
}
