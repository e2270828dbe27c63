//! Scenes with a `[flow]`: a box full of viscous liquid.

use super::shapes::BODY_SHAPES;
use super::things::MOTION;
use super::{CONTACT, Key, Kind, Table, inner, optional, required};

/// The whole file.
pub(crate) static ROOT: Table = Table {
    name: "",
    many: false,
    text: "",
    keys: &[
        optional("title", Kind::Text, "name of the file", "for people"),
        optional("description", Kind::Text, "none", "one line on what happens"),
        optional("gravity", Kind::Vector, "9.81 downwards", "acts on the excess mass of bodies over the liquid"),
        optional("density", Kind::Positive, "1000", "of the liquid, kg/m³"),
        optional("seed", Kind::Count(0), "0", "of the random places of copies"),
        table("grid", Kind::Table(&GRID)),
        table("time", Kind::Table(&TIME)),
        table("flow", Kind::Table(&FLOW)),
        table("body", Kind::Tables(&BODY)),
        table("contact", Kind::Table(&CONTACT)),
        table("output", Kind::Table(&OUTPUT)),
    ],
    notes: "",
};

const fn table(name: &'static str, kind: Kind) -> Key {
    Key { name, kind, default: "", text: "" }
}

/// `[flow]`.
pub(crate) static FLOW: Table = Table {
    name: "flow",
    many: false,
    text: "",
    keys: &[
        optional(
            "viscosity",
            Kind::Either(&[Kind::Positive, Kind::Table(&LAW)]),
            "it or `dynamic_viscosity`",
            "kinematic, m²/s: a number, `{ power_law = { consistency = 0.01, exponent = 0.5, bounds = [1e-4, 1.0] } }` \
             (between the bounds ν = consistency γ^(exponent − 1), γ the rate of shear) or `{ carreau = { at_rest = 0.1, \
             sheared = 0.001, relaxation = 1.0, exponent = 0.4 } }`",
        ),
        optional("dynamic_viscosity", Kind::Positive, "it or `viscosity`", "Pa·s"),
        optional("force", Kind::Vector, "zero", "a force per mass on the liquid everywhere, m/s²"),
        optional(
            "lubrication",
            Kind::Truth,
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
    ],
    notes: include_str!("sides.md"),
};

/// Laws of viscosity.
pub(crate) static LAW: Table = inner(
    "viscosity",
    &[
        optional("power_law", Kind::Table(&POWER_LAW), "none", "one of them"),
        optional("carreau", Kind::Table(&CARREAU), "none", "one of them"),
    ],
);

/// ν = consistency γ^(exponent − 1).
pub(crate) static POWER_LAW: Table = inner(
    "power_law",
    &[
        required("consistency", Kind::Positive, "viscosity at a rate of shear of 1/s"),
        required("exponent", Kind::Positive, "below 1: thinner where sheared"),
        required("bounds", Kind::Numbers, "least and largest viscosity"),
    ],
);

/// Carreau's law.
pub(crate) static CARREAU: Table = inner(
    "carreau",
    &[
        required("at_rest", Kind::Positive, "viscosity"),
        required("sheared", Kind::Within(0.0, f64::MAX), "viscosity under strong shear"),
        required("relaxation", Kind::Positive, "seconds"),
        required("exponent", Kind::Positive, "of the law in between"),
    ],
);

const SIDE: Kind =
    Kind::Either(&[Kind::Choice(&["no-slip", "free-slip", "outflow", "periodic"]), Kind::Table(&MOVING)]);

const fn side(name: &'static str) -> Key {
    optional(name, SIDE, "\"no-slip\"", "what happens there")
}

/// `[flow.sides]`.
pub(crate) static SIDES: Table =
    inner("flow.sides", &[side("left"), side("right"), side("bottom"), side("top"), side("back"), side("front")]);

/// A side that says more than a name.
pub(crate) static MOVING: Table = inner(
    "side",
    &[
        optional("lid", Kind::Vector, "none", "velocity of a wall along itself"),
        optional("inflow", Kind::Table(&INFLOW), "none", "liquid that enters"),
    ],
);

/// How liquid enters.
pub(crate) static INFLOW: Table = inner(
    "inflow",
    &[
        required("speed", Kind::Number, "m/s"),
        optional("profile", Kind::Choice(&["uniform", "parabolic"]), "\"uniform\"", "across the side"),
        optional("ramp", Kind::Positive, "none", "seconds in which it rises to its speed"),
        optional("half_sine", Kind::Positive, "none", "seconds in which it rises and falls"),
    ],
);

/// Where the solves around bodies stop.
pub(crate) static SOLVE: Table = inner(
    "solve",
    &[
        optional("viscous_tolerance", Kind::Within(0.0, 1.0), "1e-6", "of the viscous step"),
        optional("pressure_tolerance", Kind::Within(0.0, 1.0), "1e-4", "of the projection"),
        optional("max_iterations", Kind::Count(1), "500", "at most"),
    ],
);

/// `[grid]`.
pub(crate) static GRID: Table = Table {
    name: "grid",
    many: false,
    text: "`cells`, `size`, `spacing`, `origin` as above, or one table per axis, and `refine`.",
    keys: &[
        optional("cells", Kind::Counts, "it or `axes`", "cells along each axis"),
        optional("size", Kind::Positive, "1", "length of the longest side of the box"),
        optional("spacing", Kind::Positive, "size / most cells", "edge length of a cell, in place of `size`"),
        optional("origin", Kind::Vector, "zero", "lower corner of the box"),
        optional("axes", Kind::Tables(&AXIS), "it or `cells`", "one table per axis, see below"),
        optional("refine", Kind::Within(0.01, 100.0), "1", "divides the sizes of all cells"),
    ],
    notes: include_str!("axes.md"),
};

/// One axis of its own.
pub(crate) static AXIS: Table = inner(
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
pub(crate) static TIME: Table = Table {
    name: "time",
    many: false,
    text: "",
    keys: &[
        optional("frame", Kind::Positive, "0.01", "seconds from frame to frame"),
        optional("frames", Kind::Count(1), "100", "frames after the first; `--frames` sets it too"),
        optional("max_step", Kind::Positive, "a frame", "longest step"),
        optional("cfl", Kind::Within(0.0, 2.0), "0.5", "cells that liquid and bodies may cross in a step"),
    ],
    notes: "",
};

/// `[[body]]`.
pub(crate) static BODY: Table = Table {
    name: "body",
    many: true,
    text: "Held, steered or free; one or many copies.",
    keys: &[
        optional("name", Kind::Text, "`body N`", "in `bodies.csv` and in refusals; no two alike"),
        required(
            "shape",
            Kind::Shape(&BODY_SHAPES),
            "about its centre of mass: see [shapes of bodies](#shapes-of-bodies)",
        ),
        optional("density", Kind::Positive, "it or `mass`", "kg/m³ (kg/m² in the plane)"),
        optional("mass", Kind::Positive, "it or `density`", "kg in all"),
        optional("centre", Kind::Vector, "required", "centre of mass; without it a mesh lies where its file says"),
        optional("turn", Kind::Turn, "none", "orientation in degrees"),
        optional("velocity", Kind::Vector, "zero", "of the centre of mass, m/s"),
        optional("spin", Kind::Turn, "zero", "degrees per second"),
        optional("restitution", Kind::Within(0.0, 1.0), "0", "part of the approach velocity that comes back"),
        optional("friction", Kind::Within(0.0, 1e6), "0", "Coulomb's coefficient"),
        optional("held_until", Kind::Within(0.0, 1e9), "0", "seconds during which it is held in its place"),
        optional("held", Kind::Truth, "false", "it never moves; it may reach into walls"),
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
    notes: "Bodies are refused, with names and numbers, if they overlap, reach into a side, lie outside of the box, weigh \
            nothing or have an open mesh. Copies that do not fit are refused as well.",
};

/// Back and forth.
pub(crate) static OSCILLATION: Table =
    inner("oscillation", &[required("amplitude", Kind::Vector, "m"), required("period", Kind::Positive, "seconds")]);

/// The part of the box that copies fill.
pub(crate) static WITHIN: Table = inner(
    "within",
    &[
        optional("lower", Kind::Vector, "that of the box", "corner"),
        optional("upper", Kind::Vector, "that of the box", "corner"),
    ],
);

/// `[output]`.
pub(crate) static OUTPUT: Table = Table {
    name: "output",
    many: false,
    text: "",
    keys: &[
        optional("width", Kind::Count(64), "480", "width of pictures in pixels"),
        optional("frames", Kind::Truth, "true", "pictures, `frames/NNNN.png`"),
        optional("movie", Kind::Truth, "true", "`movie.png`, and `movie.mp4` where `ffmpeg` is at hand"),
        optional("fps", Kind::Within(0.1, 1000.0), "30", "frames of the movie per second"),
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
        optional("checkpoint_every", Kind::Count(0), "10", "a checkpoint every so many frames"),
    ],
    notes: "`stats.csv` has per step: time, length, kinetic energy of the bodies, largest speeds of bodies and liquid, \
            largest divergence, iterations, contacts, films, deepest overlap, and the seconds of flow, marking, forces \
            and contact. `bodies.csv` has per body: place, orientation, velocity, spin, force and torque of the liquid \
            (without buoyancy), force of contacts and films.",
};

/// The part of the plane that is drawn.
pub(crate) static WINDOW: Table =
    inner("window", &[required("lower", Kind::Vector, "corner"), required("upper", Kind::Vector, "corner")]);
