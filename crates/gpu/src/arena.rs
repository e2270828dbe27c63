//! One piece of device memory for all arrays of a problem.

use bytemuck::Zeroable;

use crate::driver::Driver;
use crate::error::GpuError;
use crate::layout::{Address, Args, DeviceFields, DeviceLevel, GRID_SLOTS, NORM_LOG, Pointer, Vector};

/// Arrays begin at multiples of this.
const ALIGNMENT: u64 = 256;

/// The most numbers of a reduction.
pub(crate) const REDUCED_NUMBERS: usize = 7;

/// The arrays of a problem.
pub(crate) struct Arena {
    /// Arguments with the addresses of all arrays.
    pub base: Args,
    pub levels: Vec<DeviceLevel>,
    pub row_buffer: RowBuffer,
    /// Where fields arrive, if problems are assembled here.
    pub fields: Option<DeviceFields>,
    /// The beginning of the memory.
    pub start: Address,
    /// The first bytes of it, which must be zero when a problem begins.
    pub cleared: usize,
}

/// What problems are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// At most this many rows.
    Rows(usize),
    /// Fields. There is room for rows too.
    Fields(Extras),
}

/// Fields that not every problem has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extras {
    /// What walls that move carry.
    pub has_flow: bool,
    /// The bounds of walls that pull.
    pub has_lower: bool,
}

/// Where rows arrive: their cells, and two numbers each.
#[derive(Clone, Copy)]
pub(crate) struct RowBuffer {
    pub cells: Pointer<u32>,
    pub values: Pointer<f64>,
    pub capacity: usize,
}

/// The shape of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProblemShape {
    /// Two or three.
    pub dimension: usize,
    /// Cells along each axis; one along the third axis in the plane.
    pub cells: [usize; 3],
}

impl ProblemShape {
    /// The shape of a grid in two or three dimensions.
    pub fn of(cells: &[usize]) -> Self {
        Self { dimension: cells.len(), cells: [cells[0], cells[1], cells.get(2).copied().unwrap_or(1)] }
    }

    pub fn cell_count(&self) -> usize {
        self.cells.iter().product()
    }

    /// Faces across an axis.
    pub fn face_count(&self, axis: usize) -> usize {
        self.cell_count() / self.cells[axis] * (self.cells[axis] + 1)
    }

    /// The finest level.
    pub fn level(&self) -> DeviceLevel {
        DeviceLevel::new(self.dimension, self.cells, 1.0)
    }
}

impl Arena {
    /// Allocates memory for problems of a shape and for the vectors of a method.
    pub fn new(
        driver: &mut dyn Driver,
        shape: ProblemShape,
        source: Source,
        vectors: &[Vector],
    ) -> Result<Self, GpuError> {
        if shape.level().size > i32::MAX / 4 {
            return Err(GpuError::Unsupported("the lattice has more cells than 32-bit indices reach"));
        }
        let lay_out = |driver: &dyn Driver, start| Self::lay_out(driver, start, shape, source, vectors);
        let (_, bytes) = lay_out(driver, 0);
        let start = driver.allocate(bytes)?;
        let (arena, _) = lay_out(driver, start);
        driver.write(arena.base.levels.address(), bytemuck::cast_slice(&arena.levels))?;
        Ok(arena)
    }

    /// How many bytes such a memory takes.
    #[cfg(all(test, feature = "emulation"))]
    pub fn bytes(driver: &dyn Driver, shape: ProblemShape, source: Source, vectors: &[Vector]) -> usize {
        Self::lay_out(driver, 0, shape, source, vectors).1
    }

    /// The addresses of all arrays in memory that begins at `start`, and how many bytes they take.
    fn lay_out(
        driver: &dyn Driver,
        start: Address,
        shape: ProblemShape,
        source: Source,
        vectors: &[Vector],
    ) -> (Self, usize) {
        let dimension = shape.dimension;
        let mut levels = vec![shape.level()];
        while let Some(coarse) = levels[levels.len() - 1].coarser(dimension) {
            levels.push(coarse);
        }
        let mut space = Space { next: start };
        // The arrays of a cycle lie together, level after level: tiny levels are copied in one piece.
        for level in &mut levels {
            let cells = level.entries();
            level.coupling[..dimension].fill_with(|| space.take(cells));
            level.excess = space.take(cells);
            level.x = space.take(cells);
            level.b = space.take(cells);
            if level.is_small(driver.cluster()) {
                level.residual = space.take(cells / 2);
            }
            level.flags = space.take(cells);
        }
        for (index, level) in levels.iter_mut().enumerate() {
            let cells = level.entries();
            let groups = level.size as usize / 4;
            level.correction = space.take(cells);
            level.floor = space.take(cells);
            if index > 0 {
                level.load = space.take(cells);
                level.members = space.take(cells);
            }
            level.sides = space.take(cells);
            level.kinds = space.take(groups);
            level.mixed = space.take(1 + groups);
            level.tile_marks = space.take(level.tile_count() as usize);
        }
        let mut base = Args { level: levels[0], ..Args::zeroed() };
        let (cells, tiles) = (levels[0].entries(), levels[0].tile_count() as usize);
        for list in [&mut base.near, &mut base.touched] {
            *list = space.take(1 + levels[0].size as usize / 4);
        }
        base.busy_tiles = space.take(1 + tiles);
        base.coupling[..dimension].fill_with(|| space.take(cells));
        for array in [&mut base.excess, &mut base.q, &mut base.b, &mut base.lower] {
            *array = space.take(cells);
        }
        // Black cells only.
        for array in [&mut base.direction, &mut base.image, &mut base.product, &mut base.iterate] {
            *array = space.take(cells / 2);
        }
        for &vector in vectors {
            base.vectors[vector as usize] = space.take(if vector == Vector::Norms { NORM_LOG } else { cells });
        }
        base.scalars = space.take(1);
        let cleared = (space.next - start) as usize;
        base.partials = space.take(REDUCED_NUMBERS * driver.full_blocks() as usize);
        base.grid_slots = space.take(GRID_SLOTS);
        base.levels = space.take(levels.len());
        let (row_buffer, fields) = match source {
            Source::Rows(rows) => {
                (RowBuffer { cells: space.take(rows), values: space.take(2 * rows), capacity: rows }, None)
            }
            Source::Fields(extras) => {
                base.fields = space.take(1);
                let fields = space.take_fields(shape, extras);
                // Rows arrive only if no fields do. Two velocities have room for the two numbers of each.
                let cells = Pointer::new(fields.liquid.address());
                (RowBuffer { cells, values: fields.velocity[0], capacity: shape.cell_count() }, Some(fields))
            }
        };
        (Self { base, levels, row_buffer, fields, start, cleared }, (space.next - start) as usize)
    }
}

