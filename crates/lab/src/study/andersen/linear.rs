//! Linear solvers and preconditioners: figures 12 and 13.

use super::{BEST, problems};
use crate::study::{ByScope, Check, Claim, Effort, Entrant, Quantity, Show, Study, View};

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "andersen-fig12",
        source: "Andersen2017b, figure 12",
        title: "linear solvers and preconditioners under slip walls",
        about: "One step of `two-discs` on 200 × 200 cells. The preconditioners of the papers are approximate inverses \
            (Bridson's AINV): plain, with a static pattern, with Lin's; others are added. In numbers the papers say \
            only that the best one takes PCG from about 125 iterations to 40.",
        experiment: problems(
            &["two-discs"],
            ByScope::same(Effort { sizes: &[200], frames: &[10] }),
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
            View::new("Iterations", Show::Table(Quantity::Iterations))
                .published(" | cg\nnone | 125\nainv-static | 40")
                .claims(&[
                    Claim::new(
                        "an approximate inverse of static pattern saves most iterations of PCG",
                        Check::RowBelow("ainv-static", "none", "cg"),
                    ),
                    Claim::new(
                        "among linear solvers without preconditioner, GMRES takes more iterations than PCG",
                        Check::Below("cg", "gmres", "none"),
                    ),
                ]),
            View::new("Residual against iterations", Show::Convergence),
        ],
        minutes: ByScope::same(0.05),
    },
    Study {
        name: "andersen-fig13",
        source: "Andersen2017b, figure 13",
        title: "linear solvers and preconditioners under Newton's method",
        about: "The same step with separating walls. The papers reuse one preconditioner for all steps of Newton's \
            method (`reused-…`) and find the identity best; here preconditioners that follow the active set are beside \
            them. The figure shows no numbers.",
        experiment: problems(
            &["two-discs"],
            ByScope::same(Effort { sizes: &[200], frames: &[10] }),
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
            View::new("Iterations of the linear solver in all steps", Show::Table(Quantity::Iterations)).claims(&[
                Claim::new(
                    "without preconditioner PCG takes fewer iterations than with one that is reused",
                    Check::RowBelow("none", "ainv-static, reused", "cg"),
                )
                .because("our reused preconditioners act on the rows of the active set alone"),
                Claim::new(
                    "(ours) a preconditioner that follows the active set beats none",
                    Check::RowBelow("mic0", "none", "cg"),
                ),
            ]),
            View::new("Residual against iterations", Show::Convergence),
        ],
        minutes: ByScope::same(0.05),
    },
];
