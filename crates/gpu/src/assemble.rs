//! Fields to the device, problems assembled from them there, and answers back as fields.
//!
//! Fields of walls stay on the device, for the whole grid. Of all other fields only the window that holds the liquid is
//! copied, row by row.

use bytemuck::Pod;
use unstick_grid::{CellField, FaceField};
use unstick_mlcp::fields::{MIN_THETA, PressureFields, Window};
use unstick_parallel as parallel;

use crate::arena::Extras;
use crate::driver::{Driver, Kernel};
use crate::error::GpuError;
use crate::layout::{AnswerTotals, DeviceFields, Pointer, RowTotals, THREADS};
use crate::problem::{DeviceProblem, LoadedWalls};

/// Sends the part of a field inside a window.
fn send<const D: usize>(
    driver: &mut dyn Driver,
    at: Pointer<f64>,
    window: Window<D>,
    shape: [usize; D],
    field: &[f64],
) -> Result<(), GpuError> {
    driver.send(at, window.count(), &|from, piece| window.copy_from(shape, field, from, piece))
}

/// Coordinates in three dimensions, with a value for the axis that a plane lacks.
fn in_space<const D: usize>(place: [usize; D], missing: i32) -> [i32; 3] {
    std::array::from_fn(|axis| place.get(axis).map_or(missing, |&count| count as i32))
}

/// A problem given as fields, without the fields.
pub(crate) struct FieldShape<const D: usize> {
    pub cells: [usize; D],
    /// The part of the grid that holds liquid.
    pub window: Window<D>,
    pub spacing: f64,
    pub control: f64,
    /// Whether every row is an equation.
    pub is_sealed: bool,
    pub has_divergence: bool,
    pub extras: Extras,
}

/// What a problem has beside the fields of every problem.
pub(crate) fn extras_of<const D: usize>(fields: &PressureFields<D>) -> Extras {
    Extras { has_flow: fields.walls.flow.is_some(), has_lower: fields.lower.is_some() }
}

/// The window of the distance to the liquid: one more cell on each side.
pub(crate) fn wider<const D: usize>(window: Window<D>, cells: [usize; D]) -> Window<D> {
    (0..D).fold(window, |window, axis| window.widened(axis, 1, 1, cells))
}

impl DeviceProblem {
    /// Where fields arrive. Callers have asked for memory for them.
    fn fields(&self) -> Result<DeviceFields, GpuError> {
        self.device.arena.fields.ok_or(GpuError::Unsupported("there is no room for fields"))
    }

    /// Copies fields and the iterate to the device. `is_sealed`: every row is an equation.
    pub fn upload_fields<const D: usize>(
        &mut self,
        fields: &PressureFields<D>,
        window: Window<D>,
        q: &[f64],
        is_sealed: bool,
    ) -> Result<(), GpuError> {
        let on_device = self.fields()?;
        let wider = wider(window, fields.cells);
        self.begin_fields(&FieldShape {
            cells: fields.cells,
            window,
            spacing: fields.spacing,
            control: fields.control,
            is_sealed,
            has_divergence: fields.divergence.is_some(),
            extras: extras_of(fields),
        })?;
        self.upload_walls(fields, window)?;
        let driver = &mut *self.device.driver;
        send(driver, on_device.liquid, wider, fields.cells, fields.liquid)?;
        send(driver, on_device.guess, window, fields.cells, q)?;
        if let Some(field) = fields.lower {
            send(driver, on_device.lower, window, fields.cells, field)?;
        }
        if let Some(field) = fields.divergence {
            send(driver, on_device.divergence, window, fields.cells, field)?;
        }
        for axis in 0..D {
            let shape = fields.faces(axis);
            let faces = window.widened(axis, 0, 1, shape);
            send(driver, on_device.velocity[axis], faces, shape, fields.velocity[axis])?;
            if let Some(field) = fields.walls.flow {
                send(driver, on_device.flow[axis], faces, shape, field[axis])?;
            }
        }
        Ok(())
    }

