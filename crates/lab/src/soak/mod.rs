//! Every scene with random values, for hours. Every solve is audited, and what must hold is checked.
//!
//! The pressure of a liquid comes as fields, from which its residual is computed. Pressure with bodies afloat, contacts and
//! the density of particles come as rows. Viscous flows measure the equations of their velocity and pressure again.

pub mod audit;
mod summary;
mod trial;

use std::time::{Duration, Instant};

pub use summary::Summary;
pub use trial::{Account, TOLERANCE, Trial};

/// What to soak.
#[derive(Clone, Debug)]
pub struct Soak {
    /// Leads to all random values.
    pub seed: u64,
    /// The first trial.
    pub first: usize,
    /// How many trials; none: until the time is over.
    pub trials: Option<usize>,
    /// How long.
    pub time: Option<Duration>,
    /// Frames of each trial.
    pub frames: usize,
    /// How long a trial may take. It ends with its step or solve, so that slow scenes leave time for the others.
    pub longest: Option<Duration>,
    /// Only scenes with one of these texts in their name; none: all.
    pub only: Vec<String>,
}

impl Soak {
    /// Carries out the trials. `told` hears of each.
    pub fn run(&self, mut told: impl FnMut(&Trial, &Account)) -> Summary {
        let deadline = self.time.map(|time| Instant::now() + time);
        let is_over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let mut summary = Summary::new(self.clone());
        let trials = (self.first..).map(|number| Trial::of(self.seed, number));
        let is_wanted = |trial: &Trial| self.only.is_empty() || self.only.iter().any(|text| trial.scene.contains(text));
        let trials = trials.filter(is_wanted);
        for trial in trials.take(self.trials.unwrap_or(usize::MAX)) {
            if is_over() {
                break;
            }
            let longest = self.longest.map(|longest| Instant::now() + longest);
            let account = trial.run(self.frames, deadline.into_iter().chain(longest).min());
            told(&trial, &account);
            summary.add(&trial, account);
        }
        summary
    }
}
