//! Liquids to the device and back. On the device lengths are in cells and most numbers in single precision. What comes
//! back in double precision goes there again with the same bits.

use bytemuck::Pod;
use unstick_grid::{CellField, Grid, multi_index};
use unstick_liquid::{Geometry, LiquidState, Particles};
use unstick_parallel as parallel;

use super::memory::StepMemory;
use crate::driver::{Driver, Kernel};
use crate::error::GpuError;
use crate::layout::Pointer;

/// Ways through a cell are whole multiples of one over this.
const PARTS: f64 = (1u64 << 24) as f64;

/// Writes `count` values that a function gives.
pub(super) fn write<T: Pod + Send + Sync>(
    driver: &mut dyn Driver,
    at: Pointer<T>,
    count: usize,
    value: impl Fn(usize) -> T + Sync,
) -> Result<(), GpuError> {
    let mut values = vec![T::zeroed(); count];
    parallel::for_each((0..count, values.as_mut_slice()), |(range, values)| {
        range.zip(values).for_each(|(index, slot)| *slot = value(index));
    });
    driver.write(at.address(), bytemuck::cast_slice(&values))
}

/// Receives values piece by piece; `take` gets each piece with the number of its first value.
fn receive<T: Pod>(
    driver: &mut dyn Driver,
    at: Pointer<T>,
    count: usize,
    mut take: impl FnMut(usize, &[T]),
) -> Result<(), GpuError> {
    // Memory is given out in pieces of many numbers: behind the last value there is room.
    let (numbers, per_number) =
        ((count * size_of::<T>()).div_ceil(size_of::<f64>()), size_of::<f64>() / size_of::<T>());
    driver.receive(Pointer::new(at.address()), numbers, &mut |from, piece| {
        let values: &[T] = bytemuck::cast_slice(piece);
        let from = from * per_number;
        take(from, &values[..values.len().min(count - from)]);
    })
}

/// Receives values and writes each into an element of `to`.
fn receive_into<T: Pod + Sync, V: Send>(
    driver: &mut dyn Driver,
    at: Pointer<T>,
    to: &mut [V],
    set: impl Fn(&mut V, T) + Sync,
) -> Result<(), GpuError> {
    receive(driver, at, to.len(), |from, values| {
        parallel::for_each((&mut to[from..from + values.len()], values), |(to, values)| {
            to.iter_mut().zip(values).for_each(|(to, value)| set(to, *value));
        });
    })
}

/// Receives a field in single precision, times a factor.
fn receive_field(driver: &mut dyn Driver, at: Pointer<f32>, factor: f64, field: &mut [f64]) -> Result<(), GpuError> {
    receive_into(driver, at, field, |to, value: f32| *to = factor * f64::from(value))
}

/// Where a point lies: its cell, and the way through it in parts.
pub(super) fn place_of<const D: usize>(grid: &Grid<D>, point: [f64; D]) -> ([usize; D], [f32; D]) {
    let (mut cell, mut way) = ([0; D], [0.0; D]);
    let place = grid.in_cells(point);
    for axis in 0..D {
        let parts = (place[axis] * PARTS).round();
        let whole = (parts / PARTS).floor().clamp(0.0, (grid.cells()[axis] - 1) as f64);
        cell[axis] = whole as usize;
        way[axis] = ((parts - whole * PARTS).clamp(1.0, PARTS - 1.0) / PARTS) as f32;
    }
    (cell, way)
}

impl StepMemory {
    /// Sends walls that do not move.
    pub fn send_walls<const D: usize>(&mut self, grid: &Grid<D>, geometry: &Geometry<D>) -> Result<(), GpuError> {
        let (driver, step, spacing) = (&mut *self.driver, self.args.liquid, grid.spacing());
        let mut send = |at, field: &CellField<f64, D>, unit: f64| {
            let values = field.values();
            write(driver, at, values.len(), |index| (values[index] / unit) as f32)
        };
        send(step.solid, &geometry.solid, spacing)?;
        send(step.cell_open, &geometry.cell_open, 1.0)?;
        send(step.space, &geometry.space, 1.0)?;
        for axis in 0..D {
            send(step.open[axis], &geometry.open[axis], 1.0)?;
        }
        let separating = geometry.separating.values();
        write(driver, step.separating, separating.len(), |index| separating[index] as u8)
    }

