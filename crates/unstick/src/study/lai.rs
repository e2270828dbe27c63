//! [Lai2021]: tables 5.1 and 6.1 to 6.12, figures 6.8 to 6.11.

use super::{Check, Claim, EVERY_FRAME, Effort, Entrant, Problems, Quantity, Show, Study, Target, Task, View};

/// The absolute tolerance of the thesis, sec. 6.1.
const TARGET: Target = Target::PerSecond(1e-6);

/// The solvers of chapter 6 under their names there. The thesis has Newton's method without a
/// preconditioner, from the program of its authors, and not on the finest grid in space.
const FAS: Entrant = Entrant::new("FAS-MG", "fas");
const LITERAL: Entrant = Entrant::new("FAS-MG, literal", "fas-literal");
const PI_PCG: Entrant = Entrant::new("PI-PCG", "policy+cg/mic0");
const PI_MG: Entrant = Entrant::new("PI-MG", "policy+multigrid-barycentric");
const PE_PCG: Entrant = Entrant::new("PE-PCG", "penalty+cg/mic0");
const PE_MG: Entrant = Entrant::new("PE-MG", "penalty+multigrid-barycentric");
const FMG: Entrant = Entrant::new("FMG", "fmg");
const NEWTON: Entrant = Entrant::new("Newton", "newton+cg/none").up_to(128);
const NO_LCP: Entrant = Entrant::new("No LCP", "sticking+cg/mic0");
const BEST: Entrant = Entrant::new("best", "best");

const EIGHT: &[Entrant] = &[FAS, PI_PCG, PI_MG, PE_PCG, PE_MG, FMG, NEWTON, NO_LCP, LITERAL, BEST];
const SEVEN: &[Entrant] = &[FAS, PI_PCG, PI_MG, PE_PCG, PE_MG, FMG, NEWTON, LITERAL, BEST];

const PLANE: [Effort; 2] = [
    Effort { sizes: &[32, 64, 128, 256], frames: &[10, 25, 40, 55, 70, 85, 100] },
    Effort { sizes: &[32, 64, 128, 256], frames: &EVERY_FRAME },
];
const SPACE: [Effort; 2] = [
    Effort { sizes: &[32, 64], frames: &[10, 25, 40, 55, 70] },
    Effort { sizes: &[32, 64, 128, 256], frames: &EVERY_FRAME },
];
const MAZE: [Effort; 2] = [
    Effort { sizes: &[32, 64, 128], frames: &[10, 25, 40, 55, 70, 85, 100] },
    Effort { sizes: &[32, 64, 128], frames: &EVERY_FRAME },
];

const CIRCLE_TASK: Task = over(&["circle-half"], PLANE, EIGHT);
const SPHERE_TASK: Task = over(&["sphere-half"], SPACE, EIGHT);
const MAZE_TASK: Task = over(&["maze"], MAZE, SEVEN);

const fn over(scenes: &'static [&'static str], efforts: [Effort; 2], entrants: &'static [Entrant]) -> Task {
    Task::Problems(Problems { scenes, efforts, entrants, target: TARGET, repetitions: 1 })
}

const ONE_FRAME: &str = "Numbers are of the step after a frame, `fas` is our correction of FAS-MG and `fas-literal` its \
    algorithm as printed; iterations are cycles for the multigrid methods and those of the linear solver in all outer \
    iterations for the others. The thesis counts trial steps of Newton's line search too, we do not. Solves start from \
    zero and stop at a divergence of 10⁻⁶ 1/s, as in sec. 6.1. Our policy and penalty iterations solve their linear \
    systems inexactly.";

const INEXACT: &str =
    "our outer iterations solve their linear systems only as well as is worth it, and take more of them";
