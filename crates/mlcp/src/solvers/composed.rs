//! What the methods around a linear solver have in common.

use super::{Inner, MlcpSolver};
use crate::error::SolveError;
use crate::parameter::Parameters;
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Solvable, Trace, run};
use crate::stop::Stop;

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
