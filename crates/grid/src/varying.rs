//! Numbers that depend on place and time: constants, tables, pictures, formulas.

use std::fmt;
use std::sync::Arc;

/// A number that may depend on place and time. Clones share what is large.
#[derive(Clone, Debug, PartialEq)]
pub enum Varying<const D: usize> {
    /// The same everywhere and at all times.
    Constant(f64),
    /// (time, value) with ascending times, linear in between. The first and the last value hold beyond their times.
    Table(Arc<[(f64, f64)]>),
    /// Painted over a plane of the domain, the same at all times.
    Picture(Picture),
    /// Whatever a formula says.
    Formula(Formula<D>),
}

impl<const D: usize> Default for Varying<D> {
    fn default() -> Self {
        Self::Constant(0.0)
    }
}

impl<const D: usize> From<f64> for Varying<D> {
    fn from(value: f64) -> Self {
        Self::Constant(value)
    }
}

impl<const D: usize> Varying<D> {
    /// The value at a point and a time.
    pub fn at(&self, point: [f64; D], time: f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Table(table) => in_table(table, time),
            Self::Picture(picture) => picture.at(point),
            Self::Formula(formula) => (formula.value)(point, time),
        }
    }

    /// The value, if it is the same everywhere and at all times.
    pub fn constant(&self) -> Option<f64> {
        match self {
            Self::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether it is zero everywhere and at all times, as far as can be told.
    pub fn is_zero(&self) -> bool {
        self.constant() == Some(0.0)
    }

    /// Whether it may change with time.
    pub fn changes(&self) -> bool {
        matches!(self, Self::Table(_) | Self::Formula(_))
    }
}

fn in_table(table: &[(f64, f64)], time: f64) -> f64 {
    let after = table.partition_point(|entry| entry.0 <= time);
    match (after.checked_sub(1).map(|before| table[before]), table.get(after)) {
        (Some((start, from)), Some(&(end, to))) => from + (time - start) / (end - start) * (to - from),
        (Some((_, value)), None) | (None, Some(&(_, value))) => value,
        (None, None) => 0.0,
    }
}

/// A picture that is stretched over two axes of the domain. It is linear between the centres of its pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Pixels along both axes.
    pub size: [usize; 2],
    /// Values of the pixels, along the first axis first, from the lower corner on.
    pub values: Arc<[f64]>,
    /// The axes of the domain.
    pub axes: [usize; 2],
    /// The lower corner of the domain along those axes.
    pub lower: [f64; 2],
    /// Its length along them.
    pub length: [f64; 2],
}

impl Picture {
    /// The value at a point; beyond the domain that of its border.
    pub fn at<const D: usize>(&self, point: [f64; D]) -> f64 {
        // The pixels before and behind along a side, and the part of the way from one to the other.
        let between = |side: usize| {
            let (count, along) = (self.size[side], point[self.axes[side]] - self.lower[side]);
            let place = (along / self.length[side] * count as f64 - 0.5).clamp(0.0, (count - 1) as f64);
            (place as usize, (place as usize + 1).min(count - 1), place.fract())
        };
        let ((left, right, across), (low, high, along)) = (between(0), between(1));
        let row = |y: usize| {
            let pixel = |x: usize| self.values[x + self.size[0] * y];
            pixel(left) + across * (pixel(right) - pixel(left))
        };
        let (below, above) = (row(low), row(high));
        below + along * (above - below)
    }
}

/// A formula and its text. Two are the same if their texts are.
#[derive(Clone)]
pub struct Formula<const D: usize> {
    /// As it was written.
    pub text: String,
    /// The value at a point and a time.
    pub value: Arc<dyn Fn([f64; D], f64) -> f64 + Send + Sync>,
}

impl<const D: usize> fmt::Debug for Formula<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Formula").field(&self.text).finish()
    }
}

impl<const D: usize> PartialEq for Formula<D> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_linear_between_their_times_and_held_beyond_them() {
        let table = Varying::<2>::Table([(1.0, 4.0), (3.0, 0.0)].into());
        assert_eq!([0.0, 1.0, 2.5, 9.0].map(|time| table.at([0.0; 2], time)), [4.0, 4.0, 1.0, 0.0]);
        assert!(table.changes() && table.constant().is_none() && !table.is_zero());
        assert!(Varying::<2>::default().is_zero());
    }

    #[test]
    fn a_picture_is_stretched_over_the_domain() {
        let picture = Picture {
            size: [2, 3],
            values: [0.0, 1.0, 10.0, 11.0, 20.0, 21.0].into(),
            axes: [0, 2],
            lower: [-1.0, 0.0],
            length: [2.0, 6.0],
        };
        let painted = Varying::<3>::Picture(picture);
        assert_eq!(painted.at([-0.5, 99.0, 1.0], 0.0), 0.0, "the centre of the first pixel");
        assert_eq!(painted.at([0.0, 0.0, 3.0], 0.0), 10.5);
        assert_eq!(painted.at([9.0, 0.0, 9.0], 5.0), 21.0, "held beyond the domain");
        let dot = Picture { size: [1, 1], values: [7.0].into(), axes: [0, 1], lower: [0.0; 2], length: [1.0; 2] };
        assert_eq!(dot.at([0.3, 0.9]), 7.0);
    }

    #[test]
    fn formulas_are_compared_by_their_text() {
        let formula = |text: &str| Formula::<2> { text: text.into(), value: Arc::new(|[x, _], time| x * time) };
        assert_eq!(Varying::Formula(formula("x*t")).at([2.0, 0.0], 3.0), 6.0);
        assert!(formula("x*t") == formula("x*t") && formula("x*t") != formula("t*x"));
        assert_eq!(format!("{:?}", formula("x*t")), "Formula(\"x*t\")");
    }
}
