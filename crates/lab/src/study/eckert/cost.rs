//! What each method costs: tables 4.1, 4.3, 4.5, 4.6, figure 4.9.

use super::methods::{COMPLEMENTARITY, SEVEN, SIX, SIX_IN_THE_PLANE};
use super::{SAME_STATES, runs};
use crate::study::{ByScope, Check, Claim, Effort, Experiment, Quantity, Setting, Show, Steps, Study, View};

const PER_STEP: &[Quantity] = &[Quantity::Iterations, Quantity::Cycles, Quantity::Seconds, Quantity::Difference];

const ABOUT: &str = "One simulation with `best`; after some of its frames every method takes the same step from the same \
    state, and numbers are means over these. In the thesis each method simulates by itself, on 96³ cells, which the full \
    study has too (after frames 10, 30, 50 and 70; quick: 32³, after frames 10, 20, …, 60). Thresholds are those of the \
    thesis: 10⁻³ for CG and ADMM, 10⁻² for divergence, in its units. It ran on a processor of 2008. Lengths of its scenes \
    are not printed; ours are in the scene files. For `best` the columns count what that solver counts: iterations of its \
    linear solver and its outer iterations. The last column is the largest difference of a velocity from that of `best`.";

const SPLITTINGS_COST: Claim =
    Claim::new("ADMM takes more iterations of CG than IOP", Check::Below("IOPDivSep", "ADMMVelSep", "iterations"));
const HYBRID_IS_CHEAP: Claim = Claim::new(
    "IOP that knows the walls takes far fewer iterations than IOP that does not",
    Check::Below("IOPDivSepBC", "IOPDivSep", "iterations"),
);
const HYBRID_IS_NEAR_CLASSIC: Claim = Claim::new(
    "IOP that knows the walls takes at most three times the iterations of a classic solve",
    Check::Times("IOPDivSepBC", "OrigPS", "iterations", 3.0),
);