const PRECONDITIONED: &str = "the scene differs in radius, and MIC(0) is a stronger preconditioner than PCG had there";

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
        task: Task::Problems(Problems {
            scenes: &["sphere-half"],
            efforts: [
                Effort { sizes: &[32, 64, 128], frames: &[1] },
                Effort { sizes: &[32, 64, 128, 256], frames: &[1] },
            ],
            entrants: &[
                Entrant::new("Direct discretization", "sticking+cg/multigrid-barycentric-direct"),
                Entrant::new("Galerkin method (trilinear)", "sticking+cg/multigrid-linear"),
                Entrant::new("Galerkin method (barycentric)", "sticking+cg/multigrid-barycentric"),
                BEST,
            ],
            target: TARGET,
            repetitions: 3,
        }),
        views: &[View {
            caption: "Seconds to build the coarse matrices (rows: size of the fine grid)",
            show: Show::Table(Quantity::Setup),
            published: "size | Direct discretization | Galerkin method (trilinear) | Galerkin method (barycentric)
                32 | 0.00 | 0.03 | 0.01
                64 | 0.01 | 0.22 | 0.04
                128 | 0.14 | 1.71 | 0.31
                256 | 2.55 | 14.01 | 2.56",
            claims: &[
                Claim {
                    text: "barycentric interpolation makes coarse matrices cheaper than trilinear",
                    check: Check::Below("Galerkin method (barycentric)", "Galerkin method (trilinear)", ""),
                    because: "",
                },
                Claim {
                    text: "trilinear Galerkin matrices cost more than direct discretisation",
                    check: Check::Below("Direct discretization", "Galerkin method (trilinear)", ""),
                    because: "",
                },
            ],
        }],
        minutes: [1.0, 5.0],
    },
    Study {
        name: "lai-6.1",
        source: "Lai2021, table 6.1",
        title: "iterations, circle in the plane",
        about: ONE_FRAME,
        task: CIRCLE_TASK,
        views: &[View {
            caption: "Iterations per pressure problem, mean over frames",
            show: Show::Table(Quantity::Iterations),
            published: "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton | No LCP
                32 | 7.45 | 16.9 | 7.59 | 16.87 | 7.99 | 20.38 | 92.11 | 15.99
                64 | 10.39 | 36.02 | 9.74 | 36.07 | 12.58 | 35.4 | 336.17 | 30.73
                128 | 14.07 | 70.63 | 11.89 | 70.58 | 17.6 | 65.37 | 947.23 | 55.91
                256 | 18.26 | 123.61 | 14.51 | 122.42 | 21.98 | 109.54 | 2283.65 | 93.2",
            claims: &[FAS_SCALES, PCG_GROWS, NEWTON_MOST],
        }],
        minutes: [1.5, 25.0],
    },
    Study {
        name: "lai-6.2",
        source: "Lai2021, table 6.2",
        title: "iterations, sphere in space",
        about: ONE_FRAME,
        task: SPHERE_TASK,
        views: &[View {
            caption: "Iterations per pressure problem, mean over frames",
            show: Show::Table(Quantity::Iterations),
            published: "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton | No LCP
                32 | 9.75 | 29.9 | 12.12 | 30.16 | 13.93 | 22.21 | 1901.69 | 20.14
                64 | 10.44 | 70.92 | 14.66 | 71.34 | 19.11 | 39.81 | 3890.08 | 39.57
                128 | 11.94 | 132.56 | 17.61 | 133.53 | 24.57 | 61.12 | 10879.01 | 62.26
                256 | 14.02 | 251.88 | 20.71 | 252.28 | 28.84 | 89.89 | NA | 100.78",
            claims: &[FAS_SCALES, PCG_GROWS, NEWTON_MOST],
        }],
        minutes: [1.5, 900.0],
    },
    Study {
        name: "lai-6.3",
        source: "Lai2021, table 6.3",
        title: "iterations, maze",
        about: ONE_FRAME,
        task: MAZE_TASK,
        views: &[View {
            caption: "Iterations per pressure problem, mean over frames",
            show: Show::Table(Quantity::Iterations),
            published: "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton
                32 | 4.41 | 9.74 | 8.11 | 9.5 | 7.67 | 6.89 | 87.2
                64 | 7.07 | 15.52 | 10.55 | 15.75 | 10.11 | 10.71 | 195.5
                128 | 5.83 | 31.29 | 13.52 | 31.9 | 12.91 | 34.13 | 450.21",
            claims: &[FAS_SCALES, PCG_GROWS, NEWTON_MOST],
        }],
        minutes: [0.5, 6.0],
    },
    Study {
        name: "lai-6.4",
        source: "Lai2021, table 6.4",
        title: "iterations at frame 10 of scenario 1, the sphere",
        about: ONE_FRAME,
        task: over(
            &["sphere-half"],
            [Effort { sizes: &[32, 64, 128], frames: &[10] }, Effort { sizes: &[32, 64, 128, 256], frames: &[10] }],
            SEVEN,
        ),
        views: &[View {
            caption: "Iterations at frame 10",
            show: Show::Table(Quantity::Iterations),
            published: "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton
                32 | 7 | 139 | 10 | 146 | 21 | 29 | 2773
                64 | 8 | 282 | 9 | 301 | 18 | 61 | 5837
                128 | 8 | 593 | 10 | 657 | 24 | 128 | 18680
                256 | 9 | 1263 | 14 | 1255 | 28 | 234 | 38547",
            claims: &[FAS_SCALES, PCG_GROWS, NEWTON_MOST],
        }],
        minutes: [2.0, 15.0],
    },
    Study {
        name: "lai-6.5",
        source: "Lai2021, table 6.5",
        title: "iterations at frame 70 of scenario 2, the sphere with a cuboid",
        about: ONE_FRAME,
        task: over(
            &["sphere-cuboid"],
            [Effort { sizes: &[32, 64], frames: &[70] }, Effort { sizes: &[32, 64, 128, 256], frames: &[70] }],
            SEVEN,
        ),
        views: &[View {
            caption: "Iterations at frame 70",
            show: Show::Table(Quantity::Iterations),
            published: "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton
                32 | 6 | 149 | 11 | 161 | 18 | 35 | 2634
                64 | 7 | 308 | 18 | 336 | 29 | 43 | 11122
                128 | 8 | 503 | 22 | 548 | 40 | 63 | 50162
                256 | 9 | 1186 | 43 | 1313 | 89 | 103 | 95823",
            claims: &[FAS_SCALES, PCG_GROWS, NEWTON_MOST],
        }],
        minutes: [1.0, 60.0],
    },
    Study {
        name: "lai-6.6",
        source: "Lai2021, table 6.6",
        title: "iterations at frame 10 of scenario 3, spheres in spheres",
        about: ONE_FRAME,
        task: over(
            &["two-spheres"],
            [Effort { sizes: &[32, 64], frames: &[10] }, Effort { sizes: &[32, 64, 128, 256], frames: &[10] }],
            SEVEN,
        ),
        views: &[View {
            caption: "Iterations at frame 10",
            show: Show::Table(Quantity::Iterations),
            published: "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton
                32 | 7 | 80 | 14 | 85 | 23 | 15 | 1430
                64 | 15 | 182 | 37 | 203 | 57 | 43 | 9219
                128 | 9 | 421 | 34 | 446 | 90 | 67 | 46491
                256 | 12 | 762 | 24 | 887 | 60 | 175 | 122080",
            claims: &[FAS_SCALES, NEWTON_MOST],
        }],
        minutes: [0.5, 20.0],
    },
    Study {
        name: "lai-6.7",
        source: "Lai2021, table 6.7",
        title: "outer iterations, circle in the plane",
        about: ONE_FRAME,
        task: CIRCLE_TASK,
        views: &[View {
            caption: "Outer iterations per pressure problem, mean over frames",
            show: Show::Table(Quantity::Cycles),
            published: "Size | PI-PCG | PI-MG | PE-PCG | PE-MG | Newton
                32 | 1.12 | 1.12 | 1.12 | 1.23 | 0.94
                64 | 1.25 | 1.25 | 1.25 | 1.43 | 1.71
                128 | 1.34 | 1.34 | 1.35 | 1.58 | 2.08
                256 | 1.43 | 1.43 | 1.41 | 1.63 | 2.34",
            claims: &[OUTER_CONSTANT, OUTER_FEW],
        }],
        minutes: [1.5, 25.0],
    },
    Study {
        name: "lai-6.8",
        source: "Lai2021, table 6.8",
        title: "outer iterations, sphere in space",
        about: ONE_FRAME,
        task: SPHERE_TASK,
        views: &[View {
            caption: "Outer iterations per pressure problem, mean over frames",
            show: Show::Table(Quantity::Cycles),
            published: "Size | PI-PCG | PI-MG | PE-PCG | PE-MG | Newton
                32 | 1.47 | 1.47 | 1.49 | 1.53 | 2.04
                64 | 1.78 | 1.76 | 1.79 | 1.77 | 2.57
                128 | 2.1 | 2.12 | 2.12 | 2.19 | 2.91
                256 | 2.48 | 2.52 | 2.48 | 2.49 | NA",
            claims: &[OUTER_CONSTANT, OUTER_FEW],
        }],
        minutes: [1.5, 900.0],
    },
    Study {
        name: "lai-fig6.8",
        source: "Lai2021, figure 6.8",
        title: "histogram of outer iterations, sphere in space",
        about: "How many pressure problems took how many outer iterations, on the finest grid. The figure is at 128 \
            and its bars are not given as numbers; about 93 % of the problems there needed more than a linear solve.",
        task: over(
            &["sphere-half"],
            [
                Effort { sizes: &[32, 64], frames: &[10, 25, 40, 55, 70] },
                Effort { sizes: &[128], frames: &EVERY_FRAME },
            ],
            &[PI_PCG, PI_MG, PE_PCG, PE_MG, BEST],
        ),
        views: &[View {
            caption: "Solves by number of outer iterations",
            show: Show::Histogram,
            published: "",
            claims: &[],
        }],
        minutes: [1.5, 60.0],
    },
    Study {
        name: "lai-6.9",
        source: "Lai2021, table 6.9",
        title: "time, circle in the plane",
        about: ONE_FRAME,
        task: CIRCLE_TASK,
        views: &[View {
            caption: "Seconds per pressure problem, mean over frames",
            show: Show::Table(Quantity::Seconds),
            published: "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton | No LCP
                32 | 0.0021 | 0.00054 | 0.0028 | 0.00055 | 0.0025 | 0.0026 | 0.002 | 0.00048
                64 | 0.0082 | 0.0034 | 0.0086 | 0.0033 | 0.0075 | 0.022 | 0.024 | 0.0029
                128 | 0.029 | 0.02 | 0.03 | 0.021 | 0.028 | 0.17 | 0.24 | 0.016
                256 | 0.13 | 0.15 | 0.12 | 0.13 | 0.13 | 1.25 | 2.59 | 0.098",
            claims: &[FAS_FASTER_THAN_FMG, FAS_FASTER_THAN_NEWTON],
        }],
        minutes: [1.5, 25.0],
    },
    Study {
        name: "lai-6.10",
        source: "Lai2021, table 6.10",
        title: "time, sphere in space",
        about: ONE_FRAME,
        task: SPHERE_TASK,
        views: &[View {
            caption: "Seconds per pressure problem, mean over frames",
            show: Show::Table(Quantity::Seconds),
            published: "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton | No LCP
                32 | 0.037 | 0.014 | 0.036 | 0.015 | 0.036 | 0.076 | 0.98 | 0.0074
                64 | 0.25 | 0.2 | 0.33 | 0.2 | 0.37 | 1.68 | 25.38 | 0.09
                128 | 2.15 | 2.64 | 2.82 | 2.82 | 4.28 | 30.24 | 637.67 | 1.15
                256 | 16.78 | 36.96 | 24.58 | 37.82 | 47.38 | 510.71 | NA | 14.24",
            claims: &[FAS_FASTER_THAN_FMG, FAS_FASTER_THAN_NEWTON],
        }],
        minutes: [1.5, 900.0],
    },
    Study {
        name: "lai-6.11",
        source: "Lai2021, table 6.11",
        title: "time, maze",
        about: ONE_FRAME,
        task: MAZE_TASK,
        views: &[View {
            caption: "Seconds per pressure problem, mean over frames",
            show: Show::Table(Quantity::Seconds),
            published: "Size | FAS-MG | PI-PCG | PI-MG | PE-PCG | PE-MG | FMG | Newton
                32 | 0.016 | 0.0042 | 0.032 | 0.004 | 0.029 | 0.017 | 0.41
                64 | 0.092 | 0.018 | 0.15 | 0.018 | 0.12 | 0.1 | 3.5
                128 | 0.38 | 0.1 | 0.7 | 0.11 | 0.53 | 1.21 | 31.35",
            claims: &[
                FAS_FASTER_THAN_NEWTON,
                Claim {
                    text: "PI-PCG is faster than FAS-MG here",
                    check: Check::Below("PI-PCG", "FAS-MG", ""),
                    because: "",
                },
            ],
        }],
        minutes: [0.5, 6.0],
    },
    Study {
        name: "lai-6.12",
        source: "Lai2021, table 6.12 and figure 6.12",
        title: "variants of FAS multigrid",
        about: "FAS-MG as printed (`fas-literal`) with other interpolations, without one-sided weights at solids, and \
            with coarse matrices discretised directly; then the same for our correction of it (`fas`), whose coarse \
            levels are cut where walls have let go. Frame 10 of scenario 1.",
        task: over(
            &["sphere-half"],
            [Effort { sizes: &[32, 64, 128], frames: &[10] }, Effort { sizes: &[32, 64, 128, 256], frames: &[10] }],
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
                BEST,
            ],
        ),
        views: &[
            View {
                caption: "Cycles at frame 10",
                show: Show::Table(Quantity::Iterations),
                published: "Size | Ours | Trilinear interp. | PWC interp. | Simple boundaries | Direct discretization
                    32 | 7 | 6 | 47 | 6 | 65
                    64 | 8 | 8 | 112 | 32 | 171
                    128 | 8 | 8 | 268 | Diverged | Diverged
                    256 | 9 | 9 | 616 | Diverged | Diverged",
                claims: &[
                    Claim {
                        text: "simple boundaries make FAS fail on fine grids",
                        check: Check::Fails("Simple boundaries"),
                        because: "",
                    },
                    Claim {
                        text: "direct discretisation makes FAS fail on fine grids",
                        check: Check::Fails("Direct discretization"),
                        because: "",
                    },
                    Claim {
                        text: "piecewise constant interpolation takes many more cycles than barycentric",
                        check: Check::Below("corrected", "corrected, PWC", ""),
                        because: "",
                    },
                    Claim {
                        text: "the cycles of FAS do not grow with the grid",
                        check: Check::GrowsLess("Ours", 2.0),
                        because: "read literally, the algorithm compares a pressure with a divergence and its coarse \
                            levels see walls where the fine one has let go; `fas` mends both",
                    },
                ],
            },
            View {
                caption: "Seconds at frame 10 (figure 6.12; its bars are not given as numbers)",
                show: Show::Table(Quantity::Seconds),
                published: "",
                claims: &[Claim {
                    text: "barycentric interpolation is faster than trilinear",
                    check: Check::Below("corrected", "corrected, trilinear", ""),
                    because: "",
                }],
            },
        ],
        minutes: [1.5, 15.0],
    },
    convergence("lai-fig6.9", "Lai2021, figure 6.9", "convergence at frame 10 of scenario 1", &["sphere-half"], 10),
    convergence("lai-fig6.10", "Lai2021, figure 6.10", "convergence at frame 70 of scenario 2", &["sphere-cuboid"], 70),
    convergence("lai-fig6.11", "Lai2021, figure 6.11", "convergence at frame 10 of scenario 3", &["two-spheres"], 10),
];

