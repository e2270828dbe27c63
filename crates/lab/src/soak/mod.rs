//! Every scene with random values, for hours. Every pressure solve is audited, and what must hold is checked.
//!
//! Solves with bodies afloat and those of viscous flows do not come as fields: of them the steps alone say whether they
//! fell short.

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
    /// Only scenes with this text in their name.
    pub only: String,
}

impl Soak {
    /// Carries out the trials. `told` hears of each.
    pub fn run(&self, mut told: impl FnMut(&Trial, &Account)) -> Summary {
        let deadline = self.time.map(|time| Instant::now() + time);
        let is_over = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let mut summary = Summary::new(self.clone());
        let trials = (self.first..).map(|number| Trial::of(self.seed, number));
        let trials = trials.filter(|trial| trial.scene.contains(&self.only));
        for trial in trials.take(self.trials.unwrap_or(usize::MAX)) {
            if is_over() {
                break;
            }
            let account = trial.run(self.frames, deadline);
            told(&trial, &account);
            summary.add(&trial, account);
        }
        summary
    }
}
