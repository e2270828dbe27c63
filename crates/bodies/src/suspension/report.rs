//! What a step of a suspension says of itself.

use unstick_flow::{Convergence, FlowReport};

use crate::contact::ContactReport;

/// What a step of a suspension did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SuspensionReport<const D: usize> {
    /// The report of the flow.
    pub flow: FlowReport<D>,
    /// The report of the contacts.
    pub contact: ContactReport,
    /// Films of liquid that the grid does not resolve.
    pub films: usize,
    /// How the solve for their impulses ended: sweeps; its residual is in m/s.
    pub film_solve: Convergence,
    /// Times of its parts.
    pub seconds: SuspensionSeconds,
}

/// Wall-clock seconds of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SuspensionSeconds {
    /// Advection, viscous step and projection.
    pub flow: f64,
    /// Finding the faces that bodies hold.
    pub marking: f64,
    /// Forces of the liquid on the bodies.
    pub forces: f64,
    /// Motion of the bodies, films and contacts.
    pub contact: f64,
}

impl<const D: usize> SuspensionReport<D> {
    pub(super) fn new(
        flow: FlowReport<D>,
        contact: ContactReport,
        (films, film_solve): (usize, Convergence),
        contacts: f64,
    ) -> Self {
        let seconds = SuspensionSeconds {
            flow: flow.seconds.solve,
            marking: flow.seconds.marking,
            forces: flow.seconds.forces,
            contact: contacts,
        };
        Self { flow, contact, films, film_solve, seconds }
    }
}

impl SuspensionSeconds {
    /// Both together.
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            flow: self.flow + other.flow,
            marking: self.marking + other.marking,
            forces: self.forces + other.forces,
            contact: self.contact + other.contact,
        }
    }

    /// Names and values, in the order of a step.
    pub fn parts(&self) -> [(&'static str, f64); 4] {
        [("flow", self.flow), ("marking", self.marking), ("forces", self.forces), ("contact", self.contact)]
    }
}
