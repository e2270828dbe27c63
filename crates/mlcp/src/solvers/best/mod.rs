//! The project's own method (`best`): a separating wall for the price of a sticking one.
//!
//! Inexact policy iteration whose every part is made for the grid:
//!
//! 1. a nested start from the coarse levels, which finds most of the active
//!    set where that is cheap;
//! 2. in each cycle a few over-relaxed projected sweeps over the wall rows and the layers beside them, then
//!    the policy: a wall row is *pinned* where A_ii (q_i − ℓ_i) ≤ r_i \[Lai2021, eq. (5.7)\];
//! 3. for the free rows \[Lai2021, eq. (5.8)\] conjugate gradients in single precision, with a multigrid
//!    cycle whose levels leave the pinned rows out. A policy is solved only as far as it deserves. The
//!    residual is then computed again in double precision.
//!
//! Where this runs is left to a [`Backend`]: here it is the checkerboard, elsewhere a GPU.
//!
//! The sweeps decide what a policy on unsmoothed residuals would get wrong. A cycle costs the same
//! whether walls separate or not.
//!
//! **Safeguard.** The scheme watches the natural residual. When it fails to halve within a number
//! of cycles, [policy iteration](super::policy) takes over with the safeguards it has (finite
//! termination on M-matrices, single exchanges otherwise). Matrices without a grid get policy
//! iteration with algebraic multigrid from the start.

mod band;
mod on_checkerboard;
mod walls;

use self::on_checkerboard::{Memory, OnCheckerboard};
use super::policy::{self, PolicyParams};
use super::{Inner, MlcpSolver};
use crate::error::SolveError;
use crate::pressure::{AnyPressureOperator, PressureOperator};
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Trace, run};
use crate::stop::Stop;

/// What a user may turn.
#[derive(Clone, Debug)]
pub struct BestParams {
    /// Each policy is solved to this part of its right-hand side. Default 7e-2: a tighter one
    /// spends cycles on policies that will be dropped.
    pub forcing: f64,
    /// The same once a policy changes no row, and where no row can change. Default 1e-3: it is the last policy then,
    /// but single precision yields only so much before the residual must be taken anew.
    pub settled_forcing: f64,
    /// Cycles within which the residual must halve. Default 8.
    pub patience: usize,
    /// When to stop. Default limit: 1000 policies.
    pub stop: Stop,
}

impl Default for BestParams {
    fn default() -> Self {
        Self { forcing: 7e-2, settled_forcing: 1e-3, patience: 8, stop: Stop::default() }
    }
}

/// A policy that changes this part of the wall rows or more is solved as far as a first one.
const MANY_CHANGES: f64 = 5e-4;

impl BestParams {
    /// How far a policy deserves to be solved that has changed some of the wall rows: the fewer, the nearer it is to
    /// the last one.
    pub fn forcing_after(&self, changes: usize, walls: usize) -> f64 {
        let part = changes as f64 / walls.max(1) as f64;
        (self.forcing * part / MANY_CHANGES).clamp(self.settled_forcing, self.forcing)
    }
}

/// The method.
pub struct Best {
    /// What a user may turn.
    pub params: BestParams,
    algebraic: Inner,
    rescue: Inner,
    plane: Memory<2>,
    space: Memory<3>,
}

impl Best {
    /// The method with its linear solvers: one for matrices without a grid, and one of the safeguard.
    pub fn new(params: BestParams, algebraic: Inner, rescue: Inner) -> Self {
        Self { params, algebraic, rescue, plane: Memory::default(), space: Memory::default() }
    }
}

/// A problem and its matrix on the grid.
#[derive(Clone, Copy)]
struct Rows<'t, const D: usize> {
    problem: &'t Mlcp<'t>,
    operator: &'t PressureOperator<D>,
}

impl MlcpSolver for Best {
    fn name(&self) -> String {
        "best".into()
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let Self { params, algebraic, rescue, plane, space } = self;
        run("best".into(), problem, q, &params.stop, 1000, |task, q, trace: &mut Trace| {
            let policy = PolicyParams { stop: params.stop, ..PolicyParams::default() };
            let has_ended = match task.problem.operator().pressure() {
                Some(AnyPressureOperator::Plane(operator)) => {
                    iterate(params, &mut OnCheckerboard::new(plane, operator, &task, q, trace), trace)?
                }
                Some(AnyPressureOperator::Space(operator)) => {
                    iterate(params, &mut OnCheckerboard::new(space, operator, &task, q, trace), trace)?
                }
                None => return policy::on_rows(&policy, algebraic, task, q, trace),
            };
            if has_ended {
                return Ok(());
            }
            trace.remark("the fast scheme made no progress, policy iteration took over");
            policy::on_rows(&policy, rescue, task, q, trace)
        })
    }
}

/// Cycles for one policy at most; single precision yields no more.
pub const MOST_CYCLES: usize = 30;

/// The parts of the scheme, for whatever machine holds the iterate.
pub trait Backend {
    /// The natural residual of the iterate.
    fn natural_residual(&mut self) -> Result<f64, SolveError>;

    /// Adds to the iterate what the coarse levels know of the correction.
    fn start(&mut self, trace: &mut Trace) -> Result<(), SolveError>;

    /// Projected sweeps over the wall rows and the layers beside them, then the policy: pins the rows that
    /// have let go, on all levels.
    fn choose(&mut self, trace: &mut Trace) -> Result<(), SolveError>;

    /// Corrects the free rows, to the part of their residual that the parameters ask for and no further than half
    /// the target of the trace; books the cycles, [`MOST_CYCLES`] at most.
    fn correct(&mut self, params: &BestParams, trace: &mut Trace) -> Result<(), SolveError>;
}

/// Iterates until the solve has ended; false if it makes no progress.
pub fn iterate(params: &BestParams, backend: &mut impl Backend, trace: &mut Trace) -> Result<bool, SolveError> {
    let mut goes_on = trace.goes_on(backend.natural_residual()?)?;
    if goes_on {
        backend.start(trace)?;
        trace.spend(1); // about the work of a cycle
        goes_on = trace.goes_on(backend.natural_residual()?)?;
    }
    let (mut least, mut patience) = (f64::INFINITY, params.patience);
    while goes_on {
        backend.choose(trace)?;
        backend.correct(params, trace)?;
        goes_on = trace.goes_on(backend.natural_residual()?)?;
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
