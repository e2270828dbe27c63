//! A scene as values: checked, ready to become a simulation.

use unstick_bodies::{ContactModel, FloatingBodies, RigidBody, World};
use unstick_grid::SignedDistance;
use unstick_liquid::{Bodies, Gravity, LiquidState, Setup, SetupError, Simulation, StillSolids, Wall};

use crate::backing::Backing;
use crate::dimension::PlaneOrSpace;
use crate::either;
use crate::file::{Place, SceneError};
use crate::output::Output;

/// Bytes that a simulation takes, per cell and per particle. The number of a particle takes 8 in the state, in the frame
/// and while particles are sorted.
const BYTES_PER_CELL: f64 = 150.0;
const BYTES_PER_PARTICLE: f64 = 174.0;

/// Points along each axis at which the part of the domain that is liquid is estimated.
const SAMPLES: usize = 24;

/// A scene in the plane or in space.
pub type AnyScene = PlaneOrSpace<Scene<2>, Scene<3>>;

/// A scene: what there is at the beginning, what happens, what is written.
#[derive(Clone, Debug)]
pub struct Scene<const D: usize> {
    /// Bare name: of the file, or in the catalogue.
    pub name: String,
    /// For people.
    pub title: String,
    /// What to look for.
    pub description: String,
    /// What does not change while it runs.
    pub setup: Setup<D>,
    /// Where its pressure is solved for.
    pub backing: Backing,
    /// The liquid at the beginning and its velocity.
    pub liquids: Vec<(SignedDistance<D>, [f64; D])>,
    /// Bodies that the liquid moves.
    pub bodies: Vec<RigidBody<D>>,
    /// How they collide.
    pub contacts: Contacts,
    /// Seconds from frame to frame.
    pub frame: f64,
    /// Frames after the first.
    pub frames: usize,
    /// What is written.
    pub output: Output,
    pub(crate) cells_place: Place,
    pub(crate) liquid_place: Place,
    pub(crate) body_place: Option<Place>,
}

/// How bodies collide with each other and with walls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// The model.
    pub model: ContactModel,
    /// Restitution at walls; by default that of the body.
    pub restitution: Option<f64>,
    /// Friction at walls; by default that of the body.
    pub friction: Option<f64>,
}

impl AnyScene {
    /// Cells along each axis.
    pub fn cells(&self) -> Vec<usize> {
        either!(self, scene => scene.setup.grid.cells().to_vec())
    }

    /// See [`Scene::check_memory`].
    pub fn check_memory(&self, available: u64) -> Result<(), SceneError> {
        either!(self, scene => scene.check_memory(available))
    }
}

impl<const D: usize> Scene<D> {
    /// The same with every wall of one kind, if one is named.
    pub fn with_walls(mut self, wall: Option<Wall>) -> Self {
        let Some(wall) = wall else { return self };
        self.setup = self.setup.with_walls(wall);
        self.bodies.iter_mut().for_each(|body| body.set_wall(wall));
        self
    }

    /// Fills the liquid with particles. Takes the memory that [`Self::bytes_needed`] estimates.
    pub fn simulation(&self) -> Result<Simulation<D>, SceneError> {
        self.placed(None)
    }

    /// The simulation at a state.
    pub fn resume(&self, state: LiquidState<D>) -> Result<Simulation<D>, SceneError> {
        self.placed(Some(state))
    }

    /// The bodies in their container; none if there are none.
    fn floating_bodies(&self) -> Result<Option<Box<dyn Bodies<D>>>, SceneError> {
        if self.bodies.is_empty() {
            return Ok(None);
        }
        let Contacts { model, restitution, friction } = self.contacts.clone();
        let mut container = FloatingBodies::container(&self.setup);
        (container.restitution, container.friction) = (restitution, friction);
        let world = World::new(self.bodies.clone(), container, model);
        let place = self.body_place.as_ref().unwrap_or(&self.cells_place);
        let world = world.map_err(|error| SceneError::at(place, error.to_string(), "refused"))?;
        Ok(Some(Box::new(FloatingBodies::in_world(world))))
    }

    /// Refuses bodies that overlap or reach into walls.
    pub(crate) fn check_bodies(&self) -> Result<(), SceneError> {
        self.floating_bodies().map(drop)
    }

    /// A simulation that solves where the scene wants it to.
    fn placed(&self, state: Option<LiquidState<D>>) -> Result<Simulation<D>, SceneError> {
        let mut simulation = self.unplaced(state)?;
        self.place(&mut simulation)?;
        Ok(simulation)
    }

