//! What holds memory and runs kernels: a GPU or, in tests, the host.

mod cuda;
mod download;
#[cfg(feature = "emulation")]
mod emulated;
mod kept;
mod staging;

pub(crate) use cuda::{CudaDriver, check_libraries};
#[cfg(feature = "emulation")]
pub(crate) use emulated::EmulatedDriver;

use std::time::Duration;

use cudarc::driver::CudaEvent;

use crate::error::GpuError;
use crate::layout::{Address, Args, OWN_BYTES, Pointer, THREADS};
use crate::tally::Tally;

macro_rules! kernels {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// A kernel.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Kernel { $($variant),+ }

        impl Kernel {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its name in the text.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

kernels! {
    ScatterRows = "scatter_rows",
    ScatterCuts = "scatter_cuts",
    ScatterWalls = "scatter_walls",
    GatherRows = "gather_rows",
    AssembleRows = "assemble_rows",
    JoinComponents = "join_components",
    HoldComponents = "hold_components",
    AssembleB = "assemble_b",
    ReplaceRows = "replace_rows",
    MeasureAnswer = "measure_answer",
    ClassifyFine = "classify_fine",
    Classify = "classify",
    Aggregate = "aggregate",
    Adopt = "adopt",
    Galerkin = "galerkin",
    Truncate = "truncate",
    ListMixed = "list_mixed",
    ListNear = "list_near",
    ListTiles = "list_tiles",
    SmallSetup = "small_setup",
    SmallGalerkin = "small_galerkin",
    SmallCycle = "small_cycle",
    SmallStart = "small_start",
    Sweep = "sweep",
    Restrict = "restrict_residual",
    Prolong = "prolong",
    EliminateRed = "eliminate_red",
    MultiplyBlack = "multiply_black",
    StepBlack = "step_black",
    AddToQ = "add_to_q",
    AddToCorrection = "add_to_correction",
    ProjectFine = "project_fine",
    ProjectCorrection = "project_correction",
    ChooseFine = "choose_fine",
    ChooseCorrection = "choose_correction",
    SettleFine = "settle_fine",
    SettleCorrection = "settle_correction",
    BeginNear = "begin_near",
    RelaxNear = "relax_near",
    ChooseNear = "choose_near",
    AcceptNear = "accept_near",
    LoadCorrection = "load_correction",
    NaturalResidual = "natural_residual",
    RestrictFine = "restrict_fine",
    RestrictCorrection = "restrict_correction",
    ProlongFine = "prolong_fine",
    ProlongCorrection = "prolong_correction",
    FindCandidates = "find_candidates",
    PinCandidates = "pin_candidates",
    BeginRows = "begin_rows",
    SetTarget = "set_target",
    MultiplyRows = "multiply_rows",
    StepRows = "step_rows",
    RenewRows = "renew_rows",
    RenewImages = "renew_images",
    IterateRows = "iterate_rows",
    IterateMoreRows = "iterate_more_rows",
    BeginCycle = "begin_cycle",
    EndCycle = "end_cycle",
    ChooseNewton = "choose_newton",
    StepToBound = "step_to_bound",
    MeritAndSlope = "merit_and_slope",
    ProjectStep = "project_step",
    MeritOfTrial = "merit_of_trial",
    AcceptTrial = "accept_trial",
    CopyCells = "copy_cells",
    Nothing = "nothing",
    PlaceSolids = "place_solids",
    OpenWalls = "open_walls",
    HandOverWalls = "hand_over_walls",
    CountInside = "count_inside",
    MeasureSites = "measure_sites",
    EnterParticles = "enter_particles",
    DrainParticles = "drain_particles",
    PrescribeFaces = "prescribe_faces",
    CountParticles = "count_particles",
    SumPieces = "sum_pieces",
    ScanPieces = "scan_pieces",
    StartCells = "start_cells",
    PlaceParticles = "place_particles",
    SortCells = "sort_cells",
    ReorderParticles = "reorder_particles",
    GatherParticles = "gather_particles",
    AdvectFaces = "advect_faces",
    TrackSurface = "track_surface",
    FillParts = "fill_parts",
    BlurPatch = "blur_patch",
    FindCurvature = "find_curvature",
    CorrectCurvature = "correct_curvature",
    MeasureTension = "measure_tension",
    FindGaps = "find_gaps",
    FillGaps = "fill_gaps",
    ShowSurface = "show_surface",
    ExtrapolateFaces = "extrapolate_faces",
    HandOverFields = "hand_over_fields",
    TakePressure = "take_pressure",
    CarryOutwards = "carry_outwards",
    ApplyForces = "apply_forces",
    PredictVelocity = "predict_velocity",
    EnterBox = "enter_box",
    FindViscosity = "find_viscosity",
    FillStrain = "fill_strain",
    DragWalls = "drag_walls",
    HoldSource = "hold_source",
    JoinFaces = "join_faces",
    CoarsenViscous = "coarsen_viscous",
    InvertViscous = "invert_viscous",
    BeginViscousSolve = "begin_viscous_solve",
    LoadViscousCycle = "load_viscous_cycle",
    ScaleViscousResidual = "scale_viscous_residual",
    SmoothViscous = "smooth_viscous",
    LeaveViscousResidual = "leave_viscous_residual",
    RestrictViscous = "restrict_viscous",
    CorrectViscous = "correct_viscous",
    SmallViscousCycle = "small_viscous_cycle",
    MeasureViscousCycle = "measure_viscous_cycle",
    TurnViscous = "turn_viscous",
    MultiplyViscous = "multiply_viscous",
    StepViscous = "step_viscous",
    AddLastCycle = "add_last_cycle",
    LeaveBox = "leave_box",
    CarryChange = "carry_change",
    KeepReached = "keep_reached",
    ConstrainFaces = "constrain_faces",
    PlaceBlockWalls = "place_block_walls",
    FillBlocks = "fill_blocks",
    AskForGrowth = "ask_for_growth",
    DisplaceBlocks = "displace_blocks",
    AddDisplacement = "add_displacement",
    SpreadParticles = "spread_particles",
    MoveParticles = "move_particles",
    MoveAmongMoving = "move_among_moving",
    MeasureParticles = "measure_particles",
    MeasureVolume = "measure_volume",
    MeasureSurface = "measure_surface",
    PlaceEntries = "place_entries",
    FinishRows = "finish_rows",
    BeginPairs = "begin_pairs",
    SeekMates = "seek_mates",
    JoinMates = "join_mates",
    FlagFirsts = "flag_firsts",
    NumberPairs = "number_pairs",
    WidenSlices = "widen_slices",
    MergePairs = "merge_pairs",
    ListMembers = "list_members",
    NameParents = "name_parents",
    SumAggregates = "sum_aggregates",
    InvertCoarsest = "invert_coarsest",
    RowsSmoothDown = "rows_smooth_down",
    RowsLeaveResidual = "rows_leave_residual",
    RowsGatherResidual = "rows_gather_residual",
    RowsProlong = "rows_prolong",
    RowsResume = "rows_resume",
    RowsSmoothUp = "rows_smooth_up",
    RowsMeasureFirst = "rows_measure_first",
    RowsBeginSecond = "rows_begin_second",
    RowsMeasureSecond = "rows_measure_second",
    RowsSmall = "rows_small",
    RowsLift = "rows_lift",
    RowsNatural = "rows_natural",
    RowsPose = "rows_pose",
    RowsRelax = "rows_relax",
    RowsChoose = "rows_choose",
    RowsSettle = "rows_settle",
    RowsRelease = "rows_release",
    RowsFindCandidates = "rows_find_candidates",
    RowsPinCandidates = "rows_pin_candidates",
    RowsAcceptStart = "rows_accept_start",
    RowsRestrictProblem = "rows_restrict_problem",
    RowsLoad = "rows_load",
    RowsCorrect = "rows_correct",
    RowsProlongAnswer = "rows_prolong_answer",
    RowsMeasureEnergy = "rows_measure_energy",
    RowsScale = "rows_scale",
    RowsBeginAnswer = "rows_begin_answer",
    RowsBeginGradients = "rows_begin_gradients",
    RowsTurn = "rows_turn",
    RowsDirect = "rows_direct",
    RowsMultiply = "rows_multiply",
    RowsStep = "rows_step",
    RowsAccept = "rows_accept",
}

/// A grid whose blocks all run at the same time and may wait for each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CooperativeGrid {
    /// Number of blocks; zero if the device cannot run such a grid.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Groups for which a thread has memory.
    pub groups: u32,
}

impl CooperativeGrid {
    /// The kernels that iterate with one and with two groups a thread.
    pub const KERNELS: [Kernel; 2] = [Kernel::IterateRows, Kernel::IterateMoreRows];

    /// The kernel that iterates on this many tiles; none if the grid has no room for them.
    pub fn kernel(&self, tiles: u32) -> Option<Kernel> {
        let tiles_at_once = self.blocks * self.threads / THREADS;
        let groups = (1..=self.groups).find(|groups| tiles <= groups * tiles_at_once)?;
        Some(Self::KERNELS[groups as usize - 1])
    }

    /// Bytes of block memory for such a kernel; none for all other kernels, and if a block has less.
    pub fn block_bytes(&self, kernel: Kernel) -> Option<u32> {
        let groups = 1 + Self::KERNELS.iter().position(|&known| known == kernel)? as u32;
        (groups <= self.groups).then_some(OWN_BYTES * self.threads * groups)
    }
}

/// Up to this many bytes are sent without waiting for the device.
pub(crate) const SMALL_WRITE: usize = 1 << 10;

/// A moment in the order of a driver's work, which another driver can wait for. The host does all work at once.
pub(crate) struct Point(Option<CudaEvent>);

/// Launches that are replayed as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recording(usize);

/// Writes a piece of a list of numbers, which begins at an index.
pub(crate) type Fill<'a> = &'a dyn Fn(usize, &mut [f64]);

/// Reads a piece of a list of numbers, which begins at an index.
pub(crate) type Take<'a> = &'a mut dyn FnMut(usize, &[f64]);

/// A part of the memory: its address, and how many bytes.
pub(crate) type Part = (Address, usize);

/// Bytes from the beginning of a part of a download to that of the next one.
pub(crate) fn room_of(part: &Part) -> usize {
    part.1.next_multiple_of(256)
}

/// Copies of parts of the memory, one after the other, on their way to the host.
pub(crate) trait Download: Send {
    /// Waits until all have arrived.
    fn wait(&mut self) -> Result<&[u8], GpuError>;
}

/// Memory and kernels. Launches and copies run in the order of the calls.
pub(crate) trait Driver: Send {
    /// Returns zeroed memory of this size. All earlier memory and recordings become invalid.
    fn allocate(&mut self, bytes: usize) -> Result<Address, GpuError>;

    fn zero(&mut self, at: Address, bytes: usize) -> Result<(), GpuError>;

    /// Waits for the device if there are more than [`SMALL_WRITE`] bytes.
    fn write(&mut self, at: Address, bytes: &[u8]) -> Result<(), GpuError>;

    /// Waits for all earlier launches, then copies.
    fn read(&mut self, at: Address, bytes: &mut [u8]) -> Result<(), GpuError>;

    /// Sends numbers that `fill` writes piece by piece.
    fn send(&mut self, at: Pointer<f64>, count: usize, fill: Fill) -> Result<(), GpuError>;

    /// Receives numbers that `take` reads piece by piece.
    fn receive(&mut self, at: Pointer<f64>, count: usize, take: Take) -> Result<(), GpuError>;

    /// Copies parts of the memory as they are after all earlier launches, and brings the copy to the host while later ones
    /// run.
    fn begin_download(&mut self, parts: &[Part]) -> Result<Box<dyn Download>, GpuError>;

    /// Another driver of the same device, with memory of its own. The launches of both run in the order of the calls.
    fn companion(&self) -> Result<Box<dyn Driver>, GpuError>;

    /// The end of all work so far.
    fn point(&mut self) -> Result<Point, GpuError>;

    /// Later work begins after that of another driver up to a point.
    fn wait_for(&mut self, point: &Point) -> Result<(), GpuError>;

    /// Notes the time at which the device has done all work so far, under a number.
    fn mark(&mut self, number: usize) -> Result<(), GpuError>;

    /// The time between two marks. Waits until the device has passed both.
    fn between(&mut self, from: usize, to: usize) -> Result<Duration, GpuError>;

    /// What it was asked for so far.
    fn tally(&self) -> Tally;

    /// Number of multiprocessors.
    fn multiprocessors(&self) -> u32;

    /// Number of blocks of a cluster, which can wait for each other.
    fn cluster(&self) -> u32;

    /// The grid that runs [`CooperativeGrid::KERNELS`].
    fn cooperative_grid(&self) -> CooperativeGrid;

    fn launch(&mut self, kernel: Kernel, blocks: u32, threads: u32, args: &Args) -> Result<(), GpuError>;

    /// From here on launches are recorded and do not run.
    fn begin_recording(&mut self) -> Result<(), GpuError>;

    fn end_recording(&mut self) -> Result<Recording, GpuError>;

    fn replay(&mut self, recording: Recording) -> Result<(), GpuError>;

    /// Blocks of kernels that loop over more work than there are threads: as many as fill the device.
    fn full_blocks(&self) -> u32 {
        16 * self.multiprocessors() // 16 blocks of `THREADS` threads run on a multiprocessor at a time
    }

    /// Launches a thread for each item.
    fn launch_items(&mut self, kernel: Kernel, items: usize, args: &Args) -> Result<(), GpuError> {
        self.launch(kernel, (items as u32).div_ceil(THREADS), THREADS, args)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_takes_the_tiles_it_has_room_for() {
        let grid = CooperativeGrid { blocks: 3, threads: 2 * THREADS, groups: 2 };
        assert_eq!(grid.kernel(6), Some(Kernel::IterateRows));
        assert_eq!(grid.kernel(7), Some(Kernel::IterateMoreRows));
        assert_eq!(grid.kernel(13), None);
        assert_eq!(CooperativeGrid { blocks: 0, ..grid }.kernel(1), None);
    }

    #[test]
    fn blocks_need_memory_for_each_group_of_their_threads() {
        let grid = CooperativeGrid { blocks: 3, threads: 128, groups: 1 };
        assert_eq!(grid.block_bytes(Kernel::IterateRows), Some(OWN_BYTES * 128));
        assert_eq!(grid.block_bytes(Kernel::IterateMoreRows), None);
        assert_eq!(grid.block_bytes(Kernel::Sweep), None);
    }

    #[test]
    fn every_kernel_is_defined_once_in_the_text() {
        let text = crate::text::kernel_text();
        for kernel in Kernel::ALL {
            let name = kernel.name();
            let definitions =
                ["KERNEL({})", "KERNEL({}, ", "LAUNCHED({}, ", "LAUNCHED({},\n"].map(|text| text.replace("{}", name));
            let count: usize = definitions.iter().map(|definition| text.matches(definition.as_str()).count()).sum();
            assert_eq!(count, 1, "{name}");
        }
    }
}
