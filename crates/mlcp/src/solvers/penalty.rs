//! Penalty iteration (`penalty`).
//!
//! Replaces the bound by a stiff spring that acts on violation only and solves
//! [Lai2021, eq. (5.10) and alg. 3]
//!
//! ```text
//!     A q + b + ρ Π(q) (q − ℓ) = 0,      Π_ii = 1 where q_i < ℓ_i on a wall row
//! ```
//!
//! by freezing Π, solving, and updating Π. The answer violates its bounds by r/ρ, far below the tolerance
//! with the default ρ. The iteration is finite on M-matrices. On others springs change one at a time as soon
//! as there is no progress, as in `policy`.

use unstick_parallel::{self as parallel, vector};

use super::active_set::{ActiveSetUpdate, pin_one_row};
use super::policy::keep_policy;
use super::{Composed, ComposedMethod};
use crate::error::SolveError;
use crate::linear::{LinearOutcome, Subsystem};
use crate::parameter::parameters;
use crate::problem::Mlcp;
use crate::run::{Solvable, Trace};
use crate::stop::Tolerance;

parameters! {
    /// Parameters of [`Penalty`].
    pub struct PenaltyParams {
        /// ρ, relative to the diagonal. Automatic is 10³ / tolerance, and more in proportion where the largest b on a
        /// wall exceeds ‖H(0)‖∞; \[Lai2021\] used 10⁹ for 10⁻⁶.
        penalty: Option<f64> = None, 1.0..=1e300;
        /// Each linear system is solved to this part of the natural residual.
        forcing: f64 = 3e-2, 1e-14..=0.9;
        /// Iterations without progress before springs change one at a time.
        patience: usize = 10, 0..=1000000;
        /// Whether the first springs are at the rows that stand on their bound at the start. So \[Lai2021, sec. 5.2\] begins
        /// with those of the step before.
        keep: bool = false;
    }
}

/// The automatic ρ. Bounds are violated by r/ρ, and r is about b where a wall lets go.
fn automatic_penalty(problem: &Mlcp, tolerance: Tolerance) -> f64 {
    let (Tolerance::Relative(tolerance) | Tolerance::Absolute(tolerance)) = tolerance;
    let walls = (0..problem.size()).filter(|&row| problem.is_wall(row));
    let largest = walls.map(|row| problem.b()[row]).fold(0.0, f64::max);
    let excess = (largest / problem.residual_at_zero()).max(1.0);
    1e3 / tolerance * if excess.is_finite() { excess } else { 1.0 }
}

/// The method.
pub type Penalty = Composed<PenaltyParams>;

impl ComposedMethod for PenaltyParams {
    const NAMES: [&str; 2] = ["penalty", "+"];
    const MAX_CYCLES: usize = 1000;

    fn iterate(own: &mut Penalty, task: Solvable, q: &mut [f64], trace: &mut Trace) -> Result<(), SolveError> {
        let Composed { params, stop, inner } = own;
        let penalty = params.penalty.unwrap_or_else(|| automatic_penalty(task.problem, stop.tolerance));
        let mut springs = Springs::new(task.problem, penalty, params.patience);
        let (problem, size) = (task.problem, q.len());
        let (mut r, mut rhs, mut correction) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
        let mut is_first = true;
        inner.forget();
        problem.residual(q, &mut r);
        while trace.goes_on(problem.natural_residual(q, &r))? {
            match is_first && params.keep {
                true => keep_policy(problem, q, &mut springs.wanted),
                false => springs.choose(task.loose, q, &r),
            }
            let changed = springs.attach();
            let system = Subsystem::whole(problem.operator()).with_diagonals(&springs.scale, &springs.shift);
            if changed > 0 || is_first {
                inner.rebuild(&system, trace)?;
                is_first = false;
            }
            springs.scaled_force(q, &r, &mut rhs);
            let forcing = if springs.update.is_cautious() { 1e-10 } else { params.forcing };
            // Not a part of the force: a spring that has just been attached pulls with about √ρ times its
            // stretch, beside which the residual of all other rows would be lost.
            let target = (forcing * trace.residual().min(vector::norm_max(&rhs))).max(0.3 * trace.target());
            let report = inner.solve(&system, &mut rhs, &mut correction, target, trace);
            springs.move_by_scaled(&correction, q);
            problem.residual(q, &mut r);
            let has_failed = report.outcome != LinearOutcome::Converged && report.residual >= 0.5 * trace.residual();
            if changed == 0 && (has_failed || report.iterations == 0) {
                trace.stall("the springs are settled and the linear solver cannot reduce the residual any further");
            }
        }
        Ok(())
    }
}

