//! One program for all tests from outside: it is compiled and linked once.

mod bad_input;
mod faults;
mod files;
mod run;
mod scenes;
mod view;
mod viscous;
