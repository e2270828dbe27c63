//! A simulation that many processes share, with the bits of one.
//!
//! Each process, a *rank*, has a box of the grid with a halo of cells around it, and runs the stages of a step as they are
//! on that part. What a stage computes in the box depends on what lies within a few cells of it. So the halo is filled anew
//! from the neighbours between stages, wherever its outermost values would get into a box otherwise: see
//! [`Share::fill`]. A stage works, and the halo is filled, only as far around the box as later stages look: see
//! [`cells_near`]. Particles are known in the box and in one layer of cells around it. They move to another rank at the
//! end of a step, in the order that one process would have them in: by cell, then by where they came from.
//!
//! What else ranks say to each other:
//!
//! | what | how |
//! |---|---|
//! | the pressure, and the displacement that holds the density | [`unstick_mlcp::ranks`] |
//! | gaps among wet cells | all ranks list the cells that have dried |
//! | places at which particles enter | all ranks list them with their room |
//! | the numbers of particles | counts of lines of cells |
//! | volumes, energies, the largest speed | exact sums of lines, maxima |
//!
//! Where the liquid moves, the boxes move: see [`balance`].
//!
//! Lines of cells along the first axis are never cut. A part begins at a multiple of the [period](PERIOD) in which
//! particles add to the grid, so that the order of sums is that of the whole.

mod balance;
mod fields;
mod particles;
mod parts;
mod simulation;
#[cfg(test)]
mod tests;

pub use parts::Resuming;
pub use simulation::{SharedSimulation, WholeView};

pub(crate) use fields::Places;

use std::sync::Arc;

use unstick_grid::{FaceField, Grid};
use unstick_mlcp::fields::{RankPart, Window};
use unstick_mlcp::ranks::{Boxes, Ranks, Reductions};
use unstick_mlcp::{Method, PressureMethod};
use unstick_parallel as parallel;
use unstick_parallel::exact::ExactSum;

use crate::air::Air;
use crate::cells::lines_within;
use crate::error::{SetupError, StepError};
use crate::particles::tiles::PERIOD;
use crate::setup::{Setup, Transport};
use crate::surface::Dried;

/// The velocity beyond the liquid is needed within so many cells of a box: one to interpolate between faces, one to look
/// beyond a wall. The layers to which it is carried begin that much further out.
pub(crate) const BEYOND: usize = 2;

/// Layers of faces to which the gathered velocity is carried on, for the forces.
pub(crate) const GATHERED_LAYERS: usize = 2;

/// Cells of the halo beyond the layers of the velocity: one more for the gradient of the pressure.
const BEYOND_LAYERS: usize = BEYOND + GATHERED_LAYERS + 1;

/// The density is needed within so many cells of a box: in the blocks beside its own, and for the distance to the liquid in
/// closed cells beside it.
pub(crate) const DENSITY: usize = 2;

/// Particles move through as many cells less than the halo has: faces around them are interpolated.
const TO_INTERPOLATE: usize = 2;

/// What a rank has of a grid.
pub(crate) struct Share<const D: usize> {
    pub ranks: Arc<dyn Ranks>,
    boxes: Boxes,
    /// The cells of the box of each rank, in the whole.
    own: Vec<Window<D>>,
    /// The same with the halo.
    local: Vec<Window<D>>,
    /// Cells of the halo.
    halo: usize,
}

impl<const D: usize> Share<D> {
    /// Cuts the grid of a setup; refuses what cannot be shared. All ranks find the same.
    pub fn new(setup: &Setup<D>, ranks: Arc<dyn Ranks>) -> Result<Self, SetupError> {
        refuse(setup)?;
        let cells = setup.grid.cells();
        let boxes = Boxes::new(&cells, ranks.count())?;
        let halo = (setup.layers() + BEYOND_LAYERS).next_multiple_of(2);
        Ok(Self::of_boxes(cells, boxes, halo, ranks))
    }

