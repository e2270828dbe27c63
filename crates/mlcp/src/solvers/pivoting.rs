//! Block principal pivoting (`pivoting`), Júdice and Pires 1994; named in \[Lai2021, sec. 7.1\] as a solver to compare with.
//!
//! A complementary basis says of every wall row whether its pressure or its outflow is zero:
//!
//! ```text
//!     q_i = ℓ_i on pinned rows,   (A q + b)_i = 0 on free ones
//! ```
//!
//! Rows are infeasible where the other of the two is negative. All of them are exchanged at once while their number
//! falls; after `patience` exchanges without a fall only the last one is, the rule of \[Murty1974\], until it falls again. On matrices all of
//! whose principal minors are positive this ends after finitely many bases \[Judice1994\]. Signs decide, so each basis is solved accurately,
//! and a row is infeasible only if it is so by more than half of the tolerance. The first basis pins the rows that
//! stand on their bound at the start: from zero all of them.

use unstick_parallel::vector;

use super::active_set::{ActiveSetUpdate, pin_one_row};
use super::policy::{keep_policy, masked_negation, pin};
use super::{Composed, ComposedMethod};
use crate::error::SolveError;
use crate::linear::{LinearOutcome, Subsystem};
use crate::parameter::parameters;
use crate::problem::Mlcp;
use crate::run::{Solvable, Trace};

/// Part of the tolerance by which a row is infeasible.
const BAND: f64 = 0.5;

/// Part of the tolerance beyond which no basis is solved.
const LEAST: f64 = 0.1;

parameters! {
    /// Parameters of [`Pivoting`].
    pub struct PivotingParams {
        /// Each basis is solved to this part of its right-hand side.
        forcing: f64 = 1e-8, 1e-14..=0.1;
        /// Exchanges without fewer infeasible rows before rows are exchanged one at a time.
        patience: usize = 10, 0..=1000000;
    }
}

/// The method.
pub type Pivoting = Composed<PivotingParams>;

impl ComposedMethod for PivotingParams {
    const NAMES: [&str; 2] = ["pivoting", "+"];
    const MAX_CYCLES: usize = 1000;

    fn iterate(own: &mut Pivoting, task: Solvable, q: &mut [f64], trace: &mut Trace) -> Result<(), SolveError> {
        let Composed { params, inner, .. } = own;
        let (problem, size) = (task.problem, q.len());
        let (mut r, mut rhs, mut correction) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
        let (mut wanted, mut free) = (vec![true; size], vec![true; size]);
        let mut update = ActiveSetUpdate::new(params.patience);
        let mut is_first = true;
        inner.forget();
        problem.residual(q, &mut r);
        while trace.goes_on(problem.natural_residual(q, &r))? {
            match is_first {
                true => keep_policy(problem, q, &mut wanted),
                false => exchange(problem, BAND * trace.target(), q, &r, &free, &mut wanted),
            }
            pin_one_row(problem, task.loose, q, &r, &mut wanted);
            let changed = if is_first { first_basis(&wanted, &mut free) } else { update.apply(&wanted, &mut free) };
            if pin(problem, &free, q) {
                problem.residual(q, &mut r);
            }
            let system = Subsystem::whole(problem.operator()).with_free(&free);
            if changed > 0 || is_first {
                inner.rebuild(&system, trace)?;
            }
            is_first = false;
            masked_negation(&free, &r, &mut rhs);
            let residual = vector::norm_max(&rhs);
            let target = (params.forcing * residual).max(LEAST * trace.target());
            let report = inner.solve(&system, &mut rhs, &mut correction, target, trace);
            vector::add_scaled(1.0, &correction, q);
            problem.residual(q, &mut r);
            let has_failed = report.outcome != LinearOutcome::Converged && report.residual >= 0.5 * residual;
            if changed == 0 && (has_failed || report.iterations == 0) {
                trace.stall("the basis is feasible and the linear solver cannot reduce the residual any further");
            }
        }
        Ok(())
    }
}

/// Takes a basis as it is.
fn first_basis(wanted: &[bool], free: &mut [bool]) -> usize {
    free.copy_from_slice(wanted);
    free.iter().filter(|free| !**free).count()
}

/// The basis without its infeasible rows.
fn exchange(problem: &Mlcp, band: f64, q: &[f64], r: &[f64], free: &[bool], wanted: &mut [bool]) {
    for row in 0..q.len() {
        wanted[row] = match free[row] {
            true => !problem.is_wall(row) || q[row] >= problem.lower()[row] - band,
            false => r[row] < -band,
        };
    }
}

#[cfg(test)]
mod tests {
    use crate::{CsrMatrix, Mlcp, SolverName, Stop};

    /// The free answer is (−1, 1): the first row lets go, and the second is 3/2 then.
    fn two_rows() -> Mlcp<'static> {
        let matrix = CsrMatrix::from_triplets(2, [(0, 0, 2.0), (1, 1, 2.0), (0, 1, -1.0), (1, 0, -1.0)]).unwrap();
        Mlcp::new(matrix, vec![3.0, -3.0]).unwrap().with_walls(&[true, true]).unwrap()
    }

    #[test]
    fn the_first_basis_pins_every_row_on_its_bound() {
        let mut solver = "pivoting".parse::<SolverName>().unwrap().build(&Stop::relative(1e-9));
        for (start, bases) in [([0.0, 0.0], 2), ([0.0, 1.0], 1), ([1.0, 1.0], 2)] {
            let mut q = start;
            let report = solver.solve(&two_rows(), &mut q).unwrap();
            assert_eq!((report.converged(), report.cycles()), (true, bases), "from {start:?}");
            assert!(q[0] == 0.0 && (q[1] - 1.5).abs() < 1e-8, "{q:?}");
        }
    }

    /// Exchanging all infeasible rows at once cycles on this matrix, whose principal minors are positive \[Murty1974\].
    #[test]
    fn single_exchanges_end_what_blocks_repeat() {
        let rows = [[1.0, 2.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]];
        let entries = (0..9).map(|at| (at / 3, at % 3, rows[at / 3][at % 3])).filter(|entry| entry.2 != 0.0);
        let matrix = CsrMatrix::from_triplets(3, entries).unwrap();
        let problem = Mlcp::new(matrix, vec![-1.0; 3]).unwrap().with_walls(&[true; 3]).unwrap();
        let solve = |name: &str| {
            let mut q = [0.0; 3];
            let stop = Stop::relative(1e-9).with_max_cycles(60);
            let report = name.parse::<SolverName>().unwrap().build(&stop).solve(&problem, &mut q).unwrap();
            (report.converged(), q)
        };
        let (converged, q) = solve("pivoting:patience=0+gmres/none");
        assert!(converged && q.iter().all(|q| (q - 1.0 / 3.0).abs() < 1e-8), "{q:?}");
    }
}