    /// Clears the memory for a problem given as fields, and describes them there.
    pub fn begin_fields<const D: usize>(&mut self, shape: &FieldShape<D>) -> Result<Pointer<DeviceFields>, GpuError> {
        let on_device = self.fields()?;
        let (window, wider) = (shape.window, wider(shape.window, shape.cells));
        let described = DeviceFields {
            spacing: shape.spacing,
            control: shape.control,
            min_theta: MIN_THETA,
            window_first: in_space(window.first, 0),
            window_size: in_space(window.size, 1),
            window_cells: window.count() as i32,
            liquid_first: in_space(wider.first, 0),
            liquid_size: in_space(wider.size, 1),
            is_sealed: shape.is_sealed as i32,
            divergence: if shape.has_divergence { on_device.divergence } else { Pointer::NULL },
            flow: if shape.extras.has_flow { on_device.flow } else { [Pointer::NULL; 3] },
            lower: if shape.extras.has_lower { on_device.lower } else { Pointer::NULL },
            ..on_device
        };
        self.clear(1.0)?;
        let at = self.device.arena.base.fields;
        self.device.driver.write(at.address(), bytemuck::bytes_of(&described))?;
        Ok(at)
    }

    /// Copies walls to the device, unless they are there. At first these are the planes along the last axis that hold
    /// liquid, and all planes once the liquid has spread.
    pub fn upload_walls<const D: usize>(
        &mut self,
        fields: &PressureFields<D>,
        window: Window<D>,
    ) -> Result<(), GpuError> {
        let on_device = self.fields()?;
        let needed = window.first[D - 1]..window.first[D - 1] + window.size[D - 1];
        let version = fields.walls.version;
        let planes = match &self.loaded_walls {
            Some(loaded) if loaded.version == version => {
                if loaded.planes.start <= needed.start && needed.end <= loaded.planes.end {
                    return Ok(());
                }
                0..fields.cells[D - 1]
            }
            _ => needed,
        };
        self.loaded_walls = None; // until the copies have succeeded
        let driver = &mut *self.device.driver;
        let plane = |shape: [usize; D]| shape[..D - 1].iter().product::<usize>();
        for axis in 0..D {
            let plane = plane(fields.faces(axis));
            let part = planes.start * plane..(planes.end + (axis == D - 1) as usize) * plane;
            let at = on_device.open[axis].at(part.start);
            driver.write(at.address(), bytemuck::cast_slice(&fields.walls.open[axis][part]))?;
        }
        let part = planes.start * plane(fields.cells)..planes.end * plane(fields.cells);
        let at = on_device.cell_open.at(part.start);
        driver.write(at.address(), bytemuck::cast_slice(&fields.walls.cell_open[part.clone()]))?;
        let at = on_device.separating.at(part.start);
        driver.write(at.address(), bytemuck::cast_slice(&fields.walls.separating[part]))?;
        self.loaded_walls = Some(LoadedWalls { version, planes });
        Ok(())
    }

    /// Assembles the matrix of the problem of the fields, its bounds and its iterate.
    pub fn assemble_matrix(&mut self, cells: usize) -> Result<(), GpuError> {
        let args = self.device.arena.base;
        [Kernel::AssembleRows, Kernel::JoinComponents, Kernel::HoldComponents]
            .into_iter()
            .try_for_each(|kernel| self.device.driver.launch_items(kernel, cells, &args))
    }

    /// Assembles b, and reads what the host needs to know of the rows.
    pub fn assemble_b(&mut self, cells: usize) -> Result<RowTotals, GpuError> {
        let totals: RowTotals = self.total(Kernel::AssembleB, cells, self.fields()?.row_totals)?;
        self.wall_rows = totals.walls as usize;
        self.norm = totals.reference.max(f64::MIN_POSITIVE);
        (self.loose_components, self.loose_rows) = (0, 0);
        Ok(totals)
    }

    /// Runs a kernel that ends with totals over all cells of the window, and reads them.
    fn total<T: Pod>(&mut self, kernel: Kernel, cells: usize, at: Pointer<T>) -> Result<T, GpuError> {
        let driver = &mut self.device.driver;
        let blocks = (cells as u32).div_ceil(THREADS).min(driver.full_blocks());
        driver.launch(kernel, blocks, THREADS, &self.device.arena.base)?;
        let mut totals = T::zeroed();
        driver.read(at.address(), bytemuck::bytes_of_mut(&mut totals))?;
        Ok(totals)
    }

