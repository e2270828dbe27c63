//! One rigid body.

use unstick_flow::Twist;
use unstick_grid::vector::{Matrix, applied, dot, minus, plus, product, times, transposed};
use unstick_grid::{Pose, SignedDistance};
use unstick_liquid::Wall;

use crate::algebra::{inverse, lift, lift_rotation, moment, turning};
use crate::error::BodyError;
use crate::mass::MassProperties;
use crate::shape::Shape;
use crate::state::BodyState;

/// The weight of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// In kg per m³ (per m² in the plane).
    Density(f64),
    /// In kg for the whole body, evenly spread.
    Mass(f64),
}

/// Properties of a body's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Whether liquid may separate from it.
    pub wall: Wall,
    /// How hard it pulls at the liquid before that separates, in Pa. Default 0.
    pub adhesion: f64,
    /// Part of the approach velocity with which it bounces, 0 to 1. Default 0.
    pub restitution: f64,
    /// Coulomb's coefficient of friction. Default 0.
    pub friction: f64,
}

impl Default for Surface {
    fn default() -> Self {
        Self { wall: Wall::Separating, adhesion: 0.0, restitution: 0.0, friction: 0.0 }
    }
}

/// A rigid body.
///
/// ```
/// use unstick_bodies::{RigidBody, Shape, Weight};
/// use unstick_grid::Pose;
///
/// let ball = Shape::Sphere { radius: 0.1 };
/// let mut body = RigidBody::new("ball", ball, Weight::Density(500.0), Pose::from_translation([0.5, 0.5]))?;
/// body.push([0.0, 0.0], [1.0, 0.0]); // an impulse at the bottom of the ball
/// body.drift(0.01);
/// assert!(body.velocity()[0] > 0.0 && body.distance([0.5, 0.5]) < 0.0);
///
/// let weightless = RigidBody::new("ghost", Shape::Sphere { radius: 0.1 }, Weight::Mass(0.0), Pose::<3>::identity());
/// assert_eq!(weightless.unwrap_err().to_string(), "body `ghost`: its mass is 0, expected a positive number");
/// # Ok::<(), unstick_bodies::BodyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBody<const D: usize> {
    name: String,
    shape: Shape<D>,
    surface: Surface,
    volume: f64,
    properties: MassProperties,
    inverse_inertia: Matrix<3>,
    held_until: f64,
    held: bool,
    /// Velocity and spin while it is held: those of its steering.
    driven: ([f64; D], [f64; 3]),
    pub(crate) state: BodyState<D>,
}

