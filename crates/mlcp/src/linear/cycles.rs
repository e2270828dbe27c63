//! A stationary iteration with the best step (`multigrid`, with the preconditioner of that name).
//!
//! x ← x + α z with z = M⁻¹ r and α = zᵀr / zᵀSz. The product S z is needed anyway to follow the
//! residual, so the step that lowers the energy most is free. With it every symmetric positive
//! definite M converges, even one that over-corrects. With a good M, α stays near one, and this is
//! the plain iteration of V-cycles.

use unstick_parallel::vector;

use super::{LinearReport, LinearSolver, LinearTask, fit_all};

/// Cycles that must gain a digit together; fewer would be slower than plain `cg`.
const PATIENCE: usize = 200;

/// The iteration and its work vectors, kept from solve to solve.
#[derive(Debug, Default)]
pub struct Cycles {
    correction: Vec<f64>,
    product: Vec<f64>,
}

impl LinearSolver for Cycles {
    fn solve(&mut self, task: LinearTask, r: &mut [f64], x: &mut [f64]) -> LinearReport {
        let Self { correction: z, product: q } = self;
        fit_all([&mut *z, &mut *q], r.len());
        let mut residual_to_beat = f64::INFINITY;
        task.iterate(r, x, |task, now, r, x| {
            if now.iterations % PATIENCE == 0 {
                if now.residual > 0.1 * residual_to_beat {
                    return None;
                }
                residual_to_beat = now.residual;
            }
            let slope = task.preconditioner.apply_dot(r, z);
            let curvature = task.system.apply_dot(z, q);
            (slope > 0.0 && curvature > 0.0).then(|| vector::step_both(slope / curvature, z, q, x, r))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::{LinearOutcome, Subsystem};
    use super::*;
    use crate::multigrid::Multigrid;
    use crate::precondition::{Identity, Preconditioner};
    use crate::test_problems::{Example, generate};

    fn solve(preconditioner: &mut dyn Preconditioner) -> LinearReport {
        let generated = generate(Example::SphereHalf, 2, 64, 0);
        let problem = generated.problem();
        let system = Subsystem::whole(problem.operator());
        preconditioner.rebuild(&system).unwrap();
        let (mut r, mut x) = (generated.b.clone(), vec![0.0; generated.b.len()]);
        let target = 1e-8 * vector::norm_max(&r);
        let task = LinearTask {
            system: &system,
            preconditioner,
            target,
            max_iterations: 10_000,
            watch: &mut |_| ControlFlow::Continue(()),
        };
        Cycles::default().solve(task, &mut r, &mut x)
    }

    #[test]
    fn a_few_cycles_are_enough() {
        let report = solve(&mut Multigrid::default());
        assert_eq!(report.outcome, LinearOutcome::Converged);
        assert!(report.iterations <= 10, "{}", report.iterations);
    }

    #[test]
    fn what_leads_nowhere_is_given_up() {
        let report = solve(&mut Identity);
        assert_eq!(report.outcome, LinearOutcome::Breakdown);
        assert!(report.iterations < 10_000);
    }
}
