//! [Eckert2014], chapter 4: tables 4.1 to 4.6, figures 4.9, 4.10, 4.15, 4.22.

mod methods;

use super::{Check, Claim, Effort, Quantity, Runs, Setting, Show, Steps, Study, Task, View};
use methods::{ACCURACIES, AGREEMENT, CLASSIFICATIONS, SEVEN, SIX, THRESHOLDS, THRESHOLDS_BC};

const PER_STEP: &[Quantity] = &[Quantity::Iterations, Quantity::Cycles, Quantity::Seconds];

const ABOUT: &str = "Each method simulates the scene by itself; numbers are means over all steps. The thesis takes steps \
    of its own units on 96³ cells, stops CG and ADMM at 10⁻³ and divergence at 10⁻², and ran on a processor of 2008. \
    Lengths of its scenes are not printed; ours are in the scene files. For `best` the columns count what that solver \
    counts: iterations of its linear solver and its outer iterations.";

const SWEEP: &str = "Iterations of CG per step of the breaking dam in the plane, over the thresholds of the linear solver \
    (rows) and of the splitting (columns), as in the thesis on 96 × 96 cells over 250 of its steps; fewer of both when quick.";

const fn runs(
    scenes: &'static [&'static str],
    efforts: [Effort; 2],
    settings: &'static [Setting],
    is_drawn: bool,
) -> Task {
    Task::Runs(Runs { scenes, efforts, settings, is_drawn })
}

const SPLITTINGS_COST: Claim = Claim {
    text: "ADMM takes more iterations of CG than IOP",
    check: Check::Below("IOPDivSep", "ADMMVelSep", "iterations"),
    because: "",
};
const HYBRID_IS_CHEAP: Claim = Claim {
    text: "IOP that knows the walls takes far fewer iterations than IOP that does not",
    check: Check::Below("IOPDivSepBC", "IOPDivSep", "iterations"),
    because: "",
};
const ITERATIONS_OVER_TIME: View = View {
    caption: "Iterations of CG per step over time",
    show: Show::Course(Quantity::Iterations),
    published: "",
    claims: &[],
};

