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
//! Across open parts and at walls that are left, W is the identity and d stays zero.
//!
//! Both projections are linear. So both methods end at the projection of the first velocity onto the
//! intersection of P and W, and agree. If liquid then flows into walls that were marked as left, these
//! are taken back and the loop goes on. The result is the same as if they had never been marked: the new
//! intersection lies within the old one, and a projection onto it forgets the rest.

use unstick_mlcp::linear::{LinearOutcome, Subsystem};
use unstick_mlcp::run::{Trace, run_until};
use unstick_mlcp::{Mlcp, SolveError, SolveReport, Splitting, SplittingName};
use unstick_parallel::vector;

use super::closed_faces::ClosedFaces;
use super::{Marking, SplittingInput, SplittingParams, linear};

pub(super) fn alternate<const D: usize>(
    input: &SplittingInput<D>,
    name: SplittingName,
    params: &SplittingParams,
    problem: &Mlcp,
    closed: &mut ClosedFaces<D>,
    q: &mut [f64],
) -> Result<SolveReport, SolveError> {
    let unit = input.unit();
    let is_dual = name.splitting() == Splitting::Admm;
    let stops_on_velocity = params.stops_on_velocity(name.splitting());
    let target = unit * if stops_on_velocity { params.absolute } else { params.outer };
    run_until(name.to_string(), problem, q, target, params.max_iterations, |q, trace: &mut Trace| {
        let equations = trace.set_up(|| closed.equations(input, |_| true))?;
        let system = Subsystem::whole(equations.operator());
        let mut inner = linear(name, equations.operator()).inner();
        trace.set_up(|| inner.prepare(&system))?;
        if let Some(warning) = params.warning().filter(|_| !stops_on_velocity) {
            trace.remark(warning);
        }
        // The outflow of every cell: as if all walls were held, plus the flow through the walls.
        let mut outflow = problem.b().to_vec();
        trace.start(vector::norm_max(&outflow))?;
        closed.list.iter().for_each(|face| face.flow(face.speed, &mut outflow));
        let mut change = vec![0.0; q.len()];
        let mut speeds = vec![0.0; closed.list.len()];
        let (mut is_marked, mut fastest) = (params.marking == Marking::Before, 0.0);
        if is_marked {
            closed.mark(params, q);
        }
        loop {
            speeds.iter_mut().zip(&closed.list).for_each(|(speed, face)| *speed = face.speed);
            let report = inner.solve_prepared(&system, &mut outflow, &mut change, params.inner * unit);
            trace.spend(report.iterations);
            if report.outcome == LinearOutcome::Breakdown {
                trace.stall("the linear solver broke down: rounding is all that is left");
            }
            vector::add_scaled(-1.0, &change, q);
            closed.add_gradient(&change);
            if !std::mem::replace(&mut is_marked, true) {
                closed.mark(params, q);
            }
            let measure = if stops_on_velocity {
                // Scaled so that the absolute threshold is what it is held against.
                let scale = |fastest: f64| target / (target + params.relative * fastest);
                let apart = if is_dual {
                    closed.disagree()
                } else {
                    closed.enforce(&mut outflow);
                    input.largest_change(&change).max(closed.largest_change(&speeds))
                };
                // Speeds hardly change from one turn to the next: they are measured only where they decide.
                if fastest == 0.0 || scale(fastest) * apart <= target {
                    fastest = input.fastest(q).max(closed.fastest());
                }
                let scale = scale(fastest);
                let apart = scale * apart;
                let is_settled = apart <= target && params.takes_back;
                let contradiction = if is_settled { closed.take_back(target / scale) } else { None };
                if contradiction.is_some() && !is_dual {
                    closed.enforce(&mut outflow);
                }
                contradiction.map_or(apart, |speed| scale * speed)
            } else {
                let mut turn = |closed: &mut ClosedFaces<D>| {
                    if is_dual {
                        closed.reflect(&mut outflow)
                    } else {
                        closed.enforce(&mut outflow)
                    }
                    vector::norm_max(&outflow)
                };
                if is_dual {
                    closed.disagree();
                }
                match turn(closed) {
                    measure if measure <= target && params.takes_back && closed.take_back(target).is_some() => {
                        turn(closed)
                    }
                    measure => measure,
                }
            };
            if !trace.goes_on(measure)? {
                return Ok(());
            }
            if stops_on_velocity && is_dual {
                closed.reflect(&mut outflow);
            }
        }
    })
}

impl<const D: usize> ClosedFaces<D> {
    /// u ← W u.
    pub(super) fn enforce(&mut self, outflow: &mut [f64]) {
        self.list.iter_mut().for_each(|face| face.set(face.allowed(face.speed), outflow));
    }

    /// v ← W (u + d) and d ← d + u − v; returns the largest |u − v|.
    fn disagree(&mut self) -> f64 {
        self.list.iter_mut().fold(0.0, |most, face| {
            face.second = face.allowed(face.speed + face.dual);
            face.dual += face.speed - face.second;
            most.max((face.speed - face.second).abs())
        })
    }

    /// The largest difference from earlier speeds.
    fn largest_change(&self, before: &[f64]) -> f64 {
        self.list.iter().zip(before).fold(0.0, |most, (face, before)| most.max((face.speed - before).abs()))
    }

    /// u ← v − d.
    fn reflect(&mut self, outflow: &mut [f64]) {
        for face in &mut self.list {
            face.set(face.second - face.dual, outflow);
        }
    }
}
