//! The structures of a viscous step. Lengths are in cells, velocities in m/s.

use bytemuck::{Pod, Zeroable};

use super::c::{CType, Pointer, structures};
use super::constants::MOST_SMOOTHINGS;

structures! {
    /// A box of cells with a rim, and the system of a viscous step on it. Cells, faces and edges of all kinds have the same
    /// places; arrays of several kinds have one after the other.
    ViscousLevel {
        /// Cells along each axis, without the rim.
        cells: [i32; 3],
        /// Places along each axis, and the steps from one to the next.
        shape: [i32; 3],
        stride: [i32; 3],
        /// Number of places.
        places: i32,
        /// Coefficients of strain in cells by axis, and on edges by pairs of axes.
        cell: Pointer<f32>,
        edge: Pointer<f32>,
        /// Mass and drag of faces by axis.
        face: Pointer<f32>,
        /// 1/diagonal; zero for faces that do not count.
        inverse: Pointer<f32>,
        /// Work of a cycle: the iterate, the right-hand side, the residual, the direction.
        x: Pointer<f32>,
        b: Pointer<f32>,
        r: Pointer<f32>,
        d: Pointer<f32>,
    }

    /// What the host reads of a viscous solve.
    ViscousSums {
        /// rᵀz of this iteration and of the one before.
        rho: f64,
        rho_before: f64,
        /// The largest value of z.
        size: f64,
        /// pᵀA p.
        curvature: f64,
        /// The largest value of the residual, and of the change of the velocity.
        residual: f64,
        largest: f64,
        /// The largest diagonal entry of strain.
        stiffness: f64,
    }

    /// A viscous step: its numbers and its arrays.
    DeviceViscous {
        /// The first cell of the box on the grid.
        first: [i32; 3],
        /// A `ViscousLaw`.
        law: i32,
        /// In which viscosity and friction follow the velocity; the first is zero.
        round: i32,
        /// Whether a step of smoothing starts from zero, or a direction anew.
        starts: i32,
        /// Steps of a smoothing, and of that of the coarsest level, which are listed behind them.
        degree: i32,
        coarsest_degree: i32,
        /// The step at work.
        turn: i32,
        /// Levels that a single launch works on.
        small_levels: i32,
        /// Δt/h², and the seconds over which stress acts.
        scale: f64,
        kick: f64,
        /// The numbers of the law.
        numbers: [f64; 4],
        /// Chebyshev's recurrence: what a direction keeps in each step, and what is added of the scaled residual.
        keep: [f32; MOST_SMOOTHINGS],
        add: [f32; MOST_SMOOTHINGS],
        /// How far sources hold what leaves them, in metres.
        mouth: f64,
        /// Faces that bear stress have this part of a cell of liquid at least.
        least_mass: f64,
        /// Least distance of a face from its wall.
        least_distance: f64,
        /// Part of a cell below which strain across it is not divided any further.
        least_width: f64,
        /// Friction brakes up to a velocity of one part of so many of what it would be without.
        stops: f64,
        /// A wall without pressure has let go where liquid leaves it this steeply.
        leaves: f64,
        /// Beyond this distance from the surface a volume is full or empty.
        far: f64,
        /// A slope of less than this is that of a thin sheet, or of none.
        clear: f64,
        /// The level that the kernel works on, and the next coarser one.
        fine: ViscousLevel,
        coarse: ViscousLevel,
        /// The levels that a single launch works on, the coarsest last.
        levels: Pointer<ViscousLevel>,
        /// Viscosity of the cells of the box; null if it is the same everywhere.
        viscosity: Pointer<f32>,
        /// What the walls of the cells of the grid do to liquid that slides along them: a slip length in metres, or the
        /// coefficient of friction with the sign of minus. Null if they do nothing.
        drag: Pointer<f32>,
        /// The velocity after forces and the predicted pressure, on the faces of the box.
        before: Pointer<f32>,
        /// The velocity before the pressure, on the faces of the grid; null without stress.
        forced: [Pointer<f32>; 3],
        /// Pressure over density and walls that have let go, at the end of the last step.
        pressure_before: Pointer<f32>,
        separated_before: Pointer<u8>,
        /// Conjugate gradients, on the faces of the box: what stress changes of the velocity, and so on.
        change: Pointer<f64>,
        residual: Pointer<f64>,
        direction: Pointer<f64>,
        product: Pointer<f64>,
        sums: Pointer<ViscousSums>,
    }
}
