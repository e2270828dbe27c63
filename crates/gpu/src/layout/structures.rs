//! The structures in device memory and the arguments of the kernels.

use bytemuck::{Pod, Zeroable};

use super::aggregates::DeviceAggregates;
use super::c::{CType, Pointer, structures};
use super::modes::VECTORS;
use super::step::DeviceStep;

structures! {
    /// A level of the hierarchy: a dense lattice of cells in two colours, and its arrays. See `kernels/lattice.cuh`.
    DeviceLevel {
        /// Cells along each axis.
        cells: [i32; 3],
        /// Slots of a row, of two cells each.
        slots: i32,
        /// Groups of a row, of four slots each.
        row_groups: i32,
        /// Entries from one row to the next.
        pitch: i32,
        /// Entries from one plane to the next.
        plane: i32,
        /// Entries of a colour.
        size: i32,
        /// Entries before every row that stay zero.
        lead: i32,
        /// Tiles along each axis.
        tiles: [i32; 3],
        /// Whether there are so few tiles that it does not pay to skip the empty ones.
        is_crowded: i32,
        /// The coupling between two inner cells.
        unit: f32,
        /// Couplings with the next cell along each axis.
        coupling: [Pointer<f32>; 3],
        /// The diagonal less all couplings: what holds a cell apart from its neighbours.
        excess: Pointer<f32>,
        /// The iterate of a cycle.
        x: Pointer<f32>,
        /// The right-hand side of a cycle, also called load.
        b: Pointer<f32>,
        /// The residual of red cells, on small levels.
        residual: Pointer<f32>,
        /// A correction of q: near walls on level 0, everywhere in the nested start on coarse levels.
        correction: Pointer<f32>,
        /// The lower bound of that correction.
        floor: Pointer<f32>,
        /// The right-hand side of the nested start.
        load: Pointer<f32>,
        /// What each cell is.
        flags: Pointer<u8>,
        /// What each group holds.
        kinds: Pointer<u8>,
        /// Whether a tile has cells.
        tile_marks: Pointer<u8>,
        /// Which cells of the block below belong to a coarse cell, a bit for each.
        members: Pointer<u8>,
        /// Which couplings of a cell are not zero, a bit for each side.
        sides: Pointer<u8>,
        /// The groups that are not plain: their number, then each of them.
        mixed: Pointer<i32>,
    }

    /// Numbers that kernels leave for each other and for the host.
    Scalars {
        /// The largest residual of the running conjugate gradients.
        norm: f64,
        /// The natural residual.
        residual: f64,
        /// r·z.
        rho: f64,
        /// r·z of the iteration before.
        rho_before: f64,
        /// The step along the direction.
        alpha: f64,
        /// The part of the last direction in the next one.
        beta: f64,
        /// z·Sz, from which a cooperative grid gets the curvature.
        stretch: f64,
        /// The largest load of plain groups.
        plain_norm: f64,
        /// The largest load of free rows.
        free_norm: f64,
        /// The residual at which conjugate gradients stop.
        target: f64,
        /// The unit of the loads: a correction in single precision times this over that of the couplings corrects q.
        load_unit: f64,
        /// Newton's merit function.
        merit: f64,
        /// Its slope along the direction.
        slope: f64,
        /// The largest difference between trial and iterate.
        moved: f64,
        /// Changes of pinned rows so far.
        changes: i32,
        /// The value of `changes` when the levels were last truncated, or −1.
        truncated_changes: i32,
        /// The state of the running conjugate gradients, a `Progress`.
        progress: i32,
        /// Their iterations so far.
        iterations: i32,
        /// The most iterations they may take.
        iteration_limit: i32,
        /// Blocks that have arrived at the end of a reduction.
        arrived: u32,
        /// How often a cooperative grid has waited.
        waits: u64,
    }

    /// What the host reads of a problem that was assembled on the device.
    RowTotals {
        /// Number of rows.
        rows: f64,
        /// Rows at separating walls.
        walls: f64,
        /// Rows in components without air.
        unheld: f64,
        /// Rows with a value that is not finite.
        faults: f64,
        /// The natural residual at zero.
        reference: f64,
        /// The same over the rows of components with air.
        held_reference: f64,
    }

    /// What the host reads of an answer to such a problem.
    AnswerTotals {
        /// Rows that have let go.
        active: f64,
        /// The natural residual.
        residual: f64,
        /// The largest |r| on equation rows.
        divergence: f64,
        /// The largest violation of the wall conditions.
        complementarity: f64,
    }

    /// The fields of a fluid code. Those of walls cover the whole grid, all others a window.
    DeviceFields {
        /// Length of a cell.
        spacing: f64,
        /// κ, the least speed at which liquid leaves separating walls.
        control: f64,
        /// The least distance of the surface from a cell centre, in cells.
        min_theta: f64,
        /// The first cell of the window that holds the liquid.
        window_first: [i32; 3],
        /// Cells of the window along each axis.
        window_size: [i32; 3],
        /// Cells of the window.
        window_cells: i32,
        /// The first cell of the window of `liquid`, which is one cell wider on each side.
        liquid_first: [i32; 3],
        /// Cells of that window along each axis.
        liquid_size: [i32; 3],
        /// Whether every row is an equation.
        is_sealed: i32,
        /// Distance to the surface.
        liquid: Pointer<f64>,
        /// Open part of faces.
        open: [Pointer<f64>; 3],
        /// Open part of cells.
        cell_open: Pointer<f64>,
        /// Velocity across faces.
        velocity: [Pointer<f64>; 3],
        /// What moving walls carry across faces; null if walls stand still.
        flow: [Pointer<f64>; 3],
        /// The divergence asked for; null if none is.
        divergence: Pointer<f64>,
        /// The least scaled pressure at separating walls; null if it is zero.
        lower: Pointer<f64>,
        /// The iterate to begin with.
        guess: Pointer<f64>,
        /// The answer. It shares the memory of `guess`.
        answer: Pointer<f64>,
        /// Whether the wall of a cell separates.
        separating: Pointer<u8>,
        /// For each row a row of the same component that comes no later.
        labels: Pointer<i32>,
        /// Whether the component of a row has air.
        held: Pointer<u8>,
        /// Whether a row has let go of its wall. It shares the memory of `held`.
        let_go: Pointer<u8>,
        row_totals: Pointer<RowTotals>,
        answer_totals: Pointer<AnswerTotals>,
    }

    /// The arguments of every kernel; each reads some of them.
    Args {
        /// The level that the kernel works on.
        level: DeviceLevel,
        /// The next coarser level.
        coarse: DeviceLevel,
        /// All levels.
        levels: Pointer<DeviceLevel>,
        /// The first of the small levels that the kernel works on.
        first_level: i32,
        /// The first of those that one block works on alone.
        first_tiny: i32,
        /// The coarsest level.
        last_level: i32,
        /// Red (0) or black (1).
        colour: i32,
        /// A `Sweep`.
        sweep: i32,
        /// A `Truncation`.
        truncation: i32,
        /// A `Settle`.
        settle: i32,
        /// A `Replace`.
        replace: i32,
        /// A `Slack`.
        slack: i32,
        /// A `Precondition`.
        precondition: i32,
        /// Projected sweeps on each small level.
        projected_sweeps: i32,
        /// Whether the right-hand side of a cycle is zero on red cells.
        is_reduced: i32,
        /// Number of listed rows.
        rows: i32,
        /// Number of components that must keep a pinned row.
        components: i32,
        /// The most iterations of a linear solve.
        iteration_limit: i32,
        /// The most iterations of one launch.
        batch: i32,
        /// The coupling between two inner cells of level 0.
        unit: f64,
        /// The load of a row is −r times this.
        load_scale: f64,
        /// The load of level 1 is that of level 0 times this.
        restriction_scale: f64,
        /// A correction in single precision times this is a correction of q.
        correction_scale: f64,
        /// The over-relaxation of sweeps near walls.
        relaxation: f64,
        /// The step along Newton's direction.
        step: f64,
        /// The residual at which a linear solve ends.
        target: f64,
        /// Level 0 in double precision.
        coupling: [Pointer<f64>; 3],
        excess: Pointer<f64>,
        q: Pointer<f64>,
        b: Pointer<f64>,
        lower: Pointer<f64>,
        /// Conjugate gradients on black cells.
        direction: Pointer<f32>,
        image: Pointer<f32>,
        product: Pointer<f32>,
        iterate: Pointer<f32>,
        /// Vectors of the methods other than `best`, by `Vector`.
        vectors: [Pointer<f64>; VECTORS],
        /// Cells of listed rows.
        row_cells: Pointer<u32>,
        /// Their values.
        row_values: Pointer<f64>,
        /// Their iterate; null if it is zero.
        row_guess: Pointer<f64>,
        /// Where the iterate of listed rows goes.
        row_answer: Pointer<f64>,
        /// Rows of components that must keep a pinned row: the cell and the component of each.
        loose_rows: Pointer<u32>,
        /// For each such component the number of pinned rows, and the row that is nearest to being pinned.
        candidates: Pointer<u64>,
        /// Level 0: the groups near walls that are swept. Their number, then each of them.
        near: Pointer<i32>,
        /// Level 0: the groups whose residual these sweeps may change. Their number, then each of them.
        touched: Pointer<i32>,
        /// Level 0: the tiles that are not empty. Their number, then each of them.
        busy_tiles: Pointer<i32>,
        /// What each block brings to a reduction.
        partials: Pointer<f64>,
        /// The numbers that the blocks of a cooperative grid leave for each other.
        grid_slots: Pointer<u64>,
        scalars: Pointer<Scalars>,
        fields: Pointer<DeviceFields>,
        /// A step of the liquid.
        liquid: DeviceStep,
        /// A matrix without a lattice.
        aggregates: DeviceAggregates,
    }
}
