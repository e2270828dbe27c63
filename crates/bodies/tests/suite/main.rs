//! One program for all tests from outside: it is compiled and linked once.

mod contact;
mod floating;
mod heaps;
mod suspension;
mod touching;
