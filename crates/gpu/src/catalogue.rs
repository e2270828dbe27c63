//! The solvers of the catalogue that run on the device.

use unstick_mlcp::SolverName;

use crate::error::GpuError;
use crate::layout::{Precondition, Vector};

/// How a solver runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    Best,
    Sticking(Precondition),
    Policy(Precondition),
    Newton(Precondition),
}

use Precondition::{Cycle, CycleAlone, Diagonal, Nothing};

/// All of them, by their full names.
const CATALOGUE: [(&str, Plan); 13] = [
    ("best", Plan::Best),
    ("policy+cg/none", Plan::Policy(Nothing)),
    ("policy+cg/jacobi", Plan::Policy(Diagonal)),
    ("policy+cg/multigrid", Plan::Policy(Cycle)),
    ("policy+multigrid", Plan::Policy(CycleAlone)),
    ("newton+cg/none", Plan::Newton(Nothing)),
    ("newton+cg/jacobi", Plan::Newton(Diagonal)),
    ("newton+cg/multigrid", Plan::Newton(Cycle)),
    ("newton+multigrid", Plan::Newton(CycleAlone)),
    ("sticking+cg/none", Plan::Sticking(Nothing)),
    ("sticking+cg/jacobi", Plan::Sticking(Diagonal)),
    ("sticking+cg/multigrid", Plan::Sticking(Cycle)),
    ("sticking+multigrid", Plan::Sticking(CycleAlone)),
];

impl Plan {
    /// The plan of a solver.
    pub fn of(name: &SolverName) -> Result<Self, GpuError> {
        if name.has_linear_parameters() {
            return Err(GpuError::Unsupported("linear solvers and preconditioners have no parameters on the GPU"));
        }
        let name = name.without_parameters().to_string();
        let plan = CATALOGUE.iter().find(|(known, _)| *known == name).map(|&(_, plan)| plan);
        plan.ok_or_else(|| GpuError::Solver { name, known: names().collect::<Vec<_>>().join(", ") })
    }

    /// Cycles after which the method gives up unless told otherwise, as on the processor.
    pub fn max_cycles(self) -> usize {
        match self {
            Self::Best | Self::Policy(_) => 1000,
            Self::Newton(_) => 200,
            Self::Sticking(_) => 100_000,
        }
    }

    /// The vectors it needs beside those of `best`.
    pub fn vectors(self) -> Vec<Vector> {
        let (precondition, has_trial) = match self {
            Self::Best => return Vec::new(),
            Self::Sticking(precondition) | Self::Policy(precondition) => (precondition, false),
            Self::Newton(precondition) => (precondition, true),
        };
        let mut vectors = vec![Vector::Residual, Vector::Direction, Vector::Next, Vector::Norms];
        if precondition != Nothing {
            vectors.push(Vector::Preconditioned);
        }
        if !precondition.has_cycle() {
            vectors.extend([Vector::Exchanged, Vector::OtherExchanged, Vector::SecondImage]);
        }
        if has_trial {
            vectors.extend([Vector::Answer, Vector::Trial]);
        }
        vectors
    }
}

/// Names of the solvers that run on the device.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    CATALOGUE.iter().map(|&(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_the_full_name_of_a_solver() {
        for known in names() {
            let name: SolverName = known.parse().unwrap();
            assert_eq!(name.to_string(), known);
        }
    }
}
