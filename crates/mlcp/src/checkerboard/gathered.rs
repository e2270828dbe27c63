//! The last level that ranks share, gathered on the first of them, which goes on alone: there the cells are too few to be
//! worth a message.

mod rows;

use super::cycle::Hierarchy;
use super::krylov::Reduced;
use super::level::Level;
use super::nested::NestedStart;
use super::policy::LevelProblem;
use crate::pressure::lines::{Frame, Line};
use crate::ranks::{Reductions, Share};

/// The levels from the gathered one on.
#[derive(Default)]
pub(super) struct Gathered<const D: usize> {
    /// Only the first rank has them.
    whole: Option<Whole<D>>,
    /// How many values of the gathered level each rank has: its own of both colours, then with ghosts, then cells that may
    /// be pinned.
    lengths: [Vec<usize>; 3],
}

#[derive(Default)]
struct Whole<const D: usize> {
    hierarchy: Hierarchy<D>,
    parts: Vec<Place>,
    start: NestedStart,
    problem: LevelProblem,
}

/// Where the values of a rank are.
struct Place {
    /// The slot of each of its slots: own ones, then ghosts.
    slots: Vec<u32>,
    /// How many are its own.
    own: usize,
    /// The numbers of its cells that may be pinned.
    walls: Vec<u32>,
}

impl Place {
    fn of<const D: usize>(level: &Level<D>, frame: &Frame) -> Self {
        let [ny, nz] = level.lines.frame.columns;
        let mut place = Self { slots: Vec::new(), own: 0, walls: Vec::new() };
        for column in 0..frame.count() {
            let [y, z] = frame.place_in_grid(column);
            if y < ny && z < nz {
                let slots = |line| (0..Level::<D>::slots_of(line)).map(move |slot| line.base + slot);
                place.slots.extend(level.lines.of(y + ny * z).iter().flat_map(slots));
            }
            if column + 1 == frame.own() {
                place.own = place.slots.len();
            }
        }
        place
    }

    /// The slot of a slot of the rank.
    fn slot(&self, slot: u32) -> u32 {
        self.slots[slot as usize - 1]
    }
}

impl<const D: usize> Gathered<D> {
    /// Gathers a level of which each rank has a part, with its own cells that may be pinned.
    pub fn rebuild(&mut self, share: &Share, level: &Level<D>, walls: &[u32]) {
        let (ranks, depth) = (&*share.ranks, share.boxes.shared_levels());
        let of_line = |line: &Line| [line.column, line.from, line.length];
        let lines = ranks.gather(&level.lines.own().iter().map(of_line).collect::<Vec<_>>(), None);
        let rows = ranks.gather(&rows::words(level), None);
        let packed: Vec<u32> = walls.iter().map(|&cell| rows::pack(level.split(cell as usize))).collect();
        let walls = ranks.gather(&packed, None);
        self.lengths = [2 * (level.end - 1), 2 * (level.slots - 2), packed.len()].map(|length| ranks.lengths(length));
        if ranks.rank() != 0 {
            return;
        }
        let Whole { hierarchy, parts, .. } = self.whole.get_or_insert_default();
        let frames: Vec<Frame> = (0..ranks.count()).map(|rank| share.boxes.frame_at(rank, depth)).collect();
        hierarchy.levels.resize_with(hierarchy.levels.len().max(1), Level::default);
        let finest = &mut hierarchy.levels[0];
        finest.lay_out_lines(share.boxes.shape_at(depth), level.unit, frames.iter().zip(&lines));
        *parts = frames.iter().map(|frame| Place::of(finest, frame)).collect();
        let cells_of = |part: &Place, walls: &[u32], slots: usize| -> Vec<u32> {
            let cell = |(colour, slot)| part.slot(slot as u32) + (colour * slots) as u32;
            walls.iter().map(|&wall| cell(rows::unpack(wall))).collect()
        };
        for (part, walls) in parts.iter().zip(&walls) {
            let cells = cells_of(part, walls, finest.slots);
            cells.into_iter().for_each(|cell| finest.bounded[cell as usize] = true);
        }
        finest.take_rows(parts, &rows);
        hierarchy.add_coarse_levels();
        let slots = hierarchy.levels[0].slots;
        for (part, walls) in parts.iter_mut().zip(&walls) {
            let number = |cell: u32| hierarchy.walls[0].partition_point(|&wall| wall < cell) as u32;
            part.walls = cells_of(part, walls, slots).into_iter().map(number).collect();
        }
    }