/// Gives out memory, array after array.
pub(crate) struct Space {
    pub next: Address,
}

impl Space {
    pub fn take<T: Copy>(&mut self, count: usize) -> Pointer<T> {
        let pointer = Pointer::new(self.next);
        self.next = pointer.at(count).address().next_multiple_of(ALIGNMENT);
        pointer
    }

    /// Memory for all fields. Those of one problem have room for the whole grid, too.
    fn take_fields(&mut self, shape: ProblemShape, extras: Extras) -> DeviceFields {
        let cells = shape.cell_count();
        let mut fields = DeviceFields::zeroed();
        fields.liquid = self.take(cells);
        (0..shape.dimension).for_each(|axis| fields.velocity[axis] = self.take(shape.face_count(axis)));
        fields.divergence = self.take(cells);
        fields.guess = self.take(cells);
        if extras.has_lower {
            fields.lower = self.take(cells);
        }
        if extras.has_flow {
            (0..shape.dimension).for_each(|axis| fields.flow[axis] = self.take(shape.face_count(axis)));
        }
        (0..shape.dimension).for_each(|axis| fields.open[axis] = self.take(shape.face_count(axis)));
        fields.cell_open = self.take(cells);
        fields.separating = self.take(cells);
        fields.labels = self.take(cells);
        fields.held = self.take(cells);
        fields.row_totals = self.take(1);
        fields.answer_totals = self.take(1);
        // The kernels have read these when they write the others.
        (fields.answer, fields.let_go) = (fields.guess, fields.held);
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_aligned_and_do_not_overlap() {
        let mut space = Space { next: 512 };
        let [first, second] = [space.take::<f32>(65), space.take::<f32>(1)];
        assert_eq!((first.address(), second.address(), space.next), (512, 1024, 1280));
    }

    #[test]
    fn a_plane_is_one_cell_thick() {
        let shape = ProblemShape::of(&[5, 3]);
        assert_eq!((shape.dimension, shape.cells, shape.cell_count()), (2, [5, 3, 1], 15));
        assert_eq!([shape.face_count(0), shape.face_count(1)], [18, 20]);
    }

    #[test]
    fn fields_that_are_written_late_share_the_memory_of_those_that_are_read_early() {
        let mut space = Space { next: ALIGNMENT };
        let fields = space.take_fields(ProblemShape::of(&[4, 4, 4]), Extras::default());
        assert_eq!(fields.answer.address(), fields.guess.address());
        assert_eq!(fields.let_go.address(), fields.held.address());
        assert!(fields.flow.iter().all(|flow| flow.is_null()) && !fields.open[2].is_null());
    }

    #[cfg(feature = "emulation")]
    mod on_the_host {
        use super::*;
        use crate::driver::EmulatedDriver;

        #[test]
        fn every_array_lies_inside_the_memory() {
            let mut driver = EmulatedDriver::new(3, 1);
            let shape = ProblemShape::of(&[9, 7, 5]);
            let arena = Arena::new(
                &mut driver,
                shape,
                Source::Fields(Extras { has_flow: true, has_lower: true }),
                &[Vector::Norms],
            )
            .unwrap();
            let (_, bytes) = Arena::lay_out(
                &driver,
                arena.start,
                shape,
                Source::Fields(Extras { has_flow: true, has_lower: true }),
                &[Vector::Norms],
            );
            let inside = arena.start..arena.start + bytes as u64;
            let fields = arena.fields.unwrap();
            for address in [arena.base.q.address(), arena.base.scalars.address(), fields.answer_totals.address()] {
                assert!(inside.contains(&address));
            }
            assert!(arena.base.vectors[Vector::Trial as usize].is_null());
            assert!(arena.levels[0].load.is_null() && !arena.levels[1].load.is_null());
        }

        #[test]
        fn a_lattice_beyond_32_bit_indices_is_refused() {
            let mut driver = EmulatedDriver::new(3, 1);
            let refused = Arena::new(&mut driver, ProblemShape::of(&[4096; 3]), Source::Rows(1), &[]);
            assert!(matches!(refused, Err(GpuError::Unsupported(_))));
        }
    }
}
