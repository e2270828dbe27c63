//! [Andersen2017a], [Andersen2017b]: table 1, figures 8 to 17, starting iterates.

use unstick::mlcp::Start;

use super::{
    Check, Claim, Effort, Entrant, Newton, Problems, Quantity, Runs, Setting, Show, Study, Target, Task, View,
};

/// The thresholds of sec. 6.
const TARGET: Target = Target::Relative(1e-5);

/// PCG with the preconditioner that was found best, an approximate inverse of static pattern.
const PCG: Entrant = Entrant::new("PCG", "sticking+cg/ainv-static");
const NEWTON: Entrant = Entrant::new("Newton", "newton+cg/none").with(Newton::Published);
const BEST: Entrant = Entrant::new("best", "best");

const fn problems(
    scenes: &'static [&'static str],
    efforts: [Effort; 2],
    entrants: &'static [Entrant],
    repetitions: usize,
) -> Task {
    Task::Problems(Problems { scenes, efforts, entrants, target: TARGET, repetitions })
}

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "andersen-table1",
        source: "Andersen2017b, table 1 (Andersen2017a, sec. 6)",
        title: "slowdown against slip walls",
        about: "How much longer a simulation with separating walls takes than one with slip walls and PCG, both on a \
            GPU there and on processors here. The papers do not say for which scene; here it is `two-discs` (scene 2). \
            Newton's method has no preconditioner, as there, but stops on our residual.",
        task: Task::Runs(Runs {
            scenes: &["two-discs"],
            efforts: [
                Effort { sizes: &[64, 128, 256], frames: &[10] },
                Effort { sizes: &[64, 128, 256, 512, 1024], frames: &[50] },
            ],
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
            View {
                caption: "Whole steps: percent longer than with slip walls and PCG",
                show: Show::Excess { quantity: Quantity::StepSeconds, base: "PCG" },
                published: "Grid | Newton
                    64 | 15%
                    128 | 25%
                    256 | 15%
                    512 | 16%
                    1024 | 5%",
                claims: &[Claim {
                    text: "separating walls cost 5 to 25 % more than slip walls",
                    check: Check::Within(25.0),
                    because: "the liquid moves otherwise, set-up of the preconditioner is included, and a CPU spends \
                        most of a small step on other things than the pressure",
                }],
            },
            View {
                caption: "The pressure alone: seconds per step",
                show: Show::Table(Quantity::Seconds),
                published: "",
                claims: &[],
            },
        ],
        minutes: [1.5, 120.0],
    },
    Study {
        name: "andersen-fig8",
        source: "Andersen2017b, figure 8 and sec. 6",
        title: "convergence of Newton's method in space",
        about: "Quartiles of the residual over steps of Newton's method in space. The scene of the paper is not \
            described; here it is `sphere-half`. The paper plots ½ HᵀH, we show ‖H‖∞. Medians of the time per solve, \
            on GPUs there: 12.57 s for 60³, 46.92 s for 100³.",
        task: problems(
            &["sphere-half"],
            [
                Effort { sizes: &[60], frames: &[5, 10, 20, 30, 40] },
                Effort { sizes: &[60, 100], frames: &[5, 10, 20, 30, 40, 50, 60, 70, 80, 90] },
            ],
            &[NEWTON, Entrant::new("Newton, ours", "newton+cg/mic0"), BEST],
            1,
        ),
        views: &[
            View { caption: "Residual against steps", show: Show::Quartiles, published: "", claims: &[] },
            View {
                caption: "Seconds per solve, those that converged",
                show: Show::Table(Quantity::Seconds),
                published: "Size | Newton\n60 | 12.57\n100 | 46.92",
                claims: &[],
            },
        ],
        minutes: [1.0, 10.0],
    },
    Study {
        name: "andersen-fig9",
        source: "Andersen2017b, figure 9 (Andersen2017a, figure 4)",
        title: "speedup of a GPU over a CPU",
        about: "Time on a CPU over time on a GPU for PCG (5 to 50 there) and Newton's method (10 to 500).",
        task: Task::Impossible("there is no GPU backend yet, so there is nothing to divide by"),
        views: &[],
        minutes: [0.0, 0.0],
    },
    Study {
        name: "andersen-fig10",
        source: "Andersen2017b, figure 10 (Andersen2017a, figures 5 and 6)",
        title: "where the time goes",
        about: "The papers split the time of a solve on a GPU into conversion, transfer and computation, and give no \
            numbers. Nothing is converted or transferred here; what remains is set-up against the rest.",
        task: problems(
            &["two-discs"],
            [
                Effort { sizes: &[64, 128, 256], frames: &[10] },
                Effort { sizes: &[64, 128, 256, 512, 1024], frames: &[10] },
            ],
            &[PCG, Entrant::new("Newton", "newton+cg/none"), BEST],
            3,
        ),
        views: &[
            View { caption: "Set-up", show: Show::Table(Quantity::Setup), published: "", claims: &[] },
            View {
                caption: "All else",
                show: Show::Table(Quantity::Work),
                published: "",
                claims: &[Claim {
                    text: "Newton's method computes longer than PCG",
                    check: Check::Below("PCG", "Newton", ""),
                    because: "",
                }],
            },
        ],
        minutes: [0.5, 10.0],
    },
    Study {
        name: "andersen-fig11",
        source: "Andersen2017b, figure 11 (Andersen2017a, figures 7 and 8)",
        title: "convergence of PCG and of Newton's method in the plane",
        about: "Quartiles of the residual over steps of `two-discs` on 200 × 200 cells. There four steps of Newton's \
            method do for most problems and six for all, and PCG makes no progress after about 900 iterations.",
        task: problems(
            &["two-discs"],
            [
                Effort { sizes: &[200], frames: &[5, 10, 20, 30, 40, 50, 60, 70] },
                Effort { sizes: &[200], frames: &super::EVERY_FRAME },
            ],
            &[PCG, NEWTON, Entrant::new("Newton, ours", "newton+cg/mic0"), BEST],
            1,
        ),
        views: &[View {
            caption: "Residual against outer iterations",
            show: Show::Quartiles,
            published: "solver | outer, median | outer, most\nNewton | 4 | 6\nPCG | | 1000",
            claims: &[],
        }],
        minutes: [0.5, 5.0],
    },
    Study {
        name: "andersen-fig12",
        source: "Andersen2017b, figure 12",
        title: "linear solvers and preconditioners under slip walls",
        about: "One step of `two-discs` on 200 × 200 cells. The preconditioners of the papers are approximate inverses \
            (Bridson's AINV): plain, with a static pattern, with Lin's; others are added. In numbers the papers say \
            only that the best one takes PCG from about 125 iterations to 40.",
        task: problems(
            &["two-discs"],
            [Effort { sizes: &[200], frames: &[10] }, Effort { sizes: &[200], frames: &[10] }],
            &[
                Entrant::new("cg", "sticking+cg/none").at("none"),
                Entrant::new("cr", "sticking+cr/none").at("none"),
                Entrant::new("gmres", "sticking+gmres/none").at("none"),
                Entrant::new("bicgstab", "sticking+bicgstab/none").at("none"),
                Entrant::new("cg", "sticking+cg/jacobi").at("jacobi"),
                Entrant::new("cg", "sticking+cg/ainv").at("ainv"),
                Entrant::new("cg", "sticking+cg/ainv-lin").at("ainv-lin"),
                Entrant::new("cg", "sticking+cg/ainv-static").at("ainv-static"),
                Entrant::new("cr", "sticking+cr/ainv-static").at("ainv-static"),
                Entrant::new("gmres", "sticking+gmres/ainv-static").at("ainv-static"),
                Entrant::new("bicgstab", "sticking+bicgstab/ainv-static").at("ainv-static"),
                Entrant::new("cg", "sticking+cg/ic0").at("ic0"),
                Entrant::new("cg", "sticking+cg/mic0").at("mic0"),
                Entrant::new("cg", "sticking+cg/multigrid").at("multigrid"),
                BEST.at("best"),
            ],
            1,
        ),
        views: &[
            View {
                caption: "Iterations",
                show: Show::Table(Quantity::Iterations),
                published: " | cg\nnone | 125\nainv-static | 40",
                claims: &[Claim {
                    text: "among linear solvers without preconditioner, GMRES takes more iterations than PCG",
                    check: Check::Below("cg", "gmres", "none"),
                    because: "",
                }],
            },
            View { caption: "Residual against iterations", show: Show::Convergence, published: "", claims: &[] },
        ],
        minutes: [0.3, 0.3],
    },
    Study {
        name: "andersen-fig13",
        source: "Andersen2017b, figure 13",
        title: "linear solvers and preconditioners under Newton's method",
        about: "The same step with separating walls. The papers reuse one preconditioner for all steps of Newton's \
            method (`reused-…`) and find the identity best; here preconditioners that follow the active set are beside \
            them. The figure shows no numbers.",
        task: problems(
            &["two-discs"],
            [Effort { sizes: &[200], frames: &[10] }, Effort { sizes: &[200], frames: &[10] }],
            &[
                Entrant::new("cg", "newton+cg/none").at("none"),
                Entrant::new("cr", "newton+cr/none").at("none"),
                Entrant::new("gmres", "newton+gmres/none").at("none"),
                Entrant::new("bicgstab", "newton+bicgstab/none").at("none"),
                Entrant::new("cg", "newton+cg/reused-jacobi").at("jacobi, reused"),
                Entrant::new("cg", "newton+cg/reused-ainv-static").at("ainv-static, reused"),
                Entrant::new("cg", "newton+cg/reused-mic0").at("mic0, reused"),
                Entrant::new("cg", "newton+cg/jacobi").at("jacobi"),
                Entrant::new("cg", "newton+cg/ainv-static").at("ainv-static"),
                Entrant::new("cg", "newton+cg/mic0").at("mic0"),
                Entrant::new("cg", "newton+cg/multigrid").at("multigrid"),
                BEST.at("best"),
            ],
            1,
        ),
        views: &[
            View {
                caption: "Iterations of the linear solver in all steps",
                show: Show::Table(Quantity::Iterations),
                published: "",
                claims: &[],
            },
            View { caption: "Residual against iterations", show: Show::Convergence, published: "", claims: &[] },
        ],
        minutes: [0.5, 0.5],
    },
    Study {
        name: "andersen-fig14",
        source: "Andersen2017b, figure 14",
        title: "growing grids",
        about: "PCG takes about twice the iterations on a grid twice as fine. Newton's method takes 3 to 6 steps there, \
            but ends at 10⁻⁶ on small grids and at 10⁻³ on large ones; its published settings are beside ours.",
        task: problems(
            &["two-discs"],
            [
                Effort { sizes: &[50, 100, 200, 400], frames: &[10] },
                Effort { sizes: &[50, 100, 200, 400, 800], frames: &[10] },
            ],
            &[PCG, NEWTON, Entrant::new("Newton, ours", "newton+cg/mic0"), BEST],
            1,
        ),
        views: &[
            View {
                caption: "Iterations of the linear solver",
                show: Show::Table(Quantity::Iterations),
                published: "",
                claims: &[Claim {
                    text: "the iterations of PCG grow as the grid does",
                    check: Check::GrowsMore("PCG", 3.0),
                    because: "",
                }],
            },
            View {
                caption: "Residual left, relative to that at zero",
                show: Show::Table(Quantity::Residual),
                published: "",
                claims: &[Claim {
                    text: "with the published settings Newton's method loses accuracy on finer grids",
                    check: Check::GrowsMore("Newton", 2.0),
                    because: "",
                }],
            },
            View { caption: "Outer iterations", show: Show::Table(Quantity::Cycles), published: "", claims: &[] },
        ],
        minutes: [0.7, 5.0],
    },
    Study {
        name: "andersen-fig15",
        source: "Andersen2017b, figure 15",
        title: "volume of five scenes over five seconds",
        about: "The paper sees loss in scenes 1 and 2 (`disc-around-box`, `two-discs`), gain in scenes 3 to 5 (`maze`, \
            `column`, `two-columns`), and no difference in kind between slip and separating walls. Its volume is \
            what the surface encloses. We count the space that particles fill, and a correction in the pressure holds \
            it; without the correction one sees what is at work. All runs use `best`.",
        task: Task::Runs(Runs {
            scenes: &["disc-around-box", "two-discs", "maze", "column", "two-columns"],
            efforts: [Effort { sizes: &[50], frames: &[500] }, Effort { sizes: &[100], frames: &[500] }],
            settings: &[
                Setting::new(
                    "slip, uncorrected",
                    &[
                        "walls.border=sealed",
                        "walls.solids=sealed",
                        "volume.correction=false",
                        "pressure.solver=sticking+cg/multigrid",
                    ],
                ),
                Setting::new("separating, uncorrected", &["volume.correction=false", "pressure.solver=best"]),
                Setting::new(
                    "slip",
                    &["walls.border=sealed", "walls.solids=sealed", "pressure.solver=sticking+cg/multigrid"],
                ),
                Setting::new("best", &["pressure.solver=best"]),
            ],
            is_drawn: false,
        }),
        views: &[
            View {
                caption: "Largest error of the volume in five seconds, percent",
                show: Show::Table(Quantity::VolumeDrift),
                published: "",
                claims: &[Claim {
                    text: "separating walls keep volume as well as slip walls do",
                    check: Check::Alike("separating, uncorrected", "slip, uncorrected", 4.0),
                    because: "",
                }],
            },
            View {
                caption: "Volume that the surface encloses after five seconds, percent of gain",
                show: Show::Table(Quantity::SurfaceGain),
                published: "",
                claims: &[],
            },
            View {
                caption: "Volume over time, percent of gain",
                show: Show::Course(Quantity::VolumeGain),
                published: "",
                claims: &[],
            },
        ],
        minutes: [2.5, 8.0],
    },
    Study {
        name: "andersen-fig16",
        source: "Andersen2017b, figures 16 and 17",
        title: "the inexactness ξ of Newton's method",
        about: "The first steps of `two-discs` with ξ from 10⁻⁵ to ½, published settings. The paper sees no influence, \
            but for a slight one at 400 × 400 cells (figure 17); it shows no numbers.",
        task: problems(
            &["two-discs"],
            [
                Effort { sizes: &[50, 100, 200], frames: &[0, 1] },
                Effort { sizes: &[50, 100, 200, 400], frames: &[0, 1] },
            ],
            &[
                Entrant::new("0.00001", "newton+cg/none").with(Newton::Inexact(1e-5)),
                Entrant::new("0.0001", "newton+cg/none").with(Newton::Inexact(1e-4)),
                Entrant::new("0.001", "newton+cg/none").with(Newton::Inexact(1e-3)),
                Entrant::new("0.01", "newton+cg/none").with(Newton::Inexact(1e-2)),
                Entrant::new("0.1", "newton+cg/none").with(Newton::Inexact(1e-1)),
                Entrant::new("0.5", "newton+cg/none").with(Newton::Inexact(0.5)),
                BEST,
            ],
            1,
        ),
        views: &[
            View { caption: "Residual against steps", show: Show::Quartiles, published: "", claims: &[] },
            View {
                caption: "Residual left, relative to that at zero",
                show: Show::Table(Quantity::Residual),
                published: "",
                claims: &[Claim {
                    text: "ξ has little influence on the residual that is reached",
                    check: Check::Alike("0.00001", "0.1", 10.0),
                    because: "",
                }],
            },
        ],
        minutes: [0.5, 3.0],
    },
    Study {
        name: "andersen-starts",
        source: "Andersen2017b, sec. 7",
        title: "starting iterates for Newton's method",
        about: "Ten sweeps of PSOR, or ten steps of non-smooth gradient descent, before Newton's method. The paper says, \
            without numbers, that neither helps and that the linear solver often fails from such starts.",
        task: problems(
            &["two-discs"],
            [
                Effort { sizes: &[50, 100, 200], frames: &[1, 10, 20] },
                Effort { sizes: &[50, 100, 200, 400], frames: &[1, 10, 20] },
            ],
            &[
                Entrant::new("zero", "newton+cg/none"),
                Entrant::new("psor:10", "newton+cg/none").from(Start::Psor(10)),
                Entrant::new("gradient:10", "newton+cg/none").from(Start::Gradient(10)),
                BEST,
            ],
            1,
        ),
        views: &[
            View {
                caption: "Iterations of the linear solver",
                show: Show::Table(Quantity::Iterations),
                published: "",
                claims: &[
                    Claim {
                        text: "sweeps of PSOR do not save iterations",
                        check: Check::Alike("psor:10", "zero", 1.25),
                        because: "",
                    },
                    Claim {
                        text: "gradient descent does not save iterations",
                        check: Check::Alike("gradient:10", "zero", 1.25),
                        because: "",
                    },
                ],
            },
            View { caption: "Seconds", show: Show::Table(Quantity::Seconds), published: "", claims: &[] },
        ],
        minutes: [0.5, 3.0],
    },
];
