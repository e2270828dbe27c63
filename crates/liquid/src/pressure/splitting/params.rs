//! Thresholds and choices.

use unstick_mlcp::Splitting;

use crate::error::SetupError;

/// When a splitting stops, and how it tells which walls are left.
///
/// Thresholds are velocities in the unit of the source: cells per unit of time, of which a step is
/// half. In units of ours they are multiplied by h/(2 Δt). Defaults are the setting that
/// \[Eckert2014, §4.2.2\] calls practical.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplittingParams {
    /// ε_CG: outflow of a cell that a linear solve may leave. Default 1e-3.
    pub inner: f64,
    /// ε_div: outflow of a cell at which `iop`, `iop-bc` and, if asked to, `admm` stop. Default 1e-2.
    pub outer: f64,
    /// ε_abs: difference of two velocities at which `admm` and, if asked to, `iop` stop. Default 1e-3.
    pub absolute: f64,
    /// ε_rel: the same, relative to the larger of the two. Default 1e-3.
    pub relative: f64,
    /// What the outer loop stops on. Default the velocities in `admm` and the divergence in `iop`; `iop-bc` always stops on that.
    pub stopping: Option<Stopping>,
    /// What tells which walls are left. Default the velocity.
    pub marking: Marking,
    /// What is marked. Default faces.
    pub marked: Marked,
    /// Whether a wall is held again when liquid flows into it. Default true; \[Eckert2014\] never does so.
    pub takes_back: bool,
    /// Outer iterations after which to give up. Default 1000, as in \[Eckert2014, §4.4\].
    pub max_iterations: usize,
}

impl Default for SplittingParams {
    fn default() -> Self {
        Self {
            inner: 1e-3,
            outer: 1e-2,
            absolute: 1e-3,
            relative: 1e-3,
            stopping: None,
            marking: Marking::default(),
            marked: Marked::default(),
            takes_back: true,
            max_iterations: 1000,
        }
    }
}

/// What an outer loop stops on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopping {
    /// The difference of two velocities: in `admm` those of its two parts, which says how well divergence and walls hold at
    /// once; in `iop` those of two turns, which says how much a turn still changes. \[Eckert2014, §3.3\] finds that walls leak then.
    Velocity,
    /// The divergence; \[Eckert2014, §4.1\] finds that walls then hold less well in `admm`.
    Divergence,
}

/// What is marked where liquid leaves a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marked {
    /// The face.
    #[default]
    Faces,
    /// The solid cell behind it with all of its faces \[Eckert2014, alg. 3\]. Plates that are one cell thick leak.
    Cells,
}

/// What tells whether the liquid leaves a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marking {
    /// A velocity away from the wall, were there none.
    #[default]
    Velocity,
    /// A pressure of zero or less beside it.
    Pressure,
    /// A velocity away from the wall before the first solve, forces included. \[Eckert2014, §3.4\] finds that walls leak then.
    Before,
}

impl SplittingParams {
    /// Whether a splitting stops on a difference of velocities.
    pub(crate) fn stops_on_velocity(&self, splitting: Splitting) -> bool {
        match splitting {
            Splitting::Admm => self.stopping.unwrap_or(Stopping::Velocity) == Stopping::Velocity,
            Splitting::Iop => self.stopping == Some(Stopping::Velocity),
            Splitting::Reclassify | Splitting::IopBc => false,
        }
    }

    /// A warning if the outer loop is stricter than the inner one: then it converges by luck only
    /// \[Eckert2014, §4.1\].
    ///
    /// ```
    /// use unstick_liquid::SplittingParams;
    /// assert_eq!(SplittingParams::default().warning(), None);
    /// assert!(SplittingParams { outer: 1e-4, ..Default::default() }.warning().is_some());
    /// ```
    pub fn warning(&self) -> Option<&'static str> {
        (self.outer <= self.inner).then_some(
            "the outer threshold is no looser than the inner one: walls bring in divergence that the linear solves are \
             not asked to remove, and the loop may take very long",
        )
    }

    pub(crate) fn check(&self) -> Result<(), SetupError> {
        let thresholds = [
            ("the inner threshold", self.inner),
            ("the outer threshold", self.outer),
            ("the absolute threshold", self.absolute),
            ("the relative threshold", self.relative),
        ];
        let wrong = thresholds.into_iter().find(|(_, value)| !(*value > 0.0 && value.is_finite()));
        wrong.map_or(Ok(()), |(what, value)| Err(SetupError::NotPositive { what, value }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_must_be_positive() {
        let wrong = SplittingParams { relative: -1.0, ..Default::default() };
        assert_eq!(wrong.check(), Err(SetupError::NotPositive { what: "the relative threshold", value: -1.0 }));
        assert_eq!(SplittingParams::default().check(), Ok(()));
    }
}
