//! The stages of a step, as `unstick_liquid` has them, as launches.

use unstick_grid::{CLOSED, Grid, TOUCHES};
use unstick_liquid::{LiquidState, Rules, Setup, Transport, Wall};
use unstick_mlcp::fields::{MIN_THETA, Window};

use super::memory::{StepMemory, nodes_of};
use super::shapes::in_space;
use super::viscous::set_viscous_rules;
use crate::driver::{Driver, Kernel};
use crate::error::GpuError;
use crate::layout::{Args, DeviceFaces, DeviceFields, Pointer, ROW_COLUMNS, THREADS};

/// Cells beyond those with particles, within which faces are known before any layer is added: particles reach one, and the
/// distance to the liquid goes on by one into solids.
const KNOWN_REACH: usize = 3;

/// The numbers that all steps of a setup share.
pub(super) fn set_rules<const D: usize>(memory: &mut StepMemory, setup: &Setup<D>) {
    let per_cell = setup.particles_per_cell();
    let step = memory.step();
    let rules = Rules::NOW;
    step.spacing = setup.grid.spacing() as f32;
    step.length = setup.grid.spacing();
    step.lower = in_space(setup.grid.origin());
    step.upper = in_space(setup.grid.node(setup.grid.cells()));
    (step.closed, step.touches) = (CLOSED, TOUCHES);
    step.border_separates = (setup.border == Wall::Separating) as i32;
    step.share = 1.0 / per_cell as f32;
    step.too_closed = rules.too_closed as f32;
    step.clearance = rules.clearance as f32;
    step.least_distance = (rules.least_distance / setup.particles_per_axis as f64) as f32;
    step.small = rules.small as f32;
    step.at_once = rules.at_once as f32;
    step.most = rules.most as f32;
    step.least_room = (rules.least_room * (1 << D) as f64) as f32;
    step.crowded = (1.0 + rules.noise) as f32;
    step.thinnest = rules.thinnest_film as f32;
    (step.most_continued, step.touching) = (rules.most_continued as f32, rules.touching);
    step.least_theta = MIN_THETA;
    step.has_solids = !setup.solids.is_empty() as i32;
    set_viscous_rules(memory, setup);
}

/// The numbers of one step.
pub(super) fn set_step<const D: usize>(memory: &mut StepMemory, setup: &Setup<D>, moment: &Moment, dt: f64) {
    let (spacing, rules) = (setup.grid.spacing(), Rules::NOW);
    let kick = moment.kick(dt);
    let gravity = setup.gravity.at(moment.time);
    let turns = if setup.volume_correction { rules.turns } else { 0 };
    let step = memory.step();
    step.stride = (dt / spacing) as f32;
    step.stride_back = (kick / spacing) as f32;
    step.half_step = 0.5 * dt;
    step.pressure_scale = kick / spacing;
    step.is_first = (moment.step == 0) as i32;
    step.control = setup.uniform_control().unwrap_or(0.0);
    for axis in 0..D {
        step.kick[axis] = gravity[axis] * kick;
    }
    step.keep = match setup.transport {
        Transport::Flip { pic } => (1.0 - pic).powf(dt / rules.blend_time) as f32,
        Transport::Apic | Transport::SemiLagrangian => 0.0,
    };
    step.calm = (-setup.calming() * dt).exp() as f32;
    step.fading = (1.0 - (-dt / rules.fade).exp()) as f32;
    step.turns = turns as i32;
    step.first_in_turn = if turns > 0 { ((turns - moment.step % turns) % turns) as i32 } else { 0 };
    // That of the end of the step, for its energy.
    let gravity = setup.gravity.at(moment.time + dt);
    step.gravity[..D].copy_from_slice(&gravity);
}

/// Blocks of the gather: each has some rows of columns, the first and the last of which have no node of their own.
fn gather_blocks<const D: usize>(cells: [usize; D]) -> u32 {
    let pieces = (cells[0] + 1).div_ceil(ROW_COLUMNS as usize - 2);
    let rows: usize = cells[1..].iter().map(|count| count + 1).product();
    (pieces * rows.div_ceil((THREADS / ROW_COLUMNS) as usize)) as u32
}