    fn of_boxes(cells: [usize; D], boxes: Boxes, halo: usize, ranks: Arc<dyn Ranks>) -> Self {
        let along = |rank: usize, axis: usize| match axis {
            0 => 0..cells[0],
            axis => boxes.own(rank)[axis - 1].clone(),
        };
        let window = |rank: usize, halo: usize, period: usize| {
            let first = std::array::from_fn(|axis| along(rank, axis).start.saturating_sub(halo) / period * period);
            let end = |axis: usize| (along(rank, axis).end + halo).min(cells[axis]);
            Window { first, size: std::array::from_fn(|axis| end(axis) - first[axis]) }
        };
        let all = 0..ranks.count();
        let (own, local) = (all.clone().map(|rank| window(rank, 0, 1)), all.map(|rank| window(rank, halo, PERIOD)));
        Self { own: own.collect(), local: local.collect(), halo, boxes, ranks }
    }

    /// The cells of this rank, those of the halo among them.
    pub fn grid(&self, whole: &Grid<D>) -> Grid<D> {
        let Window { first, size } = self.local[self.ranks.rank()];
        whole.part(first, size)
    }

    /// Its box, counted from the first cell that it has.
    pub fn inside(&self) -> Window<D> {
        let me = self.ranks.rank();
        self.own[me].seen_from(self.local[me].first)
    }

    /// What a solver of fields must know of it.
    pub fn part(&self) -> RankPart<D> {
        RankPart { ranks: self.ranks.clone(), boxes: self.boxes.clone(), inside: self.inside() }
    }

    /// The same for a solver on blocks of so many cells along each axis.
    pub fn part_of_blocks(&self, side: usize) -> RankPart<D> {
        let inside = self.inside_of(&Places::CELLS.of_blocks(side));
        RankPart { ranks: self.ranks.clone(), boxes: self.boxes.of_blocks(side), inside }
    }

    /// Whether a cell of the whole lies in the box.
    pub fn is_own(&self, cell: [usize; D]) -> bool {
        let Window { first, size } = self.own[self.ranks.rank()];
        (0..D).all(|axis| (first[axis]..first[axis] + size[axis]).contains(&cell[axis]))
    }

    /// Whether it lies in the box or beside it.
    pub fn is_known(&self, cell: [usize; D]) -> bool {
        let Window { first, size } = self.rim(self.ranks.rank());
        (0..D).all(|axis| (first[axis]..first[axis] + size[axis]).contains(&cell[axis]))
    }

    /// The box of a rank with the layer of cells around it in which it knows particles.
    fn rim(&self, rank: usize) -> Window<D> {
        self.around(rank, 1)
    }

    /// The cells of a rank within `reach` of its box, which is no more than the halo.
    fn around(&self, rank: usize, reach: usize) -> Window<D> {
        let shape = std::array::from_fn(|axis| self.local[rank].first[axis] + self.local[rank].size[axis]);
        (1..D).fold(self.own[rank], |around, axis| around.widened(axis, reach, reach, shape))
    }

    /// How far particles may move in a step, in cells.
    pub fn most_cells(&self) -> f64 {
        (self.halo - TO_INTERPOLATE) as f64
    }

    /// Whether a cell of those that the rank has lies in its box.
    pub fn has_inside(&self, cell: [usize; D]) -> bool {
        let Window { first, size } = self.inside();
        (0..D).all(|axis| (first[axis]..first[axis] + size[axis]).contains(&cell[axis]))
    }

    /// The largest of numbers that are not negative, of all ranks.
    pub fn largest(&self, number: f64) -> f64 {
        let [largest] = self.ranks.largest([number]);
        largest
    }

    /// A count of all ranks.
    pub fn total(&self, count: usize) -> usize {
        let [total] = self.ranks.total([count]);
        total
    }

    /// The cells that have dried on all ranks.
    pub fn all_dried(&self, own: &[Dried]) -> Vec<Dried> {
        let words: Vec<u64> = own.iter().flat_map(|dried| [dried.cell, dried.sides]).collect();
        let all = self.ranks.gather_all(&words).concat();
        all.as_chunks().0.iter().map(|&[cell, sides]| Dried { cell, sides }).collect()
    }

