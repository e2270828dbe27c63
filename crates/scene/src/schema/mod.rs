//! Every key of a scene file as data: what the reader accepts, what the reference and editors show.
//!
//! The reader takes the names it accepts from here, so a key that works is a key that is documented.
//!
//! ```
//! use unstick_scene::schema;
//!
//! let grid = schema::TABLES.iter().find(|table| table.name == "grid").unwrap();
//! assert_eq!(grid.keys[0].name, "cells");
//! assert!(schema::markdown().contains("| `cells` | required | cells along each axis |"));
//! ```

mod json;
mod markdown;
mod methods;
mod output;
mod root;
mod shapes;
mod things;
pub(crate) mod viscous;

pub use json::json;
pub use markdown::markdown;

pub(crate) use methods::{CONTACT, PRESSURE, SPLITTING, TRANSPORT, VOLUME};
pub(crate) use output::{OUTPUT, REQUEST, SCHEDULE, THINNED, VDB};
pub(crate) use root::{DRAG, GRAVITY, GRID, IMAGE, MOMENT, ROOT, TIME, WALLS};
pub(crate) use shapes::{
    BODY_SHAPES, CAPSULE, CUBOID, DILATE, FREE_CAPSULE, FREE_CUBOID, FREE_DUCK, FREE_MESH, FREE_SPHERE, HALF_SPACE,
    MESH, MOVE, ROTATE, SHAPES, SPHERE,
};
pub(crate) use things::{BODY, DRAIN, KEYFRAME, LIQUID, MOTION, SOLID, SOURCE, VENT};

/// A table of a scene file.
#[derive(Debug)]
pub struct Table {
    /// Path of it: `pressure.splitting`; empty for the whole file.
    pub name: &'static str,
    /// How many there may be.
    pub many: bool,
    /// What it says, in Markdown.
    pub text: &'static str,
    /// Its keys, in the order of the reference.
    pub keys: &'static [Key],
    /// What is to be said after the keys, in Markdown.
    pub notes: &'static str,
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// How it is written.
    pub name: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// What holds without it, as TOML where a value stands for it, in words elsewhere; empty if it cannot be left out.
    pub default: &'static str,
    /// What it is, in Markdown.
    pub text: &'static str,
}

/// What values a key takes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Bool,
    /// Any number.
    Number,
    /// A number above zero.
    Positive,
    /// A number from the first to the second.
    Within(f64, f64),
    /// A whole number, so large at least.
    Count(usize),
    /// A number for each axis.
    Vector,
    /// Whole numbers, one for each axis.
    Counts,
    /// Numbers, as many as the text says.
    Numbers,
    /// An angle in the plane, axis times angle in space.
    Turn,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// One of these names, or a list of them.
    Choices(&'static [&'static str]),
    /// One of these names, a table with a schedule, or a list of both.
    Formats(&'static [&'static str], &'static Table),
    /// One of these shapes, `{ name = … }`.
    Shape(&'static Alternatives),
    /// A list of shapes.
    ShapeList(&'static Alternatives),
    /// A table.
    Table(&'static Table),
    /// A list of tables.
    Tables(&'static Table),
    /// Either of these.
    Either(&'static [Kind]),
}

/// Tables with one name in them: `{ sphere = { … } }`.
#[derive(Debug)]
pub struct Alternatives {
    /// What they are, in one word.
    pub name: &'static str,
    /// Each with what it takes and what it is.
    pub each: &'static [Alternative],
}

/// One of several.
#[derive(Debug)]
pub struct Alternative {
    /// How it is written.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What it is, in Markdown.
    pub text: &'static str,
}

impl Table {
    /// A table that may stand once.
    const fn new(name: &'static str, keys: &'static [Key]) -> Self {
        Self { name, many: false, text: "", keys, notes: "" }
    }

    /// A table that may stand often.
    const fn many(name: &'static str, keys: &'static [Key]) -> Self {
        Self { many: true, ..Self::new(name, keys) }
    }

    const fn with_text(self, text: &'static str) -> Self {
        Self { text, ..self }
    }

    const fn with_notes(self, notes: &'static str) -> Self {
        Self { notes, ..self }
    }

    /// The names of its keys.
    pub fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }
}

impl Alternatives {
    /// Their names.
    pub fn names(&self) -> Vec<&'static str> {
        self.each.iter().map(|each| each.name).collect()
    }
}

/// A key that must be there.
const fn required(name: &'static str, kind: Kind, text: &'static str) -> Key {
    Key { name, kind, default: "", text }
}

/// A table that has a heading of its own.
const fn heading(name: &'static str, kind: Kind) -> Key {
    Key { name, kind, default: "", text: "" }
}

/// A key that may be left out.
const fn optional(name: &'static str, kind: Kind, default: &'static str, text: &'static str) -> Key {
    Key { name, kind, default, text }
}

/// The tables of scenes with a `[flow]`, in the order of the reference.
pub const VISCOUS_TABLES: &[&Table] =
    &[&viscous::ROOT, &viscous::FLOW, &viscous::GRID, &viscous::TIME, &viscous::BODY, &viscous::OUTPUT];

/// The tables with headings of their own, in the order of the reference.
pub const TABLES: &[&Table] = &[
    &ROOT, &GRID, &TIME, &WALLS, &LIQUID, &SOLID, &SOURCE, &DRAIN, &VENT, &BODY, &CONTACT, &TRANSPORT, &PRESSURE,
    &SPLITTING, &VOLUME, &OUTPUT,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SceneError, SceneFile};

    const SMALLEST: &str =
        "[grid]\ncells = [8, 8]\n[[liquid]]\nshape = { cuboid = { lower = [0, 0], upper = [1, 1] } }\n";
    const SMALLEST_FLOW: &str = "[grid]\ncells = [8, 8]\n[flow]\nviscosity = 0.1\n";

    fn parse(text: &str) -> SceneFile {
        SceneFile::parse("smallest", "smallest.toml", text, std::path::Path::new(".")).unwrap()
    }

    /// A scene as text, without the places of what was set.
    fn shown(file: &SceneFile) -> Result<String, SceneError> {
        let text = match file.is_viscous() {
            true => format!("{:?}", file.viscous_scene()?),
            false => format!("{:?}", file.scene()?),
        };
        Ok(without_places(text))
    }

    #[test]
    fn a_default_written_out_changes_nothing() {
        let mut tried = 0;
        for (tables, smallest) in [(TABLES, SMALLEST), (VISCOUS_TABLES, SMALLEST_FLOW)] {
            let plain = shown(&parse(smallest)).unwrap();
            for table in tables.iter().filter(|table| !table.many && table.name != "pressure.splitting") {
                for key in table.keys.iter().filter(|key| is_value(key.default)) {
                    let dot = if table.name.is_empty() { "" } else { "." };
                    let line = format!("{}{dot}{}={}", table.name, key.name, key.default);
                    let mut file = parse(smallest);
                    file.set(&line).unwrap();
                    let with = shown(&file).unwrap_or_else(|error| panic!("{line}: {error}"));
                    assert!(with == plain, "{line} is not the default:\n{with}\n{plain}");
                    tried += 1;
                }
            }
        }
        assert!(tried > 40, "{tried}");
    }

    /// Others are words.
    fn is_value(default: &str) -> bool {
        toml::from_str::<toml::Table>(&format!("x = {default}")).is_ok()
    }

    fn without_places(mut text: String) -> String {
        while let Some(start) = text.find("Some(--set:") {
            let end = text[start..].find(')').expect("braces match");
            text.replace_range(start..=start + end, "None");
        }
        text
    }
}
