//! Liquids that many ranks share as a physics to run.
//!
//! The first rank runs the session: it decides, writes and draws. Whatever its simulation is asked for, it tells the
//! others, which [follow](follow): they take the same steps with their parts, and send what there is to see.

use std::fmt;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use unstick_gpu::{Backend, Placement};
use unstick_liquid::{LiquidState, SharedSimulation, StepError};
use unstick_mlcp::ranks::{Message, Ranks, Reductions};

use super::RunError;
use super::liquid::{columns, record_of};
use super::stepper::{AnyRunScene, Physics, RunScene, StateError, StepBound, StepRecord, Stepper, Value, read_state};
use crate::dimension::PlaneOrSpace;
use crate::either;
use crate::file::{SceneError, SceneFile};
use crate::frame::Frame;
use crate::scene::{AnyScene, Scene};

/// The ranks that share a run. All but the first [follow].
#[derive(Clone)]
pub struct SharedBy(pub Arc<dyn Ranks>);

impl fmt::Debug for SharedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBy({} ranks)", self.0.count())
    }
}

/// What the first rank tells the others to do.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    /// There is nothing more to do.
    Leave,
    /// Make the simulation of a scene at its beginning.
    Begin,
    /// Make it at a state that the first rank has.
    Resume,
    /// The simulation has ended.
    Drop,
    /// Take a step of some length.
    Advance(f64),
    /// Say whether the state can be stored.
    Check,
    /// Send what there is to see.
    View,
    /// Send the state.
    Gather,
    /// Count particles and measure volumes.
    Measure,
}

impl Order {
    fn words(self) -> [i64; 2] {
        match self {
            Self::Leave => [0, 0],
            Self::Begin => [1, 0],
            Self::Resume => [2, 0],
            Self::Drop => [3, 0],
            Self::Advance(length) => [4, length.to_bits() as i64],
            Self::Check => [5, 0],
            Self::View => [6, 0],
            Self::Gather => [7, 0],
            Self::Measure => [8, 0],
        }
    }

    fn of(words: [i64; 2]) -> Self {
        match words {
            [1, _] => Self::Begin,
            [2, _] => Self::Resume,
            [3, _] => Self::Drop,
            [4, bits] => Self::Advance(f64::from_bits(bits as u64)),
            [5, _] => Self::Check,
            [6, _] => Self::View,
            [7, _] => Self::Gather,
            [8, _] => Self::Measure,
            _ => Self::Leave,
        }
    }

    /// Tells it to all others.
    fn tell(self, ranks: &dyn Ranks) {
        ranks.sum(&mut self.words());
    }

    /// Hears what the first rank tells.
    fn hear(ranks: &dyn Ranks) -> Self {
        let mut words = [0; 2];
        ranks.sum(&mut words);
        Self::of(words)
    }
}

/// Tells the other ranks that the run is over.
pub fn dismiss(ranks: &dyn Ranks) {
    Order::Leave.tell(ranks);
}

/// Follows the first rank until it [dismisses](dismiss) all. An error is one that the first rank does not know of.
pub fn follow(ranks: &Arc<dyn Ranks>) -> Result<(), RunError> {
    loop {
        match Order::hear(&**ranks) {
            order @ (Order::Begin | Order::Resume) => {
                let scene = hear_scene(&**ranks)?;
                either!(&scene, scene => follow_in(scene, order, ranks));
            }
            _ => return Ok(()),
        }
    }
}

/// Follows through one simulation. Where the scene is refused or a step fails, the first rank knows as much.
fn follow_in<const D: usize>(scene: &Scene<D>, order: Order, ranks: &Arc<dyn Ranks>) {
    let (setup, ranks) = (scene.setup.clone(), ranks.clone());
    let made = match order {
        Order::Begin => SharedSimulation::new(setup, &scene.liquids, ranks.clone()),
        _ => SharedSimulation::resume(setup, None, ranks.clone()),
    };
    let Ok(mut simulation) = made else { return };
    loop {
        match Order::hear(&*ranks) {
            Order::Advance(length) => _ = with_reason(&*ranks, simulation.advance(length)),
            Order::Check => _ = with_reason(&*ranks, simulation.check_state()),
            Order::View => _ = simulation.view(),
            Order::Gather => _ = simulation.gather(),
            Order::Measure => _ = measure(&simulation),
            Order::Begin | Order::Resume | Order::Drop | Order::Leave => return,
        }
    }
}