/// The springs that replace the bounds.
struct Springs<'p> {
    problem: &'p Mlcp<'p>,
    penalty: f64,
    update: ActiveSetUpdate,
    wanted: Vec<bool>,
    /// Rows without a spring.
    free: Vec<bool>,
    /// D with D² = A_ii / (A_ii + ρ_i), which keeps the diagonal of the system that of A.
    scale: Vec<f64>,
    /// D² ρ.
    shift: Vec<f64>,
}

impl<'p> Springs<'p> {
    fn new(problem: &'p Mlcp<'p>, penalty: f64, patience: usize) -> Self {
        let size = problem.size();
        Self {
            problem,
            penalty,
            update: ActiveSetUpdate::new(patience),
            wanted: vec![true; size],
            free: vec![true; size],
            scale: vec![1.0; size],
            shift: vec![0.0; size],
        }
    }

    /// Wants a spring at every row below its bound.
    fn choose(&mut self, loose: &[Vec<u32>], q: &[f64], r: &[f64]) {
        let Self { problem, wanted, free, .. } = self;
        for row in 0..q.len() {
            // A spring pushes with r = −ρ (q − ℓ): judging it by r keeps the sign that q − ℓ, of the
            // order of rounding, may have lost. A row exactly on its bound is judged likewise, so
            // that an earlier answer brings its springs along.
            let lower = problem.lower()[row];
            let is_held = !free[row] || q[row] == lower;
            wanted[row] = if is_held { r[row] < 0.0 } else { q[row] > lower };
        }
        pin_one_row(problem, loose, q, r, wanted);
    }

    /// Attaches the springs that are wanted; returns how many came or went.
    fn attach(&mut self) -> usize {
        let Self { problem, penalty, wanted, free, .. } = self;
        let changed = self.update.apply(wanted, free);
        for row in 0..wanted.len() {
            let squared = if free[row] { 1.0 } else { 1.0 / (1.0 + *penalty) };
            self.scale[row] = squared.sqrt();
            let spring = *penalty * problem.operator().diagonal()[row];
            self.shift[row] = if free[row] { 0.0 } else { squared * spring };
        }
        changed
    }

    /// rhs ← −D (r + ρ Π (q − ℓ)).
    fn scaled_force(&self, q: &[f64], r: &[f64], rhs: &mut [f64]) {
        let diagonal = self.problem.operator().diagonal();
        parallel::for_each((0..q.len(), rhs), |(rows, rhs)| {
            for (row, rhs) in rows.zip(rhs) {
                let stretch = if self.free[row] { 0.0 } else { q[row] - self.problem.lower()[row] };
                *rhs = -self.scale[row] * (r[row] + self.penalty * diagonal[row] * stretch);
            }
        });
    }

    /// q ← q + D w.
    fn move_by_scaled(&self, step: &[f64], q: &mut [f64]) {
        parallel::for_each((self.scale.as_slice(), step, q), |(scale, step, q)| {
            scale.iter().zip(step).zip(q).for_each(|((scale, step), q)| *q += scale * step);
        });
    }
}

#[cfg(test)]
mod tests {
    use crate::test_problems::{Example, generate};
    use crate::{SolverName, Stop};

    /// There every spring is stretched at first, and pulls far harder than anything else.
    #[test]
    fn a_start_far_below_the_bounds_hardly_costs_more_than_zero() {
        let generated = generate(Example::SphereHalf, 3, 20, 0);
        let problem = generated.problem();
        let cycles_from = |start: f64| {
            let mut solver = "penalty+cg/mic0".parse::<SolverName>().unwrap().build(&Stop::relative(1e-9));
            let report = solver.solve(&problem, &mut vec![start; problem.size()]).unwrap();
            assert!(report.converged(), "from {start}: {}", report.outcome());
            report.cycles()
        };
        let (zero, below) = (cycles_from(0.0), cycles_from(-10.0));
        assert!(below <= zero + 5, "{below} cycles from below, {zero} from zero");
    }
}
