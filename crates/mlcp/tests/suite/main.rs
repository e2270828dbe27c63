//! One program for all tests from outside: it is compiled and linked once.

mod agreement;
mod any_matrix;
mod common;
mod determinism;
mod known_answers;
mod pockets;
mod random_lattices;
mod random_problems;
mod scales;
