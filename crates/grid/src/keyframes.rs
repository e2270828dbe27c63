//! Tables of keyframes and the interpolation between them.

use crate::motion::{Moment, MotionError};
use crate::pose::Spin;
use crate::vector::{Matrix, matrix};

/// The position of a solid at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe<const D: usize> {
    /// Seconds.
    pub time: f64,
    /// Shift of the pivot from its position at rest.
    pub translation: [f64; D],
    /// Rotation about the pivot in radians. An angle above 2π stands for more than one turn.
    pub rotation: Spin<D>,
}

/// A table of keyframes, valid by construction: the values are finite and the times strictly ascending.
///
/// Between keyframes, shift and rotation (in space: axis times angle) follow the [`Interpolation`]. Before the first
/// keyframe and after the last the solid rests.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframes<const D: usize> {
    pivot: [f64; D],
    pub(crate) frames: Vec<Keyframe<D>>,
    interpolation: Interpolation,
}

/// How positions between keyframes are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight lines: the velocity jumps at every keyframe.
    #[default]
    Linear,
    /// Cubic pieces that never overshoot. The velocity is continuous. It is zero at both ends and where a component
    /// has an extremum \[Fritsch1984\].
    Smooth,
}

impl<const D: usize> Keyframes<D> {
    /// A table of keyframes with rotations about `pivot` (its position at rest).
    pub fn new(pivot: [f64; D], frames: Vec<Keyframe<D>>) -> Result<Self, MotionError> {
        if frames.is_empty() {
            return Err(MotionError::Empty);
        }
        if !is_finite(pivot) {
            return Err(MotionError::Pivot);
        }
        for (index, frame) in frames.iter().enumerate() {
            frame.check().map_err(|what| MotionError::NotFinite { index, what })?;
            if let Some(before) = index.checked_sub(1).map(|before| frames[before].time)
                && frame.time <= before
            {
                return Err(MotionError::Order { index, time: frame.time, before });
            }
        }
        Ok(Self { pivot, frames, interpolation: Interpolation::default() })
    }

    /// The same table with another interpolation.
    #[must_use]
    pub fn interpolated(mut self, interpolation: Interpolation) -> Self {
        self.interpolation = interpolation;
        self
    }

    /// The centre of rotation, at rest.
    pub fn pivot(&self) -> [f64; D] {
        self.pivot
    }

    /// The keyframes.
    pub fn frames(&self) -> &[Keyframe<D>] {
        &self.frames
    }

    pub(crate) fn moment(&self, time: f64) -> Moment<D> {
        let after = self.frames.partition_point(|frame| frame.time <= time);
        let Some(before) = after.checked_sub(1).filter(|_| after < self.frames.len()) else {
            let end = self.frames[after.min(self.frames.len() - 1)];
            return Moment::held(self.pivot, end.translation, end.rotation);
        };
        let shift = |axis: usize| self.between(before, time, |frame| frame.translation[axis]);
        let turn = |row: usize, k: usize| self.between(before, time, |frame| frame.rotation.rate[row][k]);
        let turning: Matrix<D> = matrix(|row, k| turn(row, k).1);
        Moment {
            pivot: self.pivot,
            shift: std::array::from_fn(|axis| shift(axis).0),
            turn: Spin { rate: matrix(|row, k| turn(row, k).0) },
            shift_rate: std::array::from_fn(|axis| shift(axis).1),
            turn_rate: Spin { rate: turning },
        }
    }

    /// One component and its rate at a time between two keyframes.
    fn between(&self, before: usize, time: f64, component: impl Fn(&Keyframe<D>) -> f64) -> (f64, f64) {
        let (from, to) = (&self.frames[before], &self.frames[before + 1]);
        let (length, change) = (to.time - from.time, component(to) - component(from));
        let part = (time - from.time) / length;
        if self.interpolation == Interpolation::Linear {
            return (component(from) + part * change, change / length);
        }
        // The Hermite cubic through both values with both slopes.
        let (start, end) = (self.slope(before, &component), self.slope(before + 1, &component));
        let (a, b) = (length * start - change, change - length * end);
        let value = component(from) + part * (change + (1.0 - part) * ((1.0 - part) * a + part * b));
        let rate = change + (1.0 - 2.0 * part) * ((1.0 - part) * a + part * b) + part * (1.0 - part) * (b - a);
        (value, rate / length)
    }

