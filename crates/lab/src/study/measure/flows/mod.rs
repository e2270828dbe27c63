//! Flows with known answers.

mod cavity;
mod cylinder;
mod kissing;
mod oscillation;
mod settling;
mod translation;

use std::time::Instant;

use serde::Deserialize;
use unstick::flow::StepError;

use super::{Measurement, Session};
use crate::LabError;
use crate::study::record::{Findings, Record};
use crate::study::{FlowCase, Flows, Scope};

/// A flow that can be measured. Its size sets the resolution.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlowKind {
    /// A square driven by its lid, at a Reynolds number; cells along a side.
    Cavity(f64),
    /// A cylinder in a channel, steady: DFG 2D-1; cells per diameter.
    ChannelSteady,
    /// … shedding vortices: DFG 2D-2.
    ChannelPeriodic,
    /// … in a flow that rises and falls: DFG 2D-3.
    ChannelPulse,
    /// … from wall to wall, in space: DFG 3D-1Z.
    ChannelSpace,
    /// A cylinder that oscillates in liquid at rest; cells per diameter.
    Oscillation,
    /// A sphere that settles in a box, experiment 1 to 4; cells per diameter.
    Sphere(usize),
    /// A disc that settles in a channel; cells per diameter.
    Disc,
    /// Two discs or balls, one behind the other; cells per diameter.
    Kissing {
        /// Whether they are balls.
        in_space: bool,
    },
    /// A ball moved steadily through liquid, at a Reynolds number; cells per diameter.
    Translation(f64),
}

type Say<'a> = &'a dyn Fn(String);

impl FlowKind {
    fn run(self, size: usize, say: Say) -> Result<Findings, StepError> {
        match self {
            Self::Cavity(reynolds) => cavity::run(reynolds, size, say),
            Self::ChannelSteady => cylinder::steady(size, say),
            Self::ChannelPeriodic => cylinder::periodic(size, say),
            Self::ChannelPulse => cylinder::pulse(size, say),
            Self::ChannelSpace => cylinder::in_space(size, say),
            Self::Oscillation => oscillation::run(size, say),
            Self::Sphere(experiment) => settling::sphere(experiment, size, say),
            Self::Disc => settling::disc(size, say),
            Self::Kissing { in_space: false } => kissing::in_plane(size, say),
            Self::Kissing { in_space: true } => kissing::in_space(size, say),
            Self::Translation(reynolds) => translation::run(reynolds, size, say),
        }
    }
}

/// Every case at every resolution.
fn cases(experiment: &Flows, scope: Scope) -> impl Iterator<Item = (&FlowCase, usize, Measurement)> {
    let sizes = experiment.cells.of(scope);
    experiment.cases.iter().flat_map(|case| sizes.iter().map(move |&size| (case, size))).map(|(case, size)| {
        let (column, key) = (format!("{size} cells"), format!("flow {:?} {size}", case.flow));
        (case, size, Measurement::new("", size, 0, [&case.row, &column], key))
    })
}

pub fn measurements(experiment: &Flows, scope: Scope) -> Vec<Measurement> {
    cases(experiment, scope).map(|(.., measurement)| measurement).collect()
}

pub fn measure(experiment: &Flows, scope: Scope, session: &mut Session) -> Result<(), LabError> {
    for (case, size, Measurement { row, column, key, .. }) in cases(experiment, scope) {
        if session.has(&key) {
            continue;
        }
        let begin = Instant::now();
        let say = |text: String| session.say(format!("{row} {column}: {text}"));
        let failed = |error: StepError| Findings { error: Some(error.to_string()), ..Findings::default() };
        let mut findings = case.flow.run(size, &say).unwrap_or_else(failed);
        findings.seconds = begin.elapsed().as_secs_f64();
        session.keep(key, Record::Flow(findings))?;
    }
    Ok(())
}

/// About 400 points of a curve, enough to draw it.
fn thinned(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let stride = points.len().div_ceil(400).max(1);
    points.iter().step_by(stride).copied().collect()
}

/// Unwraps axes and setups whose parameters are constants known to be valid.
fn sound<T, E: std::fmt::Display>(built: Result<T, E>) -> T {
    built.unwrap_or_else(|error| unreachable!("{error}"))
}
