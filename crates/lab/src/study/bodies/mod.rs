//! Rigid bodies: floating, contact as a complementarity problem, and what many of them cost.

mod archimedes;
mod contact;
mod many;
mod scaling;

use super::Numbers;

/// The measurement of a name: it takes the name of a row.
pub fn trial(what: &str) -> Option<fn(&str) -> Numbers> {
    match what {
        "archimedes" => Some(archimedes::float),
        "contact-lcp" => Some(contact::resolve),
        "bodies-scaling" => Some(scaling::count),
        "many-bodies" => Some(many::count),
        _ => None,
    }
}
