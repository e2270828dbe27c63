//! What a kernel is asked to do.

use super::c::modes;

modes! {
    /// How a half-sweep treats its right-hand side and its neighbours.
    Sweep: i32 {
        WithB = 0,
        /// The right-hand side is zero.
        WithoutB = 1,
        /// All neighbours are zero.
        FromZero = 2,
    }

    /// When the couplings of coarse levels are computed again.
    Truncation: i32 {
        Always = 0,
        /// If pinned rows have changed since the last time.
        IfChanged = 1,
    }

    /// What happens to the values of wall cells.
    Settle: i32 {
        /// Pinned cells move to their bound.
        Pinned = 0,
        /// Cells below their bound move to it.
        Lift = 1,
        /// The same after all cells are freed.
        Release = 2,
    }

    /// What listed rows get.
    Replace: i32 {
        B = 0,
        Q = 1,
        /// Their walls are removed: they become equations.
        Walls = 2,
    }

    /// The values by which the kernels decide which row of a component is pinned.
    Slack: i32 {
        OfIterate = 0,
        /// The correction near walls, which has not been added to the iterate yet.
        OfCorrection = 1,
    }

    /// What makes the preconditioned residual z from the residual r.
    Precondition: i32 {
        Nothing = 0,
        Diagonal = 1,
        Cycle = 2,
        /// Every direction is z itself.
        CycleAlone = 3,
    }

    /// A part of a shape: a simple shape, or what joins the distances of the parts before.
    ShapeKind: i32 {
        Sphere = 0,
        Cuboid = 1,
        Capsule = 2,
        HalfSpace = 3,
        /// No point at all.
        Nothing = 4,
        /// All points.
        Everything = 5,
        /// The smaller of the last two.
        Union = 6,
        /// The larger of the last two.
        Intersection = 7,
        Complement = 8,
        Dilation = 9,
    }

    /// How the viscosity follows from the rate of shear, with the numbers of `unstick_liquid::Viscosity` in their order.
    ViscousLaw: i32 {
        Newtonian = 0,
        PowerLaw = 1,
        Carreau = 2,
        Yield = 3,
    }

    /// The state of a conjugate gradient iteration.
    Progress: i32 {
        Running = 0,
        Done = 1,
        /// A number that must be positive is not.
        Broken = 2,
    }

    /// Vectors of the methods other than `best`, as indices into `Args::vectors`.
    Vector: usize {
        Residual = 0,
        /// The residual itself if there is no preconditioner.
        Preconditioned = 1,
        Direction = 2,
        /// The direction of the next iteration.
        Next = 3,
        /// The iterate itself if it is corrected in place.
        Answer = 4,
        Trial = 5,
        /// Norms of the residual after each of the last iterations.
        Norms = 6,
        /// The preconditioned image of the residual, which blocks of a cooperative grid read from each other.
        Exchanged = 7,
        /// The same in every other iteration.
        OtherExchanged = 8,
        /// The image of the preconditioned image of the direction.
        SecondImage = 9,
        /// The image of the direction. It shares the memory of `Next`.
        Image = 10,
        /// The preconditioned image of the direction. It shares the memory of `OtherExchanged`.
        PreconditionedImage = 11,
    }
}

/// The number of vectors.
pub(crate) const VECTORS: usize = Vector::PreconditionedImage as usize + 1;

impl Vector {
    /// Whether only a cooperative grid needs it.
    pub fn is_cooperative(self) -> bool {
        matches!(self, Self::Exchanged | Self::OtherExchanged | Self::SecondImage)
    }
}

impl Precondition {
    /// Whether it runs V-cycles.
    pub fn has_cycle(self) -> bool {
        matches!(self, Self::Cycle | Self::CycleAlone)
    }
}
