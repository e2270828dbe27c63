//! One scene with random values, simulated for a while.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Instant;

use unstick::grid::Random;
use unstick::liquid::{Gravity, Simulation, Wall};
use unstick::mlcp::fields::RowSolver;
use unstick::mlcp::{PressureMethod, interruptible, witnessed};
use unstick::scene::run::{AnyRunScene, Progress, Run, RunError};
use unstick::scene::{Scene, SceneFile, catalogue, either};

use super::audit::{Audited, Auditor, Findings};
use crate::source::resized;
use crate::{LabError, machine};

/// Volume per particle may differ from that of the first step by this part, and energy exceed it by as much.
pub const TOLERANCE: f64 = 0.01;

/// Solvers of complementarity problems that take part.
const SOLVERS: [&str; 8] = ["best", "best", "best", "policy", "newton", "penalty", "mprgp", "fas"];

const TRANSPORTS: [&str; 3] = ["flip", "apic", "semi-lagrangian"];

/// A scene and the values that are set. Seed and number lead to the same trial again.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Its place in the sequence of a seed.
    pub number: usize,
    /// A scene of the catalogue.
    pub scene: &'static str,
    /// Cells along the longest axis.
    pub size: usize,
    /// The kind of all walls; none for viscous flows.
    pub walls: Option<Wall>,
    /// `key=value`.
    pub settings: Vec<String>,
}

/// What became of a trial.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// Steps that were taken.
    pub steps: usize,
    /// Steps that say that a solve fell short.
    pub unconverged_steps: usize,
    /// What the audit found.
    pub findings: Findings,
    /// Whether all frames are there.
    pub is_complete: bool,
    /// Largest part by which the volume per particle differed from the first.
    pub volume: f64,
    /// Largest part by which the energy exceeded the first; none where it may grow.
    pub energy: Option<f64>,
    /// What must not be.
    pub failures: Vec<String>,
}

impl Trial {
    /// The trial of a number: all scenes in turn, then with other walls, then with another transport, and so on.
    pub fn of(seed: u64, number: usize) -> Self {
        let scenes: Vec<&'static str> = catalogue::names().collect();
        let (scene, round) = (scenes[number % scenes.len()], number / scenes.len());
        let mut random = Random::new(seed ^ (number as u64) << 20);
        if let Some(entry) = catalogue::VISCOUS.iter().find(|entry| entry.name == scene) {
            let (key, own) = own_viscosity(entry.text);
            let viscosity = own * 10f64.powf(random.between(-2.0, 2.0));
            let settings = vec![format!("flow.{key}={viscosity:e}"), "flow.on_unconverged=accept".into()];
            return Self { number, scene, size: 0, walls: None, settings };
        }
        let is_plane = SceneFile::find(scene).and_then(|file| file.scene()).is_ok_and(|scene| scene.dimension() == 2);
        let size = if is_plane { 64 + random.index(65) } else { 48 + random.index(17) };
        let walls = Some([Wall::Separating, Wall::Sealed][round % 2]);
        let transport = TRANSPORTS[round / 2 % 3];
        let mut settings = vec![
            format!("transport.kind={transport}"),
            format!("density={:e}", 10f64.powf(random.between(1.0, 4.0))),
            format!("time.cfl={:.3}", random.between(0.5, 4.0)),
            format!("pressure.solver={}", SOLVERS[random.index(SOLVERS.len())]),
            format!("pressure.tolerance={:e}", 10f64.powf(random.between(-8.0, -4.0))),
            "pressure.on_unconverged=accept".into(),
            format!("seed={}", random.index(1 << 30)),
        ];
        if transport == "flip" {
            settings.push(format!("transport.pic={:.4}", random.unit()));
        }
        if random.chance(0.25) {
            settings.push(format!("walls.control={:.3}", random.between(0.0, 0.5)));
        }
        Self { number, scene, size, walls, settings }
    }

    /// Simulates some frames, or as many steps as fit before the deadline. A panic is a failure too.
    pub fn run(&self, frames: usize, deadline: Option<Instant>) -> Account {
        let account = Arc::new(Mutex::new(Account::default()));
        let inner = account.clone();
        let outcome = std::panic::catch_unwind(move || {
            let mut account = inner.lock().unwrap_or_else(PoisonError::into_inner);
            let (alarm, auditor) = (Alarm::at(deadline), Auditor::default());
            let limit = Limit { frames, stop: &alarm.flag };
            let simulate = || match self.walls {
                Some(_) => self.simulate(limit, &auditor, &mut account),
                None => self.simulate_viscous(limit, &mut account),
            };
            let result = interruptible(&alarm.flag, || witnessed(Arc::new(auditor.clone()), simulate));
            match result {
                Ok(is_complete) => account.is_complete = is_complete,
                Err(_) if alarm.flag.load(Ordering::Relaxed) => {} // of a step that was interrupted
                Err(error) => account.failures.push(error.to_string()),
            }
            account.findings = auditor.findings();
            let Account { findings, failures, .. } = &mut *account;
            for (kind, finding) in findings.iter().filter(|(_, finding)| finding.false_claims > 0) {
                let (count, worst) = (finding.false_claims, finding.worst);
                failures.push(format!("{kind}: {count} false claims, the worst of {worst:.3e} times its target"));
            }
        });
        let mut account = account.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Err(panic) = outcome {
            let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            account.failures.push(format!("panic: {}", words.unwrap_or("without words")));
        }
        account
    }

