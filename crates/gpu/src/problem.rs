//! A problem in the memory of the device.

use std::ops::Range;
use std::time::{Duration, Instant};

use unstick_mlcp::{Lattice, Mlcp, PressureOperator};

use crate::arena::{Arena, Extras, ProblemShape, Source};
use crate::driver::{Driver, Kernel, Recording};
use crate::error::GpuError;
use crate::hierarchy::Device;
use crate::layout::{Args, Pointer, Replace, Scalars, Settle, Vector};

/// A cooperative grid gets memory if it has room for this part of a lattice; liquid seldom fills less.
const SPARSEST: u32 = 8;

/// Launches that every problem of a shape repeats.
#[derive(Clone, Copy)]
pub(crate) enum Repeated {
    /// Levels and lists.
    SetUp,
    /// The nested start.
    Start,
    /// The sweeps near walls and the policy, while the active set changes.
    Policy,
    /// The same once the active set has settled.
    SettledPolicy,
    Truncation,
    /// The first iteration of conjugate gradients on black cells, with all that begins them.
    FirstIteration,
    /// A later one.
    Iteration,
    /// A batch of conjugate gradients in double precision.
    Batch,
    /// The same with the directions exchanged.
    ExchangedBatch,
}

const REPEATED: usize = Repeated::ExchangedBatch as usize + 1;

/// Where the time of a solve went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Copying rows or fields to the device.
    pub upload: Duration,
    /// Assembling rows from fields.
    pub assembly: Duration,
    /// Setting up levels and couplings.
    pub setup: Duration,
    /// The iteration.
    pub solve: Duration,
    /// Copying the answer back.
    pub download: Duration,
}

/// The planes of walls that are on the device.
pub(crate) struct LoadedWalls {
    pub version: u64,
    /// Planes along the last axis.
    pub planes: Range<usize>,
}

/// The memory for one lattice, used for one problem after the other.
pub(crate) struct DeviceProblem {
    pub device: Device,
    /// By [`Repeated`].
    recordings: [Option<Recording>; REPEATED],
    shape: ProblemShape,
    /// Complementary rows.
    pub wall_rows: usize,
    /// Components that must keep a pinned row.
    pub loose_components: usize,
    /// Rows of these components.
    pub loose_rows: usize,
    /// The kernel of the cooperative grid, if it has room for the vectors of conjugate gradients.
    pub cooperative_kernel: Option<Kernel>,
    pub loaded_walls: Option<LoadedWalls>,
    /// Changes of the active set so far.
    pub changes: i32,
    /// The same before the last policy.
    pub changes_before: i32,
    /// The last natural residual that was not zero.
    pub norm: f64,
    /// The unit of the loads on the device, in velocity.
    pub load_unit: f64,
}

impl DeviceProblem {
    pub fn new(
        mut driver: Box<dyn Driver>,
        shape: ProblemShape,
        source: Source,
        vectors: &[Vector],
    ) -> Result<Self, GpuError> {
        let has_room = driver.cooperative_grid().kernel(shape.level().tile_count() / SPARSEST).is_some();
        let vectors = vectors.iter().copied().filter(|vector| has_room || !vector.is_cooperative());
        let arena = Arena::new(&mut *driver, shape, source, &vectors.collect::<Vec<_>>())?;
        Ok(Self {
            device: Device { driver, arena },
            recordings: Default::default(),
            shape,
            wall_rows: 0,
            loose_components: 0,
            loose_rows: 0,
            cooperative_kernel: None,
            loaded_walls: None,
            changes: 0,
            changes_before: 0,
            norm: 1.0,
            load_unit: 1.0,
        })
    }

    /// Whether a problem fits into this memory.
    pub fn suits(&self, shape: ProblemShape, source: Source) -> bool {
        let has_room = match source {
            Source::Rows(rows) => rows <= self.device.arena.row_buffer.capacity,
            Source::Fields(Extras { has_flow, has_lower }) => self.device.arena.fields.is_some_and(|fields| {
                (!has_flow || !fields.flow[0].is_null()) && (!has_lower || !fields.lower.is_null())
            }),
        };
        self.shape == shape && has_room
    }

