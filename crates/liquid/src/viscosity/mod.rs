//! Viscosity: what shear costs, and what walls have to do with it.
//!
//! The velocity u after a kick of length Δt is the one that minimises
//!
//! ```text
//!     ∫ ½ |u − u*|² + Δt ν |D(u)|²,      D(u) = ½ (∇u + ∇uᵀ),
//! ```
//!
//! over the liquid \[Batty2008\]. The free surface then bears no stress, whatever its shape: honey coils, and what only
//! turns is not slowed down. Diagonal entries of D live in cells, the others on edges (nodes in the plane), each with the
//! part of its volume that is liquid. The minimum is a symmetric positive definite system on the faces.
//!
//! Walls add Δt ν/(b + d) ½ |u − u_wall|² over their area: Navier's law for the slip length b, with the half cell of
//! thickness d between wall and face as a second resistance behind the first. b = 0 is the wall to which liquid sticks.
//! Without drag nothing is added. A wall that has let go adds nothing.
//!
//! Gravity and pressure nearly cancel in liquid at rest. Shear of either alone means nothing, so the stress is that of
//! the velocity after a first pressure solve. What it changes joins the velocity before that pressure, and the second
//! solve starts from the first.

mod cycle;
mod lattice;
mod level;
mod medium;
mod pool;
mod rate;
mod solve;
mod stage;
mod system;
mod transfer;
mod volumes;
mod walls;

pub use lattice::viscous_boxes;
pub(crate) use pool::Pool;

/// The numbers of viscous steps that no setup changes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ViscousRules {
    /// Rounds in which viscosity and friction follow the velocity.
    pub rounds: usize,
    /// Iterations after which a solve gives up.
    pub most_iterations: usize,
    /// Multigrid pays where the diagonal of strain is more than this part of the mass of a full cell.
    pub stiff: f64,
    /// Faces that bear stress have this part of a cell of liquid at least.
    pub least_mass: f64,
    /// Least distance of a face from its wall, in cells.
    pub least_distance: f64,
    /// Part of a cell below which strain across it is not divided any further.
    pub least_width: f64,
    /// Friction brakes up to a velocity of one part of so many of what it would be without.
    pub stops: f64,
    /// A wall without pressure has let go where liquid leaves it this steeply.
    pub leaves: f64,
    /// Beyond this distance from the surface, in cells, a volume is full or empty.
    pub far: f64,
    /// A slope of less than this is that of a thin sheet, or of none.
    pub clear: f64,
    /// A bound of the eigenvalues of the scaled system.
    pub largest_eigenvalue: f64,
    /// Steps of a smoothing, and the smallest eigenvalue that it is meant for, as a part of the largest.
    pub smoothing: (usize, f64),
    /// The same on the coarsest level.
    pub coarsest: (usize, f64),
}

impl ViscousRules {
    /// Those of this version.
    pub(crate) const NOW: Self = Self {
        rounds: stage::ROUNDS,
        most_iterations: solve::MOST,
        stiff: solve::STIFF,
        least_mass: medium::LEAST_MASS,
        least_distance: walls::LEAST_DISTANCE,
        least_width: walls::LEAST_WIDTH,
        stops: walls::STOPS,
        leaves: walls::LEAVES,
        far: volumes::FAR,
        clear: volumes::CLEAR,
        largest_eigenvalue: cycle::LARGEST as f64,
        smoothing: (cycle::DEGREE, cycle::SMOOTHED as f64),
        coarsest: (cycle::COARSEST_DEGREE, cycle::COARSEST_SMOOTHED as f64),
    };
}
