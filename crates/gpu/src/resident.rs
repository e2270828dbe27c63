//! A problem that lives on the device.

use std::ops::Range;
use std::time::{Duration, Instant};

use unstick_mlcp::{Lattice, Mlcp, PressureOperator};

use crate::arena::{Arena, Source};
use crate::error::GpuError;
use crate::hierarchy::Device;
use crate::layout::{Args, Level, Scalars, Settle, THREADS, Vector};
use crate::machine::{Kernel, Machine, Recording};

/// Tiles of a lattice for each that has liquid, where it is worth a thought that all of these may stay on the device.
const SPARSEST: u32 = 8;

/// Launches that every problem of a shape repeats.
#[derive(Default)]
pub(crate) struct Recordings {
    pub start: Option<Recording>,
    /// Sweeps near the walls, and the policy: before the active set has settled, and afterwards.
    pub choices: [Option<Recording>; 2],
    pub truncation: Option<Recording>,
    pub iteration: Option<Recording>,
    /// Conjugate gradients in double precision, with directions in their places and exchanged.
    pub batches: [Option<Recording>; 2],
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Rows or fields to the device.
    pub upload: Duration,
    /// Rows made of fields, on the device.
    pub assembly: Duration,
    /// Levels and couplings, on the device.
    pub setup: Duration,
    /// The solve proper, on the device.
    pub solve: Duration,
    /// The answer back.
    pub download: Duration,
}

/// The memory of one lattice, used for one problem after the other.
pub(crate) struct Resident {
    pub device: Device,
    pub recordings: Recordings,
    dimension: usize,
    shape: [usize; 3],
    /// Complementary rows.
    pub wall_rows: usize,
    /// Components that must keep a pinned row, and rows of them.
    pub loose: usize,
    pub loose_rows: usize,
    /// What iterates conjugate gradients, if the [crew](crate::machine::Crew) has room for their vectors.
    pub crew_kernel: Option<Kernel>,
    rows: usize,
    /// Which walls are here, and how many planes of them.
    pub(crate) wall_fields: Option<(u64, Range<usize>)>,
    /// Changes of the active set, all in all and before the last policy.
    pub changes: [i32; 2],
    /// The last residual, and the unit of the loads that came with it.
    pub norm: f64,
    pub load_unit: f64,
}

impl Resident {
    pub fn new(
        mut machine: Box<dyn Machine>,
        dimension: usize,
        shape: [usize; 3],
        source: Source,
        vectors: &[Vector],
    ) -> Result<Self, GpuError> {
        // Lattices of which the liquid would have to fill the least part take no memory for it.
        let can_stay = machine.crew().kernel(Level::new(dimension, shape, 1.0).tile_count() / SPARSEST).is_some();
        let vectors: Vec<Vector> = vectors.iter().copied().filter(|vector| can_stay || !vector.is_of_crew()).collect();
        let arena = Arena::new(&mut *machine, dimension, shape, source, &vectors)?;
        Ok(Self {
            device: Device { machine, arena },
            recordings: Recordings::default(),
            dimension,
            shape,
            wall_rows: 0,
            loose: 0,
            loose_rows: 0,
            crew_kernel: None,
            rows: 0,
            wall_fields: None,
            changes: [0; 2],
            norm: 1.0,
            load_unit: 1.0,
        })
    }

    /// Whether a problem fits into the memory as it is.
    pub fn suits(&self, dimension: usize, shape: [usize; 3], source: Source) -> bool {
        let has_room = match source {
            Source::Rows(rows) => rows <= self.device.arena.rows.capacity,
            Source::Fields { has_flow } => {
                self.device.arena.fields.is_some_and(|fields| !has_flow || fields.flow[0] > 0)
            }
        };
        (self.dimension, self.shape) == (dimension, shape) && has_room
    }

    /// The machine alone, if it has the kernels of that dimension.
    pub fn into_machine(self, dimension: usize) -> Option<Box<dyn Machine>> {
        (self.dimension == dimension).then_some(self.device.machine)
    }

