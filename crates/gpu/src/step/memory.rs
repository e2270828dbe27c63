//! The arrays of a step in device memory, and launches over them.

use bytemuck::Zeroable;
use unstick_grid::Grid;

use super::viscous;
use crate::arena::{ProblemShape, REDUCED_NUMBERS, Space};
use crate::driver::{Driver, Kernel};
use crate::error::GpuError;
use crate::layout::{
    Args, DeviceFaces, DeviceParticles, DeviceStep, MOST_TAPS, Pointer, SCAN_ITEMS, StepTotals, THREADS, ViscousLevel,
};

/// Items of a scan for each block.
const PIECE: usize = (THREADS * SCAN_ITEMS) as usize;

/// The most particles and cells: 32-bit indices reach them.
const MOST: usize = i32::MAX as usize - 1;

/// How many of everything there are.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    pub shape: ProblemShape,
    pub blocks: ProblemShape,
    pub particles: usize,
    /// Particles that there is memory for.
    pub capacity: usize,
    pub is_affine: bool,
    /// Whether solids move, and how many the device places itself.
    pub has_motion: bool,
    pub solids: usize,
    pub emitters: usize,
    /// Parts of the shapes of solids and emitters.
    pub parts: usize,
    /// Places where particles can enter.
    pub sites: usize,
    /// Whether walls pull, and whether κ has a value for each cell.
    pub pulls: bool,
    pub has_controls: bool,
    /// Places where the curvature may be needed; none without surface tension.
    pub places: usize,
    /// Whether there is viscosity or friction, whether it follows a law, and whether walls drag.
    pub is_viscous: bool,
    pub has_law: bool,
    pub has_drags: bool,
}

impl Counts {
    /// A liquid that nothing moves but itself.
    pub fn of<const D: usize>(grid: &Grid<D>, particles: usize) -> Self {
        let blocks = grid.cells().map(|count| count.div_ceil(2));
        let (shape, blocks) = (ProblemShape::of(&grid.cells()), ProblemShape::of(&blocks));
        let (is_affine, has_motion, capacity) = (false, false, particles);
        let (solids, emitters, parts, sites) = (0, 0, 0, 0);
        let (pulls, has_controls, places) = (false, false, 0);
        let (is_viscous, has_law, has_drags) = (false, false, false);
        Self {
            shape,
            blocks,
            particles,
            capacity,
            is_affine,
            has_motion,
            solids,
            emitters,
            parts,
            sites,
            pulls,
            has_controls,
            places,
            is_viscous,
            has_law,
            has_drags,
        }
    }

    pub fn cells(&self) -> usize {
        self.shape.cell_count()
    }

    pub fn faces(&self, axis: usize) -> usize {
        self.shape.face_count(axis)
    }

    pub fn nodes(&self) -> usize {
        nodes_of(self.shape)
    }
}

pub(super) fn nodes_of(shape: ProblemShape) -> usize {
    shape.cells[..shape.dimension].iter().map(|count| count + 1).product()
}

/// Memory and kernels for the steps of one liquid.
pub(super) struct StepMemory {
    pub driver: Box<dyn Driver>,
    pub args: Args,
    pub counts: Counts,
    /// Memory for the levels of viscous steps, the finest first, with the largest boxes.
    pub viscous_levels: Vec<ViscousLevel>,
    /// The first cell with particles along each axis, and the first behind the last one.
    occupied: [[usize; 2]; 3],
}

impl StepMemory {
    /// Allocates what the steps of a liquid need beside the pressure.
    pub fn new(driver: Box<dyn Driver>, counts: Counts) -> Result<Self, GpuError> {
        let occupied = counts.shape.cells.map(|count| [0, count]);
        let mut memory = Self { driver, args: Args::zeroed(), counts, viscous_levels: Vec::new(), occupied };
        memory.allocate(counts)?;
        Ok(memory)
    }

