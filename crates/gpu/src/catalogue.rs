//! The solvers of the catalogue that run on the device.

use unstick_mlcp::SolverName;
use unstick_mlcp::solvers::policy::PolicyParams;

use crate::error::GpuError;
use crate::layout::{Precondition, Vector};

/// A method that runs on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeviceMethod {
    Best,
    Sticking(Precondition),
    Policy(Precondition),
    Newton(Precondition),
}

use Precondition::{Cycle, CycleAlone, Diagonal, Nothing};

/// The solvers of the device, by their full names.
const CATALOGUE: [(&str, DeviceMethod); 13] = [
    ("best", DeviceMethod::Best),
    ("policy+cg/none", DeviceMethod::Policy(Nothing)),
    ("policy+cg/jacobi", DeviceMethod::Policy(Diagonal)),
    ("policy+cg/multigrid", DeviceMethod::Policy(Cycle)),
    ("policy+multigrid", DeviceMethod::Policy(CycleAlone)),
    ("newton+cg/none", DeviceMethod::Newton(Nothing)),
    ("newton+cg/jacobi", DeviceMethod::Newton(Diagonal)),
    ("newton+cg/multigrid", DeviceMethod::Newton(Cycle)),
    ("newton+multigrid", DeviceMethod::Newton(CycleAlone)),
    ("sticking+cg/none", DeviceMethod::Sticking(Nothing)),
    ("sticking+cg/jacobi", DeviceMethod::Sticking(Diagonal)),
    ("sticking+cg/multigrid", DeviceMethod::Sticking(Cycle)),
    ("sticking+multigrid", DeviceMethod::Sticking(CycleAlone)),
];

impl DeviceMethod {
    /// The method of a solver, with any parameters that its name gives: those of methods and of linear solves work on
    /// the device as on the processor, and the preconditioners of the device have none.
    pub fn of(name: &SolverName) -> Result<Self, GpuError> {
        let plain = name.without_parameters().to_string();
        let method = CATALOGUE.iter().find(|(known, _)| *known == plain).map(|&(_, method)| method);
        if matches!(method, Some(Self::Policy(_))) && name.params::<PolicyParams>().keep {
            return Err(GpuError::Unsupported("the GPU chooses its first policy itself: `keep` is for the processor"));
        }
        method.ok_or_else(|| GpuError::Solver { name: plain, known: names().collect::<Vec<_>>().join(", ") })
    }

    /// The default limit on cycles, as on the processor.
    pub fn max_cycles(self) -> usize {
        match self {
            Self::Best | Self::Policy(_) => 1000,
            Self::Newton(_) => 200,
            Self::Sticking(_) => 100_000,
        }
    }

    /// The vectors that it needs in addition to those of `best`.
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
    fn vectors_follow_from_the_preconditioner_and_the_method() {
        let vectors = |name: &str| DeviceMethod::of(&name.parse().unwrap()).unwrap().vectors();
        assert!(vectors("best").is_empty());
        assert!(!vectors("policy+cg/none").contains(&Vector::Preconditioned));
        assert!(vectors("policy+cg/jacobi").contains(&Vector::Exchanged));
        assert!(!vectors("policy+cg/multigrid").contains(&Vector::Exchanged));
        assert!(vectors("newton+multigrid").contains(&Vector::Trial));
    }

    #[test]
    fn a_solver_that_the_device_lacks_is_refused_with_those_it_has() {
        let error = DeviceMethod::of(&"psor".parse().unwrap()).unwrap_err();
        assert!(error.to_string().starts_with("`psor` does not run on the GPU, which has best, "), "{error}");
    }

    #[test]
    fn solvers_and_parameters_of_the_processor_alone_are_refused() {
        for name in ["pivoting+cg/none", "pgs-sm+cg/none", "policy:keep=true+cg/none"] {
            assert!(DeviceMethod::of(&name.parse().unwrap()).is_err(), "{name}");
        }
        assert!(DeviceMethod::of(&"policy:keep=false+cg/none".parse().unwrap()).is_ok());
    }

    #[test]
    fn parameters_do_not_change_the_method() {
        let method = |name: &str| DeviceMethod::of(&name.parse().unwrap());
        assert_eq!(method("best:forcing=0.05"), Ok(DeviceMethod::Best));
        let newton = method("newton:tightening=false+cg:max_iterations=1000/none");
        assert_eq!(newton, Ok(DeviceMethod::Newton(Nothing)));
        assert!(method("policy+gmres:restart=20/none").is_err());
    }

    #[test]
    fn every_name_is_the_full_name_of_a_solver() {
        for known in names() {
            let name: SolverName = known.parse().unwrap();
            assert_eq!(name.to_string(), known);
        }
    }
}
