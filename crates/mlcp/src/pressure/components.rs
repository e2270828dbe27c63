//! Connected parts of the pressure matrix, found stretch by stretch.

use unstick_parallel as parallel;

use super::{INSIDE, PressureOperator, Shared, Stencil, Stretch};
use crate::multigrid::Roots;
use crate::ranks::Reductions;

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
    fn join(&mut self, one: u32, other: u32) {
        let (low, high) = self.roots.join(one as usize, other as usize);
        self.is_held[low] |= self.is_held[high];
    }
}

/// The chain of a row among those that begin at `starts`.
fn chain_of(starts: &[u32], row: u32) -> usize {
    starts.partition_point(|&start| start <= row) - 1
}

/// The chain of a row at or behind a chain that is known.
fn advance(starts: &[u32], mut chain: usize, row: u32) -> usize {
    while chain + 1 < starts.len() && starts[chain + 1] <= row {
        chain += 1;
    }
    chain
}

impl<const D: usize> PressureOperator<D> {
    /// Rows of each connected component whose rows all sum to zero.
    ///
    /// All threads look for chains and for what joins them. To join them is left to one: they are few.
    pub(super) fn loose_components(&self) -> Vec<Vec<u32>> {
        let mut forest = self.forest();
        if let Some(shared) = &self.shared {
            return self.shared_components(shared, forest);
        }
        let chains = forest.starts.len();
        let mut components: Vec<Vec<u32>> = Vec::new();
        let mut place = vec![usize::MAX; chains];
        for chain in 0..chains {
            let root = forest.roots.find(chain);
            if forest.is_held[root] {
                continue;
            }
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

    /// The same for rows that ranks share: the own rows of each component, some of which may have none here.
    ///
    /// Every tree has a number of its own among those of all ranks. Ghosts tell which trees of other ranks go on in which
    /// own ones, and every rank joins them all.
    fn shared_components(&self, shared: &Shared, mut forest: Forest) -> Vec<Vec<u32>> {
        let (ranks, own) = (&*shared.share.ranks, self.diagonal.len());
        let own_chains = forest.starts.partition_point(|&start| (start as usize) < own);
        let mut numbers = vec![u32::MAX; forest.starts.len()];
        let mut is_held: Vec<u8> = Vec::new();
        for chain in 0..own_chains {
            let root = forest.roots.find(chain);
            if numbers[root] == u32::MAX {
                numbers[root] = is_held.len() as u32;
                is_held.push(forest.is_held[root] as u8);
            }
            numbers[chain] = numbers[root];
        }
        let before: usize = ranks.lengths(is_held.len())[..ranks.rank()].iter().sum();
        let mut trees = vec![u32::MAX; own + forest.starts.len() - own_chains];
        for chain in 0..own_chains {
            let end = forest.starts.get(chain + 1).map_or(own, |&end| end as usize);
            trees[forest.starts[chain] as usize..end].fill(numbers[chain] + before as u32);
        }
        shared.halo.fill(&mut trees);
        let mut joints: Vec<[u32; 2]> = Vec::new();
        for ghost in 0..forest.starts.len() - own_chains {
            let root = forest.roots.find(own_chains + ghost);
            if root < own_chains {
                joints.push([numbers[root] + before as u32, trees[own + ghost]]);
            }
        }
        joints.dedup();
        let mut is_held = ranks.gather_all(&is_held).concat();
        let mut roots = Roots::new(is_held.len());
        for [one, other] in ranks.gather_all(&joints).concat() {
            let (low, high) = roots.join(one as usize, other as usize);
            is_held[low] |= is_held[high];
        }
        let loose: Vec<usize> =
            (0..is_held.len()).filter(|&tree| roots.find(tree) == tree && is_held[tree] == 0).collect();
        let mut components = vec![Vec::new(); loose.len()];
        for chain in 0..own_chains {
            let end = forest.starts.get(chain + 1).map_or(own as u32, |&end| end);
            if let Ok(number) = loose.binary_search(&roots.find(numbers[chain] as usize + before)) {
                components[number].extend(forest.starts[chain]..end);
            }
        }
        components
    }

    /// The trees.
    fn forest(&self) -> Forest {
        let mut forest = self.chains();
        let joints = parallel::list_scattered(self.stretches.as_slice(), |stretches| {
            let mut joints = Vec::new();
            for stretch in stretches {
                // Couplings are symmetric: looking upwards is enough, unless ghosts are below.
                let sides = if self.shared.is_some() { 0..2 } else { 1..2 };
                let faces = (1..D).flat_map(|axis| sides.clone().map(move |side| (axis, side)));
                faces.for_each(|(axis, side)| self.find_joints(&forest.starts, stretch, axis, side, &mut joints));
            }
            joints.dedup();
            joints
        });
        joints.into_iter().for_each(|[one, other]| forest.join(one, other));
        forest
    }

    /// The chains, each a tree of its own. Ghosts are chains of one row.
    fn chains(&self) -> Forest {
        let in_cut_rows = |find: &(dyn Fn(u32, &Stencil<D>) -> bool + Sync)| {
            parallel::list_scattered(self.stretches.as_slice(), |stretches| {
                // Rows inside are coupled with those before and behind, and nothing holds them.
                let cut = stretches.iter().filter(|stretch| stretch.coefficients != INSIDE);
                let rows = cut.flat_map(|stretch| {
                    let rows = stretch.first..stretch.first + stretch.length;
                    rows.filter(|&row| find(row, &self.stencil(stretch, row)))
                });
                rows.collect()
            })
        };
        let mut starts = in_cut_rows(&|row, stencil| row == 0 || stencil.towards[0][0] == 0.0);
        starts.extend(self.lines.ghosts().iter().flat_map(|line| line.base..line.base + line.length));
        let held = in_cut_rows(&|_, stencil| {
            let sum = stencil.diagonal - stencil.towards.iter().flatten().sum::<f64>();
            sum.abs() > ROUNDING * stencil.diagonal
        });
        let mut is_held = vec![false; starts.len()];
        let mut chain = 0;
        for row in held {
            chain = advance(&starts, chain, row);
            is_held[chain] = true;
        }
        Forest { roots: Roots::new(starts.len()), starts, is_held }
    }

    /// Appends the pairs of chains that a stretch joins across the lower or upper faces of an axis.
    fn find_joints(&self, starts: &[u32], stretch: &Stretch<D>, axis: usize, side: usize, joints: &mut Vec<[u32; 2]>) {
        let offset = stretch.offsets[axis][side];
        let mut own = chain_of(starts, stretch.first);
        if stretch.coefficients == INSIDE {
            let first = stretch.first.wrapping_add_signed(offset);
            let others = chain_of(starts, first)..;
            let others = others.take_while(|&other| starts.get(other).is_some_and(|&at| at < first + stretch.length));
            return joints.extend(others.map(|other| [own as u32, other as u32]));
        }
        let mut other = None;
        for row in stretch.first..stretch.first + stretch.length {
            if self.stencil(stretch, row).towards[axis][side] == 0.0 {
                continue;
            }
            let neighbour = row.wrapping_add_signed(offset);
            let beside = advance(starts, other.unwrap_or_else(|| chain_of(starts, neighbour)), neighbour);
            own = advance(starts, own, row);
            other = Some(beside);
            let joint = [own as u32, beside as u32];
            if joints.last() != Some(&joint) {
                joints.push(joint);
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
