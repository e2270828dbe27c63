//! `reclassify` and `iop-bc`: solves that know the walls, with those that are left as air.
//!
//! The adjusted conjugate gradients of \[Eckert2014, alg. 5\] solve once with every wall held, mark
//! the walls that the liquid would leave, and let it leave them by moving it as if they were air.
//! That brings in divergence beside these walls, and `reclassify` leaves it there. `iop-bc` repeats the
//! solve with the marked walls as air, which removes it \[Eckert2014, §3.5\].

use unstick_mlcp::run::{Trace, run_until};
use unstick_mlcp::{Mlcp, Outcome, SolveError, SolveReport, Splitting, SplittingName, Stop};
use unstick_parallel::vector;

use super::closed_faces::ClosedFaces;
use super::{Marking, SplittingInput, SplittingParams, linear};

pub(super) fn reclassify<const D: usize>(
    input: &SplittingInput<D>,
    name: SplittingName,
    params: &SplittingParams,
    problem: &Mlcp,
    closed: &mut ClosedFaces<D>,
    q: &mut [f64],
) -> Result<SolveReport, SolveError> {
    let unit = input.unit();
    let repeats = name.splitting() == Splitting::IopBc;
    let target = unit * if repeats { params.outer } else { params.inner };
    let stop = Stop::absolute(params.inner * unit);
    run_until(name.to_string(), problem, q, target, params.max_iterations, |q, trace: &mut Trace| {
        if let Some(warning) = params.warning().filter(|_| repeats) {
            trace.remark(warning);
        }
        let mut solver = linear(name, problem.operator()).build(&stop);
        let mut solve = |equations: &Mlcp, x: &mut [f64], trace: &mut Trace| {
            let report = solver.solve(equations, x)?;
            trace.spend(report.inner_iterations());
            if report.outcome() != Outcome::Converged {
                trace.end(report.outcome());
            }
            Ok::<(), SolveError>(())
        };
        let equations_of =
            |closed: &ClosedFaces<D>, trace: &mut Trace| trace.set_up(|| closed.equations(input, |face| face.is_left));
        trace.start(vector::norm_max(problem.b()))?;
        let mut outflow = vec![0.0; q.len()];
        if params.marking == Marking::Before {
            // Walls that are left are air from the start, in the solve as in what it does [Eckert2014, §3.4].
            closed.mark(params, q);
            let mut flow = problem.b().to_vec();
            closed.list.iter().filter(|face| face.is_left).for_each(|face| face.flow(face.speed, &mut flow));
            let equations = equations_of(closed, trace)?.with_b(flow)?;
            solve(&equations, q, trace)?;
            equations.residual(q, &mut outflow);
            closed.follow(q);
            closed.list.iter_mut().filter(|face| !face.is_left).for_each(|face| face.speed = 0.0);
            if repeats && params.takes_back && closed.take_back(target).is_some() {
                closed.take_back(0.0);
                closed.enforce(&mut outflow);
            }
        } else {
            solve(problem, q, trace)?;
            problem.residual(q, &mut outflow);
            closed.follow(q);
            closed.mark(params, q);
            closed.list.iter_mut().filter(|face| !face.is_left).for_each(|face| face.speed = 0.0);
            if repeats {
                closed.list.iter().for_each(|face| face.flow(face.speed, &mut outflow));
            }
        }
        // What the walls that are left bring in is not asked about by `reclassify` [Eckert2014, §4.1].
        let mut goes_on = trace.goes_on(vector::norm_max(&outflow))?;
        if !repeats || !goes_on {
            return Ok(());
        }
        let mut equations = equations_of(closed, trace)?;
        let mut change = vec![0.0; q.len()];
        while goes_on {
            vector::clear(&mut change);
            equations = equations.with_b(outflow.clone())?;
            solve(&equations, &mut change, trace)?;
            vector::add_scaled(1.0, &change, q);
            equations.residual(&change, &mut outflow);
            for face in closed.list.iter_mut().filter(|face| face.is_left) {
                face.speed -= face.difference(&change);
            }
            if params.takes_back && closed.take_back(target).is_some() {
                // Held walls push liquid into their neighbours: those that it touches at all are next.
                closed.take_back(0.0);
                closed.enforce(&mut outflow);
                equations = equations_of(closed, trace)?;
            }
            goes_on = trace.goes_on(vector::norm_max(&outflow))?;
        }
        Ok(())
    })
}

impl<const D: usize> ClosedFaces<D> {
    /// The velocity that a pressure gives to liquid at walls that are air.
    fn follow(&mut self, q: &[f64]) {
        self.list.iter_mut().for_each(|face| face.speed -= face.difference(q));
    }
}