const SPACE: [Effort; 2] = [Effort { sizes: &[24], frames: &[40] }, Effort { sizes: &[96], frames: &[150] }];

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "eckert-4.1",
        source: "Eckert2014, table 4.1 and figure 4.6",
        title: "cost per step, breaking dam in space",
        about: ABOUT,
        task: runs(&["dam-break-3d"], SPACE, SEVEN, false),
        views: &[
            View {
                caption: "Means per step",
                show: Show::Methods(PER_STEP),
                published: "Method | iterations | outer iterations | seconds
                    OrigPS | 20 | - | 6
                    OrigPSSep | 20 | - | 10
                    ADMMVelSep | 987 | 137 | 544
                    ADMMDivSep | 1,446 | 305 | 790
                    IOPDivSep | 574 | 236 | 348
                    IOPDivSepBC | 34 | 2.75 | 17",
                claims: &[
                    SPLITTINGS_COST,
                    HYBRID_IS_CHEAP,
                    Claim {
                        text: "ADMM that stops on divergence takes more iterations than ADMM that stops on velocity",
                        check: Check::Below("ADMMVelSep", "ADMMDivSep", "iterations"),
                        because: "",
                    },
                ],
            },
            ITERATIONS_OVER_TIME,
        ],
        minutes: [1.5, 900.0],
    },
    Study {
        name: "eckert-4.2",
        source: "Eckert2014, table 4.2 and figure 4.7",
        title: "thresholds of ADMM and IOP",
        about: SWEEP,
        task: runs(
            &["dam-break"],
            [Effort { sizes: &[32], frames: &[8] }, Effort { sizes: &[96], frames: &[150] }],
            THRESHOLDS,
            false,
        ),
        views: &[View {
            caption: "Iterations of CG per step",
            show: Show::Table(Quantity::Iterations),
            published: "method, linear | 1e-5 | 1e-4 | 5e-4 | 1e-3 | 5e-3 | 1e-2
                ADMMVelSep, 1e-5 | 24,473
                ADMMVelSep, 1e-4 | | 12,915 | 9,387 | 7,884 | 4,752 | 3,399
                ADMMVelSep, 1e-3 | | 9,176 | 6,704 | 5,650 | 3,568 | 2,611
                ADMMVelSep, 1e-2 | | 4,568 | 3,927 | 3,380 | 2,391 | 1,693
                ADMMVelSep, 1e-1 | | 837 | 851 | 844 | 712 | 620
                ADMMDivSep, 1e-5 | 33,838
                ADMMDivSep, 1e-4 | | 20,170 | 18,204 | 16,374 | 13,822 | 12,199
                ADMMDivSep, 1e-3 | | 12,449 | 11,809 | 10,950 | 9,478 | 8,419
                ADMMDivSep, 1e-2 | | 9,309 | 5,838 | 5,206 | 4,458 | 4,383
                ADMMDivSep, 1e-1 | | 9,637 | 6,700 | 4,789 | 2,128 | 1,295
                IOPDivSep, 1e-5 | 14,842
                IOPDivSep, 1e-4 | | 9,053 | 8,731 | 8,389 | 6,989 | 6,199
                IOPDivSep, 1e-3 | | 10,107 | 5,162 | 4,680 | 4,266 | 3,882
                IOPDivSep, 1e-2 | | 12,872 | 9,189 | 7,192 | 1,993 | 1,586
                IOPDivSep, 1e-1 | | 16,743 | 12,138 | 11,167 | 7,327 | 5,642",
            claims: &[Claim {
                text: "ADMM that stops on velocity takes fewer iterations the looser its threshold",
                check: Check::Below("1e-2", "1e-4", "ADMMVelSep, 1e-3"),
                because: "",
            }],
        }],
        minutes: [2.0, 600.0],
    },
    Study {
        name: "eckert-4.3",
        source: "Eckert2014, table 4.3 and figure 4.8",
        title: "cost per step from the same states, breaking dam in the plane",
        about: "One simulation, with `best`; at some of its frames every method takes the same step from the same state. \
            High means 10⁻¹² for the linear solver and 10⁻⁹ for the splitting, low 10⁻³ and 10⁻³ (velocity) or 10⁻² \
            (divergence).",
        task: SAME_STATES,
        views: &[View {
            caption: "Means per step",
            show: Show::Methods(PER_STEP),
            published: "Method | iterations | outer iterations | seconds
                OrigPSHigh | 321 | - | 1
                OrigPSSepHigh | 290 | - | 1
                ADMMVelSepHigh | 140,399 | 808 | 412
                ADMMVelSepLow | 6,196 | 99 | 18
                ADMMDivSepHigh | 165,559 | 1,027 | 491
                ADMMDivSepLow | 8209 | 142 | 25
                IOPDivSepHigh | 84,929 | 592 | 254
                IOPDivSepLow | 4,280 | 102 | 13",
            claims: &[
                Claim {
                    text: "at high accuracy IOP takes fewer iterations of CG than ADMM",
                    check: Check::Below("IOPDivSepHigh", "ADMMVelSepHigh", "iterations"),
                    because: "",
                },
                Claim {
                    text: "a classic solve takes far fewer iterations than any splitting",
                    check: Check::Below("OrigPSHigh", "IOPDivSepLow", "iterations"),
                    because: "",
                },
            ],
        }],
        minutes: [1.0, 60.0],
    },
    Study {
        name: "eckert-4.4",
        source: "Eckert2014, table 4.4 and figure 4.12",
        title: "thresholds of IOP that knows the walls",
        about: SWEEP,
        task: runs(
            &["dam-break"],
            [Effort { sizes: &[32], frames: &[8] }, Effort { sizes: &[96], frames: &[150] }],
            THRESHOLDS_BC,
            false,
        ),
        views: &[View {
            caption: "Iterations of CG per step",
            show: Show::Table(Quantity::Iterations),
            published: "method, linear | 1e-5 | 1e-4 | 5e-4 | 1e-3 | 5e-3 | 1e-2
                IOPDivSepBC, 1e-5 | 305
                IOPDivSepBC, 1e-4 | | 253 | 251 | 248 | 245 | 239
                IOPDivSepBC, 1e-3 | | 1152 | 218 | 182 | 183 | 192
                IOPDivSepBC, 1e-2 | | 1127 | 1112 | 1054 | 241 | 119
                IOPDivSepBC, 1e-1 | | 1067 | 1068 | 1067 | 1061 | 1040",
            claims: &[Claim {
                text: "a splitting asked for more than its linear solver gives takes many iterations",
                check: Check::Below("1e-2", "1e-4", "IOPDivSepBC, 1e-2"),
                because: "",
            }],
        }],
        minutes: [0.5, 60.0],
    },
    Study {
        name: "eckert-4.5",
        source: "Eckert2014, table 4.5 and figure 4.18",
        title: "cost per step, stairs in space",
        about: ABOUT,
        task: runs(&["stairs-3d"], SPACE, SIX, false),
        views: &[
            View {
                caption: "Means per step",
                show: Show::Methods(PER_STEP),
                published: "Method | iterations | outer iterations | seconds
                    OrigPS | 20 | - | 5
                    OrigPSSep | 20 | - | 5
                    ADMMVelSep | 783 | 128 | 420
                    IOPDivSep | 370 | 88 | 297
                    IOPDivSepBC | 34 | 1.99 | 17",
                claims: &[SPLITTINGS_COST, HYBRID_IS_CHEAP],
            },
            ITERATIONS_OVER_TIME,
        ],
        minutes: [1.5, 900.0],
    },
    Study {
        name: "eckert-4.6",
        source: "Eckert2014, table 4.6 and figure 4.21",
        title: "cost per step, sphere and cubes",
        about: ABOUT,
        task: runs(&["sphere-cubes"], SPACE, SIX, false),
        views: &[
            View {
                caption: "Means per step",
                show: Show::Methods(PER_STEP),
                published: "Method | iterations | outer iterations | seconds
                    OrigPS | 18 | - | 5
                    OrigPSSep | 16 | - | 9
                    ADMMVelSep | 569 | 106 | 311
                    IOPDivSep | 269 | 71 | 164
                    IOPDivSepBC | 31 | 1.98 | 17",
                claims: &[SPLITTINGS_COST, HYBRID_IS_CHEAP],
            },
            ITERATIONS_OVER_TIME,
        ],
        minutes: [1.5, 900.0],
    },
    Study {
        name: "eckert-fig4.9",
        source: "Eckert2014, figure 4.9",
        title: "growing grids, breaking dam in the plane",
        about: "Iterations of CG per step. In numbers the thesis says only that from its coarsest grid to its finest \
            OrigPS goes from 76 to 410 and OrigPSSep from 72 to 362.",
        task: runs(
            &["dam-break"],
            [Effort { sizes: &[32, 48, 64], frames: &[20] }, Effort { sizes: &[32, 48, 64, 96, 128], frames: &[150] }],
            SIX,
            false,
        ),
        views: &[View {
            caption: "Iterations of CG per step",
            show: Show::Table(Quantity::Iterations),
            published: "",
            claims: &[Claim {
                text: "the iterations of ADMM grow faster than the grid",
                check: Check::GrowsMore("ADMMVelSep", 2.0),
                because: "",
            }],
        }],
        minutes: [1.5, 120.0],
    },
    Study {
        name: "eckert-fig4.10",
        source: "Eckert2014, figure 4.10",
        title: "agreement of solutions",
        about: "Largest difference of a face velocity from that of `best` at a tolerance of 10⁻¹⁰, after one step from \
            the same state. In the thesis ADMM and IOP agree within their thresholds (10⁻⁸ to 10⁻⁹ at high accuracy, 10⁻² \
            to 10⁻³ at low), and OrigPSSep differs by about 1 however accurate, in its own units. Its reference is ADMM.",
        task: SAME_STATES,
        views: &[View {
            caption: "Largest difference of a velocity, mean over frames",
            show: Show::Methods(&[Quantity::Difference]),
            published: "",
            claims: &[
                Claim {
                    text: "more accurate ADMM comes closer to the agreement solution",
                    check: Check::Below("ADMMVelSepHigh", "ADMMVelSepLow", "velocity difference, m/s"),
                    because: "",
                },
                Claim {
                    text: "OrigPSSep solves another problem than accurate IOP",
                    check: Check::Below("IOPDivSepHigh", "OrigPSSepHigh", "velocity difference, m/s"),
                    because: "",
                },
            ],
        }],
        minutes: [1.0, 60.0],
    },
    Study {
        name: "eckert-fig4.15",
        source: "Eckert2014, figure 4.15",
        title: "walls classified by velocity or by pressure",
        about: "The breaking dam in the plane while it leaves the ceiling. The thesis finds the two classifications \
            nearly alike, with slightly more detachment by velocity.",
        task: runs(
            &["dam-break"],
            [Effort { sizes: &[48], frames: &[70] }, Effort { sizes: &[96], frames: &[70] }],
            CLASSIFICATIONS,
            true,
        ),
        views: &[
            View { caption: "Frame 70", show: Show::Gallery, published: "", claims: &[] },
            View {
                caption: "Cells that have let go at the end",
                show: Show::Table(Quantity::Separated),
                published: "",
                claims: &[],
            },
        ],
        minutes: [1.5, 20.0],
    },
    Study {
        name: "eckert-fig4.22",
        source: "Eckert2014, figure 4.22",
        title: "robustness on the hard stairs",
        about: "Liquid that touches the ceiling at the start. In the thesis OrigPS holds it there, OrigPSSep tears it \
            away from ceiling and wall, and the others let it fall.",
        task: runs(
            &["stairs-hard"],
            [Effort { sizes: &[64], frames: &[10, 25] }, Effort { sizes: &[100], frames: &[10, 25, 50] }],
            SIX,
            true,
        ),
        views: &[
            View { caption: "Side by side", show: Show::Gallery, published: "", claims: &[] },
            View {
                caption: "At the end",
                show: Show::Methods(&[Quantity::Speed, Quantity::VolumeGain, Quantity::Separated]),
                published: "",
                claims: &[Claim {
                    text: "OrigPSSep drives the liquid off faster than the others",
                    check: Check::Below("best", "OrigPSSep", "fastest particle, m/s"),
                    because: "",
                }],
            },
        ],
        minutes: [1.0, 10.0],
    },
];

/// One step with every accuracy from the same states.
const SAME_STATES: Task = Task::Steps(Steps {
    scene: "dam-break",
    efforts: [
        Effort { sizes: &[32], frames: &[20, 40, 60, 80] },
        Effort { sizes: &[96], frames: &[5, 15, 25, 35, 45, 55, 65, 75, 85, 95, 105, 115, 125, 135, 145] },
    ],
    settings: ACCURACIES,
    reference: AGREEMENT,
});