    /// The rate of a component at a keyframe: the harmonic mean of the slopes on both sides, weighted by the lengths of
    /// their intervals. Zero at the ends and at an extremum.
    fn slope(&self, line: usize, component: impl Fn(&Keyframe<D>) -> f64) -> f64 {
        let [Some(before), Some(here), Some(after)] = [line.checked_sub(1), Some(line), line.checked_add(1)]
            .map(|index| index.and_then(|index| self.frames.get(index)))
        else {
            return 0.0;
        };
        let (first, second) = (here.time - before.time, after.time - here.time);
        let (a, b) = ((component(here) - component(before)) / first, (component(after) - component(here)) / second);
        if a * b <= 0.0 {
            return 0.0;
        }
        let (u, v) = (2.0 * second + first, second + 2.0 * first);
        (u + v) / (u / a + v / b)
    }
}

impl<const D: usize> Keyframe<D> {
    /// Returns the name of a value that is not finite.
    fn check(&self) -> Result<(), &'static str> {
        match () {
            () if !self.time.is_finite() => Err("time"),
            () if !is_finite(self.translation) => Err("translation"),
            () if !self.rotation.is_finite() => Err("rotation"),
            () => Ok(()),
        }
    }
}

pub(crate) fn is_finite<const D: usize>(values: [f64; D]) -> bool {
    values.iter().all(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(values: &[(f64, f64)]) -> Keyframes<2> {
        let line = |&(time, x): &(f64, f64)| Keyframe { time, translation: [x, 0.0], rotation: Spin::in_plane(-x) };
        Keyframes::new([0.0; 2], values.iter().map(line).collect()).unwrap().interpolated(Interpolation::Smooth)
    }

    #[test]
    fn a_smooth_table_meets_its_keyframes_without_overshoot_and_with_continuous_velocity() {
        let lines = [(0.0, 0.0), (1.0, 1.0), (1.5, 3.0), (3.0, 3.0), (4.0, 2.5)];
        let table = table(&lines);
        for (time, x) in lines {
            assert!((table.moment(time).shift[0] - x).abs() < 1e-14);
        }
        let mut last = table.moment(-0.1).shift_rate[0];
        for step in 0..=4200 {
            let time = -0.1 + 0.001 * f64::from(step);
            let moment = table.moment(time);
            assert!((-1e-12..=3.0 + 1e-12).contains(&moment.shift[0]), "{time}: {}", moment.shift[0]);
            assert!((1.5..3.0).contains(&time) <= ((moment.shift[0] - 3.0).abs() < 1e-12), "it rests at {time}");
            assert!((moment.shift_rate[0] - last).abs() < 0.06, "a jump at {time}");
            assert!((moment.shift_rate[0] + moment.turn_rate.rate[1][0]).abs() < 1e-12);
            last = moment.shift_rate[0];
            let measured = (table.moment(time + 1e-6).shift[0] - table.moment(time - 1e-6).shift[0]) / 2e-6;
            assert!((measured - last).abs() < 1e-4, "{time}: {measured} against {last}");
        }
        assert_eq!(last, 0.0);
    }

    #[test]
    fn a_smooth_table_of_constant_velocity_keeps_it_between_inner_keyframes() {
        let table = table(&[(0.0, 0.0), (1.0, 2.0), (2.5, 5.0), (3.0, 6.0), (4.0, 8.0)]);
        for time in [1.0, 1.3, 2.0, 2.9] {
            let moment = table.moment(time);
            assert!((moment.shift[0] - 2.0 * time).abs() < 1e-12 && (moment.shift_rate[0] - 2.0).abs() < 1e-12);
        }
    }
}
