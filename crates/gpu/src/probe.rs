//! How fast the device is, to hold solves against.

use std::time::Instant;

use crate::arena::{Arena, Source};
use crate::error::GpuError;
use crate::hierarchy::Device;
use crate::layout::{Args, Sweep, THREADS};
use crate::machine::Kernel;
use crate::solver::Gpu;

/// What a device does in a second, measured.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Probe {
    /// Cells along each axis of the lattice it was measured on; all of them are inner ones.
    pub cells: usize,
    /// Bytes read and written per second by a copy.
    pub copy_bandwidth: f64,
    /// Seconds from one launch to the next.
    pub launch: f64,
    /// Seconds of a half-sweep on the finest level, and the bytes it cannot help moving.
    pub half_sweep: (f64, f64),
    /// The same of a V(2,2)-cycle.
    pub cycle: (f64, f64),
}

impl Probe {
    /// Bandwidth of the half-sweep over that of the copy.
    pub fn sweep_share(&self) -> f64 {
        self.half_sweep.1 / self.half_sweep.0 / self.copy_bandwidth
    }

    /// Time of a cycle over the time that its traffic takes at the bandwidth of the copy.
    pub fn cycle_ratio(&self) -> f64 {
        self.cycle.0 * self.copy_bandwidth / self.cycle.1
    }
}

/// The median of this many measurements counts.
const REPETITIONS: usize = 7;

impl Gpu {
    /// Measures the device on a cube of liquid of `cells`³.
    pub fn probe(self, cells: usize) -> Result<Probe, GpuError> {
        let mut machine = self.machine(3)?;
        let arena = Arena::new(&mut *machine, 3, [cells; 3], Source::Rows(cells * cells * cells), &[])?;
        let mut device = Device { machine, arena };
        fill(&mut device, cells)?;
        let level = device.level(0);
        // A copy moves what lies between the rows too; all else is held against the cells alone.
        let (copied, colour) = (2.0 * 2.0 * 4.0 * level.size as f64, 4.0 * level.cell_count() as f64 / 2.0);
        let args = device.args(0);
        let copy = device.time(20, |device| device.machine.launch(Kernel::CopyCells, 132 * 16, THREADS, &args))?;
        let launch = device.time(1000, |device| device.machine.launch(Kernel::Nothing, 1, THREADS, &args))?;
        let half_sweep = device.time(20, |device| device.sweep(0, 0, Sweep::WithB))?;
        device.machine.begin_recording()?;
        let launched = device.cycle(0, false);
        let cycle = device.machine.end_recording()?;
        launched?;
        let cycle = device.time(10, |device| device.machine.replay(cycle))?;
        // Seven half-sweeps of three arrays and one of two, residual of red cells, correction of red cells; the
        // coarse levels add a seventh.
        let traffic = (7.0 * 3.0 + 2.0 + 3.5 + 2.5) * colour * 8.0 / 7.0;
        Ok(Probe {
            cells,
            copy_bandwidth: copied / copy,
            launch,
            half_sweep: (half_sweep, 3.0 * colour),
            cycle: (cycle, traffic),
        })
    }
}

/// A cube of liquid, with air on all sides.
fn fill(device: &mut Device, cells: usize) -> Result<(), GpuError> {
    let rows = cells * cells * cells;
    let places: Vec<u32> = (0..rows as u32).collect();
    let values: Vec<f64> = (0..rows).map(|row| ((row * 7919) % 1000) as f64 / 1000.0 - 0.5).collect();
    let Device { machine, arena } = device;
    arena.base.unit = 1.0;
    machine.write(arena.rows.cells, bytemuck::cast_slice(&places))?;
    machine.write(arena.rows.values, bytemuck::cast_slice(&values))?;
    let args = Args { rows: rows as i32, cells: arena.rows.cells, values: arena.rows.values, ..arena.base };
    machine.launch(Kernel::ScatterRows, (rows as u32).div_ceil(THREADS), THREADS, &args)?;
    device.set_up()?;
    let args = Args { factor: 1.0, ..device.args(0) };
    device.reduce(Kernel::NaturalResidual, &args)
}

impl Device {
    /// Median seconds of a launch, from series of `count`.
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
        Ok(unstick_parallel::bandwidth::median(&seconds[1..])) // the first is for warming up
    }
}
