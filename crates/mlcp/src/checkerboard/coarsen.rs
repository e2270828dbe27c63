//! The unknowns of a coarse level: connected components of blocks of 2^D cells.

use super::level::{Level, NONE};
use crate::pressure::lines::{Line, Lines};

/// A line of coarse cells in the making.
struct Chain {
    column: u32,
    from: u32,
    end: u32,
}

/// What is found while the columns of the coarse level are gone through.
struct Growth<'f, const D: usize> {
    fine: &'f Level<D>,
    chains: Vec<Chain>,
    /// Chain that each fine cell has become part of.
    chain_of: Vec<u32>,
    /// (chain, place, where the children begin) of every cell that is not made of steady ones.
    families: Vec<(u32, u32, u32)>,
    children: Vec<u32>,
}

impl<const D: usize> Level<D> {
    /// The next coarser level, without its couplings; afterwards `self.parents` leads there.
    pub fn coarsen(&mut self) -> Self {
        let shape = self.shape.map(|count| count.div_ceil(2));
        let columns = [shape[1], shape[2]];
        let mut growth = Growth {
            fine: self,
            chains: Vec::new(),
            chain_of: vec![NONE; 2 * self.slots],
            families: Vec::new(),
            children: Vec::new(),
        };
        for column in 0..columns[0] * columns[1] {
            growth.grow([column % columns[0], column / columns[0]], column as u32);
        }
        let Growth { chains, chain_of, families, children, .. } = growth;

        let mut slots = 1;
        let lines: Vec<Line> = chains
            .iter()
            .map(|chain| {
                let line = Line { column: chain.column, from: chain.from, length: chain.end - chain.from, base: slots };
                slots += Self::slots_of(&line);
                line
            })
            .collect();
        let slots = slots as usize + 1;
        let unit = self.unit * (1 << (D - 1)) as f32 * 0.5;
        let mut coarse = Self::empty(shape, Lines::new(columns, lines), slots, unit);
        coarse.families = vec![NONE; 2 * slots];
        for (chain, place, start) in families {
            let cell = coarse.cell_at(&coarse.lines.lines[chain as usize], place);
            coarse.families[cell] = start;
        }
        coarse.children = children;
        self.parents = self.resolve(chain_of, &coarse);
        coarse.bounded = vec![false; 2 * slots];
        for (&parent, _) in self.parents.iter().zip(&self.bounded).filter(|(_, bounded)| **bounded) {
            coarse.bounded[parent as usize] = true;
        }
        coarse
    }

    /// Turns the chain of every cell into its coarse cell.
    fn resolve(&self, mut chain_of: Vec<u32>, coarse: &Self) -> Vec<u32> {
        for line in &self.lines.lines {
            for pair in line.from / 2..line.from / 2 + Self::slots_of(line) {
                let slot = Self::slot_of(line, pair) as usize;
                for cell in [slot, slot + self.slots] {
                    if chain_of[cell] != NONE {
                        let chain = &coarse.lines.lines[chain_of[cell] as usize];
                        chain_of[cell] = coarse.cell_at(chain, pair) as u32;
                    }
                }
            }
        }
        chain_of
    }

    /// Lines of the columns below a coarse column.
    pub(super) fn lines_below(&self, [y, z]: [usize; 2]) -> impl Iterator<Item = &Line> + '_ {
        let [ny, nz] = self.lines.columns;
        let columns = [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().map(move |(dy, dz)| (2 * y + dy, 2 * z + dz));
        let inside = columns.filter(move |&(y, z)| y < ny && z < nz);
        inside.flat_map(move |(y, z)| self.lines.of(y + ny * z))
    }
}

