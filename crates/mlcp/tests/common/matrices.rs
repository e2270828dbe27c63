//! Matrices without a grid, for tests and measurements.
#![allow(dead_code)]

use unstick_mlcp::{CsrMatrix, Mlcp};
use unstick_problems::Example;

/// Numbers below one that look random.
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The numbers below `count` in any order.
    fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        (1..count).rev().for_each(|last| order.swap(last, (self.number() * (last + 1) as f64) as usize));
        order
    }
}

/// A matrix from couplings between rows and what holds each row.
pub fn matrix(size: usize, couplings: &[(usize, usize, f64)], holds: impl Fn(usize) -> f64) -> CsrMatrix<'static> {
    let pairs = couplings.iter().flat_map(|&(i, j, c)| [(i, i, c), (j, j, c), (i, j, -c), (j, i, -c)]);
    CsrMatrix::from_triplets(size, pairs.chain((0..size).map(|row| (row, row, holds(row))))).unwrap()
}

/// A generated problem with its rows in any order. One more coupling, between two rows that are far apart, hides the grid.
pub fn hidden(example: Example, dimension: usize, size: usize) -> Mlcp<'static> {
    let problem = example.generate(dimension, size, 1).unwrap();
    let order = Random(7).order(problem.size());
    let matrix = problem.matrix();
    let entries = (0..problem.size()).flat_map(|row| matrix.row(row).map(move |(column, value)| (row, column, value)));
    let (one, other) = (problem.size() / 3, problem.size() / 2 + size / 2);
    let far = [(one, one, 1e-3), (other, other, 1e-3), (one, other, -1e-3), (other, one, -1e-3)];
    let entries = entries.chain(far).map(|(i, j, value)| (order[i], order[j], value));
    let (mut b, mut lower) = (vec![0.0; problem.size()], vec![0.0; problem.size()]);
    for row in 0..problem.size() {
        (b[order[row]], lower[order[row]]) = (problem.mlcp().b()[row], problem.mlcp().lower()[row]);
    }
    Mlcp::new(CsrMatrix::from_triplets(problem.size(), entries).unwrap(), b).unwrap().with_lower(lower).unwrap()
}

/// −Δu = f by linear elements on tetrahedra, six to each cube of points that are moved at random; u ≥ ψ in a layer.
pub fn tetrahedra(points: usize) -> Mlcp<'static> {
    let mut random = Random(3);
    let place = |p: [usize; 3]| p[0] + points * (p[1] + points * p[2]);
    let count = points.pow(3);
    let at: Vec<[f64; 3]> = (0..count)
        .map(|n| [n % points, n / points % points, n / points / points].map(|i| i as f64 + 0.5 * random.number()))
        .collect();
    let mut couplings = Vec::new();
    for cube in 0..(points - 1).pow(3) {
        let first = [cube % (points - 1), cube / (points - 1) % (points - 1), cube / (points - 1).pow(2)];
        for axes in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            // From the first corner to the last, along one axis after the other.
            let mut corner = first;
            let mut corners = [place(first); 4];
            for (step, axis) in axes.into_iter().enumerate() {
                corner[axis] += 1;
                corners[step + 1] = place(corner);
            }
            couplings.extend(
                stiffness(corners.map(|corner| at[corner])).into_iter().map(|(i, j, c)| (corners[i], corners[j], c)),
            );
        }
    }
    let is_border = |row: usize| {
        [row % points, row / points % points, row / points / points].iter().any(|&i| i == 0 || i + 1 == points)
    };
    let order = random.order(count);
    let couplings: Vec<_> = couplings.into_iter().map(|(i, j, c)| (order[i], order[j], c)).collect();
    let mut holds = vec![0.0; count];
    (0..count).for_each(|row| holds[order[row]] = if is_border(row) { 10.0 } else { 0.0 });
    let lower: Vec<f64> = {
        let mut lower = vec![f64::NEG_INFINITY; count];
        for row in (0..count).filter(|row| row / points / points > points / 3 && row / points / points < 2 * points / 3)
        {
            lower[order[row]] = -0.3 + 0.4 * (row as f64).sin();
        }
        lower
    };
    Mlcp::new(matrix(count, &couplings, |row| holds[row]), vec![0.05; count]).unwrap().with_lower(lower).unwrap()
}

/// What the edges of a tetrahedron couple its corners with: −∇φ_i·∇φ_j V.
fn stiffness(p: [[f64; 3]; 4]) -> Vec<(usize, usize, f64)> {
    let minus = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let edge = [minus(p[1], p[0]), minus(p[2], p[0]), minus(p[3], p[0])];
    let volume = dot(edge[0], cross(edge[1], edge[2]));
    let mut slopes = [[0.0; 3]; 4];
    (slopes[1], slopes[2], slopes[3]) = (cross(edge[1], edge[2]), cross(edge[2], edge[0]), cross(edge[0], edge[1]));
    (0..3).for_each(|axis| slopes[0][axis] = -slopes[1][axis] - slopes[2][axis] - slopes[3][axis]);
    let pairs = (0..4).flat_map(|i| (i + 1..4).map(move |j| (i, j)));
    pairs.map(|(i, j)| (i, j, -dot(slopes[i], slopes[j]) / (6.0 * volume.abs()))).collect()
}

/// A box whose couplings along each axis differ by `ratios`, and by up to `spread` from cell to cell.
pub fn anisotropic(cells: usize, ratios: [f64; 3], spread: f64) -> Mlcp<'static> {
    let mut random = Random(11);
    let count = cells.pow(3);
    let mut couplings = Vec::new();
    for row in 0..count {
        for (axis, step) in [1, cells, cells * cells].into_iter().enumerate() {
            if row / step % cells + 1 < cells {
                couplings.push((row, row + step, ratios[axis] * spread.powf(random.number())));
            }
        }
    }
    let scale = ratios.iter().fold(0.0f64, |most, ratio| most.max(*ratio));
    let matrix = matrix(count, &couplings, |row| if row < cells * cells { scale } else { 0.0 });
    let b: Vec<f64> = (0..count).map(|row| (row as f64 * 0.7).sin()).collect();
    let walls: Vec<bool> = (0..count).map(|row| row % 3 == 0).collect();
    Mlcp::new(matrix, b).unwrap().with_walls(&walls).unwrap()
}
