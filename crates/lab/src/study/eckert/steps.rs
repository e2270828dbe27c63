//! Single steps from the same states: figures 4.3 to 4.5, 4.10 (b), 4.11 and 4.14.

use super::methods::{
    AGREEMENT, HYBRID, HYBRID_REFERENCE, LOW_ACCURACY, RESIDUALS, STICKING, STICKING_REFERENCE, STRICT_OUTER,
};
use crate::study::{ByScope, Check, Claim, Effort, Experiment, Quantity, Setting, Show, Steps, Study, View};

const CURVES: View = View::new("Residual of a step", Show::Residuals);
const GROWTH: &[Quantity] = &[Quantity::Cycles, Quantity::Iterations, Quantity::Rises];
const DIFFERENCES: &[Quantity] = &[Quantity::Difference, Quantity::Spread];

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "eckert-fig4.3",
        source: "Eckert2014, figures 4.3 and 4.4",
        title: "the residual within a step",
        about: "What each method stops on after every outer iteration of one step of the breaking dam in the plane, for \
            the classic solve after every iteration of CG. In the thesis the residual of CG is jagged, that of IOP goes \
            down smoothly after the first iterations, and those of ADMM swing; it shows curves and no numbers.",
        experiment: of(RESIDUALS, AGREEMENT, &[75]),
        views: &[
            CURVES,
            View::new("How smooth it is", Show::Methods(GROWTH)).claims(&[Claim::new(
                "the residual of IOP grows less often than that of ADMM",
                Check::Below("IOPDivSep", "ADMMDivSep", "times the residual grew"),
            )]),
        ],
        minutes: ByScope::new(0.2, 0.5),
    },
    Study {
        name: "eckert-fig4.5",
        source: "Eckert2014, figure 4.5",
        title: "the residual of splittings that are asked for more than CG gives",
        about: "The same with a threshold of 10⁻⁴ for the divergence and 10⁻³ for CG. In the thesis IOP goes down for \
            some two hundred iterations and then up and down until luck ends it, and ADMM swings on.",
        experiment: of(STRICT_OUTER, AGREEMENT, &[75]),
        views: &[
            CURVES,
            View::new("What becomes of it", Show::Methods(GROWTH)).claims(&[Claim::new(
                "a stricter outer threshold than CG can serve takes many outer iterations",
                Check::Below("IOPDivSep, 1e-2", "IOPDivSep", "outer iterations"),
            )]),
        ],
        minutes: ByScope::new(0.2, 0.5),
    },
    Study {
        name: "eckert-fig4.10b",
        source: "Eckert2014, figure 4.10 (b)",
        title: "agreement of solutions with sticking walls",
        about: "Largest difference of a face velocity from that of OrigPS after one step from the same state, all walls \
            sealed and all methods at high accuracy. In the thesis differences are 10⁻⁷ to 10⁻⁹, in units of its own, \
            and ADMMVelStick is the closest.",
        experiment: of(STICKING, STICKING_REFERENCE, &[20, 40, 60, 80, 100, 120]),
        views: &[View::new("Difference from OrigPS, mean over frames", Show::Methods(DIFFERENCES)).claims(&[
            small("IOPDivStick", "with sealed walls IOP solves the problem of the classic solve"),
            small("ADMMVelStick", "with sealed walls ADMM solves the problem of the classic solve"),
        ])],
        minutes: ByScope::new(0.3, 5.0),
    },
    Study {
        name: "eckert-fig4.11",
        source: "Eckert2014, figure 4.11",
        title: "where practical accuracy differs from the agreement solution",
        about: "The thesis draws the differences of three steps and finds them in single cells at walls (t = 70 and 195) \
            or spread over the liquid (t = 125, ADMM that stops on divergence). Here the largest difference of a face \
            velocity is beside the root of the mean square over all faces that differ: far apart where few faces do.",
        experiment: of(LOW_ACCURACY, AGREEMENT, &[70, 125]),
        views: &[View::new("Difference from accurate ADMM", Show::Methods(DIFFERENCES)).claims(&[Claim::new(
            "ADMM that stops on divergence differs most",
            Check::Below("ADMMVelSepLow", "ADMMDivSepLow", "root mean square, m/s"),
        )])],
        minutes: ByScope::new(0.2, 1.0),
    },
    Study {
        name: "eckert-fig4.14",
        source: "Eckert2014, figure 4.14",
        title: "IOP that knows the walls beside its relatives",
        about: "Difference of face velocities from those of accurate IOPDivSepBC after one step from the same state. In \
            the thesis OrigPSSep differs much at any accuracy, and so does IOPDivSep, while IOPDivSepBC at low accuracy \
            is within 10⁻³ to 10⁻⁴ of itself, in units of its own.",
        experiment: of(HYBRID, HYBRID_REFERENCE, &[20, 40, 60, 80, 100, 120]),
        views: &[View::new("Difference from accurate IOPDivSepBC, mean over frames", Show::Methods(DIFFERENCES))
            .claims(&[
                Claim::new(
                    "OrigPSSep differs more than IOPDivSepBC of low accuracy",
                    Check::Below("IOPDivSepBCLow", "OrigPSSepHigh", "velocity difference, m/s"),
                ),
                Claim::new(
                    "IOPDivSep differs at any accuracy",
                    Check::Below("IOPDivSepBCLow", "IOPDivSepHigh", "velocity difference, m/s"),
                )
                .because(
                    "all of ours decide by the same rule which walls are left and have one limit, so that only \
                        thresholds are between them",
                ),
            ])],
        minutes: ByScope::new(0.3, 5.0),
    },
];

const fn of(settings: &'static [Setting], reference: &'static [&'static str], frames: &'static [usize]) -> Experiment {
    let efforts = ByScope::new(Effort { sizes: &[64], frames }, Effort { sizes: &[96], frames });
    Experiment::Steps(Steps { scene: "dam-break", efforts, settings, reference })
}

const fn small(method: &'static str, text: &'static str) -> Claim {
    Claim::new(text, Check::AtMost(method, "velocity difference, m/s", 1e-5))
}
