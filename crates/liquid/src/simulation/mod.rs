//! A running simulation: what it consists of, and its steps.

mod begin;
mod edit;
mod elsewhere;
mod finite;
mod guard;
pub(crate) mod report;
mod stages;
mod step;

use std::borrow::Cow;
use std::sync::Arc;

use unstick_grid::{CellField, FaceField};
use unstick_mlcp::Convergence;
use unstick_mlcp::fields::FieldSolver;

use crate::distribution::Distribution;
use crate::pressure::PressureSolver;
use crate::setup::Setup;
use crate::share::Share;
use crate::solids::{Bodies, Geometry, StillSolids};
use crate::state::LiquidState;
use crate::surface;
use crate::viscosity::Pool;
use crate::volume;
use guard::Guard;
use report::StageTimes;

pub use elsewhere::Rules;
pub use step::equal_part;

/// A running simulation.
pub struct Simulation<const D: usize> {
    pub(crate) setup: Setup<D>,
    pub(crate) state: LiquidState<D>,
    /// Whether the state is that between two steps. It is not after a step that failed.
    is_between_steps: bool,
    pub(crate) geometry: Geometry<D>,
    /// Another number whenever the geometry is another.
    pub(crate) geometry_version: u64,
    /// Bodies that the liquid moves.
    pub(crate) bodies: Option<Box<dyn Bodies<D>>>,
    /// What does not move of the walls, where others do.
    pub(crate) still_solids: Option<StillSolids<D>>,
    /// The walls without the bodies, where there are bodies and the walls do not move.
    pub(crate) still_walls: Option<Geometry<D>>,
    pub(crate) solver: PressureSolver<D>,
    distribution: Distribution<D>,
    pub(crate) guard: Guard,
    /// What solves in place of `solver` until it fails.
    pub(crate) device: Option<Box<dyn FieldSolver<D>>>,
    /// Why the device failed in this step.
    pub(crate) device_failure: Option<String>,
    /// Where each cell's particles start, for the particles as they are.
    pub(crate) starts: Vec<u32>,
    /// Velocity as gathered, before forces and pressure.
    pub(crate) gathered: FaceField<f64, D>,
    /// Faces whose velocity is known.
    pub(crate) known: FaceField<bool, D>,
    /// Faces that particles have reached.
    reached: FaceField<bool, D>,
    /// q of the last projection.
    pub(crate) scaled_pressure: CellField<f64, D>,
    /// Memory of a step: what arrives at faces.
    arrived: [Vec<[f64; 2]>; D],
    /// What moves the particles: the velocity and their displacement.
    pub(crate) carrying: FaceField<f64, D>,
    /// The distance to the liquid in the last step.
    pub(crate) liquid_before: CellField<f64, D>,
    /// A copy of the particles while they are sorted.
    spare: Vec<[f64; D]>,
    /// γ times the area of the surface at the start of the last step.
    surface_energy: f64,
    /// σ of the liquid cells at walls in this step, where walls pull.
    pub(crate) adhesion: Option<CellField<f64, D>>,
    /// Whether each cell lies in a vent, where there are vents.
    pub(crate) vented: Vec<bool>,
    /// Parts of liquid and of air that touch in this step.
    pub(crate) touching: Vec<(u32, u32)>,
    pub(crate) times: StageTimes,
    /// What this rank has of a simulation that many share.
    pub(crate) share: Option<Arc<Share<D>>>,
    /// The speed of the fastest particle or body of all ranks, unless the state has changed since the last step.
    pub(crate) fastest_of_all: Option<f64>,
    /// Memory of viscous solves, and of what walls bear in them.
    pub(crate) pool: Pool,
    pub(crate) load: Option<CellField<f64, D>>,
    /// How the viscous solve of this step ended.
    pub(crate) viscosity: Convergence,
    /// How pressure and contacts of bodies have settled in this step.
    pub(crate) coupling: Convergence,
}

impl<const D: usize> Simulation<D> {
    /// Hands the pressure to a device. The solver that the setup names takes over where the device falls short, and
    /// for good once the device has [failed](crate::StepReport::device_failure). No step is lost with a device.
    pub fn solve_on(&mut self, device: Box<dyn FieldSolver<D>>) {
        self.device = Some(device);
    }

    /// All that does not change.
    pub fn setup(&self) -> &Setup<D> {
        &self.setup
    }

    /// All that changes. Ask [`check_state`](Self::check_state) before you store it.
    pub fn state(&self) -> &LiquidState<D> {
        &self.state
    }

    /// The bodies that the liquid moves.
    pub fn bodies(&self) -> Option<&dyn Bodies<D>> {
        self.bodies.as_deref()
    }

    /// The solids as the grid sees them now.
    pub fn geometry(&self) -> &Geometry<D> {
        &self.geometry
    }

    /// Distance to the surface that pictures and meshes show, at cell centres, negative inside. It has the films on
    /// solids that are too thin for the pressure.
    pub fn surface(&self) -> Cow<'_, CellField<f64, D>> {
        if self.setup.solids.is_empty() && self.bodies.is_none() {
            return Cow::Borrowed(&self.state.liquid);
        }
        Cow::Owned(surface::show(&self.setup.grid, &self.geometry, &self.state.density, &self.state.liquid))
    }

    /// Volume inside that surface, without spray and without films at the border of the grid that are too thin for it.
    pub fn surface_volume(&self) -> f64 {
        volume::measure_surface(&self.setup.grid, &self.geometry, self.share.as_deref(), &self.surface())
    }

    /// Volume of the liquid now: the space that its particles fill.
    pub fn volume(&self) -> f64 {
        volume::measure(&self.setup, &self.geometry, self.share.as_deref(), &self.starts)
    }
}
