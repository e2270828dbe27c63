//! What separating walls cost: table 1, figures 9 and 10.

use super::{BEST, PCG, problems};
use crate::study::{ByScope, Check, Claim, Effort, Entrant, Experiment, Quantity, Runs, Setting, Show, Study, View};

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "andersen-table1",
        source: "Andersen2017b, table 1 (Andersen2017a, sec. 6)",
        title: "slowdown against slip walls",
        about: "How much longer a simulation with separating walls takes than one with slip walls and PCG, both on a \
            GPU there and on processors here. The papers do not say for which scene; here it is `two-discs` (scene 2). \
            Newton's method has no preconditioner, as there, but stops on our residual.",
        experiment: Experiment::Runs(Runs {
            scenes: &["two-discs"],
            efforts: ByScope::new(
                Effort { sizes: &[64, 128, 256, 512], frames: &[10] },
                Effort { sizes: &[64, 128, 256, 512, 1024], frames: &[50] },
            ),
            settings: &[
                Setting::new(
                    "PCG",
                    &[
                        "walls.border=sealed",
                        "walls.solids=sealed",
                        "pressure.tolerance=1e-5",
                        "pressure.solver=sticking+cg/ainv-static",
                    ],
                ),
                Setting::new("Newton", &["pressure.tolerance=1e-5", "pressure.solver=newton+cg/none"]),
                Setting::new("best", &["pressure.tolerance=1e-5", "pressure.solver=best"]),
            ],
            is_drawn: false,
        }),
        views: &[
            View::new(
                "Whole steps: percent longer than with slip walls and PCG",
                Show::Excess { quantity: Quantity::StepSeconds, base: "PCG" },
            )
            .published(
                "Grid | Newton
                    64 | 15%
                    128 | 25%
                    256 | 15%
                    512 | 16%
                    1024 | 5%",
            )
            .claims(&[Claim::new(
                "separating walls cost 5 to 25 % more than slip walls",
                Check::Within(25.0),
            )
            .because(
                "Newton's method, without a preconditioner as in the papers, takes many times the iterations of \
                        PCG, which has one (next table)",
            )]),
            View::new("Iterations of the linear solver per step", Show::Table(Quantity::Iterations)),
            View::new("Whole steps: seconds", Show::Table(Quantity::StepSeconds)),
            View::new("The pressure alone: seconds per step", Show::Table(Quantity::Seconds)),
        ],
        minutes: ByScope::new(0.5, 30.0),
    },
    Study {
        name: "andersen-fig9",
        source: "Andersen2017b, figure 9 (Andersen2017a, figure 4)",
        title: "speedup of a GPU over a CPU",
        about: "Time on a CPU over time on a GPU for PCG (5 to 50 there) and Newton's method (10 to 500).",
        experiment: Experiment::Impossible(
            "a folder holds what one backend did: `andersen-fig10` with `--backend cpu` in one and `--backend gpu` in \
             another gives both times",
        ),
        views: &[],
        minutes: ByScope::same(0.0),
    },
    Study {
        name: "andersen-fig10",
        source: "Andersen2017b, figure 10 (Andersen2017a, figures 5 and 6)",
        title: "where the time goes",
        about: "The papers split the time of a solve on a GPU into conversion, transfer and computation, and give no \
            numbers. Nothing is converted or transferred here; what remains is set-up against the rest.",
        experiment: problems(
            &["two-discs"],
            ByScope::new(
                Effort { sizes: &[64, 128, 256, 512], frames: &[10] },
                Effort { sizes: &[64, 128, 256, 512, 1024], frames: &[10] },
            ),
            &[PCG, Entrant::new("Newton", "newton+cg/none"), BEST],
            3,
        ),
        views: &[
            View::new("Set-up", Show::Table(Quantity::Setup)),
            View::new("All else", Show::Table(Quantity::Work))
                .claims(&[Claim::new("Newton's method computes longer than PCG", Check::Below("PCG", "Newton", ""))]),
        ],
        minutes: ByScope::new(0.2, 2.0),
    },
];
