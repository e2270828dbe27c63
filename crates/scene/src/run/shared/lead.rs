//! A simulation that many ranks share, as the first of them sees it.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use unstick_gpu::{Backend, Placement};
use unstick_liquid::{LiquidState, SharedSimulation};
use unstick_mlcp::ranks::Ranks;

use super::SharedBy;
use super::order::{Order, tell_texts};
use super::together::{measure, resume_parts, store_part, store_piece, with_reason};
use crate::dimension::PlaneOrSpace;
use crate::either;
use crate::file::{SceneError, SceneFile};
use crate::frame::Frame;
use crate::run::RunError;
use crate::run::liquid::{columns, record_of};
use crate::run::parts::Parts;
use crate::run::stepper::{
    AnyRunScene, Physics, RunScene, StateError, StepBound, StepRecord, Stepper, Value, read_state,
};
use crate::scene::Scene;
use crate::sink::PieceContent;

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
        Self { physics: Arc::new(shared), is_shared: true, ..alone }
    }
}

impl<const D: usize> SharedScene<D> {
    /// Tells the others to make a simulation with this rank.
    fn tell(&self, order: Order) {
        order.tell(&*self.ranks);
        tell_texts(&*self.ranks, self.texts.each_ref().map(|text| text.as_bytes()));
    }

    fn lead(&self, simulation: SharedSimulation<D>) -> Box<dyn Stepper<D>> {
        Box::new(Lead { simulation, ranks: self.ranks.clone() })
    }
}

impl<const D: usize> Physics<D> for SharedScene<D> {
    fn begin(&self) -> Result<Box<dyn Stepper<D>>, SceneError> {
        self.tell(Order::Begin);
        let simulation = SharedSimulation::new(self.scene.setup.clone(), &self.scene.liquids, self.ranks.clone());
        Ok(self.lead(simulation.map_err(|error| self.scene.refuse(&error))?))
    }

    fn resume(&self, state: &mut dyn Read) -> Result<Box<dyn Stepper<D>>, StateError> {
        let state = read_state(state, |data| LiquidState::restore(&self.scene.setup.grid, data))?;
        self.tell(Order::Resume);
        let simulation = SharedSimulation::resume(self.scene.setup.clone(), Some(state), self.ranks.clone());
        Ok(self.lead(simulation.map_err(|error| self.scene.refuse(&error))?))
    }

    fn resume_parts(&self, folder: &Path, parts: &Parts) -> Result<Box<dyn Stepper<D>>, StateError> {
        let words = postcard::to_allocvec(parts)?;
        self.tell(Order::ResumeParts);
        tell_texts(&*self.ranks, [folder.display().to_string().as_bytes(), &words]);
        Ok(self.lead(resume_parts(&self.scene, folder, parts, &self.ranks)?))
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
        let setup = self.simulation.setup();
        Frame::of_ranks(view, setup.grid, setup.density, number)
    }

    fn store(&self, to: &mut dyn Write) -> Result<(), StateError> {
        Order::Gather.tell(&*self.ranks);
        let state = self.simulation.gather().expect("the first rank has the whole");
        Ok(postcard::to_io(&state.to_data(), to).map(drop)?)
    }

    fn store_parts(&self, folder: &Path) -> Option<Result<Parts, RunError>> {
        Order::Store.tell(&*self.ranks);
        tell_texts(&*self.ranks, [folder.display().to_string().as_bytes()]);
        let stored = store_part(&*self.ranks, &self.simulation, folder);
        if stored.is_err() {
            let _ = std::fs::remove_dir_all(folder); // parts without a list are of no use
        }
        Some(stored.map(|()| Parts::of(self.simulation.step(), &self.simulation.boxes())))
    }

    fn store_pieces(&self, content: PieceContent, folder: &Path) -> Result<Parts, RunError> {
        Order::Show(content).tell(&*self.ranks);
        tell_texts(&*self.ranks, [folder.display().to_string().as_bytes()]);
        store_piece(&*self.ranks, &self.simulation, content, folder)?;
        Ok(Parts::of(self.simulation.step(), &self.simulation.boxes()))
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
