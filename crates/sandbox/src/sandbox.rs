//! The simulator and what a user can do to it.

use unstick_grid::{CellField, Grid, GridError, SampledDistance, SignedDistance, sample_nodes};
use unstick_liquid::{
    Emitter, Gravity, LiquidState, Setup, SetupError, Simulation, Solid, StepError, Unconverged, Wall,
};

use crate::preset::Preset;

/// The largest stored distance to painted walls, in cells.
const FAR: f64 = 4.0;

/// A simulation that the user changes while it runs.
///
/// Changes are collected and take effect before the next step.
pub struct Sandbox {
    simulation: Simulation<2>,
    setup: Setup<2>,
    /// Distance to painted walls at the nodes.
    painted: CellField<f64, 2>,
    is_changed: bool,
}

impl Sandbox {
    /// A unit square with `cells` cells along each axis.
    pub fn new(cells: usize, preset: Preset) -> Result<Self, SandboxError> {
        let grid = Grid::<2>::unit(cells)?;
        let mut setup = Setup::new(grid);
        // Good enough to watch: steps of up to three cells, and a solve that falls short is accepted.
        (setup.cfl, setup.max_step) = (3.0, 1.0 / 60.0);
        (setup.pressure.tolerance, setup.pressure.on_unconverged) = (1e-4, Unconverged::Accept);
        let far = FAR * grid.spacing();
        let walls = preset.walls();
        let painted = sample_nodes(&grid, |node| walls.as_ref().map_or(far, |walls| walls.at(node).clamp(-far, far)));
        if walls.is_some() {
            setup.solids = vec![solid(&grid, &painted, setup.border)];
        }
        let simulation = match preset.liquid() {
            Some(liquid) => Simulation::new(setup.clone(), &liquid)?,
            None => Simulation::resume(setup.clone(), LiquidState::empty(&grid))?,
        };
        Ok(Self { simulation, setup, painted, is_changed: false })
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation<2> {
        &self.simulation
    }

    /// Takes one step of at most `seconds` and returns its length. It is zero if there is no liquid.
    pub fn advance(&mut self, seconds: f64) -> Result<f64, SandboxError> {
        self.apply_changes()?;
        let is_pouring = self.setup.emitters.iter().any(|emitter| emitter.velocity.is_some());
        if self.simulation.state().particles.is_empty() && !is_pouring {
            return Ok(0.0);
        }
        let Some(dt) = self.simulation.next_step(self.simulation.state().time + seconds) else { return Ok(0.0) };
        Ok(self.simulation.advance(dt)?.dt)
    }

    /// Makes all walls separating or sealed.
    pub fn set_separating(&mut self, separating: bool) {
        let wall = if separating { Wall::Separating } else { Wall::Sealed };
        self.setup = self.setup.clone().with_walls(wall);
        self.is_changed = true;
    }

    /// Sets gravity.
    pub fn set_gravity(&mut self, gravity: [f64; 2]) {
        self.setup.gravity = Gravity::Constant(gravity);
        self.is_changed = true;
    }

    /// Paints a stroke of wall, or erases walls along it. Liquid under new walls is removed.
    pub fn paint(&mut self, from: [f64; 2], to: [f64; 2], radius: f64, is_wall: bool) {
        let grid = self.setup.grid;
        let stroke = SignedDistance::capsule(from, to, radius);
        let far = FAR * grid.spacing();
        let nodes = self.painted.shape();
        for node in (0..nodes[1]).flat_map(|y| (0..nodes[0]).map(move |x| [x, y])) {
            let value = self.painted.at_mut(node);
            let distance = stroke.at(grid.node(node));
            let joined = if is_wall { value.min(distance) } else { value.max(-distance) };
            *value = joined.clamp(-far, far);
        }
        self.setup.solids = vec![solid(&grid, &self.painted, self.setup.border)];
        self.is_changed = true;
    }

    /// Pours liquid in a disc until [`Self::stop_pouring`]; without a velocity, drains it.
    pub fn pour(&mut self, at: [f64; 2], radius: f64, velocity: Option<[f64; 2]>) {
        let shape = SignedDistance::sphere(at, radius);
        self.setup.emitters = vec![Emitter { shape, velocity, start: 0.0, end: f64::INFINITY }];
        self.is_changed = true;
    }

    /// Stops pouring and draining.
    pub fn stop_pouring(&mut self) {
        self.is_changed |= !self.setup.emitters.is_empty();
        self.setup.emitters.clear();
    }

    fn apply_changes(&mut self) -> Result<(), SandboxError> {
        if !self.is_changed {
            return Ok(());
        }
        let mut state = self.simulation.state().clone();
        self.clear_walls(&mut state);
        self.simulation = Simulation::resume(self.setup.clone(), state)?;
        self.is_changed = false;
        Ok(())
    }

    /// Removes the liquid inside of painted walls.
    fn clear_walls(&self, state: &mut LiquidState<2>) {
        let Some(solid) = self.setup.solids.first() else { return };
        let positions = state.particles.position.clone();
        state.particles.retain(|index| solid.shape.at(positions[index]) > 0.0);
    }
}

/// The painted walls as a solid.
fn solid(grid: &Grid<2>, painted: &CellField<f64, 2>, wall: Wall) -> Solid<2> {
    let shape = match SampledDistance::new(*grid, painted.clone()) {
        Some(sampled) => SignedDistance::Sampled(sampled),
        None => SignedDistance::Union(Vec::new()),
    };
    Solid { wall, ..Solid::still(shape) }
}

/// Why a sandbox cannot start or continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The grid is invalid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The setup is invalid.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
}
