//! Time: tables 6.9 to 6.11.

use super::{ON_CIRCLE, ON_MAZE, ON_SPHERE, ONE_FRAME};
use crate::study::{ByScope, Check, Claim, Quantity, Show, Study, View};

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "lai-6.9",
        source: "Lai2021, table 6.9",
        title: "time, circle in the plane",
        about: ONE_FRAME,
        experiment: ON_CIRCLE,
        views: &[View::new("Seconds per pressure problem, mean over frames", Show::Table(Quantity::Seconds))
            .published(
                "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton | No LCP
                32 | 0.0021 | 0.00054 | 0.0028 | 0.00055 | 0.0025 | 0.0026 | 0.002 | 0.00048
                64 | 0.0082 | 0.0034 | 0.0086 | 0.0033 | 0.0075 | 0.022 | 0.024 | 0.0029
                128 | 0.029 | 0.02 | 0.03 | 0.021 | 0.028 | 0.17 | 0.24 | 0.016
                256 | 0.13 | 0.15 | 0.12 | 0.13 | 0.13 | 1.25 | 2.59 | 0.098",
            )
            .claims(&[FAS_FASTER_THAN_FMG, FAS_FASTER_THAN_NEWTON])],
        minutes: ByScope::new(0.7, 25.0),
    },
    Study {
        name: "lai-6.10",
        source: "Lai2021, table 6.10",
        title: "time, sphere in space",
        about: ONE_FRAME,
        experiment: ON_SPHERE,
        views: &[View::new("Seconds per pressure problem, mean over frames", Show::Table(Quantity::Seconds))
            .published(
                "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton | No LCP
                32 | 0.037 | 0.014 | 0.036 | 0.015 | 0.036 | 0.076 | 0.98 | 0.0074
                64 | 0.25 | 0.2 | 0.33 | 0.2 | 0.37 | 1.68 | 25.38 | 0.09
                128 | 2.15 | 2.64 | 2.82 | 2.82 | 4.28 | 30.24 | 637.67 | 1.15
                256 | 16.78 | 36.96 | 24.58 | 37.82 | 47.38 | 510.71 | NA | 14.24",
            )
            .claims(&[FAS_FASTER_THAN_FMG, FAS_FASTER_THAN_NEWTON])],
        minutes: ByScope::new(1.5, 900.0),
    },
    Study {
        name: "lai-6.11",
        source: "Lai2021, table 6.11",
        title: "time, maze",
        about: ONE_FRAME,
        experiment: ON_MAZE,
        views: &[
            View::new("Seconds per pressure problem, mean over frames", Show::Table(Quantity::Seconds))
                .published(
                    "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton
                32 | 0.016 | 0.0042 | 0.032 | 0.004 | 0.029 | 0.017 | 0.41
                64 | 0.092 | 0.018 | 0.15 | 0.018 | 0.12 | 0.1 | 3.5
                128 | 0.38 | 0.1 | 0.7 | 0.11 | 0.53 | 1.21 | 31.35",
                )
                .claims(&[
                    FAS_FASTER_THAN_NEWTON,
                    Claim::new("PI-PCG is faster than FAS-MG here", Check::Below("PI-PCG", "FAS-MG", "")),
                ]),
            View::new("Of this, set-up", Show::Table(Quantity::Setup)),
        ],
        minutes: ByScope::new(0.1, 6.0),
    },
];

const FAS_FASTER_THAN_FMG: Claim = Claim::new("FAS-MG is faster than FMG", Check::Below("FAS-MG", "FMG", ""))
    .because("our FMG shares the corrected coarse levels, and takes far fewer cycles than was published");
const FAS_FASTER_THAN_NEWTON: Claim =
    Claim::new("FAS-MG is faster than Newton's method", Check::Below("FAS-MG", "Newton", "")).because(
        "every method solves so few unknowns in a few milliseconds, and setting up coarse levels takes many times as \
        long as the set-up of Newton's method, which has no preconditioner",
    );
