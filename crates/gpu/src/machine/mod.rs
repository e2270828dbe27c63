//! A machine that holds memory and runs kernels: a GPU, or in tests the host.

mod cuda;
#[cfg(feature = "emulation")]
mod emulated;
mod staging;

pub(crate) use cuda::{Cuda, check_libraries};
#[cfg(feature = "emulation")]
pub(crate) use emulated::Emulated;

use crate::error::GpuError;
use crate::layout::{Address, Args, OWN_BYTES, THREADS};

/// The kernel text, in the order in which its parts use each other.
const PARTS: [&str; 18] = [
    include_str!("../../kernels/layout.cuh"),
    include_str!("../../kernels/device.h"),
    include_str!("../../kernels/reduce.cuh"),
    include_str!("../../kernels/stencil.cuh"),
    include_str!("../../kernels/sweep.cu"),
    include_str!("../../kernels/transfer.cu"),
    include_str!("../../kernels/setup.cu"),
    include_str!("../../kernels/walls.cu"),
    include_str!("../../kernels/near.cu"),
    include_str!("../../kernels/anchors.cu"),
    include_str!("../../kernels/krylov.cu"),
    include_str!("../../kernels/small.cu"),
    include_str!("../../kernels/upload.cu"),
    include_str!("../../kernels/assemble.cu"),
    include_str!("../../kernels/gradients.cu"),
    include_str!("../../kernels/crew.cu"),
    include_str!("../../kernels/newton.cu"),
    include_str!("../../kernels/probe.cu"),
];

/// The kernels as one text, which a compiler for the device takes as it is (with `DIM` defined).
pub fn kernel_text() -> String {
    PARTS.join("\n")
}

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
    JoinRows = "join_rows",
    HoldRows = "hold_rows",
    AssembleB = "assemble_b",
    ReplaceRows = "replace_rows",
    JudgeRows = "judge_rows",
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
    CorrectFine = "correct_fine",
    CorrectStart = "correct_start",
    ProjectFine = "project_fine",
    ProjectStart = "project_start",
    ChooseFine = "choose_fine",
    ChooseStart = "choose_start",
    SettleFine = "settle_fine",
    SettleStart = "settle_start",
    BeginNear = "begin_near",
    RelaxNear = "relax_near",
    ChooseNear = "choose_near",
    SettleNear = "settle_near",
    AcceptNear = "accept_near",
    LoadStart = "load_start",
    NaturalResidual = "natural_residual",
    RestrictToStart = "restrict_to_start",
    RestrictStart = "restrict_start",
    ProlongFine = "prolong_fine",
    ProlongStart = "prolong_start",
    FindAnchors = "find_anchors",
    DropAnchors = "drop_anchors",
    BeginRows = "begin_rows",
    Aim = "aim",
    MultiplyRows = "multiply_rows",
    StepRows = "step_rows",
    RenewRows = "renew_rows",
    RenewImages = "renew_images",
    IterateRows = "iterate_rows",
    IterateMoreRows = "iterate_more_rows",
    LoadCycle = "load_cycle",
    TakeCycle = "take_cycle",
    ChooseNewton = "choose_newton",
    StepToBound = "step_to_bound",
    MeritAndSlope = "merit_and_slope",
    ProjectStep = "project_step",
    MeritOfTrial = "merit_of_trial",
    AcceptTrial = "accept_trial",
    CopyCells = "copy_cells",
    Nothing = "nothing",
}

/// Blocks that are all at work at the same time and may wait for each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crew {
    pub blocks: u32,
    /// Of a block.
    pub threads: u32,
    /// Groups for which a thread has room.
    pub passes: u32,
}

impl Crew {
    /// The kernel that iterates on so many tiles; none if there is no room for them.
    pub fn kernel(&self, tiles: u32) -> Option<Kernel> {
        let kernels = [Kernel::IterateRows, Kernel::IterateMoreRows];
        let at_once = self.blocks * self.threads / THREADS;
        (1..=self.passes).find(|passes| tiles <= passes * at_once).map(|passes| kernels[passes as usize - 1])
    }

    /// Bytes of its own memory that a block of a kernel uses.
    pub fn room(&self, kernel: Kernel) -> Option<u32> {
        let passes = match kernel {
            Kernel::IterateRows => 1,
            Kernel::IterateMoreRows => 2,
            _ => return None,
        };
        (passes <= self.passes).then_some(OWN_BYTES * self.threads * passes)
    }
}

/// Launches that are replayed as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recording(usize);

/// Memory and kernels. Launches and copies happen in the order in which they are asked for.
pub(crate) trait Machine: Send {
    /// Memory of that size, all zero; all earlier memory and recordings are gone.
    fn allocate(&mut self, bytes: usize) -> Result<Address, GpuError>;

    fn zero(&mut self, at: Address, bytes: usize) -> Result<(), GpuError>;

    fn write(&mut self, at: Address, bytes: &[u8]) -> Result<(), GpuError>;

    /// Waits for all launches before it.
    fn read(&mut self, at: Address, bytes: &mut [u8]) -> Result<(), GpuError>;

    /// Sends so many numbers, which `fill` writes piece by piece: a piece, and where its first number belongs.
    fn send(&mut self, at: Address, count: usize, fill: &dyn Fn(usize, &mut [f64])) -> Result<(), GpuError>;

    /// Receives so many numbers, which `take` reads likewise.
    fn receive(&mut self, at: Address, count: usize, take: &mut dyn FnMut(usize, &[f64])) -> Result<(), GpuError>;

    /// How many blocks can wait for each other.
    fn cluster(&self) -> u32;

    /// Who runs [`Kernel::IterateRows`] and [`Kernel::IterateMoreRows`]; nobody where blocks cannot wait for all others.
    fn crew(&self) -> Crew;

    fn launch(&mut self, kernel: Kernel, blocks: u32, threads: u32, args: &Args) -> Result<(), GpuError>;

    /// From here on launches are recorded instead of run.
    fn begin_recording(&mut self) -> Result<(), GpuError>;

    fn end_recording(&mut self) -> Result<Recording, GpuError>;

    fn replay(&mut self, recording: Recording) -> Result<(), GpuError>;
}
