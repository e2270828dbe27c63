//! A linear solver with its preconditioner, as the nonlinear methods use them, and what such methods have in common.

use std::ops::ControlFlow;

use super::MlcpSolver;
use crate::error::SolveError;
use crate::linear::{LinearReport, LinearSolver, LinearTask, Subsystem};
use crate::parameter::{Parameters, parameters};
use crate::precondition::Preconditioner;
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Solvable, Trace, run};
use crate::stop::Stop;

parameters! {
    /// Parameters of every linear solve inside a nonlinear method.
    pub struct InnerParams {
        /// Iterations after which a linear solve gives up.
        max_iterations: usize = 10_000, 1..=1000000000;
    }
}

/// A linear solver with its preconditioner: the part after the `+` of a solver's name.
pub struct Inner {
    name: String,
    solver: Box<dyn LinearSolver>,
    preconditioner: Box<dyn Preconditioner>,
    /// Iterations after which a linear solve gives up.
    pub max_iterations: usize,
}

impl Inner {
    /// Puts the two together; `name` is for reports, e.g. `cg/mic0`.
    pub fn new(name: String, solver: Box<dyn LinearSolver>, preconditioner: Box<dyn Preconditioner>) -> Self {
        Self { name, solver, preconditioner, max_iterations: InnerParams::default().max_iterations }
    }

    /// Name for reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Prepares for a system of the caller's own, which can then be solved any number of times.
    pub fn prepare(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        self.forget();
        self.preconditioner.rebuild(system)
    }

    /// Solves S x = r to `target`, from zero; r becomes what remains.
    pub fn solve_prepared(&mut self, system: &Subsystem, r: &mut [f64], x: &mut [f64], target: f64) -> LinearReport {
        self.solve_watched(system, r, x, target, &mut |_| ControlFlow::Continue(()))
    }

    pub(crate) fn forget(&mut self) {
        self.preconditioner.forget();
    }

    /// Prepares for a system; books the time as set-up.
    pub(crate) fn rebuild(&mut self, system: &Subsystem, trace: &mut Trace) -> Result<(), SolveError> {
        trace.set_up(|| self.preconditioner.rebuild(system))
    }

    /// Solves S x = r to `target` and books the iterations.
    pub(crate) fn solve(
        &mut self,
        system: &Subsystem,
        r: &mut [f64],
        x: &mut [f64],
        target: f64,
        trace: &mut Trace,
    ) -> LinearReport {
        let report = self.solve_prepared(system, r, x, target);
        trace.spend(report.iterations);
        report
    }

    /// The same, with the residual shown after every iteration.
    pub(crate) fn solve_watched(
        &mut self,
        system: &Subsystem,
        r: &mut [f64],
        x: &mut [f64],
        target: f64,
        watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> LinearReport {
        let (preconditioner, max_iterations) = (&mut *self.preconditioner, self.max_iterations);
        self.solver.solve(LinearTask { system, preconditioner, target, max_iterations, watch }, r, x)
    }

    /// Whether the residual that a solve reports is measured rather than carried along.
    pub(crate) fn measures_residual(&self) -> bool {
        self.solver.measures_residual()
    }

    /// z ← M⁻¹ r; returns rᵀ z.
    pub(crate) fn precondition(&mut self, r: &[f64], z: &mut [f64]) -> f64 {
        self.preconditioner.apply_dot(r, z)
    }
}

/// A method around a linear solver.
pub struct Composed<P> {
    /// Its parameters, which say which method it is.
    pub params: P,
    /// When to stop. The default limit is that of the method.
    pub stop: Stop,
    /// The linear solver.
    pub inner: Inner,
}

/// The parameters of a method around a linear solver, and the method.
pub trait ComposedMethod: Parameters + Send + Sync {
    /// Name of the method, with what separates it from the name of the linear solver.
    const NAMES: [&str; 2];

    /// Default limit on cycles.
    const MAX_CYCLES: usize;

    /// The loop, inside the frame of [`run`](crate::run::run()).
    fn iterate(own: &mut Composed<Self>, task: Solvable, q: &mut [f64], trace: &mut Trace) -> Result<(), SolveError>;
}

impl<P: ComposedMethod> MlcpSolver for Composed<P> {
    fn name(&self) -> String {
        let [name, separator] = P::NAMES;
        format!("{name}{}{separator}{}", self.params.suffix(), self.inner.name())
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let (name, stop) = (self.name(), self.stop);
        run(name, problem, q, &stop, P::MAX_CYCLES, |task, q, trace: &mut Trace| P::iterate(self, task, q, trace))
    }
}
