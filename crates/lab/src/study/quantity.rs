//! Numbers of a measurement.

use serde::{Deserialize, Deserializer};

use super::record::Record;

/// Frames during which liquid that leaves a ceiling has not yet hit anything.
const EARLY: usize = 5;

/// A number of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Iterations of the linear solver in all cycles; cycles if there is no linear solver.
    Iterations,
    /// Outer iterations.
    Cycles,
    /// Seconds of a solve, set-up included; per step in runs.
    Seconds,
    /// Seconds of the set-up.
    Setup,
    /// Seconds of a solve without it.
    Work,
    /// Seconds of a whole step.
    StepSeconds,
    /// ‖H‖∞ at the end divided by that at zero.
    Residual,
    /// Volume at the end of a run, percent of gain over its start.
    VolumeGain,
    /// Largest deviation of the volume from its start, percent.
    VolumeDrift,
    /// Volume that the surface encloses at the end of a run, percent of gain.
    SurfaceGain,
    /// Volume of balls around the particles at the end of a run, percent of gain.
    BallGain,
    /// Largest difference of a face velocity from the reference, in m/s.
    Difference,
    /// Root of the mean square of these differences, in m/s.
    Spread,
    /// How often the stopping residual grew from one outer iteration to the next.
    Rises,
    /// Largest speed of a particle at the end of a run, in m/s.
    Speed,
    /// Largest speed of a particle after the first frames of a run, in m/s.
    EarlySpeed,
    /// Cells whose wall has let go, at the end of a run.
    Separated,
    /// Kinetic and potential energy that a run has lost, percent of what it began with.
    EnergyLoss,
    /// A number of a flow, by its name.
    Named(&'static str),
}

/// Every quantity that is not [named](Quantity::Named).
const ALL: [Quantity; 18] = [
    Quantity::Iterations,
    Quantity::Cycles,
    Quantity::Seconds,
    Quantity::Setup,
    Quantity::Work,
    Quantity::StepSeconds,
    Quantity::Residual,
    Quantity::VolumeGain,
    Quantity::VolumeDrift,
    Quantity::SurfaceGain,
    Quantity::BallGain,
    Quantity::Difference,
    Quantity::Spread,
    Quantity::Rises,
    Quantity::Speed,
    Quantity::EarlySpeed,
    Quantity::Separated,
    Quantity::EnergyLoss,
];

/// By its heading; the catalogue is read once, so that other names may stay in memory.
impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(data: D) -> Result<Self, D::Error> {
        let name = String::deserialize(data)?;
        let known = ALL.into_iter().find(|quantity| quantity.name() == name);
        Ok(known.unwrap_or_else(|| Self::Named(name.leak())))
    }
}

