//! How a comparison is shown: text, objects, pictures, pages.

pub mod json;
pub mod notes;
pub mod page;
pub mod plot;
pub mod table;
pub mod timing;