    /// Brings a problem and its iterate to the device.
    pub fn upload<const D: usize>(
        &mut self,
        operator: &PressureOperator<D>,
        problem: &Mlcp,
        loose: &[Vec<u32>],
        q: &[f64],
    ) -> Result<(), GpuError> {
        debug_assert_eq!(self.dimension, D, "kernels and operator");
        let cells = operator.lattice().cells();
        self.rows = cells.len();
        self.norm = problem.residual_at_zero().max(f64::MIN_POSITIVE);
        self.clear(operator.unit())?;
        let Device { machine, arena } = &mut self.device;
        let staging = arena.rows;
        let is_zero = q.iter().all(|&value| value == 0.0);
        machine.write(staging.cells, bytemuck::cast_slice(cells))?;
        machine.write(staging.values, bytemuck::cast_slice(problem.b()))?;
        let more = staging.values + 8 * self.rows as u64;
        if !is_zero {
            machine.write(more, bytemuck::cast_slice(q))?;
        }
        let args = Args {
            rows: self.rows as i32,
            cells: staging.cells,
            values: staging.values,
            more: if is_zero { 0 } else { more },
            ..arena.base
        };
        machine.launch(Kernel::ScatterRows, (self.rows as u32).div_ceil(THREADS), THREADS, &args)?;

        let width = 1 + 2 * D;
        let (mut places, mut stencils) = (Vec::new(), Vec::new());
        for (row, stencil) in operator.cut_stencils() {
            places.push(cells[row]);
            stencils.push(stencil.diagonal);
            stencils.extend(stencil.towards.iter().flatten());
        }
        self.scatter((Kernel::ScatterCuts, 0), &places, &stencils, width)?;

        let walls = (0..self.rows).filter(|&row| problem.is_wall(row));
        let (places, lower): (Vec<u32>, Vec<f64>) = walls.map(|row| (cells[row], problem.lower()[row])).unzip();
        self.wall_rows = places.len();
        self.scatter((Kernel::ScatterWalls, 0), &places, &lower, 1)?;

        self.list_loose(loose, operator.lattice())
    }

    /// Room for another problem, whose inner couplings are `unit`.
    pub(crate) fn clear(&mut self, unit: f64) -> Result<(), GpuError> {
        self.changes = [0; 2];
        let Device { machine, arena } = &mut self.device;
        machine.zero(arena.start, arena.cleared)?;
        if std::mem::replace(&mut arena.base.unit, unit) != unit {
            self.recordings = Recordings::default(); // it is written in them
        }
        Ok(())
    }

    /// Components that must keep a pinned row, by rows of a lattice.
    pub(crate) fn list_loose(&mut self, loose: &[Vec<u32>], lattice: &Lattice) -> Result<(), GpuError> {
        self.loose = loose.len();
        self.loose_rows = loose.iter().map(Vec::len).sum();
        if self.loose > 0 {
            let level = self.device.level(0);
            let cell = |row: u32| level.cell_at(lattice.place(row as usize));
            let members = loose.iter().enumerate();
            let list: Vec<u32> =
                members.flat_map(|(index, rows)| rows.iter().flat_map(move |&row| [cell(row), index as u32])).collect();
            let Device { machine, arena } = &mut self.device;
            machine.write(arena.rows.values, bytemuck::cast_slice(&list))?;
        }
        Ok(())
    }

    /// Hands a list of cells with `width` numbers each to a kernel, in as many portions as needed.
    pub(crate) fn scatter(
        &mut self,
        (kernel, mode): (Kernel, i32),
        cells: &[u32],
        values: &[f64],
        width: usize,
    ) -> Result<(), GpuError> {
        let Device { machine, arena } = &mut self.device;
        let portion = (2 * arena.rows.capacity / width).min(arena.rows.capacity).max(1);
        for (cells, values) in cells.chunks(portion).zip(values.chunks(portion * width)) {
            machine.write(arena.rows.cells, bytemuck::cast_slice(cells))?;
            machine.write(arena.rows.values, bytemuck::cast_slice(values))?;
            let (rows, values) = (cells.len() as i32, arena.rows.values);
            let args = Args { mode, rows, cells: arena.rows.cells, values, ..arena.base };
            machine.launch(kernel, (rows as u32).div_ceil(THREADS), THREADS, &args)?;
        }
        Ok(())
    }

    /// Levels and couplings; wall rows are lifted to their bounds.
    pub fn set_up(&mut self) -> Result<(), GpuError> {
        self.device.set_up()?;
        self.device.launch(Kernel::ListNear, &self.device.args(0))?;
        let args = Args { mode: Settle::Lift as i32, ..self.device.args(0) };
        self.device.launch_listed(Kernel::SettleFine, &args)
    }

    /// The iterate back.
    pub fn download(&mut self, cells: &[u32], q: &mut [f64]) -> Result<(), GpuError> {
        let Device { machine, arena } = &mut self.device;
        machine.write(arena.rows.cells, bytemuck::cast_slice(cells))?;
        let mut args = Args { rows: cells.len() as i32, cells: arena.rows.cells, ..arena.base };
        args.vectors[0] = arena.rows.values;
        machine.launch(Kernel::GatherRows, (cells.len() as u32).div_ceil(THREADS), THREADS, &args)?;
        machine.read(arena.rows.values, bytemuck::cast_slice_mut(q))
    }

    /// Counts changes of pinned rows from zero.
    pub fn clear_changes(&mut self) -> Result<(), GpuError> {
        let at = self.device.arena.base.scalars + std::mem::offset_of!(Scalars, changes) as u64;
        self.device.machine.zero(at, size_of::<i32>())
    }

    /// Waits for the device.
    pub fn wait(&mut self) -> Result<Instant, GpuError> {
        self.device.scalars()?;
        Ok(Instant::now())
    }
}
