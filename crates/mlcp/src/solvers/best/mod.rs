//! The project's own method (`best`): a separating wall for the price of a sticking one.
//!
//! Inexact policy iteration whose every part is made for the grid:
//!
//! 1. a nested start from the coarse levels, which finds most of the active
//!    set where that is cheap;
//! 2. in each cycle a projected sweep over the wall rows alone, then the policy: a wall row is
//!    *pinned* where A_ii (q_i − ℓ_i) ≤ r_i \[Lai2021, eq. (5.7)\];
//! 3. for the free rows \[Lai2021, eq. (5.8)\] conjugate gradients with a multigrid cycle whose
//!    levels leave the pinned rows out, in single precision, solved only as far as the policy
//!    deserves; the residual is taken anew in double precision.
//!
//! The sweep decides what a policy on unsmoothed residuals would get wrong, and a cycle
//! costs the same whether walls separate or not.
//!
//! **Safeguard.** The scheme watches the natural residual. When it fails to halve within a number
//! of cycles, [policy iteration](super::policy) takes over with the safeguards it has (finite
//! termination on M-matrices, single exchanges otherwise). Matrices without a grid get policy
//! iteration with algebraic multigrid from the start.

mod walls;

use self::walls::Walls;
use super::policy::{self, PolicyParams};
use super::{Inner, MlcpSolver};
use crate::checkerboard::{Hierarchy, Layout, Reduced};
use crate::error::SolveError;
use crate::operator::LinearOperator;
use crate::pressure::{AnyPressureOperator, PressureOperator};
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Task, Trace, run};
use crate::stop::Stop;
use crate::vector;

/// What a user may turn.
#[derive(Clone, Debug)]
pub struct BestParams {
    /// Each policy is solved to this part of its right-hand side. Default 7e-2: a tighter one
    /// spends cycles on policies that will be dropped.
    pub forcing: f64,
    /// Cycles within which the residual must halve. Default 8.
    pub patience: usize,
    /// When to stop. Default limit: 1000 policies.
    pub stop: Stop,
}

impl Default for BestParams {
    fn default() -> Self {
        Self { forcing: 7e-2, patience: 8, stop: Stop::default() }
    }
}

/// The method.
pub struct Best {
    /// What a user may turn.
    pub params: BestParams,
    /// The linear solver for matrices without a grid.
    pub algebraic: Inner,
    /// The linear solver of the safeguard.
    pub rescue: Inner,
}

impl MlcpSolver for Best {
    fn name(&self) -> String {
        "best".into()
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let Self { params, algebraic, rescue } = self;
        run("best".into(), problem, q, &params.stop, 1000, |task, q, trace: &mut Trace| {
            let policy = PolicyParams { stop: params.stop, ..PolicyParams::default() };
            let has_ended = match task.problem.operator().pressure() {
                Some(AnyPressureOperator::Plane(operator)) => iterate(params, operator, &task, q, trace)?,
                Some(AnyPressureOperator::Space(operator)) => iterate(params, operator, &task, q, trace)?,
                None => return policy::iterate(&policy, algebraic, task, q, trace),
            };
            if has_ended {
                return Ok(());
            }
            trace.remark("the fast scheme made no progress, policy iteration took over");
            policy::iterate(&policy, rescue, task, q, trace)
        })
    }
}

/// Cycles for one policy at most; single precision yields no more.
const CYCLES: usize = 30;

/// Iterates until the solve has ended; false if it makes no progress.
fn iterate<const D: usize>(
    params: &BestParams,
    operator: &PressureOperator<D>,
    task: &Task,
    q: &mut [f64],
    trace: &mut Trace,
) -> Result<bool, SolveError> {
    let problem = task.problem;
    let (mut hierarchy, layout) = trace.set_up(|| (Hierarchy::new(operator, problem.lower()), Layout::new(operator)));
    let mut walls = trace.set_up(|| Walls::new(problem, operator, &hierarchy, &layout));
    let mut reduced = Reduced::default();
    let mut answer = vec![0.0; hierarchy.size()];
    let mut r = vec![0.0; q.len()];

    walls.lift(q);
    problem.residual(q, &mut r);
    let mut goes_on = trace.goes_on(problem.natural_residual(q, &r))?;
    if goes_on {
        start(operator, &mut hierarchy, &layout, &walls, &mut reduced, q, &r);
        trace.spend(1); // about the work of a cycle
        trace.moves(hierarchy.bytes_per_iteration() + bytes_around(operator));
        walls.lift(q);
        problem.residual(q, &mut r);
        goes_on = trace.goes_on(problem.natural_residual(q, &r))?;
    }
    let (mut least, mut patience) = (f64::INFINITY, params.patience);
    while goes_on {
        (0..SWEEPS).for_each(|_| walls.relax(q, &mut r));
        let changes = walls.choose(task.loose, q, &mut r);
        trace.set_up(|| hierarchy.pin(0, changes.into_iter()));

        let norm = trace.residual(); // single precision works on numbers around one
        let (scale, inverse) = (norm / operator.unit(), -1.0 / norm);
        let free_norm = hierarchy.load(&layout, |row| (inverse * r[row]) as f32);
        let target = (params.forcing * free_norm).max(0.5 * trace.target() / norm);
        let (cycles, _) = reduced.solve(&mut hierarchy, 0, &mut answer, target, CYCLES);
        trace.spend(cycles);
        trace.moves(cycles as u64 * hierarchy.bytes_per_iteration() + bytes_around(operator));
        layout.add(&hierarchy, scale, &answer, q);
        problem.residual(q, &mut r);

        goes_on = trace.goes_on(problem.natural_residual(q, &r))?;
        if trace.residual() < 0.5 * least {
            (least, patience) = (trace.residual(), params.patience);
        } else if patience == 0 {
            return Ok(!goes_on);
        } else {
            patience -= 1;
        }
    }
    Ok(true)
}

/// Bytes that a policy moves beside its cycles: r = A q + b, its norms, the right-hand side on the
/// checkerboard, and the correction of q.
fn bytes_around<const D: usize>(operator: &PressureOperator<D>) -> u64 {
    let rows = operator.diagonal().len();
    (operator.bytes_per_product() + rows * (8 + 24 + 8 + 12 + 20)) as u64
}

/// Projected sweeps over the walls before each policy: a second one gains nothing.
const SWEEPS: usize = 1;

/// Adds to q what the coarse levels know of the correction.
fn start<const D: usize>(
    operator: &PressureOperator<D>,
    hierarchy: &mut Hierarchy<D>,
    layout: &Layout,
    walls: &Walls<D>,
    reduced: &mut Reduced,
    q: &mut [f64],
    r: &[f64],
) {
    let norm = vector::norm_max(r).max(f64::MIN_POSITIVE);
    let (scale, inverse) = (norm / operator.unit(), -1.0 / norm);
    let mut load = vec![0.0; hierarchy.size()];
    hierarchy.spread(layout, &mut load, |row| (inverse * r[row]) as f32);
    let mut floor = vec![f32::NEG_INFINITY; hierarchy.size()];
    walls.floors(q, scale, &mut floor);
    let x = hierarchy.nested_start(reduced, load, floor);
    layout.add(hierarchy, scale, &x, q);
}
