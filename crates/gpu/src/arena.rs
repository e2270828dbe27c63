//! One piece of device memory, cut up for all arrays of a problem.

use crate::error::GpuError;
use crate::layout::{Address, AnswerTotals, Args, Fields, LOG, Level, RowTotals, SLOTS, Scalars, Vector};
use crate::machine::Machine;
use bytemuck::Zeroable;

/// Arrays begin at multiples of this.
const ALIGNMENT: usize = 256;

/// Blocks of a reduction at most.
pub(crate) const REDUCE_BLOCKS: u32 = 132 * 16;

/// Hands out pieces one behind the other; the addresses are relative until memory is there.
struct Cutter {
    used: usize,
}

impl Cutter {
    fn take(&mut self, bytes: usize) -> Address {
        let at = self.used;
        self.used = (at + bytes).next_multiple_of(ALIGNMENT);
        at as Address
    }
}

/// What is where.
pub(crate) struct Arena {
    pub base: Args,
    pub levels: Vec<Level>,
    /// Cells of rows, and two numbers for each of them.
    pub rows: Staging,
    /// Where fields arrive, where problems are made of them.
    pub fields: Option<Fields>,
    /// Arrays that belong to one problem: from the start to here they are cleared before the next one.
    pub cleared: usize,
    pub start: Address,
}

/// What problems are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// So many rows at most.
    Rows(usize),
    /// Fields, perhaps with walls that move. What is made of rows arrives in their place.
    Fields { has_flow: bool },
}

/// Where rows arrive.
#[derive(Clone, Copy)]
pub(crate) struct Staging {
    pub cells: Address,
    pub values: Address,
    pub capacity: usize,
}

impl Arena {
    /// Takes memory for problems of that shape, and for the vectors of a method.
    pub fn new(
        machine: &mut dyn Machine,
        dimension: usize,
        shape: [usize; 3],
        source: Source,
        vectors: &[Vector],
    ) -> Result<Self, GpuError> {
        let mut levels = vec![Level::new(dimension, shape, 1.0)];
        while let Some(coarse) = levels[levels.len() - 1].coarser(dimension) {
            levels.push(coarse);
        }
        if levels[0].size > i32::MAX / 4 {
            return Err(GpuError::Unsupported("the lattice has more cells than 32-bit indices reach"));
        }
        let mut cutter = Cutter { used: 0 };
        let mut base = Args::zeroed();
        // What a cycle touches lies together, level after level: tiny levels are fetched in one piece.
        for level in &mut levels {
            let cells = 2 * level.size as usize;
            for coupling in &mut level.coupling[..dimension] {
                *coupling = cutter.take(4 * cells);
            }
            level.excess = cutter.take(4 * cells);
            level.x = cutter.take(4 * cells);
            level.b = cutter.take(4 * cells);
            if level.is_small(machine.cluster()) {
                level.residual = cutter.take(2 * cells);
            }
            level.flags = cutter.take(cells);
        }
        for (index, level) in levels.iter_mut().enumerate() {
            let cells = 2 * level.size as usize;
            level.start = cutter.take(4 * cells);
            level.floor = cutter.take(4 * cells);
            if index > 0 {
                level.load = cutter.take(4 * cells);
                level.members = cutter.take(cells);
            }
            level.sides = cutter.take(cells);
            level.groups = cutter.take(level.size as usize / 4);
            level.mixed = cutter.take(4 + level.size as usize);
            level.tile_marks = cutter.take(level.tile_count() as usize);
        }
        let cells = 2 * levels[0].size as usize;
        for list in [&mut base.near, &mut base.touched] {
            *list = cutter.take(4 + levels[0].size as usize);
        }
        base.busy = cutter.take(4 + 4 * levels[0].tile_count() as usize);
        for coupling in &mut base.coupling[..dimension] {
            *coupling = cutter.take(8 * cells);
        }
        for array in [&mut base.excess, &mut base.q, &mut base.b, &mut base.lower] {
            *array = cutter.take(8 * cells);
        }
        for array in [&mut base.direction, &mut base.image, &mut base.product, &mut base.iterate] {
            *array = cutter.take(2 * cells);
        }
        for &vector in vectors {
            base.vectors[vector as usize] = cutter.take(8 * if vector == Vector::Norms { LOG } else { cells });
        }
        base.scalars = cutter.take(size_of::<Scalars>());
        let cleared = cutter.used;
        base.partials = cutter.take(8 * 6 * REDUCE_BLOCKS as usize);
        base.slots = cutter.take(8 * SLOTS);
        base.levels = cutter.take(size_of::<Level>() * levels.len());
        // Cut rows bring one number for the diagonal and two an axis; they come in portions.
        let (rows, fields) = match source {
            Source::Rows(rows) => {
                (Staging { cells: cutter.take(4 * rows), values: cutter.take(16 * rows), capacity: rows }, None)
            }
            Source::Fields { has_flow } => {
                base.fields = cutter.take(size_of::<Fields>());
                let fields = cutter.take_fields(dimension, shape, has_flow);
                // Rows only arrive where no fields do; two velocities have room for the two numbers of each.
                let capacity = shape.iter().product();
                (Staging { cells: fields.liquid, values: fields.velocity[0], capacity }, Some(fields))
            }
        };

        let start = machine.allocate(cutter.used)?;
        let mut arena = Self { base, levels, rows, fields, cleared, start };
        arena.relocate(start);
        machine.write(arena.base.levels, bytemuck::cast_slice(&arena.levels))?;
        arena.base.level = arena.levels[0];
        Ok(arena)
    }

