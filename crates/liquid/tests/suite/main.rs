//! One program for all tests from outside: it is compiled and linked once.

mod adhesion;
mod air;
mod contact_angle;
mod device;
mod exact;
mod martin_moyce;
mod numbers;
mod splittings;
mod tension;
mod viscosity;
mod volume;
mod water;
