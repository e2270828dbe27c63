//! The project's own method (`best`): a separating wall for the price of a sticking one.
//!
//! Inexact policy iteration whose every part is made for the grid:
//!
//! 1. a nested start from the coarse levels, which finds most of the active
//!    set where that is cheap;
//! 2. in each cycle a few projected sweeps of the correction, then the policy: a wall row is *pinned* where
//!    A_ii (q_i − ℓ_i) ≤ r_i \[Lai2021, eq. (5.7)\];
//! 3. for the free rows \[Lai2021, eq. (5.8)\] conjugate gradients in single precision, with a multigrid
//!    cycle whose levels leave the pinned rows out. A policy is solved only as far as it deserves. The
//!    residual is then computed again in double precision.
//!
//! [`iterate`] holds the loop. The machine that holds the iterate implements [`BestSteps`]: here with the
//! checkerboard or with aggregates of any matrix, in `unstick-gpu` on a GPU.
//!
//! The sweeps decide what a policy on unsmoothed residuals would get wrong. A cycle costs the same
//! whether walls separate or not.
//!
//! **Safeguard.** The scheme watches the natural residual. When it fails to halve within a number
//! of cycles, [policy iteration](super::policy) takes over with the safeguards it has (finite
//! termination on M-matrices, single exchanges otherwise). Operators known by products and a nearby matrix, and matrices
//! whose entries single precision does not hold, get policy iteration from the start.

mod on_checkerboard;
mod on_rows;
mod walls;

use self::on_checkerboard::{Memory, OnCheckerboard};
use self::on_rows::OnRows;
#[doc(hidden)]
pub use self::on_rows::{FORCING_WITHOUT_SWEEPS, MISLED};
use super::policy::{self, PolicyParams};
use super::{Inner, MlcpSolver};
use crate::aggregation::fits_single_precision;
use crate::error::SolveError;
use crate::parameter::{Parameters, parameters};
use crate::pressure::{AnyPressureOperator, PressureOperator};
use crate::problem::Mlcp;
use crate::recognise::FoundGrid;
use crate::report::SolveReport;
use crate::run::{Solvable, Trace, run_on_ranks};
use crate::stop::Stop;

parameters! {
    /// Parameters of [`Best`].
    pub struct BestParams {
        /// Each policy is solved to this part of its right-hand side. A tighter one spends cycles on policies that
        /// will be dropped.
        forcing: f64 = 7e-2, 1e-10..=0.9;
        /// The same once a policy changes no row. It is the last policy then, but single precision yields only so
        /// much before the residual must be computed again.
        settled_forcing: f64 = 1e-3, 1e-10..=0.9;
        /// Cycles within which the residual must halve; otherwise policy iteration takes over.
        patience: usize = 8, 1..=1000;
    }
}

/// A policy that changes this part of the wall rows or more is solved as far as a first one.
const MANY_CHANGES: f64 = 5e-4;

impl BestParams {
    /// How far a policy deserves to be solved that has changed some of the wall rows: the fewer, the nearer it is to
    /// the last one.
    pub fn forcing_after(&self, changes: usize, walls: usize) -> f64 {
        let part = changes as f64 / walls.max(1) as f64;
        (self.forcing * part / MANY_CHANGES).clamp(self.settled_forcing.min(self.forcing), self.forcing)
    }
}

/// The method.
pub struct Best {
    /// Its parameters.
    pub params: BestParams,
    stop: Stop,
    algebraic: Inner,
    rescue: Inner,
    plane: Memory<2>,
    space: Memory<3>,
    rows: on_rows::Memory,
    found: FoundGrid,
}

