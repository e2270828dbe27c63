//! What a scene asks to be written.

use super::{Kind, Table, optional};

/// `[output]`.
pub(crate) static OUTPUT: Table = Table {
    name: "output",
    many: false,
    text: "",
    keys: &[
        optional("width", Kind::Count(64), "480", "width of pictures in pixels"),
        optional("frames", Kind::Truth, "true", "pictures, `frames/NNNN.png`"),
        optional(
            "movie",
            Kind::Truth,
            "true",
            "`movie.png` (animated PNG, plays in browsers), and `movie.mp4` where `ffmpeg` is at hand",
        ),
        optional("fps", Kind::Within(0.1, 1000.0), "30", "frames of the movie per second"),
        optional("pressure", Kind::Truth, "false", "shade the liquid of plane pictures by pressure"),
        optional(
            "particles",
            Kind::Choices(&["ply", "vtk", "npz"]),
            "[]",
            "`\"ply\"`, `\"vtk\"`, `\"npz\"` or a list of them: positions and velocities, `particles/NNNN.ext`",
        ),
        optional(
            "surface",
            Kind::Choices(&["ply", "obj"]),
            "[]",
            "`\"ply\"`, `\"obj\"`: the surface of the liquid as a closed mesh, in space only",
        ),
        optional(
            "volume",
            Kind::Choices(&["vtk"]),
            "[]",
            "`\"vtk\"`: liquid distance, pressure, separated cells, velocity; solid distance",
        ),
        optional("every", Kind::Count(1), "1", "data of every so many frames"),
        optional(
            "checkpoint_every",
            Kind::Count(0),
            "10",
            "a checkpoint every so many frames; 0: only at the end and when interrupted",
        ),
    ],
    notes: "Always written are `run.json` (the scene as it was used, version, machine), `stats.csv` (a line per step) \
            and `report.html`; `bodies.csv` where there are bodies.",
};
