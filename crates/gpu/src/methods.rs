//! `sticking`, `policy` and `newton` on the device: the methods of `unstick_mlcp`, with the iterate, the
//! pinned rows and the linear solves in device memory.

use unstick_mlcp::SolveError;
use unstick_mlcp::device::{NewtonSteps, Patience, PolicySteps, StickingSteps};
use unstick_mlcp::linear::{LinearOutcome, LinearReport};
use unstick_mlcp::run::Trace;

use crate::gradients::{Aim, MOST_ITERATIONS};
use crate::layout::{Args, Judged, Precondition, Settle};
use crate::machine::Kernel;
use crate::resident::Resident;

/// Equations on every row.
pub(crate) struct Sticking<'d> {
    pub resident: &'d mut Resident,
    pub precondition: Precondition,
}

impl StickingSteps for Sticking<'_> {
    fn residual(&mut self) -> Result<f64, SolveError> {
        Ok(self.resident.residual()?)
    }

    fn correct(&mut self, trace: &mut Trace) -> Result<(LinearOutcome, Option<f64>), SolveError> {
        let aim = Aim { forcing: 0.0, least: trace.target(), most_iterations: trace.cycles_left() };
        let mut watch = |residual| trace.watch(residual);
        Ok((self.resident.solve_rows(self.precondition, aim, Some(&mut watch))?.outcome, None))
    }
}

/// Policy iteration that changes all rows at once.
pub(crate) struct Policy<'d> {
    pub resident: &'d mut Resident,
    pub precondition: Precondition,
    pub patience: Patience,
}

impl PolicySteps for Policy<'_> {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        Ok(self.resident.residual()?)
    }

    fn choose(&mut self, trace: &mut Trace) -> Result<Option<usize>, SolveError> {
        let resident = &mut *self.resident;
        if resident.wall_rows == 0 {
            return Ok(Some(0));
        }
        let args = resident.device.args(0);
        resident.clear_changes()?;
        resident.device.launch(Kernel::ChooseFine, &args)?;
        resident.anchor(Judged::ByIterate)?;
        resident.device.launch(Kernel::SettleFine, &Args { mode: Settle::Pinned as i32, ..args })?;
        // A row that is freed and pinned again as the anchor of its component has not changed.
        let changed = (resident.device.scalars()?.changes as usize).saturating_sub(resident.loose);
        if !self.patience.allows(changed) && changed > 0 {
            return Ok(None);
        }
        trace.set_up(|| resident.truncate(self.precondition))?;
        Ok(Some(changed))
    }

    fn is_cautious(&self) -> bool {
        self.patience.is_spent()
    }

    fn correct(&mut self, forcing: f64, least: f64, trace: &mut Trace) -> Result<LinearReport, SolveError> {
        let aim = Aim { forcing, least, most_iterations: MOST_ITERATIONS };
        let report = self.resident.solve_rows(self.precondition, aim, None)?;
        trace.spend(report.iterations);
        Ok(report)
    }
}

/// Minimum-map Newton.
pub(crate) struct Newton<'d> {
    pub resident: &'d mut Resident,
    pub precondition: Precondition,
    /// How far the last trial is from the iterate.
    pub moved: f64,
}

impl NewtonSteps for Newton<'_> {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        Ok(self.resident.residual()?)
    }

    fn choose(&mut self, trace: &mut Trace) -> Result<(), SolveError> {
        let resident = &mut *self.resident;
        let args = resident.vectors(self.precondition);
        if resident.wall_rows > 0 {
            resident.device.launch(Kernel::ChooseNewton, &args)?;
            resident.anchor(Judged::ByIterate)?;
            trace.set_up(|| resident.truncate(self.precondition))?;
        }
        Ok(resident.device.launch(Kernel::StepToBound, &args)?)
    }

    fn solve(&mut self, target: f64, trace: &mut Trace) -> Result<(), SolveError> {
        let aim = Aim { forcing: 0.0, least: target, most_iterations: MOST_ITERATIONS };
        let report = self.resident.solve_rows(self.precondition, aim, None)?; // inexact by design
        trace.spend(report.iterations);
        Ok(())
    }

    fn merit_and_slope(&mut self) -> Result<(f64, f64), SolveError> {
        let args = self.resident.vectors(self.precondition);
        self.resident.device.reduce(Kernel::MeritAndSlope, &args)?;
        let scalars = self.resident.device.scalars()?;
        Ok((scalars.merit, scalars.slope))
    }

    fn try_step(&mut self, step: f64) -> Result<f64, SolveError> {
        let args = Args { factor: step, ..self.resident.vectors(self.precondition) };
        self.resident.device.launch(Kernel::ProjectStep, &args)?;
        self.resident.device.reduce(Kernel::MeritOfTrial, &args)?;
        let scalars = self.resident.device.scalars()?;
        self.moved = scalars.moved;
        Ok(scalars.merit)
    }

    fn accept(&mut self) -> Result<f64, SolveError> {
        let args = self.resident.vectors(self.precondition);
        self.resident.device.launch(Kernel::AcceptTrial, &args)?;
        Ok(self.moved)
    }

    /// Colour by colour.
    fn sweep(&mut self, sweeps: usize) -> Result<bool, SolveError> {
        self.resident.device.project(Kernel::ProjectFine, 0, sweeps)?;
        Ok(true)
    }
}
