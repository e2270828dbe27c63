//! The driven cavity.

use crate::study::measure::FlowKind::Cavity;
use crate::study::{ByScope, Check, Claim, Experiment, FlowCase, Flows, Quantity, Show, Study, View};

/// All of them.
pub const ALL: &[Study] = &[Study {
    name: "cavity",
    source: "Ghia1982, table I",
    title: "the driven cavity at Re 100, 400 and 1000",
    about: "A square of liquid under a lid that moves at unit speed, until nothing changes any more: the least velocity \
            along the lid on the vertical centreline, by a parabola through its three lowest points. Our cells gather at the \
            walls. The table of 1982 comes from grids of 129 × 129 and lists points of that grid; converged work lies 1.5 % beyond it \
            at Re 100 (1024 × 1024 with Richardson's extrapolation [Marchi2009]) and at Re 1000 (spectral [Botella1998]).",
    experiment: Experiment::Flows(Flows {
        cases: &[
            FlowCase { row: "Re 100", flow: Cavity(100.0) },
            FlowCase { row: "Re 400", flow: Cavity(400.0) },
            FlowCase { row: "Re 1000", flow: Cavity(1000.0) },
        ],
        efforts: ByScope::new(&[(32, "32 cells"), (64, "64 cells")], &[(32, "32 cells"), (64, "64 cells"), (128, "128 cells")]),
    }),
    views: &[
        View::new("Least velocity on the vertical centreline", Show::Table(Quantity::Named("least u"))).published("Re | Ghia1982 | converged\nRe 100 | -0.21090 | -0.21404\nRe 400 | -0.32726 |\nRe 1000 | -0.38289 | -0.38857").claims(&[
                Claim::new("Re 100 is within 1 % of Ghia", Check::Known("Re 100", -0.21090, 0.01)).because("the table is 1.5 % short of converged solutions there: on finer grids we tend to −0.21404 as they do"),
                Claim::new("Re 100 is within 1 % of the converged solution", Check::Known("Re 100", -0.21404, 0.01)),
                Claim::new("Re 400 is within 1 % of Ghia", Check::Known("Re 400", -0.32726, 0.01)),
                Claim::new("Re 1000 is within 1 % of Ghia", Check::Known("Re 1000", -0.38289, 0.01)),
                Claim::new("Re 1000 is within 1 % of the converged solution", Check::Known("Re 1000", -0.38857, 0.01)),
            ]),
        View::new("Where it is", Show::Table(Quantity::Named("at y"))).published("Re | Ghia1982\nRe 100 | 0.4531\nRe 400 | 0.2813\nRe 1000 | 0.1719"),
        View::new("Velocity on the vertical centreline", Show::Curves { of: "Re", across: "height", up: "velocity along the lid", published: &[] }),
    ],
    minutes: ByScope::new(0.3, 3.0),
}];
