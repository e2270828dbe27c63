//! Connected parts of the pressure matrix, found stretch by stretch.

use super::{INSIDE, PressureOperator, Stretch};
use crate::multigrid::Roots;

/// Row sums up to this, relative to the diagonal, count as zero: they are rounding of an assembled matrix.
const ROUNDING: f64 = 1e-12;

/// Chains of rows coupled along the first axis, joined into trees across the other ones.
struct Forest {
    /// First row of every chain.
    starts: Vec<u32>,
    roots: Roots,
    /// Whether air or anything else holds the chain (of a root: the tree).
    is_held: Vec<bool>,
}

impl Forest {
    fn chain_of(&self, row: u32) -> usize {
        self.starts.partition_point(|&start| start <= row) - 1
    }

    /// The chain of a row at or behind a chain that is known.
    fn advance(&self, mut chain: usize, row: u32) -> usize {
        while chain + 1 < self.starts.len() && self.starts[chain + 1] <= row {
            chain += 1;
        }
        chain
    }

    fn join(&mut self, one: usize, other: usize) {
        let (low, high) = self.roots.join(one, other);
        self.is_held[low] |= self.is_held[high];
    }

    /// Joins a chain with all chains of a range of rows.
    fn join_range(&mut self, chain: usize, first: u32, end: u32) {
        let mut other = self.chain_of(first);
        while other < self.starts.len() && self.starts[other] < end {
            self.join(chain, other);
            other += 1;
        }
    }
}

impl<const D: usize> PressureOperator<D> {
    /// Rows of each connected component whose rows all sum to zero.
    pub(super) fn loose_components(&self) -> Vec<Vec<u32>> {
        let mut forest = self.chains();
        for stretch in &self.stretches {
            // Couplings are symmetric: looking upwards is enough.
            (1..D).for_each(|axis| self.join_across(&mut forest, stretch, axis));
        }
        let chains = forest.starts.len();
        let roots: Vec<usize> = (0..chains).map(|chain| forest.roots.find(chain)).collect();
        let mut components: Vec<Vec<u32>> = Vec::new();
        let mut place = vec![usize::MAX; chains];
        for (chain, &root) in roots.iter().enumerate().filter(|&(_, &root)| !forest.is_held[root]) {
            if place[root] == usize::MAX {
                place[root] = components.len();
                // Most often there is one, and it is nearly everything.
                components.push(Vec::with_capacity(if components.is_empty() { self.diagonal.len() } else { 0 }));
            }
            let end = forest.starts.get(chain + 1).copied().unwrap_or(self.diagonal.len() as u32);
            components[place[root]].extend(forest.starts[chain]..end);
        }
        components
    }

    fn chains(&self) -> Forest {
        let mut forest = Forest { starts: Vec::new(), roots: Roots::new(0), is_held: Vec::new() };
        let mut is_coupled = false;
        for stretch in &self.stretches {
            let rows = stretch.first..stretch.first + stretch.length;
            if stretch.coefficients == INSIDE {
                is_coupled = true; // with the rows before and behind
                continue;
            }
            for row in rows {
                let stencil = self.stencil(stretch, row);
                let is_first = stencil.towards[0][0] == 0.0;
                if is_first || !is_coupled {
                    forest.starts.push(row);
                    forest.roots.0.push(forest.roots.0.len() as u32);
                    forest.is_held.push(false);
                }
                is_coupled = true;
                let sum = stencil.diagonal - stencil.towards.iter().flatten().sum::<f64>();
                if let Some(is_held) = forest.is_held.last_mut() {
                    *is_held |= sum.abs() > ROUNDING * stencil.diagonal;
                }
            }
        }
        forest
    }

    fn join_across(&self, forest: &mut Forest, stretch: &Stretch<D>, axis: usize) {
        let offset = stretch.offsets[axis][1];
        let (mut own, mut other) = (forest.chain_of(stretch.first), 0);
        if stretch.coefficients == INSIDE {
            let first = stretch.first.wrapping_add_signed(offset);
            forest.join_range(own, first, first + stretch.length);
            return;
        }
        let mut joined = (usize::MAX, usize::MAX);
        for row in stretch.first..stretch.first + stretch.length {
            if self.stencil(stretch, row).towards[axis][1] == 0.0 {
                continue;
            }
            let neighbour = row.wrapping_add_signed(offset);
            if other == 0 {
                other = forest.chain_of(neighbour);
            }
            own = forest.advance(own, row);
            other = forest.advance(other, neighbour);
            if joined != (own, other) {
                forest.join(own, other);
                joined = (own, other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::test_problems::{Example, generate};

    #[test]
    fn components_are_those_of_the_assembled_matrix() {
        for (example, size) in [(Example::SealedPocket, 20), (Example::ThinPlates, 24)] {
            let generated = generate(example, 3, size, 1);
            let operator = generated.operator::<3>();
            let mut expected = generated.matrix.singular_components();
            expected.iter_mut().for_each(|rows| rows.sort_unstable());
            assert_eq!(operator.loose_components(), expected);
        }
    }
}