    /// The driver alone, if it has the kernels of that dimension.
    pub fn into_driver(self, dimension: usize) -> Option<Box<dyn Driver>> {
        (self.shape.dimension == dimension).then_some(self.device.driver)
    }

    /// Copies a problem and its iterate to the device.
    pub fn upload<const D: usize>(
        &mut self,
        operator: &PressureOperator<D>,
        problem: &Mlcp,
        loose: &[Vec<u32>],
        q: &[f64],
    ) -> Result<(), GpuError> {
        debug_assert_eq!(self.shape.dimension, D, "kernels and operator");
        let cells = operator.lattice().cells();
        self.norm = problem.residual_at_zero().max(f64::MIN_POSITIVE);
        self.clear(operator.unit())?;
        let Device { driver, arena } = &mut self.device;
        let (row_cells, row_values) = (arena.row_buffer.cells, arena.row_buffer.values);
        driver.write(row_cells.address(), bytemuck::cast_slice(cells))?;
        driver.write(row_values.address(), bytemuck::cast_slice(problem.b()))?;
        let mut row_guess = Pointer::NULL;
        if q.iter().any(|&value| value != 0.0) {
            row_guess = row_values.at(cells.len());
            driver.write(row_guess.address(), bytemuck::cast_slice(q))?;
        }
        let args = Args { rows: cells.len() as i32, row_cells, row_values, row_guess, ..arena.base };
        driver.launch_items(Kernel::ScatterRows, cells.len(), &args)?;

        let (mut cut_cells, mut stencils) = (Vec::new(), Vec::new());
        for (row, stencil) in operator.cut_stencils() {
            cut_cells.push(cells[row]);
            stencils.push(stencil.diagonal);
            stencils.extend(stencil.towards.iter().flatten());
        }
        self.scatter(Kernel::ScatterCuts, self.device.arena.base, &cut_cells, &stencils, 1 + 2 * D)?;

        let walls = (0..cells.len()).filter(|&row| problem.is_wall(row));
        let (wall_cells, lower): (Vec<u32>, Vec<f64>) = walls.map(|row| (cells[row], problem.lower()[row])).unzip();
        self.wall_rows = wall_cells.len();
        self.scatter(Kernel::ScatterWalls, self.device.arena.base, &wall_cells, &lower, 1)?;

        self.list_loose(loose, operator.lattice())
    }

    /// Clears the memory for another problem, in which the coupling of two inner cells is `unit`.
    pub fn clear(&mut self, unit: f64) -> Result<(), GpuError> {
        (self.changes, self.changes_before) = (0, 0);
        let Device { driver, arena } = &mut self.device;
        driver.zero(arena.start, arena.cleared)?;
        if std::mem::replace(&mut arena.base.unit, unit) != unit {
            self.recordings = Default::default(); // they contain the unit
        }
        Ok(())
    }

    /// Lists the components that must keep a pinned row, given by rows of a lattice.
    pub fn list_loose(&mut self, loose: &[Vec<u32>], lattice: &Lattice) -> Result<(), GpuError> {
        self.loose_components = loose.len();
        self.loose_rows = loose.iter().map(Vec::len).sum();
        if self.loose_components > 0 {
            let level = self.device.level(0);
            let cell = |row: u32| level.cell_at(lattice.place(row as usize));
            let components = (0..).zip(loose);
            let list: Vec<u32> = components
                .flat_map(|(component, rows)| rows.iter().flat_map(move |&row| [cell(row), component]))
                .collect();
            let Device { driver, arena } = &mut self.device;
            driver.write(arena.row_buffer.values.address(), bytemuck::cast_slice(&list))?;
        }
        Ok(())
    }

