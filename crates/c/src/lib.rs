//! The solvers from C and C++: `include/unstick.h`, made from this crate by cbindgen.
//!
//! No global state: a solver owns its threads, its memory and what it has prepared for its matrix. Two solvers may work
//! at the same time; one solver serves one call at a time. Errors are codes, with a text where the caller gives room for
//! one. A panic becomes [`UNSTICK_INTERNAL`](UnstickStatus::Internal) and never leaves this library.

#![allow(unsafe_code)] // the border to C; every other crate is without

mod fields;
mod matrix;
mod report;
mod status;
mod threads;

pub use fields::{UnstickFields, unstick_create_for_fields, unstick_solve_fields};
pub use matrix::{unstick_create, unstick_create_on_grid, unstick_solve};
pub use report::UnstickReport;
pub use status::{UnstickError, UnstickStatus};

use std::ffi::{CStr, c_char};

use unstick_mlcp::{MlcpSolver, SolverName, Stop, Tolerance};

use status::Failure;
use threads::Threads;

/// How to solve. Begin with `unstick_default_options()`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct UnstickOptions {
    /// Name of the solver, such as "best" or "policy+cg/mic0". NULL means "best".
    pub solver: *const c_char,
    /// What counts as solved: the largest entry of the natural residual, as a part of that at x = 0.
    pub tolerance: f64,
    /// Whether the tolerance is the number itself.
    pub is_absolute: bool,
    /// Outer cycles after which to give up. Zero means what suits the method.
    pub max_cycles: usize,
    /// Threads of the solver. Zero means one for every core. The bits of an answer do not depend on it.
    pub threads: usize,
    /// Whether a matrix is checked for symmetry, which costs about as much as a few products with it.
    pub checks_symmetry: bool,
}

/// The options that most people want: "best", 1e-6 relative, all cores, matrices are checked.
#[unsafe(no_mangle)]
pub extern "C" fn unstick_default_options() -> UnstickOptions {
    UnstickOptions {
        solver: std::ptr::null(),
        tolerance: 1e-6,
        is_absolute: false,
        max_cycles: 0,
        threads: 0,
        checks_symmetry: true,
    }
}

/// A solver with its threads, and with the matrix that it was made for. `unstick_free` ends it.
pub struct UnstickSolver {
    work: matrix::Work,
    threads: Threads,
}

/// The version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn unstick_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Frees a solver. NULL is allowed.
///
/// # Safety
/// `solver` came from a function of this library that makes one, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unstick_free(solver: *mut UnstickSolver) {
    if !solver.is_null() {
        drop(unsafe { Box::from_raw(solver) });
    }
}

impl UnstickOptions {
    /// Those of the caller, or the default.
    ///
    /// # Safety
    /// `options` is NULL or points to options.
    unsafe fn given(options: *const Self) -> Self {
        unsafe { options.as_ref() }.copied().unwrap_or_else(|| unstick_default_options())
    }

    /// The solver.
    ///
    /// # Safety
    /// `solver` is NULL or ends with a zero byte.
    unsafe fn solver(&self) -> Result<Box<dyn MlcpSolver>, Failure> {
        let name = match self.solver.is_null() {
            true => "best",
            false => unsafe { CStr::from_ptr(self.solver) }.to_str().map_err(|_| Failure::NotText("the solver"))?,
        };
        let name: SolverName = name.trim().parse()?;
        let tolerance = match self.is_absolute {
            true => Tolerance::Absolute(self.tolerance),
            false => Tolerance::Relative(self.tolerance),
        };
        tolerance.target(1.0)?;
        let stop = Stop::from(tolerance).with_max_cycles((self.max_cycles > 0).then_some(self.max_cycles));
        Ok(name.build(&stop))
    }
}

/// An array of the caller's.
///
/// # Safety
/// `pointer` is NULL or points to `length` values that nobody changes while the slice is used.
unsafe fn array<'a, T>(pointer: *const T, length: usize, what: &'static str) -> Result<&'a [T], Failure> {
    if pointer.is_null() {
        return if length == 0 { Ok(&[]) } else { Err(Failure::Missing(what)) };
    }
    Ok(unsafe { std::slice::from_raw_parts(pointer, length) })
}

/// The same for an array that is written to.
///
/// # Safety
/// As for [`array`], and nobody reads it meanwhile.
unsafe fn array_mut<'a, T>(pointer: *mut T, length: usize, what: &'static str) -> Result<&'a mut [T], Failure> {
    if pointer.is_null() {
        return if length == 0 { Ok(&mut []) } else { Err(Failure::Missing(what)) };
    }
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, length) })
}
