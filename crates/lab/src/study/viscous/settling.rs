//! Bodies that settle.

use crate::study::measure::FlowKind::{Disc, Kissing, Sphere, Translation};
use crate::study::{ByScope, Check, Claim, Experiment, FlowCase, Flows, Quantity, Show, Study, View};

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "ten-cate",
        source: "tenCate2002; Turek2012, table 1",
        title: "a sphere that settles towards a wall",
        about: "A nylon sphere of 15 mm in a box of 100 × 100 × 160 mm with silicone oil, four oils: its largest speed, \
                as a part of the speed in open liquid. The column says how many cells the sphere measures. It is free: \
                coupled implicitly, without a drag law.",
        experiment: Experiment::Flows(Flows {
            cases: &[
                FlowCase { row: "E1", flow: Sphere(1) },
                FlowCase { row: "E2", flow: Sphere(2) },
                FlowCase { row: "E3", flow: Sphere(3) },
                FlowCase { row: "E4", flow: Sphere(4) },
            ],
            efforts: ByScope::new(&[(8, "8 cells")], &[(8, "8 cells"), (12, "12 cells"), (16, "16 cells"), (24, "24 cells")]),
        }),
        views: &[
            View::new("u_max/u∞", Show::Table(Quantity::Named("u_max/u∞"))).published("experiment | measured | lattice Boltzmann | FEM-FBM\nE1 | 0.947 | 0.894 | 0.945\n\
                            E2 | 0.953 | 0.950 | 0.955\nE3 | 0.959 | 0.955 | 0.953\nE4 | 0.955 | 0.947 | 0.951").claims(&[
                    Claim::new("E1 is within 5 % of the experiment", Check::Known("E1", 0.947, 0.05)),
                    Claim::new("E2 is within 2 % of the experiment", Check::Known("E2", 0.953, 0.02)),
                    Claim::new("E3 is within 2 % of the experiment", Check::Known("E3", 0.959, 0.02)),
                    Claim::new("E4 is within 2 % of the experiment", Check::Known("E4", 0.955, 0.02)),
                ]),
            View::new("Speed over time", Show::Curves { of: "speed", across: "seconds", up: "u/u∞", published: &[] }),
            View::new("Gap over time", Show::Curves { of: "gap", across: "seconds", up: "gap in diameters", published: &[] }),
        ],
        minutes: ByScope::new(2.0, 150.0),
    },
    Study {
        name: "settling-disk",
        source: "Wan2006, sec. 5",
        title: "a disc that settles in a channel",
        about: "A disc of 0.25 cm and 1.25 g/cm³ in a channel 2 cm wide. The Reynolds number is that of the density of \
                the disc, as in the source. Published numbers have two decimals, so the bounds are taken half a unit of the last \
                wider.",
        experiment: Experiment::Flows(Flows {
            cases: &[FlowCase { row: "", flow: Disc }],
            efforts: ByScope::new(
                &[(12, "12 cells"), (24, "24 cells")],
                &[(12, "12 cells"), (24, "24 cells"), (36, "36 cells"), (48, "48 cells")]),
        }),
        views: &[
            View::new("Largest Reynolds number", Show::Methods(&[Quantity::Named("largest Re")])).published("cells | largest Re\nlower bound | 17.15\nupper bound | 17.45").claims(&[Claim::new("the number lies where published ones do", Check::Between("largest Re", 17.15, 17.45)).because("it falls as cells get smaller, 17.479, 17.458, 17.453, 17.451 at 12, 24, 36 and 48 cells: the limit \
                              lies at the upper bound")]),
            View::new("Reynolds number over time", Show::Curves { of: "Re", across: "seconds", up: "Re", published: &[] }),
        ],
        minutes: ByScope::new(0.5, 7.0),
    },
    Study {
        name: "kissing",
        source: "Glowinski2001, drafting, kissing and tumbling",
        title: "two balls, one in the wake of the other",
        about: "The second ball is drawn along in the wake of the first, until both touch: the time of kissing. In \
                space: diameter 1, density ratio 1.14, ν = 0.0047, g = 1, a box of 6 × 6 × 24. The time is that of later \
                simulations of this case. Of the last cell between them the grid resolves nothing, \
                and what liquid is in it keeps them apart: they kiss when their approach, there, has ended, that is fallen to a tenth of its fastest.",
        experiment: Experiment::Flows(Flows {
            cases: &[FlowCase { row: "in space", flow: Kissing { in_space: true } }],
            efforts: ByScope::new(&[(6, "6 cells")], &[(6, "6 cells"), (8, "8 cells"), (12, "12 cells")]),
        }),
        views: &[
            View::new("Time of kissing", Show::Table(Quantity::Named("time of kissing"))).published("case | least | most\nin space | 18.0 | 18.3").claims(&[Claim::new("kissing is within 5 % of the published time", Check::Between("in space", 18.0 * 0.95, 18.3 * 1.05))]),
            View::new("Gap over time", Show::Curves { of: "gap", across: "time", up: "gap in diameters", published: &[] }),
        ],
        minutes: ByScope::new(0.3, 3.0),
    },
    Study {
        name: "kissing-2d",
        source: "Feng2004, drafting, kissing and tumbling",
        title: "two discs, one in the wake of the other",
        about: "Discs of 1 mm radius and 1010 kg/m³ in water, 4 mm apart, in a channel of 20 × 80 mm, until \
                their approach has fallen to a tenth of its fastest within the last cell. We know of no number for the time.",
        experiment: Experiment::Flows(Flows {
            cases: &[FlowCase { row: "in the plane", flow: Kissing { in_space: false } }],
            efforts: ByScope::new(&[(8, "8 cells")], &[(8, "8 cells"), (12, "12 cells"), (16, "16 cells")]),
        }),
        views: &[
            View::new("Time of kissing, seconds", Show::Table(Quantity::Named("time of kissing"))),
            View::new("Heights over time", Show::Curves { of: "height", across: "seconds", up: "metres", published: &[] }),
        ],
        minutes: ByScope::new(0.1, 0.4),
    },
    Study {
        name: "force-noise",
        source: "Turek2012, force evaluation",
        title: "the force on a ball drawn through the cells, and its noise",
        about: "A ball drawn steadily across the cells at Re 10 and 30, off the lines of the grid. What is left of its force \
                after a straight line, root mean square, as a part of it. Plain fictitious boundaries, in or out, have \
                3.8, 1.8 and 0.9 % at 11, 24 and 49 cells per diameter.",
        experiment: Experiment::Flows(Flows {
            cases: &[
                FlowCase { row: "Re 10", flow: Translation(10.0) },
                FlowCase { row: "Re 30", flow: Translation(30.0) },
            ],
            efforts: ByScope::new(&[(11, "11 cells")], &[(11, "11 cells"), (16, "16 cells"), (24, "24 cells")]),
        }),
        views: &[
            View::new("Noise of the force by the momentum taken, percent", Show::Table(Quantity::Named("noise by momentum, %"))).published("case | 11 cells | 24 cells\nin or out | 3.8 | 1.8").claims(&[
                    Claim::new("the noise at Re 10 is below 1.8 %", Check::Between("Re 10", 0.0, 1.8)),
                    Claim::new("the noise at Re 30 is below 1.8 %", Check::Between("Re 30", 0.0, 1.8)),
                ]),
            View::new("Noise of the force by stress, percent", Show::Table(Quantity::Named("noise by stress, %"))),
            View::new("Force over the way", Show::Curves { of: "", across: "place", up: "force", published: &[] }),
        ],
        minutes: ByScope::new(0.3, 6.0),
    },
];
