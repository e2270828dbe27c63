//! Projected Gauss–Seidel with subspace minimisation (`pgs-sm`), \[Silcowitz2010\]; named in \[Lai2021, sec. 7.1\] as a solver to
//! compare with.
//!
//! Sweeps find which rows are held by their bound. The others are then solved for as equations:
//!
//! ```text
//!     sweep      q_i ← max(q_i − r_i/A_ii, ℓ_i)                        some times, row by row
//!     minimise   A_FF d = −r_F,   q ← max(q + d, ℓ)                    F: rows off their bound, or pushed off it
//! ```
//!
//! Rows that the minimisation brings below their bound are held from then on, and it is repeated. A step that would raise the energy
//! ½ qᵀAq + bᵀq is cut where it meets the first bound. So the energy never grows, and the sweeps alone would converge.

use unstick_parallel::vector;

use super::active_set::pin_one_row;
use super::policy::masked_negation;
use super::psor::Sweeps;
use super::{Composed, ComposedMethod};
use crate::error::SolveError;
use crate::linear::Subsystem;
use crate::parameter::parameters;
use crate::problem::Mlcp;
use crate::run::{Solvable, Trace};

/// Part of the tolerance beyond which no subspace is solved.
const LEAST: f64 = 0.3;

parameters! {
    /// Parameters of [`SubspaceMinimisation`].
    pub struct SubspaceParams {
        /// Sweeps before each minimisation.
        sweeps: usize = 10, 1..=1000;
        /// Minimisations before the next sweeps.
        rounds: usize = 3, 1..=1000;
        /// Each is solved to this part of its right-hand side.
        forcing: f64 = 3e-2, 1e-14..=0.9;
    }
}

/// The method.
pub type SubspaceMinimisation = Composed<SubspaceParams>;

impl ComposedMethod for SubspaceParams {
    const NAMES: [&str; 2] = ["pgs-sm", "+"];
    const MAX_CYCLES: usize = 1000;

