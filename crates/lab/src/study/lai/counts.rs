//! Iterations: tables 6.1 to 6.6.

use super::{ON_CIRCLE, ON_MAZE, ON_SPHERE, ONE_FRAME, at_frame};
use crate::study::{ByScope, Check, Claim, Quantity, Show, Study, View};

const PRECONDITIONED: &str = "the scene differs in radius, and MIC(0) is a stronger preconditioner than PCG had there";

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "lai-6.1",
        source: "Lai2021, table 6.1",
        title: "iterations, circle in the plane",
        about: ONE_FRAME,
        experiment: ON_CIRCLE,
        views: &[View::new("Iterations per pressure problem, mean over frames", Show::Table(Quantity::Iterations))
            .published(
                "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton | No LCP
                32 | 7.45 | 16.9 | 7.59 | 16.87 | 7.99 | 20.38 | 92.11 | 15.99
                64 | 10.39 | 36.02 | 9.74 | 36.07 | 12.58 | 35.4 | 336.17 | 30.73
                128 | 14.07 | 70.63 | 11.89 | 70.58 | 17.6 | 65.37 | 947.23 | 55.91
                256 | 18.26 | 123.61 | 14.51 | 122.42 | 21.98 | 109.54 | 2283.65 | 93.2",
            )
            .claims(&[FAS_SCALES, PCG_GROWS, NEWTON_MOST])],
        minutes: ByScope::new(0.7, 25.0),
    },
    Study {
        name: "lai-6.2",
        source: "Lai2021, table 6.2",
        title: "iterations, sphere in space",
        about: ONE_FRAME,
        experiment: ON_SPHERE,
        views: &[View::new("Iterations per pressure problem, mean over frames", Show::Table(Quantity::Iterations))
            .published(
                "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton | No LCP
                32 | 9.75 | 29.9 | 12.12 | 30.16 | 13.93 | 22.21 | 1901.69 | 20.14
                64 | 10.44 | 70.92 | 14.66 | 71.34 | 19.11 | 39.81 | 3890.08 | 39.57
                128 | 11.94 | 132.56 | 17.61 | 133.53 | 24.57 | 61.12 | 10879.01 | 62.26
                256 | 14.02 | 251.88 | 20.71 | 252.28 | 28.84 | 89.89 | NA | 100.78",
            )
            .claims(&[FAS_SCALES, PCG_GROWS, NEWTON_MOST])],
        minutes: ByScope::new(1.5, 900.0),
    },
    Study {
        name: "lai-6.3",
        source: "Lai2021, table 6.3",
        title: "iterations, maze",
        about: ONE_FRAME,
        experiment: ON_MAZE,
        views: &[View::new("Iterations per pressure problem, mean over frames", Show::Table(Quantity::Iterations))
            .published(
                "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton
                32 | 4.41 | 9.74 | 8.11 | 9.5 | 7.67 | 6.89 | 87.2
                64 | 7.07 | 15.52 | 10.55 | 15.75 | 10.11 | 10.71 | 195.5
                128 | 5.83 | 31.29 | 13.52 | 31.9 | 12.91 | 34.13 | 450.21",
            )
            .claims(&[FAS_SCALES, PCG_GROWS, NEWTON_MOST])],
        minutes: ByScope::new(0.1, 6.0),
    },
    Study {
        name: "lai-6.4",
        source: "Lai2021, table 6.4",
        title: "iterations at frame 10 of scenario 1, the sphere",
        about: ONE_FRAME,
        experiment: at_frame(&["sphere-half"], &[10]),
        views: &[View::new("Iterations at frame 10", Show::Table(Quantity::Iterations))
            .published(
                "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton
                32 | 7 | 139 | 10 | 146 | 21 | 29 | 2773
                64 | 8 | 282 | 9 | 301 | 18 | 61 | 5837
                128 | 8 | 593 | 10 | 657 | 24 | 128 | 18680
                256 | 9 | 1263 | 14 | 1255 | 28 | 234 | 38547",
            )
            .claims(&[FAS_SCALES, PCG_GROWS, NEWTON_MOST])],
        minutes: ByScope::new(0.3, 15.0),
    },
    Study {
        name: "lai-6.5",
        source: "Lai2021, table 6.5",
        title: "iterations at frame 70 of scenario 2, the sphere with a cuboid",
        about: ONE_FRAME,
        experiment: at_frame(&["sphere-cuboid"], &[70]),
        views: &[View::new("Iterations at frame 70", Show::Table(Quantity::Iterations))
            .published(
                "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton
                32 | 6 | 149 | 11 | 161 | 18 | 35 | 2634
                64 | 7 | 308 | 18 | 336 | 29 | 43 | 11122
                128 | 8 | 503 | 22 | 548 | 40 | 63 | 50162
                256 | 9 | 1186 | 43 | 1313 | 89 | 103 | 95823",
            )
            .claims(&[FAS_SCALES, PCG_GROWS, NEWTON_MOST])],
        minutes: ByScope::new(2.0, 60.0),
    },
    Study {
        name: "lai-6.6",
        source: "Lai2021, table 6.6",
        title: "iterations at frame 10 of scenario 3, spheres in spheres",
        about: ONE_FRAME,
        experiment: at_frame(&["two-spheres"], &[10]),
        views: &[View::new("Iterations at frame 10", Show::Table(Quantity::Iterations))
            .published(
                "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton
                32 | 7 | 80 | 14 | 85 | 23 | 15 | 1430
                64 | 15 | 182 | 37 | 203 | 57 | 43 | 9219
                128 | 9 | 421 | 34 | 446 | 90 | 67 | 46491
                256 | 12 | 762 | 24 | 887 | 60 | 175 | 122080",
            )
            .claims(&[FAS_SCALES, NEWTON_MOST])],
        minutes: ByScope::new(0.3, 20.0),
    },
];

const FAS_SCALES: Claim =
    Claim::new("the cycles of FAS-MG grow far more slowly than the grid", Check::GrowsLess("FAS-MG", 3.0));
const PCG_GROWS: Claim =
    Claim::new("the iterations of PI-PCG grow almost as the grid does", Check::GrowsMore("PI-PCG", 1.5))
        .because(PRECONDITIONED);
const NEWTON_MOST: Claim =
    Claim::new("Newton's method takes more iterations than PI-PCG", Check::Below("PI-PCG", "Newton", ""));
