//! What happens at the sides of the domain, as data.

/// One side of the domain.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Boundary<const D: usize> {
    /// A wall that the liquid sticks to, moving along itself: a lid.
    NoSlip {
        /// Velocity of the wall; its part across the wall must vanish.
        velocity: [f64; D],
    },
    /// A wall that the liquid slides along: a plane of symmetry.
    FreeSlip,
    /// Liquid that enters, straight across the side.
    Inflow(Inflow),
    /// Liquid that leaves: no pressure and no viscous force (do-nothing).
    Outflow,
    /// The other side of the domain; for both sides of an axis or none.
    Periodic,
}

/// How liquid enters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inflow {
    /// Largest speed, into the domain.
    pub speed: f64,
    /// How it is spread over the side.
    pub profile: Profile,
    /// How it goes with time.
    pub course: Course,
}

/// Speed over the side, as a part of the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// The same everywhere.
    Uniform,
    /// 4 s (1 − s) along every other axis that is not periodic, s from 0 to 1.
    Parabolic,
}

/// Speed over time, as a part of the largest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Course {
    /// Always the same.
    Steady,
    /// sin(π t / duration), as in DFG 2D-3.
    HalfSine {
        /// Seconds until it is zero again.
        duration: f64,
    },
    /// From zero to all of it, (1 − cos(π t / duration)) / 2, then steady.
    Ramp {
        /// Seconds until it is steady.
        duration: f64,
    },
}

impl<const D: usize> Boundary<D> {
    /// A wall at rest.
    pub fn wall() -> Self {
        Self::NoSlip { velocity: [0.0; D] }
    }

    /// Whether the velocity across the side is known.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self, Self::NoSlip { .. } | Self::FreeSlip | Self::Inflow(_))
    }

    /// The velocity along the side, where it is known.
    pub(crate) fn tangential(&self) -> Option<[f64; D]> {
        match self {
            Self::NoSlip { velocity } => Some(*velocity),
            Self::Inflow(_) => Some([0.0; D]),
            Self::FreeSlip | Self::Outflow | Self::Periodic => None,
        }
    }
}

impl Inflow {
    /// Speed that does not change, spread as a parabola.
    pub fn parabolic(speed: f64) -> Self {
        Self { speed, profile: Profile::Parabolic, course: Course::Steady }
    }

    /// The same speed everywhere and always.
    pub fn uniform(speed: f64) -> Self {
        Self { speed, profile: Profile::Uniform, course: Course::Steady }
    }
}

impl Course {
    /// The part of the largest speed at a time.
    pub fn at(&self, time: f64) -> f64 {
        let angle = |duration: f64| std::f64::consts::PI * time / duration;
        match *self {
            Self::Steady => 1.0,
            Self::HalfSine { duration } => angle(duration).sin(),
            Self::Ramp { duration } if time < duration => 0.5 * (1.0 - angle(duration).cos()),
            Self::Ramp { .. } => 1.0,
        }
    }
}
