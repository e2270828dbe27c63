//! What there is in a scene: liquid, solids, sources, bodies.

use super::root::{DRAGS, VARYING, WALL};
use super::shapes::{BODY_SHAPES, SHAPES};
use super::{Key, Kind, Table, optional, required};

const SHAPE: Key = required("shape", Kind::Shape(&SHAPES), "see [shapes](#shapes)");

/// `[[liquid]]`.
pub(crate) static LIQUID: Table =
    Table::many("liquid", &[SHAPE, optional("velocity", Kind::Vector, "zero", "at the start, m/s")]).with_text(
        "Parts that lie in solids are left out. Several are allowed; where they overlap, the first one fills.",
    );

/// A keyframe of a motion.
pub(crate) static KEYFRAME: Table = Table::new(
    "keyframe",
    &[
        required("time", Kind::Number, "seconds"),
        optional("move", Kind::Vector, "zero", "away from the place in the scene"),
        optional("turn", Kind::Turn, "none", "degrees"),
    ],
);

/// How a solid moves.
pub(crate) static MOTION: Table = Table::new(
    "motion",
    &[
        optional("velocity", Kind::Vector, "zero", "steady, m/s"),
        optional("spin", Kind::Turn, "none", "steady, degrees per second"),
        optional("about", Kind::Vector, "the origin", "centre of the rotation"),
        optional(
            "keyframes",
            Kind::Either(&[Kind::Text, Kind::Tables(&KEYFRAME)]),
            "none",
            "in place of a steady motion: a list, or the name of a table in a file",
        ),
        optional("interpolation", Kind::Choice(&["linear", "smooth"]), "\"linear\"", "between keyframes"),
    ],
);

const PULL: &str = "σ (Pa): how hard a separating wall pulls at liquid before it lets go";

/// `[[solid]]`.
pub(crate) static SOLID: Table = Table::many(
    "solid",
    &[
        SHAPE,
        optional("wall", Kind::Choice(WALL), "`walls.solids`", "`\"separating\"` or `\"sealed\"`"),
        optional("adhesion", VARYING, "`walls.adhesion`", PULL),
        optional(
            "contact_angle",
            Kind::Within(0.0, 180.0),
            "`walls.contact_angle`",
            "degrees, see [`[walls]`](#walls)",
        ),
        optional("control", VARYING, "`walls.control`", "κ (m/s) of this solid"),
        optional("drag", DRAGS, "`walls.solids_drag`", "see [`[walls]`](#walls)"),
        optional("motion", Kind::Table(&MOTION), "at rest", "`velocity`, `spin`, `about`, or `about`, `keyframes`"),
    ],
)
.with_text(
    "Containers are the complement of their inside: `shape = { complement = { sphere = { centre = [0.5, 0.5], \
           radius = 0.4 } } }`.",
)
.with_notes(include_str!("motion.md"));

const START: Key = optional("start", Kind::Number, "0", "seconds");
const END: Key = optional("end", Kind::Number, "never", "seconds");

/// `[[source]]`.
pub(crate) static SOURCE: Table =
    Table::many("source", &[SHAPE, required("velocity", Kind::Vector, "with which it enters, m/s"), START, END])
        .with_text("Where liquid enters.");

/// `[[drain]]`.
pub(crate) static DRAIN: Table = Table::many("drain", &[SHAPE, START, END]).with_text("Where liquid leaves.");

/// `[[vent]]`.
pub(crate) static VENT: Table = Table::many("vent", &[SHAPE])
    .with_text("Where outer air comes in, with `air = \"enclosed\"`.")
    .with_notes(
        "Air that reaches a vent is outer air, of pressure zero. A bubble that reaches it is no bubble any more. In a closed \
         space without a vent the air that reaches highest at the start is the outer air, and what follows from it. Where a jet \
         parts the air of a scene in the plane, vents say that both sides are outer air.",
    );

/// What bodies of every physics have.
pub(super) const NAME: Key = optional("name", Kind::Text, "`body N`", "in `bodies.csv` and in refusals; no two alike");
pub(super) const BODY_SHAPE: Key =
    required("shape", Kind::Shape(&BODY_SHAPES), "about its centre of mass: see [shapes of bodies](#shapes-of-bodies)");
pub(super) const DENSITY: Key = optional("density", Kind::Positive, "it or `mass`", "kg/m³ (kg/m² in the plane)");
pub(super) const MASS: Key = optional("mass", Kind::Positive, "it or `density`", "kg in all");
pub(super) const CENTRE: Key =
    optional("centre", Kind::Vector, "required", "centre of mass; without it a mesh lies where its file says");
pub(super) const TURN: Key =
    optional("turn", Kind::Turn, "none", "orientation in degrees: a number in the plane, axis times angle in space");
pub(super) const VELOCITY: Key = optional("velocity", Kind::Vector, "zero", "of the centre of mass, m/s");
pub(super) const SPIN: Key = optional("spin", Kind::Turn, "zero", "degrees per second");
pub(super) const RESTITUTION: Key = optional(
    "restitution",
    Kind::Within(0.0, 1.0),
    "0",
    "part of the approach velocity that comes back, 0 to 1; the larger of two bodies counts",
);
pub(super) const FRICTION: Key =
    optional("friction", Kind::Within(0.0, 1e6), "0", "Coulomb's coefficient; between two bodies the geometric mean");
pub(super) const HELD_UNTIL: Key =
    optional("held_until", Kind::Within(0.0, 1e9), "0", "seconds during which it is held in its place");

/// `[[body]]`.
pub(crate) static BODY: Table = Table::many("body", &[
        NAME,
        BODY_SHAPE,
        DENSITY,
        MASS,
        CENTRE,
        TURN,
        VELOCITY,
        SPIN,
        optional("surface", Kind::Choice(WALL), "`walls.solids`", "`\"separating\"` or `\"sealed\"`"),
        optional("adhesion", Kind::Within(0.0, f64::MAX), "`walls.adhesion`, if that is a number", PULL),
        RESTITUTION,
        FRICTION,
        HELD_UNTIL,
])
.with_text("Rigid bodies that the liquid moves and that move the liquid. They float, sink, collide and rest.")
.with_notes("A body that overlaps another, reaches into a wall, weighs nothing or has an open mesh is refused, with names \
            and numbers. The pressure solver must be one of the complementarity problem; splittings know no bodies, and \
            `psor`, `fas` and `fmg`, which read matrix entries, refuse them too. Such a problem cannot be captured as a \
            sparse matrix.\n\nPaths and forces go to `bodies.csv`: per step and body the centre, the orientation (an \
            angle, or a rotation matrix by rows), velocity, spin, mean force and torque of the liquid, mean force of \
            contacts, number of contacts and deepest overlap.\n\nBodies are felt down to about a cell. Liquid between \
            bodies closer than that is not resolved.");
