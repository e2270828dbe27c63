//! What belongs to the scene as a whole.

use super::{BODY, CONTACT, DRAIN, LIQUID, OUTPUT, PRESSURE, SOLID, SOURCE, TRANSPORT, VOLUME};
use super::{Key, Kind, Table, inner, optional, required};

pub(super) const WALL: &[&str] = &["separating", "sealed"];

/// An entry of a table of gravity.
pub(crate) static GRAVITY: Table = inner(
    "gravity",
    &[required("time", Kind::Number, "seconds"), required("value", Kind::Vector, "acceleration then, m/s²")],
);

/// The whole file.
pub(crate) static ROOT: Table = Table {
    name: "",
    many: false,
    text: "",
    keys: &[
        optional("title", Kind::Text, "name of the file", "for people"),
        optional("description", Kind::Text, "none", "one line on what happens"),
        optional(
            "gravity",
            Kind::Either(&[Kind::Vector, Kind::Tables(&GRAVITY)]),
            "9.81 downwards",
            "acceleration of everything, or a table of it: `[{ time = 0, value = [0, -9.81] }, { time = 1, value = [3, \
             -9.81] }]`, linear in between",
        ),
        optional("density", Kind::Positive, "1000", "kg/m³; only pressures and energies depend on it"),
        optional("seed", Kind::Count(0), "0", "of the places of particles that are added"),
        table("grid", Kind::Table(&GRID)),
        table("time", Kind::Table(&TIME)),
        table("walls", Kind::Table(&WALLS)),
        table("liquid", Kind::Tables(&LIQUID)),
        table("solid", Kind::Tables(&SOLID)),
        table("source", Kind::Tables(&SOURCE)),
        table("drain", Kind::Tables(&DRAIN)),
        table("body", Kind::Tables(&BODY)),
        table("contact", Kind::Table(&CONTACT)),
        table("transport", Kind::Table(&TRANSPORT)),
        table("pressure", Kind::Table(&PRESSURE)),
        table("volume", Kind::Table(&VOLUME)),
        table("output", Kind::Table(&OUTPUT)),
    ],
    notes: "",
};

/// A table that has a heading of its own.
const fn table(name: &'static str, kind: Kind) -> Key {
    Key { name, kind, default: "", text: "" }
}

/// `[grid]`.
pub(crate) static GRID: Table = Table {
    name: "grid",
    many: false,
    text: "",
    keys: &[
        required("cells", Kind::Counts, "cells along each axis"),
        optional("size", Kind::Positive, "1", "length of the longest side of the domain"),
        optional("spacing", Kind::Positive, "size / most cells", "edge length of a cell, in place of `size`"),
        optional("origin", Kind::Vector, "zero", "lower corner of the domain"),
    ],
    notes: "The border of the domain is a wall.",
};

/// `[time]`.
pub(crate) static TIME: Table = Table {
    name: "time",
    many: false,
    text: "",
    keys: &[
        optional("frame", Kind::Positive, "0.01", "seconds from frame to frame"),
        optional("frames", Kind::Count(1), "100", "frames after the first; `--frames` sets it too"),
        optional("max_step", Kind::Positive, "0.01", "longest step"),
        optional("cfl", Kind::Within(0.0, 10.0), "1", "cells that the fastest particle may cross in a step"),
    ],
    notes: "",
};

/// `[walls]`.
pub(crate) static WALLS: Table = Table {
    name: "walls",
    many: false,
    text: "",
    keys: &[
        optional(
            "border",
            Kind::Choice(WALL),
            "\"separating\"",
            "what the border does: `\"separating\"` lets go of liquid, `\"sealed\"` holds on to it",
        ),
        optional("solids", Kind::Choice(WALL), "\"separating\"", "what solids do that do not say it themselves"),
        optional(
            "control",
            Kind::Number,
            "0",
            "κ: the least speed (m/s) at which liquid leaves separating walls [Andersen2017b eq. 48]",
        ),
    ],
    notes: "",
};
