//! Outer iterations: tables 6.7 and 6.8, figure 6.8.

use super::{BEST, ON_CIRCLE, ON_SPHERE, ONE_FRAME, PE_MG, PE_PCG, PI_MG, PI_PCG, over};
use crate::study::{ByScope, Check, Claim, EVERY_FRAME, Effort, Quantity, Show, Study, View};

const INEXACT: &str = "our outer iterations solve their linear systems only as well as is worth it, and take more of them: \
    with systems solved to 10⁻⁶ (the column before the last) the trend is the published one";

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "lai-6.7",
        source: "Lai2021, table 6.7",
        title: "outer iterations, circle in the plane",
        about: ONE_FRAME,
        experiment: ON_CIRCLE,
        views: &[View::new("Outer iterations per pressure problem, mean over frames", Show::Table(Quantity::Cycles))
            .published(
                "Size | PI-PCG | PI-MG | PE-PCG | PE-MG | Newton
                32 | 1.12 | 1.12 | 1.12 | 1.23 | 0.94
                64 | 1.25 | 1.25 | 1.25 | 1.43 | 1.71
                128 | 1.34 | 1.34 | 1.35 | 1.58 | 2.08
                256 | 1.43 | 1.43 | 1.41 | 1.63 | 2.34",
            )
            .claims(&[OUTER_CONSTANT, OUTER_FEW, OUTER_FEW_WHEN_EXACT])],
        minutes: ByScope::new(0.7, 25.0),
    },
    Study {
        name: "lai-6.8",
        source: "Lai2021, table 6.8",
        title: "outer iterations, sphere in space",
        about: ONE_FRAME,
        experiment: ON_SPHERE,
        views: &[View::new("Outer iterations per pressure problem, mean over frames", Show::Table(Quantity::Cycles))
            .published(
                "Size | PI-PCG | PI-MG | PE-PCG | PE-MG | Newton
                32 | 1.47 | 1.47 | 1.49 | 1.53 | 2.04
                64 | 1.78 | 1.76 | 1.79 | 1.77 | 2.57
                128 | 2.1 | 2.12 | 2.12 | 2.19 | 2.91
                256 | 2.48 | 2.52 | 2.48 | 2.49 | NA",
            )
            .claims(&[OUTER_CONSTANT, OUTER_FEW, OUTER_FEW_WHEN_EXACT])],
        minutes: ByScope::new(1.5, 900.0),
    },
    Study {
        name: "lai-fig6.8",
        source: "Lai2021, figure 6.8",
        title: "histogram of outer iterations, sphere in space",
        about: "How many pressure problems took how many outer iterations, on the finest grid. The figure is at 128 \
            and its bars are not given as numbers; about 93 % of the problems there needed more than a linear solve.",
        experiment: over(
            &["sphere-half"],
            ByScope::new(
                Effort { sizes: &[32, 64], frames: &[10, 20, 30, 40] },
                Effort { sizes: &[128], frames: &EVERY_FRAME },
            ),
            &[PI_PCG, PI_MG, PE_PCG, PE_MG, BEST],
        ),
        views: &[View::new("Solves by number of outer iterations", Show::Histogram)],
        minutes: ByScope::new(1.2, 60.0),
    },
];

const OUTER_CONSTANT: Claim =
    Claim::new("the outer iterations of policy iteration hardly grow", Check::GrowsLess("PI-PCG", 2.0));
const OUTER_FEW_WHEN_EXACT: Claim = Claim::new(
    "(ours) policy iteration with systems solved to 10⁻⁶ takes fewer outer iterations than Newton's method",
    Check::Below("PI-PCG, exact systems", "Newton", ""),
);
const OUTER_FEW: Claim = Claim::new(
    "policy iteration takes fewer outer iterations than Newton's method",
    Check::Below("PI-PCG", "Newton", ""),
)
.because(INEXACT);
