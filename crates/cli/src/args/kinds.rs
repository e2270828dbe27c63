//! Choices that several commands offer.

use unstick::gpu::Backend;

/// Where solvers run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum BackendKind {
    /// On the processor
    #[default]
    Cpu,
    /// On the GPU
    Gpu,
    /// On the GPU where there is one that suits, else on the processor
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

/// A list of them.
pub fn backends(kinds: &[BackendKind]) -> Vec<Backend> {
    kinds.iter().map(|&kind| kind.into()).collect()
}