    /// Makes the iterate zero.
    pub fn clear_iterate(&mut self) -> Result<(), GpuError> {
        let bytes = size_of::<f64>() * self.device.level(0).entries();
        self.device.driver.zero(self.device.arena.base.q.address(), bytes)
    }

    /// After the assembly: whether the component of each cell of the window has air.
    pub fn held(&mut self, cells: usize) -> Result<Vec<u8>, GpuError> {
        let at = self.fields()?.held;
        self.read_bytes(at, cells)
    }

    fn read_bytes(&mut self, at: Pointer<u8>, count: usize) -> Result<Vec<u8>, GpuError> {
        let mut bytes = vec![0; count];
        self.device.driver.read(at.address(), &mut bytes)?;
        Ok(bytes)
    }

    /// Turns the answer into a field and measures it.
    pub fn measure_answer(&mut self, cells: usize) -> Result<AnswerTotals, GpuError> {
        let at = self.fields()?.answer_totals;
        self.total(Kernel::MeasureAnswer, cells, at)
    }

    /// The least scaled pressure of every cell, as the device has found it; zero outside of the window.
    pub fn download_lower<const D: usize>(
        &mut self,
        window: Window<D>,
        lower: &mut CellField<f64, D>,
    ) -> Result<(), GpuError> {
        let (at, shape) = (self.fields()?.lower, lower.shape());
        let mut take = |from: usize, piece: &[f64]| window.copy_to(shape, from, piece, lower.values_mut());
        self.device.driver.receive(at, window.count(), &mut take)
    }

    /// The velocity before the pressure, as it was handed over; unchanged outside of the window.
    pub fn download_velocity<const D: usize>(
        &mut self,
        window: Window<D>,
        velocity: &mut FaceField<f64, D>,
    ) -> Result<(), GpuError> {
        let from = self.fields()?.velocity;
        for (axis, field) in velocity.iter_mut().enumerate() {
            let shape = field.shape();
            let faces = window.widened(axis, 0, 1, shape);
            let mut take = |from: usize, piece: &[f64]| faces.copy_to(shape, from, piece, field.values_mut());
            self.device.driver.receive(from[axis], faces.count(), &mut take)?;
        }
        Ok(())
    }

    /// Copies an answer that the host has found to where the device leaves its own.
    pub fn upload_answer<const D: usize>(
        &mut self,
        shape: [usize; D],
        window: Window<D>,
        q: &[f64],
        active: &[bool],
    ) -> Result<(), GpuError> {
        let on_device = self.fields()?;
        let mut let_go = vec![false; window.count()];
        window.copy_from(shape, active, 0, &mut let_go);
        let driver = &mut *self.device.driver;
        driver.write(on_device.let_go.address(), bytemuck::cast_slice(&let_go))?;
        send(driver, on_device.answer, window, shape, q)?;
        self.wait().map(drop)
    }

    /// Copies the answer back. It is zero and `false` outside of the window.
    pub fn download_fields<const D: usize>(
        &mut self,
        shape: [usize; D],
        window: Window<D>,
        q: &mut [f64],
        active: &mut [bool],
    ) -> Result<(), GpuError> {
        let on_device = self.fields()?;
        let let_go = self.read_bytes(on_device.let_go, window.count())?;
        parallel::for_each((&mut *q, &mut *active), |(q, active)| {
            q.fill(0.0);
            active.fill(false);
        });
        let let_go: Vec<bool> = let_go.into_iter().map(|byte| byte != 0).collect();
        window.copy_to(shape, 0, &let_go, active);
        let mut take = |from: usize, piece: &[f64]| window.copy_to(shape, from, piece, q);
        self.device.driver.receive(on_device.answer, window.count(), &mut take)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_lies_in_space() {
        assert_eq!(in_space([3, 4], 1), [3, 4, 1]);
        assert_eq!(in_space([3, 4, 5], 1), [3, 4, 5]);
    }
}
