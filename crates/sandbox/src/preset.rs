//! What there is at the beginning.

use unstick_grid::SignedDistance;

/// What there is at the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// A block of liquid that falls over.
    #[default]
    Dam,
    /// A block that hangs from the ceiling.
    Ceiling,
    /// A round container whose left half is full.
    Circle,
    /// Baffles, and liquid above them.
    Maze,
    /// Nothing.
    Empty,
}

impl Preset {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Dam, Self::Ceiling, Self::Circle, Self::Maze, Self::Empty];

    /// The walls; none where there are none.
    pub fn walls(self) -> Option<SignedDistance<2>> {
        let cuboid = SignedDistance::cuboid;
        match self {
            Self::Dam | Self::Ceiling | Self::Empty => None,
            Self::Circle => Some(SignedDistance::sphere([0.5, 0.5], 0.42).complement()),
            Self::Maze => Some(
                cuboid([0.25, 0.64], [1.0, 0.7])
                    .or(cuboid([0.0, 0.42], [0.75, 0.48]))
                    .or(cuboid([0.25, 0.2], [1.0, 0.26])),
            ),
        }
    }

    /// The liquid.
    pub fn liquid(self) -> Option<SignedDistance<2>> {
        let cuboid = SignedDistance::cuboid;
        match self {
            Self::Dam => Some(cuboid([0.0, 0.0], [0.3, 0.75])),
            Self::Ceiling => Some(cuboid([0.3, 0.75], [0.7, 1.0])),
            Self::Circle => Some(SignedDistance::half_space([0.5, 0.5], [1.0, 0.0])),
            Self::Maze => Some(cuboid([0.55, 0.72], [1.0, 1.0])),
            Self::Empty => None,
        }
    }
}
