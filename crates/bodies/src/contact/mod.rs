//! Contact: finding contacts between bodies and walls, and resolving them.

mod broad;
mod container;
mod convex;
mod impulses;
mod lcp;
mod lubrication;
mod mobility;
mod narrow;
mod project;
mod springs;
mod system;

pub use broad::{BoundingBox, close_pairs};
pub use container::{Container, Obstacle};
pub use lubrication::lubrication;
pub use narrow::{find_contacts, find_contacts_between};
pub use system::{COMPLIANCE, ContactSystem};

pub(crate) use impulses::{least_openings, pairwise, sequential};
pub(crate) use lcp::{Limits, solve as solve_lcp};
pub(crate) use mobility::mobility;
pub(crate) use project::{Separation, push_apart};
pub(crate) use springs::{longest_step as longest_spring_step, springs};

use unstick_mlcp::{Convergence, SolverName};

/// A point at which a body touches another body or a wall, or comes close to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact<const D: usize> {
    /// The body that the normal points into.
    pub first: usize,
    /// The other body; none for a wall.
    pub second: Option<usize>,
    /// Where, in the middle of the gap.
    pub point: [f64; D],
    /// Unit vector from the other one into the first.
    pub normal: [f64; D],
    /// Distance between them along the normal; negative where they overlap.
    pub gap: f64,
    /// Velocity of the wall at this point; zero between bodies.
    pub wall_velocity: [f64; D],
    /// Part of the approach velocity that comes back.
    pub restitution: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
}

/// How contacts are resolved.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ContactModel {
    /// Bodies do not see each other.
    None,
    /// Every pair on its own, once: the impulse of two colliding bodies. It is cheap, but stacks sink.
    Pairwise,
    /// Impulses with friction, contact after contact in many sweeps \[Turek2012, p. 50\].
    Sequential {
        /// Sweeps at most. Default 200.
        sweeps: usize,
        /// Change of velocity in m/s that ends the sweeps. Default 1e-6.
        tolerance: f64,
    },
    /// Springs and dampers where bodies overlap, with substeps (the discrete element method).
    Springs {
        /// Newton per metre of overlap. Default 1e4.
        stiffness: f64,
    },
    /// The complementarity problem 0 ≤ λ ⟂ J M⁻¹ Jᵀ λ + b ≥ 0 over all contacts at once.
    Lcp {
        /// The solver. Default `mprgp`: on heaps it takes a sixth of the sweeps of `psor`. Policy iteration is made for
        /// M-matrices; here it changes row by row.
        solver: SolverName,
        /// Natural residual to reach, as a part of the largest approach velocity. Default 1e-5.
        tolerance: f64,
        /// Largest number of cycles of the solver. What is left then is reported, and positions are corrected anyway.
        /// Default 1000.
        cycles: usize,
        /// Largest number of rounds in which normal and tangential impulses take turns. Default 10.
        rounds: usize,
    },
}

impl ContactModel {
    /// Sequential impulses with default parameters.
    pub fn sequential() -> Self {
        Self::Sequential { sweeps: 200, tolerance: 1e-6 }
    }

    /// The complementarity problem with a solver by name.
    pub fn lcp(solver: SolverName) -> Self {
        Self::Lcp { solver, tolerance: 1e-5, cycles: 1000, rounds: 10 }
    }
}

impl Default for ContactModel {
    fn default() -> Self {
        Self::lcp("mprgp".parse().expect("a name of the catalogue"))
    }
}

/// How the contacts of a step were resolved.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ContactReport {
    /// Pairs of bodies whose boxes meet.
    pub pairs: usize,
    /// Contact points.
    pub contacts: usize,
    /// How the solve for the impulses ended: sweeps, cycles or substeps; its residual is in m/s.
    pub impulse_solve: Convergence,
    /// How the turns of normal and tangential impulses ended: rounds; its residual is in m/s. Nothing to solve without
    /// friction.
    pub friction_solve: Convergence,
    /// Problems that the solver failed on and `mprgp` took over.
    pub rescued: usize,
    /// How the correction of positions ended: rounds; its residual is the deepest overlap in metres. What is left is
    /// corrected in the next step.
    pub position_solve: Convergence,
    /// Deepest overlap before positions were corrected.
    pub deepest_before: f64,
    /// Deepest overlap at the end of the step.
    pub deepest: f64,
    /// Impulse that each body took from contacts.
    pub impulses: Vec<[f64; 3]>,
}

impl ContactReport {
    /// Impulses alone.
    pub(crate) fn of_impulses(impulse_solve: Convergence) -> Self {
        Self { impulse_solve, ..Self::default() }
    }

    /// Notes how positions were corrected.
    pub(crate) fn set_separation(&mut self, Separation { solve, before, after }: Separation) {
        (self.position_solve, self.deepest_before, self.deepest) = (solve, before, after);
    }
}
