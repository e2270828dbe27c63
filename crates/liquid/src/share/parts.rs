//! The state in parts: each rank stores what it has in its box, and any number of ranks, or one process, goes on with it.

use std::sync::Arc;

use unstick_grid::{CellField, Grid};
use unstick_mlcp::fields::Window;
use unstick_mlcp::ranks::Ranks;

use super::fields::{Places, Wire};
use super::{Share, SharedSimulation, WholeView};
use crate::error::SetupError;
use crate::particles::{Particles, cell_of};
use crate::setup::Setup;
use crate::simulation::Simulation;
use crate::state::LiquidState;

impl<const D: usize> SharedSimulation<D> {
    /// The cells of the box of each rank. No cell belongs to two of them.
    pub fn boxes(&self) -> Vec<Window<D>> {
        self.share.own.clone()
    }

    /// The state of the box of this rank, with the cells of the box as its grid. Particles are in the order of cells.
    pub fn own_state(&self) -> LiquidState<D> {
        let (me, from, setup) = (self.share.ranks.rank(), &self.part.state, &self.part.setup);
        let (own, local) = (self.share.own[me], self.share.local[me]);
        let inside = own.seen_from(local.first);
        let mut state = LiquidState::empty(&setup.grid.part(inside.first, inside.size));
        state.take_head(from);
        state.take_fields(own, from, local, self.share.cells());
        state.particles.next_id = from.particles.next_id;
        let nx = setup.grid.cells()[0];
        for line in self.share.own_lines() {
            let range = self.part.starts[line * nx] as usize..self.part.starts[(line + 1) * nx] as usize;
            state.particles.extend_from(&from.particles, range);
        }
        state
    }
}

impl<const D: usize> SharedSimulation<D> {
    /// What there is to see of the box of this rank, with the cells of the box as its grid. All ranks call this together.
    pub fn own_view(&self) -> WholeView<D> {
        let me = self.share.ranks.rank();
        let (own, local) = (self.share.own[me], self.share.local[me]);
        // The last face of a box is that of a neighbour.
        let mut velocity = self.part.state.velocity.clone();
        self.share.fill_faces(1, &mut velocity);
        let Self { part, .. } = self;
        let LiquidState { time, step, particles, pressure, separated, .. } = self.own_state();
        WholeView {
            time,
            step,
            surface: cut(Places::CELLS, part.surface().values(), own, local),
            solid: cut(Places::NODES, part.geometry.solid.values(), own, local),
            particles,
            velocity: std::array::from_fn(|axis| cut(Places::faces(axis), velocity[axis].values(), own, local)),
            pressure,
            separated,
        }
    }
}

/// The places of some cells, with those behind them, of a field in a larger part of the grid.
fn cut<const D: usize>(places: Places<D>, field: &[f64], own: Window<D>, local: Window<D>) -> CellField<f64, D> {
    let [own, local] = [own, local].map(|cells| places.of(&cells, |_| true));
    let mut values = CellField::filled(own.size, 0.0);
    own.seen_from(local.first).copy_from(local.size, field, 0, values.values_mut());
    values
}

impl<const D: usize> LiquidState<D> {
    /// Takes the state of a box of the grid that this one is of; `inside` are its cells. The state is whole once it has
    /// taken boxes that cover the grid.
    pub fn take_part(&mut self, part: &Self, inside: Window<D>) {
        let cells = self.pressure.shape();
        self.take_head(part);
        self.take_fields(Window::whole(cells), part, inside, cells);
        self.particles.next_id = part.particles.next_id;
        self.particles.extend_from(&part.particles, 0..part.particles.len());
    }

    /// What is no field.
    fn take_head(&mut self, from: &Self) {
        (self.time, self.step, self.last_step) = (from.time, from.step, from.last_step);
        (self.air, self.bodies, self.met) = (from.air.clone(), from.bodies.clone(), from.met.clone());
    }