impl Quantity {
    /// Heading of a column of it, and name of an axis.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iterations => "iterations",
            Self::Cycles => "outer iterations",
            Self::Seconds => "seconds",
            Self::Setup => "seconds of set-up",
            Self::Work => "seconds after set-up",
            Self::StepSeconds => "seconds per step",
            Self::Residual => "residual left",
            Self::VolumeGain => "volume gain, %",
            Self::VolumeDrift => "largest volume error, %",
            Self::SurfaceGain => "gain of enclosed volume, %",
            Self::BallGain => "gain of a union of balls, %",
            Self::Difference => "velocity difference, m/s",
            Self::Spread => "root mean square, m/s",
            Self::Rises => "times the residual grew",
            Self::Speed => "fastest particle, m/s",
            Self::EarlySpeed => "fastest particle after five frames, m/s",
            Self::Separated => "cells that let go",
            Self::EnergyLoss => "energy lost, %",
            Self::Named(name) => name,
        }
    }

    /// Its value; none if the measurement has no such number or failed.
    pub fn of(self, record: &Record) -> Option<f64> {
        match record {
            Record::Solve(solve) => match self {
                Self::Residual => Some(solve.history.last()? / solve.reference),
                _ if !solve.converged => None,
                Self::Iterations => Some(solve.inner_iterations() as f64),
                Self::Cycles => Some(solve.cycles() as f64),
                Self::Seconds => Some(solve.setup + solve.solve),
                Self::Setup => Some(solve.setup),
                Self::Work => Some(solve.solve),
                _ => None,
            },
            Record::Run(run) => match self {
                _ if run.error.is_some() => None,
                Self::Iterations => run.mean(|frame| frame.iterations),
                Self::Cycles => run.mean(|frame| frame.cycles),
                Self::Seconds => run.mean(|frame| frame.pressure_seconds),
                Self::StepSeconds => run.mean(|frame| frame.seconds),
                Self::VolumeGain => Some(100.0 * (run.frames.last()?.volume / run.volume - 1.0)),
                Self::VolumeDrift => {
                    let drift = run.frames.iter().map(|frame| 100.0 * (frame.volume / run.volume - 1.0).abs());
                    drift.reduce(f64::max)
                }
                Self::SurfaceGain => Some(100.0 * (run.frames.last()?.surface_volume / run.surface_volume - 1.0)),
                Self::BallGain => Some(100.0 * (run.frames.last()?.ball_volume / run.ball_volume - 1.0)),
                Self::Speed => Some(run.frames.last()?.fastest),
                Self::EarlySpeed => Some(run.frames.get(EARLY - 1)?.fastest),
                Self::Separated => Some(run.frames.last()?.separated as f64),
                Self::EnergyLoss if run.energy > 0.0 => Some(100.0 * (1.0 - run.frames.last()?.energy / run.energy)),
                _ => None,
            },
            Record::Flow(findings) => match self {
                Self::Seconds => Some(findings.seconds),
                Self::Named(name) => findings.values.iter().find(|(known, _)| known == name).map(|(_, value)| *value),
                _ => None,
            },
            Record::Step(step) => match self {
                _ if step.error.is_some() => None,
                Self::Iterations => Some(step.iterations),
                Self::Cycles => Some(step.cycles),
                Self::Seconds => Some(step.seconds),
                Self::Difference => Some(step.difference),
                Self::Spread => Some(step.spread),
                Self::Rises => Some(step.rises() as f64),
                _ => None,
            },
            Record::Trial(_) => None,
        }
    }

    /// Whether it is a time, which can be compared between methods.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Seconds | Self::Setup | Self::Work | Self::StepSeconds)
    }

    /// The number with a suitable number of digits.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Iterations | Self::Cycles | Self::Separated | Self::Rises if value.fract() == 0.0 => {
                format!("{value:.0}")
            }
            Self::Iterations | Self::Cycles | Self::Rises if value < 100.0 => format!("{value:.2}"),
            Self::Iterations | Self::Cycles | Self::Separated | Self::Rises => format!("{value:.0}"),
            Self::Residual | Self::Difference | Self::Spread => format!("{value:.1e}"),
            Self::VolumeGain | Self::VolumeDrift | Self::SurfaceGain | Self::BallGain => format!("{value:.2}"),
            Self::Speed | Self::EarlySpeed | Self::EnergyLoss => format!("{value:.2}"),
            Self::Named(_) => digits(value),
            Self::Seconds | Self::Setup | Self::Work | Self::StepSeconds => significant(value),
        }
    }
}

/// Five significant digits.
fn digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let places = (4.0 - value.abs().log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.places$}")
}

/// Two significant digits, as in the published tables of times; three from ten on.
fn significant(value: f64) -> String {
    if value <= 0.0 {
        return "0".into();
    }
    let digits = (1.0 - value.log10().floor()).clamp(1.0, 9.0) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_two_digits() {
        assert_eq!([0.000_541, 0.0212, 1.25, 36.96].map(significant), ["0.00054", "0.021", "1.2", "37.0"]);
    }
}
