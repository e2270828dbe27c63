//! [Eckert2014], chapter 4: tables 4.1 to 4.6, figures 4.3 to 4.12, 4.14, 4.15, 4.18, 4.21, 4.22.

mod answers;
mod cost;
mod methods;
mod steps;
mod thresholds;

use super::{ByScope, Effort, Experiment, Runs, Setting, Steps, Study};
use methods::{ACCURACIES, AGREEMENT};

/// All of them.
pub const ALL: &[&[Study]] = &[cost::ALL, thresholds::ALL, answers::ALL, steps::ALL];

const fn runs(
    scenes: &'static [&'static str],
    efforts: ByScope<Effort>,
    settings: &'static [Setting],
    is_drawn: bool,
) -> Experiment {
    Experiment::Runs(Runs { scenes, efforts, settings, is_drawn })
}

/// One step with every accuracy from the same states.
const SAME_STATES: Experiment = Experiment::Steps(Steps {
    scene: "dam-break",
    efforts: ByScope::new(
        Effort { sizes: &[64], frames: &[20, 40, 60, 80, 100, 120] },
        Effort { sizes: &[96], frames: &[5, 15, 25, 35, 45, 55, 65, 75, 85, 95, 105, 115, 125, 135, 145] },
    ),
    settings: ACCURACIES,
    reference: AGREEMENT,
});