const fn convergence(
    name: &'static str,
    source: &'static str,
    title: &'static str,
    scenes: &'static [&'static str],
    frame: usize,
) -> Study {
    let frames: &'static [usize] = if frame == 70 { &[70] } else { &[10] };
    let efforts = [Effort { sizes: &[64], frames }, Effort { sizes: &[256], frames }];
    Study {
        name,
        source,
        title,
        about: "Residual against cycles of the multigrid methods; the figures are at 256 and show no numbers.",
        task: over(scenes, efforts, &[FAS, PI_MG, PE_MG, FMG, LITERAL, BEST]),
        views: &[View { caption: "Residual against iterations", show: Show::Convergence, published: "", claims: &[] }],
        minutes: [0.5, 20.0],
    }
}

const FAS_SCALES: Claim = Claim {
    text: "the cycles of FAS-MG grow far more slowly than the grid",
    check: Check::GrowsLess("FAS-MG", 3.0),
    because: "",
};
const PCG_GROWS: Claim = Claim {
    text: "the iterations of PI-PCG grow almost as the grid does",
    check: Check::GrowsMore("PI-PCG", 1.5),
    because: PRECONDITIONED,
};
const NEWTON_MOST: Claim = Claim {
    text: "Newton's method takes more iterations than PI-PCG",
    check: Check::Below("PI-PCG", "Newton", ""),
    because: "",
};
const OUTER_CONSTANT: Claim = Claim {
    text: "the outer iterations of policy iteration hardly grow",
    check: Check::GrowsLess("PI-PCG", 2.0),
    because: "",
};
const OUTER_FEW: Claim = Claim {
    text: "policy iteration takes fewer outer iterations than Newton's method",
    check: Check::Below("PI-PCG", "Newton", ""),
    because: INEXACT,
};
const FAS_FASTER_THAN_FMG: Claim = Claim {
    text: "FAS-MG is faster than FMG",
    check: Check::Below("FAS-MG", "FMG", ""),
    because: "our FMG shares the corrected coarse levels, and takes far fewer cycles than was published",
};
const FAS_FASTER_THAN_NEWTON: Claim =
    Claim { text: "FAS-MG is faster than Newton's method", check: Check::Below("FAS-MG", "Newton", ""), because: "" };
