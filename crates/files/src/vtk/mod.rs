//! VTK: what ParaView opens. The XML kinds (`.vti`, `.vtp`, joined by a `.pvd`) and the legacy one.

mod legacy;
mod pvd;
mod vti;
mod vtp;
mod xml;

pub use legacy::{fields as legacy_fields, points as legacy_points};
pub use pvd::pvd;
pub use vti::fields;
pub use vtp::{points, surface};
