//! Steered bodies: their motion is given.

use std::f64::consts::TAU;

use unstick_grid::vector::{minus, plus, times};
use unstick_grid::{Motion, Pose};

/// The given motion of a body.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Steering<const D: usize> {
    /// Back and forth about its rest position, by amplitude × sin(2π t / period).
    Oscillation {
        /// Farthest displacement.
        amplitude: [f64; D],
        /// Seconds from one passage to the next in the same direction.
        period: f64,
    },
    /// The motion of a solid of a scene.
    Scripted(Motion<D>),
}

impl<const D: usize> Steering<D> {
    /// Where a body is at a time.
    pub fn pose(&self, rest: &Pose<D>, time: f64) -> Pose<D> {
        match self {
            Self::Oscillation { amplitude, period } => {
                rest.then(&Pose::from_translation(times((TAU * time / period).sin(), *amplitude)))
            }
            Self::Scripted(motion) => rest.then(&motion.pose(time)),
        }
    }

    /// Velocity and spin at a time, for a body whose centre then lies at `place`.
    pub fn motion(&self, place: [f64; D], time: f64) -> ([f64; D], [f64; 3]) {
        match self {
            Self::Oscillation { amplitude, period } => {
                (times(TAU / period * (TAU * time / period).cos(), *amplitude), [0.0; 3])
            }
            Self::Scripted(motion) => {
                let velocity = motion.velocity(time, place);
                // ω × e is how the end of a unit vector moves.
                let end = |axis: usize| {
                    let unit = std::array::from_fn(|other| f64::from(u8::from(other == axis)));
                    minus(motion.velocity(time, plus(place, unit)), velocity)
                };
                let spin = match D {
                    2 => [0.0, 0.0, end(0)[1]],
                    _ => [end(1)[D - 1], end(D - 1)[0], end(0)[1]],
                };
                (velocity, spin)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unstick_grid::Spin;

    #[test]
    fn velocities_are_the_rates_of_poses() {
        let spin = Spin::about_axis([0.3, -0.5, 0.7]);
        let steady = Motion::Steady { velocity: [1.0, 2.0, -1.0], spin, pivot: [0.1, 0.0, 0.3] };
        let swing = Steering::Oscillation { amplitude: [0.2, 0.0, -0.1], period: 3.0 };
        let rest = Pose::from_translation([0.4, 0.5, 0.6]);
        for steering in [Steering::Scripted(steady), swing] {
            let (time, short) = (0.7, 1e-5);
            let [before, now, after] = [time - short, time, time + short].map(|time| steering.pose(&rest, time));
            let (velocity, spin) = steering.motion(now.translation(), time);
            let rate = times(0.5 / short, minus(after.translation(), before.translation()));
            assert!((0..3).all(|axis| (rate[axis] - velocity[axis]).abs() < 1e-8), "{rate:?} {velocity:?}");
            let arm = minus(now.apply([0.3, 0.2, 0.1]), now.translation());
            let turned = unstick_grid::vector::cross(spin, arm);
            let end = |pose: &Pose<3>| minus(pose.apply([0.3, 0.2, 0.1]), pose.translation());
            let rate = times(0.5 / short, minus(end(&after), end(&before)));
            assert!((0..3).all(|axis| (rate[axis] - turned[axis]).abs() < 1e-8), "{rate:?} {turned:?}");
        }
    }
}
