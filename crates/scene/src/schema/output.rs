//! What a scene asks to be written.

use super::{Key, Kind, Table, optional, required};

const EVERY: Key = optional("every", Kind::Count(1), "`output.every`", "one of so many frames");
const FROM: Key = optional("from", Kind::Count(0), "`output.from`", "first frame");
const UNTIL: Key = optional("until", Kind::Count(0), "`output.until`", "last frame");
const FORMAT: Key = required("format", Kind::Text, "its name");

/// Of which frames something is written.
pub(crate) static SCHEDULE: Table = Table::new("schedule", &[EVERY, FROM, UNTIL]);

/// A format with a schedule of its own.
pub(crate) static REQUEST: Table = Table::new("format", &[FORMAT, EVERY, FROM, UNTIL]);

/// The same for particles, of which some may be left out.
pub(crate) static THINNED: Table = Table::new(
    "format",
    &[
        FORMAT,
        EVERY,
        FROM,
        UNTIL,
        optional("thin", Kind::Count(1), "`output.thin`", "one of so many, the same ones in all frames"),
    ],
);

/// What OpenVDB files hold.
pub(crate) static VDB: Table = Table::new(
    "vdb",
    &[
        optional("grids", Kind::Choices(&["surface", "velocity", "pressure"]), "all", "what is in them"),
        optional("half", Kind::Bool, "false", "numbers of 16 bits"),
    ],
);

/// Keys that every physics has.
pub(super) const WIDTH: Key = optional("width", Kind::Count(64), "480", "width of pictures in pixels");
pub(super) const PICTURES: Key = optional("frames", Kind::Bool, "true", "pictures, `frames/NNNN.png`");
pub(super) const MOVIE: Key = optional(
    "movie",
    Kind::Bool,
    "true",
    "`movie.png` (animated PNG, plays in browsers), and `movie.mp4` where `ffmpeg` is at hand",
);
pub(super) const FPS: Key = optional("fps", Kind::Within(0.1, 1000.0), "30", "frames of the movie per second");
pub(super) const CHECKPOINT_EVERY: Key = optional(
    "checkpoint_every",
    Kind::Count(0),
    "10",
    "a checkpoint every so many frames; 0: only at the end and when interrupted",
);
pub(super) const DATA_EVERY: Key =
    optional("every", Kind::Count(1), "1", "data of every so many frames, counted from frame 0");
pub(super) const DATA_FROM: Key = optional("from", Kind::Count(0), "0", "first frame of which data are written");
pub(super) const DATA_UNTIL: Key = optional("until", Kind::Count(0), "the end", "last frame of which data are written");
pub(super) const DATA_THIN: Key =
    optional("thin", Kind::Count(1), "1", "one of so many particles, the same ones in all frames");
pub(super) const DATA_VDB: Key =
    optional("vdb", Kind::Table(&VDB), "all, false", "`grids` in `.vdb` files, and whether they have `half` the bits");
const BOOL_OR_SCHEDULE: &[Kind] = &[Kind::Bool, Kind::Table(&SCHEDULE)];
pub(super) const STATES: Key = optional(
    "states",
    Kind::Either(BOOL_OR_SCHEDULE),
    "false",
    "`true`, or a schedule: whole states of frames, `states/NNNN.state`, from which `unstick export` makes files later",
);
pub(super) const PARTICLE_FORMATS: Kind = Kind::Formats(&["ply", "vtk", "vtp", "npz"], &THINNED);
pub(super) const SURFACE_FORMATS: Kind = Kind::Formats(&["ply", "obj", "glb", "vtp", "usd"], &REQUEST);
pub(super) const VOLUME_FORMATS: Kind = Kind::Formats(&["vtk", "vti", "vdb"], &REQUEST);

/// `[output]`.
pub(crate) static OUTPUT: Table = Table::new("output", &[
        WIDTH,
        PICTURES,
        MOVIE,
        FPS,
        optional("pressure", Kind::Bool, "false", "shade the liquid of plane pictures by pressure"),
        optional(
            "particles",
            PARTICLE_FORMATS,
            "[]",
            "`\"ply\"`, `\"vtk\"`, `\"vtp\"`, `\"npz\"` or a list of them: positions, velocities and numbers, \
             `particles/NNNN.ext`",
        ),
        optional(
            "surface",
            SURFACE_FORMATS,
            "[]",
            "`\"ply\"`, `\"obj\"`, `\"glb\"`, `\"vtp\"`, `\"usd\"`: the surface of the liquid as a closed mesh, \
             `surface/NNNN.ext`, in space only; `usd` with walls and bodies as `stage.usda`",
        ),
        optional(
            "volume",
            VOLUME_FORMATS,
            "[]",
            "`\"vtk\"`, `\"vti\"`: liquid distance, pressure, separated cells, velocity; solid distance. `\"vdb\"`: see \
             `vdb`, in space only",
        ),
        DATA_EVERY,
        DATA_FROM,
        DATA_UNTIL,
        DATA_THIN,
        DATA_VDB,
        STATES,
        optional(
            "view",
            Kind::Bool,
            "unless they would take about a gigabyte",
            "what [`unstick view`](guide-viewer.md) shows beside pictures: particles, surface, walls, `view/`",
        ),
        CHECKPOINT_EVERY,
])
.with_notes(include_str!("output.md"));