    /// A simulation that solves on the processor, at its beginning or at a state.
    pub(crate) fn unplaced(&self, state: Option<LiquidState<D>>) -> Result<Simulation<D>, SceneError> {
        let (setup, bodies) = (self.setup.clone(), self.floating_bodies()?);
        let simulation = match state {
            None => Simulation::with_bodies(setup, &self.liquids, bodies),
            Some(state) => Simulation::resume_with_bodies(setup, state, bodies),
        };
        simulation.map_err(|error| self.refuse(&error))
    }

    /// Refuses a scene that takes more memory than there is.
    pub fn check_memory(&self, available: u64) -> Result<(), SceneError> {
        refuse_beyond(available, self.bytes_needed(), &self.cells_place, |part| {
            let shrink = part.powf(1.0 / D as f64);
            let fits = self.setup.grid.cells().map(|count| ((count as f64 * shrink) as usize).max(1));
            format!("grid.cells={fits:?}")
        })
    }

    /// Memory that the simulation takes, estimated.
    pub fn bytes_needed(&self) -> f64 {
        let per_cell =
            BYTES_PER_CELL + StillSolids::bytes_per_cell(&self.setup) + self.setup.bytes_per_cell_of_viscosity();
        self.setup.grid.len() as f64 * per_cell + self.particles_needed() * BYTES_PER_PARTICLE
    }

    /// Particles at the beginning, estimated.
    pub(crate) fn particles_needed(&self) -> f64 {
        let grid = &self.setup.grid;
        let (lower, upper) = (grid.origin(), grid.node(grid.cells()));
        let is_liquid = |point: [f64; D]| {
            self.liquids.iter().any(|(shape, _)| shape.at(point) < 0.0)
                && self.bodies.iter().all(|body| body.distance(point) > 0.0)
                && self.setup.solids.iter().all(|solid| solid.distance(0.0, point) > 0.0)
        };
        let total = SAMPLES.pow(D as u32);
        let filled = (0..total).filter(|index| {
            let place = |axis: usize| (index / SAMPLES.pow(axis as u32) % SAMPLES) as f64 + 0.5;
            let part = |axis: usize| place(axis) / SAMPLES as f64;
            is_liquid(std::array::from_fn(|axis| lower[axis] + part(axis) * (upper[axis] - lower[axis])))
        });
        filled.count() as f64 / total as f64 * (self.setup.particles_per_cell() * grid.len()) as f64
    }

    /// The speed of a fall through the whole height, or of a drop under tension: the bright end of colours.
    pub fn typical_speed(&self) -> f64 {
        let grid = &self.setup.grid;
        let size = |vector: &[f64; D]| vector.iter().map(|value| value * value).sum::<f64>().sqrt();
        let gravity = match &self.setup.gravity {
            Gravity::Constant(value) => size(value),
            Gravity::Table(table) => table.iter().map(|(_, value)| size(value)).fold(0.0, f64::max),
        };
        let height = grid.cells()[1] as f64 * grid.spacing();
        let entering = self.setup.emitters.iter().filter_map(|emitter| emitter.velocity.as_ref());
        let velocities = self.liquids.iter().map(|(_, velocity)| velocity).chain(entering);
        let fastest = velocities.map(size).fold(0.0, f64::max);
        // A drop of ten cells in radius swings at about this speed.
        let of_drops = (self.setup.tension / (10.0 * self.setup.grid.spacing() * self.setup.density)).sqrt();
        (2.0 * gravity * height).sqrt().max(fastest).max(of_drops).max(1e-3)
    }

    pub(crate) fn refuse(&self, error: &SetupError) -> SceneError {
        let label = match error {
            SetupError::NoLiquid if self.liquids.is_empty() => {
                let help = "a scene begins with some liquid, for example\n[[liquid]]\nshape = { sphere = { centre = …, \
                            radius = 0.2 } }";
                let message = "there is no liquid: the scene has no `[[liquid]]`";
                return SceneError::anywhere(message).with_help(Some(help.into()));
            }
            SetupError::NoLiquid => "nothing of it is left",
            _ => "refused",
        };
        SceneError::at(&self.liquid_place, error.to_string(), label)
    }
}

/// Refuses a grid that takes more memory than there is. `fitting` is a setting for a part of the memory.
pub(crate) fn refuse_beyond(
    available: u64,
    needed: f64,
    place: &Place,
    fitting: impl FnOnce(f64) -> String,
) -> Result<(), SceneError> {
    const GIBI: f64 = (1u64 << 30) as f64;
    let available = available as f64;
    if needed <= available {
        return Ok(());
    }
    let (found, there) = (needed / GIBI, available / GIBI);
    let message = format!("this grid takes about {found:.1} GiB of memory, {there:.1} GiB are available");
    let help = format!("`--set {}` would fit", fitting(available / needed));
    Err(SceneError::at(place, message, "too many cells for this machine").with_help(Some(help)))
}
