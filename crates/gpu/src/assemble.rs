//! Problems made of fields on the device, and answers as fields.
//!
//! Fields of walls stay there on the whole grid; of all others the window that holds the liquid is sent, and comes
//! back, line by line.

use unstick_mlcp::fields::{PressureFields, Window};
use unstick_parallel as parallel;

use crate::arena::REDUCE_BLOCKS;
use crate::error::GpuError;
use crate::hierarchy::Device;
use crate::layout::{Address, AnswerTotals, Fields, Replace, RowTotals, THREADS};
use crate::machine::{Kernel, Machine};
use crate::resident::Resident;

/// The window's part of a field.
fn send<const D: usize>(
    machine: &mut dyn Machine,
    at: Address,
    window: Window<D>,
    shape: [usize; D],
    field: &[f64],
) -> Result<(), GpuError> {
    machine.send(at, window.count(), &|from, piece| window.copy_from(shape, field, from, piece))
}

/// Coordinates in three dimensions.
fn in_space<const D: usize>(place: [usize; D], missing: i32) -> [i32; 3] {
    std::array::from_fn(|axis| place.get(axis).map_or(missing, |&count| count as i32))
}

impl Resident {
    /// Where fields are; callers have asked for room for them.
    fn places(&self) -> Result<Fields, GpuError> {
        self.device.arena.fields.ok_or(GpuError::Unsupported("there is no room for fields"))
    }

    /// Brings fields and the iterate to the device. `is_sealed`: every row is an equation.
    pub fn upload_fields<const D: usize>(
        &mut self,
        fields: &PressureFields<D>,
        window: Window<D>,
        q: &[f64],
        is_sealed: bool,
    ) -> Result<(), GpuError> {
        let mut places = self.places()?;
        let wider = (0..D).fold(window, |window, axis| window.widened(axis, 1, 1, fields.cells));
        (places.spacing, places.control) = (fields.spacing, fields.control);
        (places.first, places.size) = (in_space(window.first, 0), in_space(window.size, 1));
        (places.liquid_first, places.liquid_size) = (in_space(wider.first, 0), in_space(wider.size, 1));
        places.is_sealed = is_sealed as i32;
        let (divergence, flow) = (places.divergence, places.flow);
        if fields.divergence.is_none() {
            places.divergence = 0;
        }
        if fields.walls.flow.is_none() {
            places.flow = [0; 3];
        }
        self.clear(1.0)?;
        self.device.machine.write(self.device.arena.base.fields, bytemuck::bytes_of(&places))?;
        self.upload_walls(fields, window, &places)?;
        let machine = &mut *self.device.machine;
        send(machine, places.liquid, wider, fields.cells, fields.liquid)?;
        send(machine, places.guess, window, fields.cells, q)?;
        if let Some(field) = fields.divergence {
            send(machine, divergence, window, fields.cells, field)?;
        }
        for axis in 0..D {
            let shape = fields.faces(axis);
            let faces = window.widened(axis, 0, 1, shape);
            send(machine, places.velocity[axis], faces, shape, fields.velocity[axis])?;
            if let Some(field) = fields.walls.flow {
                send(machine, flow[axis], faces, shape, field[axis])?;
            }
        }
        Ok(())
    }

