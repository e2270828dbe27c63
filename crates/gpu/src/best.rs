//! `best` on the device: the scheme of `unstick_mlcp`, with the iterate, the levels and the active set in device
//! memory.

use unstick_mlcp::SolveError;
use unstick_mlcp::device::{BestSteps, MOST_CYCLES};
use unstick_mlcp::run::Trace;
use unstick_mlcp::solvers::best::BestParams;

use crate::driver::Kernel;
use crate::error::GpuError;
use crate::layout::{Args, Pointer, Progress, Scalars, Settle, Slack, Truncation};
use crate::problem::{DeviceProblem, Repeated};

/// Projected sweeps over all cells of the finest level after the nested start.
const SWEEPS_AFTER_START: usize = 2;

/// Projected sweeps near walls before a policy. They cost less here than on the processor, which makes half as many.
const SWEEPS: usize = 4;

/// The same if the last policy has changed no row.
const SWEEPS_WHEN_SETTLED: usize = 1;

/// Their over-relaxation.
const RELAXATION: f64 = 1.6;

impl DeviceProblem {
    fn fine(&self) -> Args {
        self.device.args(0)
    }

    /// The natural residual. All cells also get their load for the next correction. Its unit is about the last
    /// residual, since single precision works best on numbers around one.
    pub(crate) fn residual(&mut self) -> Result<f64, GpuError> {
        self.load_unit = power_of_two_below(self.norm);
        let args = Args { load_scale: 1.0 / self.load_unit, ..self.fine() };
        self.device.launch_listed(Kernel::NaturalResidual, &args)?;
        let Scalars { residual, changes, .. } = self.device.scalars()?;
        (self.changes_before, self.changes) = (self.changes, changes);
        if residual > 0.0 {
            self.norm = residual;
        }
        Ok(residual)
    }

    fn nested_start(&mut self) -> Result<(), GpuError> {
        if self.device.levels() == 1 {
            return Ok(());
        }
        let args = self.fine();
        let correction_scale = self.norm / args.unit;
        let restriction_scale = -self.load_unit / self.norm; // loads are residuals with the opposite sign
        let args = Args { restriction_scale, correction_scale, settle: Settle::Lift as i32, ..args };
        self.device.launch_quads(Kernel::RestrictFine, &args)?;
        self.replay(Repeated::Start, |problem| problem.device.solve_coarse())?;
        self.device.launch(Kernel::ProlongFine, &args)?;
        self.device.launch_listed(Kernel::SettleFine, &args)?;
        self.device.project(Kernel::ProjectFine, 0, SWEEPS_AFTER_START)
    }

    /// Projected sweeps near walls, and the policy. They work on a correction in single precision, which is then added
    /// to the iterate.
    fn policy(&mut self) -> Result<(), GpuError> {
        if self.wall_rows == 0 {
            return Ok(());
        }
        let is_settled = self.changes > 0 && self.changes == self.changes_before;
        let (repeated, sweeps) =
            if is_settled { (Repeated::SettledPolicy, SWEEPS_WHEN_SETTLED) } else { (Repeated::Policy, SWEEPS) };
        if self.loose_components > 0 {
            return self.launch_policy(sweeps); // the list of their rows is that of this problem
        }
        self.replay(repeated, |problem| problem.launch_policy(sweeps))
    }

    fn launch_policy(&mut self, sweeps: usize) -> Result<(), GpuError> {
        let args = Args { settle: Settle::Pinned as i32, ..self.fine() };
        self.device.launch_listed(Kernel::BeginNear, &args)?;
        for colour in (0..sweeps).flat_map(|_| [0, 1]) {
            self.device.launch_listed(Kernel::RelaxNear, &Args { colour, relaxation: RELAXATION, ..args })?;
        }
        self.device.launch_listed(Kernel::ChooseNear, &args)?;
        self.pin_loose_components(Slack::OfCorrection)?;
        self.device.launch_listed(Kernel::SettleCorrection, &args)?;
        self.device.launch_listed(Kernel::AcceptNear, &args)?;
        self.device.truncate(0, Truncation::IfChanged)
    }

    /// Pins a row of every component that would be singular without one.
    pub(crate) fn pin_loose_components(&mut self, slack: Slack) -> Result<(), GpuError> {
        if self.loose_components == 0 {
            return Ok(());
        }
        let buffer = self.device.arena.row_buffer;
        let args = Args {
            loose_rows: Pointer::new(buffer.values.address()),
            candidates: Pointer::new(buffer.values.at(self.loose_rows).address()), // behind the list of rows
            rows: self.loose_rows as i32,
            components: self.loose_components as i32,
            slack: slack as i32,
            ..self.fine()
        };
        let driver = &mut self.device.driver;
        driver.zero(args.candidates.address(), 2 * size_of::<u64>() * self.loose_components)?;
        driver.launch_items(Kernel::FindCandidates, self.loose_rows, &args)?;
        driver.launch_items(Kernel::PinCandidates, self.loose_components, &args)
    }

    /// Conjugate gradients for the free rows. Returns the number of cycles.
    fn gradients(&mut self, params: &BestParams, least: f64) -> Result<usize, GpuError> {
        let mut cycles = 0;
        loop {
            match cycles {
                0 => self.replay(Repeated::FirstIteration, |problem| {
                    problem.device.begin_gradients(0)?;
                    problem.device.iterate_gradients(0)
                })?,
                _ => self.replay(Repeated::Iteration, |problem| problem.device.iterate_gradients(0))?,
            }
            cycles += 1;
            let scalars = self.device.scalars()?;
            let forcing = params.forcing_after((scalars.changes - self.changes) as usize, self.wall_rows);
            let target = (forcing * scalars.free_norm).max(least / self.load_unit);
            let is_broken = scalars.progress != Progress::Running as i32;
            if scalars.norm <= target || is_broken || cycles == MOST_CYCLES {
                break;
            }
        }
        self.device.launch(Kernel::AddToQ, &self.fine())?;
        Ok(cycles)
    }
}

/// The largest power of two that is not above a number. Scaling by it does not round, so that the answer does not
/// depend on the last residual.
fn power_of_two_below(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(x.to_bits() & EXPONENT)
}

impl BestSteps for DeviceProblem {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        Ok(self.residual()?)
    }

    fn start(&mut self, _: &mut Trace) -> Result<(), SolveError> {
        Ok(self.nested_start()?)
    }

    fn choose(&mut self, _: &mut Trace) -> Result<(), SolveError> {
        Ok(self.policy()?)
    }

    fn correct(&mut self, params: &BestParams, trace: &mut Trace) -> Result<(), SolveError> {
        let cycles = self.gradients(params, 0.5 * trace.target())?;
        trace.spend(cycles);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_loads_are_powers_of_two() {
        for (x, expected) in [(1.0, 1.0), (1.9, 1.0), (0.3, 0.25), (6e-7, 2f64.powi(-21))] {
            assert_eq!(power_of_two_below(x), expected, "below {x}");
        }
    }
}
