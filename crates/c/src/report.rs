//! The account of a solve.

use unstick_mlcp::{Outcome, SolveReport};

/// The account of a solve, all zero after a call that failed. Only with `has_converged` does the answer meet its tolerance.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UnstickReport {
    /// Whether the answer meets the tolerance.
    pub has_converged: bool,
    /// Whether there is no answer: a closed part of the liquid is asked to change its volume.
    pub is_incompatible: bool,
    /// Outer iterations: policies, Newton steps, sweeps.
    pub cycles: usize,
    /// Iterations of the linear solver in all cycles.
    pub inner_iterations: usize,
    /// Natural residual of the answer, largest entry, in the units of b.
    pub residual: f64,
    /// The same over that at x = 0.
    pub relative_residual: f64,
    /// Number of rows.
    pub rows: usize,
    /// Number of wall rows.
    pub wall_rows: usize,
    /// Wall rows that have let go.
    pub active_rows: usize,
    /// Seconds spent on preparation. Little in a second solve with the same matrix.
    pub setup_seconds: f64,
    /// Seconds spent on the rest.
    pub solve_seconds: f64,
}

impl UnstickReport {
    /// The place that a caller gave for a report, if any, emptied: a call that fails leaves nothing of an earlier one.
    ///
    /// # Safety
    /// `place` is NULL or points to room for a report.
    pub(crate) unsafe fn emptied<'a>(place: *mut Self) -> Option<&'a mut Self> {
        if place.is_null() {
            return None;
        }
        unsafe {
            place.write(Self::default());
            Some(&mut *place)
        }
    }
}

impl From<&SolveReport> for UnstickReport {
    fn from(report: &SolveReport) -> Self {
        Self {
            has_converged: report.converged(),
            is_incompatible: report.outcome() == Outcome::Incompatible,
            cycles: report.cycles(),
            inner_iterations: report.inner_iterations(),
            residual: report.residual(),
            relative_residual: report.relative_residual(),
            rows: report.rows(),
            wall_rows: report.wall_rows(),
            active_rows: report.active_rows(),
            setup_seconds: report.setup_time().as_secs_f64(),
            solve_seconds: report.solve_time().as_secs_f64(),
        }
    }
}
