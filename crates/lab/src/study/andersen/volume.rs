//! Volume: figure 15.

use crate::study::{ByScope, Check, Claim, Effort, Experiment, Quantity, Runs, Setting, Show, Study, View};

/// All of them.
pub const ALL: &[Study] = &[Study {
    name: "andersen-fig15",
    source: "Andersen2017b, figure 15",
    title: "volume of five scenes over five seconds",
    about: "The paper sees loss in scenes 1 and 2 (`disc-around-box`, `two-discs`), gain in scenes 3 to 5 (`maze`, \
            `column`, `two-columns`), and no difference in kind between slip and separating walls. Its volume is \
            what the surface encloses. We count the space that particles fill, and a correction in the pressure holds \
            it; without the correction one sees what is at work. All runs use `best`.",
    experiment: Experiment::Runs(Runs {
        scenes: &["disc-around-box", "two-discs", "maze", "column", "two-columns"],
        efforts: ByScope::same(Effort { sizes: &[100], frames: &[500] }),
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
        View::new("Largest error of the volume in five seconds, percent", Show::Table(Quantity::VolumeDrift)).claims(
            &[Claim::new(
                "separating walls keep volume as well as slip walls do",
                Check::Alike("separating, uncorrected", "slip, uncorrected", 4.0),
            )],
        ),
        View::new(
            "Volume that the surface encloses after five seconds, percent of gain",
            Show::Table(Quantity::SurfaceGain),
        ),
        View::new("Volume over time, percent of gain", Show::Course(Quantity::VolumeGain)),
    ],
    minutes: ByScope::same(1.5),
}];
