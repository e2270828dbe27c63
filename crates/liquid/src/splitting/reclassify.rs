//! `reclassify` and `iop-bc`: solves that know the walls, with those that are left as air.
//!
//! The adjusted conjugate gradients of \[Eckert2014, alg. 5\] solve once with every wall held, mark
//! the walls that the liquid would leave, and let it leave them by moving it as if they were air.
//! That brings divergence in beside them, which no one removes: `reclassify`. Repeating the solve with
//! the marked walls as air removes it \[Eckert2014, §3.5\]: `iop-bc`.

use unstick_mlcp::run::{Trace, run_until};
use unstick_mlcp::{Mlcp, Outcome, SolveError, SolveReport, Splitting, SplittingName, Stop};
use unstick_parallel::vector;

use super::parts::Parts;
use super::{Setting, SplittingParams, linear};

pub(super) fn reclassify<const D: usize>(
    setting: &Setting<D>,
    name: SplittingName,
    params: &SplittingParams,
    problem: &Mlcp,
    parts: &mut Parts<D>,
    q: &mut [f64],
) -> Result<SolveReport, SolveError> {
    let unit = setting.unit();
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
        trace.start(vector::norm_max(problem.b()))?;
        solve(problem, q, trace)?;
        let mut outflow = vec![0.0; q.len()];
        problem.residual(q, &mut outflow);
        parts.follow(q);
        parts.mark(params.marking, q);
        parts.list.iter_mut().filter(|part| !part.is_left).for_each(|part| part.speed = 0.0);
        if !repeats {
            // What the walls that are left bring in is not asked about [Eckert2014, §4.1].
            return trace.goes_on(vector::norm_max(&outflow)).map(drop);
        }
        parts.list.iter().for_each(|part| part.flow(part.speed, &mut outflow));
        let mut goes_on = trace.goes_on(vector::norm_max(&outflow))?;
        if !goes_on {
            return Ok(());
        }
        let equations_of =
            |parts: &Parts<D>, trace: &mut Trace| trace.set_up(|| parts.equations(setting, |part| part.is_left));
        let mut equations = equations_of(parts, trace)?;
        let mut change = vec![0.0; q.len()];
        while goes_on {
            vector::clear(&mut change);
            equations = equations.with_b(outflow.clone())?;
            solve(&equations, &mut change, trace)?;
            vector::add_scaled(1.0, &change, q);
            equations.residual(&change, &mut outflow);
            for part in parts.list.iter_mut().filter(|part| part.is_left) {
                part.speed -= part.difference(&change);
            }
            if parts.take_back(target).is_some() {
                // Held walls push liquid into their neighbours: those that it touches at all are next.
                parts.take_back(0.0);
                parts.enforce(&mut outflow);
                equations = equations_of(parts, trace)?;
            }
            goes_on = trace.goes_on(vector::norm_max(&outflow))?;
        }
        Ok(())
    })
}

impl<const D: usize> Parts<D> {
    /// The velocity that a pressure gives to liquid at walls that are air.
    fn follow(&mut self, q: &[f64]) {
        self.list.iter_mut().for_each(|part| part.speed -= part.difference(q));
    }
}
