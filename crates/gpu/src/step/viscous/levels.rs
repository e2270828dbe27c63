//! Levels of a viscous system: their memory, and the multigrid cycle.

use std::ops::Range;

use bytemuck::Zeroable;
use unstick_liquid::{Rules, viscous_boxes};

use crate::arena::Space;
use crate::driver::Kernel;
use crate::error::GpuError;
use crate::layout::{
    DeviceViscous, MOST_SMALL_LEVELS, Pointer, SMALL_THREADS, VISCOUS_RIM, VISCOUS_RIM_ABOVE, ViscousLevel,
};
use crate::step::memory::{Counts, StepMemory};

/// Faces of a small level for each thread that works on it.
const FACES_OF_THREAD: usize = 4;

/// The boxes of all levels of a grid.
fn boxes_of(cells: &[usize]) -> Vec<Vec<usize>> {
    fn of<const D: usize>(size: [usize; D]) -> Vec<Vec<usize>> {
        viscous_boxes(size).iter().map(|cells| cells.to_vec()).collect()
    }
    match *cells {
        [x, y] => of([x, y]),
        [x, y, z] => of([x, y, z]),
        _ => Vec::new(),
    }
}

/// The same level with a box of this size.
fn with_box(level: ViscousLevel, cells: &[usize]) -> ViscousLevel {
    let (mut level, mut places) = (level, 1);
    (level.cells, level.shape, level.stride) = ([1; 3], [1; 3], [0; 3]);
    for (axis, &count) in cells.iter().enumerate() {
        let shape = count + VISCOUS_RIM + VISCOUS_RIM_ABOVE;
        (level.cells[axis], level.shape[axis], level.stride[axis]) = (count as i32, shape as i32, places as i32);
        places *= shape;
    }
    level.places = places as i32;
    level
}

/// Places of the faces of the largest box; none without viscosity.
pub fn most_faces(counts: &Counts) -> usize {
    let along = |count: &usize| count + VISCOUS_RIM + VISCOUS_RIM_ABOVE;
    let dimension = counts.shape.dimension;
    let places: usize = counts.shape.cells[..dimension].iter().map(along).product();
    if counts.is_viscous { dimension * places } else { 0 }
}

/// Takes the memory of viscous steps: that of the largest box, and of all levels.
pub fn lay_out(space: &mut Space, counts: &Counts) -> (DeviceViscous, Vec<ViscousLevel>) {
    let mut viscous = DeviceViscous::zeroed();
    if !counts.is_viscous {
        return (viscous, Vec::new());
    }
    let dimension = counts.shape.dimension;
    let (faces_of, pairs) = (|places: usize| dimension * places, dimension * (dimension - 1) / 2);
    let levels: Vec<ViscousLevel> = boxes_of(&counts.shape.cells[..dimension])
        .iter()
        .map(|cells| {
            let level = with_box(ViscousLevel::zeroed(), cells);
            let places = level.places as usize;
            let [cell, face, inverse, x, b, r, d] = std::array::from_fn(|_| space.take(faces_of(places)));
            ViscousLevel { cell, edge: space.take(pairs * places), face, inverse, x, b, r, d, ..level }
        })
        .collect();
    let (cells, places) = (counts.cells(), levels[0].places as usize);
    viscous.viscosity = if counts.has_law { space.take(places) } else { Pointer::NULL };
    viscous.drag = if counts.has_drags { space.take(cells) } else { Pointer::NULL };
    viscous.before = space.take(faces_of(places));
    (0..dimension).for_each(|axis| viscous.forced[axis] = space.take(counts.faces(axis)));
    (viscous.pressure_before, viscous.separated_before) = (space.take(cells), space.take(cells));
    let vectors = [&mut viscous.change, &mut viscous.residual, &mut viscous.direction, &mut viscous.product];
    vectors.into_iter().for_each(|vector| *vector = space.take(faces_of(places)));
    (viscous.sums, viscous.levels) = (space.take(1), space.take(MOST_SMALL_LEVELS));
    (viscous, levels)
}

impl StepMemory {
    /// The levels of a box.
    pub(super) fn levels_of<const D: usize>(&self, size: [usize; D]) -> Vec<ViscousLevel> {
        self.viscous_levels.iter().zip(viscous_boxes(size)).map(|(level, cells)| with_box(*level, &cells)).collect()
    }

    /// Puts a level and the next coarser one where kernels find them.
    fn set_level(&mut self, levels: &[ViscousLevel], level: usize) {
        let viscous = &mut self.step().viscous;
        viscous.fine = levels[level];
        viscous.coarse = levels.get(level + 1).copied().unwrap_or(ViscousLevel::zeroed());
    }

    /// A thread for each place of a level.
    pub(super) fn over_box(&mut self, levels: &[ViscousLevel], level: usize, kernel: Kernel) -> Result<(), GpuError> {
        self.set_level(levels, level);
        self.driver.launch_items(kernel, levels[level].places as usize, &self.args)
    }

