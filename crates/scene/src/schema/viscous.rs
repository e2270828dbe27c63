//! Scenes with a `[flow]`: a box full of viscous liquid.

use super::things::MOTION;
use super::{CONTACT, Key, Kind, Table, heading, optional, output, required, root, things};

/// The whole file.
pub(crate) static ROOT: Table = Table::new(
    "",
    &[
        root::TITLE,
        root::DESCRIPTION,
        optional("gravity", Kind::Vector, "9.81 downwards", "acts on the excess mass of bodies over the liquid"),
        optional("density", Kind::Positive, "1000", "of the liquid, kg/m³"),
        optional("seed", Kind::Count(0), "0", "of the random places of copies"),
        heading("grid", Kind::Table(&GRID)),
        heading("time", Kind::Table(&TIME)),
        heading("flow", Kind::Table(&FLOW)),
        heading("body", Kind::Tables(&BODY)),
        heading("contact", Kind::Table(&CONTACT)),
        heading("output", Kind::Table(&OUTPUT)),
    ],
);

/// `[flow]`.
pub(crate) static FLOW: Table = Table::new("flow", &[
        optional(
            "viscosity",
            Kind::Either(&[Kind::Positive, Kind::Table(&LAW)]),
            "it or `dynamic_viscosity`",
            "kinematic, m²/s: a number, `{ power_law = { consistency = 0.01, exponent = 0.5, bounds = [1e-4, 1.0] } }` \
             (between the bounds ν = consistency γ^(exponent − 1), γ the rate of shear) or `{ carreau = { at_rest = 0.1, \
             sheared = 0.001, relaxation = 1.0, exponent = 0.4 } }` or `{ yield = { stress = 50, consistency = 0.01, \
             at_rest = 10.0 } }`",
        ),
        optional("dynamic_viscosity", Kind::Positive, "it or `viscosity`", "Pa·s"),
        optional("force", Kind::Vector, "zero", "a force per mass on the liquid everywhere, m/s²"),
        optional(
            "lubrication",
            Kind::Bool,
            "true",
            "films of liquid thinner than two cells, which the grid does not resolve, resist the approach of bodies",
        ),
        optional("sides", Kind::Table(&SIDES), "walls at rest", "see below"),
        optional(
            "solve",
            Kind::Table(&SOLVE),
            "1e-6, 1e-4, 500",
            "`viscous_tolerance` and `pressure_tolerance`: part of the largest velocity and of the divergence at which \
             the two solves around bodies stop; `max_iterations`",
        ),
        optional(
            "on_unconverged",
            Kind::Choice(&["error", "shorten-step", "accept"]),
            "\"error\"",
            "when a solve misses its tolerance: `\"error\"` ends the run (a checkpoint is kept), `\"shorten-step\"` \
             halves the step, `\"accept\"` goes on",
        ),
])
.with_notes(include_str!("sides.md"));

/// Laws of viscosity.
pub(crate) static LAW: Table = Table::new(
    "viscosity",
    &[
        optional("power_law", Kind::Table(&POWER_LAW), "none", "one of them"),
        optional("carreau", Kind::Table(&CARREAU), "none", "one of them"),
        optional("yield", Kind::Table(&YIELD), "none", "one of them"),
    ],
);

/// ν = consistency γ^(exponent − 1).
pub(crate) static POWER_LAW: Table = Table::new(
    "power_law",
    &[
        required("consistency", Kind::Positive, "viscosity at a rate of shear of 1/s"),
        required("exponent", Kind::Positive, "below 1: thinner where sheared"),
        required("bounds", Kind::Numbers, "least and largest viscosity"),
    ],
);

/// Carreau's law.
pub(crate) static CARREAU: Table = Table::new(
    "carreau",
    &[
        required("at_rest", Kind::Positive, "viscosity"),
        required("sheared", Kind::Within(0.0, f64::MAX), "viscosity under strong shear"),
        required("relaxation", Kind::Positive, "seconds"),
        required("exponent", Kind::Positive, "of the law in between"),
    ],
);

/// The law of Herschel and Bulkley.
pub(crate) static YIELD: Table = Table::new(
    "yield",
    &[
        required("stress", Kind::Within(0.0, f64::MAX), "Pa, at which it starts to flow"),
        required("consistency", Kind::Within(0.0, f64::MAX), "viscosity that flow adds at a rate of shear of 1/s"),
        optional("exponent", Kind::Positive, "1", "below 1: thinner where sheared; 1 is Bingham's law"),
        required("at_rest", Kind::Positive, "largest viscosity"),
    ],
);