    /// Sends a state, and sorts its particles.
    pub fn send_state<const D: usize>(&mut self, grid: &Grid<D>, state: &LiquidState<D>) -> Result<(), GpuError> {
        let (driver, step, spacing) = (&mut *self.driver, self.args.liquid, grid.spacing());
        let Particles { position, velocity, affine, id, next_id } = &state.particles;
        if *next_id > u64::from(u32::MAX) {
            return Err(GpuError::Unsupported("more particles have come than 32-bit numbers count"));
        }
        let (now, count) = (step.particles_now, position.len());
        let mut cells = vec![0u32; count];
        let mut ways = vec![[0f32; D]; count];
        parallel::for_each(
            (position.as_slice(), (cells.as_mut_slice(), ways.as_mut_slice())),
            |(points, (cells, ways))| {
                for ((&point, index), way) in points.iter().zip(cells).zip(ways) {
                    let (cell, part) = place_of(grid, point);
                    (*index, *way) = (grid.index(cell) as u32, part);
                }
            },
        );
        driver.write(now.cell.address(), bytemuck::cast_slice(&cells))?;
        write(driver, now.id, count, |index| id[index] as u32)?;
        for axis in 0..D {
            write(driver, now.offset[axis], count, |index| ways[index][axis])?;
            write(driver, now.velocity[axis], count, |index| velocity[index][axis] as f32)?;
            for along in (0..D).filter(|_| !now.affine[0].is_null()) {
                let value = |index: usize| affine.get(index).map_or(0.0, |rows| rows[axis][along] as f32);
                write(driver, now.affine[D * axis + along], count, value)?;
            }
            let faces = state.velocity[axis].values();
            write(driver, step.velocity.value[axis], faces.len(), |face| faces[face] as f32)?;
        }
        let fields = [
            (step.liquid, &state.liquid, spacing),
            (step.pressure, &state.pressure, 1.0),
            (step.density, &state.density, 1.0),
        ];
        for (at, field, unit) in fields {
            let values = field.values();
            write(driver, at, values.len(), |cell| (values[cell] / unit) as f32)?;
        }
        let separated = state.separated.values();
        write(driver, step.separated, separated.len(), |cell| separated[cell] as u8)?;
        self.over_particles(Kernel::CountParticles)?;
        self.sort_counted(count)
    }

    /// Receives all that has changed of a state; returns where the particles of each cell start, and the end.
    pub fn receive_state<const D: usize>(
        &mut self,
        grid: &Grid<D>,
        state: &mut LiquidState<D>,
    ) -> Result<Vec<u32>, GpuError> {
        let (driver, step, spacing) = (&mut *self.driver, self.args.liquid, grid.spacing());
        let (now, count) = (step.particles_now, self.counts.particles);
        let Particles { position, velocity, affine, id, .. } = &mut state.particles;
        position.resize(count, [0.0; D]);
        velocity.resize(count, [0.0; D]);
        id.resize(count, 0);
        for axis in 0..D {
            receive_into(driver, now.offset[axis], position, |point, way| point[axis] = f64::from(way))?;
            receive_into(driver, now.velocity[axis], velocity, |velocity, value| velocity[axis] = f64::from(value))?;
            receive_field(driver, step.velocity.value[axis], 1.0, state.velocity[axis].values_mut())?;
        }
        receive_into(driver, now.cell, position, |point, cell: u32| {
            let cell = multi_index(grid.cells(), cell as usize);
            for axis in 0..D {
                point[axis] = grid.origin()[axis] + spacing * (cell[axis] as f64 + point[axis]);
            }
        })?;
        receive_into(driver, now.id, id, |id, value| *id = u64::from(value))?;
        if !now.affine[0].is_null() {
            affine.resize(count, [[0.0; D]; D]);
            for (axis, along) in (0..D * D).map(|place| (place / D, place % D)) {
                let at = now.affine[D * axis + along];
                receive_into(driver, at, affine, |rows, value| rows[axis][along] = f64::from(value))?;
            }
        }
        receive_field(driver, step.liquid, spacing, state.liquid.values_mut())?;
        receive_field(driver, step.pressure, 1.0, state.pressure.values_mut())?;
        receive_field(driver, step.density, 1.0, state.density.values_mut())?;
        receive_into(driver, step.separated, state.separated.values_mut(), |to, mark: u8| *to = mark != 0)?;
        let mut starts = vec![0; grid.len() + 1];
        receive_into(driver, step.starts, &mut starts, |start, value| *start = value)?;
        Ok(starts)
    }

    /// Receives what a pressure problem is made of beside the velocity: distances, the pressure so far.
    pub fn receive_problem<const D: usize>(
        &mut self,
        grid: &Grid<D>,
        state: &mut LiquidState<D>,
    ) -> Result<(), GpuError> {
        let (driver, step) = (&mut *self.driver, self.args.liquid);
        receive_field(driver, step.liquid, grid.spacing(), state.liquid.values_mut())?;
        receive_field(driver, step.pressure, 1.0, state.pressure.values_mut())?;
        receive_into(driver, step.separated, state.separated.values_mut(), |to, mark: u8| *to = mark != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_given_back_by_its_point() {
        let grid = Grid::<2>::new([7, 300], 0.1 / 3.0, [0.3, -7.1]).unwrap();
        for (cell, parts) in [([0, 299], [1u32, (1 << 24) - 1]), ([6, 150], [1 << 23, 12_345_677]), ([3, 1], [5, 7])] {
            let way = parts.map(|parts| parts as f32 / PARTS as f32);
            let point = std::array::from_fn(|axis| {
                grid.origin()[axis] + grid.spacing() * (cell[axis] as f64 + f64::from(way[axis]))
            });
            assert_eq!(place_of(&grid, point), (cell, way));
        }
        let (cell, way) = place_of(&grid, [-1.0, 1e9]);
        assert_eq!((cell, way[0] > 0.0, way[1] < 1.0), ([0, 299], true, true));
    }
}