impl Best {
    /// The method with its linear solvers: one for matrices without a grid, and one of the safeguard. The default
    /// limit of `stop` is 1000 policies.
    pub fn new(params: BestParams, stop: Stop, algebraic: Inner, rescue: Inner) -> Self {
        let (plane, space, rows, found) = Default::default();
        Self { params, stop, algebraic, rescue, plane, space, rows, found }
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
        format!("best{}", self.params.suffix())
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let name = self.name();
        let Self { params, stop, algebraic, rescue, plane, space, rows, found } = self;
        run_on_ranks(name, problem, q, stop, 1000, |solvable, q, trace: &mut Trace| {
            let policy = PolicyParams::default();
            let operator = solvable.problem.operator();
            let has_ended = match operator.pressure() {
                Some(operator) => on_grid(params, (plane, space), operator, &solvable, q, trace)?,
                None => match operator.csr().filter(|_| operator.nearby().is_none()) {
                    Some(matrix) if fits_single_precision(matrix) => {
                        let fingerprint = trace.set_up(|| matrix.fingerprint());
                        let mut has_ended = false;
                        if let Some(grid) = trace.set_up(|| found.of(matrix, fingerprint)) {
                            trace.remark("the rows lie on a grid, on which they were solved");
                            has_ended = grid.solve(&solvable, q, |operator, solvable, q| {
                                on_grid(params, (plane, space), operator, solvable, q, trace)
                            })?;
                        }
                        let bare = (matrix, fingerprint);
                        has_ended || {
                            let mut steps = OnRows::new(rows, bare, &solvable, q, trace);
                            iterate(params, &mut steps, trace)? || iterate(params, steps.exactly(), trace)?
                        }
                    }
                    _ => return policy::on_rows(&policy, algebraic, solvable, q, trace),
                },
            };
            if has_ended {
                return Ok(());
            }
            if solvable.problem.ranks().count() > 1 {
                trace.stall("the fast scheme made no progress, and policy iteration works on one rank");
                return Ok(());
            }
            trace.remark("the fast scheme made no progress, policy iteration took over");
            let linear = if operator.pressure().is_some() { rescue } else { algebraic };
            policy::on_rows(&policy, linear, solvable, q, trace)
        })
    }
}

/// Runs the scheme on a grid; false if it makes no progress.
fn on_grid(
    params: &BestParams,
    (plane, space): (&mut Memory<2>, &mut Memory<3>),
    operator: AnyPressureOperator,
    solvable: &Solvable,
    q: &mut [f64],
    trace: &mut Trace,
) -> Result<bool, SolveError> {
    match operator {
        AnyPressureOperator::Plane(operator) => on_grid_of(params, plane, operator, solvable, q, trace),
        AnyPressureOperator::Space(operator) => on_grid_of(params, space, operator, solvable, q, trace),
    }
}

/// The same in so many dimensions. Other ranks may hold parts of the grid.
fn on_grid_of<const D: usize>(
    params: &BestParams,
    memory: &mut Memory<D>,
    operator: &PressureOperator<D>,
    solvable: &Solvable,
    q: &mut [f64],
    trace: &mut Trace,
) -> Result<bool, SolveError> {
    if operator.share().is_none() {
        return iterate(params, &mut OnCheckerboard::new(memory, operator, solvable, q, trace), trace);
    }
    let mut extended = operator.with_ghosts(q);
    let has_ended = iterate(params, &mut OnCheckerboard::new(memory, operator, solvable, &mut extended, trace), trace)?;
    q.copy_from_slice(&extended[..q.len()]);
    Ok(has_ended)
}

/// Cycles for one policy at most; single precision yields no more.
#[doc(hidden)]
pub const MOST_CYCLES: usize = 30;

/// The steps of the scheme, on the machine that holds the iterate.
#[doc(hidden)]
pub trait BestSteps {
    /// The natural residual of the iterate.
    fn natural_residual(&mut self) -> Result<f64, SolveError>;

    /// Adds to the iterate what the coarse levels know of the correction.
    fn start(&mut self, trace: &mut Trace) -> Result<(), SolveError>;

    /// Projected sweeps, then the policy: pins the rows that have let go, on all levels.
    fn choose(&mut self, trace: &mut Trace) -> Result<(), SolveError>;

    /// Corrects the free rows, to the part of their residual that the parameters ask for and no further than half
    /// the target of the trace; books the cycles, [`MOST_CYCLES`] at most.
    fn correct(&mut self, params: &BestParams, trace: &mut Trace) -> Result<(), SolveError>;
}

/// Iterates until the solve has ended; false if it makes no progress.
#[doc(hidden)]
pub fn iterate(params: &BestParams, steps: &mut impl BestSteps, trace: &mut Trace) -> Result<bool, SolveError> {
    let mut goes_on = trace.goes_on(steps.natural_residual()?)?;
    if goes_on {
        steps.start(trace)?;
        trace.spend(1); // about the work of a cycle
        goes_on = trace.goes_on(steps.natural_residual()?)?;
    }
    let (mut least, mut patience) = (f64::INFINITY, params.patience);
    while goes_on {
        steps.choose(trace)?;
        steps.correct(params, trace)?;
        goes_on = trace.goes_on(steps.natural_residual()?)?;
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
