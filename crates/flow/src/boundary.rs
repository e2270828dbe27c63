//! What happens at the sides of the domain, as data.

/// One side of the domain.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Boundary<const D: usize> {
    /// A wall that the liquid sticks to. It may move along itself: a lid.
    NoSlip {
        /// Velocity of the wall; it must be zero across the wall.
        velocity: [f64; D],
    },
    /// A wall that the liquid slides along: a plane of symmetry.
    FreeSlip,
    /// Liquid that enters, straight across the side.
    Inflow(Inflow),
    /// Liquid that leaves: no pressure and no viscous force (do-nothing).
    Outflow,
    /// The opposite side continues the domain; for both sides of an axis or none.
    Periodic,
}

/// How liquid enters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inflow {
    /// Largest speed, into the domain.
    pub speed: f64,
    /// How it is spread over the side.
    pub profile: Profile,
    /// How it changes with time.
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
    /// It rises from zero as (1 − cos(π t / duration)) / 2, then is steady.
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
    /// A steady speed, spread as a parabola.
    pub fn parabolic(speed: f64) -> Self {
        Self { speed, profile: Profile::Parabolic, course: Course::Steady }
    }

    /// A steady speed, the same everywhere.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courses_begin_and_end_as_they_say() {
        let (sine, ramp) = (Course::HalfSine { duration: 8.0 }, Course::Ramp { duration: 2.0 });
        assert_eq!([Course::Steady.at(3.0), sine.at(0.0), sine.at(4.0), ramp.at(0.0)], [1.0, 0.0, 1.0, 0.0]);
        assert!((ramp.at(1.0) - 0.5).abs() < 1e-15 && sine.at(8.0).abs() < 1e-15);
        assert_eq!([ramp.at(2.0), ramp.at(9.0)], [1.0; 2]);
    }

    #[test]
    fn walls_and_inflows_fix_the_velocity_and_outflows_do_not() {
        let sides = [Boundary::<2>::wall(), Boundary::FreeSlip, Boundary::Inflow(Inflow::uniform(1.0))];
        assert!(sides.iter().all(Boundary::is_closed));
        assert!(!Boundary::<2>::Outflow.is_closed() && !Boundary::<2>::Periodic.is_closed());
        assert_eq!(sides.map(|side| side.tangential()), [Some([0.0; 2]), None, Some([0.0; 2])]);
    }
}