impl<const D: usize> RigidBody<D> {
    /// A body at rest.
    pub fn new(name: impl Into<String>, shape: Shape<D>, weight: Weight, pose: Pose<D>) -> Result<Self, BodyError> {
        let name = name.into();
        let positive = |what: &'static str, value: f64| {
            let is_positive = value > 0.0 && value.is_finite();
            if is_positive { Ok(()) } else { Err(BodyError::NotPositive { body: name.clone(), what, value }) }
        };
        for (what, value) in shape.lengths() {
            positive(what, value)?;
        }
        let volume = shape.volume();
        positive("volume", volume)?;
        let density = match weight {
            Weight::Density(density) => {
                positive("density", density)?;
                density
            }
            Weight::Mass(mass) => {
                positive("mass", mass)?;
                mass / volume
            }
        };
        let properties = shape.mass_properties(density);
        let inverse_inertia = inverse(&properties.inertia);
        if pose.translation().iter().any(|value| !value.is_finite()) {
            return Err(BodyError::NotFinite { body: name, what: "place" });
        }
        let (surface, state) = (Surface::default(), BodyState::at_rest(pose));
        let (held_until, held, driven) = (0.0, false, ([0.0; D], [0.0; 3]));
        Ok(Self { name, shape, surface, volume, properties, inverse_inertia, held_until, held, driven, state })
    }

    /// The same body with velocities. In the plane only the third component of the spin may differ from zero.
    pub fn with_motion(mut self, velocity: [f64; D], spin: [f64; 3]) -> Result<Self, BodyError> {
        if velocity.iter().chain(&spin).any(|value| !value.is_finite()) {
            return Err(BodyError::NotFinite { body: self.name, what: "velocity" });
        }
        if D == 2 && (spin[0] != 0.0 || spin[1] != 0.0) {
            let (what, value) = ("spin out of the plane", if spin[0] != 0.0 { spin[0] } else { spin[1] });
            return Err(BodyError::OutOfRange { body: self.name, what, value, expected: "0" });
        }
        (self.state.velocity, self.state.spin) = (velocity, spin);
        Ok(self)
    }

    /// The same body with another surface.
    pub fn with_surface(mut self, surface: Surface) -> Result<Self, BodyError> {
        let Surface { adhesion, restitution, friction, .. } = surface;
        if !(0.0..=1.0).contains(&restitution) {
            let expected = "a number from 0 to 1";
            return Err(BodyError::OutOfRange { body: self.name, what: "restitution", value: restitution, expected });
        }
        for (what, value) in [("friction", friction), ("adhesion", adhesion)] {
            if !(value >= 0.0 && value.is_finite()) {
                let expected = "a number not below 0";
                return Err(BodyError::OutOfRange { body: self.name, what, value, expected });
            }
        }
        self.surface = surface;
        Ok(self)
    }

    /// Sets whether liquid may separate from its surface.
    pub fn set_wall(&mut self, wall: Wall) {
        self.surface.wall = wall;
    }

    /// A copy at another place.
    pub fn copy(&self, name: impl Into<String>, place: [f64; D]) -> Self {
        let mut copy = Self { name: name.into(), ..self.clone() };
        copy.state.pose = Pose::from_parts(self.state.pose.rotation(), place).unwrap_or(self.state.pose);
        copy
    }

    /// The same body, held in its place until a time; infinite for ever.
    pub fn held_until(mut self, time: f64) -> Result<Self, BodyError> {
        if time.is_nan() {
            return Err(BodyError::NotFinite { body: self.name, what: "time of release" });
        }
        self.held_until = time;
        self.hold_at(0.0);
        Ok(self)
    }

    /// Holds or releases the body, depending on the time. Nothing moves a held body.
    pub fn hold_at(&mut self, time: f64) {
        // Times of steps are sums: a release within rounding of a step's start belongs to it.
        self.held = self.is_held_for_ever() || time < self.held_until - 1e-9 * self.held_until.abs();
    }

    /// Whether it is never released.
    pub fn is_held_for_ever(&self) -> bool {
        self.held_until == f64::INFINITY
    }

    /// Sets the velocity of a held body that is steered. [`Self::set_state`] sets its place.
    pub fn drive(&mut self, velocity: [f64; D], spin: [f64; 3]) {
        self.driven = (velocity, spin);
    }

    /// Whether it is held in its place.
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its shape about its centre of mass.
    pub fn shape(&self) -> &Shape<D> {
        &self.shape
    }

    /// Properties of its surface.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Mass in kg; in the plane per metre of depth.
    pub fn mass(&self) -> f64 {
        self.properties.mass
    }

    /// Volume in m³; in the plane area.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Mass per volume.
    pub fn density(&self) -> f64 {
        self.properties.mass / self.volume
    }

    /// 1/mass; zero while it is held.
    #[inline]
    pub fn inverse_mass(&self) -> f64 {
        if self.held { 0.0 } else { 1.0 / self.properties.mass }
    }

    /// Place and velocity.
    pub fn state(&self) -> &BodyState<D> {
        &self.state
    }

    /// Sets place and velocity.
    pub fn set_state(&mut self, state: BodyState<D>) {
        self.state = state;
    }

    /// Centre of mass.
    #[inline]
    pub fn position(&self) -> [f64; D] {
        self.state.pose.translation()
    }

    /// Orientation and place.
    pub fn pose(&self) -> &Pose<D> {
        &self.state.pose
    }

    /// Velocity of the centre of mass; while the body is held, that of its steering.
    #[inline]
    pub fn velocity(&self) -> [f64; D] {
        if self.held { self.driven.0 } else { self.state.velocity }
    }

    /// Angular velocity; while the body is held, that of its steering. In the plane only the third component.
    #[inline]
    pub fn spin(&self) -> [f64; 3] {
        if self.held { self.driven.1 } else { self.state.spin }
    }

    /// Velocity and angular velocity.
    pub(crate) fn twist(&self) -> Twist<D> {
        Twist { linear: self.velocity(), angular: self.spin() }
    }

    /// Sets velocity and angular velocity of a body that is not held.
    pub(crate) fn set_twist(&mut self, twist: &Twist<D>) {
        if !self.held {
            (self.state.velocity, self.state.spin) = (twist.linear, twist.angular);
        }
    }

    /// Velocity of the point of the body that lies here.
    #[inline]
    pub fn velocity_at(&self, point: [f64; D]) -> [f64; D] {
        plus(self.velocity(), turning(self.spin(), minus(point, self.position())))
    }

    /// Inertia in the axes of the body.
    pub fn inertia_at_rest(&self) -> &Matrix<3> {
        &self.properties.inertia
    }

    pub(crate) fn inverse_inertia_at_rest(&self) -> &Matrix<3> {
        &self.inverse_inertia
    }

    /// Inertia in its present orientation: R I Rᵀ.
    pub fn inertia(&self) -> Matrix<3> {
        self.rotated(&self.properties.inertia)
    }

    /// The inverse of the inertia in its present orientation; zero while the body is held.
    pub fn inverse_inertia(&self) -> Matrix<3> {
        if self.held { [[0.0; 3]; 3] } else { self.rotated(&self.inverse_inertia) }
    }

    fn rotated(&self, tensor: &Matrix<3>) -> Matrix<3> {
        let rotation = lift_rotation(&self.state.pose.rotation());
        product(&product(&rotation, tensor), &transposed(&rotation))
    }

    /// m v.
    pub fn momentum(&self) -> [f64; D] {
        times(self.mass(), self.velocity())
    }

    /// I ω + m x × v about the origin.
    pub fn angular_momentum(&self) -> [f64; 3] {
        plus(applied(&self.inertia(), self.spin()), moment(self.position(), self.momentum()))
    }

    /// ½ m v² + ½ ωᵀ I ω.
    pub fn kinetic_energy(&self) -> f64 {
        let turning = dot(self.spin(), applied(&self.inertia(), self.spin()));
        0.5 * (self.mass() * dot(self.velocity(), self.velocity()) + turning)
    }

    /// Changes the velocities by an impulse and an angular impulse about the centre of mass.
    pub fn kick(&mut self, impulse: [f64; D], angular: [f64; 3]) {
        if self.held {
            return;
        }
        self.state.velocity = plus(self.state.velocity, times(1.0 / self.mass(), impulse));
        self.state.spin = plus(self.state.spin, applied(&self.inverse_inertia(), angular));
    }

    /// Changes the velocities by an impulse that acts at `offset` from the centre of mass.
    pub fn push(&mut self, offset: [f64; D], impulse: [f64; D]) {
        self.kick(impulse, moment(offset, impulse));
    }

    /// Changes the velocity by gravity.
    pub fn accelerate(&mut self, change: [f64; D]) {
        if !self.held {
            self.state.velocity = plus(self.state.velocity, change);
        }
    }

    /// Distance of a point from the body, negative inside.
    pub fn distance(&self, point: [f64; D]) -> f64 {
        self.shape.distance(self.state.pose.apply_inverse(point))
    }

    /// The body at its place, as a shape of the grid.
    pub fn signed_distance(&self) -> SignedDistance<D> {
        self.shape.signed_distance().posed(&self.state.pose)
    }

    /// Lower and upper corner of the box around the body.
    pub fn bounds(&self) -> ([f64; D], [f64; D]) {
        let (rotation, centre) = (self.state.pose.rotation(), self.position());
        let (below, above): ([f64; D], [f64; D]) = match &self.shape {
            Shape::Sphere { radius } => ([-radius; D], [*radius; D]),
            Shape::Cuboid { half } => {
                let size = rotation.map(|row| (0..D).map(|axis| row[axis].abs() * half[axis]).sum());
                (times(-1.0, size), size)
            }
            Shape::Capsule { half_length, radius } => {
                let size = rotation.map(|row| row[1].abs() * half_length + radius);
                (times(-1.0, size), size)
            }
            Shape::Mesh(mesh) => {
                let extent = |axis: usize| {
                    let along = mesh.surface().vertices().iter().map(|vertex| dot(lift(rotation[axis]), *vertex));
                    along.fold((0.0f64, 0.0f64), |(low, high), value| (low.min(value), high.max(value)))
                };
                (std::array::from_fn(|axis| extent(axis).0), std::array::from_fn(|axis| extent(axis).1))
            }
        };
        (plus(centre, below), plus(centre, above))
    }
}
