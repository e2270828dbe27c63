//! The structures of a step of the liquid. Lengths are in cells, velocities in m/s.

use bytemuck::{Pod, Zeroable};

use super::c::{CType, Pointer, structures};
use super::viscous::DeviceViscous;

structures! {
    /// Particles in the order of their cells. A place is a cell and the way through it.
    DeviceParticles {
        /// The way through the cell along each axis: whole multiples of 2⁻²⁴, above 0 and below 1.
        offset: [Pointer<f32>; 3],
        velocity: [Pointer<f32>; 3],
        /// Derivatives of component a along axis b at a · DIM + b; null unless particles carry them.
        affine: [Pointer<f32>; 9],
        /// The cell.
        cell: Pointer<u32>,
        /// The number that stays with a particle.
        id: Pointer<u32>,
    }

    /// Values on the faces of a lattice of cells.
    DeviceFaces {
        value: [Pointer<f32>; 3],
        /// The layer in which a value became known, from 1 on; zero where it is not.
        known: [Pointer<u8>; 3],
    }

    /// A part of a shape in metres, in the order in which distances are joined.
    ShapePart {
        /// A `ShapeKind`.
        kind: i32,
        /// Whether it has been moved from where it is defined.
        is_posed: i32,
        /// Centre, middle, one end, or a point on the plane.
        place: [f64; 3],
        /// Half of the sides, the way to the other end, or the normal.
        way: [f64; 3],
        /// Radius, length of the normal, or the distance by which a shape grows.
        size: f64,
        /// The square of the way.
        square: f64,
        /// The motion x ↦ R x + t, with R by rows.
        rotation: [f64; 9],
        translation: [f64; 3],
    }

    /// A solid at one moment.
    DeviceSolid {
        /// Its first part, and how many there are.
        first: i32,
        parts: i32,
        /// Whether its wall separates.
        separates: i32,
        /// Whether it has been moved from where it is defined.
        is_posed: i32,
        /// The motion x ↦ R x + t, with R by rows.
        rotation: [f64; 9],
        translation: [f64; 3],
        /// Its velocity at the origin of the grid, and the derivative of component a along axis b at a · DIM + b.
        velocity: [f64; 3],
        gradient: [f64; 9],
    }

    /// A source or drain.
    DeviceEmitter {
        /// The first part of its shape, and how many there are.
        first: i32,
        parts: i32,
        /// Its first site, and how many there are.
        first_site: i32,
        sites: i32,
        /// Velocity of the liquid that enters.
        velocity: [f64; 3],
    }

    /// What the host reads of a step.
    StepTotals {
        /// The last cell with liquid along each axis, and the opposite of the first.
        window: [f64; 6],
        /// The area of the surface in faces of cells.
        area: f64,
        /// Σ |v|².
        squares: f64,
        /// Σ g·(x − ½ Δt v), with x from the origin of the grid in metres.
        lift: f64,
        /// The largest |v|².
        fastest: f64,
        /// The last cell with particles along each axis, and the opposite of the first; in blocks.
        occupied: [f64; 6],
        /// Cells that the particles fill.
        volume: f64,
        /// Cells inside the surface.
        surface_volume: f64,
        /// Particles that a source has, or that a drain has taken.
        inside: f64,
        /// The fastest that a solid moves across a face.
        driven: f64,
    }

    /// A step of the liquid: its numbers and its arrays.
    DeviceStep {
        /// Cells along each axis; one along the third axis in the plane.
        cells: [i32; 3],
        /// Number of particles.
        particles: i32,
        /// Blocks of two cells along each axis.
        blocks: [i32; 3],
        /// The layer that extrapolation adds, from 2 on.
        layer: i32,
        /// The lattice that it works on.
        lattice: [i32; 3],
        /// The nodes of it that it can reach: the first, and how many along each axis.
        near_first: [i32; 3],
        near_size: [i32; 3],
        /// The first particle that looks for others that are too close.
        first_in_turn: i32,
        /// From one such particle to the next; zero if none looks.
        turns: i32,
        /// Items of a scan.
        items: i32,
        /// Whether there are solids: the surface shows films on them.
        has_solids: i32,
        /// Whether particles carry derivatives.
        is_affine: i32,
        /// Solids that the device places itself; zero if the host does.
        solid_count: i32,
        /// Whether the border separates.
        border_separates: i32,
        /// The source or drain that is at work.
        emitter: i32,
        /// Particles that enter.
        entering: i32,
        /// The number of the first of them.
        next_id: u32,
        /// Whether sites can lie in solids.
        has_solid_sites: i32,
        /// Length of a cell.
        spacing: f32,
        /// The way of a velocity of 1 m/s within the step.
        stride: f32,
        /// The same way back, in the time from the last velocity to this one.
        stride_back: f32,
        /// Part of its velocity that a particle keeps beside the change on the grid.
        keep: f32,
        /// Part of its derivatives that it keeps.
        calm: f32,
        /// Part of a full cell that a particle is.
        share: f32,
        /// Below this part of open space around a cell the density says nothing.
        too_closed: f32,
        /// How far particles are kept from solids.
        clearance: f32,
        /// The least distance of two particles.
        least_distance: f32,
        /// Part of small deviations of the density that the step makes good.
        fading: f32,
        /// Deviations up to this are small.
        small: f32,
        /// Part of what is beyond that the step makes good.
        at_once: f32,
        /// The most that a block grows or shrinks.
        most: f32,
        /// Blocks with less room are left alone.
        least_room: f32,
        /// Particles beyond this part of a full block count for nothing.
        crowded: f32,
        /// Films thinner than this are single particles.
        thinnest: f32,
        /// The continuation of the pressure to a wall may change how far the wall pulls by this part.
        most_continued: f32,
        /// Whether this is the first step.
        is_first: i32,
        /// The box of places on which the curvature is found: its first cell, which may lie beyond the border, and its size.
        patch_first: [i32; 3],
        patch_size: [i32; 3],
        /// The axis along which a filter works, and how far it reaches.
        blur_axis: i32,
        blur_reach: i32,
        /// Its width in cells.
        filter_width: f64,
        /// What a curvature of 1/cell adds to the velocity over a cell.
        tension_scale: f64,
        /// The least distance of the surface from a cell centre, in cells.
        least_theta: f64,
        /// What forces add to the velocity.
        kick: [f64; 3],
        /// Acceleration.
        gravity: [f64; 3],
        /// A cell that pulls by less than this part of σ when it separates does not touch its wall.
        touching: f64,
        /// Half of the step in seconds.
        half_step: f64,
        /// The scaled pressure over the pressure.
        pressure_scale: f64,
        /// The divergence asked for in cells whose wall has let go, times the length of a cell.
        control: f64,
        /// Faces that are open by less than this part are closed.
        closed: f64,
        /// In space, nodes closer to a surface than this part of a cell lie on it.
        touches: f64,
        /// Length of a cell, and the corners of the grid.
        length: f64,
        lower: [f64; 3],
        upper: [f64; 3],
        particles_now: DeviceParticles,
        /// Where sorted particles go.
        particles_next: DeviceParticles,
        /// The places of particles that looked for others, from their cells.
        spread: [Pointer<f32>; 3],
        /// Where the particles of each cell start, and the end.
        starts: Pointer<u32>,
        /// Particles in the order of their cells.
        order: Pointer<u32>,
        /// What is scanned, the sums before each piece of it.
        scanned: Pointer<u32>,
        pieces: Pointer<u32>,
        /// Velocity as gathered; later what the step changes of it.
        gathered: DeviceFaces,
        /// Velocity after the pressure; later with the displacement of the particles, as it moves them.
        carrying: DeviceFaces,
        /// Velocity of the liquid, kept out of solids.
        velocity: DeviceFaces,
        /// What extrapolation works on.
        spreading: DeviceFaces,
        /// Displacement of the particles, on blocks.
        displacement: DeviceFaces,
        /// Density of the particles.
        density: Pointer<f32>,
        /// Distance to the liquid, now and in the last step.
        liquid: Pointer<f32>,
        liquid_before: Pointer<f32>,
        /// The surface as it is shown.
        shown: Pointer<f32>,
        /// Pressure over density.
        pressure: Pointer<f32>,
        /// Cells whose wall has let go.
        separated: Pointer<u8>,
        /// How far walls pull, over the density; null if none does.
        adhesion: Pointer<f32>,
        /// κ of each cell; null if it is the same everywhere.
        control_at: Pointer<f32>,
        /// One side of the filter, with its middle.
        taps: Pointer<f64>,
        /// What it works on, and where that goes.
        blur_from: Pointer<f32>,
        blur_to: Pointer<f32>,
        between: [Pointer<f32>; 2],
        /// The parts of liquid, smoothed once and twice; null without tension.
        smoothed: Pointer<f32>,
        smoothed_twice: Pointer<f32>,
        /// How much each place counts, and those around it; the curvature and what corrects it, by that.
        weight: Pointer<f32>,
        weight_around: Pointer<f32>,
        curvature: Pointer<f32>,
        excess: Pointer<f32>,
        /// Cells that have dried by chance.
        gaps: Pointer<u8>,
        /// Distance to solids at nodes.
        solid: Pointer<f32>,
        /// Open part of faces and of cells, open space around cells, whether the wall of a cell separates.
        open: [Pointer<f32>; 3],
        cell_open: Pointer<f32>,
        space: Pointer<f32>,
        separating: Pointer<u8>,
        /// Where solids move: the distance at nodes in metres and in double precision, and their velocity across faces.
        solid_exact: Pointer<f64>,
        solid_velocity: [Pointer<f32>; 3],
        solids: Pointer<DeviceSolid>,
        emitters: Pointer<DeviceEmitter>,
        parts: Pointer<ShapePart>,
        /// Places where particles can enter, their cells and the ways through them.
        site_point: [Pointer<f64>; 3],
        site_cell: Pointer<u32>,
        site_offset: [Pointer<f32>; 3],
        /// The square of the distance from each site to the nearest particle; negative in solids.
        site_room: Pointer<f64>,
        /// The sites where particles enter.
        chosen: Pointer<u32>,
        /// Whether all cells of a block are wet.
        wet: Pointer<u8>,
        /// Full cells that the particles of a block make, and full cells that there is room for.
        content: Pointer<f32>,
        room: Pointer<f32>,
        totals: Pointer<StepTotals>,
        /// Viscosity and walls that drag.
        viscous: DeviceViscous,
    }
}
