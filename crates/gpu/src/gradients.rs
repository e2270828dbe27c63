//! Conjugate gradients in double precision on the device. The host looks at them after each batch.

use std::ops::ControlFlow;

use unstick_mlcp::linear::{LinearOutcome, LinearReport};

use crate::driver::Kernel;
use crate::error::GpuError;
use crate::layout::{Args, BATCH, NORM_LOG, Precondition, Progress, THREADS, Truncation, Vector};
use crate::problem::{DeviceProblem, Repeated};

/// Cycles without conjugate gradients must gain a digit within this many.
const PATIENCE: usize = 200;

/// When a linear solve ends.
pub(crate) struct LinearTarget {
    /// At this part of the right-hand side,
    pub forcing: f64,
    /// but not below this residual,
    pub least: f64,
    /// or after this many iterations.
    pub most_iterations: usize,
}

impl LinearTarget {
    /// The residual to reach from `norm`.
    fn residual(&self, norm: f64) -> f64 {
        (self.forcing * norm).max(self.least)
    }
}

impl DeviceProblem {
    /// Sets up what these linear solves need of the hierarchy.
    pub fn set_up_rows(&mut self, precondition: Precondition) -> Result<(), GpuError> {
        if precondition.has_cycle() {
            return self.replay(Repeated::SetUp, |problem| problem.device.set_up());
        }
        self.device.launch(Kernel::ClassifyFine, &self.device.args(0))?;
        self.device.launch(Kernel::ListMixed, &self.device.args(0))?;
        let args = self.device.args(0);
        self.device.driver.launch(Kernel::ListTiles, 1, THREADS, &args)?;
        let mut busy_tiles = 0u32;
        self.device.driver.read(args.busy_tiles.address(), bytemuck::bytes_of_mut(&mut busy_tiles))?;
        let has_vectors = !args.vectors[Vector::Exchanged as usize].is_null();
        let grid = self.device.driver.cooperative_grid();
        self.cooperative_kernel = grid.kernel(busy_tiles).filter(|_| has_vectors);
        Ok(())
    }

    /// Lets the levels follow the pinned rows.
    pub fn truncate(&mut self, precondition: Precondition) -> Result<(), GpuError> {
        if !precondition.has_cycle() {
            return Ok(());
        }
        self.replay(Repeated::Truncation, |problem| problem.device.truncate(0, Truncation::Always))
    }

    /// Arguments with the vectors of the method. A vector without memory of its own shares that of another.
    pub fn vectors(&self, precondition: Precondition) -> Args {
        let mut args = Args { precondition: precondition as i32, ..self.device.args(0) };
        let vector = |vector: Vector| args.vectors[vector as usize];
        let shared = [
            (Vector::Preconditioned, vector(Vector::Residual)),
            (Vector::Answer, args.q),
            (Vector::Image, vector(Vector::Next)),
            (Vector::PreconditionedImage, vector(Vector::OtherExchanged)),
        ];
        for (vector, other) in shared {
            let pointer = &mut args.vectors[vector as usize];
            if pointer.is_null() {
                *pointer = other;
            }
        }
        args
    }

