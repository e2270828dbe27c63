//! A solver on a device that stands in for the one of the setup, and what happens when it fails.

use unstick_grid::{Grid, SignedDistance};
use unstick_liquid::{Setup, Simulation, StepReport};
use unstick_mlcp::fields::RowSolver;
use unstick_mlcp::{Mlcp, MlcpSolver, SolveError, SolveReport, SolverName, Stop};

/// The processor in the place of a device that is lost after some solves, or that may take so many cycles only.
struct Device {
    solves: usize,
    inner: Box<dyn MlcpSolver>,
}

impl Device {
    fn boxed(solves: usize, max_cycles: Option<usize>) -> Box<dyn MlcpSolver> {
        let options = Stop::default().with_max_cycles(max_cycles);
        let inner = "policy+cg/ic0".parse::<SolverName>().unwrap().build(&options);
        Box::new(Self { solves, inner })
    }
}

impl MlcpSolver for Device {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        q.fill(f64::NAN);
        self.solves = self.solves.checked_sub(1).ok_or_else(|| SolveError::Machine("the device is lost".into()))?;
        q.fill(0.0);
        self.inner.solve(problem, q)
    }
}

fn dam() -> Simulation<2> {
    let setup = Setup::new(Grid::<2>::unit(20).unwrap());
    Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [0.4, 0.8])).unwrap()
}

fn steps(device: Option<Box<dyn MlcpSolver>>) -> Vec<StepReport> {
    let mut simulation = dam();
    device.into_iter().for_each(|device| simulation.solve_on(Box::new(RowSolver::new(device))));
    (0..6).map(|_| simulation.advance(0.004).unwrap()).collect()
}

#[test]
fn a_device_that_is_lost_costs_no_step_and_is_named_once() {
    let steps = steps(Some(Device::boxed(3, None)));
    let solvers: Vec<_> = steps.iter().map(|step| step.solver.as_str()).collect();
    assert_eq!(solvers, ["policy+cg/ic0", "policy+cg/ic0", "policy+cg/ic0", "best", "best", "best"]);
    let failures: Vec<_> = steps.iter().map(|step| step.device_failure.as_deref()).collect();
    assert_eq!(failures, [None, None, None, Some("the device is lost"), None, None]);
}

#[test]
fn steps_after_a_loss_are_those_of_the_processor() {
    let energy = |steps: Vec<StepReport>| steps.last().unwrap().kinetic_energy.to_bits();
    assert_eq!(energy(steps(Some(Device::boxed(0, None)))), energy(steps(None)));
}

#[test]
fn what_a_device_falls_short_of_the_processor_solves() {
    let steps = steps(Some(Device::boxed(usize::MAX, Some(0))));
    assert!(steps.iter().all(|step| step.converged && step.solver == "best" && step.device_failure.is_none()));
}
