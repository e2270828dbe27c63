//! Options that several commands share.

use unstick::gpu::Backend;

/// Where solvers run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum BackendKind {
    /// On the processor
    #[default]
    Cpu,
    /// On the GPU
    Gpu,
    /// On the GPU if there is a suitable one, else on the processor
    Auto,
}

impl From<BackendKind> for Backend {
    fn from(kind: BackendKind) -> Self {
        match kind {
            BackendKind::Cpu => Self::Cpu,
            BackendKind::Gpu => Self::Gpu,
            BackendKind::Auto => Self::Auto,
        }
    }
}

/// A list of backends.
pub fn backends(kinds: &[BackendKind]) -> Vec<Backend> {
    kinds.iter().map(|&kind| kind.into()).collect()
}
