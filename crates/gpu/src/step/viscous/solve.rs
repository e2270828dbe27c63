//! Conjugate gradients around the multigrid cycle, with the stopping rule of the processor.

use bytemuck::Zeroable;
use unstick_liquid::Rules;
use unstick_mlcp::{Convergence, Outcome, is_interrupted};

use crate::driver::Kernel;
use crate::error::GpuError;
use crate::layout::{ViscousLevel, ViscousSums};
use crate::step::memory::StepMemory;

impl StepMemory {
    /// Solves for the change of the velocity from that of the round before. The strain of the finest level and what walls and
    /// sources do are known.
    ///
    /// It stops where no face would change by more than `tolerance` of the largest change. What would change is what a cycle
    /// makes of the residual, of which about as large a part is left as of the one before.
    pub(super) fn solve_stress(
        &mut self,
        levels: &mut [ViscousLevel],
        tolerance: f64,
    ) -> Result<Convergence, GpuError> {
        let rules = Rules::NOW.viscous;
        self.total_over_box(levels, Kernel::JoinFaces)?;
        self.total_over_box(levels, Kernel::BeginViscousSolve)?;
        let mut sums = self.viscous_sums()?;
        if sums.residual == 0.0 {
            return Ok(Convergence::direct(0));
        }
        // Where mass outweighs strain its diagonal is nearly all of the system.
        let has_cycle = sums.stiffness > rules.stiff;
        if has_cycle {
            self.coarsen_stress(levels)?;
        }
        let mut iteration = 0;
        // Of the error the part that the last cycle and the one before have left.
        let (mut error_before, mut left_before) = (f64::INFINITY, 1.0);
        loop {
            self.precondition_stress(levels, has_cycle)?;
            sums = self.viscous_sums()?;
            let left = if !has_cycle || iteration == 0 { 1.0 } else { (sums.size / error_before).min(1.0) };
            let error = sums.size * left.max(left_before);
            (error_before, left_before) = (sums.size, left);
            let target = tolerance * sums.largest.max(if iteration == 0 { sums.size } else { 0.0 });
            let ended = |outcome| Ok(Convergence::new(outcome, iteration, error, target));
            if error <= target {
                if has_cycle {
                    self.over_box_faces(levels, 0, Kernel::AddLastCycle)?;
                }
                return ended(Outcome::Converged);
            }
            if iteration == rules.most_iterations || is_interrupted() {
                return ended(Outcome::IterationLimit);
            }
            // A curvature that is not positive has ended the last step, and comes up here.
            if !(sums.rho > 0.0 && (iteration == 0 || sums.curvature > 0.0)) {
                return ended(Outcome::Stalled);
            }
            self.step().viscous.starts = (iteration == 0) as i32;
            self.over_box_faces(levels, 0, Kernel::TurnViscous)?;
            self.total_over_box(levels, Kernel::MultiplyViscous)?;
            self.total_over_box(levels, Kernel::StepViscous)?;
            iteration += 1;
        }
    }

    /// x of the finest level ← M⁻¹ r, in units of the largest residual.
    fn precondition_stress(&mut self, levels: &mut [ViscousLevel], has_cycle: bool) -> Result<(), GpuError> {
        self.over_box_faces(levels, 0, Kernel::LoadViscousCycle)?;
        match has_cycle {
            true => self.cycle_stress(levels, 0)?,
            false => self.over_box_faces(levels, 0, Kernel::ScaleViscousResidual)?,
        }
        self.total_over_box(levels, Kernel::MeasureViscousCycle)
    }

    /// Waits for the device and reads what a solve has come to.
    fn viscous_sums(&mut self) -> Result<ViscousSums, GpuError> {
        let mut sums = ViscousSums::zeroed();
        self.driver.read(self.args.liquid.viscous.sums.address(), bytemuck::bytes_of_mut(&mut sums))?;
        Ok(sums)
    }
}
