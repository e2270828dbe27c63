use proptest::prelude::*;
use unstick_parallel::vector::{self, dot};

use super::*;
use crate::pressure::PressureOperator;
use crate::test_problems::{Example, generate, wave};

fn built<const D: usize>(operator: &PressureOperator<D>, lower: &[f64]) -> (Hierarchy<D>, Layout) {
    let (mut hierarchy, mut layout) = (Hierarchy::default(), Layout::default());
    hierarchy.rebuild(operator, lower);
    layout.rebuild(operator);
    (hierarchy, layout)
}

/// Cycles to reduce the residual of the linear system by 1e-5, single precision's share of a solve.
fn linear_cycles<const D: usize>(example: Example, size: usize) -> usize {
    let generated = generate(example, D, size, 0);
    let operator = generated.operator::<D>();
    let (mut hierarchy, layout) = built(&operator, &generated.lower);
    let mut problem = LevelProblem::default();
    problem.begin(&hierarchy, 0);
    layout.spread(&hierarchy, &mut problem.load, |row| -generated.b[row] as f32);
    let norm = vector::norm_max(&generated.b);
    let (cycles, residual) = Reduced::default().solve(&mut hierarchy, 0, &mut problem, |_| 1e-5 * norm, 50);
    assert!(residual <= 1e-5 * norm);

    let (mut q, mut r) = (vec![0.0; generated.b.len()], vec![0.0; generated.b.len()]);
    layout.add(&hierarchy, 1.0, &problem.x, &mut q);
    operator.product(&q, &mut r);
    let residual = r.iter().zip(&generated.b).fold(0.0f64, |most, (r, b)| most.max((r + b).abs()));
    assert!(residual <= 1e-3 * norm, "{example} {size}: {residual} of {norm}");
    cycles
}

#[test]
fn cycles_of_a_linear_system_do_not_grow_with_the_grid() {
    for example in [Example::CubeLid, Example::SphereHalf, Example::ThinPlates] {
        for size in [16, 31, 64] {
            assert!(linear_cycles::<3>(example, size) <= 9, "{example} {size}");
        }
        for size in [31, 64, 256] {
            assert!(linear_cycles::<2>(example, size) <= 9, "{example} {size}");
        }
    }
}

/// Every level's matrix is PᵀAP/2 of the one above it, rows of pinned cells left out.
fn is_galerkin<const D: usize>(hierarchy: &Hierarchy<D>) {
    for pair in hierarchy.levels.windows(2) {
        let (fine, coarse) = (&pair[0], &pair[1]);
        let mut expected = std::collections::HashMap::<(usize, usize), f32>::new();
        for line in &fine.lines.lines {
            for cell in
                (line.from..line.end()).map(|place| fine.cell_at(line, place)).filter(|&cell| fine.is_free(cell))
            {
                let parent = fine.parents[cell] as usize;
                *expected.entry((parent, parent)).or_default() += 0.5 * fine.diagonal(cell);
                fine.couplings(cell, |coupling| {
                    if fine.is_free(coupling.cell) {
                        let other = fine.parents[coupling.cell] as usize;
                        *expected.entry((parent, other)).or_default() -= 0.5 * coupling.value;
                    }
                });
            }
        }
        let mut found = std::collections::HashMap::<(usize, usize), f32>::new();
        for line in &coarse.lines.lines {
            for cell in (line.from..line.end()).map(|place| coarse.cell_at(line, place)) {
                *found.entry((cell, cell)).or_default() += coarse.diagonal(cell);
                coarse.couplings(cell, |coupling| *found.entry((cell, coupling.cell)).or_default() -= coupling.value);
            }
        }
        for (&entry, &value) in &expected {
            let found = found.remove(&entry).unwrap_or(0.0);
            assert!((found - value).abs() < 1e-4 * (1.0 + value.abs()), "{entry:?}: {found}, expected {value}");
        }
        assert!(found.values().all(|value| value.abs() < 1e-4), "couplings out of nothing: {found:?}");
    }
}

