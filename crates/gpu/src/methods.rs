//! `sticking`, `policy` and `newton` on the device: the methods of `unstick_mlcp`, with the iterate, the pinned rows and
//! the linear solves in device memory.

use unstick_mlcp::SolveError;
use unstick_mlcp::device::{NewtonSteps, Patience, PolicySteps, StickingSteps};
use unstick_mlcp::linear::{LinearOutcome, LinearReport};
use unstick_mlcp::run::Trace;

use crate::driver::Kernel;
use crate::gradients::LinearTarget;
use crate::layout::{Args, Precondition, Settle, Slack};
use crate::problem::DeviceProblem;

/// The steps of these methods, with linear solves on the device.
pub(crate) struct RowSteps<'d> {
    pub problem: &'d mut DeviceProblem,
    pub precondition: Precondition,
    /// The most iterations of a linear solve of `policy` and `newton`.
    pub max_iterations: usize,
    /// How many policies may make no progress: on the device all rows change at once.
    pub patience: Patience,
    /// Newton: the largest difference between the last trial and the iterate.
    pub moved: f64,
}

impl RowSteps<'_> {
    fn solve_rows(&mut self, forcing: f64, least: f64, trace: &mut Trace) -> Result<LinearReport, SolveError> {
        let goal = LinearTarget { forcing, least, most_iterations: self.max_iterations };
        let report = self.problem.solve_rows(self.precondition, goal, None)?;
        trace.spend(report.iterations);
        Ok(report)
    }
}

impl StickingSteps for RowSteps<'_> {
    fn residual(&mut self) -> Result<f64, SolveError> {
        Ok(self.problem.residual()?)
    }

    fn correct(&mut self, trace: &mut Trace) -> Result<(LinearOutcome, Option<f64>), SolveError> {
        let goal = LinearTarget { forcing: 0.0, least: trace.target(), most_iterations: trace.cycles_left() };
        let mut watch = |residual| trace.watch(residual);
        Ok((self.problem.solve_rows(self.precondition, goal, Some(&mut watch))?.outcome, None))
    }
}

impl PolicySteps for RowSteps<'_> {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        Ok(self.problem.residual()?)
    }

    fn choose(&mut self, trace: &mut Trace) -> Result<Option<usize>, SolveError> {
        let problem = &mut *self.problem;
        if problem.wall_rows == 0 {
            return Ok(Some(0));
        }
        let args = problem.device.args(0);
        problem.clear_changes()?;
        problem.device.launch(Kernel::ChooseFine, &args)?;
        problem.pin_loose_components(Slack::OfIterate)?;
        problem.device.launch(Kernel::SettleFine, &Args { settle: Settle::Pinned as i32, ..args })?;
        // A row that is freed and then pinned for its component has not changed.
        let changes = problem.device.scalars()?.changes as usize;
        let changed = changes.saturating_sub(problem.loose_components);
        if !self.patience.allows(changed) && changed > 0 {
            return Ok(None);
        }
        trace.set_up(|| problem.truncate(self.precondition))?;
        Ok(Some(changed))
    }

    fn is_cautious(&self) -> bool {
        self.patience.is_spent()
    }

    fn correct(&mut self, forcing: f64, least: f64, trace: &mut Trace) -> Result<LinearReport, SolveError> {
        self.solve_rows(forcing, least, trace)
    }
}

impl NewtonSteps for RowSteps<'_> {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        Ok(self.problem.residual()?)
    }

    fn choose(&mut self, trace: &mut Trace) -> Result<(), SolveError> {
        let problem = &mut *self.problem;
        let args = problem.vectors(self.precondition);
        if problem.wall_rows > 0 {
            problem.device.launch(Kernel::ChooseNewton, &args)?;
            problem.pin_loose_components(Slack::OfIterate)?;
            trace.set_up(|| problem.truncate(self.precondition))?;
        }
        Ok(problem.device.launch(Kernel::StepToBound, &args)?)
    }

    fn solve(&mut self, target: f64, trace: &mut Trace) -> Result<(), SolveError> {
        self.solve_rows(0.0, target, trace).map(drop) // inexact by design
    }

    fn merit_and_slope(&mut self) -> Result<(f64, f64), SolveError> {
        let args = self.problem.vectors(self.precondition);
        self.problem.device.launch_listed(Kernel::MeritAndSlope, &args)?;
        let scalars = self.problem.device.scalars()?;
        Ok((scalars.merit, scalars.slope))
    }

    fn try_step(&mut self, step: f64) -> Result<f64, SolveError> {
        let args = Args { step, ..self.problem.vectors(self.precondition) };
        self.problem.device.launch(Kernel::ProjectStep, &args)?;
        self.problem.device.launch_listed(Kernel::MeritOfTrial, &args)?;
        let scalars = self.problem.device.scalars()?;
        self.moved = scalars.moved;
        Ok(scalars.merit)
    }

    fn accept(&mut self) -> Result<f64, SolveError> {
        let args = self.problem.vectors(self.precondition);
        self.problem.device.launch(Kernel::AcceptTrial, &args)?;
        Ok(self.moved)
    }

    /// Sweeps colour by colour.
    fn sweep(&mut self, sweeps: usize) -> Result<bool, SolveError> {
        self.problem.device.project(Kernel::ProjectFine, 0, sweeps)?;
        Ok(true)
    }
}
