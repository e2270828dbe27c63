//! The hierarchy and its V-cycle.

use std::sync::Arc;

use unstick_parallel::{self as parallel, Chunks, refill};

use super::coarsest::Coarsest;
use super::couple::couple;
use super::gathered::Gathered;
use super::krylov::norm_max;
use super::layout::Layout;
use super::level::{Cut, Level};
use crate::pressure::PressureOperator;
use crate::ranks::{Alone, Ranks, Share};

/// Sweeps before and after the coarse correction.
const SWEEPS: usize = 2;

/// All levels, finest first, with a right-hand side and an iterate each.
#[derive(Default)]
pub(crate) struct Hierarchy<const D: usize> {
    /// The part that this rank holds, if it is not all.
    pub share: Option<Arc<Share>>,
    pub(super) levels: Vec<Level<D>>,
    pub(super) coarsest: Coarsest,
    /// The last level, of which other ranks hold parts, and all coarser ones.
    pub(super) gathered: Option<Box<Gathered<D>>>,
    pub(super) columns: Vec<Chunks>,
    /// Cells that may be pinned, ascending.
    pub(super) walls: Vec<Vec<u32>>,
    pub(super) b: Vec<Vec<f32>>,
    pub(super) x: Vec<Vec<f32>>,
}

impl<const D: usize> Hierarchy<D> {
    /// Coarsens until the coarsest level can be solved exactly. Nothing is pinned. Keeps the memory of the levels that
    /// were there.
    pub fn rebuild(&mut self, operator: &PressureOperator<D>, lower: &[f64]) {
        self.levels.resize_with(self.levels.len().max(1), Level::default);
        self.levels[0].lay_out(operator, lower, self.share.as_deref());
        self.add_coarse_levels();
    }

    /// Coarsens the finest level.
    pub(super) fn add_coarse_levels(&mut self) {
        let Self { share, levels, columns, walls, b, x, .. } = self;
        let mut count = 1;
        while match share {
            Some(share) => count <= share.boxes.shared_levels(),
            None => !Coarsest::suits(&levels[count - 1]),
        } {
            levels.resize_with(levels.len().max(count + 1), Level::default);
            let [fine, coarse] = &mut levels[count - 1..=count] else { unreachable!("two levels") };
            fine.coarsen(coarse, share.as_deref());
            couple(fine, coarse);
            count += 1;
        }
        levels.truncate(count);
        columns.resize_with(count, Chunks::default);
        walls.resize_with(count, Vec::new);
        b.resize_with(count, Vec::new);
        x.resize_with(count, Vec::new);
        for (index, level) in levels.iter().enumerate() {
            level.chunk_columns(&mut columns[index]);
            walls[index] = level.bounded_cells();
            refill(&mut b[index], 2 * level.slots, 0.0);
            refill(&mut x[index], 2 * level.slots, 0.0);
        }
        self.gather_last();
    }

    /// Those who hold parts of the levels.
    pub fn ranks(&self) -> &dyn Ranks {
        self.share.as_deref().map_or(&Alone, |share| &*share.ranks)
    }

    /// Cells of the finest level that may be pinned, ascending.
    pub fn walls(&self) -> &[u32] {
        &self.walls[0]
    }

    /// How many of them are red; they come first.
    pub fn reds(&self) -> usize {
        self.red_walls(0)
    }

    /// The right-hand side: `value(row)` on free cells of the finest level, zero on pinned ones.
    /// Returns its maximum norm.
    pub fn load(&mut self, layout: &Layout, value: impl Fn(usize) -> f32 + Sync) -> f64 {
        let (level, b) = (&self.levels[0], &mut self.b[0]);
        layout.spread_to(level, b, value);
        let walls = &self.walls[0];
        parallel::for_each_at(walls, 0, b, |wall, b| {
            if !level.is_free(walls[wall] as usize) {
                *b = 0.0;
            }
        });
        norm_max(b)
    }

    /// What the last cycle on the finest level has found.
    pub fn answer(&self) -> &[f32] {
        &self.x[0]
    }

    /// Hands the last level to the rank that goes on with it, or prepares its exact solution.
    fn gather_last(&mut self) {
        let Some(last) = self.levels.last() else { return };
        match &self.share {
            Some(share) => {
                let walls = self.walls.last().map_or(&[][..], Vec::as_slice);
                self.gathered.get_or_insert_default().rebuild(share, last, walls);
            }
            None => self.coarsest.factorise(last),
        }
    }

    /// The same once some of its cells, which ascend, have changed.
    pub(super) fn settle_coarsest(&mut self, changed: &[u32]) {
        let Some(last) = self.levels.last() else { return };
        match (&self.share, &mut self.gathered) {
            (Some(share), Some(gathered)) => gathered.update(share, last, changed),
            _ => self.coarsest.factorise(last),
        }
    }

