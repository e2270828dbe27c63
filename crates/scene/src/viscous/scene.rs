//! A scene of viscous flow as values: checked, ready to run.

use unstick_bodies::{Container, RigidBody, Steering, Suspension, SuspensionState};
use unstick_flow::{Boundary, Flow, FlowSetup, TensorGrid};
use unstick_grid::vector::{length, times};
use unstick_liquid::equal_part;

use super::ViscousOutput;
use crate::dimension::PlaneOrSpace;
use crate::draw::viscous::Show;
use crate::draw::{FlowStyle, PictureStyle};
use crate::file::{Place, SceneError};
use crate::scene::{Contacts, refuse_beyond};

/// Bytes that a simulation takes per cell and axis.
const BYTES_PER_CELL: f64 = 180.0;

/// A scene in the plane or in space.
pub type AnyViscousScene = PlaneOrSpace<ViscousScene<2>, ViscousScene<3>>;

/// Viscous liquid that fills a box, the bodies in it, and what is written.
#[derive(Clone, Debug)]
pub struct ViscousScene<const D: usize> {
    /// Bare name: of the file, or in the catalogue.
    pub name: String,
    /// For people.
    pub title: String,
    /// What to look for.
    pub description: String,
    /// The liquid and its box.
    pub setup: FlowSetup<D>,
    /// What pulls at the bodies.
    pub gravity: [f64; D],
    /// The bodies.
    pub bodies: Vec<RigidBody<D>>,
    /// How those of them move that are steered; one entry each.
    pub steering: Vec<Option<Steering<D>>>,
    /// How they collide.
    pub contacts: Contacts,
    /// Whether films thinner than two cells resist. Default true.
    pub films: bool,
    /// Seconds from frame to frame.
    pub frame: f64,
    /// Frames after the first.
    pub frames: usize,
    /// Longest step.
    pub max_step: f64,
    /// Cells that liquid and bodies may cross in a step. Default 0.5.
    pub cfl: f64,
    /// What is written.
    pub output: ViscousOutput,
    pub(crate) grid_place: Place,
    pub(crate) flow_place: Place,
    pub(crate) body_place: Option<Place>,
}

impl<const D: usize> ViscousScene<D> {
    /// Refuses bodies that overlap, reach into walls or lie outside of the domain.
    pub(crate) fn check(&self) -> Result<(), SceneError> {
        let tiny = TensorGrid::new(std::array::from_fn(|axis| self.setup.grid.axis(axis).whole()));
        self.fill(FlowSetup { grid: tiny, ..self.setup.clone() }).map(drop)
    }

    /// Liquid at rest and bodies where they begin. Refuses what cannot be simulated.
    pub fn suspension(&self) -> Result<Suspension<D>, SceneError> {
        self.fill(self.setup.clone())
    }

    /// Puts the bodies into the liquid.
    fn fill(&self, setup: FlowSetup<D>) -> Result<Suspension<D>, SceneError> {
        let flow = Flow::new(setup);
        let flow = flow.map_err(|error| SceneError::at(&self.flow_place, error.to_string(), "refused"))?;
        let Contacts { model, restitution, friction } = self.contacts.clone();
        let [lower, upper] = self.setup.grid.bounds();
        let mut walls = Container::inside(lower, upper);
        (walls.restitution, walls.friction) = (restitution, friction);
        let place = self.body_place.as_ref().unwrap_or(&self.flow_place);
        let refuse = |message: String| SceneError::at(place, message, "refused");
        if let Some(body) = self.bodies.iter().find(|body| !is_inside(body.position(), lower, upper)) {
            let message = format!(
                "body `{}` lies at {:.4?}, outside of the domain from {lower:.4?} to {upper:.4?}",
                body.name(),
                body.position()
            );
            return Err(refuse(message));
        }
        let suspension = Suspension::new(flow, self.bodies.clone(), self.gravity).with_contacts(walls, model);
        let suspension = suspension.map_err(|error| refuse(error.to_string()))?;
        Ok(suspension.with_films(self.films).with_steering(self.steering.clone()))
    }

