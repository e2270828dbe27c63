//! What each method answers: figures 4.10, 4.15 and 4.22.

use super::methods::{CLASSIFICATIONS, SIX};
use super::{SAME_STATES, runs};
use crate::study::{ByScope, Check, Claim, Effort, Quantity, Show, Study, View};

/// Liquid that is torn off a ceiling is fast at once.
const fn faster(other: &'static str, text: &'static str) -> Claim {
    Claim::new(text, Check::Times(other, "OrigPSSep", "fastest particle after five frames, m/s", 0.6))
}

/// All of them.
pub const ALL: &[Study] = &[
    Study {
        name: "eckert-fig4.10",
        source: "Eckert2014, figure 4.10",
        title: "agreement of solutions",
        about: "Largest difference of a face velocity from that of accurate ADMM, the agreement solution of the thesis, \
            after one step from the same state. There ADMM and IOP agree within their thresholds (10⁻⁸ to 10⁻⁹ at high \
            accuracy, 10⁻² to 10⁻³ at low), and OrigPSSep differs by about 1 however accurate, in units of its own. \
            `best` solves the complementarity problem, which the splittings approach only as far as their marks of \
            walls, made once per step, allow.",
        experiment: SAME_STATES,
        views: &[View::new(
            "Largest difference of a velocity, mean over frames",
            Show::Methods(&[Quantity::Difference]),
        )
        .claims(&[
            Claim::new(
                "more accurate IOP comes closer to the agreement solution",
                Check::Below("IOPDivSepHigh", "IOPDivSepLow", "velocity difference, m/s"),
            ),
            Claim::new(
                "OrigPSSep solves another problem than accurate IOP",
                Check::Below("IOPDivSepHigh", "OrigPSSepHigh", "velocity difference, m/s"),
            ),
        ])],
        minutes: ByScope::new(0.2, 5.0),
    },
    Study {
        name: "eckert-fig4.15",
        source: "Eckert2014, figure 4.15",
        title: "walls classified by velocity or by pressure",
        about: "The breaking dam in the plane while it leaves the ceiling. The thesis finds the two classifications \
            nearly alike, with slightly more detachment by velocity.",
        experiment: runs(
            &["dam-break"],
            ByScope::new(Effort { sizes: &[64], frames: &[70] }, Effort { sizes: &[96], frames: &[70] }),
            CLASSIFICATIONS,
            true,
        ),
        views: &[
            View::new("Frame 70", Show::Gallery),
            View::new("Cells that have let go at the end", Show::Table(Quantity::Separated)),
        ],
        minutes: ByScope::new(0.3, 1.0),
    },
    Study {
        name: "eckert-fig4.22",
        source: "Eckert2014, figure 4.22",
        title: "robustness on the hard stairs",
        about: "Liquid that touches the ceiling at the start. In the thesis OrigPS holds it there, OrigPSSep tears it \
            away from ceiling and wall, and the others let it fall. Claims are judged by the speed of the fastest \
            particle: the number is that of the other method over that of OrigPSSep.",
        experiment: runs(&["stairs-hard"], ByScope::same(Effort { sizes: &[100], frames: &[10, 25, 50] }), SIX, true),
        views: &[
            View::new("Side by side", Show::Gallery),
            View::new(
                "At the end",
                Show::Methods(&[Quantity::EarlySpeed, Quantity::Speed, Quantity::VolumeGain, Quantity::Separated]),
            )
            .claims(&[
                faster("OrigPS", "OrigPSSep tears the liquid off the ceiling, OrigPS does not"),
                faster("ADMMVelSep", "OrigPSSep tears the liquid off the ceiling, ADMMVelSep does not"),
                faster("IOPDivSep", "OrigPSSep tears the liquid off the ceiling, IOPDivSep does not"),
                faster("IOPDivSepBC", "OrigPSSep tears the liquid off the ceiling, IOPDivSepBC does not"),
                faster("best", "OrigPSSep tears the liquid off the ceiling, `best` does not"),
            ]),
            View::new("Fastest particle over time", Show::Course(Quantity::Speed)),
        ],
        minutes: ByScope::same(0.4),
    },
];
