//! What belongs to the scene as a whole.

use super::viscous::LAW;
use super::{BODY, CONTACT, DRAIN, LIQUID, OUTPUT, PRESSURE, SOLID, SOURCE, TRANSPORT, VENT, VOLUME};
use super::{Key, Kind, Table, heading, optional, required};

pub(super) const WALL: &[&str] = &["separating", "sealed"];

/// What walls do to liquid that slides along them.
pub(super) const DRAGS: Kind = Kind::Either(&[Kind::Choice(&["none", "no-slip"]), Kind::Table(&DRAG)]);

/// A drag with its number.
pub(crate) static DRAG: Table = Table::new(
    "drag",
    &[
        optional("slip_length", VARYING, "none", "metres; one of them"),
        optional("friction", VARYING, "none", "Coulomb's coefficient; one of them"),
    ],
);

/// Keys that every physics has.
pub(super) const TITLE: Key = optional("title", Kind::Text, "name of the file", "for people");
pub(super) const DESCRIPTION: Key = optional("description", Kind::Text, "none", "one line on what happens");
pub(super) const SIZE: Key = optional("size", Kind::Positive, "1", "length of the longest side of the domain");
pub(super) const SPACING: Key =
    optional("spacing", Kind::Positive, "size / most cells", "edge length of a cell, in place of `size`");
pub(super) const ORIGIN: Key = optional("origin", Kind::Vector, "zero", "lower corner of the domain");
pub(super) const FRAME: Key = optional("frame", Kind::Positive, "0.01", "seconds from frame to frame");
pub(super) const FRAMES: Key =
    optional("frames", Kind::Count(1), "100", "frames after the first; `--frames` sets it too");

/// An entry of a table of gravity.
pub(crate) static GRAVITY: Table = Table::new(
    "gravity",
    &[required("time", Kind::Number, "seconds"), required("value", Kind::Vector, "acceleration then, m/s²")],
);

/// The whole file.
pub(crate) static ROOT: Table = Table::new(
    "",
    &[
        TITLE,
        DESCRIPTION,
        optional(
            "gravity",
            Kind::Either(&[Kind::Vector, Kind::Tables(&GRAVITY)]),
            "9.81 downwards",
            "acceleration of everything, or a table of it: `[{ time = 0, value = [0, -9.81] }, { time = 1, value = [3, \
             -9.81] }]`, linear in between",
        ),
        optional("density", Kind::Positive, "1000", "kg/m³; pressures, energies and what tension does depend on it"),
        optional(
            "air",
            Kind::Choice(&["open", "enclosed"]),
            "\"open\"",
            "`\"open\"`: all air has the same pressure, and liquid falls into every hollow; `\"enclosed\"`: bubbles keep their \
             volume, each with a pressure of its own",
        ),
        optional("tension", Kind::Within(0.0, 1e6), "0", "γ, surface tension in N/m; water in air has 0.072"),
        optional(
            "viscosity",
            Kind::Either(&[Kind::Within(0.0, 1e9), Kind::Table(&LAW)]),
            "0",
            "kinematic, m²/s: water 1e-6, oil 1e-4, honey 5e-3; or a law as in [`[flow]`](#flow), such as `{ yield = { stress = \
             50, consistency = 0.01, at_rest = 10 } }` for mud",
        ),
        optional(
            "viscosity_tolerance",
            Kind::Within(0.0, 1.0),
            "1e-4",
            "error of the viscous solve, relative to the largest change that it makes to the velocity",
        ),
        optional("seed", Kind::Count(0), "0", "of the places of particles that are added"),
        heading("grid", Kind::Table(&GRID)),
        heading("time", Kind::Table(&TIME)),
        heading("walls", Kind::Table(&WALLS)),
        heading("liquid", Kind::Tables(&LIQUID)),
        heading("solid", Kind::Tables(&SOLID)),
        heading("source", Kind::Tables(&SOURCE)),
        heading("drain", Kind::Tables(&DRAIN)),
        heading("vent", Kind::Tables(&VENT)),
        heading("body", Kind::Tables(&BODY)),
        heading("contact", Kind::Table(&CONTACT)),
        heading("transport", Kind::Table(&TRANSPORT)),
        heading("pressure", Kind::Table(&PRESSURE)),
        heading("volume", Kind::Table(&VOLUME)),
        heading("output", Kind::Table(&OUTPUT)),
    ],
);

/// `[grid]`.
pub(crate) static GRID: Table =
    Table::new("grid", &[required("cells", Kind::Counts, "cells along each axis"), SIZE, SPACING, ORIGIN])
        .with_notes("The border of the domain is a wall.");

/// `[time]`.
pub(crate) static TIME: Table = Table::new(
    "time",
    &[
        FRAME,
        FRAMES,
        optional("max_step", Kind::Positive, "0.01", "longest step"),
        optional("cfl", Kind::Within(0.0, 10.0), "1", "cells that the fastest particle may cross in a step"),
    ],
);

/// A value at a time.
pub(crate) static MOMENT: Table = Table::new(
    "moment",
    &[required("time", Kind::Number, "seconds"), required("value", Kind::Number, "then; linear in between")],
);

/// A picture over a plane of the domain.
pub(crate) static IMAGE: Table = Table::new(
    "image",
    &[
        required("image", Kind::Text, "a PNG file; its brightness is stretched over the domain"),
        optional("black", Kind::Number, "0", "value where it is black or transparent"),
        optional("white", Kind::Number, "1", "value where it is white"),
        optional("plane", Kind::Choice(&["xy", "xz", "yz"]), "\"xy\"", "across and up, in space"),
    ],
);

/// A number that may depend on place and time.
pub(super) const VARYING: Kind = Kind::Either(&[Kind::Number, Kind::Text, Kind::Tables(&MOMENT), Kind::Table(&IMAGE)]);

/// `[walls]`.
pub(crate) static WALLS: Table = Table::new(
    "walls",
    &[
        optional(
            "border",
            Kind::Choice(WALL),
            "\"separating\"",
            "what the border does: `\"separating\"` lets go of liquid, `\"sealed\"` holds on to it",
        ),
        optional("solids", Kind::Choice(WALL), "\"separating\"", "what solids do that do not say it themselves"),
        optional(
            "adhesion",
            VARYING,
            "0",
            "σ (Pa): how hard separating walls pull at liquid that touches them before they let go; solids and bodies \
             may say it themselves. A layer of depth d hangs from a ceiling where σ > ρ g d",
        ),
        optional(
            "contact_angle",
            Kind::Within(0.0, 180.0),
            "90",
            "degrees, measured in the liquid, at which its surface meets walls where there is `tension`; solids may say it \
             themselves. Less than 90: liquid spreads, more: it draws back. 0 and 180 themselves are no angles",
        ),
        optional(
            "border_drag",
            DRAGS,
            "\"none\"",
            "what the border does to liquid that slides along it: `\"none\"` lets it slip, `\"no-slip\"` holds it, `{ \
             slip_length = 0.01 }` holds it as far behind the wall (m), `{ friction = 0.3 }` brakes by up to this part of the \
             pressure",
        ),
        optional("solids_drag", DRAGS, "\"none\"", "the same for solids that do not say it themselves"),
        optional(
            "control",
            VARYING,
            "0",
            "κ: the least speed (m/s) at which liquid leaves separating walls [Andersen2017b eq. 48]",
        ),
    ],
)
.with_notes(concat!(include_str!("walls.md"), "\n", include_str!("drag.md")));