    /// A thread for each place of the faces of a level.
    pub(super) fn over_box_faces(
        &mut self,
        levels: &[ViscousLevel],
        level: usize,
        kernel: Kernel,
    ) -> Result<(), GpuError> {
        self.set_level(levels, level);
        self.driver.launch_items(kernel, self.box_faces(levels, level), &self.args)
    }

    /// The same for kernels that end with totals.
    pub(super) fn total_over_box(&mut self, levels: &[ViscousLevel], kernel: Kernel) -> Result<(), GpuError> {
        self.set_level(levels, 0);
        self.total(kernel, self.box_faces(levels, 0))
    }

    fn box_faces(&self, levels: &[ViscousLevel], level: usize) -> usize {
        self.counts.shape.dimension * levels[level].places as usize
    }

    /// Makes all coarser systems, and lists those that a single launch works on.
    pub(super) fn coarsen_stress(&mut self, levels: &[ViscousLevel]) -> Result<(), GpuError> {
        for coarse in 1..levels.len() {
            self.set_level(levels, coarse - 1);
            self.driver.launch_items(Kernel::CoarsenViscous, levels[coarse].places as usize, &self.args)?;
            self.over_box(levels, coarse, Kernel::InvertViscous)?;
        }
        let small = &levels[self.first_small(levels)..];
        self.step().viscous.small_levels = small.len() as i32;
        self.driver.write(self.args.liquid.viscous.levels.address(), bytemuck::cast_slice(small))
    }

    /// The first level that is small: its faces are few for the threads of one launch that work in step.
    fn first_small(&self, levels: &[ViscousLevel]) -> usize {
        let threads = (self.driver.cluster() * SMALL_THREADS) as usize;
        let is_small = |&level: &usize| self.box_faces(levels, level) <= FACES_OF_THREAD * threads;
        let least = levels.len().saturating_sub(MOST_SMALL_LEVELS).max(1).min(levels.len() - 1);
        (least..levels.len()).find(is_small).unwrap_or(levels.len() - 1)
    }

    /// x ← M⁻¹ b on a level: a multigrid cycle, symmetric and positive. The finest level is never a small one.
    pub(super) fn cycle_stress(&mut self, levels: &mut [ViscousLevel], level: usize) -> Result<(), GpuError> {
        let steps = &self.args.liquid.viscous;
        let (degree, coarsest_degree) = (steps.degree as usize, steps.coarsest_degree as usize);
        let is_coarsest = level + 1 == levels.len();
        if level == 0 && is_coarsest {
            return self.smooth_stress(levels, level, true, degree..degree + coarsest_degree);
        }
        if level == self.first_small(levels) {
            debug_assert!(coarsest_degree % 2 == 0, "the iterate is where it was before the smoothings");
            return self.driver.launch(Kernel::SmallViscousCycle, self.driver.cluster(), SMALL_THREADS, &self.args);
        }
        self.smooth_stress(levels, level, true, 0..degree)?;
        self.over_box_faces(levels, level, Kernel::LeaveViscousResidual)?;
        self.driver.launch_items(Kernel::RestrictViscous, self.box_faces(levels, level + 1), &self.args)?;
        self.cycle_stress(levels, level + 1)?;
        self.over_box_faces(levels, level, Kernel::CorrectViscous)?;
        self.smooth_stress(levels, level, false, 0..degree)
    }

    /// Steps of Chebyshev's iteration, from x = 0 if it `starts`.
    fn smooth_stress(
        &mut self,
        levels: &mut [ViscousLevel],
        level: usize,
        starts: bool,
        turns: Range<usize>,
    ) -> Result<(), GpuError> {
        for turn in turns.clone() {
            let viscous = &mut self.step().viscous;
            (viscous.turn, viscous.starts) = (turn as i32, (starts && turn == turns.start) as i32);
            self.over_box_faces(levels, level, Kernel::SmoothViscous)?;
            swap_iterates(&mut levels[level]);
        }
        Ok(())
    }
}

/// The next iterate takes the place of the residual.
fn swap_iterates(ViscousLevel { x, r, .. }: &mut ViscousLevel) {
    std::mem::swap(x, r);
}

/// Sets what Chebyshev's iteration keeps and adds in each of its steps.
pub fn set_smoothing(viscous: &mut DeviceViscous) {
    let rules = Rules::NOW.viscous;
    let mut at = 0;
    for (degree, smoothed) in [rules.smoothing, rules.coarsest] {
        let (largest, smoothed) = (rules.largest_eigenvalue as f32, smoothed as f32);
        let (middle, half) = (0.5 * largest * (1.0 + smoothed), 0.5 * largest * (1.0 - smoothed));
        let mut ratio = half / middle;
        for step in 0..degree {
            let next = 1.0 / (2.0 * middle / half - ratio);
            (viscous.keep[at], viscous.add[at]) =
                if step == 0 { (0.0, 1.0 / middle) } else { (next * ratio, 2.0 * next / half) };
            ratio = if step == 0 { ratio } else { next };
            at += 1;
        }
    }
    (viscous.degree, viscous.coarsest_degree) = (rules.smoothing.0 as i32, rules.coarsest.0 as i32);
}