    /// Walls, where they are others than those that are here: their planes along the last axis that hold liquid, or
    /// all of them once it has spread.
    fn upload_walls<const D: usize>(
        &mut self,
        fields: &PressureFields<D>,
        window: Window<D>,
        places: &Fields,
    ) -> Result<(), GpuError> {
        let needed = window.first[D - 1]..window.first[D - 1] + window.size[D - 1];
        let planes = match &self.wall_fields {
            Some((version, here)) if *version == fields.walls.version => {
                if here.start <= needed.start && needed.end <= here.end {
                    return Ok(());
                }
                0..fields.cells[D - 1]
            }
            _ => needed,
        };
        self.wall_fields = None; // until they are here
        let machine = &mut *self.device.machine;
        let plane = |shape: [usize; D]| shape[..D - 1].iter().product::<usize>();
        for axis in 0..D {
            let plane = plane(fields.faces(axis));
            let part = planes.start * plane..(planes.end + (axis == D - 1) as usize) * plane;
            let at = places.open[axis] + 8 * part.start as u64;
            machine.write(at, bytemuck::cast_slice(&fields.walls.open[axis][part]))?;
        }
        let part = planes.start * plane(fields.cells)..planes.end * plane(fields.cells);
        let at = part.start as u64;
        machine.write(places.cell_open + 8 * at, bytemuck::cast_slice(&fields.walls.cell_open[part.clone()]))?;
        machine.write(places.separating + at, bytemuck::cast_slice(&fields.walls.separating[part]))?;
        self.wall_fields = Some((fields.walls.version, planes));
        Ok(())
    }

    /// Makes the problem of the fields.
    pub fn assemble(&mut self, cells: usize) -> Result<RowTotals, GpuError> {
        let at = self.places()?.totals;
        let Device { machine, arena } = &mut self.device;
        let blocks = (cells as u32).div_ceil(THREADS);
        for kernel in [Kernel::AssembleRows, Kernel::JoinRows, Kernel::HoldRows] {
            machine.launch(kernel, blocks, THREADS, &arena.base)?;
        }
        machine.launch(Kernel::AssembleB, blocks.min(REDUCE_BLOCKS), THREADS, &arena.base)?;
        let mut totals = RowTotals::default();
        machine.read(at, bytemuck::bytes_of_mut(&mut totals))?;
        self.wall_rows = totals.walls as usize;
        self.norm = totals.reference.max(f64::MIN_POSITIVE);
        (self.loose, self.loose_rows) = (0, 0);
        Ok(totals)
    }

    /// Zero as the iterate.
    pub fn clear_iterate(&mut self) -> Result<(), GpuError> {
        let bytes = 16 * self.device.level(0).size as usize;
        self.device.machine.zero(self.device.arena.base.q, bytes)
    }

    /// Marks of the window's cells: after the assembly whether rows are held, after the judgement whether they have
    /// let go.
    pub fn marks(&mut self, cells: usize) -> Result<Vec<u8>, GpuError> {
        let mut marks = vec![0; cells];
        let at = self.places()?.marks;
        self.device.machine.read(at, &mut marks)?;
        Ok(marks)
    }

    /// Changes rows by their cells.
    pub fn replace(&mut self, what: Replace, cells: &[u32], values: &[f64]) -> Result<(), GpuError> {
        self.scatter((Kernel::ReplaceRows, what as i32), cells, values, 1)
    }

    /// What the answer is worth; it becomes a field.
    pub fn judge(&mut self, cells: usize) -> Result<AnswerTotals, GpuError> {
        let at = self.places()?.totals;
        let Device { machine, arena } = &mut self.device;
        let blocks = (cells as u32).div_ceil(THREADS).min(REDUCE_BLOCKS);
        machine.launch(Kernel::JudgeRows, blocks, THREADS, &arena.base)?;
        let mut totals = AnswerTotals::default();
        machine.read(at, bytemuck::bytes_of_mut(&mut totals))?;
        Ok(totals)
    }

    /// The answer back: zero and false outside of the window.
    pub fn download_fields<const D: usize>(
        &mut self,
        shape: [usize; D],
        window: Window<D>,
        q: &mut [f64],
        active: &mut [bool],
    ) -> Result<(), GpuError> {
        let marks = self.marks(window.count())?;
        parallel::for_each((&mut *q, &mut *active), |(q, active)| {
            q.fill(0.0);
            active.fill(false);
        });
        let marks: Vec<bool> = marks.into_iter().map(|mark| mark != 0).collect();
        window.copy_to(shape, 0, &marks, active);
        let answer = self.places()?.answer;
        self.device.machine.receive(answer, window.count(), &mut |from, piece| window.copy_to(shape, from, piece, q))
    }
}