    fn relocate(&mut self, start: Address) {
        for level in &mut self.levels {
            let Level {
                coupling,
                excess,
                x,
                b,
                residual,
                start: nested,
                load,
                floor,
                flags,
                groups,
                tile_marks,
                members,
                sides,
                mixed,
                ..
            } = level;
            let arrays =
                [excess, x, b, residual, nested, load, floor, flags, groups, tile_marks, members, sides, mixed];
            arrays.into_iter().chain(coupling).for_each(|address| *address += start);
        }
        let Args {
            coupling,
            excess,
            q,
            b,
            lower,
            direction,
            image,
            product,
            iterate,
            partials,
            scalars,
            levels,
            near,
            touched,
            busy,
            slots,
            fields,
            ..
        } = &mut self.base;
        let arrays = [
            excess, q, b, lower, direction, image, product, iterate, partials, scalars, levels, near, touched, busy,
            slots, fields,
        ];
        arrays.into_iter().chain(coupling).for_each(|address| *address += start);
        self.base.vectors.iter_mut().filter(|address| **address > 0).for_each(|address| *address += start);
        self.rows.cells += start;
        self.rows.values += start;
        if let Some(fields) = &mut self.fields {
            fields.relocate(start);
        }
    }
}

impl Cutter {
    /// Places for all fields; those that do not last from one problem to the next have room for the whole grid.
    fn take_fields(&mut self, dimension: usize, shape: [usize; 3], has_flow: bool) -> Fields {
        let cells: usize = shape.iter().product();
        let faces = |axis: usize| cells / shape[axis] * (shape[axis] + 1);
        let mut fields = Fields::zeroed();
        fields.liquid = self.take(8 * cells);
        (0..dimension).for_each(|axis| fields.velocity[axis] = self.take(8 * faces(axis)));
        fields.divergence = self.take(8 * cells);
        fields.guess = self.take(8 * cells);
        if has_flow {
            (0..dimension).for_each(|axis| fields.flow[axis] = self.take(8 * faces(axis)));
        }
        (0..dimension).for_each(|axis| fields.open[axis] = self.take(8 * faces(axis)));
        fields.cell_open = self.take(8 * cells);
        fields.separating = self.take(cells);
        fields.labels = self.take(4 * cells);
        fields.marks = self.take(cells.next_multiple_of(8));
        fields.totals = self.take(size_of::<RowTotals>().max(size_of::<AnswerTotals>()));
        fields.answer = fields.guess; // which has been taken up by then
        fields
    }
}

impl Fields {
    fn relocate(&mut self, start: Address) {
        let Self {
            liquid, open, cell_open, velocity, flow, divergence, guess, separating, labels, marks, answer, ..
        } = self;
        let one = [liquid, cell_open, divergence, guess, separating, labels, marks, answer];
        let all = one.into_iter().chain(open).chain(velocity).chain(flow).chain([&mut self.totals]);
        all.filter(|address| **address > 0).for_each(|address| *address += start);
    }
}