/// An error with the word of the rank that knows why, on the first rank. All ranks have an error, or none has.
fn with_reason<T>(ranks: &dyn Ranks, result: Result<T, StepError>) -> Result<T, RunError> {
    let error = match result {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let own = if let StepError::OtherRank { .. } = error { String::new() } else { error.to_string() };
    let words = ranks.gather(own.as_bytes(), None);
    let of_other = words.iter().position(|word| !word.is_empty()).filter(|_| own.is_empty());
    Err(match of_other {
        Some(rank) => RunError::Rank { rank, reason: String::from_utf8_lossy(&words[rank]).into_owned() },
        None => error.into(),
    })
}

/// Particles, volume, and volume inside of the surface.
fn measure<const D: usize>(simulation: &SharedSimulation<D>) -> (usize, f64, f64) {
    (simulation.particles(), simulation.volume(), simulation.surface_volume())
}

/// Tells the scene to all others: its name, where its meshes are, and its text.
fn tell_scene(ranks: &dyn Ranks, texts: &[String; 3]) {
    ranks.sum(&mut texts.each_ref().map(|text| text.len() as i64));
    let bytes = texts.concat().into_bytes();
    let others = 1..ranks.count();
    ranks.exchange(&mut others.map(|rank| Message::to(rank, &bytes)).collect::<Vec<_>>());
}

fn hear_scene(ranks: &dyn Ranks) -> Result<AnyScene, SceneError> {
    let mut lengths = [0; 3];
    ranks.sum(&mut lengths);
    let mut bytes = vec![0u8; lengths.iter().sum::<i64>() as usize];
    ranks.exchange(&mut [Message::from(0, &mut bytes)]);
    let text = String::from_utf8_lossy(&bytes);
    let (name, rest) = text.split_at(lengths[0] as usize);
    let (folder, toml) = rest.split_at(lengths[1] as usize);
    SceneFile::parse(name, "the scene of the first rank", toml, Path::new(folder))?.scene()
}

/// A scene that many ranks share.
struct SharedScene<const D: usize> {
    scene: Scene<D>,
    ranks: Arc<dyn Ranks>,
    /// Name, folder and text of the scene file.
    texts: [String; 3],
}

impl AnyRunScene {
    /// The scene of a file for ranks that share it; refused where that is not possible. The first rank alone asks for it.
    pub fn shared(file: &SceneFile, by: &SharedBy) -> Result<Self, SceneError> {
        let refuse = |what: &str| {
            let message = format!("{what} cannot be shared by many ranks yet");
            Err(SceneError::anywhere(message).with_help(Some("`unstick run` runs it on one machine".into())))
        };
        if file.is_viscous() {
            return refuse("a viscous flow");
        }
        let scene = file.scene()?;
        let (bodies, backend) = either!(&scene, scene => (scene.bodies.len(), scene.backing.backend));
        if bodies > 0 {
            return refuse("a scene with bodies");
        }
        if backend == Backend::Gpu {
            return refuse("a GPU");
        }
        let texts = [file.name().into(), file.folder().display().to_string(), file.to_toml()];
        let ranks = by.0.clone();
        Ok(match scene {
            PlaneOrSpace::Plane(scene) => Self::Plane(SharedScene { scene, ranks, texts }.into()),
            PlaneOrSpace::Space(scene) => Self::Space(SharedScene { scene, ranks, texts }.into()),
        })
    }
}

impl<const D: usize> From<SharedScene<D>> for RunScene<D> {
    fn from(shared: SharedScene<D>) -> Self {
        let alone: Self = shared.scene.clone().into();
        Self { physics: Arc::new(shared), ..alone }
    }
}

impl<const D: usize> SharedScene<D> {
    /// The simulation as the first rank sees it.
    fn lead(&self, order: Order, state: Option<LiquidState<D>>) -> Result<Box<dyn Stepper<D>>, SceneError> {
        order.tell(&*self.ranks);
        tell_scene(&*self.ranks, &self.texts);
        let (setup, ranks) = (self.scene.setup.clone(), self.ranks.clone());
        let simulation = match order {
            Order::Begin => SharedSimulation::new(setup, &self.scene.liquids, ranks),
            _ => SharedSimulation::resume(setup, state, ranks),
        };
        let simulation = simulation.map_err(|error| self.scene.refuse(&error))?;
        Ok(Box::new(Lead { simulation, ranks: self.ranks.clone() }))
    }
}

impl<const D: usize> Physics<D> for SharedScene<D> {
    fn begin(&self) -> Result<Box<dyn Stepper<D>>, SceneError> {
        self.lead(Order::Begin, None)
    }

    fn resume(&self, state: &mut dyn Read) -> Result<Box<dyn Stepper<D>>, StateError> {
        let state = read_state(state, |data| LiquidState::restore(&self.scene.setup.grid, data))?;
        Ok(self.lead(Order::Resume, Some(state))?)
    }

    fn placement(&self) -> Result<Placement, SceneError> {
        Ok(Placement::Cpu(None))
    }

    /// The ranks may have a machine each.
    fn check_memory(&self, available: u64) -> Result<(), SceneError> {
        self.scene.check_memory(available.saturating_mul(self.ranks.count() as u64))
    }
}

/// The simulation as the first rank sees it: whatever is asked of it, all ranks do.
struct Lead<const D: usize> {
    simulation: SharedSimulation<D>,
    ranks: Arc<dyn Ranks>,
}

impl<const D: usize> Drop for Lead<D> {
    fn drop(&mut self) {
        // A rank that fails ends all of them, without a word more between them.
        if !std::thread::panicking() {
            Order::Drop.tell(&*self.ranks);
        }
    }
}

impl<const D: usize> Stepper<D> for Lead<D> {
    fn time(&self) -> f64 {
        self.simulation.time()
    }

    fn step(&self) -> u64 {
        self.simulation.step()
    }

    fn next_step(&self, time: f64) -> Option<f64> {
        self.simulation.next_step(time)
    }

    fn bound(&self) -> StepBound {
        let setup = self.simulation.setup();
        StepBound { speed: self.simulation.fastest(), cell: setup.grid.spacing(), cfl: setup.cfl }
    }

    fn advance(&mut self, length: f64) -> Result<StepRecord, RunError> {
        Order::Advance(length).tell(&*self.ranks);
        let report = with_reason(&*self.ranks, self.simulation.advance(length))?;
        Ok(record_of(report, self.simulation.step()))
    }

    fn check_state(&self) -> Result<(), RunError> {
        Order::Check.tell(&*self.ranks);
        with_reason(&*self.ranks, self.simulation.check_state())
    }

    fn frame(&self, number: usize) -> Frame<D> {
        Order::View.tell(&*self.ranks);
        let view = self.simulation.view().expect("the first rank has the whole");
        Frame::of_ranks(view, self.simulation.setup(), number)
    }

    fn store(&self, to: &mut dyn Write) -> Result<(), StateError> {
        Order::Gather.tell(&*self.ranks);
        let state = self.simulation.gather().expect("the first rank has the whole");
        Ok(postcard::to_io(&state.to_data(), to).map(drop)?)
    }

    fn columns(&self) -> Vec<String> {
        columns()
    }

    fn summary(&self) -> Vec<(&'static str, Value)> {
        Order::Measure.tell(&*self.ranks);
        let (particles, volume, surface_volume) = measure(&self.simulation);
        vec![
            ("step", Value::Count(self.simulation.step())),
            ("time", Value::Number(self.simulation.time())),
            ("particles", Value::Count(particles as u64)),
            ("volume", Value::Number(volume)),
            ("surface_volume", Value::Number(surface_volume)),
        ]
    }

    fn body_columns(&self) -> String {
        String::new()
    }

    fn write_bodies(&self, _: &mut String) {}
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use unstick_mlcp::ranks::team;

    use super::super::{RunFolder, RunRequest, Session};
    use super::*;

    const SCENE: &str = "[grid]\ncells = [24, 32]\n[time]\nframes = 6\nframe = 0.02\n[output]\nframes = false\n\
        movie = false\ncheckpoint_every = 2\n[[output.particles]]\nformat = \"vtp\"\n[[liquid]]\n\
        shape = { cuboid = { lower = [0.0, 0.0], upper = [0.5, 0.8] } }\n";

    fn request(folder: &Path, frames: usize, resume: bool, by: Option<Arc<dyn Ranks>>) -> RunRequest {
        let mut file = SceneFile::parse("dam", "dam.toml", SCENE, Path::new(".")).unwrap();
        file.set(&format!("time.frames={frames}")).unwrap();
        let folder = Some(RunFolder::new(folder));
        RunRequest { folder, resume, shared_by: by.map(SharedBy), ..RunRequest::new(file) }
    }

    /// Runs up to a frame on some ranks, and alone on none.
    fn run(folder: &Path, frames: usize, resume: bool, ranks: usize) {
        let session = |by| {
            let stop: Arc<AtomicBool> = Arc::default();
            let mut session = Session::open(request(folder, frames, resume, by), stop.clone()).unwrap();
            session.run(&stop, |_, _| ()).unwrap();
            assert!(session.finish().unwrap().is_some() && session.is_finished());
        };
        if ranks == 0 {
            return session(None);
        }
        team(ranks, 1, |ranks| {
            if ranks.rank() > 0 {
                return follow(&ranks).unwrap();
            }
            session(Some(ranks.clone()));
            dismiss(&*ranks);
        });
    }

    /// `stats.csv` without the times.
    fn stats(folder: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(folder.join("stats.csv")).unwrap();
        let columns: Vec<bool> =
            text.lines().next().unwrap().split(',').map(|name| !name.starts_with("seconds")).collect();
        let kept = |line: &str| {
            line.split(',')
                .zip(&columns)
                .filter(|(_, kept)| **kept)
                .map(|(value, _)| value)
                .collect::<Vec<_>>()
                .join(",")
        };
        text.lines().map(kept).collect()
    }

    #[test]
    fn a_run_that_ranks_share_writes_what_one_process_writes_and_goes_on_with_any_number() {
        let root = tempfile::tempdir().unwrap();
        let [alone, shared, mixed] = ["alone", "shared", "mixed"].map(|name| root.path().join(name));
        run(&alone, 6, false, 0);
        run(&shared, 6, false, 3);
        run(&mixed, 2, false, 2);
        run(&mixed, 4, true, 4);
        run(&mixed, 6, true, 0);
        for folder in [&shared, &mixed] {
            assert_eq!(stats(&alone), stats(folder), "{}", folder.display());
            let state = |folder: &Path| {
                let mut files: Vec<_> =
                    std::fs::read_dir(folder.join("checkpoint")).unwrap().map(|entry| entry.unwrap().path()).collect();
                files.sort();
                std::fs::read(files.last().unwrap()).unwrap()
            };
            assert_eq!(state(&alone), state(folder));
        }
    }

    #[test]
    fn what_cannot_be_shared_is_refused_before_anything_is_written() {
        let root = tempfile::tempdir().unwrap();
        let refused = |setting: &str| {
            let folder = root.path().join("run");
            let said = team(2, 1, |ranks| {
                if ranks.rank() > 0 {
                    follow(&ranks).unwrap();
                    return String::new();
                }
                let mut request = request(&folder, 2, false, Some(ranks.clone()));
                request.file.set(setting).unwrap();
                let said =
                    Session::open(request, Arc::default()).err().map_or_else(String::new, |error| error.to_string());
                dismiss(&*ranks);
                said
            });
            assert!(!folder.exists());
            said[0].clone()
        };
        for (setting, word) in [
            ("air=\"enclosed\"", "enclosed air"),
            ("viscosity=0.1", "viscosity"),
            ("pressure.solver=\"policy\"", "best"),
        ] {
            let said = refused(setting);
            assert!(said.contains(word) && said.contains("shared"), "{setting}: {said}");
        }
    }
}
