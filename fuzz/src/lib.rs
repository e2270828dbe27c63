//! Every reader of unstick on damaged input.
//!
//! A [`Target`] reads bytes with one of the readers. The reader may refuse them. It must not panic, hang or reserve
//! memory that the input does not account for.

pub mod checkpoint;
pub mod keyframes;
pub mod mesh;
pub mod name;
pub mod problem_folder;
pub mod request;
pub mod run_folder;
pub mod scene;

mod folder;
pub mod mutate;
pub mod watch;

use unstick::grid::Random;

/// A reader, and inputs that it accepts.
pub struct Target {
    /// The name of the target.
    pub name: &'static str,
    /// Reads an input.
    pub run: fn(&[u8]),
    /// Inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

impl Target {
    /// The input of a round: a seed, then damaged ones. The same round always has the same input.
    pub fn input(&self, seeds: &[Vec<u8>], round: usize) -> Vec<u8> {
        let seed = &seeds[round % seeds.len()];
        if round < seeds.len() { seed.clone() } else { mutate::mutated(seed, &mut Random::new(round as u64)) }
    }
}

/// All targets.
pub const TARGETS: [Target; 8] = [
    checkpoint::TARGET,
    keyframes::TARGET,
    mesh::TARGET,
    name::TARGET,
    problem_folder::TARGET,
    request::TARGET,
    run_folder::TARGET,
    scene::TARGET,
];