/// The same step with every method from some states of a scene in space.
const fn space(scene: &'static str, settings: &'static [Setting]) -> Experiment {
    let efforts = ByScope::new(
        Effort { sizes: &[32], frames: &[10, 20, 30, 40, 50, 60] },
        Effort { sizes: &[96], frames: &[10, 30, 50, 70] },
    );
    Experiment::Steps(Steps { scene, efforts, settings, reference: COMPLEMENTARITY })
}

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "eckert-4.1",
        source: "Eckert2014, table 4.1 and figure 4.6",
        title: "cost per step, breaking dam in space",
        about: ABOUT,
        experiment: space("dam-break-cube", SEVEN),
        views: &[View::new("Means per step", Show::Methods(PER_STEP))
            .published(
                "Method | iterations | outer iterations | seconds
                    OrigPS | 20 | - | 6
                    OrigPSSep | 20 | - | 10
                    ADMMVelSep | 987 | 137 | 544
                    ADMMDivSep | 1,446 | 305 | 790
                    IOPDivSep | 574 | 236 | 348
                    IOPDivSepBC | 34 | 2.75 | 17",
            )
            .claims(&[
                SPLITTINGS_COST,
                HYBRID_IS_CHEAP,
                HYBRID_IS_NEAR_CLASSIC,
                Claim::new(
                    "ADMM that stops on divergence takes more iterations than ADMM that stops on velocity",
                    Check::Below("ADMMVelSep", "ADMMDivSep", "iterations"),
                ),
            ])],
        minutes: ByScope::new(0.3, 6.0),
    },
    Study {
        name: "eckert-4.3",
        source: "Eckert2014, table 4.3 and figure 4.8",
        title: "cost per step from the same states, breaking dam in the plane",
        about: "One simulation, with `best`; at some of its frames every method takes the same step from the same state. \
            CG has no preconditioner: with MIC(0), in the last rows, it takes a tenth of the iterations, far fewer than were published. High means 10⁻¹² for the linear solver and 10⁻⁹ for the splitting, low 10⁻³ and 10⁻³ (velocity) or 10⁻² \
            (divergence).",
        experiment: SAME_STATES,
        views: &[View::new("Means per step", Show::Methods(PER_STEP))
            .published(
                "Method | iterations | outer iterations | seconds
                OrigPSHigh | 321 | - | 1
                OrigPSSepHigh | 290 | - | 1
                ADMMVelSepHigh | 140,399 | 808 | 412
                ADMMVelSepLow | 6,196 | 99 | 18
                ADMMDivSepHigh | 165,559 | 1,027 | 491
                ADMMDivSepLow | 8209 | 142 | 25
                IOPDivSepHigh | 84,929 | 592 | 254
                IOPDivSepLow | 4,280 | 102 | 13",
            )
            .claims(&[
                Claim::new(
                    "at high accuracy IOP takes fewer iterations of CG than ADMM",
                    Check::Below("IOPDivSepHigh", "ADMMVelSepHigh", "iterations"),
                ),
                Claim::new(
                    "a classic solve takes far fewer iterations than any splitting",
                    Check::Below("OrigPSHigh", "IOPDivSepLow", "iterations"),
                ),
            ])],
        minutes: ByScope::new(0.2, 5.0),
    },
    Study {
        name: "eckert-4.5",
        source: "Eckert2014, table 4.5 and figure 4.18",
        title: "cost per step, stairs in space",
        about: ABOUT,
        experiment: space("stairs-3d", SIX),
        views: &[View::new("Means per step", Show::Methods(PER_STEP))
            .published(
                "Method | iterations | outer iterations | seconds
                    OrigPS | 20 | - | 5
                    OrigPSSep | 20 | - | 5
                    ADMMVelSep | 783 | 128 | 420
                    IOPDivSep | 370 | 88 | 297
                    IOPDivSepBC | 34 | 1.99 | 17",
            )
            .claims(&[SPLITTINGS_COST, HYBRID_IS_CHEAP, HYBRID_IS_NEAR_CLASSIC])],
        minutes: ByScope::new(0.3, 5.0),
    },
    Study {
        name: "eckert-4.6",
        source: "Eckert2014, table 4.6 and figure 4.21",
        title: "cost per step, sphere and cubes",
        about: ABOUT,
        experiment: space("sphere-cubes", SIX),
        views: &[View::new("Means per step", Show::Methods(PER_STEP))
            .published(
                "Method | iterations | outer iterations | seconds
                    OrigPS | 18 | - | 5
                    OrigPSSep | 16 | - | 9
                    ADMMVelSep | 569 | 106 | 311
                    IOPDivSep | 269 | 71 | 164
                    IOPDivSepBC | 31 | 1.98 | 17",
            )
            .claims(&[SPLITTINGS_COST, HYBRID_IS_CHEAP, HYBRID_IS_NEAR_CLASSIC])],
        minutes: ByScope::new(0.3, 5.0),
    },
    Study {
        name: "eckert-fig4.9",
        source: "Eckert2014, figure 4.9",
        title: "growing grids, breaking dam in the plane",
        about: "Iterations of CG per step. In numbers the thesis says only that from its coarsest grid to its finest \
            OrigPS goes from 76 to 410 and OrigPSSep from 72 to 362.",
        experiment: runs(
            &["dam-break"],
            ByScope::new(
                Effort { sizes: &[32, 48, 64, 96], frames: &[40] },
                Effort { sizes: &[32, 48, 64, 96, 128], frames: &[150] },
            ),
            SIX_IN_THE_PLANE,
            false,
        ),
        views: &[View::new("Iterations of CG per step", Show::Table(Quantity::Iterations)).claims(&[Claim::new(
            "the iterations of ADMM grow faster than the grid",
            Check::GrowsMore("ADMMVelSep", 2.0),
        )])],
        minutes: ByScope::new(0.3, 10.0),
    },
];