/// Where a simulation stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub time: f64,
    pub step: u64,
    pub last_step: f64,
}

impl Moment {
    pub fn of<const D: usize>(state: &LiquidState<D>) -> Self {
        Self { time: state.time, step: state.step, last_step: state.last_step }
    }

    /// The seconds over which forces and pressure act.
    pub fn kick(&self, dt: f64) -> f64 {
        0.5 * (self.last_step + dt)
    }
}

impl StepMemory {
    /// Particles → faces and density. With `semi-lagrangian` faces give faces their velocity once there is one.
    pub fn gather<const D: usize>(&mut self, setup: &Setup<D>, moment: &Moment) -> Result<(), GpuError> {
        let blocks = gather_blocks(setup.grid.cells());
        // The density of the last step stays where the surface was shown, which nobody needs until the end of the step.
        let step = self.step();
        std::mem::swap(&mut step.density, &mut step.shown);
        self.driver.launch(Kernel::GatherParticles, blocks, THREADS, &self.args)?;
        if setup.transport == Transport::SemiLagrangian && moment.step > 0 {
            return self.over_faces(Kernel::AdvectFaces);
        }
        let gathered = self.args.liquid.gathered;
        self.extrapolate(gathered, 2..=3)
    }

    /// Density → distance to the liquid; returns the box that holds it.
    pub fn track_surface<const D: usize>(&mut self, grid: &Grid<D>) -> Result<Window<D>, GpuError> {
        let step = self.step();
        std::mem::swap(&mut step.liquid, &mut step.liquid_before);
        self.over_cells(Kernel::TrackSurface)?;
        self.over_cells(Kernel::FindGaps)?;
        self.total(Kernel::FillGaps, self.counts.cells())?;
        let [last, first] = {
            let window = self.totals()?.window;
            [[window[0], window[1], window[2]], [-window[3], -window[4], -window[5]]]
        };
        if last[0] < 0.0 {
            return Ok(Window { first: [0; D], size: [1; D] });
        }
        let first: [usize; D] = std::array::from_fn(|axis| first[axis] as usize);
        let size = std::array::from_fn(|axis| last[axis] as usize + 1 - first[axis]);
        debug_assert!((0..D).all(|axis| first[axis] + size[axis] <= grid.cells()[axis]));
        Ok(Window { first, size })
    }

    /// Goes back to the density and the distance to the liquid of the last step. Particles, velocity and pressure have
    /// not changed before the pressure of this one is known.
    pub fn forget_surface(&mut self) -> Result<(), GpuError> {
        let step = self.step();
        std::mem::swap(&mut step.density, &mut step.shown);
        std::mem::swap(&mut step.liquid, &mut step.liquid_before);
        self.over_cells(Kernel::ShowSurface)
    }

    /// Adds layers of known faces, by their numbers.
    pub(super) fn extrapolate(
        &mut self,
        faces: DeviceFaces,
        layers: std::ops::RangeInclusive<i32>,
    ) -> Result<(), GpuError> {
        for layer in layers {
            self.add_layer(Kernel::ExtrapolateFaces, faces, layer)?;
        }
        Ok(())
    }

    fn add_layer(&mut self, kernel: Kernel, faces: DeviceFaces, layer: i32) -> Result<(), GpuError> {
        let step = self.step();
        (step.lattice, step.spreading, step.layer) = (step.cells, faces, layer);
        self.over_near_faces(kernel, layer as usize + KNOWN_REACH)
    }

    /// Writes the fields of a pressure problem, described in device memory; `count` threads.
    pub fn hand_over(&mut self, fields: Pointer<DeviceFields>, count: usize) -> Result<(), GpuError> {
        self.args.fields = fields;
        self.driver.launch_items(Kernel::HandOverFields, count, &self.args)
    }