    /// x ← M b on a level, one V-cycle from zero; `b` and `x` are those of the level. M is symmetric
    /// positive definite on the free cells.
    ///
    /// Afterwards red cells have no residual. With `is_reduced` red cells have no right-hand side
    /// either.
    pub fn cycle(&mut self, level: usize, is_reduced: bool) {
        let Self { levels, coarsest, gathered, share, columns, b, x, .. } = self;
        let is_reduced_last = is_reduced && level + 1 == levels.len();
        if is_reduced_last {
            b[level][..levels[level].slots].fill(0.0); // the exact solution reads red cells too
        }
        let mut solve = |level: &Level<D>, b: &[f32], x: &mut [f32]| match (&*share, &mut *gathered) {
            (Some(share), Some(gathered)) => gathered.cycle(share, level, b, x, is_reduced_last),
            _ => coarsest.solve(b, x),
        };
        descend(&levels[level..], &mut solve, &columns[level..], &mut b[level..], &mut x[level..], is_reduced);
    }
}

fn descend<const D: usize>(
    levels: &[Level<D>],
    solve: &mut impl FnMut(&Level<D>, &[f32], &mut [f32]),
    columns: &[Chunks],
    b: &mut [Vec<f32>],
    x: &mut [Vec<f32>],
    is_reduced: bool,
) {
    let level = &levels[0];
    if levels.len() == 1 {
        return solve(level, &b[0], &mut x[0]);
    }
    let (b, coarse_b) = b.split_at_mut(1);
    let (x, coarse_x) = x.split_at_mut(1);
    let (b_red, b_black) = b[0].split_at(level.slots);
    let b_red = (!is_reduced).then_some(b_red);
    {
        let (red, black) = x[0].split_at_mut(level.slots);
        for sweep in 0..SWEEPS {
            match (sweep, b_red) {
                (0, Some(b_red)) => level.first_half_sweep(0, b_red, red),
                (0, None) => level.first_half_sweep(1, b_black, black),
                _ => level.half_sweep(0, b_red, black, red),
            }
            if sweep > 0 || !is_reduced {
                level.half_sweep(1, Some(b_black), red, black);
            }
        }
    }
    level.restrict_red(&levels[1], &columns[1], b_red, &x[0], &mut coarse_b[0]);
    descend(&levels[1..], solve, &columns[1..], coarse_b, coarse_x, false);
    let (red, black) = x[0].split_at_mut(level.slots);
    level.prolong_to_red(&coarse_x[0], red);
    for _ in 0..SWEEPS {
        level.half_sweep(1, Some(b_black), red, black);
        level.half_sweep(0, b_red, black, red);
    }
}

/// A model of the memory traffic, in which every array that a loop needs counts once: bytes of one colour of a level, and
/// of its cut cells.
struct Bytes {
    colour: u64,
    cuts: u64,
}

impl Bytes {
    fn of<const D: usize>(level: &Level<D>) -> Self {
        Self { colour: 4 * level.slots as u64, cuts: (level.cuts[0].len() * size_of::<Cut<D>>()) as u64 }
    }

    /// A half-sweep reads one colour and writes the other; the right-hand side comes on top.
    fn half_sweep(&self, has_b: bool) -> u64 {
        (2 + has_b as u64) * self.colour + self.cuts
    }
}

impl<const D: usize> Hierarchy<D> {
    /// Bytes that a V-cycle from the finest level moves.
    pub fn bytes_per_cycle(&self, is_reduced: bool) -> u64 {
        let last = self.levels.len() - 1;
        let level_bytes = |index: usize| {
            let bytes = Bytes::of(&self.levels[index]);
            let is_reduced = is_reduced && index == 0;
            let sweep = bytes.half_sweep(!is_reduced) + bytes.half_sweep(true);
            // The first half-sweep needs no other colour; on a reduced system there is one fewer.
            let first = bytes.colour + if is_reduced { bytes.half_sweep(false) } else { 0 };
            // Residual of red cells with their parents; correction of red cells with their parents.
            let transfers = (3 + !is_reduced as u64) * bytes.colour + bytes.cuts + 3 * bytes.colour;
            2 * SWEEPS as u64 * sweep - first + transfers
        };
        (0..last).map(level_bytes).sum()
    }

    /// Bytes that an iteration of conjugate gradients on the black cells moves, its cycle included.
    pub fn bytes_per_iteration(&self) -> u64 {
        let bytes = Bytes::of(&self.levels[0]);
        let (product, step) = (4 * bytes.colour + bytes.cuts, 10 * bytes.colour);
        self.bytes_per_cycle(true) + product + step
    }
}
