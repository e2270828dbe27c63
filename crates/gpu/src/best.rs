//! `best` on the device: the scheme of `unstick_mlcp`, with the iterate, the levels and the active set
//! in device memory.

use unstick_mlcp::SolveError;
use unstick_mlcp::device::{BestSteps, MOST_CYCLES};
use unstick_mlcp::run::Trace;
use unstick_mlcp::solvers::best::BestParams;

use crate::error::GpuError;
use crate::layout::{Args, Judged, Scalars, Settle, THREADS, Truncation};
use crate::machine::{Kernel, Recording};
use crate::resident::Resident;

/// Projected sweeps over all cells of the finest level behind the nested start.
const SWEEPS_AFTER_START: usize = 2;

/// Projected sweeps near the walls before a policy, and where the one before has changed no row; their
/// over-relaxation. A device has them cheaper than the processor, which makes do with half as many.
const SWEEPS: usize = 4;
const SWEEPS_WHEN_SETTLED: usize = 1;
const RELAXATION: f64 = 1.6;

impl Resident {
    /// Replays what `launches` does, recording it the first time.
    pub(crate) fn replay(
        &mut self,
        known: Option<Recording>,
        launches: impl FnOnce(&mut Self) -> Result<(), GpuError>,
    ) -> Result<Recording, GpuError> {
        let recording = match known {
            Some(recording) => recording,
            None => {
                self.device.machine.begin_recording()?;
                let launched = launches(self);
                let recording = self.device.machine.end_recording()?;
                launched?;
                recording
            }
        };
        self.device.machine.replay(recording)?;
        Ok(recording)
    }

    fn fine(&self) -> Args {
        self.device.args(0)
    }

    /// The natural residual. On the way cells get their load for the next correction, in units of about the residual
    /// before: single precision works on numbers around one.
    pub(crate) fn residual(&mut self) -> Result<f64, GpuError> {
        self.load_unit = power_of_two_below(self.norm);
        let args = Args { factor: 1.0 / self.load_unit, ..self.fine() };
        self.device.reduce(Kernel::NaturalResidual, &args)?;
        let Scalars { residual, changes, .. } = self.device.scalars()?;
        self.changes = [changes, self.changes[0]];
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
        let (norm, scale) = (self.norm, self.norm / args.unit);
        let factor = -self.load_unit / norm; // loads are residuals with the other sign
        self.device.launch_quads(Kernel::RestrictToStart, &Args { factor, scale, ..args })?;
        self.recordings.start = Some(self.replay(self.recordings.start, |resident| resident.device.solve_coarse())?);
        self.device.launch(Kernel::ProlongFine, &Args { factor: scale, ..args })?;
        self.device.launch_listed(Kernel::SettleFine, &Args { mode: Settle::Lift as i32, ..args })?;
        self.device.project(Kernel::ProjectFine, 0, SWEEPS_AFTER_START)
    }

    /// Projected sweeps near the walls, and the policy. They work on a correction in single precision, which is added
    /// to the iterate afterwards.
    fn policy(&mut self) -> Result<(), GpuError> {
        if self.wall_rows == 0 {
            return Ok(());
        }
        let args = Args { scale: self.load_unit / self.device.arena.base.unit, ..self.fine() };
        self.device.launch_listed(Kernel::BeginNear, &args)?;
        let is_settled = self.changes[0] > 0 && self.changes[0] == self.changes[1];
        let sweeps = if is_settled { SWEEPS_WHEN_SETTLED } else { SWEEPS };
        let known = self.recordings.choices[is_settled as usize];
        let recording = self.replay(known, |resident| {
            for colour in (0..sweeps).flat_map(|_| [0, 1]) {
                resident.device.launch_listed(Kernel::RelaxNear, &Args { colour, factor: RELAXATION, ..args })?;
            }
            resident.device.launch_listed(Kernel::ChooseNear, &args)
        })?;
        self.recordings.choices[is_settled as usize] = Some(recording);
        self.anchor(Judged::ByCorrection)?;
        self.device.launch_listed(Kernel::SettleNear, &args)?;
        self.device.launch_listed(Kernel::AcceptNear, &args)?;
        let known = self.recordings.truncation;
        let truncate = |resident: &mut Self| resident.device.truncate(0, Truncation::IfChanged);
        self.recordings.truncation = Some(self.replay(known, truncate)?);
        Ok(())
    }

    /// One row of every loose component stays pinned.
    pub(crate) fn anchor(&mut self, judged: Judged) -> Result<(), GpuError> {
        if self.loose == 0 {
            return Ok(());
        }
        let staging = self.device.arena.rows;
        let anchors = staging.cells.next_multiple_of(16);
        let args = Args { loose: staging.values, anchors, mode: judged as i32, ..self.fine() };
        self.device.machine.zero(anchors, 16 * self.loose)?;
        let rows = self.loose_rows as i32;
        self.device.machine.launch(
            Kernel::FindAnchors,
            (rows as u32).div_ceil(THREADS),
            THREADS,
            &Args { rows, ..args },
        )?;
        let rows = self.loose as i32;
        self.device.machine.launch(
            Kernel::DropAnchors,
            (rows as u32).div_ceil(THREADS),
            THREADS,
            &Args { rows, ..args },
        )
    }

    /// Conjugate gradients for the free rows; returns the cycles they took.
    fn gradients(&mut self, params: &BestParams, least: f64) -> Result<usize, GpuError> {
        let unit = self.load_unit;
        let args = self.fine();
        self.device.begin_gradients(0)?;
        let mut cycles = 0;
        loop {
            let known = self.recordings.iteration;
            self.recordings.iteration = Some(self.replay(known, |resident| resident.device.iterate_gradients(0))?);
            cycles += 1;
            let scalars = self.device.scalars()?;
            let forcing = params.forcing_after((scalars.changes - self.changes[0]) as usize, self.wall_rows);
            let target = (forcing * scalars.free_norm).max(least / unit);
            if scalars.norm <= target || scalars.is_stopped != 0 || cycles == MOST_CYCLES {
                break;
            }
        }
        self.device.launch(Kernel::CorrectFine, &Args { factor: unit / args.unit, ..args })?;
        Ok(cycles)
    }
}

/// Scaling by it rounds nothing, so that the answer does not depend on what the residual before was.
fn power_of_two_below(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(x.to_bits() & EXPONENT)
}

impl BestSteps for Resident {
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
