//! The functions that JavaScript calls. They take and return numbers and addresses of arrays in memory.
//!
//! There is one sandbox per module. `viewer/js/simulator.js` calls these functions.
#![allow(unsafe_code)] // `no_mangle` keeps the names that JavaScript uses; every function is safe to call

use std::cell::RefCell;

use crate::picture::Picture;
use crate::preset::Preset;
use crate::sandbox::{Sandbox, SandboxError};

/// The speed at the bright end of the colours, in m/s: that of a free fall through the square.
const FASTEST: f64 = 4.43;
/// The pressure at the bright end of the colours, in pascals: half of the hydrostatic pressure of the full square.
const HIGHEST: f64 = 4905.0;

/// The simulation and its latest picture.
#[derive(Default)]
struct Session {
    sandbox: Option<Sandbox>,
    picture: Picture,
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
    /// The last error. It is not part of the session, because the session is borrowed during a panic.
    static MESSAGE: RefCell<String> = RefCell::default();
}

/// Calls a function with the sandbox if there is one, and keeps its error.
fn with<T: Default>(work: impl FnOnce(&mut Sandbox) -> Result<T, SandboxError>) -> T {
    SESSION.with_borrow_mut(|session| {
        let Some(sandbox) = &mut session.sandbox else { return T::default() };
        work(sandbox).unwrap_or_else(|error| {
            MESSAGE.set(error.to_string());
            T::default()
        })
    })
}

/// Calls a function that cannot fail with the sandbox if there is one.
fn change(work: impl FnOnce(&mut Sandbox)) {
    with(|sandbox| {
        work(sandbox);
        Ok(())
    });
}

/// Starts a new simulation from a preset. Returns whether it could start.
#[unsafe(no_mangle)]
pub extern "C" fn begin(cells: u32, preset: u32) -> bool {
    std::panic::set_hook(Box::new(|panic| MESSAGE.set(panic.to_string())));
    MESSAGE.take();
    let preset = Preset::ALL.get(preset as usize).copied().unwrap_or_default();
    let started = Sandbox::new(cells as usize, preset);
    SESSION.with_borrow_mut(|session| match started {
        Ok(sandbox) => {
            session.sandbox = Some(sandbox);
            true
        }
        Err(error) => {
            MESSAGE.set(error.to_string());
            false
        }
    })
}

/// Takes one step of at most `seconds` and returns its length. It is zero if there is no liquid.
#[unsafe(no_mangle)]
pub extern "C" fn advance(seconds: f64) -> f64 {
    with(|sandbox| sandbox.advance(seconds))
}

/// Makes all walls separating or sealed.
#[unsafe(no_mangle)]
pub extern "C" fn set_separating(separating: bool) {
    change(|sandbox| sandbox.set_separating(separating));
}

/// Sets gravity.
#[unsafe(no_mangle)]
pub extern "C" fn set_gravity(x: f64, y: f64) {
    change(|sandbox| sandbox.set_gravity([x, y]));
}

/// Paints a stroke of wall, or erases walls along it.
#[unsafe(no_mangle)]
pub extern "C" fn paint(from_x: f64, from_y: f64, to_x: f64, to_y: f64, radius: f64, is_wall: bool) {
    change(|sandbox| sandbox.paint([from_x, from_y], [to_x, to_y], radius, is_wall));
}

/// Starts to pour liquid.
#[unsafe(no_mangle)]
pub extern "C" fn pour(x: f64, y: f64, radius: f64, velocity_x: f64, velocity_y: f64) {
    change(|sandbox| sandbox.pour([x, y], radius, Some([velocity_x, velocity_y])));
}

/// Starts to drain liquid.
#[unsafe(no_mangle)]
pub extern "C" fn drain(x: f64, y: f64, radius: f64) {
    change(|sandbox| sandbox.pour([x, y], radius, None));
}

/// Stops pouring and draining.
#[unsafe(no_mangle)]
pub extern "C" fn stop_pouring() {
    change(|sandbox| sandbox.stop_pouring());
}

/// Updates the arrays of the picture.
#[unsafe(no_mangle)]
pub extern "C" fn show() {
    SESSION.with_borrow_mut(|session| {
        if let Some(sandbox) = &session.sandbox {
            session.picture = Picture::of(sandbox.simulation(), FASTEST, HIGHEST);
        }
    });
}

/// The address of an array of [`Picture::NAMES`]. Any higher number gives the last error.
#[unsafe(no_mangle)]
pub extern "C" fn array_at(number: u32) -> *const u8 {
    read(number, <[u8]>::as_ptr)
}

/// The length of that array in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn array_length(number: u32) -> usize {
    read(number, <[u8]>::len)
}

fn read<T>(number: u32, what: impl Fn(&[u8]) -> T) -> T {
    SESSION.with_borrow(|session| match session.picture.arrays.get(number as usize) {
        Some(array) => what(array),
        None => MESSAGE.with_borrow(|message| what(message.as_bytes())),
    })
}

/// The simulated time in seconds.
#[unsafe(no_mangle)]
pub extern "C" fn time() -> f64 {
    with(|sandbox| Ok(sandbox.simulation().state().time))
}

/// The value at the bright end of the colours: a pressure or a speed.
#[unsafe(no_mangle)]
pub extern "C" fn brightest(of_pressure: bool) -> f64 {
    if of_pressure { HIGHEST } else { FASTEST }
}
