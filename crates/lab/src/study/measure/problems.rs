//! Runs solvers on pressure problems from frames of a scene.

use unstick::gpu::{Backend, GpuError};
use unstick::mlcp::solvers::newton::{NewtonParams, PUBLISHED_STEPS};
use unstick::mlcp::{Mlcp, Parameters as _, PressureMethod, SolveError, SolverName, Start, Stop, Tolerance};
use unstick::scene::AnyScene;
use unstick_parallel::bandwidth::median;

use super::{Measurement, SIMULATED_WITH, Session, grids, scene_with};
use crate::compare::entrant::{Entrant as Placed, PreparedSolver};
use crate::machine;
use crate::source::{CapturedProblem, Source};
use crate::study::record::{Record, Solve};
use crate::study::{Entrant, Parameters, Problems, Scope, Target};
use crate::{LabError, Silent};

/// Inner iterations of a step of the published Newton's method \[Andersen2017b, sec. 6\].
const PUBLISHED_INNER: usize = 1000;

pub fn measurements(experiment: &Problems, scope: Scope) -> Vec<Measurement> {
    let effort = experiment.efforts.of(scope);
    let mut measurements = Vec::new();
    for (scene, size) in grids(&experiment.scenes, effort) {
        for frame in effort.frames_of(size) {
            for entrant in experiment.entrants.iter().filter(|entrant| size <= entrant.finest) {
                let key = key(experiment, scene, size, frame, entrant);
                measurements.push(Measurement::new(scene, size, frame, [&entrant.row, &entrant.column], key));
            }
        }
    }
    measurements
}

pub fn check(experiment: &Problems, scope: Scope, backend: Backend) -> Result<(), LabError> {
    let mut placed = Vec::new();
    for entrant in &experiment.entrants {
        placed.push(place(entrant, backend)?);
    }
    if let (Some(Err(error)), true) = (placed.first(), placed.iter().all(Result::is_err)) {
        return Err(LabError::Gpu(error.clone()));
    }
    grids(&experiment.scenes, experiment.efforts.of(scope))
        .try_for_each(|(scene, size)| scene_of(experiment, scene, size).map(drop))
}

pub fn measure(experiment: &Problems, scope: Scope, session: &mut Session) -> Result<(), LabError> {
    let pool = machine::thread_pool(u16::try_from(rayon::current_num_threads()).unwrap_or(u16::MAX))?;
    let effort = experiment.efforts.of(scope);
    let backend = session.store.provenance().backend();
    let mut placed = Vec::new();
    for entrant in &experiment.entrants {
        match place(entrant, backend)? {
            Ok(on) => placed.push((entrant, on)),
            Err(reason) => session.progress.warn(&format!("{} on gpu is left out: {reason}", entrant.column)),
        }
    }
    for (scene, size) in grids(&experiment.scenes, effort) {
        let entrants = || placed.iter().filter(|(entrant, _)| size <= entrant.finest);
        let is_whole =
            |frame| entrants().all(|(entrant, _)| session.has(&key(experiment, scene, size, frame, entrant)));
        let frames: Vec<_> = effort.frames_of(size).filter(|&frame| !is_whole(frame)).collect();
        if frames.is_empty() {
            continue;
        }
        session.say(format!("simulating {scene}, {size}"));
        let on_grid = Box::new(scene_of(experiment, scene, size)?);
        let source = Source::Scene { name: scene.into(), scene: on_grid, frames };
        source.visit(&pool, &Silent, &mut |captured| -> Result<(), LabError> {
            let frame = captured.frame.unwrap_or(0);
            for (entrant, on) in entrants() {
                let key = key(experiment, scene, size, frame, entrant);
                if !session.has(&key) {
                    session.say(format!("{scene}, {size}, frame {frame}: {}", entrant.solver));
                    let record = solve(experiment, entrant, *on, &captured)?;
                    session.keep(key, Record::Solve(record))?;
                }
            }
            session.say(format!("simulating {scene}, {size}"));
            Ok(())
        })?;
    }
    Ok(())
}

/// The scene that gives the problems.
fn scene_of(experiment: &Problems, name: &str, size: usize) -> Result<AnyScene, LabError> {
    scene_with(name, size, [SIMULATED_WITH].into_iter().chain(experiment.sets.iter().map(String::as_str)))
}

fn key(experiment: &Problems, scene: &str, size: usize, frame: usize, entrant: &Entrant) -> String {
    let Entrant { solver, parameters, start, .. } = entrant;
    let (target, repetitions) = (experiment.target, experiment.repetitions);
    let sets: String = experiment.sets.iter().map(|set| format!(" {set}")).collect();
    format!("problem {scene} {size} frame {frame} {solver} {parameters} {start} {target:?} x{repetitions}{sets}")
}

/// The solver of an entrant, with its parameters in the name, for a problem of unit weight.
fn solver(entrant: &Entrant) -> Result<SolverName, LabError> {
    solver_for(entrant, 1.0)
}

