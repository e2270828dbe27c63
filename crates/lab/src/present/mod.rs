//! Comparisons and benchmarks as text, JSON, plots and pages.

pub mod json;
pub mod notes;
pub mod page;
pub mod plot;
pub mod table;
pub mod timing;
