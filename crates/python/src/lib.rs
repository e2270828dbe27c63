//! The compiled half of the Python package `unstick`.
//!
//! It moves arrays across, lets go of the interpreter's lock while something is computed, looks for
//! Ctrl-C meanwhile, and turns errors into exceptions. What people meet (names, defaults, progress
//! bars, documentation) is the other half, in `python/unstick`.

mod arrays;
mod error;
mod fields;
mod frame;
mod operator;
mod player;
mod problem;
mod scene;
mod solve;
mod stepper;
mod wait;
mod watch;

use pyo3::prelude::*;

/// Fresh memory for large arrays comes in huge pages.
#[global_allocator]
static MEMORY: unstick_memory::HugePages = unstick_memory::HugePages;

/// See `python/unstick/_unstick.pyi`.
#[pymodule]
mod _unstick {
    use pyo3::prelude::*;
    use unstick_mlcp::SolverName;
    use unstick_scene::catalogue;

    #[pymodule_export]
    use crate::fields::solve_fields;
    #[pymodule_export]
    use crate::frame::Frame;
    #[pymodule_export]
    use crate::player::Player;
    #[pymodule_export]
    use crate::problem::{load_problem, save_problem};
    #[pymodule_export]
    use crate::scene::SceneFile;
    #[pymodule_export]
    use crate::solve::{Prepared, solve};
    #[pymodule_export]
    use crate::stepper::Stepper;
    #[pymodule_export]
    use crate::wait::after_fork;

    /// Names of solvers: one of each method, or every composition.
    #[pyfunction]
    fn solvers(all: bool) -> Vec<String> {
        let names = if all { SolverName::all() } else { SolverName::defaults() };
        names.iter().map(SolverName::to_string).collect()
    }

    /// Names of the scenes that come with the package, viscous flows included.
    #[pyfunction]
    fn scenes() -> Vec<&'static str> {
        catalogue::names().collect()
    }

    /// Threads that compute.
    #[pyfunction]
    fn threads() -> usize {
        rayon::current_num_threads()
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Finds NumPy's functions now: a Ctrl-C that met the first use of them would be a panic.
        numpy::PyArray1::<f64>::zeros(module.py(), 0, false);
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
