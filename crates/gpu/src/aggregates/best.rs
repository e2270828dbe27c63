//! The steps of the scheme.

use unstick_mlcp::SolveError;
use unstick_mlcp::device::{BestSteps, FORCING_WITHOUT_SWEEPS, MISLED, MOST_CYCLES};
use unstick_mlcp::run::Trace;
use unstick_mlcp::solvers::best::BestParams;

use super::{Repeated, RowsProblem};
use crate::driver::Kernel;
use crate::error::GpuError;
use crate::layout::{Args, Progress};

impl RowsProblem {
    /// The arguments for the finest level, where corrections and loads are in units of the last residual.
    fn fine(&self) -> Args {
        let args = self.args(0);
        Args { load_scale: 1.0 / self.norm, correction_scale: self.norm / args.unit, ..args }
    }

    fn policy(&mut self) -> Result<(), GpuError> {
        self.launch(Kernel::RowsPose, &self.fine())?;
        self.is_swept &= self.norm < MISLED * self.before;
        let is_first = self.before == f64::INFINITY;
        self.before = self.norm;
        if self.wall_rows > 0 {
            if self.is_swept {
                self.relax(0, true)?;
            }
            self.choose_rows(0)?;
            self.changes = self.scalars()?.changes as usize;
        } else {
            self.changes = 0;
        }
        // A row that is pinned for its component is not counted.
        if self.changes > 0 || self.loose_components > 0 || is_first {
            self.knows_pins = true;
            self.replay(Repeated::Renewal, |problem| problem.renew(0))?;
        }
        Ok(())
    }

    /// Conjugate gradients for the free rows. Returns the number of cycles.
    fn gradients(&mut self, target: impl Fn(f64) -> f64) -> Result<usize, GpuError> {
        let args = self.fine();
        self.launch(Kernel::RowsBeginAnswer, &args)?;
        self.launch(Kernel::RowsBeginGradients, &args)?;
        let mut scalars = self.scalars()?;
        let (target, mut cycles) = (target(scalars.norm), 0);
        while scalars.norm > target && cycles < MOST_CYCLES {
            self.replay(Repeated::Cycle, |problem| problem.cycle(0, 0))?;
            for kernel in [Kernel::RowsTurn, Kernel::RowsDirect, Kernel::RowsMultiply, Kernel::RowsStep] {
                self.launch(kernel, &args)?;
            }
            scalars = self.scalars()?;
            if scalars.progress != Progress::Running as i32 {
                break;
            }
            cycles += 1;
        }
        self.launch(Kernel::RowsAccept, &args)?;
        Ok(cycles)
    }
}

impl BestSteps for RowsProblem {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        self.launch(Kernel::RowsNatural, &self.args(0))?;
        let residual = self.scalars()?.residual;
        if residual > 0.0 {
            self.norm = residual;
        }
        Ok(residual)
    }

    fn start(&mut self, _: &mut Trace) -> Result<(), SolveError> {
        self.launch(Kernel::RowsPose, &self.fine())?;
        self.nested_start()?;
        self.knows_pins = true;
        Ok(self.launch(Kernel::RowsAcceptStart, &self.fine())?)
    }

    fn choose(&mut self, _: &mut Trace) -> Result<(), SolveError> {
        Ok(self.policy()?)
    }

    fn correct(&mut self, params: &BestParams, trace: &mut Trace) -> Result<(), SolveError> {
        let most = if self.is_swept { 1.0 } else { FORCING_WITHOUT_SWEEPS };
        let forcing = params.forcing_after(self.changes, self.wall_rows).min(most);
        let least = 0.5 * trace.target();
        let cycles = self.gradients(|norm| (forcing * norm).max(least))?;
        trace.spend(cycles);
        Ok(())
    }
}