    /// Solves S x = r on the free rows, where r = −(A (q + x) + b), and adds the answer to x.
    pub fn solve_rows(
        &mut self,
        precondition: Precondition,
        goal: LinearTarget,
        mut watch: Option<&mut dyn FnMut(f64) -> ControlFlow<()>>,
    ) -> Result<LinearReport, GpuError> {
        let args = self.vectors(precondition);
        self.device.launch_listed(Kernel::BeginRows, &args)?;
        let norm = self.device.scalars()?.norm;
        let target = goal.residual(norm);
        if norm <= target || goal.most_iterations == 0 {
            let outcome = if norm <= target { LinearOutcome::Converged } else { LinearOutcome::IterationLimit };
            return Ok(LinearReport { outcome, iterations: 0, residual: norm });
        }
        let iteration_limit = goal.most_iterations.min(i32::MAX as usize) as i32;
        self.device.driver.launch(Kernel::SetTarget, 1, THREADS, &Args { target, iteration_limit, ..args })?;
        let cooperative_kernel = self.cooperative_kernel.filter(|_| !precondition.has_cycle());
        let batch = match () {
            () if cooperative_kernel.is_some() => NORM_LOG,
            () if precondition.has_cycle() => 1, // a cycle takes much longer than a look of the host
            () => BATCH,
        };
        let (mut parity, mut seen, mut to_beat, mut is_seen_enough) = (0, 0, norm, false);
        loop {
            if let Some(kernel) = cooperative_kernel {
                let (grid, batch) = (self.device.driver.cooperative_grid(), batch as i32);
                self.device.launch(Kernel::RenewRows, &args)?;
                self.device.launch_listed(Kernel::RenewImages, &args)?;
                self.device.driver.launch(kernel, grid.blocks, grid.threads, &Args { batch, ..args })?;
            } else {
                let repeated = if parity == 0 { Repeated::Batch } else { Repeated::ExchangedBatch };
                self.replay(repeated, |problem| problem.launch_batch(precondition, batch, parity))?;
                parity = (parity + batch) % 2;
            }
            let scalars = self.device.scalars()?;
            let iterations = scalars.iterations as usize;
            if let Some(watch) = &mut watch {
                let mut norms = vec![scalars.norm; iterations - seen];
                if norms.len() > 1 {
                    let at = args.vectors[Vector::Norms as usize].at(seen % NORM_LOG);
                    self.device.driver.read(at.address(), bytemuck::cast_slice_mut(&mut norms))?;
                }
                is_seen_enough |= norms.into_iter().fold(false, |enough, norm| watch(norm).is_break() | enough);
            }
            seen = iterations;
            let mut has_broken_down = scalars.progress == Progress::Broken as i32;
            if precondition == Precondition::CycleAlone && iterations.is_multiple_of(PATIENCE) {
                has_broken_down |= scalars.norm > 0.1 * to_beat;
                to_beat = scalars.norm;
            }
            let outcome = match () {
                () if scalars.norm <= target => LinearOutcome::Converged,
                () if has_broken_down => LinearOutcome::Breakdown,
                () if is_seen_enough || scalars.progress == Progress::Done as i32 => LinearOutcome::IterationLimit,
                () => continue,
            };
            return Ok(LinearReport { outcome, iterations, residual: scalars.norm });
        }
    }

    /// Launches iterations. With parity 1 the first of them finds the two directions exchanged.
    fn launch_batch(&mut self, precondition: Precondition, count: usize, parity: usize) -> Result<(), GpuError> {
        let mut args = self.vectors(precondition);
        let [before, next] = [Vector::Direction as usize, Vector::Next as usize];
        for iteration in 0..count {
            if iteration > 0 || parity == 1 {
                args.vectors.swap(before, next);
            }
            if precondition.has_cycle() {
                self.device.launch(Kernel::BeginCycle, &args)?;
                self.device.cycle(0, false)?;
                self.device.launch_listed(Kernel::EndCycle, &args)?;
            }
            self.device.launch_listed(Kernel::MultiplyRows, &args)?;
            self.device.launch_listed(Kernel::StepRows, &args)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_part_of_the_residual_but_not_below_the_least() {
        let goal = LinearTarget { forcing: 0.1, least: 1e-3, most_iterations: 1 };
        assert_eq!([goal.residual(1.0), goal.residual(1e-3)], [0.1, 1e-3]);
    }

    #[test]
    fn batches_fill_the_log_and_leave_directions_in_place() {
        assert!(NORM_LOG.is_multiple_of(BATCH) && BATCH.is_multiple_of(2));
    }

    #[cfg(feature = "emulation")]
    #[test]
    fn vectors_without_memory_share_that_of_others() {
        use crate::arena::{ProblemShape, Source};
        let driver = Box::new(crate::driver::EmulatedDriver::new(2, 1));
        let vectors = [Vector::Residual, Vector::Next, Vector::OtherExchanged];
        let problem = DeviceProblem::new(driver, ProblemShape::of(&[8, 8]), Source::Rows(64), &vectors).unwrap();
        let args = problem.vectors(Precondition::Nothing);
        let address = |vector: Vector| args.vectors[vector as usize].address();
        assert_eq!(address(Vector::Preconditioned), address(Vector::Residual));
        assert_eq!(address(Vector::Answer), args.q.address());
        assert_eq!(address(Vector::Image), address(Vector::Next));
        assert_eq!(address(Vector::PreconditionedImage), address(Vector::OtherExchanged));
    }
}