    /// Gives up all memory for another one. What was in it is lost.
    pub fn allocate(&mut self, counts: Counts) -> Result<(), GpuError> {
        let counted = [counts.capacity, counts.nodes(), counts.places, viscous::most_faces(&counts)];
        if counted.iter().any(|&count| count > MOST) {
            return Err(GpuError::Unsupported("there are more particles or cells than 32-bit indices reach"));
        }
        let (_, _, bytes) = lay_out(&*self.driver, 0, counts);
        let start = self.driver.allocate(bytes)?;
        (self.args, self.viscous_levels, _) = lay_out(&*self.driver, start, counts);
        self.counts = counts;
        Ok(())
    }

    /// Changes the number of particles.
    pub fn set_particles(&mut self, particles: usize) {
        self.counts.particles = particles;
        self.step().particles = particles as i32;
    }

    pub fn step(&mut self) -> &mut DeviceStep {
        &mut self.args.liquid
    }

    pub fn over_particles(&mut self, kernel: Kernel) -> Result<(), GpuError> {
        self.driver.launch_items(kernel, self.counts.particles, &self.args)
    }

    pub fn over_cells(&mut self, kernel: Kernel) -> Result<(), GpuError> {
        self.driver.launch_items(kernel, self.counts.cells(), &self.args)
    }

    /// Over all nodes: each stands for a cell and its lower faces.
    pub fn over_faces(&mut self, kernel: Kernel) -> Result<(), GpuError> {
        self.driver.launch_items(kernel, self.counts.nodes(), &self.args)
    }

    /// Over the nodes within so many cells of the particles.
    pub fn over_near_faces(&mut self, kernel: Kernel, reach: usize) -> Result<(), GpuError> {
        let (step, cells) = (&mut self.args.liquid, self.counts.shape.cells);
        let mut items = 1;
        for axis in 0..3 {
            let first = self.occupied[axis][0].saturating_sub(reach);
            let end = (self.occupied[axis][1] + reach).min(cells[axis]) + 1; // one node more
            (step.near_first[axis], step.near_size[axis]) = (first as i32, (end - first) as i32);
            items *= if axis < self.counts.shape.dimension { end - first } else { 1 };
        }
        self.driver.launch_items(kernel, items, &self.args)
    }

    /// The same for all blocks of cells.
    pub fn over_near_block_faces(&mut self, kernel: Kernel) -> Result<(), GpuError> {
        let step = &mut self.args.liquid;
        (step.near_first, step.near_size) = ([0; 3], step.blocks.map(|count| count + 1));
        self.over_block_faces(kernel)
    }

    /// Finds out where there are particles.
    pub fn find_occupied(&mut self) -> Result<(), GpuError> {
        self.total_over_blocks(Kernel::MeasureVolume)?;
        let totals = self.totals()?;
        self.note_occupied(&totals);
        Ok(())
    }

    /// Remembers where there are particles.
    pub fn note_occupied(&mut self, totals: &StepTotals) {
        for axis in 0..self.counts.shape.dimension {
            let [last, first] = [totals.occupied[axis], -totals.occupied[3 + axis]];
            let end = (2 * last.max(0.0) as usize + 2).min(self.counts.shape.cells[axis]);
            self.occupied[axis] = if last < 0.0 { [0, 0] } else { [2 * first as usize, end] };
        }
    }

    /// The same for blocks of cells.
    pub fn over_block_faces(&mut self, kernel: Kernel) -> Result<(), GpuError> {
        self.driver.launch_items(kernel, nodes_of(self.counts.blocks), &self.args)
    }

    /// A kernel that ends with totals over so many items.
    pub fn total(&mut self, kernel: Kernel, items: usize) -> Result<(), GpuError> {
        let blocks = (items as u32).div_ceil(THREADS).clamp(1, self.driver.full_blocks());
        self.driver.launch(kernel, blocks, THREADS, &self.args)
    }

    pub fn total_over_blocks(&mut self, kernel: Kernel) -> Result<(), GpuError> {
        self.total(kernel, self.counts.blocks.cell_count())
    }

    /// Waits for the device and reads the totals.
    pub fn totals(&mut self) -> Result<StepTotals, GpuError> {
        let mut totals = StepTotals::zeroed();
        self.driver.read(self.args.liquid.totals.address(), bytemuck::bytes_of_mut(&mut totals))?;
        Ok(totals)
    }