    /// Runs a kernel on a list of cells with `width` numbers each, in as many portions as the buffer needs.
    fn scatter(
        &mut self,
        kernel: Kernel,
        args: Args,
        cells: &[u32],
        values: &[f64],
        width: usize,
    ) -> Result<(), GpuError> {
        let Device { driver, arena } = &mut self.device;
        let buffer = arena.row_buffer;
        let portion = portion(buffer.capacity, width);
        for (cells, values) in cells.chunks(portion).zip(values.chunks(portion * width)) {
            driver.write(buffer.cells.address(), bytemuck::cast_slice(cells))?;
            driver.write(buffer.values.address(), bytemuck::cast_slice(values))?;
            let rows = cells.len() as i32;
            let args = Args { rows, row_cells: buffer.cells, row_values: buffer.values, ..args };
            driver.launch_items(kernel, cells.len(), &args)?;
        }
        Ok(())
    }

    /// Changes rows, given by their cells.
    pub fn replace(&mut self, replace: Replace, cells: &[u32], values: &[f64]) -> Result<(), GpuError> {
        let args = Args { replace: replace as i32, ..self.device.arena.base };
        self.scatter(Kernel::ReplaceRows, args, cells, values, 1)
    }

    /// Sets up the hierarchy and moves wall rows up to their bounds.
    pub fn set_up(&mut self) -> Result<(), GpuError> {
        self.replay(Repeated::SetUp, |problem| {
            problem.device.set_up()?;
            let args = Args { settle: Settle::Lift as i32, ..problem.device.args(0) };
            problem.device.launch(Kernel::ListNear, &args)?;
            problem.device.launch_listed(Kernel::SettleFine, &args)
        })
    }

    /// Copies the iterate of rows back.
    pub fn download(&mut self, cells: &[u32], q: &mut [f64]) -> Result<(), GpuError> {
        let Device { driver, arena } = &mut self.device;
        let (row_cells, row_answer) = (arena.row_buffer.cells, arena.row_buffer.values);
        driver.write(row_cells.address(), bytemuck::cast_slice(cells))?;
        let args = Args { rows: cells.len() as i32, row_cells, row_answer, ..arena.base };
        driver.launch_items(Kernel::GatherRows, cells.len(), &args)?;
        driver.read(row_answer.address(), bytemuck::cast_slice_mut(q))
    }

    /// Counts changes of pinned rows from zero.
    pub fn clear_changes(&mut self) -> Result<(), GpuError> {
        let at = self.device.arena.base.scalars.address() + std::mem::offset_of!(Scalars, changes) as u64;
        self.device.driver.zero(at, size_of::<i32>())
    }

    /// Waits for the device.
    pub fn wait(&mut self) -> Result<Instant, GpuError> {
        self.device.scalars()?;
        Ok(Instant::now())
    }

    /// Replays launches, which are recorded the first time.
    pub fn replay(
        &mut self,
        repeated: Repeated,
        launches: impl FnOnce(&mut Self) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        if self.recordings[repeated as usize].is_none() {
            self.device.driver.begin_recording()?;
            let launched = launches(self);
            let recording = self.device.driver.end_recording()?;
            launched?;
            self.recordings[repeated as usize] = Some(recording);
        }
        self.recordings[repeated as usize].map_or(Ok(()), |recording| self.device.driver.replay(recording))
    }
}

/// Rows of `width` numbers that fit into a buffer for `capacity` cells and twice as many numbers.
fn portion(capacity: usize, width: usize) -> usize {
    (2 * capacity / width).min(capacity).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_fit_into_the_buffer() {
        for (capacity, width) in [(1, 1), (10, 1), (10, 2), (10, 5), (1000, 7)] {
            let rows = portion(capacity, width);
            assert!(rows <= capacity && rows * width <= 2 * capacity, "{capacity} cells, {width} numbers");
        }
    }

    #[cfg(feature = "emulation")]
    #[test]
    fn memory_with_room_serves_later_problems() {
        let driver = Box::new(crate::driver::EmulatedDriver::new(2, 1));
        let shape = ProblemShape::of(&[8, 6]);
        let problem = DeviceProblem::new(driver, shape, Source::Rows(20), &[]).unwrap();
        assert!(problem.suits(shape, Source::Rows(20)) && !problem.suits(shape, Source::Rows(21)));
        assert!(!problem.suits(ProblemShape::of(&[8, 7]), Source::Rows(20)));
        assert!(!problem.suits(shape, Source::Fields(Extras::default())));
        assert!(problem.into_driver(3).is_none());
    }
}
