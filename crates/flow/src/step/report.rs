//! What a step of the flow did.

use unstick_mlcp::Convergence;

use crate::immersed::Force;

/// What a step of the flow did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FlowReport<const D: usize> {
    /// Seconds.
    pub length: f64,
    /// How the viscous step ended. The first step takes several passes: their iterations add up and the worst counts.
    pub viscous: Convergence,
    /// How the pressure solve ended, likewise.
    pub pressure: Convergence,
    /// Largest divergence left, per second.
    pub divergence: f64,
    /// Force of the liquid on each body, from the momentum that the body takes. Weight and buoyancy are not included.
    pub forces: Vec<Force<D>>,
    /// Times of its parts.
    pub seconds: FlowSeconds,
}

/// Wall-clock seconds of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FlowSeconds {
    /// Finding the faces that bodies hold.
    pub marking: f64,
    /// Advection, viscous step and projection.
    pub solve: f64,
    /// Forces of the liquid on the bodies.
    pub forces: f64,
}