    /// Puts the particles in the order of their cells, after their cells have been counted: so many that are not gone.
    pub fn sort_counted(&mut self, particles: usize) -> Result<(), GpuError> {
        // One more item, so that the last start is the end.
        let items = self.counts.cells() + 1;
        self.step().items = items as i32;
        let pieces = items.div_ceil(PIECE) as u32;
        self.driver.launch(Kernel::SumPieces, pieces, THREADS, &self.args)?;
        self.driver.launch(Kernel::ScanPieces, 1, THREADS, &self.args)?;
        self.driver.launch(Kernel::StartCells, pieces, THREADS, &self.args)?;
        self.over_particles(Kernel::PlaceParticles)?;
        self.over_cells(Kernel::SortCells)?;
        self.set_particles(particles);
        self.over_particles(Kernel::ReorderParticles)?;
        let step = self.step();
        std::mem::swap(&mut step.particles_now, &mut step.particles_next);
        Ok(())
    }
}

/// The addresses of all arrays in memory that begins at `start`, those of the levels of viscous steps, and how many bytes
/// they take.
fn lay_out(driver: &dyn Driver, start: u64, counts: Counts) -> (Args, Vec<ViscousLevel>, usize) {
    let Counts { shape, blocks, particles, capacity, is_affine, .. } = counts;
    let (dimension, cells, block_count) = (shape.dimension, shape.cell_count(), blocks.cell_count());
    let mut space = Space { next: start };
    let take_particles = |space: &mut Space| {
        let mut array = DeviceParticles::zeroed();
        array.offset[..dimension].fill_with(|| space.take(capacity));
        array.velocity[..dimension].fill_with(|| space.take(capacity));
        if is_affine {
            array.affine[..dimension * dimension].fill_with(|| space.take(capacity));
        }
        array.cell = space.take(capacity);
        array.id = space.take(capacity);
        array
    };
    let take_faces = |space: &mut Space, shape: ProblemShape, has_known: bool| {
        let mut faces = DeviceFaces::zeroed();
        for axis in 0..dimension {
            faces.value[axis] = space.take(shape.face_count(axis));
            faces.known[axis] = if has_known { space.take(shape.face_count(axis)) } else { Pointer::NULL };
        }
        faces
    };
    let mut open = [Pointer::NULL; 3];
    (0..dimension).for_each(|axis| open[axis] = space.take(counts.faces(axis)));
    let mut spread = [Pointer::NULL; 3];
    spread[..dimension].fill_with(|| space.take(capacity.div_ceil(2)));
    let (mut solid_exact, mut solid_velocity) = (Pointer::NULL, [Pointer::NULL; 3]);
    if counts.has_motion {
        solid_exact = space.take(counts.nodes());
        (0..dimension).for_each(|axis| solid_velocity[axis] = space.take(counts.faces(axis)));
    }
    let mut take_if = |is_needed: bool| if is_needed { space.take(cells) } else { Pointer::NULL };
    let (adhesion, control_at) = (take_if(counts.pulls), take_if(counts.has_controls));
    let mut take_places = || if counts.places > 0 { space.take(counts.places) } else { Pointer::NULL };
    let between = [take_places(), take_places()];
    let [smoothed, smoothed_twice, weight, weight_around, curvature, excess] = std::array::from_fn(|_| take_places());
    let (mut site_point, mut site_offset) = ([Pointer::NULL; 3], [Pointer::NULL; 3]);
    site_point[..dimension].fill_with(|| space.take(counts.sites));
    site_offset[..dimension].fill_with(|| space.take(counts.sites));
    let (viscous, viscous_levels) = viscous::lay_out(&mut space, &counts);
    let step = DeviceStep {
        cells: shape.cells.map(|count| count as i32),
        particles: particles as i32,
        blocks: blocks.cells.map(|count| count as i32),
        is_affine: is_affine as i32,
        particles_now: take_particles(&mut space),
        particles_next: take_particles(&mut space),
        spread,
        starts: space.take(cells + 1),
        order: space.take(capacity),
        scanned: space.take(cells + 1),
        pieces: space.take((cells + 1).div_ceil(PIECE)),
        gathered: take_faces(&mut space, shape, true),
        carrying: take_faces(&mut space, shape, true),
        velocity: take_faces(&mut space, shape, false),
        displacement: take_faces(&mut space, blocks, true),
        density: space.take(cells),
        liquid: space.take(cells),
        liquid_before: space.take(cells),
        shown: space.take(cells),
        pressure: space.take(cells),
        separated: space.take(cells),
        adhesion,
        control_at,
        taps: space.take(MOST_TAPS),
        between,
        smoothed,
        smoothed_twice,
        weight,
        weight_around,
        curvature,
        excess,
        gaps: space.take(cells),
        solid: space.take(counts.nodes()),
        open,
        cell_open: space.take(cells),
        space: space.take(cells),
        separating: space.take(cells),
        solid_count: counts.solids as i32,
        has_solid_sites: counts.has_motion as i32,
        solid_exact,
        solid_velocity,
        solids: space.take(counts.solids),
        emitters: space.take(counts.emitters),
        parts: space.take(counts.parts),
        site_point,
        site_offset,
        site_cell: space.take(counts.sites),
        site_room: space.take(counts.sites),
        chosen: space.take(counts.sites),
        wet: space.take(block_count),
        content: space.take(block_count),
        room: space.take(block_count),
        totals: space.take(1),
        viscous,
        ..DeviceStep::zeroed()
    };
    let args = Args {
        partials: space.take(REDUCED_NUMBERS * driver.full_blocks() as usize),
        scalars: space.take(1),
        liquid: step,
        ..Args::zeroed()
    };
    (args, viscous_levels, (space.next - start) as usize)
}

