//! Simulations and pressure solves that many machines share.
//!
//! `mpirun -n 8 unstick-mpi solve cube-lid --size 256` runs `best` on eight processes. Each of them makes and holds the rows
//! of its box alone. The method is that of `unstick-mlcp`; this crate tells it how ranks exchange borders and add numbers
//! (`World`, with the feature `mpi`), and how a user asks for it ([`Task`]).
//!
//! `unstick-mpi run` shares whole simulations: `unstick-liquid` knows how, `unstick-scene` runs them.
//!
//! `docs/scale.md` says how to run it on a cluster and what to expect.

mod counted;
mod measure;
mod model;
mod task;
#[cfg(feature = "mpi")]
mod world;

pub use counted::{Counted, Traffic};
pub use measure::{Link, Spread, SumPrice, measure_copies, measure_link, measure_sums, peak_memory};
pub use model::{Machine, Prediction, predict};
pub use task::{Fault, Finding, Source, Task};
#[cfg(feature = "mpi")]
pub use world::World;