    /// Fills the halo of a velocity as far as particles of the box look in a time of `dt`. Refuses one that moves them
    /// further than ranks know of each other.
    pub fn fill_reach(
        &self,
        grid: &Grid<D>,
        velocity: &mut FaceField<f64, D>,
        (time, dt): (f64, f64),
    ) -> Result<(), StepError> {
        let largest_of = |line: &[f64]| line.iter().fold(0.0, |most, value| parallel::larger(most, value.abs()));
        let of_axis = |axis: usize| {
            let (shape, values, own) =
                (grid.faces(axis), velocity[axis].values(), self.inside_of(&Places::faces(axis)));
            parallel::max(0..values.len(), |range| {
                let lines = lines_within(own, shape, range);
                lines.map(|(at, part)| largest_of(&values[at..at + part.len()])).fold(0.0, parallel::larger)
            })
        };
        let fastest = (0..D).map(of_axis).fold(0.0, parallel::larger);
        let (cells, most) = (self.largest(fastest) * dt / grid.spacing(), self.most_cells());
        if cells > most || cells.is_nan() {
            return Err(StepError::TooFar { time, cells, most });
        }
        self.fill_faces(cells.ceil() as usize + TO_INTERPOLATE, velocity);
        Ok(())
    }

    /// An error of any rank, on all of them.
    pub fn agree(&self, time: f64, result: Result<(), StepError>) -> Result<(), StepError> {
        let [failures] = self.ranks.total([result.is_err() as usize]);
        match result {
            Ok(()) if failures > 0 => Err(StepError::OtherRank { time }),
            result => result,
        }
    }
}

/// Refuses what is not shared yet.
fn refuse<const D: usize>(setup: &Setup<D>) -> Result<(), SetupError> {
    let is_best = matches!(setup.pressure.solver, PressureMethod::Solver(name) if name.method() == Method::Best);
    let refused = [
        (setup.air != Air::Open, "enclosed air"),
        (setup.has_stress(), "viscosity and friction"),
        (setup.tension > 0.0, "surface tension"),
        // The air of such a run falls ever faster, and its faces look back further than ranks know of each other.
        (setup.transport == Transport::SemiLagrangian, "semi-Lagrangian transport"),
        (!is_best, "a pressure solver other than `best`"),
    ];
    match refused.into_iter().find(|(is_asked_for, _)| *is_asked_for) {
        Some((_, what)) => Err(SetupError::NotShared(what)),
        None => Ok(()),
    }
}

/// The lines of cells (or blocks, or nodes) of a window: places along all axes but the first.
pub(crate) fn lines_of<const D: usize>(shape: [usize; D], window: Window<D>) -> Vec<usize> {
    let mut across = window;
    (across.first[0], across.size[0]) = (0, 1);
    let shape = std::array::from_fn(|axis| if axis == 0 { 1 } else { shape[axis] });
    (0..across.count()).map(|line| across.cell_of(shape, line)).collect()
}

/// The cells of this rank within `reach` of its box: all of them where no others share the grid.
pub(crate) fn cells_near<const D: usize>(share: Option<&Share<D>>, reach: usize, grid: &Grid<D>) -> Window<D> {
    share.map_or(Window::whole(grid.cells()), |share| {
        let me = share.ranks.rank();
        share.around(me, reach).seen_from(share.local[me].first)
    })
}

/// The places of a lattice of `shape` that count on this rank: all of them where no others share it.
pub(crate) fn places_inside<const D: usize>(
    share: Option<&Share<D>>,
    places: Places<D>,
    shape: [usize; D],
) -> Window<D> {
    share.map_or(Window::whole(shape), |share| share.inside_of(&places))
}

/// Sums over lines, added exactly: the same bits for any number of threads and of ranks. Each line gives its terms.
pub(crate) fn sum_of_lines<const N: usize, const D: usize>(
    share: Option<&Share<D>>,
    lines: &[usize],
    of_line: impl Fn(usize) -> [f64; N] + Sync,
) -> [f64; N] {
    let of_lines = |lines: &[usize]| {
        let mut sums = [ExactSum::default(); N];
        for &line in lines {
            sums.iter_mut().zip(of_line(line)).for_each(|(sum, term)| sum.add(term));
        }
        sums
    };
    let join = |mut one: [ExactSum; N], other: [ExactSum; N]| {
        one.iter_mut().zip(&other).for_each(|(one, other)| one.merge(other));
        one
    };
    let mut sums = parallel::fold_scattered(lines, &of_lines, &join);
    if let Some(share) = share {
        let mut words: Vec<i64> = sums.iter_mut().flat_map(|sum| sum.words().to_vec()).collect();
        share.ranks.sum(&mut words);
        let parts = words.chunks(words.len() / N);
        sums.iter_mut().zip(parts).for_each(|(sum, words)| sum.words().copy_from_slice(words));
    }
    sums.map(|sum| sum.value())
}
