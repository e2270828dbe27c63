//! Bare matrices whose answer was made up before the problem: large enough for many levels of aggregates, with rows on
//! their bound in all of them, in several parts, some of which no air touches.
//!
//! A positive definite problem has one answer. So has a part without air if one of its rows has let go and leaves
//! something: of two answers the difference would be constant, and that row is at its bound in both.

use unstick_grid::Random;
use unstick_mlcp::{CsrMatrix, Mlcp, SolverName, Stop};

/// What kind of couplings a random matrix has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// None is positive.
    MMatrix,
    /// Some are.
    PositiveDefinite,
    /// None is positive, and no air touches some parts.
    SemiDefinite,
}

/// A problem with its answer.
struct Known {
    matrix: CsrMatrix<'static>,
    b: Vec<f64>,
    lower: Vec<f64>,
    answer: Vec<f64>,
    let_go: Vec<u32>,
}

impl Known {
    fn random(kind: Kind, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let parts = 1 + (4.0 * random.unit()) as usize;
        let sizes: Vec<usize> = (0..parts).map(|_| 10f64.powf(random.between(0.0, 3.3)) as usize).collect();
        let count: usize = sizes.iter().sum();
        let order = shuffled(count, &mut random);
        let spread = random.between(0.0, 3.0);
        let mut triplets = Vec::new();
        // A multiple of (Σ c_k x_k)².
        let square = |weight: f64, terms: &[(usize, f64)], triplets: &mut Vec<_>| {
            for &(i, c) in terms {
                triplets.extend(terms.iter().map(|&(j, d)| (order[i], order[j], weight * c * d)));
            }
        };
        let mut first = 0;
        let mut is_closed = vec![false; count];
        for (part, &size) in sizes.iter().enumerate() {
            let width = 1 + (random.unit() * (size as f64).sqrt()) as usize;
            for (one, step) in (0..size).flat_map(|one| [1, width, width + 1].map(|step| (one, step))) {
                if one + step < size && (step == 1 || random.chance(0.9)) {
                    let weight = 10f64.powf(random.between(0.0, spread));
                    let (one, other) = (first + one, first + one + step);
                    square(weight, &[(one, 1.0), (other, -1.0)], &mut triplets);
                    if kind == Kind::PositiveDefinite && random.chance(0.3) {
                        let third = first + (random.unit() * size as f64) as usize;
                        let terms = [(one, random.between(-1.0, 1.0)), (third, random.between(-1.0, 1.0))];
                        square(weight, &terms, &mut triplets);
                    }
                }
            }
            let without_air = kind == Kind::SemiDefinite && (part == 0 || random.chance(0.5)) && size > 1;
            for row in first..first + size {
                is_closed[row] = without_air;
                if !without_air && (row == first || random.chance(0.05)) {
                    square(1.0, &[(row, 1.0)], &mut triplets);
                }
            }
            first += size;
        }
        let matrix = CsrMatrix::from_triplets(count, triplets).unwrap();
        let (walls, active) = (random.unit(), random.unit());
        let mut own = Self {
            matrix,
            b: vec![0.0; count],
            lower: vec![f64::NEG_INFINITY; count],
            answer: vec![0.0; count],
            let_go: Vec::new(),
        };
        let period = random.between(1.0, 300.0);
        let (mut left, mut first) = (vec![0.0; count], 0);
        for &size in &sizes {
            for place in first..first + size {
                let row = order[place];
                // Each part without air has a row that leaves something.
                let holds = place == first && is_closed[place];
                if holds || random.chance(walls) {
                    own.lower[row] = random.between(-1.0, 1.0);
                }
                let smooth = (place as f64 / period).sin();
                own.answer[row] = match own.lower[row] {
                    f64::NEG_INFINITY => smooth,
                    lower if holds || random.chance(active) => {
                        left[row] = own.matrix.entry(row, row) * random.between(0.1, 1.0);
                        own.let_go.push(row as u32);
                        lower
                    }
                    lower => lower + 0.1 + (smooth - lower).max(0.0),
                };
            }
            first += size;
        }
        own.let_go.sort_unstable();
        for row in 0..count {
            own.b[row] = left[row] - own.matrix.row(row).map(|(j, value)| value * own.answer[j]).sum::<f64>();
        }
        own
    }
}

fn shuffled(size: usize, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..size).collect();
    (1..size).rev().for_each(|last| order.swap(last, (random.unit() * (last + 1) as f64) as usize));
    order
}

/// Solves many of a kind; returns how many of them policy iteration had to finish.
fn answers_are_found(kind: Kind, seeds: std::ops::Range<u64>) -> usize {
    let mut rescued = 0;
    for seed in seeds {
        let known = Known::random(kind, seed);
        let problem = Mlcp::new(&known.matrix, &known.b).unwrap().with_lower(&known.lower).unwrap();
        let mut solver = "best".parse::<SolverName>().unwrap().build(&Stop::relative(1e-10));
        let mut q = vec![0.0; known.b.len()];
        let report = solver.solve(&problem, &mut q).unwrap();
        let what = format!("{kind:?} {seed}, {} rows: {} {:?}", q.len(), report.outcome(), report.remark());
        assert!(report.converged(), "{what}");
        // A few rows may lie on a grid by chance.
        let is_on_grid = report.remark().is_some_and(|remark| remark.contains("grid"));
        assert!(!is_on_grid || q.len() < 100, "{what}");
        assert_eq!(report.let_go(), known.let_go, "{what}");
        let size = known.answer.iter().fold(1.0, |most: f64, q| most.max(q.abs()));
        let error = q.iter().zip(&known.answer).fold(0.0, |most: f64, (q, answer)| most.max((q - answer).abs()));
        assert!(error < 1e-4 * size, "{what}: off by {error:e}");
        rescued += (report.remark().is_some() && !is_on_grid) as usize;
    }
    rescued
}

#[test]
fn answers_of_m_matrices_are_found() {
    assert_eq!(answers_are_found(Kind::MMatrix, 0..150), 0);
}

#[test]
fn answers_of_positive_definite_matrices_are_found() {
    answers_are_found(Kind::PositiveDefinite, 0..150);
}

#[test]
fn answers_of_parts_without_air_are_found() {
    assert_eq!(answers_are_found(Kind::SemiDefinite, 0..150), 0);
}