    /// Follows a level some of whose cells, which ascend, have changed.
    pub fn update(&mut self, share: &Share, level: &Level<D>, changed: &[u32]) {
        let rows = share.ranks.gather(&rows::words_of(level, changed), None);
        let Some(Whole { hierarchy, parts, .. }) = &mut self.whole else { return };
        let mut affected = Vec::new();
        let finest = &mut hierarchy.levels[0];
        for (part, rows) in parts.iter().zip(&rows) {
            finest.replace_rows(part, rows, &mut affected);
        }
        if affected.is_empty() {
            return;
        }
        if !finest.parents.is_empty() {
            affected.iter_mut().for_each(|cell| *cell = finest.parents[*cell as usize]);
        }
        hierarchy.follow(1, affected);
    }

    /// x ← M b, one V-cycle from zero; ghosts of `x` are filled. With `is_reduced` red cells have no right-hand side.
    pub fn cycle(&mut self, share: &Share, level: &Level<D>, b: &[f32], x: &mut [f32], is_reduced: bool) {
        let values = share.ranks.gather(&own_values(level, b), Some(&self.lengths[0]));
        if let Some(Whole { hierarchy, parts, .. }) = &mut self.whole {
            spread(parts, &values, &mut hierarchy.b[0]);
            hierarchy.cycle(0, is_reduced);
        }
        self.send_back(share, level, |whole| &whole.hierarchy.x[0], x);
    }

    /// Solves the problem on the level approximately: from a start on coarser ones alone, or with a few policies then.
    pub fn solve(
        &mut self,
        share: &Share,
        level: &Level<D>,
        reduced: &mut Reduced,
        problem: &mut LevelProblem,
        with_policies: bool,
    ) {
        let LevelProblem { load, floor, x, .. } = problem;
        let loads = share.ranks.gather(&own_values(level, load), Some(&self.lengths[0]));
        let floors = share.ranks.gather(floor, Some(&self.lengths[2]));
        if let Some(Whole { hierarchy, parts, start, problem }) = &mut self.whole {
            problem.begin(hierarchy, 0);
            spread(parts, &loads, &mut problem.load);
            for (part, floors) in parts.iter().zip(&floors) {
                part.walls.iter().zip(floors).for_each(|(&wall, &floor)| problem.floor[wall as usize] = floor);
            }
            hierarchy.nested_start(reduced, start, problem);
            if with_policies {
                hierarchy.improve(reduced, 0, problem);
            }
        }
        self.send_back(share, level, |whole| &whole.problem.x, x);
    }

    /// Hands values of the whole level back to all ranks, with those of their ghosts.
    fn send_back(&self, share: &Share, level: &Level<D>, values: impl Fn(&Whole<D>) -> &[f32], x: &mut [f32]) {
        let count = level.slots - 2;
        let mut received = vec![0.0f32; 2 * count];
        let parts = self.whole.as_ref().map_or_else(Vec::new, |whole| {
            let (red, black) = values(whole).split_at(whole.hierarchy.levels[0].slots);
            let of =
                |slots: &[u32], colour: &[f32]| slots.iter().map(|&slot| colour[slot as usize]).collect::<Vec<_>>();
            let of_part = |part: &Place| [of(&part.slots, red), of(&part.slots, black)].concat();
            whole.parts.iter().map(of_part).collect()
        });
        share.ranks.hand_out(&parts, &self.lengths[1], &mut received);
        let (red, black) = received.split_at(count);
        x[1..=count].copy_from_slice(red);
        x[level.slots + 1..][..count].copy_from_slice(black);
    }
}

/// The values of own cells, red ones and then black ones.
fn own_values<const D: usize>(level: &Level<D>, x: &[f32]) -> Vec<f32> {
    [&x[1..level.end], &x[level.slots + 1..][..level.end - 1]].concat()
}

/// Puts the own values of all ranks, red ones and then black ones, where they are on the whole level.
fn spread(parts: &[Place], values: &[Vec<f32>], x: &mut [f32]) {
    let slots = x.len() / 2;
    for (part, values) in parts.iter().zip(values) {
        let (red, black) = values.split_at(part.own);
        for ((&slot, red), black) in part.slots.iter().zip(red).zip(black) {
            x[slot as usize] = *red;
            x[slots + slot as usize] = *black;
        }
    }
}
