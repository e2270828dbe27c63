//! The text of the kernels. The build script reads it too, for the kernels that tests run on the host.

use crate::layout;

macro_rules! sources {
    ($($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("../kernels/", $name)))),+]
    };
}

/// What the kernels need from the device.
const DEVICE: &str = include_str!("../kernels/device.h");

/// The kernels, in the order in which they use each other.
const SOURCES: [(&str, &str); 43] = sources![
    "lattice.cuh",
    "reduce.cuh",
    "stencil.cuh",
    "sweep.cu",
    "transfer.cu",
    "setup.cu",
    "walls.cu",
    "near.cu",
    "pin.cu",
    "krylov.cu",
    "small.cu",
    "upload.cu",
    "assemble.cu",
    "gradients.cu",
    "cooperative.cu",
    "newton.cu",
    "probe.cu",
    "step/place.cuh",
    "step/shape.cuh",
    "step/solids.cu",
    "step/sort.cu",
    "step/exchange.cu",
    "step/gather.cu",
    "step/surface.cu",
    "step/tension.cu",
    "step/pull.cu",
    "step/faces.cu",
    "step/viscous/places.cuh",
    "step/viscous/medium.cu",
    "step/viscous/levels.cu",
    "step/viscous/drag.cu",
    "step/viscous/solve.cu",
    "step/viscous/velocity.cu",
    "step/blocks.cu",
    "step/move.cu",
    "step/totals.cu",
    "aggregates/rows.cuh",
    "aggregates/pair.cu",
    "aggregates/renew.cu",
    "aggregates/cycle.cu",
    "aggregates/small.cu",
    "aggregates/bounded.cu",
    "aggregates/krylov.cu",
];

/// The kernels as one text. A compiler for the device needs nothing else but a value of `DIM`, 2 or 3, and of
/// `CLUSTER`, the number of blocks that can wait for each other.
pub fn kernel_text() -> String {
    format!("{DEVICE}\n{}", shared_text())
}

/// The part of the text that the host compiles too.
pub(crate) fn shared_text() -> String {
    let sources = SOURCES.iter().map(|(name, text)| format!("#line 1 \"{name}\"\n{text}\n"));
    layout::header() + &sources.collect::<String>()
}