impl<const D: usize> Growth<'_, D> {
    /// Makes the coarse cells of one column, from the lowest place to the highest.
    fn grow(&mut self, place: [usize; 2], column: u32) {
        let fine = self.fine;
        let lines: Vec<&Line> = fine.lines_below(place).collect();
        let Some(end) = lines.iter().map(|line| line.end().div_ceil(2)).max() else { return };
        let mut at = 0;
        let mut covering: Vec<&Line> = Vec::with_capacity(lines.len());
        while at < end {
            covering.clear();
            covering.extend(lines.iter().filter(|line| line.from / 2 <= at && 2 * at < line.end()));
            if covering.is_empty() {
                at = lines.iter().map(|line| line.from / 2).filter(|&from| from > at).min().unwrap_or(end);
                continue;
            }
            match self.steady_until(&covering, at) {
                Some(until) => {
                    self.grow_steady(&covering, at, until, column);
                    at = until;
                }
                None => {
                    self.grow_block(&covering, at, column);
                    at += 1;
                }
            }
        }
    }

    /// Up to where every cell of the block is a steady one, if it is here.
    fn steady_until(&self, covering: &[&Line], at: u32) -> Option<u32> {
        let columns = covering.windows(2).all(|pair| pair[0].column != pair[1].column);
        if covering.len() != 1 << (D - 1) || !columns {
            return None;
        }
        let steady = covering.iter().map(|line| {
            let first = Level::<D>::slot_of(line, at) as usize;
            let end = (line.base + Level::<D>::slots_of(line)) as usize;
            self.fine.steady[first..end].iter().take_while(|steady| **steady).count() as u32
        });
        steady.min().filter(|&count| count > 0).map(|count| at + count)
    }

    fn grow_steady(&mut self, covering: &[&Line], at: u32, until: u32, column: u32) {
        let first = Level::<D>::slot_of(covering[0], at) as usize;
        let before = if self.fine.piece_at(first).is_odd { first + self.fine.slots } else { first };
        let chain = self.chain_before(&[before as u32], at).unwrap_or_else(|| self.begin(at, column));
        self.chains[chain as usize].end = until;
        for line in covering {
            let slot = Level::<D>::slot_of(line, at) as usize;
            for cells in [slot, slot + self.fine.slots] {
                self.chain_of[cells..cells + (until - at) as usize].fill(chain);
            }
        }
    }

    /// One block of which not all cells are steady: a coarse cell for each connected component.
    fn grow_block(&mut self, covering: &[&Line], at: u32, column: u32) {
        let mut cells = Vec::with_capacity(8);
        for line in covering {
            for place in [2 * at, 2 * at + 1] {
                if line.from <= place && place < line.end() {
                    cells.push(self.fine.cell_at(line, place) as u32);
                }
            }
        }
        let mut label: Vec<usize> = (0..cells.len()).collect();
        for one in 0..cells.len() {
            self.fine.couplings(cells[one] as usize, |coupling| {
                if let Some(other) = cells.iter().position(|&cell| cell as usize == coupling.cell) {
                    let (from, to) = (label[one].max(label[other]), label[one].min(label[other]));
                    label.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
                }
            });
        }
        for component in 0..cells.len() {
            let members: Vec<u32> =
                (0..cells.len()).filter(|&cell| label[cell] == component).map(|cell| cells[cell]).collect();
            if members.is_empty() {
                continue;
            }
            let chain = self.chain_before(&members, at).unwrap_or_else(|| self.begin(at, column));
            self.chains[chain as usize].end = at + 1;
            members.iter().for_each(|&cell| self.chain_of[cell as usize] = chain);
            self.families.push((chain, at, self.children.len() as u32));
            self.children.push(members.len() as u32);
            self.children.extend(members);
        }
    }

    /// The chain that a cell made of `members` continues: that of a neighbour at the place before,
    /// unless another cell continues it already.
    fn chain_before(&self, members: &[u32], at: u32) -> Option<u32> {
        let mut found = None;
        for &cell in members {
            self.fine.couplings(cell as usize, |coupling| {
                if coupling.axis == 0 && coupling.side == 0 && found.is_none() {
                    let chain = self.chain_of[coupling.cell];
                    if chain != NONE && self.chains[chain as usize].end == at {
                        found = Some(chain);
                    }
                }
            });
        }
        found
    }

    fn begin(&mut self, at: u32, column: u32) -> u32 {
        self.chains.push(Chain { column, from: at, end: at });
        self.chains.len() as u32 - 1
    }
}