const SIDE: Kind =
    Kind::Either(&[Kind::Choice(&["no-slip", "free-slip", "outflow", "periodic"]), Kind::Table(&MOVING)]);

const fn side(name: &'static str) -> Key {
    optional(name, SIDE, "\"no-slip\"", "what happens there")
}

/// `[flow.sides]`.
pub(crate) static SIDES: Table =
    Table::new("flow.sides", &[side("left"), side("right"), side("bottom"), side("top"), side("back"), side("front")]);

/// A side that says more than a name.
pub(crate) static MOVING: Table = Table::new(
    "side",
    &[
        optional("lid", Kind::Vector, "none", "velocity of a wall along itself"),
        optional("inflow", Kind::Table(&INFLOW), "none", "liquid that enters"),
    ],
);

/// How liquid enters.
pub(crate) static INFLOW: Table = Table::new(
    "inflow",
    &[
        required("speed", Kind::Number, "m/s"),
        optional("profile", Kind::Choice(&["uniform", "parabolic"]), "\"uniform\"", "across the side"),
        optional("ramp", Kind::Positive, "none", "seconds in which it rises to its speed"),
        optional("half_sine", Kind::Positive, "none", "seconds in which it rises and falls"),
    ],
);

/// Where the solves around bodies stop.
pub(crate) static SOLVE: Table = Table::new(
    "solve",
    &[
        optional("viscous_tolerance", Kind::Within(0.0, 1.0), "1e-6", "of the viscous step"),
        optional("pressure_tolerance", Kind::Within(0.0, 1.0), "1e-4", "of the projection"),
        optional("max_iterations", Kind::Count(1), "500", "at most"),
    ],
);

/// `[grid]`.
pub(crate) static GRID: Table = Table::new(
    "grid",
    &[
        optional("cells", Kind::Counts, "it or `axes`", "cells along each axis"),
        root::SIZE,
        root::SPACING,
        root::ORIGIN,
        optional("axes", Kind::Tables(&AXIS), "it or `cells`", "one table per axis, see below"),
        optional("refine", Kind::Within(0.01, 100.0), "1", "divides the sizes of all cells"),
    ],
)
.with_text("`cells`, `size`, `spacing`, `origin` as above, or one table per axis, and `refine`.")
.with_notes(include_str!("axes.md"));

/// One axis of its own.
pub(crate) static AXIS: Table = Table::new(
    "axis",
    &[
        optional("from", Kind::Number, "0", "where it begins"),
        optional("to", Kind::Number, "required without `nodes`", "where it ends"),
        optional("cells", Kind::Count(2), "it or `spacing`", "equal ones"),
        optional("fine", Kind::Numbers, "all of it", "the part with cells of `spacing`"),
        optional("spacing", Kind::Positive, "it or `cells`", "of the cells of the fine part"),
        optional("growth", Kind::Within(1.0, 2.0), "1.1", "from cell to cell outside of it, at most"),
        optional("coarsest", Kind::Positive, "8 × `spacing`", "largest cells"),
        optional("nodes", Kind::Numbers, "none", "where each cell begins; replaces all other keys"),
    ],
);

/// `[time]`.
pub(crate) static TIME: Table = Table::new(
    "time",
    &[
        root::FRAME,
        root::FRAMES,
        optional("max_step", Kind::Positive, "a frame", "longest step"),
        optional("cfl", Kind::Within(0.0, 2.0), "0.5", "cells that liquid and bodies may cross in a step"),
    ],
);

/// `[[body]]`.
pub(crate) static BODY: Table = Table::many(
    "body",
    &[
        things::NAME,
        things::BODY_SHAPE,
        things::DENSITY,
        things::MASS,
        things::CENTRE,
        things::TURN,
        things::VELOCITY,
        things::SPIN,
        things::RESTITUTION,
        things::FRICTION,
        things::HELD_UNTIL,
        optional("held", Kind::Bool, "false", "it never moves; it may reach into walls"),
        optional("motion", Kind::Table(&MOTION), "none", "a given motion, as of a [solid](#solid)"),
        optional(
            "oscillation",
            Kind::Table(&OSCILLATION),
            "none",
            "a motion back and forth: `{ amplitude = [0.8, 0.0], period = 5.0 }`, amplitude × sin(2π t / period)",
        ),
        optional(
            "copies",
            Kind::Count(1),
            "none",
            "number of copies in place of one body, named `NAME 1`, `NAME 2`, …, on a lattice that fills `within`",
        ),
        optional("within", Kind::Table(&WITHIN), "the whole box", "`{ lower = [0, 0], upper = [1, 0.5] }`"),
        optional(
            "jitter",
            Kind::Within(0.0, 1.0),
            "0.5",
            "random displacement of copies from their sites, as a part of the free room, by `seed`",
        ),
    ],
)
.with_text("Held, steered or free; one or many copies.")
.with_notes(
    "Bodies are refused, with names and numbers, if they overlap, reach into a side, lie outside of the box, weigh \
            nothing or have an open mesh. Copies that do not fit are refused as well.",
);

