//! Scripted motion of rigid solids, as data.
//!
//! X is a point of the solid at rest, P the pivot, s(t) the shift and W(t) the rotation since time 0. Then
//!
//! ```text
//!     x(t) = P + s + exp(W) (X − P)            (pose)
//!     v(t, x) = s' + Ω (x − P − s)             (velocity)
//!     Ω = W' + (1 − cos θ)/θ² [W, W'] + (θ − sin θ)/θ³ [W, [W, W']],    θ = |W|
//! ```
//!
//! where [A, B] = AB − BA. The brackets vanish in the plane and wherever the axis does not change.

use crate::keyframes::{Keyframe, Keyframes};
use crate::pose::{Pose, Spin, cosine_ratio};
use crate::vector::{Matrix, matrix, minus, plus, product, times};

/// The motion of a solid as a function of time. At rest the solid lies where its shape is defined.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum Motion<const D: usize> {
    /// The solid does not move.
    #[default]
    Still,
    /// The solid moves with its pivot and rotates about it, at constant rates, from its rest position at time 0.
    Steady {
        /// Velocity of the pivot, in lengths per second.
        velocity: [f64; D],
        /// Speed of rotation, in radians per second.
        spin: Spin<D>,
        /// Position of the pivot at time 0.
        pivot: [f64; D],
    },
    /// The solid follows a table of positions and times.
    Keyframes(Keyframes<D>),
}

/// Why a table of keyframes is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The table is empty.
    #[error("a motion without keyframes: expected at least one")]
    Empty,
    /// The times do not ascend.
    #[error("keyframe {index} is at time {time}, the one before it at {before}: expected strictly ascending times")]
    Order {
        /// Which keyframe, from 0.
        index: usize,
        /// Its time.
        time: f64,
        /// The time of the keyframe before.
        before: f64,
    },
    /// A value is not finite.
    #[error("keyframe {index} has a {what} that is not finite")]
    NotFinite {
        /// Which keyframe, from 0.
        index: usize,
        /// The name of the value.
        what: &'static str,
    },
    /// The pivot is not finite.
    #[error("the pivot of a motion is not finite")]
    Pivot,
}

/// Shift, rotation and their rates at one time.
pub(crate) struct Moment<const D: usize> {
    pub(crate) pivot: [f64; D],
    pub(crate) shift: [f64; D],
    pub(crate) turn: Spin<D>,
    pub(crate) shift_rate: [f64; D],
    pub(crate) turn_rate: Spin<D>,
}

impl<const D: usize> Motion<D> {
    /// Motion along a table of keyframes, with rotations about `pivot` (its position at rest).
    pub fn keyframes(pivot: [f64; D], frames: Vec<Keyframe<D>>) -> Result<Self, MotionError> {
        Keyframes::new(pivot, frames).map(Self::Keyframes)
    }

    /// Position and orientation at a time.
    pub fn pose(&self, time: f64) -> Pose<D> {
        let moment = self.moment(time);
        Pose::from_spin(&moment.turn).about(moment.pivot).then(&Pose::from_translation(moment.shift))
    }

    /// Velocity of the material point that is at `point` at a time: the rate of [`Self::pose`].
    ///
    /// At a keyframe, where the rate jumps, this is the rate after the keyframe.
    pub fn velocity(&self, time: f64, point: [f64; D]) -> [f64; D] {
        if matches!(self, Self::Still) {
            return [0.0; D];
        }
        let moment = self.moment(time);
        let offset = minus(point, plus(moment.pivot, moment.shift));
        plus(moment.shift_rate, angular_velocity(&moment.turn, &moment.turn_rate).velocity(offset))
    }

    /// Whether the solid is at rest at all times.
    pub fn is_still(&self) -> bool {
        match self {
            Self::Still => true,
            Self::Steady { velocity, spin, .. } => *velocity == [0.0; D] && *spin == Spin::none(),
            Self::Keyframes(table) => {
                table.frames.iter().all(|frame| frame.translation == [0.0; D] && frame.rotation == Spin::none())
            }
        }
    }

    fn moment(&self, time: f64) -> Moment<D> {
        match self {
            Self::Still => Moment::held([0.0; D], [0.0; D], Spin::none()),
            Self::Steady { velocity, spin, pivot } => Moment {
                pivot: *pivot,
                shift: times(time, *velocity),
                turn: spin.scaled(time),
                shift_rate: *velocity,
                turn_rate: *spin,
            },
            Self::Keyframes(table) => table.moment(time),
        }
    }
}

impl<const D: usize> Moment<D> {
    pub(crate) fn held(pivot: [f64; D], shift: [f64; D], turn: Spin<D>) -> Self {
        Self { pivot, shift, turn, shift_rate: [0.0; D], turn_rate: Spin::none() }
    }
}

/// The Ω of exp(W)' = Ω exp(W), from W and W'.
fn angular_velocity<const D: usize>(turn: &Spin<D>, rate: &Spin<D>) -> Spin<D> {
    let (angle, w, dw) = (turn.size(), &turn.rate, &rate.rate);
    let once = commutator(w, dw);
    let twice = commutator(w, &once);
    let (first, second) = (cosine_ratio(angle), sine_defect_ratio(angle));
    Spin { rate: matrix(|row, k| dw[row][k] + first * once[row][k] + second * twice[row][k]) }
}

/// (θ − sin θ) / θ³.
fn sine_defect_ratio(angle: f64) -> f64 {
    let squared = angle * angle;
    // Below 0.1 the series is exact to 1e-16, while the quotient has lost three digits.
    if angle < 0.1 {
        1.0 / 6.0 - squared / 120.0 * (1.0 - squared / 42.0 * (1.0 - squared / 72.0 * (1.0 - squared / 110.0)))
    } else {
        (angle - angle.sin()) / (squared * angle)
    }
}

