//! Contact as one complementarity problem over all contacts.
//!
//! Let v be the velocities after all other forces, J the rows of the contact normals, and w the least opening
//! velocity of each contact. The normal impulses λ solve
//!
//! ```text
//!     0 ≤ λ  ⟂  J M⁻¹ Jᵀ λ + J v − w ≥ 0
//! ```
//!
//! \[Turek2012, p. 61\]. Impulses are divided by a reference mass, so that both sides of ⟂ are
//! velocities. Where contacts are redundant (a table on four legs) the matrix is singular and λ is not
//! unique, but the velocities are.
//!
//! Friction is staggered: for a given λ tangential impulses are relaxed within Coulomb's cone, which
//! changes J v. Both solves take turns until neither changes the other.

use unstick_grid::vector::length;
use unstick_mlcp::{Convergence, Method, Mlcp, Outcome, SolveReport, SolverName, Stop};

use super::ContactReport;
use super::impulses::rub;
use super::system::ContactSystem;
use crate::body::RigidBody;
use crate::error::BodyError;

/// ω of `psor` unless its name gives one: over-relaxation gains nothing on contact matrices.
const RELAXATION: &str = "1";

/// Sweeps of friction between two normal solves.
const RUBS: usize = 20;

/// When the solve may stop and when it must.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub tolerance: f64,
    pub cycles: usize,
    pub rounds: usize,
}

/// Solves for the impulses and applies them; `wanted` is w.
pub(crate) fn solve<const D: usize>(
    system: &mut ContactSystem<D>,
    bodies: &[RigidBody<D>],
    wanted: &[f64],
    solver: SolverName,
    limits: Limits,
) -> Result<ContactReport, BodyError> {
    let Limits { tolerance, cycles, rounds } = limits;
    let mut report = ContactReport::default();
    if system.contacts.is_empty() {
        return Ok(report);
    }
    let mass = system.reference_mass();
    let matrix = system.matrix(mass).map_err(unstick_mlcp::ProblemError::from)?;
    let free: Vec<f64> = system.opening().iter().zip(wanted).map(|(opening, wanted)| opening - wanted).collect();
    let largest = free.iter().fold(0.0f64, |most, value| most.max(-value));
    let target = tolerance * largest;
    if target < f64::MIN_POSITIVE {
        return Ok(report); // nothing approaches, or so slowly that no number is left for what may remain of it
    }
    // Among bodies that move, an approach that is hardly one asks for more digits than velocities have.
    let fastest = system.twists.iter().map(|twist| length(twist.linear)).fold(0.0, f64::max);
    let rounding = 4.0 * f64::EPSILON * fastest;
    let or_rounding = |outcome, left: f64| if left <= rounding { Outcome::Converged } else { outcome };
    let stop = Stop::absolute(target).with_max_cycles(cycles);
    let is_descent = matches!(solver.method(), Method::Psor | Method::Mprgp);
    let solver = match solver.method() {
        Method::Psor => solver.or_parameter("relaxation", RELAXATION).expect("a parameter of `psor`"),
        _ => solver,
    };
    let mut solver = solver.build(&stop);
    let mut descent = "mprgp".parse::<SolverName>().expect("a name of the catalogue").build(&stop);
    let has_friction = system.contacts.iter().any(|contact| contact.friction > 0.0);
    let tangents = if has_friction { system.tangents(bodies) } else { Vec::new() };
    let mut across = vec![[0.0; 2]; tangents.len()];
    let mut impulses = vec![0.0; free.len()];
    let mut b = free;
    for round in 0..rounds.max(1) {
        let problem = Mlcp::new(&matrix, &b)?.with_walls(&vec![true; b.len()])?;
        let before = impulses.clone();
        let mut solved = solver.solve(&problem, &mut impulses);
        let mut cycles = solved.as_ref().map_or(0, SolveReport::cycles);
        if !solved.as_ref().is_ok_and(SolveReport::converged) && !is_descent {
            // Redundant contacts make the matrix almost singular. There, methods that solve linear systems may end with
            // impulses far worse than none. A descent method cannot.
            impulses.copy_from_slice(&before);
            solved = descent.solve(&problem, &mut impulses);
            cycles += solved.as_ref().map_or(0, SolveReport::cycles);
            report.rescued += 1;
        }
        let solved = solved?;
        drop(problem);
        let outcome = or_rounding(solved.outcome(), solved.residual());
        let ended = Convergence::new(outcome, cycles, solved.residual(), target);
        report.impulse_solve = report.impulse_solve.and(ended);
        system.push_all(impulses.iter().zip(&before).map(|(now, before)| mass * (now - before)));
        if !has_friction {
            break;
        }
        let mut change = 0.0f64;
        for _ in 0..RUBS {
            change = 0.0;
            for (index, rows) in tangents.iter().enumerate() {
                let limit = system.contacts[index].friction * mass * impulses[index];
                change = change.max(rub(rows, limit, &mut across[index], &mut system.twists));
            }
            if change <= target {
                break;
            }
        }
        // The next normal solve must correct what friction changed of the openings.
        let missing = system.opening().iter().zip(wanted).map(|(opening, wanted)| opening - wanted).collect::<Vec<_>>();
        let closing = missing.iter().fold(0.0f64, |most, value| most.max(-value));
        let is_settled = closing <= 10.0 * target && change <= target;
        let left = change.max(0.1 * closing);
        let outcome = if is_settled { Outcome::Converged } else { or_rounding(Outcome::IterationLimit, left) };
        report.friction_solve = Convergence::new(outcome, round + 1, left, target);
        if is_settled {
            break;
        }
        if round + 1 < rounds {
            let mut pushed = vec![0.0; b.len()];
            unstick_mlcp::LinearOperator::apply(&matrix, &impulses, &mut pushed);
            b = missing.iter().zip(&pushed).map(|(missing, pushed)| missing - pushed).collect();
        }
    }
    impulses.iter_mut().for_each(|impulse| *impulse *= mass);
    system.hold(&impulses, &across, &tangents);
    Ok(report)
}
