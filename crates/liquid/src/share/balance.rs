//! Boxes that follow the liquid.
//!
//! Now and then ranks count the particles of all lines of cells and cut the grid anew, where that makes the most loaded of
//! them faster. Fields and particles go to their new ranks; the simulation goes on with the same bits, for boxes do not
//! change any.

use std::sync::Arc;

use bytemuck::Zeroable;
use unstick_mlcp::ranks::Message;

use super::fields::{Places, Wire, put_in, words_in};
use super::particles::{pack, unpack, width};
use super::{Share, SharedSimulation};
use crate::particles::{Particles, cell_of};
use crate::setup::Setup;
use crate::simulation::Simulation;
use crate::state::LiquidState;

/// Steps after which the load is looked at. Liquid crosses a cell in a step, and boxes are tens of cells wide.
pub(super) const BALANCED_EVERY: u64 = 20;

/// What a cell costs beside its particles, in particles, as processor seconds of ranks with and without liquid say: a few
/// stages go through all cells.
const COST_OF_CELL: f64 = 0.1;

/// Boxes move if the most loaded rank then has this part of its load at most: moving costs some steps.
const WORTH_MOVING: f64 = 0.9;

impl<const D: usize> SharedSimulation<D> {
    /// Moves the boxes if that is worth it. All ranks find the same.
    pub(super) fn balance(&mut self) {
        let share = self.share.clone();
        let (cells, nx) = (share.cells(), share.cells()[0]);
        let weights = share.weights(nx, &self.part.starts);
        let beside = COST_OF_CELL * nx as f64;
        let boxes = share.boxes.balanced(&weights, beside, share.halo);
        let [now, then] = [&share.boxes, &boxes].map(|boxes| boxes.largest_load(&weights, beside, share.halo));
        if then > WORTH_MOVING * now {
            return;
        }
        let to = Arc::new(Share::of_boxes(cells, boxes, share.halo, share.ranks.clone()));
        let local = Setup { grid: to.grid(&self.setup.grid), ..self.setup.clone() };
        let state = share.move_state(&to, &local, &self.part);
        let moved = Simulation::on_rank(local, state, to.clone()).expect("the setup was accepted before");
        let before = std::mem::replace(&mut self.part, moved);
        self.part.guard = before.guard;
        self.share = to;
    }
}

impl<const D: usize> Share<D> {
    /// What all lines of cells cost, in particles.
    fn weights(&self, nx: usize, starts: &[u32]) -> Vec<f64> {
        let [_, ny, nz] = self.boxes.shape();
        let mut counts = vec![0i64; ny * nz];
        for line in self.own_lines() {
            counts[self.line_in_whole(line) as usize] = i64::from(starts[(line + 1) * nx] - starts[line * nx]);
        }
        self.ranks.sum(&mut counts);
        counts.into_iter().map(|count| count as f64 + COST_OF_CELL * nx as f64).collect()
    }

    /// The state that a rank has when the boxes have moved; the particles are those in its box.
    fn move_state(&self, to: &Self, local: &Setup<D>, part: &Simulation<D>) -> LiquidState<D> {
        let mut state = LiquidState::empty(&local.grid);
        let before = &part.state;
        (state.time, state.step, state.last_step) = (before.time, before.step, before.last_step);
        state.met.clone_from(&before.met);
        self.move_field(to, Places::CELLS, before.pressure.values(), state.pressure.values_mut());
        self.move_field(to, Places::CELLS, before.liquid.values(), state.liquid.values_mut());
        self.move_field(to, Places::CELLS, before.density.values(), state.density.values_mut());
        for axis in 0..D {
            let places = Places::faces(axis);
            self.move_field(to, places, before.velocity[axis].values(), state.velocity[axis].values_mut());
        }
        self.move_field(to, Places::CELLS, before.separated.values(), state.separated.values_mut());
        state.particles = self.move_particles(to, part);
        state
    }

    /// Gives each rank the places of its new part, with the halo.
    fn move_field<T: Wire>(&self, to: &Self, places: Places<D>, from: &[T], into: &mut [T]) {
        let me = self.ranks.rank();
        let (here, there) = (self.local_places(&places, me), to.local_places(&places, me));
        let own = self.own_places(&places, me);
        let taken = |rank: usize| self.own_places(&places, rank).common(&there);
        let mut swaps = (0..self.ranks.count())
            .map(|rank| {
                let sent = own.common(&to.local_places(&places, rank));
                let mut going = Vec::new();
                if let Some(sent) = sent {
                    words_in(sent.seen_from(here.first), here.size, from, &mut going);
                }
                (rank, going, vec![T::Word::zeroed(); taken(rank).map_or(0, |taken| taken.count())])
            })
            .collect::<Vec<_>>();
        let (_, going, coming): &mut (usize, Vec<T::Word>, Vec<T::Word>) = &mut swaps[me];
        std::mem::swap(going, coming);
        let others = swaps.iter_mut().filter(|(rank, ..)| *rank != me);
        let messages = others.map(|(rank, going, coming)| Message::swap(*rank, going, coming));
        self.ranks.exchange(&mut messages.collect::<Vec<_>>());
        for (rank, _, coming) in &swaps {
            if let Some(taken) = taken(*rank) {
                put_in(taken.seen_from(there.first), there.size, coming, into);
            }
        }
    }

    /// The particles of its new box, in the order of their cells.
    fn move_particles(&self, to: &Self, part: &Simulation<D>) -> Particles<D> {
        let Simulation { setup, state, starts, .. } = part;
        let (nx, whole, me) = (setup.grid.cells()[0], setup.grid.whole(), self.ranks.rank());
        let mut known = state.particles.clone();
        let is_affine = self.is_affine(&mut known);
        let mut going: Vec<Vec<u64>> = vec![Vec::new(); self.ranks.count()];
        for line in self.own_lines() {
            for index in starts[line * nx]..starts[(line + 1) * nx] {
                let cell = cell_of(&whole, known.position[index as usize]);
                let owner = to.boxes.owner(std::array::from_fn(|axis| *cell.get(axis + 1).unwrap_or(&0)));
                going[owner].push(self.line_in_whole(line));
                pack(&known, index as usize, is_affine, &mut going[owner]);
            }
        }
        let next_id = known.next_id;
        drop(known);
        let others: Vec<usize> = (0..self.ranks.count()).filter(|&rank| rank != me).collect();
        let own = std::mem::take(&mut going[me]);
        let sent: Vec<Vec<u64>> = others.iter().map(|&rank| std::mem::take(&mut going[rank])).collect();
        let mut came = self.swap(&others, &sent);
        came.push(own);
        // No line belongs to two ranks.
        let step = 1 + width::<D>(is_affine);
        let mut all: Vec<&[u64]> = came.iter().flat_map(|words| words.chunks_exact(step)).collect();
        all.sort_by_key(|words| words[0]);
        let mut particles = Particles { next_id, ..Particles::default() };
        all.into_iter().for_each(|words| unpack(&words[1..], is_affine, &mut particles));
        particles
    }
}