fn commutator<const D: usize>(a: &Matrix<D>, b: &Matrix<D>) -> Matrix<D> {
    let (ab, ba) = (product(a, b), product(b, a));
    matrix(|row, k| ab[row][k] - ba[row][k])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::length;

    fn frame_2d(time: f64, translation: [f64; 2], angle: f64) -> Keyframe<2> {
        Keyframe { time, translation, rotation: Spin::in_plane(angle) }
    }

    fn frame_3d(time: f64, translation: [f64; 3], rotation: [f64; 3]) -> Keyframe<3> {
        Keyframe { time, translation, rotation: Spin::about_axis(rotation) }
    }

    /// Compares the velocity with central differences of the pose, at times away from keyframes.
    fn assert_velocity_is_the_rate_of_the_pose<const D: usize>(motion: &Motion<D>, at_rest: [f64; D]) {
        for time in (0..60).map(|k| 0.0503 * f64::from(k) - 0.511) {
            let step = 1e-5;
            let (before, after) = (motion.pose(time - step).apply(at_rest), motion.pose(time + step).apply(at_rest));
            let measured = times(0.5 / step, minus(after, before));
            let velocity = motion.velocity(time, motion.pose(time).apply(at_rest));
            assert!(length(minus(measured, velocity)) < 1e-7, "at {time}: {measured:?} against {velocity:?}");
        }
    }

    #[test]
    fn velocity_is_the_rate_of_the_pose_in_the_plane() {
        let steady = Motion::Steady { velocity: [0.3, -0.1], spin: Spin::in_plane(2.0), pivot: [0.5, 0.2] };
        assert_velocity_is_the_rate_of_the_pose(&steady, [0.9, -0.4]);
        let frames =
            vec![frame_2d(0.0, [0.0; 2], 0.0), frame_2d(0.7, [0.2, 0.1], 9.0), frame_2d(1.6, [-0.2, 0.5], -1.0)];
        assert_velocity_is_the_rate_of_the_pose(&Motion::keyframes([0.1, 0.2], frames).unwrap(), [0.4, 0.4]);
        assert_velocity_is_the_rate_of_the_pose(&Motion::Still, [0.4, 0.4]);
    }

    #[test]
    fn velocity_is_the_rate_of_the_pose_in_space_even_if_the_axis_changes() {
        let spin = Spin::about_axis([1.0, -2.0, 0.5]);
        let steady = Motion::Steady { velocity: [0.3, -0.1, 0.2], spin, pivot: [0.5, 0.2, 0.0] };
        assert_velocity_is_the_rate_of_the_pose(&steady, [0.9, -0.4, 0.3]);
        let frames = vec![
            frame_3d(-0.2, [0.0; 3], [0.0; 3]),
            frame_3d(0.7, [0.2, 0.1, 0.0], [2.0, 1.0, -1.0]),
            frame_3d(1.6, [-0.2, 0.5, 1.0], [-1.0, 4.0, 0.5]),
        ];
        assert_velocity_is_the_rate_of_the_pose(&Motion::keyframes([0.1; 3], frames).unwrap(), [0.4, -0.4, 0.8]);
    }

    #[test]
    fn a_motion_meets_its_keyframes_and_rests_before_and_after_them() {
        let frames = vec![frame_2d(1.0, [0.0; 2], 0.0), frame_2d(2.0, [1.0, 0.0], 3.0)];
        let motion = Motion::keyframes([5.0, 5.0], frames).unwrap();
        assert_eq!(motion.pose(-3.0), Pose::identity());
        assert_eq!(motion.pose(9.0), motion.pose(2.0));
        assert_eq!(motion.velocity(0.5, [0.0; 2]), [0.0; 2]);
        assert_eq!(motion.velocity(2.0, [0.0; 2]), [0.0; 2]);
        assert!(length(minus(motion.pose(2.0).apply([5.0, 5.0]), [6.0, 5.0])) < 1e-14);
        assert_eq!(motion.velocity(1.0, [5.0, 6.0]), [1.0 - 3.0, 0.0]);
        assert!(!motion.is_still());
    }

    #[test]
    fn the_small_angle_series_meets_the_formula() {
        let angle: f64 = 0.1;
        let formula = (angle - angle.sin()) / angle.powi(3);
        assert!((sine_defect_ratio(angle.next_down()) - formula).abs() < 1e-14);
    }

    #[test]
    fn invalid_tables_are_refused_with_the_number_of_the_keyframe() {
        let refused = |frames| Motion::keyframes([0.0; 2], frames).unwrap_err().to_string();
        assert_eq!(refused(vec![]), "a motion without keyframes: expected at least one");
        assert_eq!(
            refused(vec![frame_2d(1.0, [0.0; 2], 0.0), frame_2d(1.0, [0.0; 2], 0.0)]),
            "keyframe 1 is at time 1, the one before it at 1: expected strictly ascending times"
        );
        let nowhere = vec![frame_2d(0.0, [0.0; 2], f64::NAN)];
        assert_eq!(refused(nowhere), "keyframe 0 has a rotation that is not finite");
        assert_eq!(refused(vec![frame_2d(f64::INFINITY, [0.0; 2], 0.0)]), "keyframe 0 has a time that is not finite");
        assert_eq!(Motion::keyframes([f64::NAN; 2], vec![frame_2d(0.0, [0.0; 2], 0.0)]), Err(MotionError::Pivot));
    }
}
