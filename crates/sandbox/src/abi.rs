//! What JavaScript calls: functions of numbers, and places in memory to read arrays from.
//!
//! One sandbox per module. `viewer/js/simulator.js` is the other side.
#![allow(unsafe_code)] // names must not be mangled to be found; nothing here is unsafe to call

use std::cell::RefCell;

use crate::picture::Picture;
use crate::preset::Preset;
use crate::sandbox::{Sandbox, SandboxError};

/// The bright ends of the colours: a fall through the square, and half of its hydrostatic pressure.
const FASTEST: f64 = 4.43;
const HIGHEST: f64 = 4905.0;

#[derive(Default)]
struct Desk {
    sandbox: Option<Sandbox>,
    picture: Picture,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
    /// What went wrong last; apart from the desk, which is taken when something panics.
    static MESSAGE: RefCell<String> = RefCell::default();
}

/// Does something with the sandbox, if there is one; keeps what went wrong.
fn with<T: Default>(work: impl FnOnce(&mut Sandbox) -> Result<T, SandboxError>) -> T {
    DESK.with_borrow_mut(|desk| {
        let Some(sandbox) = &mut desk.sandbox else { return T::default() };
        work(sandbox).unwrap_or_else(|error| {
            MESSAGE.set(error.to_string());
            T::default()
        })
    })
}

/// Begins anew with a preset; whether that could be done.
#[unsafe(no_mangle)]
pub extern "C" fn begin(cells: u32, preset: u32) -> bool {
    std::panic::set_hook(Box::new(|panic| MESSAGE.set(panic.to_string())));
    MESSAGE.take();
    let preset = Preset::ALL.get(preset as usize).copied().unwrap_or_default();
    let begun = Sandbox::new(cells as usize, preset);
    DESK.with_borrow_mut(|desk| match begun {
        Ok(sandbox) => {
            desk.sandbox = Some(sandbox);
            true
        }
        Err(error) => {
            MESSAGE.set(error.to_string());
            false
        }
    })
}

/// One step towards a moment; its length, zero if nothing moves.
#[unsafe(no_mangle)]
pub extern "C" fn advance(seconds: f64) -> f64 {
    with(|sandbox| sandbox.advance(seconds))
}

/// Whether all walls separate.
#[unsafe(no_mangle)]
pub extern "C" fn set_separating(separating: bool) {
    with(|sandbox| {
        sandbox.set_separating(separating);
        Ok(())
    });
}

/// Where everything falls.
#[unsafe(no_mangle)]
pub extern "C" fn set_gravity(x: f64, y: f64) {
    with(|sandbox| {
        sandbox.set_gravity([x, y]);
        Ok(())
    });
}

/// A stroke of wall, or of its opposite.
#[unsafe(no_mangle)]
pub extern "C" fn paint(from_x: f64, from_y: f64, to_x: f64, to_y: f64, radius: f64, is_wall: bool) {
    with(|sandbox| {
        sandbox.paint([from_x, from_y], [to_x, to_y], radius, is_wall);
        Ok(())
    });
}

/// Liquid from now on.
#[unsafe(no_mangle)]
pub extern "C" fn pour(x: f64, y: f64, radius: f64, velocity_x: f64, velocity_y: f64) {
    with(|sandbox| {
        sandbox.pour([x, y], radius, Some([velocity_x, velocity_y]));
        Ok(())
    });
}

/// Takes liquid away from now on.
#[unsafe(no_mangle)]
pub extern "C" fn drain(x: f64, y: f64, radius: f64) {
    with(|sandbox| {
        sandbox.pour([x, y], radius, None);
        Ok(())
    });
}

/// Neither of both.
#[unsafe(no_mangle)]
pub extern "C" fn stop_pouring() {
    with(|sandbox| {
        sandbox.stop_pouring();
        Ok(())
    });
}

/// Makes the arrays of what there is to see now.
#[unsafe(no_mangle)]
pub extern "C" fn show() {
    DESK.with_borrow_mut(|desk| {
        if let Some(sandbox) = &desk.sandbox {
            desk.picture = Picture::of(sandbox.simulation(), FASTEST, HIGHEST);
        }
    });
}

/// Where an array of [`Picture::NAMES`] lies; the message if the number is beyond them.
#[unsafe(no_mangle)]
pub extern "C" fn array_at(number: u32) -> *const u8 {
    read(number, <[u8]>::as_ptr)
}

/// Its length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn array_length(number: u32) -> usize {
    read(number, <[u8]>::len)
}

fn read<T>(number: u32, what: impl Fn(&[u8]) -> T) -> T {
    DESK.with_borrow(|desk| match desk.picture.arrays.get(number as usize) {
        Some(array) => what(array),
        None => MESSAGE.with_borrow(|message| what(message.as_bytes())),
    })
}

/// Simulated seconds.
#[unsafe(no_mangle)]
pub extern "C" fn time() -> f64 {
    with(|sandbox| Ok(sandbox.simulation().state().time))
}

/// The bright end of the colours: of speed for 0, else of pressure.
#[unsafe(no_mangle)]
pub extern "C" fn brightest(of_pressure: bool) -> f64 {
    if of_pressure { HIGHEST } else { FASTEST }
}