/// Back and forth.
pub(crate) static OSCILLATION: Table = Table::new(
    "oscillation",
    &[required("amplitude", Kind::Vector, "m"), required("period", Kind::Positive, "seconds")],
);

/// The part of the box that copies fill.
pub(crate) static WITHIN: Table = Table::new(
    "within",
    &[
        optional("lower", Kind::Vector, "that of the box", "corner"),
        optional("upper", Kind::Vector, "that of the box", "corner"),
    ],
);

/// `[output]`.
pub(crate) static OUTPUT: Table = Table::new("output", &[
        output::WIDTH,
        output::PICTURES,
        output::MOVIE,
        output::FPS,
        optional(
            "show",
            Kind::Choice(&["speed", "vorticity", "pressure"]),
            "\"speed\"",
            "the quantity that pictures show: `\"speed\"`, `\"vorticity\"` (across the picture) or `\"pressure\"` (without that of \
             gravity)",
        ),
        optional("scale", Kind::Positive, "by the scene", "the value at the end of the colours"),
        optional(
            "window",
            Kind::Table(&WINDOW),
            "all",
            "the part of the plane in the picture: `{ lower = [-3, -2], upper = [3, 2] }`",
        ),
        optional(
            "view",
            Kind::Choice(&["slice", "bodies", "both"]),
            "both",
            "in space: a `\"slice\"`, the `\"bodies\"`, or `\"both\"` side by side",
        ),
        optional("slice", Kind::Number, "the middle", "where the slice lies along the third axis, in space"),
        optional(
            "bodies",
            Kind::Choice(&["step", "frame"]),
            "by their number",
            "lines of `bodies.csv` after every `\"step\"` (up to 16 bodies) or every `\"frame\"`",
        ),
        optional(
            "particles",
            output::PARTICLE_FORMATS,
            "[]",
            "`\"ply\"`, `\"vtk\"`, `\"vtp\"`, `\"npz\"` or a list of them: centres, velocities and numbers of the bodies, \
             `particles/NNNN.ext`",
        ),
        optional(
            "surface",
            output::SURFACE_FORMATS,
            "[]",
            "`\"ply\"`, `\"obj\"`, `\"glb\"`, `\"vtp\"`, `\"usd\"`: the surface of the bodies as a mesh, \
             `surface/NNNN.ext`, in space only; `usd` with the bodies themselves as `stage.usda`",
        ),
        optional(
            "volume",
            output::VOLUME_FORMATS,
            "[]",
            "`\"vtk\"`, `\"vti\"`: pressure, velocity and the distance to bodies, on equal cells. `\"vdb\"`: see \
             `vdb`, in space only",
        ),
        output::DATA_EVERY,
        output::DATA_FROM,
        output::DATA_UNTIL,
        output::DATA_THIN,
        output::DATA_VDB,
        output::STATES,
        optional(
            "viewer",
            Kind::Bool,
            "unless they would take about a gigabyte",
            "what [`unstick view`](guide-viewer.md) shows beside pictures: fields and bodies, `view/`",
        ),
        output::CHECKPOINT_EVERY,
])
.with_notes("`stats.csv` has per step: time, length, kinetic energy of the bodies, largest speeds of bodies and liquid, \
            largest divergence, iterations, contacts, films, deepest overlap, the seconds of flow, marking, forces \
            and contact, and whether each solve met its tolerance (`viscous_converged`, `pressure_converged`, `contact_converged`, `film_converged`, and `position_converged` for overlaps that are pushed out). `bodies.csv` has per body: place, orientation, velocity, spin, force and torque of the liquid \
            (without buoyancy), force of contacts and films.");

/// The part of the plane that is drawn.
pub(crate) static WINDOW: Table =
    Table::new("window", &[required("lower", Kind::Vector, "corner"), required("upper", Kind::Vector, "corner")]);
