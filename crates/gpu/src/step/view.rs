//! What there is to see of a liquid, on its way to the host while the next step runs: in single precision, and nothing
//! but what pictures and files show.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use unstick_grid::{CellField, FaceField, Grid, multi_index};
use unstick_parallel as parallel;

use super::memory::StepMemory;
use crate::driver::{Download, Part, room_of};
use crate::error::GpuError;
use crate::layout::Pointer;

/// What there is to see of a liquid at one moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LiquidView<const D: usize> {
    /// Simulated seconds.
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// The surface: distance to the liquid at cell centres with films on solids, negative inside.
    pub surface: CellField<f64, D>,
    /// Distance to solids at the nodes, negative inside.
    pub solid: CellField<f64, D>,
    /// Where the particles are.
    pub positions: Vec<[f64; D]>,
    /// How they move.
    pub velocities: Vec<[f64; D]>,
    /// Their numbers.
    pub ids: Vec<u64>,
    /// Velocity across the faces.
    pub velocity: FaceField<f64, D>,
    /// Pressure in every cell divided by density.
    pub pressure: CellField<f64, D>,
    /// Cells whose wall has let go.
    pub separated: CellField<bool, D>,
}

/// A view that is on its way. Steps go on meanwhile, and any thread may wait for it.
pub struct PendingView<const D: usize> {
    download: Box<dyn Download>,
    grid: Grid<D>,
    particles: usize,
    moment: (f64, u64),
    /// Solids that do not move come from the host.
    still: Option<Arc<CellField<f64, D>>>,
}

/// The parts of a download one after the other.
struct Parts<'a> {
    bytes: &'a [u8],
}

impl<'a> Parts<'a> {
    fn take<T: Pod>(&mut self, count: usize) -> &'a [T] {
        let part = (0, count * size_of::<T>());
        let (own, rest) = self.bytes.split_at(room_of(&part));
        self.bytes = rest;
        bytemuck::cast_slice(&own[..part.1])
    }

    fn take_field<const D: usize>(&mut self, shape: [usize; D], unit: f64) -> CellField<f64, D> {
        let values: &[f32] = self.take(shape.iter().product());
        let mut field = CellField::filled(shape, 0.0);
        parallel::for_each((field.values_mut(), values), |(to, from)| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = unit * f64::from(*from));
        });
        field
    }

    /// A number along each axis for every particle.
    fn take_rows<const D: usize>(&mut self, count: usize) -> Vec<[f64; D]> {
        let columns: [&[f32]; D] = std::array::from_fn(|_| self.take(count));
        let row = |index: usize| std::array::from_fn(|axis| f64::from(columns[axis][index]));
        let mut rows = parallel::filled(count, [0.0; D]);
        parallel::for_each((0..count, rows.as_mut_slice()), |(range, rows): (Range<usize>, &mut [[f64; D]])| {
            range.zip(rows).for_each(|(index, slot)| *slot = row(index));
        });
        rows
    }
}

impl<const D: usize> PendingView<D> {
    /// Waits until all of it has arrived.
    pub fn wait(mut self) -> Result<LiquidView<D>, GpuError> {
        let (grid, count, (time, step)) = (self.grid, self.particles, self.moment);
        let (cells, spacing, origin) = (grid.cells(), grid.spacing(), grid.origin());
        let mut parts = Parts { bytes: self.download.wait()? };
        let of_particle: &[u32] = parts.take(count);
        let ids = parts.take::<u32>(count).iter().map(|id| u64::from(*id)).collect();
        let (mut positions, velocities) = (parts.take_rows(count), parts.take_rows(count));
        parallel::for_each((positions.as_mut_slice(), of_particle), |(positions, of_particle)| {
            for (point, cell) in positions.iter_mut().zip(of_particle) {
                let cell = multi_index(cells, *cell as usize);
                *point = std::array::from_fn(|axis| origin[axis] + spacing * (cell[axis] as f64 + point[axis]));
            }
        });
        let velocity = std::array::from_fn(|axis| parts.take_field(grid.faces(axis), 1.0));
        let surface = parts.take_field(cells, spacing);
        let pressure = parts.take_field(cells, 1.0);
        let mut separated = CellField::filled(cells, false);
        let marks: &[u8] = parts.take(grid.len());
        separated.values_mut().iter_mut().zip(marks).for_each(|(to, mark)| *to = *mark != 0);
        let solid = match self.still.take() {
            Some(still) => (*still).clone(),
            None => parts.take_field(cells.map(|count| count + 1), spacing),
        };
        Ok(LiquidView { time, step, surface, solid, positions, velocities, ids, velocity, pressure, separated })
    }
}

impl StepMemory {
    /// Begins to bring a view to the host.
    pub fn begin_view<const D: usize>(
        &mut self,
        grid: &Grid<D>,
        moment: (f64, u64),
        still: Option<Arc<CellField<f64, D>>>,
    ) -> Result<PendingView<D>, GpuError> {
        fn part<T>(at: Pointer<T>, count: usize) -> Part {
            (at.address(), count * size_of::<T>())
        }
        let (step, count, cells) = (self.args.liquid, self.counts.particles, self.counts.cells());
        let now = step.particles_now;
        let mut parts = vec![part(now.cell, count), part(now.id, count)];
        parts.extend(now.offset[..D].iter().chain(&now.velocity[..D]).map(|&at| part(at, count)));
        parts.extend((0..D).map(|axis| part(step.velocity.value[axis], self.counts.faces(axis))));
        parts.extend([part(step.shown, cells), part(step.pressure, cells), part(step.separated, cells)]);
        if still.is_none() {
            parts.push(part(step.solid, self.counts.nodes()));
        }
        let download = self.driver.begin_download(&parts)?;
        Ok(PendingView { download, grid: *grid, particles: count, moment, still })
    }
}
