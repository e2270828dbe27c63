//! The unknowns of a coarse level: connected components of blocks of 2^D cells.

use unstick_parallel::{self as parallel, Chunks, refill};

use super::level::{Level, NONE, Part};
use crate::pressure::lines::Line;
use crate::ranks::{Halo, Share};

/// A line of coarse cells in the making.
struct Chain {
    column: u32,
    from: u32,
    end: u32,
}

/// The coarse cells of some planes, in the making.
struct Growth<'f, const D: usize> {
    fine: &'f Level<D>,
    /// Chain that each fine cell of these planes has become part of.
    chain_of: Part<'f, u32>,
    chains: Vec<Chain>,
    /// (chain, place, where the children begin) of every cell that is not made of steady ones.
    families: Vec<(u32, u32, u32)>,
    children: Vec<u32>,
    block: Block,
}

/// The cells of a block, and the first of those that each is connected with.
#[derive(Default)]
struct Block {
    cells: Vec<u32>,
    label: Vec<usize>,
}

/// The coarse cells of some planes, and the first fine slot of these planes.
struct Grown {
    place: usize,
    chains: Vec<Chain>,
    families: Vec<(u32, u32, u32)>,
    children: Vec<u32>,
}

impl<const D: usize> Level<D> {
    /// Makes the next coarser level, without its couplings; afterwards `self.parents` leads there.
    pub fn coarsen(&mut self, coarse: &mut Self, share: Option<&Share>) {
        let shape = self.shape.map(|count| count.div_ceil(2));
        let frame = self.lines.frame.coarser();
        let planes = self.plane_pairs();
        let mut chain_of = std::mem::take(&mut self.parents);
        refill(&mut chain_of, 2 * self.slots, NONE);
        let grown = self.grow(frame.columns, &planes, &mut chain_of);

        let mut slots = 1;
        let mut firsts = Vec::with_capacity(grown.len()); // (first slot, first chain) of each part
        coarse.lines.rebuild(frame, |lines| {
            for part in &grown {
                firsts.push((part.place, lines.len() as u32));
                for chain in &part.chains {
                    let (column, from, length) = (chain.column, chain.from, chain.end - chain.from);
                    let line = Line { column, from, length, base: slots };
                    slots += Self::slots_of(&line);
                    lines.push(line);
                }
            }
        });
        let mut end = slots;
        coarse.halo = Halo::default();
        if let Some(share) = share {
            let ghosts = share.ghost_lines(&coarse.lines, slots, Self::slots_of);
            end = ghosts.last().map_or(slots, |line| line.base + Self::slots_of(line));
            coarse.lines.append(ghosts.into_iter());
            coarse.halo = Halo::new(share, &coarse.lines, Self::slots_of);
        }
        coarse.begin(shape, end as usize + 1, self.unit * (1 << (D - 1)) as f32 * 0.5);
        coarse.adopt(&grown, &firsts);
        self.resolve(&planes, &firsts, coarse, &mut chain_of);
        self.parents = chain_of;
        self.find_parents_of_ghosts(coarse);
        let mut bounded = std::mem::take(&mut coarse.bounded);
        parallel::for_each((0..bounded.len(), bounded.as_mut_slice()), |(cells, bounded)| {
            for (cell, is_bounded) in cells.zip(bounded) {
                *is_bounded = coarse.listed_children(cell).iter().any(|&child| self.bounded[child as usize]);
            }
        });
        coarse.bounded = bounded;
        coarse.fill_bounded();
        coarse.fill_families();
    }

    /// Lists the children of all cells that are not made of steady ones.
    fn adopt(&mut self, grown: &[Grown], firsts: &[(usize, u32)]) {
        let mut families = std::mem::take(&mut self.families);
        refill(&mut families, 2 * self.slots, NONE);
        let (mut red, mut black) = families.split_at_mut(self.slots);
        let (mut place, mut listed) = (0, 0);
        let mut parts = Vec::with_capacity(grown.len());
        for (number, part) in grown.iter().enumerate() {
            let next = firsts.get(number + 1).and_then(|next| self.lines.lines.get(next.1 as usize));
            let end = next.map_or(self.slots, |line| line.base as usize);
            let (own_red, own_black);
            (own_red, red) = red.split_at_mut(end - place);
            (own_black, black) = black.split_at_mut(end - place);
            let own = Part { red: own_red, black: own_black, place, slots: self.slots };
            parts.push((own, firsts[number].1, part, listed));
            (place, listed) = (end, listed + part.children.len() as u32);
        }
        parallel::for_each_chunk(&mut parts, 1, |_, parts| {
            for (own, first, part, listed) in parts {
                for &(chain, place, start) in &part.families {
                    let line = &self.lines.lines[(*first + chain) as usize];
                    *own.at(self.cell_at(line, place)) = start + *listed;
                }
            }
        });
        self.families = families;
        let children: Vec<&[u32]> = grown.iter().map(|part| part.children.as_slice()).collect();
        parallel::concatenate(&children, &mut self.children);
    }

    /// Pairs of planes across the last axis. A pair makes one plane of the coarse level, and its slots are consecutive.
    fn plane_pairs(&self) -> Chunks {
        let [ny, nz] = self.lines.frame.columns;
        let (planes, columns) = if D == 3 { (nz, ny) } else { (ny, 1) };
        Chunks::new(
            1,
            (0..planes.div_ceil(2)).map(|plane| {
                let columns = 2 * plane * columns..(2 * plane + 2).min(planes) * columns;
                let lines = self.lines.range(columns.start).start..self.lines.range(columns.end - 1).end;
                self.lines.lines[lines].iter().map(|line| Self::slots_of(line) as usize).sum()
            }),
        )
    }

