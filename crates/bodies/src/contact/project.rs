//! Positions: overlaps that remain are pushed out without a change of velocities.

use unstick_flow::Twist;
use unstick_mlcp::{Convergence, Mlcp, Outcome, Stop};

use super::find_contacts;
use super::system::ContactSystem;
use crate::body::RigidBody;
use crate::contact::Container;
use crate::error::BodyError;

/// Rounds at most: the problem is linear, contacts on round bodies are not.
const ROUNDS: usize = 4;

/// What pushing bodies apart came to.
#[derive(Clone, Copy, Default)]
pub(crate) struct Separation {
    /// Rounds, and the deepest overlap that is left against what is allowed.
    pub solve: Convergence,
    /// Depth of the deepest overlap before.
    pub before: f64,
    /// Depth of the deepest overlap after.
    pub after: f64,
}

/// Moves bodies apart until no overlap exceeds `allowance`, by 0 ≤ λ ⟂ J M⁻¹ Jᵀ λ + gap ≥ 0: the least
/// displacement, weighed by mass, that opens all gaps. The common centre of mass stays where it is.
pub(crate) fn push_apart<const D: usize>(
    bodies: &mut [RigidBody<D>],
    container: &Container<D>,
    time: f64,
    allowance: f64,
) -> Result<Separation, BodyError> {
    let mut before = 0.0;
    for round in 0.. {
        // Neighbours that do not overlap yet must not be pushed into.
        let (contacts, _) = find_contacts(bodies, container, time, &vec![allowance; bodies.len()]);
        let deepest = contacts.iter().fold(0.0f64, |most, contact| most.max(-contact.gap));
        if round == 0 {
            before = deepest;
        }
        let is_done = deepest <= allowance;
        if is_done || round == ROUNDS {
            let outcome = if is_done { Outcome::Converged } else { Outcome::IterationLimit };
            let solve = Convergence::new(outcome, round, deepest, allowance);
            return Ok(Separation { solve, before, after: deepest });
        }
        let mut system = ContactSystem::new(bodies, contacts);
        let gaps: Vec<f64> = system.contacts.iter().map(|contact| contact.gap).collect();
        let mass = system.reference_mass();
        let matrix = system.matrix(mass).map_err(unstick_mlcp::ProblemError::from)?;
        let problem = Mlcp::new(matrix, &gaps)?.with_walls(&vec![true; gaps.len()])?;
        let stop = Stop::absolute(0.1 * allowance).with_max_cycles(2000);
        let solver: unstick_mlcp::SolverName = "psor:relaxation=1".parse().expect("a name of the catalogue");
        let mut impulses = vec![0.0; gaps.len()];
        // The next round measures what this solve has left.
        let _ = solver.build(&stop).solve(&problem, &mut impulses)?;
        system.twists.fill(Twist::zero());
        system.push_all(impulses.iter().map(|value| mass * value));
        let moved = bodies.iter_mut().zip(&system.twists).filter(|(_, twist)| **twist != Twist::zero());
        moved.for_each(|(body, twist)| body.shift(twist.linear, twist.angular));
    }
    unreachable!("the loop returns")
}