    fn file(&self) -> Result<SceneFile, LabError> {
        let mut file = SceneFile::find(self.scene)?;
        self.settings.iter().try_for_each(|setting| file.set(setting))?;
        Ok(file)
    }

    /// Returns whether all frames are there.
    fn simulate(&self, limit: Limit, auditor: &Auditor, account: &mut Account) -> Result<bool, LabError> {
        let scene = resized(&self.file()?, self.size)?;
        if let Some(memory) = machine::Memory::of_this_machine() {
            scene.check_memory(memory.available_bytes)?;
        }
        either!(scene, scene => liquid(&scene.with_walls(self.walls), limit, auditor, account))
    }

    /// Returns whether all frames are there.
    fn simulate_viscous(&self, limit: Limit, account: &mut Account) -> Result<bool, LabError> {
        either!(AnyRunScene::of(&self.file()?, None)?, scene => {
            let mut run = Run::begin(scene)?;
            for _ in 0..limit.frames {
                let progress = run.advance(limit.stop);
                account.steps += run.steps().len();
                account.unconverged_steps += run.steps().iter().filter(|step| !step.converged).count();
                let progress = progress?;
                let frame = run.frame();
                if !frame.velocity.iter().flat_map(|field| field.values()).all(|value| value.is_finite()) {
                    account.failures.push(format!("a velocity is no number at {} s", frame.time));
                    return Ok(false);
                }
                if progress == Progress::Interrupted {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }
}

/// What a scene says of its viscosity: the key and the number, that of a light oil if it has a law.
fn own_viscosity(text: &str) -> (&'static str, f64) {
    let number = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = ")?.parse().ok());
    match number("dynamic_viscosity") {
        Some(number) => ("dynamic_viscosity", number),
        None => ("viscosity", number("viscosity").unwrap_or(1e-4)),
    }
}

/// When a trial ends.
#[derive(Clone, Copy)]
struct Limit<'a> {
    frames: usize,
    /// Raised when the time is over. The step is finished.
    stop: &'a AtomicBool,
}

/// A flag that is raised at a time, unless the alarm is dropped before.
struct Alarm {
    flag: Arc<AtomicBool>,
    _dropped: mpsc::Sender<()>,
}

impl Alarm {
    fn at(deadline: Option<Instant>) -> Self {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let flag = Arc::new(AtomicBool::new(left.is_some_and(|left| left.is_zero())));
        let (_dropped, dropped) = mpsc::channel::<()>();
        if let Some(left) = left.filter(|left| !left.is_zero()) {
            let raised = flag.clone();
            std::thread::spawn(move || {
                if dropped.recv_timeout(left) == Err(mpsc::RecvTimeoutError::Timeout) {
                    raised.store(true, Ordering::Relaxed);
                }
            });
        }
        Self { flag, _dropped }
    }
}

fn liquid<const D: usize>(
    scene: &Scene<D>,
    limit: Limit,
    auditor: &Auditor,
    account: &mut Account,
) -> Result<bool, LabError> {
    let mut simulation = scene.simulation()?;
    if let PressureMethod::Solver(name) = scene.setup.pressure.solver {
        let solver = RowSolver::new(name.build(&scene.setup.pressure.stop()));
        simulation.solve_on(Box::new(Audited::new(Box::new(solver), auditor.clone())));
    }
    let is_complete = advance(scene, &mut simulation, limit, account)?;
    if account.volume > TOLERANCE {
        account.failures.push(format!("the volume differs by {:.2} %", 100.0 * account.volume));
    }
    if let Some(excess) = account.energy.filter(|&excess| excess > TOLERANCE) {
        account.failures.push(format!("the energy is {:.2} % above what there was", 100.0 * excess));
    }
    Ok(is_complete)
}

fn advance<const D: usize>(
    scene: &Scene<D>,
    simulation: &mut Simulation<D>,
    limit: Limit,
    account: &mut Account,
) -> Result<bool, LabError> {
    // Sources, moving walls, bodies, other gravity and a driven wall do work.
    let is_left_alone = scene.setup.emitters.is_empty()
        && !scene.setup.has_motion()
        && scene.bodies.is_empty()
        && scene.setup.uniform_control() == Some(0.0)
        && matches!(scene.setup.gravity, Gravity::Constant(_));
    let mut first: Option<(f64, f64)> = None;
    for frame in 1..=limit.frames {
        while let Some(dt) = simulation.next_step(frame as f64 * scene.frame) {
            if limit.stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let step = simulation.advance(dt).map_err(RunError::from)?;
            account.steps += 1;
            account.unconverged_steps += usize::from(!step.converged);
            let volume = step.volume / step.particles as f64;
            let (energy, size) =
                (step.kinetic_energy + step.potential_energy, step.kinetic_energy.abs() + step.potential_energy.abs());
            if ![volume, energy, step.divergence].iter().all(|value| value.is_finite()) {
                account.failures.push(format!("volume, energy or divergence is no number at {} s", step.time));
                return Ok(false);
            }
            let (first_volume, first_energy) = *first.get_or_insert((volume, energy));
            account.volume = account.volume.max((volume / first_volume - 1.0).abs());
            if is_left_alone {
                let excess = (energy - first_energy) / size.max(f64::MIN_POSITIVE);
                account.energy = Some(account.energy.unwrap_or(f64::NEG_INFINITY).max(excess));
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soak::audit::{DENSITY, PRESSURE, WITH_BODIES};

    #[test]
    fn trials_cover_all_scenes_walls_and_transports_and_repeat() {
        let scenes = catalogue::names().count();
        let trials: Vec<Trial> = (0..6 * scenes).map(|number| Trial::of(7, number)).collect();
        for scene in catalogue::ALL {
            let mut kinds: Vec<_> = trials
                .iter()
                .filter(|trial| trial.scene == scene.name)
                .map(|trial| format!("{:?} {}", trial.walls, trial.settings[0]))
                .collect();
            kinds.sort();
            kinds.dedup();
            assert_eq!(kinds.len(), 6, "{}", scene.name);
        }
        assert_eq!(Trial::of(7, 40), trials[40]);
        assert_ne!(Trial::of(8, 40).settings, trials[40].settings);
    }

    #[test]
    fn a_trial_audits_the_solves_of_every_step() {
        let trial = Trial { size: 24, ..Trial::of(1, 0) };
        let account = trial.run(2, None);
        assert!(account.is_complete && account.steps >= 2 && account.failures.is_empty(), "{account:?}");
        for kind in [PRESSURE, DENSITY] {
            assert_eq!(account.findings[kind].solves, account.steps, "{kind}: {account:?}");
        }
    }

    /// The first trial of a scene.
    fn trial_of(scene: &str) -> Trial {
        (0..).map(|number| Trial::of(1, number)).find(|trial| trial.scene == scene).unwrap()
    }

    #[test]
    fn bodies_and_viscous_flows_are_audited_too() {
        let mut afloat = trial_of("float");
        afloat.settings.push("pressure.solver=best".into());
        let account = Trial { size: 24, ..afloat }.run(2, None);
        assert!(account.failures.is_empty() && account.findings[WITH_BODIES].solves >= account.steps, "{account:?}");
        let mut settling = trial_of("settling-disk");
        settling.settings.push("grid.refine=0.34".into());
        let account = settling.run(1, None);
        let (viscosity, pressure) = (account.findings["viscosity"], account.findings["flow pressure"]);
        assert!(account.failures.is_empty() && account.is_complete, "{account:?}");
        assert!(viscosity.solves >= account.steps && pressure.solves >= account.steps, "{account:?}");
    }

    #[test]
    fn a_trial_ends_within_a_frame_when_its_time_is_over() {
        for scene in ["dam-break", "settling-disk"] {
            let account = trial_of(scene).run(usize::MAX, Some(Instant::now()));
            assert!(!account.is_complete && account.steps == 0 && account.failures.is_empty(), "{account:?}");
        }
    }

    #[test]
    fn every_trial_is_a_scene_that_is_accepted() {
        for number in 0..6 * catalogue::names().count() {
            let trial = Trial::of(5, number);
            let file = trial.file().unwrap();
            assert!(AnyRunScene::of(&file, trial.walls).is_ok(), "{trial:?}");
        }
    }

    #[test]
    fn a_scene_that_cannot_be_run_is_a_failure_and_no_end() {
        let trial = Trial { settings: vec!["density=-1".into()], ..Trial::of(1, 0) };
        assert_eq!(trial.run(1, None).failures.len(), 1);
    }
}
