//! Shapes of liquid and solids, and those of bodies.

use super::{Alternative, Alternatives, Kind, Table, optional, required};

/// A ball.
pub(crate) static SPHERE: Table = Table::new(
    "sphere",
    &[required("centre", Kind::Vector, "of the ball"), required("radius", Kind::Positive, "of the ball")],
);

/// A box along the axes.
pub(crate) static CUBOID: Table =
    Table::new("cuboid", &[required("lower", Kind::Vector, "corner"), required("upper", Kind::Vector, "corner")]);

/// A segment with a thickness.
pub(crate) static CAPSULE: Table = Table::new(
    "capsule",
    &[
        required("from", Kind::Vector, "one end of the segment"),
        required("to", Kind::Vector, "the other"),
        required("radius", Kind::Positive, "about it"),
    ],
);

/// One side of a plane.
pub(crate) static HALF_SPACE: Table = Table::new(
    "half_space",
    &[required("point", Kind::Vector, "of the plane"), required("normal", Kind::Vector, "out of the shape")],
);

/// A grown or shrunk shape.
pub(crate) static DILATE: Table = Table::new(
    "dilate",
    &[required("shape", Kind::Shape(&SHAPES), "what is grown"), required("by", Kind::Number, "distance")],
);

/// A turned shape.
pub(crate) static ROTATE: Table = Table::new(
    "rotate",
    &[
        required("shape", Kind::Shape(&SHAPES), "what is turned"),
        required("angle", Kind::Number, "degrees"),
        optional("axis", Kind::Vector, "required in space, refused in the plane", "what it turns about"),
        optional("about", Kind::Vector, "the origin", "a point of the axis"),
    ],
);

/// A shape elsewhere.
pub(crate) static MOVE: Table = Table::new(
    "move",
    &[required("shape", Kind::Shape(&SHAPES), "what is moved"), required("by", Kind::Vector, "how far")],
);

/// A mesh from a file.
pub(crate) static MESH: Table = Table::new(
    "mesh",
    &[
        optional("file", Kind::Text, "required without `obj`", "relative to the scene file"),
        optional("obj", Kind::Text, "none", "the text of an OBJ file, in place of `file`"),
        optional("scale", Kind::Either(&[Kind::Positive, Kind::Vector]), "1", "one factor, or one per axis"),
        optional("move", Kind::Vector, "zero", "after scaling"),
    ],
);

/// Shapes of liquid, solids, sources and drains.
pub(crate) static SHAPES: Alternatives = Alternatives {
    name: "shape",
    each: &[
        shape("sphere", Kind::Table(&SPHERE), "a disc in the plane"),
        shape("cuboid", Kind::Table(&CUBOID), ""),
        shape("capsule", Kind::Table(&CAPSULE), "all within a radius of a segment"),
        shape("half_space", Kind::Table(&HALF_SPACE), "`point` of the plane, `normal` out of the shape"),
        shape("union", Kind::ShapeList(&SHAPES), "what any of them covers"),
        shape("intersection", Kind::ShapeList(&SHAPES), "what all of them cover"),
        shape("complement", Kind::Shape(&SHAPES), "what it does not cover"),
        shape("dilate", Kind::Table(&DILATE), "grown by a distance, shrunk by a negative one"),
        shape("rotate", Kind::Table(&ROTATE), "`about` defaults to the origin; `axis` in space only"),
        shape("move", Kind::Table(&MOVE), ""),
        shape(
            "mesh",
            Kind::Table(&MESH),
            "`file` (OBJ, STL, PLY or glTF, relative to the scene file) or `obj` (the text of an OBJ file), `scale` (one factor, or one per axis), `move`; in \
             space only. The mesh must be closed",
        ),
    ],
};

/// A ball about its centre.
pub(crate) static FREE_SPHERE: Table = Table::new("sphere", &[required("radius", Kind::Positive, "of the ball")]);

/// A box about its centre.
pub(crate) static FREE_CUBOID: Table = Table::new("cuboid", &[required("size", Kind::Vector, "lengths of the edges")]);

/// An upright capsule about its centre.
pub(crate) static FREE_CAPSULE: Table = Table::new(
    "capsule",
    &[required("length", Kind::Positive, "without the ends"), required("radius", Kind::Positive, "of the ends")],
);

/// A duck.
pub(crate) static FREE_DUCK: Table = Table::new("duck", &[required("length", Kind::Positive, "from beak to tail")]);

/// A closed mesh about its centre of mass.
pub(crate) static FREE_MESH: Table = Table::new(
    "mesh",
    &[
        optional("file", Kind::Text, "required without `obj`", "relative to the scene file"),
        optional("obj", Kind::Text, "none", "the text of an OBJ file, in place of `file`"),
        optional("scale", Kind::Positive, "1", "one factor"),
    ],
);

/// Shapes of bodies.
pub(crate) static BODY_SHAPES: Alternatives = Alternatives {
    name: "body_shape",
    each: &[
        shape("sphere", Kind::Table(&FREE_SPHERE), "a disc in the plane"),
        shape("cuboid", Kind::Table(&FREE_CUBOID), "lengths of the edges"),
        shape("capsule", Kind::Table(&FREE_CAPSULE), "upright; `length` without the ends"),
        shape("mesh", Kind::Table(&FREE_MESH), "a closed OBJ, STL, PLY or glTF; in space only"),
        shape("duck", Kind::Table(&FREE_DUCK), "in space only"),
    ],
};

const fn shape(name: &'static str, kind: Kind, text: &'static str) -> Alternative {
    Alternative { name, kind, text }
}