#[cfg(all(test, feature = "emulation"))]
mod tests {
    use super::*;
    use crate::arena::{Arena, Extras, Source};
    use crate::catalogue::DeviceMethod;
    use crate::driver::EmulatedDriver;

    /// Bytes of a step and of both its pressure problems.
    fn bytes(cells: usize, particles: usize) -> usize {
        bytes_of(Counts::of(&Grid::<3>::unit(cells).unwrap(), particles))
    }

    fn bytes_of(counts: Counts) -> usize {
        let driver = EmulatedDriver::new(3, 1);
        let problem = |shape: ProblemShape, name: &str| {
            let vectors = DeviceMethod::of(&name.parse().unwrap()).unwrap().vectors();
            Arena::bytes(&driver, shape, Source::Fields(Extras::default()), &vectors)
        };
        let problems = problem(counts.shape, "best") + problem(counts.blocks, "sticking+cg/multigrid");
        lay_out(&driver, 0, counts).2 + problems
    }

    #[test]
    fn viscosity_takes_its_bytes_a_cell() {
        let cells = 256usize;
        let thin = Counts::of(&Grid::<3>::unit(cells).unwrap(), 1000);
        let thick = Counts { is_viscous: true, has_law: true, has_drags: true, ..thin };
        let of_cell = (bytes_of(thick) - bytes_of(thin)) as f64 / cells.pow(3) as f64;
        assert!((of_cell - 256.0).abs() < 3.0, "{of_cell} bytes a cell");
    }

    #[test]
    fn many_particles_fit_into_one_device() {
        let (few, many) = (bytes(512, 1000), bytes(512, 140_000_000));
        let (of_cell, of_particle) = (few as f64 / 512f64.powi(3), (many - few) as f64 / 140e6);
        assert!(many < 60_000_000_000, "{many} bytes");
        assert!((of_particle - 74.0).abs() < 1.0 && of_cell < 370.0, "{of_particle} a particle, {of_cell} a cell");
        // A view that is on its way takes 32 bytes a particle and 21 a cell, and there may be two.
        assert!(many + 2 * (32 * 140_000_000 + 21 * 512usize.pow(3)) < 80_000_000_000, "{many} bytes");
    }
}
