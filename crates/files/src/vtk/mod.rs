//! VTK files for ParaView: the XML formats (`.vti`, `.vtp`, and `.pvd` for time series) and the legacy format.

mod legacy;
mod pvd;
mod vti;
mod vtp;
mod xml;

pub use legacy::{fields as legacy_fields, points as legacy_points};
pub use pvd::pvd;
pub use vti::fields;
pub use vtp::{points, surface};
