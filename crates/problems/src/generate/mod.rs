//! Pressure problems to try solvers on.

mod examples;
mod fields;
mod part;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use unstick_grid::{Grid, GridError};
use unstick_mlcp::fields::{FieldRows, Window};
use unstick_mlcp::ranks::{Boxes, Ranks};
use unstick_mlcp::{ProblemError, nearest};

use self::part::Part;
use crate::problem::Problem;

/// Fewer cells than this resolve none of the shapes.
const SMALLEST: usize = 8;

/// A family of problems, in two and three dimensions and any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Example {
    /// A cube of liquid, a lid over half its top, air over the rest.
    CubeLid,
    /// A spherical container with cut cells, its left half full.
    SphereHalf,
    /// The same with two plates two cells thick.
    ThinPlates,
    /// Two chambers, one of them sealed and full.
    SealedPocket,
    /// A box without a top, full to the brim.
    OpenBox,
    /// A full box with sealed walls all around.
    ClosedBox,
}

impl Example {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::CubeLid, Self::SphereHalf, Self::ThinPlates, Self::SealedPocket, Self::OpenBox, Self::ClosedBox];

    /// Name and summary.
    fn known(self) -> (&'static str, &'static str) {
        match self {
            Self::CubeLid => ("cube-lid", "a cube of liquid, a lid over half its top, air over the rest"),
            Self::SphereHalf => ("sphere-half", "a spherical container with cut cells, its left half full"),
            Self::ThinPlates => ("thin-plates", "the same with two plates two cells thick"),
            Self::SealedPocket => ("sealed-pocket", "two chambers, one of them sealed and full: a singular part"),
            Self::OpenBox => ("open-box", "a box without a top, full to the brim, which transforms solve"),
            Self::ClosedBox => {
                ("closed-box", "a full box with sealed walls all around: singular, and transforms solve it")
            }
        }
    }

    /// Stable name.
    pub fn name(self) -> &'static str {
        self.known().0
    }

    /// One line on what it is.
    pub fn summary(self) -> &'static str {
        self.known().1
    }

    /// Makes the problem on a grid of `size` cells along each of `dimension` axes.
    ///
    /// The seed changes a small random part of the velocity. The same arguments always give the same
    /// bits.
    ///
    /// ```
    /// use unstick_problems::Example;
    /// let problem = Example::SphereHalf.generate(2, 32, 0)?;
    /// assert!(problem.mlcp().wall_rows() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn generate(self, dimension: usize, size: usize, seed: u64) -> Result<Problem, GenerateError> {
        match dimension {
            _ if size < SMALLEST => Err(GenerateError::Size { size, smallest: SMALLEST }),
            2 => examples::fields::<2>(self, Part::whole(Grid::unit(size)?), seed).problem(),
            3 => examples::fields::<3>(self, Part::whole(Grid::unit(size)?), seed).problem(),
            _ => Err(GenerateError::Dimension(dimension)),
        }
    }

    /// Makes the rows of one rank, which sees its box and the cells around it and nothing else. All ranks call this
    /// together, with boxes of a grid of `size` cells along D axes.
    pub fn generate_part<const D: usize>(
        self,
        ranks: &Arc<dyn Ranks>,
        boxes: &Boxes,
        size: usize,
        seed: u64,
    ) -> Result<FieldRows<D>, GenerateError> {
        if size < SMALLEST {
            return Err(GenerateError::Size { size, smallest: SMALLEST });
        }
        let whole = Grid::unit(size)?;
        let own = boxes.own(ranks.rank());
        let (mut first, mut cells) = ([0; D], [size; D]);
        let mut inside = Window { first: [0; D], size: [size; D] };
        for axis in 1..D {
            let own = &own[axis - 1];
            first[axis] = own.start.saturating_sub(1);
            cells[axis] = (own.end + 1).min(size) - first[axis];
            (inside.first[axis], inside.size[axis]) = (own.start - first[axis], own.len());
        }
        let fields = examples::fields(self, Part::new(whole, first, cells)?, seed);
        Ok(fields.pressure().rows_of_rank(ranks, boxes, inside)?)
    }
}

/// A problem that cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// Neither two nor three.
    #[error("there are no examples in {0} dimensions, expected 2 or 3")]
    Dimension(usize),
    /// Too few cells.
    #[error("{size} cells along an axis are too few for the shapes, expected at least {smallest}")]
    Size {
        /// Cells asked for.
        size: usize,
        /// Cells needed.
        smallest: usize,
    },
    /// Too many cells.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// A problem that no solver would take.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Example {
    type Err = ParseExampleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|example| example.name() == text);
        known.ok_or_else(|| ParseExampleError { text: text.into() })
    }
}

/// Text that names no example.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no example `{text}`, expected one of {}", Example::ALL.map(Example::name).join(", "))]
pub struct ParseExampleError {
    text: String,
}

impl ParseExampleError {
    /// The example whose name looks most like what was given, if any does.
    pub fn nearest(&self) -> Option<Example> {
        nearest(&self.text, Example::ALL.map(Example::name))?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_arguments_give_the_same_problem_and_a_seed_changes_b_alone() {
        for example in Example::ALL {
            for dimension in [2, 3] {
                let [one, again, other] = [1, 1, 2].map(|seed| example.generate(dimension, 12, seed).unwrap());
                assert_eq!(one, again, "{example}");
                assert_eq!((one.matrix(), one.mlcp().lower()), (other.matrix(), other.mlcp().lower()), "{example}");
                assert_ne!(one.mlcp().b(), other.mlcp().b(), "{example}");
                assert_eq!(one.mlcp().wall_rows() == 0, example == Example::ClosedBox, "{example}");
            }
        }
    }

    #[test]
    fn sizes_and_dimensions_without_a_problem_are_refused() {
        let refusal = |dimension, size| Example::CubeLid.generate(dimension, size, 0).unwrap_err();
        assert_eq!(refusal(3, 7), GenerateError::Size { size: 7, smallest: 8 });
        assert_eq!(refusal(4, 8), GenerateError::Dimension(4));
    }

    #[test]
    fn examples_are_known_by_name_and_near_names_are_suggested() {
        for example in Example::ALL {
            assert_eq!(example.name().parse(), Ok(example));
        }
        assert_eq!("sphere-haf".parse::<Example>().unwrap_err().nearest(), Some(Example::SphereHalf));
        assert_eq!("teapot".parse::<Example>().unwrap_err().nearest(), None);
    }
}
