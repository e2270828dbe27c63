//! USD as text (`.usda`): a stage, and one layer per frame.
//!
//! The stage lists the frames as value clips. A sublayer holds what does not change: walls and shapes of bodies. The
//! layer of a frame holds the mesh of the liquid and the poses of the bodies at its time code. Each frame is written
//! once, and only the small stage is rewritten after it. Time codes are frame numbers.

mod frame;
mod stage;
mod text;
mod world;

pub use frame::frame;
pub use stage::{Stage, manifest, stage};
pub use world::{MovingObject, ObjectShape, World, world};

/// Unique prim names from arbitrary names: letters, digits and underscores.
pub fn prim_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut given: Vec<String> = ["World", "Liquid", "Walls"].map(String::from).into();
    for name in names {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let mut clean: String = name.chars().map(plain).collect();
        if !clean.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
            clean.insert(0, '_');
        }
        let candidates = std::iter::once(clean.clone()).chain((2..).map(|number| format!("{clean}_{number}")));
        let free = candidates.into_iter().find(|candidate| !given.contains(candidate));
        given.push(free.unwrap_or(clean));
    }
    given.split_off(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_distinct_identifiers() {
        assert_eq!(
            prim_names(["duck", "body 1", "duck", "2nd", "Walls", "ø"]),
            ["duck", "body_1", "duck_2", "_2nd", "Walls_2", "_"]
        );
    }
}