    /// The fields in the cells that both have: this one has those of `here`, the other one those of `there`, and the grid
    /// has `cells`.
    fn take_fields(&mut self, here: Window<D>, from: &Self, there: Window<D>, cells: [usize; D]) {
        let copy = Copied { here, there, cells };
        copy.field(Places::CELLS, from.pressure.values(), self.pressure.values_mut());
        copy.field(Places::CELLS, from.liquid.values(), self.liquid.values_mut());
        copy.field(Places::CELLS, from.density.values(), self.density.values_mut());
        copy.field(Places::CELLS, from.separated.values(), self.separated.values_mut());
        for axis in 0..D {
            copy.field(Places::faces(axis), from.velocity[axis].values(), self.velocity[axis].values_mut());
        }
    }
}

impl<const D: usize> Particles<D> {
    /// Adds some of others, with the numbers that they have.
    fn extend_from(&mut self, from: &Self, range: std::ops::Range<usize>) {
        self.position.extend_from_slice(&from.position[range.clone()]);
        self.velocity.extend_from_slice(&from.velocity[range.clone()]);
        if !from.affine.is_empty() {
            self.affine.extend_from_slice(&from.affine[range.clone()]);
        }
        self.id.extend_from_slice(&from.id[range]);
    }
}

/// Two parts of a grid.
struct Copied<const D: usize> {
    here: Window<D>,
    there: Window<D>,
    cells: [usize; D],
}

impl<const D: usize> Copied<D> {
    /// Copies the values that the other part alone has, as far as they lie in this one.
    fn field<T: Wire>(&self, places: Places<D>, from: &[T], into: &mut [T]) {
        let [here, there] = [self.here, self.there].map(|cells| places.of(&cells, |_| true));
        let taken = places.own_of(&self.there, self.cells);
        if let Some(taken) = taken.common(&here) {
            let mut piece = vec![T::default(); taken.count()];
            taken.seen_from(there.first).copy_from(there.size, from, 0, &mut piece);
            taken.seen_from(here.first).copy_to(here.size, 0, &piece, into);
        }
    }
}

/// A simulation that many ranks are about to resume from parts.
pub struct Resuming<const D: usize> {
    setup: Setup<D>,
    local: Setup<D>,
    share: Arc<Share<D>>,
    state: LiquidState<D>,
}

impl<const D: usize> Resuming<D> {
    /// Begins, on all ranks; refuses what cannot be shared.
    pub fn new(setup: Setup<D>, ranks: Arc<dyn Ranks>) -> Result<Self, SetupError> {
        setup.check()?;
        let share = Arc::new(Share::new(&setup, ranks)?);
        let local = Setup { grid: share.grid(&setup.grid), ..setup.clone() };
        let state = LiquidState::empty(&local.grid);
        Ok(Self { setup, local, share, state })
    }

    /// Whether this rank needs the state of a box.
    pub fn needs(&self, cells: &Window<D>) -> bool {
        self.share.local[self.share.ranks.rank()].common(cells).is_some()
    }

    /// Takes what it needs of the state of a box.
    pub fn take(&mut self, part: &LiquidState<D>, cells: Window<D>) {
        let whole: Grid<D> = self.local.grid.whole();
        self.state.take_head(part);
        self.state.take_fields(self.share.local[self.share.ranks.rank()], part, cells, self.share.cells());
        let own = &mut self.state.particles;
        own.next_id = part.particles.next_id;
        for (index, &point) in part.particles.position.iter().enumerate() {
            if self.share.is_own(cell_of(&whole, point)) {
                own.extend_from(&part.particles, index..index + 1);
            }
        }
    }

    /// The simulation, once every rank has taken what it needs.
    pub fn finish(self) -> Result<SharedSimulation<D>, SetupError> {
        let Self { setup, local, share, state } = self;
        if !state.bodies.is_empty() {
            return Err(SetupError::OtherBodies(state.bodies.len()));
        }
        let part = Simulation::on_rank(local, state, share.clone())?;
        let mut shared = SharedSimulation { part, share, setup };
        shared.balance();
        Ok(shared)
    }
}