    /// Takes the answer of that problem.
    pub fn take_pressure(&mut self, fields: Pointer<DeviceFields>) -> Result<(), GpuError> {
        self.args.fields = fields;
        self.over_faces(Kernel::TakePressure)
    }

    /// Velocity beyond the liquid and into solids.
    pub fn extrapolate_velocity<const D: usize>(&mut self, setup: &Setup<D>) -> Result<(), GpuError> {
        let layers = setup.cfl.ceil() as i32 + 2;
        let step = self.args.liquid;
        let faces = DeviceFaces { value: step.carrying.value, known: step.gathered.known };
        // With stress, faces that take on a change are a layer of their own.
        let mut first = 2;
        if self.has_stress() {
            self.add_layer(Kernel::CarryChange, faces, first)?;
            first += 1;
        }
        self.add_layer(Kernel::CarryOutwards, faces, first)?;
        self.over_near_faces(Kernel::KeepReached, KNOWN_REACH)?;
        self.extrapolate(faces, first + 1..=first + layers - 1)?;
        self.over_faces(Kernel::ConstrainFaces)
    }

    /// Writes what the matrix of the projection of displacements is made of, by another driver; before the first of them
    /// the walls of its blocks too.
    pub fn fill_blocks(
        &self,
        on: &mut dyn Driver,
        fields: Pointer<DeviceFields>,
        has_walls: bool,
    ) -> Result<(), GpuError> {
        let args = Args { fields, ..self.args };
        if !has_walls {
            on.launch_items(Kernel::PlaceBlockWalls, nodes_of(self.counts.blocks), &args)?;
        }
        on.launch_items(Kernel::FillBlocks, self.counts.blocks.cell_count(), &args)
    }

    /// Writes by how much the blocks are to grow.
    pub fn ask_for_growth(&self, on: &mut dyn Driver, fields: Pointer<DeviceFields>) -> Result<(), GpuError> {
        let args = Args { fields, ..self.args };
        on.launch_items(Kernel::AskForGrowth, self.counts.blocks.cell_count(), &args)
    }

    /// Adds the displacement to the velocity that moves the particles.
    pub fn displace(&mut self, fields: Pointer<DeviceFields>) -> Result<(), GpuError> {
        self.args.fields = fields;
        self.over_block_faces(Kernel::DisplaceBlocks)?;
        for layer in 2..=3 {
            let step = self.step();
            (step.lattice, step.spreading, step.layer) = (step.blocks, step.displacement, layer);
            self.over_near_block_faces(Kernel::ExtrapolateFaces)?;
        }
        self.over_faces(Kernel::AddDisplacement)
    }

    /// Faces → particles, particles through the velocity, sorted by cell. The velocity that carries them is that of the
    /// liquid unless they are displaced.
    pub fn move_particles(&mut self, is_displaced: bool) -> Result<(), GpuError> {
        let (turns, first) = (self.args.liquid.turns as usize, self.args.liquid.first_in_turn as usize);
        if turns > 0 {
            let in_turn = self.counts.particles.saturating_sub(first).div_ceil(turns);
            self.driver.launch_items(Kernel::SpreadParticles, in_turn, &self.args)?;
        }
        let carrying = self.args.liquid.carrying;
        if !is_displaced {
            self.step().carrying = self.args.liquid.velocity;
        }
        let kernel = if self.counts.has_motion { Kernel::MoveAmongMoving } else { Kernel::MoveParticles };
        let moved = self.over_particles(kernel);
        self.step().carrying = carrying;
        moved?;
        self.sort_counted(self.counts.particles)
    }

    /// Energies, speeds and volumes at the end of a step.
    pub fn measure(&mut self) -> Result<(), GpuError> {
        self.total(Kernel::MeasureParticles, self.counts.particles)?;
        self.total_over_blocks(Kernel::MeasureVolume)?;
        self.over_cells(Kernel::ShowSurface)?;
        self.total(Kernel::MeasureSurface, self.counts.nodes())
    }
}