#[test]
fn coarse_matrices_are_galerkin_products_whatever_is_pinned() {
    for (example, size) in [(Example::SphereHalf, 21), (Example::ThinPlates, 24), (Example::CubeLid, 9)] {
        let generated = generate(example, 3, size, 3);
        let operator = generated.operator::<3>();
        let (mut hierarchy, _) = built(&operator, &generated.lower);
        is_galerkin(&hierarchy);
        for seed in 0..4 {
            let walls = hierarchy.walls[0].iter().enumerate();
            let changes: Vec<_> = walls.map(|(index, &cell)| (cell, (index * 7 + seed) % 3 == 0)).collect();
            hierarchy.pin(0, &changes);
            is_galerkin(&hierarchy);
        }
    }
}

/// Pins some of the cells that may be pinned.
fn pin_every<const D: usize>(step: usize, hierarchy: &mut Hierarchy<D>) {
    let pinned: Vec<_> = hierarchy.walls[0].iter().step_by(step).map(|&cell| (cell, true)).collect();
    hierarchy.pin(0, &pinned);
}

/// A hierarchy that is rebuilt for smaller and larger problems is the one that is built for them.
#[test]
fn a_hierarchy_forgets_the_problem_before() {
    let mut used = Hierarchy::<3>::default();
    for (example, size) in [(Example::ThinPlates, 24), (Example::CubeLid, 9), (Example::SphereHalf, 21)] {
        let generated = generate(example, 3, size, 3);
        let operator = generated.operator::<3>();
        used.rebuild(&operator, &generated.lower);
        let (fresh, _) = built(&operator, &generated.lower);
        assert_eq!(format!("{:?}", used.levels), format!("{:?}", fresh.levels), "{example}");
        assert!(used.walls == fresh.walls && used.b == fresh.b && used.x == fresh.x, "{example}");
        pin_every(2, &mut used);
        used.b[0].fill(1.0);
        used.cycle(0, false);
    }
}

/// Cells that are freed again have, to the last bit, the couplings that they had.
#[test]
fn a_hierarchy_forgets_what_was_pinned() {
    for (example, size) in [(Example::ThinPlates, 24), (Example::CubeLid, 16), (Example::SealedPocket, 20)] {
        let generated = generate(example, 3, size, 3);
        let (mut hierarchy, _) = built(&generated.operator::<3>(), &generated.lower);
        let before = format!("{:?}", hierarchy.levels);
        let mut problem = LevelProblem::default();
        problem.begin(&hierarchy, 0);
        problem.pinned.iter_mut().step_by(2).for_each(|pinned| *pinned = true);
        pin_every(2, &mut hierarchy);
        assert_ne!(format!("{:?}", hierarchy.levels), before, "{example}: nothing was pinned");
        hierarchy.release(0, &mut problem);
        assert!(format!("{:?}", hierarchy.levels) == before, "{example}");
    }
}

#[test]
fn a_cycle_is_symmetric_and_positive() {
    let generated = generate(Example::ThinPlates, 3, 20, 3);
    let operator = generated.operator::<3>();
    let (mut hierarchy, layout) = built(&operator, &generated.lower);
    pin_every(3, &mut hierarchy);
    let size = generated.b.len();
    let mut cycle = |r: &[f64]| {
        hierarchy.load(&layout, |row| r[row] as f32);
        hierarchy.cycle(0, false);
        let mut z = vec![0.0; size];
        layout.add(&hierarchy, 1.0, hierarchy.answer(), &mut z);
        z
    };
    let (one, other) = (wave(size, 0.37), wave(size, 1.93));
    let (image, other_image) = (cycle(&one), cycle(&other));
    assert!(dot(&one, &image) > 0.0 && dot(&other, &other_image) > 0.0);
    let (left, right) = (dot(&other, &image), dot(&one, &other_image));
    assert!((left - right).abs() < 1e-4 * dot(&one, &image), "{left} {right}");
}

/// The numbers of rows, brought to the checkerboard and back.
fn there_and_back<const D: usize>(size: usize) -> Vec<f64> {
    let generated = generate(Example::SphereHalf, D, size, 0);
    let (mut hierarchy, layout) = built(&generated.operator::<D>(), &generated.lower);
    hierarchy.load(&layout, |row| row as f32);
    let mut found = vec![0.0; generated.b.len()];
    layout.add(&hierarchy, 1.0, &hierarchy.b[0], &mut found);
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn rows_keep_their_places(size in 8usize..20, dimension in 2usize..4) {
        let found = if dimension == 2 { there_and_back::<2>(size) } else { there_and_back::<3>(size) };
        prop_assert!(found.iter().enumerate().all(|(row, value)| *value == row as f64));
    }
}