    /// Makes the coarse cells, plane by plane; `chain_of` counts the chains of each part from zero.
    fn grow(&self, [ny, _]: [usize; 2], planes: &Chunks, chain_of: &mut [u32]) -> Vec<Grown> {
        let (red, black) = chain_of.split_at_mut(self.slots);
        let cells = (&mut red[1..self.end], &mut black[1..self.end]);
        planes.map(cells, |planes, place, (red, black)| {
            let chain_of = Part { red, black, place, slots: self.slots };
            let (chains, families, children, block) = Default::default();
            let mut growth = Growth { fine: self, chain_of, chains, families, children, block };
            let columns = if D == 3 { planes.start * ny..planes.end * ny } else { planes };
            for column in columns {
                growth.grow([column % ny, column / ny], column as u32);
            }
            let Growth { chains, families, children, .. } = growth;
            Grown { place, chains, families, children }
        })
    }

    /// Turns the chain of every cell into its coarse cell.
    fn resolve(&self, planes: &Chunks, firsts: &[(usize, u32)], coarse: &Self, chain_of: &mut [u32]) {
        let (red, black) = chain_of.split_at_mut(self.slots);
        let cells = (&mut red[1..self.end], &mut black[1..self.end]);
        planes.for_each_costly(cells, |_, place, (red, black)| {
            let first = firsts[firsts.partition_point(|first| first.0 < place)].1;
            let end = place + red.len();
            let lines = &self.lines.lines;
            let lines = &lines[lines.partition_point(|line| (line.base as usize) < place)..];
            for line in lines.iter().take_while(|line| (line.base as usize) < end) {
                for pair in line.from / 2..line.from / 2 + Self::slots_of(line) {
                    let slot = Self::slot_of(line, pair) as usize - place;
                    for chain in [&mut red[slot], &mut black[slot]] {
                        if *chain != NONE {
                            *chain = coarse.cell_at(&coarse.lines.lines[(*chain + first) as usize], pair) as u32;
                        }
                    }
                }
            }
        });
    }

    /// Lines of the columns below a coarse column.
    pub(super) fn lines_below(&self, [y, z]: [usize; 2]) -> impl Iterator<Item = &Line> + '_ {
        let [ny, nz] = self.lines.frame.columns;
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
        let first = self.children.len();
        self.children.push(self.fine.cell_at(covering[0], 2 * at) as u32);
        let chain = self.chain_before(first, at).unwrap_or_else(|| self.begin(at, column));
        self.children.truncate(first);
        self.chains[chain as usize].end = until;
        for line in covering {
            let slot = Level::<D>::slot_of(line, at) as usize;
            let slots = slot - self.chain_of.place..slot - self.chain_of.place + (until - at) as usize;
            self.chain_of.red[slots.clone()].fill(chain);
            self.chain_of.black[slots].fill(chain);
        }
    }

    /// One block of which not all cells are steady: a coarse cell for each connected component.
    fn grow_block(&mut self, covering: &[&Line], at: u32, column: u32) {
        let mut block = std::mem::take(&mut self.block);
        block.connect(self.fine, covering, at);
        for component in (0..block.cells.len()).filter(|&cell| block.label[cell] == cell) {
            let start = self.children.len();
            self.children.push(0);
            self.children.extend(block.members(component));
            let count = self.children.len() - start - 1;
            self.children[start] = count as u32;
            let chain = self.chain_before(start + 1, at).unwrap_or_else(|| self.begin(at, column));
            self.chains[chain as usize].end = at + 1;
            block.members(component).for_each(|cell| *self.chain_of.at(cell as usize) = chain);
            self.families.push((chain, at, start as u32));
        }
        self.block = block;
    }

    /// The chain that a cell continues, whose children are the last ones from `first` on: that of a neighbour at the
    /// place before, unless another cell continues it already.
    fn chain_before(&mut self, first: usize, at: u32) -> Option<u32> {
        let Self { fine, chain_of, chains, children, .. } = self;
        let mut found = None;
        for &cell in &children[first..] {
            fine.couplings(cell as usize, |coupling| {
                if coupling.axis == 0 && coupling.side == 0 && found.is_none() {
                    let chain = *chain_of.at(coupling.cell);
                    if chain != NONE && chains[chain as usize].end == at {
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

impl Block {
    /// Finds the cells of the block at a place, and which of them are connected.
    fn connect<const D: usize>(&mut self, fine: &Level<D>, covering: &[&Line], at: u32) {
        let Self { cells, label } = self;
        cells.clear();
        for line in covering {
            let places = (2 * at..2 * at + 2).filter(|&place| line.from <= place && place < line.end());
            cells.extend(places.map(|place| fine.cell_at(line, place) as u32));
        }
        label.clear();
        label.extend(0..cells.len());
        for one in 0..cells.len() {
            fine.couplings(cells[one] as usize, |coupling| {
                if coupling.side == 0 {
                    return; // a coupling of two cells is seen once
                }
                if let Some(other) = cells.iter().position(|&cell| cell as usize == coupling.cell) {
                    let (from, to) = (label[one].max(label[other]), label[one].min(label[other]));
                    label.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
                }
            });
        }
    }

    fn members(&self, component: usize) -> impl Iterator<Item = u32> {
        self.cells.iter().zip(&self.label).filter(move |(_, label)| **label == component).map(|(&cell, _)| cell)
    }
}
