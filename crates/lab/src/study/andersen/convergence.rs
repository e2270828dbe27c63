//! How Newton's method converges: figures 8, 11, 14, 16, 17, starting iterates.

use unstick::mlcp::Start;

use super::{BEST, NEWTON, PCG, problems};
use crate::study::{ByScope, Check, Claim, EVERY_FRAME, Effort, Entrant, Parameters, Quantity, Show, Study, View};

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "andersen-fig8",
        source: "Andersen2017b, figure 8 and sec. 6",
        title: "convergence of Newton's method in space",
        about: "Quartiles of the residual over steps of Newton's method in space. The scene of the paper is not \
            described; here it is `sphere-half`. The paper plots ½ HᵀH, we show ‖H‖∞. Medians of the time per solve, \
            on GPUs there: 12.57 s for 60³, 46.92 s for 100³.",
        experiment: problems(
            &["sphere-half"],
            ByScope::new(
                Effort { sizes: &[60], frames: &[5, 10, 20, 30, 40] },
                Effort { sizes: &[60, 100], frames: &[5, 10, 20, 30, 40, 50, 60, 70, 80, 90] },
            ),
            &[NEWTON, Entrant::new("Newton, ours", "newton+cg/mic0"), BEST],
            1,
        ),
        views: &[
            View::new("Residual against steps", Show::Quartiles).claims(&[Claim::new(
                "a few steps of Newton's method do, also in space",
                Check::AtMost("Newton", "outer, median", 10.0),
            )]),
            View::new("Seconds per solve, those that converged", Show::Table(Quantity::Seconds))
                .published("Size | Newton\n60 | 12.57\n100 | 46.92"),
        ],
        minutes: ByScope::new(1.0, 10.0),
    },
    Study {
        name: "andersen-fig11",
        source: "Andersen2017b, figure 11 (Andersen2017a, figures 7 and 8)",
        title: "convergence of PCG and of Newton's method in the plane",
        about: "Quartiles of the residual over steps of `two-discs` on 200 × 200 cells. There four steps of Newton's \
            method do for most problems and six for all, and PCG makes no progress after about 900 iterations.",
        experiment: problems(
            &["two-discs"],
            ByScope::new(
                Effort { sizes: &[200], frames: &[5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75] },
                Effort { sizes: &[200], frames: &EVERY_FRAME },
            ),
            &[PCG, NEWTON, Entrant::new("Newton, ours", "newton+cg/mic0"), BEST],
            1,
        ),
        views: &[View::new("Residual against outer iterations", Show::Quartiles)
            .published("solver | outer, median | outer, most\nNewton | 4 | 6\nPCG | | 1000")
            .claims(&[
                Claim::new(
                    "four steps of Newton's method do for most problems",
                    Check::AtMost("Newton", "outer, median", 4.0),
                )
                .because(
                    "what ends every one of these solves is the absolute test on the merit function, and the paper \
                        does not give its unit",
                ),
                Claim::new(
                    "six steps of Newton's method do for all problems",
                    Check::AtMost("Newton", "outer, most", 6.0),
                ),
            ])],
        minutes: ByScope::new(0.3, 5.0),
    },
    Study {
        name: "andersen-fig14",
        source: "Andersen2017b, figure 14",
        title: "growing grids",
        about: "PCG takes about twice the iterations on a grid twice as fine. Newton's method takes 3 to 6 steps there, \
            but ends at 10⁻⁶ on small grids and at 10⁻³ on large ones; its published settings are beside ours.",
        experiment: problems(
            &["two-discs"],
            ByScope::same(Effort { sizes: &[50, 100, 200, 400, 800], frames: &[10] }),
            &[PCG, NEWTON, Entrant::new("Newton, ours", "newton+cg/mic0"), BEST],
            1,
        ),
        views: &[
            View::new("Iterations of the linear solver", Show::Table(Quantity::Iterations))
                .claims(&[Claim::new("the iterations of PCG grow as the grid does", Check::GrowsMore("PCG", 3.0))]),
            View::new("Residual left, relative to that at zero", Show::Table(Quantity::Residual)).claims(&[
                Claim::new(
                    "with the published settings Newton's method loses accuracy on finer grids",
                    Check::GrowsMore("Newton", 2.0),
                )
                .because("on the smallest grid the absolute test on ½ HᵀH ends the solve early"),
            ]),
            View::new("Outer iterations", Show::Table(Quantity::Cycles)),
        ],
        minutes: ByScope::same(0.4),
    },
    Study {
        name: "andersen-fig16",
        source: "Andersen2017b, figures 16 and 17",
        title: "the inexactness ξ of Newton's method",
        about: "The first steps of `two-discs` with ξ from 10⁻⁵ to ½, published settings. The paper sees no influence, \
            but for a slight one at 400 × 400 cells (figure 17); it shows no numbers.",
        experiment: problems(
            &["two-discs"],
            ByScope::same(Effort { sizes: &[50, 100, 200, 400], frames: &[0, 1] }),
            &[
                Entrant::new("0.00001", "newton+cg/none").with(Parameters::InexactNewton(1e-5)),
                Entrant::new("0.0001", "newton+cg/none").with(Parameters::InexactNewton(1e-4)),
                Entrant::new("0.001", "newton+cg/none").with(Parameters::InexactNewton(1e-3)),
                Entrant::new("0.01", "newton+cg/none").with(Parameters::InexactNewton(1e-2)),
                Entrant::new("0.1", "newton+cg/none").with(Parameters::InexactNewton(1e-1)),
                Entrant::new("0.5", "newton+cg/none").with(Parameters::InexactNewton(0.5)),
                BEST,
            ],
            1,
        ),
        views: &[
            View::new("Residual against steps", Show::Quartiles),
            View::new("Residual left, relative to that at zero", Show::Table(Quantity::Residual)),
            View::new("Steps", Show::Table(Quantity::Cycles)).claims(&[Claim::new(
                "ξ has little influence on the number of steps",
                Check::Alike("0.00001", "0.1", 1.5),
            )
            .because("of so few steps a single one more is that much")]),
        ],
        minutes: ByScope::same(0.1),
    },
    Study {
        name: "andersen-starts",
        source: "Andersen2017b, sec. 7",
        title: "starting iterates for Newton's method",
        about: "Ten sweeps of PSOR, or ten steps of non-smooth gradient descent, before Newton's method. The paper says, \
            without numbers, that neither helps and that the linear solver often fails from such starts.",
        experiment: problems(
            &["two-discs"],
            ByScope::same(Effort { sizes: &[50, 100, 200, 400], frames: &[1, 10, 20] }),
            &[
                Entrant::new("zero", "newton+cg/none"),
                Entrant::new("psor:10", "newton+cg/none").from(Start::Psor(10)),
                Entrant::new("gradient:10", "newton+cg/none").from(Start::Gradient(10)),
                BEST,
            ],
            1,
        ),
        views: &[
            View::new("Iterations of the linear solver", Show::Table(Quantity::Iterations)).claims(&[
                Claim::new("sweeps of PSOR do not save iterations", Check::Alike("psor:10", "zero", 1.25)).because(
                    "on coarse grids ten sweeps save whole steps of Newton's method, and on the finest they cost \
                            some (next table)",
                ),
                Claim::new("gradient descent does not save iterations", Check::Alike("gradient:10", "zero", 1.25)),
            ]),
            View::new("Steps of Newton's method", Show::Table(Quantity::Cycles)),
            View::new("Seconds", Show::Table(Quantity::Seconds)),
        ],
        minutes: ByScope::same(0.1),
    },
];
