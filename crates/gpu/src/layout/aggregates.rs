//! The structures of matrices without a lattice.

use bytemuck::{Pod, Zeroable};

use super::c::{CType, Pointer, structures};
use super::constants::PAIR_PASSES;

structures! {
    /// Rows of a level. See `kernels/aggregates/rows.cuh`.
    DeviceRows {
        /// How many there are.
        count: i32,
        /// The number of the level.
        number: i32,
        /// The first entry of each slice of rows, and the end.
        starts: Pointer<u32>,
        /// Entries of each row.
        lengths: Pointer<u32>,
        columns: Pointer<u32>,
        /// Entries beside the diagonal.
        off: Pointer<f32>,
        /// The diagonal less all couplings.
        excess: Pointer<f32>,
        diagonal: Pointer<f32>,
        /// What smoothing multiplies by.
        weight: Pointer<f32>,
        /// The same, and zero on pinned rows.
        inverse: Pointer<f32>,
        /// The measure of the best pair that a row could form.
        best: Pointer<f32>,
        /// The aggregate of each row.
        parents: Pointer<u32>,
        /// The rows of the finer level that each row gathers, list after list.
        members: Pointer<u32>,
        /// The iterate of a cycle, its right-hand side, what is left of it, and the steps of smoothing.
        x: Pointer<f32>,
        b: Pointer<f32>,
        residual: Pointer<f32>,
        step: Pointer<f32>,
        other_step: Pointer<f32>,
        /// The first direction on a coarse level, and its image.
        direction: Pointer<f32>,
        product: Pointer<f32>,
        /// The problem with bounds: its right-hand side, its bounds, and a correction of the iterate.
        load: Pointer<f32>,
        floor: Pointer<f32>,
        correction: Pointer<f32>,
    }

    /// The steps of conjugate gradients on a coarse level.
    KrylovSteps {
        /// The answer is so much of the first direction,
        first: f64,
        /// and so much of the iterate.
        second: f64,
        /// The first step.
        step: f64,
        /// The curvature of the first direction.
        curvature: f64,
        /// Whether there is a second step.
        is_second: i32,
        unused: i32,
    }

    /// A matrix without a lattice: its levels, and what makes them.
    DeviceAggregates {
        /// The level that the kernel works on, and the next coarser one.
        level: DeviceRows,
        coarse: DeviceRows,
        levels: Pointer<DeviceRows>,
        steps: Pointer<KrylovSteps>,
        /// The levels, a bit for each, without whose second step the launch is not needed.
        guards: i32,
        /// How often rows have been paired.
        pass: i32,
        /// Whether sweeps respect the floor.
        has_floor: i32,
        unused: i32,
        /// The matrix in compressed rows, as it arrives.
        matrix_starts: Pointer<u32>,
        matrix_columns: Pointer<u32>,
        matrix_values: Pointer<f64>,
        /// The finest level in double precision.
        values: Pointer<f64>,
        diagonal: Pointer<f64>,
        /// A q + b.
        natural: Pointer<f64>,
        /// The inverse of the coarsest matrix.
        dense: Pointer<f64>,
        /// Conjugate gradients: the iterate, what is left of the residual, the direction and its image.
        answer: Pointer<f64>,
        left: Pointer<f64>,
        direction: Pointer<f64>,
        image: Pointer<f64>,
        /// The mate of each row, whom it would like, and the number of its pair if it is the first.
        mates: Pointer<u32>,
        picks: Pointer<u32>,
        numbers: Pointer<u32>,
        /// After each pass, the pair of each row and the rows of each pair.
        pairs: [Pointer<u32>; PAIR_PASSES],
        firsts: [Pointer<u32>; PAIR_PASSES],
        seconds: [Pointer<u32>; PAIR_PASSES],
        /// What a sweep reads, and what it writes.
        relaxed: Pointer<f32>,
        relaxing: Pointer<f32>,
    }
}
