//! Parts of multigrid and how it converges: table 5.1, table 6.12, figures 6.9 to 6.11.

use super::{BEST, FAS, FMG, LITERAL, PE_MG, PI_MG, TARGET, over};
use crate::study::{ByScope, Check, Claim, Effort, Entrant, Experiment, Problems, Quantity, Show, Study, View};

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "lai-5.1",
        source: "Lai2021, table 5.1",
        title: "time to build coarse matrices",
        about: "The thesis times one coarse matrix, made from a grid twice as fine, and names its rows by the coarse \
            size, 16³ to 128³; here they are named by the fine one. We time all of a multigrid set-up on \
            `sphere-half`: the first coarse matrix is most of it, transfers are included, and only half of a ball is \
            liquid. `best` is the set-up of the solver of that name.",
        experiment: Experiment::Problems(Problems {
            scenes: &["sphere-half"],
            efforts: ByScope::new(
                Effort { sizes: &[32, 64, 128], frames: &[1] },
                Effort { sizes: &[32, 64, 128, 256], frames: &[1] },
            ),
            entrants: &[
                Entrant::new("Direct discretization", "sticking+cg/multigrid-barycentric-direct"),
                Entrant::new("Galerkin method (trilinear)", "sticking+cg/multigrid-linear"),
                Entrant::new("Galerkin method (barycentric)", "sticking+cg/multigrid-barycentric"),
                BEST,
            ],
            target: TARGET,
            repetitions: 3,
        }),
        views: &[View::new(
            "Seconds to build the coarse matrices (rows: size of the fine grid)",
            Show::Table(Quantity::Setup),
        )
        .published(
            "size | Direct discretization | Galerkin method (trilinear) | Galerkin method (barycentric)
                32 | 0.00 | 0.03 | 0.01
                64 | 0.01 | 0.22 | 0.04
                128 | 0.14 | 1.71 | 0.31
                256 | 2.55 | 14.01 | 2.56",
        )
        .claims(&[
            Claim::new(
                "barycentric interpolation makes coarse matrices cheaper than trilinear",
                Check::Below("Galerkin method (barycentric)", "Galerkin method (trilinear)", ""),
            ),
            Claim::new(
                "trilinear Galerkin matrices cost more than direct discretisation",
                Check::Below("Direct discretization", "Galerkin method (trilinear)", ""),
            ),
        ])],
        minutes: ByScope::new(0.4, 5.0),
    },
    Study {
        name: "lai-6.12",
        source: "Lai2021, table 6.12 and figure 6.12",
        title: "variants of FAS multigrid",
        about: "FAS-MG as printed (`fas-literal`) with other interpolations, without one-sided weights at solids, and \
            with coarse matrices discretised directly; then the same for our correction of it (`fas`), whose coarse \
            levels are cut where walls have let go. Frame 10 of scenario 1.",
        experiment: over(
            &["sphere-half"],
            ByScope::new(
                Effort { sizes: &[32, 64, 128], frames: &[10] },
                Effort { sizes: &[32, 64, 128, 256], frames: &[10] },
            ),
            &[
                Entrant::new("Ours", "fas-literal/multigrid-barycentric"),
                Entrant::new("Trilinear interp.", "fas-literal/multigrid-linear"),
                Entrant::new("PWC interp.", "fas-literal/multigrid-constant"),
                Entrant::new("Simple boundaries", "fas-literal/multigrid-barycentric-plain"),
                Entrant::new("Direct discretization", "fas-literal/multigrid-barycentric-direct"),
                Entrant::new("corrected", "fas"),
                Entrant::new("corrected, trilinear", "fas/multigrid-linear"),
                Entrant::new("corrected, PWC", "fas/multigrid-constant"),
                Entrant::new("corrected, simple boundaries", "fas/multigrid-barycentric-plain"),
                Entrant::new("corrected, direct", "fas/multigrid-barycentric-direct"),
                Entrant::new("linear", "sticking+multigrid-barycentric"),
                Entrant::new("linear, simple boundaries", "sticking+multigrid-barycentric-plain"),
                BEST,
            ],
        ),
        views: &[
            View::new("Cycles at frame 10", Show::Table(Quantity::Iterations))
                .published(
                    "Size | Ours | Trilinear interp. | PWC interp. | Simple boundaries | Direct discretization
                    32 | 7 | 6 | 47 | 6 | 65
                    64 | 8 | 8 | 112 | 32 | 171
                    128 | 8 | 8 | 268 | Diverged | Diverged
                    256 | 9 | 9 | 616 | Diverged | Diverged",
                )
                .claims(&[
                    Claim::new("simple boundaries make FAS fail on fine grids", Check::Fails("Simple boundaries"))
                        .because(
                            "our multigrid with simple boundaries converges on the linear problem too, only more \
                            slowly (the columns before the last)",
                        ),
                    Claim::new(
                        "direct discretisation makes FAS fail on fine grids",
                        Check::Fails("Direct discretization"),
                    ),
                    Claim::new(
                        "piecewise constant interpolation takes many more cycles than barycentric",
                        Check::Below("corrected", "corrected, PWC", ""),
                    ),
                    Claim::new("the cycles of FAS do not grow with the grid", Check::GrowsLess("Ours", 2.0)).because(
                        "read literally, the algorithm compares a pressure with a divergence and its coarse \
                            levels see walls where the fine one has let go; `fas` mends both",
                    ),
                ]),
            View::new(
                "Seconds at frame 10 (figure 6.12; its bars are not given as numbers)",
                Show::Table(Quantity::Seconds),
            )
            .claims(&[Claim::new(
                "barycentric interpolation is faster than trilinear",
                Check::Below("corrected", "corrected, trilinear", ""),
            )]),
        ],
        minutes: ByScope::new(2.0, 15.0),
    },
    convergence("lai-fig6.9", "Lai2021, figure 6.9", "convergence at frame 10 of scenario 1", &["sphere-half"], 10),
    convergence("lai-fig6.10", "Lai2021, figure 6.10", "convergence at frame 70 of scenario 2", &["sphere-cuboid"], 70),
    convergence("lai-fig6.11", "Lai2021, figure 6.11", "convergence at frame 10 of scenario 3", &["two-spheres"], 10),
];

const CONVERGENCE: &[View] = &[View::new("Residual against iterations", Show::Convergence).claims(&[
    Claim::new("FAS-MG converges in fewer cycles than FMG", Check::Below("FAS-MG", "FMG", "iterations, median"))
        .because("our FMG shares the corrected coarse levels"),
    Claim::new(
        "policy iteration with multigrid converges in fewer cycles than FMG",
        Check::Below("PI-MG", "FMG", "iterations, median"),
    )
    .because("our FMG shares the corrected coarse levels"),
])];

const fn convergence(
    name: &'static str,
    source: &'static str,
    title: &'static str,
    scenes: &'static [&'static str],
    frame: usize,
) -> Study {
    let frames: &'static [usize] = if frame == 70 { &[70] } else { &[10] };
    let efforts = ByScope::new(Effort { sizes: &[64], frames }, Effort { sizes: &[256], frames });
    Study {
        name,
        source,
        title,
        about: "Residual against cycles of the multigrid methods; the figures are at 256 and show no numbers.",
        experiment: over(scenes, efforts, &[FAS, PI_MG, PE_MG, FMG, LITERAL, BEST]),
        views: CONVERGENCE,
        minutes: ByScope::new(0.5, 20.0),
    }
}
