//! Small random problems and a solver that cannot be wrong about them.

use unstick_grid::Random;
use unstick_mlcp::{CsrMatrix, Mlcp};

/// What kind of matrix a random problem has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Weakly diagonally dominant, off-diagonal entries not positive, at least one dominant row in
    /// each component: a pressure matrix.
    MMatrix,
    /// B Bᵀ + 0.1 I: entries of any sign, on which active-set methods may cycle.
    PositiveDefinite,
    /// A graph Laplacian with closed components, right-hand side made from a known answer.
    SemiDefinite,
}

/// A problem small enough to print.
#[derive(Clone, Debug)]
pub struct Small {
    pub matrix: Vec<Vec<f64>>,
    pub b: Vec<f64>,
    pub lower: Vec<f64>,
}

impl Small {
    pub fn random(kind: Kind, rows: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let matrix = match kind {
            Kind::MMatrix => laplacian(rows, &mut random, true),
            Kind::PositiveDefinite => gram(rows, &mut random),
            Kind::SemiDefinite => laplacian(rows, &mut random, false),
        };
        let density = random.unit();
        let shifted = random.chance(0.3);
        let lower: Vec<f64> = (0..rows)
            .map(|_| match random.chance(density) {
                true if shifted => random.between(-1.0, 1.0),
                true => 0.0,
                false => f64::NEG_INFINITY,
            })
            .collect();
        let b = match kind {
            Kind::SemiDefinite => b_of_known_answer(&matrix, &lower, &mut random),
            _ => (0..rows).map(|_| random.between(-1.0, 1.0)).collect(),
        };
        Self { matrix, b, lower }
    }

    pub fn csr(&self) -> CsrMatrix<'static> {
        let rows = self.matrix.iter().enumerate();
        let entries = rows.flat_map(|(i, row)| row.iter().enumerate().map(move |(j, &value)| (i, j, value)));
        CsrMatrix::from_triplets(self.b.len(), entries.filter(|&(i, j, value)| i == j || value != 0.0)).unwrap()
    }

    pub fn problem(&self) -> Mlcp<'static> {
        Mlcp::new(self.csr(), self.b.clone()).unwrap().with_lower(self.lower.clone()).unwrap()
    }

    /// ‖H(q)‖∞, computed without the library.
    pub fn natural_residual(&self, q: &[f64]) -> f64 {
        let of_row = |row: usize| {
            let r: f64 = self.matrix[row].iter().zip(q).map(|(a, q)| a * q).sum::<f64>() + self.b[row];
            r.min(q[row] - self.lower[row]).abs()
        };
        (0..q.len()).map(of_row).fold(0.0, f64::max)
    }

    /// The answer, by trying every active set.
    pub fn answer(&self) -> Vec<f64> {
        let walls: Vec<usize> = (0..self.b.len()).filter(|&row| self.lower[row].is_finite()).collect();
        let tries = (0..1usize << walls.len()).map(|set| {
            let mut q = vec![f64::NAN; self.b.len()];
            for (bit, &row) in walls.iter().enumerate() {
                if set >> bit & 1 == 1 {
                    q[row] = self.lower[row];
                }
            }
            self.solve_free_rows(q)
        });
        let feasible = tries.flatten().find(|q| self.natural_residual(q) < 1e-9);
        feasible.expect("a positive definite problem has an answer")
    }

    /// Solves the equations of the rows that are NaN, the others given.
    pub fn solve_free_rows(&self, mut q: Vec<f64>) -> Option<Vec<f64>> {
        let free: Vec<usize> = (0..q.len()).filter(|&row| q[row].is_nan()).collect();
        let mut system: Vec<Vec<f64>> = Vec::new();
        for &row in &free {
            let mut line: Vec<f64> = free.iter().map(|&column| self.matrix[row][column]).collect();
            let known: f64 = (0..q.len()).filter(|&k| !q[k].is_nan()).map(|k| self.matrix[row][k] * q[k]).sum();
            line.push(-self.b[row] - known);
            system.push(line);
        }
        for (row, value) in free.iter().zip(eliminate(system)?) {
            q[*row] = value;
        }
        Some(q)
    }
}

/// Gaussian elimination with partial pivoting on an augmented matrix.
fn eliminate(mut system: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = system.len();
    for column in 0..size {
        let pivot = (column..size).max_by(|&a, &b| system[a][column].abs().total_cmp(&system[b][column].abs()))?;
        system.swap(column, pivot);
        if system[column][column].abs() < 1e-11 {
            return None;
        }
        for row in column + 1..size {
            let factor = system[row][column] / system[column][column];
            for place in column..=size {
                system[row][place] -= factor * system[column][place];
            }
        }
    }
    let mut answer = vec![0.0; size];
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| system[row][column] * answer[column]).sum();
        answer[row] = (system[row][size] - known) / system[row][row];
    }
    Some(answer)
}

fn laplacian(rows: usize, random: &mut Random, anchored: bool) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![0.0; rows]; rows];
    let couple = |matrix: &mut Vec<Vec<f64>>, i: usize, j: usize, weight: f64| {
        matrix[i][i] += weight;
        matrix[j][j] += weight;
        matrix[i][j] -= weight;
        matrix[j][i] -= weight;
    };
    let density = random.between(0.2, 1.0);
    for i in 0..rows {
        for j in 0..i {
            if random.chance(density) {
                couple(&mut matrix, i, j, random.between(0.05, 1.05));
            }
        }
    }
    for i in 0..rows {
        // A lone row always touches air: an empty row is no pressure equation.
        if matrix[i][i] == 0.0 || (anchored && random.chance(0.3)) {
            matrix[i][i] += random.between(0.1, 2.1);
        }
    }
    if anchored {
        for i in 0..rows {
            matrix[i][i] += 0.02; // every component is anchored, some weakly
        }
    }
    matrix
}

fn gram(rows: usize, random: &mut Random) -> Vec<Vec<f64>> {
    let factor: Vec<Vec<f64>> = (0..rows).map(|_| (0..rows).map(|_| random.between(-1.0, 1.0)).collect()).collect();
    let product = |i: usize, j: usize| factor[i].iter().zip(&factor[j]).map(|(a, b)| a * b).sum::<f64>();
    (0..rows).map(|i| (0..rows).map(|j| product(i, j) + if i == j { 0.1 } else { 0.0 }).collect()).collect()
}

/// b = r − A q for complementary q and r chosen at random.
fn b_of_known_answer(matrix: &[Vec<f64>], lower: &[f64], random: &mut Random) -> Vec<f64> {
    let mut r = vec![0.0; lower.len()];
    let mut q = vec![0.0; lower.len()];
    for row in 0..lower.len() {
        let is_wall = lower[row].is_finite();
        q[row] = if is_wall { lower[row] + random.unit() } else { random.between(-1.0, 1.0) };
        if is_wall && random.chance(0.5) {
            q[row] = lower[row];
            r[row] = random.unit();
        }
    }
    let product = |row: usize| matrix[row].iter().zip(&q).map(|(a, q)| a * q).sum::<f64>();
    (0..lower.len()).map(|row| r[row] - product(row)).collect()
}
