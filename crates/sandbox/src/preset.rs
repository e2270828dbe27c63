//! Initial scenes.

use unstick_grid::SignedDistance;

/// An initial scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// A breaking dam.
    #[default]
    Dam,
    /// A block of liquid at the ceiling.
    Ceiling,
    /// A round container whose left half is full.
    Circle,
    /// Baffles with liquid above them.
    Maze,
    /// No liquid and no walls inside.
    Empty,
}

impl Preset {
    /// All presets in the order of their numbers.
    pub const ALL: [Self; 5] = [Self::Dam, Self::Ceiling, Self::Circle, Self::Maze, Self::Empty];

    /// The walls, if any.
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

    /// The liquid, if any.
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