/// The same for problems on which q is so many times a pressure in the units of the thesis, divided by the density.
fn solver_for(entrant: &Entrant, weight: f64) -> Result<SolverName, LabError> {
    let mut params = NewtonParams::published();
    match entrant.parameters {
        Parameters::Default => return Ok(entrant.solver.parse()?),
        Parameters::ThesisUnits(density) => {
            let literal = format!("fas-literal:weight={:e}", density * weight);
            return Ok(entrant.solver.replacen("fas-literal", &literal, 1).parse()?);
        }
        Parameters::PublishedNewton => {}
        Parameters::InexactNewton(inexactness) => params.inexactness = inexactness,
    }
    let published = format!("newton{}+cg:max_iterations={PUBLISHED_INNER}", params.suffix());
    Ok(entrant.solver.replacen("newton+cg", &published, 1).parse()?)
}

/// Where an entrant runs.
fn place(entrant: &Entrant, backend: Backend) -> Result<Result<Placed, GpuError>, LabError> {
    Ok(Placed::place(PressureMethod::Solver(solver(entrant)?), backend))
}

/// Solves several times. The report is that of the first solve; times are medians and do not include transfers to a
/// device.
fn solve(experiment: &Problems, entrant: &Entrant, on: Placed, captured: &CapturedProblem) -> Result<Solve, LabError> {
    let problem = captured.problem.mlcp();
    let mut start = match (&captured.step, captured.problem.start()) {
        (Some(step), Some(before)) if entrant.start == Start::Given => {
            previous_control(problem.lower(), &step.had_let_go, before)
        }
        _ => vec![0.0; problem.size()],
    };
    entrant.start.prepare(problem, &mut start).map_err(LabError::Prepare)?;
    let spacing = captured.problem.grid().map_or(1.0, |grid| grid.spacing);
    let seconds = captured.step.as_ref().map_or(1.0, |step| step.seconds);
    let tolerance = match experiment.target {
        Target::Relative(part) => Tolerance::Relative(part),
        Target::PerSecond(divergence) => Tolerance::Absolute(divergence * spacing),
    };
    let mut stop = Stop::from(tolerance);
    let has_own_tests = matches!(entrant.parameters, Parameters::PublishedNewton | Parameters::InexactNewton(_));
    if has_own_tests {
        // The residual decides, as everywhere; the published tests may stop earlier.
        stop = stop.with_max_cycles(PUBLISHED_STEPS);
    }
    let name = solver_for(entrant, spacing * spacing / seconds)?;
    let on = on.on(problem);
    let (mut accounts, mut setups, mut solves) = (Vec::new(), Vec::new(), Vec::new());
    let mut worker = match PreparedSolver::new(on, &stop, problem, &start) {
        Ok(worker) => worker,
        Err(error) => return Ok(failed(&error, problem)),
    };
    for _ in 0..experiment.repetitions.max(1) {
        let mut x = start.clone();
        let solved = match &mut worker {
            PreparedSolver::Processor(_) => name.build(&stop).solve(problem, &mut x),
            worker => worker.solve(&stop, problem, None, &mut x),
        };
        match solved {
            Ok(report) => {
                let times = worker.times().map(|times| [times.setup, times.solve]);
                let [setup, solve] = times.unwrap_or([report.setup_time(), report.solve_time()]);
                setups.push(setup.as_secs_f64());
                solves.push(solve.as_secs_f64());
                accounts.push(report);
            }
            Err(error) => return Ok(failed(&error, problem)),
        }
    }
    let first = &accounts[0];
    // The published Newton's method has stopping tests of its own, and they decide.
    let own_test = first.remark().filter(|remark| has_own_tests && remark.ends_with("threshold"));
    Ok(Solve {
        outcome: own_test.map_or_else(|| first.outcome().to_string(), String::from),
        converged: first.converged() || own_test.is_some(),
        unknowns: problem.size(),
        wall_rows: problem.wall_rows(),
        reference: first.reference(),
        history: first.history().to_vec(),
        work: first.work().to_vec(),
        setup: median(&setups),
        solve: median(&solves),
        is_on_gpu: on.backend() == "gpu",
    })
}

/// The pressure of the step before, with the control of that step: rows stand on their bound where the wall had let go. All others
/// stand above it, and cells that were air by the least number.
fn previous_control(lower: &[f64], had_let_go: &[bool], before: &[f64]) -> Vec<f64> {
    let rows = lower.iter().zip(had_let_go).zip(before);
    let start = rows.map(|((&lower, &had_let_go), &before)| match lower.is_finite() {
        true if had_let_go => lower,
        true => before.max(lower.next_up()),
        false => before,
    });
    start.collect()
}

fn failed(error: &SolveError, problem: &Mlcp) -> Solve {
    Solve {
        outcome: format!("failed: {error}"),
        unknowns: problem.size(),
        wall_rows: problem.wall_rows(),
        reference: problem.residual_at_zero(),
        ..Solve::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_of_the_step_before_is_seen_from_where_rows_stand() {
        let (lower, none) = ([0.0, 0.0, 0.0, -2.0], f64::NEG_INFINITY);
        let lower = [&lower[..], &[none]].concat();
        let start = previous_control(&lower, &[true, false, false, false, true], &[3.0, 3.0, 0.0, -2.0, -1.0]);
        assert_eq!((start[0], start[1], start[4]), (0.0, 3.0, -1.0));
        assert!(start[2] > 0.0 && start[2] < 1e-300, "a cell that was air is above its bound: {}", start[2]);
        assert!(start[3] > -2.0 && start[3] < -1.9999, "so it is where walls pull: {}", start[3]);
    }
}
