//! [Andersen2017a], [Andersen2017b]: table 1, figures 8 to 17, starting iterates.

mod convergence;
mod cost;
mod linear;
mod volume;

use super::{ByScope, Effort, Entrant, Experiment, Parameters, Problems, Study, Target};

/// All of them.
pub const ALL: &[&[Study]] = &[cost::ALL, convergence::ALL, linear::ALL, volume::ALL];

/// The thresholds of sec. 6.
const TARGET: Target = Target::Relative(1e-5);

/// PCG with the preconditioner that was found best, an approximate inverse of static pattern.
const PCG: Entrant = Entrant::new("PCG", "sticking+cg/ainv-static");
const NEWTON: Entrant = Entrant::new("Newton", "newton+cg/none").with(Parameters::PublishedNewton);
const BEST: Entrant = Entrant::new("best", "best");

const fn problems(
    scenes: &'static [&'static str],
    efforts: ByScope<Effort>,
    entrants: &'static [Entrant],
    repetitions: usize,
) -> Experiment {
    Experiment::Problems(Problems { scenes, efforts, entrants, target: TARGET, repetitions })
}