    /// Liquid and bodies at a state.
    pub fn resume(&self, state: SuspensionState<D>) -> Result<Suspension<D>, SceneError> {
        let mut suspension = self.suspension()?;
        suspension.set_state(state);
        Ok(suspension)
    }

    /// The next step on the way to a time: equal ones, none longer than allowed. None when it is reached.
    pub fn next_step(&self, suspension: &Suspension<D>, target: f64) -> Option<f64> {
        let left = target - suspension.flow().state().time;
        if left <= 1e-9 * self.frame {
            return None;
        }
        let longest = suspension.longest_step(self.cfl).unwrap_or(self.max_step).min(self.max_step);
        Some(equal_part(left, left / longest - 1e-9))
    }

    /// Memory that the simulation takes, estimated.
    pub fn bytes_needed(&self) -> f64 {
        let finest = self.setup.grid.finest();
        let covered: f64 = self.bodies.iter().map(|body| body.volume() / finest.powi(D as i32)).sum();
        // A body holds the faces inside of it and as many again around it, in a few hundred bytes each.
        (self.setup.grid.len() as f64 * BYTES_PER_CELL + covered * 400.0) * D as f64
    }

    /// Refuses a scene that takes more memory than there is.
    pub fn check_memory(&self, available: u64) -> Result<(), SceneError> {
        refuse_beyond(available, self.bytes_needed(), &self.grid_place, |part| {
            format!("grid.refine={:.2}", part.powf(1.0 / D as f64))
        })
    }

    /// How pictures look.
    pub fn picture_style(&self) -> PictureStyle {
        let output = &self.output;
        let fastest = self.typical_speed();
        let usual = match output.show {
            Show::Speed => fastest,
            Show::Vorticity => 4.0 * fastest / self.typical_length(),
            Show::Pressure => self.setup.density * fastest * fastest,
        };
        let scale = output.scale.unwrap_or(usual);
        PictureStyle {
            width: output.common.width,
            fastest: if output.show == Show::Speed { scale } else { fastest },
            pressure: false,
            flow: Some(FlowStyle {
                show: output.show,
                scale,
                view: output.view,
                slice: output.slice,
                window: output.window,
            }),
        }
    }

    /// Size of the largest body, or a quarter of the height of the box.
    fn typical_length(&self) -> f64 {
        let largest = self.bodies.iter().map(|body| 2.0 * body.shape().reach()).fold(0.0, f64::max);
        if largest > 0.0 { largest } else { 0.25 * self.setup.grid.axis(1).length() }
    }

    /// A speed to expect: of what enters, of lids, of steered bodies, of bodies that sink.
    fn typical_speed(&self) -> f64 {
        let of_side = |side: &Boundary<D>| match side {
            Boundary::NoSlip { velocity } => length(*velocity),
            Boundary::Inflow(inflow) => inflow.speed.abs(),
            _ => 0.0,
        };
        let of_body = |(body, steering): (&RigidBody<D>, &Option<Steering<D>>)| match steering {
            Some(steering) => {
                let at = |step: i32| length(steering.motion(body.position(), 0.05 * f64::from(step)).0);
                (0..40).map(at).fold(0.0, f64::max)
            }
            None if body.is_held_for_ever() => 0.0,
            None => length(body.velocity()).max(self.sinking_speed(body)),
        };
        let sides = self.setup.sides.iter().flatten().map(of_side);
        sides.chain(self.bodies.iter().zip(&self.steering).map(of_body)).fold(0.0, f64::max).max(1e-6)
    }

    /// The smaller of what viscosity (Stokes) and what inertia allow.
    fn sinking_speed(&self, body: &RigidBody<D>) -> f64 {
        let pull = length(times((body.density() / self.setup.density - 1.0).abs(), self.gravity));
        let size = 2.0 * body.shape().reach();
        (pull * size * size / (18.0 * self.setup.viscosity.typical())).min((2.0 * pull * size).sqrt())
    }
}

fn is_inside<const D: usize>(point: [f64; D], lower: [f64; D], upper: [f64; D]) -> bool {
    (0..D).all(|axis| lower[axis] <= point[axis] && point[axis] <= upper[axis])
}
