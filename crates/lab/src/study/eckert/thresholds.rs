//! Thresholds: tables 4.2 and 4.4.

use super::methods::{THRESHOLDS, THRESHOLDS_BC};
use super::runs;
use crate::study::{ByScope, Check, Claim, Effort, Quantity, Show, Study, View};

const SWEEP: &str = "Iterations of CG per step of the breaking dam in the plane, over the thresholds of the linear solver \
    (rows) and of the splitting (columns), as in the thesis on 96 × 96 cells over 250 of its steps; fewer of both when quick. \
    CG has no preconditioner, which table 4.3 gives the reason for.";

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "eckert-4.2",
        source: "Eckert2014, table 4.2 and figure 4.7",
        title: "thresholds of ADMM and IOP",
        about: SWEEP,
        experiment: runs(
            &["dam-break"],
            ByScope::new(Effort { sizes: &[64], frames: &[40] }, Effort { sizes: &[96], frames: &[150] }),
            THRESHOLDS,
            false,
        ),
        views: &[View::new("Iterations of CG per step", Show::Table(Quantity::Iterations))
            .published(
                "method, linear | 1e-5 | 1e-4 | 5e-4 | 1e-3 | 5e-3 | 1e-2
                ADMMVelSep, 1e-5 | 24,473
                ADMMVelSep, 1e-4 | | 12,915 | 9,387 | 7,884 | 4,752 | 3,399
                ADMMVelSep, 1e-3 | | 9,176 | 6,704 | 5,650 | 3,568 | 2,611
                ADMMVelSep, 1e-2 | | 4,568 | 3,927 | 3,380 | 2,391 | 1,693
                ADMMVelSep, 1e-1 | | 837 | 851 | 844 | 712 | 620
                ADMMDivSep, 1e-5 | 33,838
                ADMMDivSep, 1e-4 | | 20,170 | 18,204 | 16,374 | 13,822 | 12,199
                ADMMDivSep, 1e-3 | | 12,449 | 11,809 | 10,950 | 9,478 | 8,419
                ADMMDivSep, 1e-2 | | 9,309 | 5,838 | 5,206 | 4,458 | 4,383
                ADMMDivSep, 1e-1 | | 9,637 | 6,700 | 4,789 | 2,128 | 1,295
                IOPDivSep, 1e-5 | 14,842
                IOPDivSep, 1e-4 | | 9,053 | 8,731 | 8,389 | 6,989 | 6,199
                IOPDivSep, 1e-3 | | 10,107 | 5,162 | 4,680 | 4,266 | 3,882
                IOPDivSep, 1e-2 | | 12,872 | 9,189 | 7,192 | 1,993 | 1,586
                IOPDivSep, 1e-1 | | 16,743 | 12,138 | 11,167 | 7,327 | 5,642",
            )
            .claims(&[Claim::new(
                "ADMM that stops on velocity takes fewer iterations the looser its threshold",
                Check::Below("1e-2", "1e-4", "ADMMVelSep, 1e-3"),
            )])],
        minutes: ByScope::new(0.8, 30.0),
    },
    Study {
        name: "eckert-4.4",
        source: "Eckert2014, table 4.4 and figure 4.12",
        title: "thresholds of IOP that knows the walls",
        about: SWEEP,
        experiment: runs(
            &["dam-break"],
            ByScope::new(Effort { sizes: &[64], frames: &[40] }, Effort { sizes: &[96], frames: &[150] }),
            THRESHOLDS_BC,
            false,
        ),
        views: &[
            View::new("Iterations of CG per step", Show::Table(Quantity::Iterations))
                .published(
                    "method, linear | 1e-5 | 1e-4 | 5e-4 | 1e-3 | 5e-3 | 1e-2
                IOPDivSepBC, 1e-5 | 305
                IOPDivSepBC, 1e-4 | | 253 | 251 | 248 | 245 | 239
                IOPDivSepBC, 1e-3 | | 1152 | 218 | 182 | 183 | 192
                IOPDivSepBC, 1e-2 | | 1127 | 1112 | 1054 | 241 | 119
                IOPDivSepBC, 1e-1 | | 1067 | 1068 | 1067 | 1061 | 1040",
                )
                .claims(&[Claim::new(
                    "a splitting asked for more than its linear solver gives takes many iterations",
                    Check::Below("1e-2", "1e-4", "IOPDivSepBC, 1e-2"),
                )
                .because(
                    "a solve that finds its threshold met does no iteration here and at least one there; outer \
                    iterations do run into their limit of 1000, as the next table shows",
                )]),
            View::new("Outer iterations per step", Show::Table(Quantity::Cycles)).claims(&[Claim::new(
                "(here) a splitting asked for more than its linear solver gives takes many outer iterations",
                Check::Below("1e-2", "1e-4", "IOPDivSepBC, 1e-2"),
            )]),
        ],
        minutes: ByScope::new(0.5, 20.0),
    },
];
