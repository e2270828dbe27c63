//! Cylinders: in a channel, and oscillating.

use crate::study::measure::FlowKind::{ChannelPeriodic, ChannelPulse, ChannelSpace, ChannelSteady, Oscillation};
use crate::study::{ByScope, Check, Claim, Experiment, FlowCase, Flows, Quantity, Show, Study, View};

const WHOLE: &str = "A channel of 2.2 × 0.41 m, a cylinder of 0.1 m in it, a parabola that enters and nothing asked of \
    what leaves. The cylinder is a fictitious boundary in a stretched grid; the column says how many cells it \
    measures. Away from it cells grow by a ratio that tends to one as they get finer, 1.01 in height and 1.02 in length \
    at 24 cells. Coefficients are of the momentum that the cylinder takes from the liquid.";

/// A coefficient over time.
const fn over_time(caption: &'static str, of: &'static str) -> View {
    View::new(caption, Show::Curves { of, across: "seconds", up: of, published: &[] })
}

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "dfg-2d-1",
        source: "Schafer1996, 2D-1",
        title: "a cylinder in a channel, Re 20",
        about: WHOLE,
        experiment: Experiment::Flows(Flows {
            cases: &[FlowCase { row: "", flow: ChannelSteady }],
            efforts: ByScope::new(
                &[(12, "12 cells"), (24, "24 cells")],
                &[(12, "12 cells"), (24, "24 cells"), (48, "48 cells")],
            ),
        }),
        views: &[
            View::new(
                "Coefficients of drag and lift, and the pressure difference",
                Show::Methods(&[
                    Quantity::Named("c_D"),
                    Quantity::Named("c_L"),
                    Quantity::Named("Δp"),
                    Quantity::Named("c_D by stress"),
                    Quantity::Named("c_L by stress"),
                ]),
            )
            .published("cells | c_D | c_L | Δp\nreference | 5.57953523384 | 0.010618948146 | 0.11752016697")
            .claims(&[
                Claim::new("the drag is within 1 %", Check::Known("c_D", 5.57953523384, 0.01)),
                Claim::new("the lift is within 10 %", Check::Known("c_L", 0.010618948146, 0.1)),
                Claim::new("the pressure difference is within 1 %", Check::Known("Δp", 0.11752016697, 0.01)),
            ]),
            over_time("Lift over time", "c_L"),
        ],
        minutes: ByScope::new(0.5, 6.0),
    },
    Study {
        name: "dfg-2d-2",
        source: "Schafer1996, 2D-2",
        title: "a cylinder in a channel that sheds vortices, Re 100",
        about: WHOLE,
        experiment: Experiment::Flows(Flows {
            cases: &[FlowCase { row: "", flow: ChannelPeriodic }],
            efforts: ByScope::new(
                &[(16, "16 cells"), (24, "24 cells")],
                &[(16, "16 cells"), (24, "24 cells"), (32, "32 cells"), (48, "48 cells")],
            ),
        }),
        views: &[
            View::new(
                "Largest coefficients, and the number of Strouhal",
                Show::Methods(&[Quantity::Named("c_D max"), Quantity::Named("c_L max"), Quantity::Named("St")]),
            )
            .published(
                "cells | c_D max | c_L max | St\nlower bound | 3.22 | 0.99 | 0.295\nupper bound | 3.24 | 1.01 | 0.305",
            )
            .claims(&[
                Claim::new(
                    "the drag is in the accepted interval widened by 2 %",
                    Check::Between("c_D max", 3.22 * 0.98, 3.24 * 1.02),
                ),
                Claim::new(
                    "the lift is in the accepted interval widened by 2 %",
                    Check::Between("c_L max", 0.99 * 0.98, 1.01 * 1.02),
                ),
                Claim::new(
                    "the frequency is in the accepted interval widened by 2 %",
                    Check::Between("St", 0.295 * 0.98, 0.305 * 1.02),
                ),
            ]),
            over_time("Lift over time", "c_L"),
        ],
        minutes: ByScope::new(1.2, 11.0),
    },
    Study {
        name: "dfg-2d-3",
        source: "Schafer1996, 2D-3",
        title: "a cylinder in a channel, a flow that rises and falls",
        about: WHOLE,
        experiment: Experiment::Flows(Flows {
            cases: &[FlowCase { row: "", flow: ChannelPulse }],
            efforts: ByScope::new(&[(16, "16 cells")], &[(16, "16 cells"), (24, "24 cells"), (32, "32 cells")]),
        }),
        views: &[
            View::new(
                "Largest coefficients and when, and the pressure difference at the end",
                Show::Methods(&[
                    Quantity::Named("c_D max"),
                    Quantity::Named("at t"),
                    Quantity::Named("c_L max"),
                    Quantity::Named("at t, c_L"),
                    Quantity::Named("Δp(8)"),
                ]),
            )
            .published(
                "cells | c_D max | at t | c_L max | at t, c_L | Δp(8)\n\
                            reference | 2.950921575 | 3.93625 | 0.47795 | 5.693125 | -0.1116",
            )
            .claims(&[
                Claim::new("the drag is within 1 %", Check::Known("c_D max", 2.950921575, 0.01)),
                Claim::new("the lift is within 5 %", Check::Known("c_L max", 0.47795, 0.05)),
                Claim::new("the pressure is within 2 %", Check::Known("Δp(8)", -0.1116, 0.02)),
            ]),
            over_time("Drag over time", "c_D"),
            over_time("Lift over time", "c_L"),
        ],
        minutes: ByScope::new(0.3, 3.0),
    },
    Study {
        name: "dfg-3d-1z",
        source: "Schafer1996, 3D-1Z",
        title: "a cylinder across a square duct, Re 20",
        about: "A duct of 2.5 × 0.41 × 0.41 m, a cylinder of 0.1 m from wall to wall. The finest grid here is what two \
                cores do in minutes.",
        experiment: Experiment::Flows(Flows {
            cases: &[FlowCase { row: "", flow: ChannelSpace }],
            efforts: ByScope::new(&[(8, "8 cells")], &[(8, "8 cells"), (12, "12 cells"), (16, "16 cells")]),
        }),
        views: &[
            View::new(
                "Coefficients of drag and lift",
                Show::Methods(&[Quantity::Named("c_D"), Quantity::Named("c_L")]),
            )
            .published("cells | c_D | c_L\nreference | 6.18533 | 0.009401")
            .claims(&[Claim::new("the drag is within 2 %", Check::Known("c_D", 6.18533, 0.02))]),
            over_time("Drag over time", "c_D"),
        ],
        minutes: ByScope::new(0.2, 2.0),
    },
    Study {
        name: "oscillating-cylinder",
        source: "Dutsch1998, Re 100 and KC 5; Turek2012, page 9",
        title: "a cylinder that oscillates in liquid at rest",
        about: "In units of its diameter and its largest speed. The force of the fourth period is fitted by Morison's \
                formula; beside the momentum taken there is the volume integral of σ·∇α over the layer around it.",
        experiment: Experiment::Flows(Flows {
            cases: &[FlowCase { row: "", flow: Oscillation }],
            efforts: ByScope::new(
                &[(12, "12 cells"), (24, "24 cells")],
                &[(12, "12 cells"), (24, "24 cells"), (48, "48 cells")],
            ),
        }),
        views: &[
            View::new(
                "Coefficients of drag and inertia",
                Show::Methods(&[Quantity::Named("c_D"), Quantity::Named("c_M")]),
            )
            .published("cells | c_D | c_M\nreference | 2.09 | 1.45")
            .claims(&[
                Claim::new("the drag is within 5 %", Check::Known("c_D", 2.09, 0.05)),
                Claim::new("the inertia is within 5 %", Check::Known("c_M", 1.45, 0.05)),
            ]),
            View::new(
                "Force by the momentum taken",
                Show::Curves { of: "momentum", across: "time", up: "c_x", published: &[] },
            ),
            View::new("Force by stress", Show::Curves { of: "stress", across: "time", up: "c_x", published: &[] }),
        ],
        minutes: ByScope::new(0.4, 1.5),
    },
];
