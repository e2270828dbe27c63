//! `admm` and `iop`: solves without solids and walls without pressure, in turn.
//!
//! With P the velocities without divergence and W those that the walls allow, both projections being
//! orthogonal, `iop` \[Eckert2014, alg. 4\] is
//!
//! ```text
//!     u ← W P u
//! ```
//!
//! and `admm` \[Eckert2014, alg. 2\] keeps a second velocity v and what the two disagreed on so far:
//!
//! ```text
//!     u ← P u,   v ← W (u + d),   d ← d + u − v,   u ← v − d
//! ```
//!
//! Across what is open and at walls that are left W is the identity and d stays zero.
//!
//! Both projections are linear. So both methods end at the projection of the first velocity onto what
//! P and W have in common, and agree. Should liquid then flow into walls that were found to be left,
//! these are taken back and the loop goes on. That changes nothing of the above: what P and the new W
//! have in common is part of what there was before, and a projection onto it forgets all the rest.

use unstick_mlcp::linear::{LinearOutcome, Subsystem};
use unstick_mlcp::run::{Trace, run_until};
use unstick_mlcp::{Mlcp, SolveError, SolveReport, Splitting, SplittingName};
use unstick_parallel::vector;

use super::parts::Parts;
use super::{Setting, SplittingParams, Stopping, linear};

pub(super) fn alternate<const D: usize>(
    setting: &Setting<D>,
    name: SplittingName,
    params: &SplittingParams,
    problem: &Mlcp,
    parts: &mut Parts<D>,
    q: &mut [f64],
) -> Result<SolveReport, SolveError> {
    let unit = setting.unit();
    let is_dual = name.splitting() == Splitting::Admm;
    let stops_on_velocity = is_dual && params.stopping == Stopping::Velocity;
    let target = unit * if stops_on_velocity { params.absolute } else { params.outer };
    run_until(name.to_string(), problem, q, target, params.max_iterations, |q, trace: &mut Trace| {
        let equations = trace.set_up(|| parts.equations(setting, |_| true))?;
        let system = Subsystem::whole(equations.operator());
        let mut inner = linear(name, equations.operator()).inner();
        trace.set_up(|| inner.prepare(&system))?;
        if let Some(warning) = params.warning().filter(|_| !stops_on_velocity) {
            trace.remark(warning);
        }
        // What leaves every cell: as if all walls were held, and through the walls on top.
        let mut outflow = problem.b().to_vec();
        trace.start(vector::norm_max(&outflow))?;
        parts.list.iter().for_each(|part| part.flow(part.speed, &mut outflow));
        let mut change = vec![0.0; q.len()];
        let (mut is_marked, mut fastest) = (false, 0.0);
        loop {
            let report = inner.solve_prepared(&system, &mut outflow, &mut change, params.inner * unit);
            trace.spend(report.iterations);
            if report.outcome == LinearOutcome::Breakdown {
                trace.stall("the linear solver broke down: rounding is all that is left");
            }
            vector::add_scaled(-1.0, &change, q);
            parts.add_gradient(&change);
            if !std::mem::replace(&mut is_marked, true) {
                parts.mark(params.marking, q);
            }
            let measure = if stops_on_velocity {
                // Scaled so that the absolute threshold is what it is held against.
                let scale = |fastest: f64| target / (target + params.relative * fastest);
                let apart = parts.disagree();
                // Speeds hardly change from one turn to the next: they are looked at where they decide.
                if fastest == 0.0 || scale(fastest) * apart <= target {
                    fastest = setting.fastest(q).max(parts.fastest());
                }
                let scale = scale(fastest);
                let apart = scale * apart;
                let contradiction = if apart <= target { parts.take_back(target / scale) } else { None };
                contradiction.map_or(apart, |speed| scale * speed)
            } else {
                let mut turn = |parts: &mut Parts<D>| {
                    if is_dual {
                        parts.reflect(&mut outflow)
                    } else {
                        parts.enforce(&mut outflow)
                    }
                    vector::norm_max(&outflow)
                };
                if is_dual {
                    parts.disagree();
                }
                match turn(parts) {
                    measure if measure <= target && parts.take_back(target).is_some() => turn(parts),
                    measure => measure,
                }
            };
            if !trace.goes_on(measure)? {
                return Ok(());
            }
            if stops_on_velocity {
                parts.reflect(&mut outflow);
            }
        }
    })
}

impl<const D: usize> Parts<D> {
    /// u ← W u.
    pub(super) fn enforce(&mut self, outflow: &mut [f64]) {
        self.list.iter_mut().for_each(|part| part.set(part.allowed(part.speed), outflow));
    }

    /// v ← W (u + d) and d ← d + u − v; returns the largest |u − v|.
    fn disagree(&mut self) -> f64 {
        self.list.iter_mut().fold(0.0, |most, part| {
            part.second = part.allowed(part.speed + part.dual);
            part.dual += part.speed - part.second;
            most.max((part.speed - part.second).abs())
        })
    }

    /// u ← v − d.
    fn reflect(&mut self, outflow: &mut [f64]) {
        for part in &mut self.list {
            part.set(part.second - part.dual, outflow);
        }
    }
}
