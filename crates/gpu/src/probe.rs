//! How fast the device is, for comparison with solves.

use std::time::Instant;

use crate::arena::{Arena, ProblemShape, Source};
use crate::driver::Kernel;
use crate::error::GpuError;
use crate::hierarchy::Device;
use crate::layout::{Args, Sweep, THREADS};
use crate::solver::Gpu;

/// Measured speeds of a device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Probe {
    /// Cells along each axis of the lattice, all of them liquid.
    pub cells: usize,
    /// Bytes read and written per second by a copy.
    pub copy_bandwidth: f64,
    /// Seconds from one launch to the next.
    pub launch: f64,
    /// A half-sweep on the finest level.
    pub half_sweep: TimedTraffic,
    /// A V(2,2)-cycle.
    pub cycle: TimedTraffic,
}

/// The time of some work, and the least memory traffic that it needs.
#[derive(Clone, Copy, Debug)]
pub struct TimedTraffic {
    /// Seconds.
    pub seconds: f64,
    /// Bytes read and written.
    pub bytes: f64,
}

impl Probe {
    /// Bandwidth of the half-sweep over that of the copy.
    pub fn sweep_share(&self) -> f64 {
        self.half_sweep.bytes / self.half_sweep.seconds / self.copy_bandwidth
    }

    /// Time of a cycle over the time that its traffic takes at the bandwidth of the copy.
    pub fn cycle_ratio(&self) -> f64 {
        self.cycle.seconds * self.copy_bandwidth / self.cycle.bytes
    }
}

/// The result is the median of this many measurements.
const REPETITIONS: usize = 7;

impl Gpu {
    /// Measures the device on a cube of liquid of `cells`³.
    pub fn probe(self, cells: usize) -> Result<Probe, GpuError> {
        let mut driver = self.driver(3)?;
        let shape = ProblemShape::of(&[cells; 3]);
        let arena = Arena::new(&mut *driver, shape, Source::Rows(cells * cells * cells), &[])?;
        let mut device = Device { driver, arena };
        fill(&mut device, cells)?;
        let level = device.level(0);
        // A copy also moves the entries between rows. The traffic of all else is that of the cells alone.
        let (copied, colour) = (2.0 * 2.0 * 4.0 * level.size as f64, 4.0 * level.cell_count() as f64 / 2.0);
        let args = device.args(0);
        let blocks = device.driver.full_blocks();
        let copy = device.time(20, |device| device.driver.launch(Kernel::CopyCells, blocks, THREADS, &args))?;
        let launch = device.time(1000, |device| device.driver.launch(Kernel::Nothing, 1, THREADS, &args))?;
        let half_sweep = device.time(20, |device| device.sweep(0, 0, Sweep::WithB))?;
        device.driver.begin_recording()?;
        let launched = device.cycle(0, false);
        let cycle = device.driver.end_recording()?;
        launched?;
        let cycle = device.time(10, |device| device.driver.replay(cycle))?;
        // Seven half-sweeps of three arrays and one of two, the residual of red cells and their correction. The coarse
        // levels add a seventh.
        let traffic = (7.0 * 3.0 + 2.0 + 3.5 + 2.5) * colour * 8.0 / 7.0;
        Ok(Probe {
            cells,
            copy_bandwidth: copied / copy,
            launch,
            half_sweep: TimedTraffic { seconds: half_sweep, bytes: 3.0 * colour },
            cycle: TimedTraffic { seconds: cycle, bytes: traffic },
        })
    }
}

/// Fills the lattice with liquid; there is air on all sides of it.
fn fill(device: &mut Device, cells: usize) -> Result<(), GpuError> {
    let rows = cells * cells * cells;
    let cells: Vec<u32> = (0..rows as u32).collect();
    let values: Vec<f64> = (0..rows).map(|row| ((row * 7919) % 1000) as f64 / 1000.0 - 0.5).collect();
    let Device { driver, arena } = device;
    arena.base.unit = 1.0;
    let (row_cells, row_values) = (arena.row_buffer.cells, arena.row_buffer.values);
    driver.write(row_cells.address(), bytemuck::cast_slice(&cells))?;
    driver.write(row_values.address(), bytemuck::cast_slice(&values))?;
    let args = Args { rows: rows as i32, row_cells, row_values, ..arena.base };
    driver.launch_items(Kernel::ScatterRows, rows, &args)?;
    device.set_up()?;
    let args = Args { load_scale: 1.0, ..device.args(0) };
    device.launch_listed(Kernel::NaturalResidual, &args)
}

impl Device {
    /// Median seconds of a launch, from several series of `count`.
    fn time(
        &mut self,
        count: usize,
        mut launch: impl FnMut(&mut Self) -> Result<(), GpuError>,
    ) -> Result<f64, GpuError> {
        let mut seconds = Vec::with_capacity(REPETITIONS);
        for _ in 0..=REPETITIONS {
            self.scalars()?;
            let start = Instant::now();
            for _ in 0..count {
                launch(self)?;
            }
            self.scalars()?;
            seconds.push(start.elapsed().as_secs_f64() / count as f64);
        }
        Ok(unstick_parallel::bandwidth::median(&seconds[1..])) // the first one warms up
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_compare_with_a_copy_of_the_same_bytes() {
        let half_sweep = TimedTraffic { seconds: 0.5, bytes: 100.0 };
        let cycle = TimedTraffic { seconds: 2.0, bytes: 400.0 };
        let probe = Probe { cells: 1, copy_bandwidth: 400.0, launch: 0.0, half_sweep, cycle };
        assert_eq!((probe.sweep_share(), probe.cycle_ratio()), (0.5, 2.0));
    }

    #[cfg(feature = "emulation")]
    #[test]
    fn the_emulated_device_can_be_measured() {
        let probe = Gpu::emulated().probe(8).unwrap();
        assert!(probe.copy_bandwidth > 0.0 && probe.cycle.seconds > 0.0);
    }
}
