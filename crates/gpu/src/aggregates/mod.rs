//! `best` on the device for matrices without a lattice: the scheme and the hierarchy of `unstick_mlcp::aggregation`, made
//! for many threads.
//!
//! Rows are paired by all threads at the same time, three times for each level, and smoothed by polynomials in place of
//! Gauss–Seidel sweeps. All loops gather: each row is written by one thread, so the bits are the same from run to run.

mod best;
mod bounded;
mod cycle;
mod make;
mod memory;

use std::time::Instant;

use bytemuck::Zeroable;
use unstick_mlcp::CsrMatrix;
use unstick_mlcp::device::{fits_single_precision, unit};
use unstick_mlcp::run::Solvable;

use crate::driver::{Driver, Kernel, Recording};
use crate::error::GpuError;
use crate::layout::{DeviceRows, Scalars};
use memory::Memory;

/// Launches that are replayed.
#[derive(Clone, Copy)]
enum Repeated {
    Start,
    Cycle,
    Renewal,
}

const REPEATED: usize = Repeated::Renewal as usize + 1;

/// A matrix on the device, its levels and the iterate.
pub(crate) struct RowsProblem {
    driver: Box<dyn Driver>,
    memory: Memory,
    levels: Vec<DeviceRows>,
    /// What the levels were made from.
    fingerprint: Option<u64>,
    recordings: [Option<Recording>; REPEATED],
    wall_rows: usize,
    loose_rows: usize,
    loose_components: usize,
    /// Rows that the last policy has changed.
    changes: usize,
    /// The residual, now and before the last policy.
    norm: f64,
    before: f64,
    /// Whether policies follow projected sweeps. Where couplings differ by many orders of magnitude, sweeps and policies
    /// may undo each other in turns.
    is_swept: bool,
    /// Whether coarse levels leave out pinned rows, of now or of before.
    knows_pins: bool,
}

/// A matrix and its fingerprint.
pub(crate) type Bare<'m> = (&'m CsrMatrix<'m>, u64);

impl RowsProblem {
    /// Brings a matrix to the device and makes its levels; the matrix of before is there already. Memory that is large
    /// enough is kept, otherwise a driver must be `open`ed.
    pub fn prepare(
        before: Option<Self>,
        (matrix, fingerprint): Bare,
        loose: &[Vec<u32>],
        open: impl FnOnce() -> Result<Box<dyn Driver>, GpuError>,
    ) -> Result<Self, GpuError> {
        if !fits_single_precision(matrix) {
            return Err(GpuError::Unsupported(
                "entries of this matrix lie so far apart that single precision, in which the GPU works, does not hold them",
            ));
        }
        let (mut size, starts) = make::slices(matrix)?;
        (size.loose_components, size.loose_rows) = (loose.len(), loose.iter().map(Vec::len).sum());
        let mut problem = match before {
            Some(problem) if problem.memory.size.has_room_for(&size) => problem,
            before => {
                let mut driver = before.map_or_else(open, |problem| Ok(problem.driver))?;
                let memory = Memory::new(&mut *driver, size)?;
                Self::new(driver, memory)
            }
        };
        if problem.fingerprint != Some(fingerprint) {
            problem.fingerprint = None;
            problem.make(matrix, &starts, unit(matrix))?;
            problem.fingerprint = Some(fingerprint);
        }
        Ok(problem)
    }

    fn new(driver: Box<dyn Driver>, memory: Memory) -> Self {
        Self {
            driver,
            memory,
            levels: Vec::new(),
            fingerprint: None,
            recordings: Default::default(),
            wall_rows: 0,
            loose_rows: 0,
            loose_components: 0,
            changes: usize::MAX,
            norm: 1.0,
            before: f64::INFINITY,
            is_swept: true,
            knows_pins: false,
        }
    }

    /// Copies a problem with this matrix and its iterate to the device.
    pub fn begin(&mut self, solvable: &Solvable, q: &[f64]) -> Result<(), GpuError> {
        let (problem, base) = (solvable.problem, self.memory.base);
        for (to, numbers) in [(base.q, q), (base.b, problem.b()), (base.lower, problem.lower())] {
            self.driver.write(to.address(), bytemuck::cast_slice(numbers))?;
        }
        self.wall_rows = problem.wall_rows();
        self.loose_components = solvable.loose.len();
        self.loose_rows = solvable.loose.iter().map(Vec::len).sum();
        let components = (0..).zip(solvable.loose);
        let list: Vec<u32> =
            components.flat_map(|(number, rows)| rows.iter().flat_map(move |&row| [row, number])).collect();
        if !list.is_empty() {
            self.write(base.loose_rows, &list)?;
        }
        (self.changes, self.norm, self.before) = (usize::MAX, 1.0, f64::INFINITY);
        self.is_swept = true;
        let args = self.args(0);
        self.launch(Kernel::RowsRelease, &args)?;
        self.launch(Kernel::RowsLift, &args)?;
        if std::mem::replace(&mut self.knows_pins, false) {
            self.replay(Repeated::Renewal, |problem| problem.renew(0))?;
        }
        Ok(())
    }

    /// Copies the iterate back.
    pub fn download(&mut self, q: &mut [f64]) -> Result<(), GpuError> {
        let from = self.memory.base.q;
        self.driver.receive(from, q.len(), &mut |first, piece| q[first..first + piece.len()].copy_from_slice(piece))
    }

    /// Waits for the device.
    pub fn wait(&mut self) -> Result<Instant, GpuError> {
        self.scalars()?;
        Ok(Instant::now())
    }

    fn scalars(&mut self) -> Result<Scalars, GpuError> {
        let mut scalars = Scalars::zeroed();
        self.driver.read(self.memory.base.scalars.address(), bytemuck::bytes_of_mut(&mut scalars))?;
        Ok(scalars)
    }

    /// Replays launches, which are recorded the first time.
    fn replay(
        &mut self,
        repeated: Repeated,
        launches: impl FnOnce(&mut Self) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        if self.recordings[repeated as usize].is_none() {
            self.driver.begin_recording()?;
            let launched = launches(self);
            let recording = self.driver.end_recording()?;
            launched?;
            self.recordings[repeated as usize] = Some(recording);
        }
        self.recordings[repeated as usize].map_or(Ok(()), |recording| self.driver.replay(recording))
    }
}