    fn iterate(
        own: &mut SubspaceMinimisation,
        task: Solvable,
        q: &mut [f64],
        trace: &mut Trace,
    ) -> Result<(), SolveError> {
        let Composed { params, inner, .. } = own;
        let (problem, size) = (task.problem, q.len());
        let mut sweeps = trace.set_up(|| Sweeps::colored(problem, 1.0, None))?;
        let vector = || vec![0.0; size];
        let (mut r, mut rhs, mut correction, mut trial) = (vector(), vector(), vector(), vector());
        let (mut free, mut free_before) = (vec![true; size], Vec::new());
        inner.forget();
        q.iter_mut().zip(problem.lower()).for_each(|(q, lower)| *q = q.max(*lower));
        problem.residual(q, &mut r);
        while trace.goes_on(problem.natural_residual(q, &r))? {
            (0..params.sweeps).for_each(|_| sweeps.sweep(q));
            trace.spend(params.sweeps);
            problem.residual(q, &mut r);
            find_free(problem, q, &r, &mut free);
            for _ in 0..params.rounds {
                pin_one_row(problem, task.loose, q, &r, &mut free);
                let system = Subsystem::whole(problem.operator()).with_free(&free);
                if free != free_before {
                    inner.rebuild(&system, trace)?;
                    free_before.clone_from(&free);
                }
                masked_negation(&free, &r, &mut rhs);
                let target = (params.forcing * vector::norm_max(&rhs)).max(LEAST * trace.target());
                let _ = inner.solve(&system, &mut rhs, &mut correction, target, trace); // whatever it found may help
                vector::copy(q, &mut trial);
                vector::add_scaled(1.0, &correction, &mut trial);
                let violated = hold_violated(problem, &mut trial, &mut free);
                let step = Step { problem, q, r: &mut r };
                if !step.lowers_energy(&mut trial, &mut rhs) {
                    let feasible = longest_step(problem, q, &correction);
                    vector::copy(q, &mut trial);
                    vector::add_scaled(feasible, &correction, &mut trial);
                    Step { problem, q, r: &mut r }.lowers_energy(&mut trial, &mut rhs);
                }
                if violated == 0 {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Frees the rows that are off their bound or pushed off it.
fn find_free(problem: &Mlcp, q: &[f64], r: &[f64], free: &mut [bool]) {
    for row in 0..q.len() {
        free[row] = !problem.is_wall(row) || q[row] > problem.lower()[row] || r[row] < 0.0;
    }
}

/// Moves rows below their bound onto it and holds them; returns how many.
fn hold_violated(problem: &Mlcp, q: &mut [f64], free: &mut [bool]) -> usize {
    let mut violated = 0;
    for (row, (q, lower)) in q.iter_mut().zip(problem.lower()).enumerate() {
        if *q < *lower {
            (*q, free[row]) = (*lower, false);
            violated += 1;
        }
    }
    violated
}

/// An iterate with its residual, about to move.
struct Step<'s> {
    problem: &'s Mlcp<'s>,
    q: &'s mut [f64],
    r: &'s mut [f64],
}

impl Step<'_> {
    /// Moves to `trial` if the energy does not grow: E(trial) − E(q) = ½ (trial − q)ᵀ (r_trial + r). `work` and `trial` hold
    /// anything afterwards.
    fn lowers_energy(self, trial: &mut [f64], work: &mut [f64]) -> bool {
        let Self { problem, q, r } = self;
        problem.residual(trial, work);
        vector::add_scaled(-1.0, q, trial);
        let change = 0.5 * (vector::dot(trial, r) + vector::dot(trial, work));
        if change.is_nan() || change > 0.0 {
            return false;
        }
        vector::add_scaled(1.0, trial, q);
        // The bounds are kept to the last bit, and so is the residual.
        q.iter_mut().zip(problem.lower()).for_each(|(q, lower)| *q = q.max(*lower));
        problem.residual(q, r);
        true
    }
}

/// The part of a step, at most all of it, after which the first row meets its bound.
fn longest_step(problem: &Mlcp, q: &[f64], step: &[f64]) -> f64 {
    let rows = q.iter().zip(step).zip(problem.lower());
    let parts = rows.filter(|((_, step), _)| **step < 0.0).map(|((q, step), lower)| (lower - q) / step);
    parts.fold(1.0, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CsrMatrix, SolverName, Stop};

    fn line(size: usize) -> Mlcp<'static> {
        let matrix = CsrMatrix::from_rows(size, |row, entries| {
            for column in row.saturating_sub(1)..(row + 2).min(size) {
                entries.push((column, if row == column { 2.001 } else { -1.0 }));
            }
        });
        let b: Vec<f64> = (0..size).map(|row| (0.1 * row as f64).sin()).collect();
        Mlcp::new(matrix.unwrap(), b).unwrap().with_walls(&vec![true; size]).unwrap()
    }

    #[test]
    fn few_cycles_do_what_takes_thousands_of_sweeps() {
        let problem = line(400);
        let solve = |name: &str| {
            let mut q = vec![0.0; 400];
            let report =
                name.parse::<SolverName>().unwrap().build(&Stop::relative(1e-8)).solve(&problem, &mut q).unwrap();
            assert!(report.converged(), "{name}");
            (report.cycles(), q)
        };
        let (sweeps, swept) = solve("psor:relaxation=1");
        let (cycles, answer) = solve("pgs-sm");
        assert!(cycles <= 10 && sweeps > 200 * cycles, "{cycles} cycles, {sweeps} sweeps");
        assert!(swept.iter().zip(&answer).all(|(one, other)| (one - other).abs() < 1e-4));
    }

    #[test]
    fn a_step_is_cut_where_it_meets_the_first_bound() {
        let problem = line(3);
        assert_eq!(longest_step(&problem, &[1.0, 1.0, 1.0], &[-2.0, 5.0, -4.0]), 0.25);
        assert_eq!(longest_step(&problem, &[1.0, 1.0, 1.0], &[-0.5, 5.0, 0.0]), 1.0);
    }

    #[test]
    fn a_step_that_would_raise_the_energy_is_not_taken() {
        let problem = line(3);
        let (mut q, mut r) = (vec![1.0, 0.0, 2.0], vec![0.0; 3]);
        problem.residual(&q, &mut r);
        let mut lowers = |trial: [f64; 3]| {
            let step = Step { problem: &problem, q: &mut q, r: &mut r };
            (step.lowers_energy(&mut trial.clone(), &mut [0.0; 3]), q.clone())
        };
        assert_eq!(lowers([9.0, 0.0, 2.0]), (false, vec![1.0, 0.0, 2.0]));
        assert_eq!(lowers([0.5, 0.25, 1.0]), (true, vec![0.5, 0.25, 1.0]));
    }
}
