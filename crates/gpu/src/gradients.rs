//! Conjugate gradients in double precision on the device, in batches that the host does not watch.

use unstick_mlcp::linear::{LinearOutcome, LinearReport};

use crate::error::GpuError;
use crate::layout::{Args, BATCH, LOG, Precondition, Progress, THREADS, Truncation, Vector};
use crate::machine::Kernel;
use crate::resident::Resident;

/// Iterations of a linear solve, as on the processor.
pub(crate) const MOST_ITERATIONS: usize = 10_000;

/// Cycles alone must gain a digit within this many.
const PATIENCE: usize = 200;

/// What a linear solve is to reach.
pub(crate) struct Aim {
    /// A part of the right-hand side, and no less than `least`.
    pub forcing: f64,
    pub least: f64,
    pub most_iterations: usize,
}

impl Resident {
    /// What of the hierarchy a method needs that solves its systems here.
    pub fn set_up_rows(&mut self, precondition: Precondition) -> Result<(), GpuError> {
        if precondition.has_cycle() {
            return self.device.set_up();
        }
        self.device.launch(Kernel::ClassifyFine, &self.device.args(0))?;
        self.device.launch(Kernel::ListMixed, &self.device.args(0))?;
        let args = self.device.args(0);
        self.device.machine.launch(Kernel::ListTiles, 1, THREADS, &args)?;
        let mut busy = 0u32;
        self.device.machine.read(args.busy, bytemuck::bytes_of_mut(&mut busy))?;
        let has_vectors = args.vectors[Vector::Exchanged as usize] != 0;
        self.crew_kernel = self.device.machine.crew().kernel(busy).filter(|_| has_vectors);
        Ok(())
    }

    /// The levels follow the pinned rows.
    pub fn truncate(&mut self, precondition: Precondition) -> Result<(), GpuError> {
        if precondition.has_cycle() {
            let known = self.recordings.truncation;
            self.recordings.truncation =
                Some(self.replay(known, |resident| resident.device.truncate(0, Truncation::Always))?);
        }
        Ok(())
    }

    /// Arguments with the vectors of the method: where it has none of its own, z is r and x is q.
    pub fn vectors(&self, precondition: Precondition) -> Args {
        let mut args = Args { mode: precondition as i32, ..self.device.args(0) };
        for (own, other) in
            [(Vector::Preconditioned, args.vectors[Vector::Residual as usize]), (Vector::Answer, args.q)]
        {
            let address = &mut args.vectors[own as usize];
            if *address == 0 {
                *address = other;
            }
        }
        args
    }

    /// Solves S x = r on the free rows, where r = −(A (q + x) + b), and adds the answer to x.
    pub fn solve_rows(
        &mut self,
        precondition: Precondition,
        aim: Aim,
        mut watch: Option<&mut dyn FnMut(f64)>,
    ) -> Result<LinearReport, GpuError> {
        let args = self.vectors(precondition);
        self.device.reduce(Kernel::BeginRows, &args)?;
        let norm = self.device.scalars()?.norm;
        let target = (aim.forcing * norm).max(aim.least);
        if norm <= target || aim.most_iterations == 0 {
            let outcome = if norm <= target { LinearOutcome::Converged } else { LinearOutcome::IterationLimit };
            return Ok(LinearReport { outcome, iterations: 0, residual: norm });
        }
        let rows = aim.most_iterations.min(i32::MAX as usize) as i32;
        self.device.machine.launch(Kernel::Aim, 1, THREADS, &Args { factor: target, rows, ..args })?;
        let together = self.crew_kernel.filter(|_| !precondition.has_cycle());
        let batch = match () {
            () if together.is_some() => LOG,
            () if precondition.has_cycle() => 1, // it takes much longer than the host needs to look
            () => BATCH,
        };
        let (mut parity, mut seen, mut to_beat) = (0, 0, norm);
        loop {
            if let Some(kernel) = together {
                let (crew, rows) = (self.device.machine.crew(), batch as i32);
                self.device.launch(Kernel::RenewRows, &args)?;
                self.device.reduce(Kernel::RenewImages, &args)?;
                self.device.machine.launch(kernel, crew.blocks, crew.threads, &Args { rows, ..args })?;
            } else {
                let known = self.recordings.batches[parity];
                let recording = self.replay(known, |resident| resident.launch_batch(precondition, batch, parity))?;
                self.recordings.batches[parity] = Some(recording);
                parity = (parity + batch) % 2;
            }
            let scalars = self.device.scalars()?;
            let iterations = scalars.iterations as usize;
            if let Some(watch) = &mut watch {
                let at = args.vectors[Vector::Norms as usize] + 8 * (seen % LOG) as u64;
                let mut norms = vec![0.0; iterations - seen];
                self.device.machine.read(at, bytemuck::cast_slice_mut(&mut norms))?;
                norms.into_iter().for_each(&mut *watch);
            }
            seen = iterations;
            let mut has_broken_down = scalars.is_stopped == Progress::Broken as i32;
            if precondition == Precondition::CycleAlone && iterations.is_multiple_of(PATIENCE) {
                has_broken_down |= scalars.norm > 0.1 * to_beat;
                to_beat = scalars.norm;
            }
            let outcome = match () {
                () if scalars.norm <= target => LinearOutcome::Converged,
                () if has_broken_down => LinearOutcome::Breakdown,
                () if scalars.is_stopped == Progress::Done as i32 => LinearOutcome::IterationLimit,
                () => continue,
            };
            return Ok(LinearReport { outcome, iterations, residual: scalars.norm });
        }
    }

    /// Iterations, the first of them with the directions in their places or exchanged.
    fn launch_batch(&mut self, precondition: Precondition, count: usize, parity: usize) -> Result<(), GpuError> {
        let mut args = self.vectors(precondition);
        let [before, next] = [Vector::Direction as usize, Vector::Next as usize];
        for iteration in 0..count {
            if iteration > 0 || parity == 1 {
                args.vectors.swap(before, next);
            }
            if precondition.has_cycle() {
                self.device.launch(Kernel::LoadCycle, &args)?;
                self.device.cycle(0, false)?;
                self.device.reduce(Kernel::TakeCycle, &args)?;
            }
            self.device.reduce(Kernel::MultiplyRows, &args)?;
            self.device.reduce(Kernel::StepRows, &args)?;
        }
        Ok(())
    }
}
