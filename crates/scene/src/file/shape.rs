//! Shapes: `{ sphere = { centre = [0.5, 0.5], radius = 0.4 } }` and their combinations.

use std::path::Path;

use unstick_grid::{MeshError, SignedDistance, TriangleMesh};

use super::error::SceneError;
use super::motion::about;
use super::node::{Fields, Node};
use crate::dimension::of_space;
use crate::schema;

/// Reads a shape; files are relative to `folder`.
pub(crate) fn shape<const D: usize>(node: &Node, folder: &Path) -> Result<SignedDistance<D>, SceneError> {
    let (name, inner) = node.alternative("shape", &schema::SHAPES)?;
    Ok(match name {
        "sphere" => {
            let fields = inner.fields(&schema::SPHERE)?;
            SignedDistance::sphere(fields.need("centre")?.vector()?, fields.need("radius")?.positive()?)
        }
        "cuboid" => cuboid(inner)?,
        "capsule" => {
            let fields = inner.fields(&schema::CAPSULE)?;
            let (from, to) = (fields.need("from")?.vector()?, fields.need("to")?.vector()?);
            SignedDistance::capsule(from, to, fields.need("radius")?.positive()?)
        }
        "half_space" => {
            let fields = inner.fields(&schema::HALF_SPACE)?;
            let normal = fields.need("normal")?;
            let direction: [f64; D] = normal.vector()?;
            if direction.iter().all(|&value| value == 0.0) {
                return Err(normal.refuse("a direction out of the shape, not zero"));
            }
            SignedDistance::half_space(fields.need("point")?.vector()?, direction)
        }
        "union" => SignedDistance::Union(shapes(inner, folder)?),
        "intersection" => SignedDistance::Intersection(shapes(inner, folder)?),
        "complement" => shape(inner, folder)?.complement(),
        "dilate" => {
            let fields = inner.fields(&schema::DILATE)?;
            shape(fields.need("shape")?, folder)?.dilated(fields.need("by")?.number()?)
        }
        "rotate" => rotated(inner, folder)?,
        "move" => {
            let fields = inner.fields(&schema::MOVE)?;
            shape(fields.need("shape")?, folder)?.moved(fields.need("by")?.vector()?)
        }
        _ => mesh(inner, folder)?,
    })
}

fn shapes<const D: usize>(node: &Node, folder: &Path) -> Result<Vec<SignedDistance<D>>, SceneError> {
    let items = node.list("a list of shapes")?;
    if items.is_empty() {
        return Err(node.refuse("at least one shape"));
    }
    items.iter().map(|item| shape(item, folder)).collect()
}

fn cuboid<const D: usize>(node: &Node) -> Result<SignedDistance<D>, SceneError> {
    let fields = node.fields(&schema::CUBOID)?;
    let (lower, upper) = (fields.need("lower")?.vector()?, fields.need("upper")?.vector()?);
    check_corners(node, lower, upper)?;
    Ok(SignedDistance::cuboid(lower, upper))
}

/// Refuses a box without an inside.
pub(super) fn check_corners<const D: usize>(node: &Node, lower: [f64; D], upper: [f64; D]) -> Result<(), SceneError> {
    let Some(axis) = (0..D).find(|&axis| lower[axis] >= upper[axis]) else { return Ok(()) };
    let what = format!("runs from {} to {} along axis {axis}", lower[axis], upper[axis]);
    Err(node.wrong(&what, "expected the lower corner below the upper"))
}

/// Angles are in degrees; in space, `axis` says about what.
fn rotated<const D: usize>(node: &Node, folder: &Path) -> Result<SignedDistance<D>, SceneError> {
    let fields = node.fields(&schema::ROTATE)?;
    let angle = fields.need("angle")?.number()?;
    let axis = match (D, fields.get("axis")) {
        (2, None) => None,
        (2, Some(axis)) => return Err(axis.wrong("in the plane, where there is one axis alone", "not for the plane")),
        _ => Some(fields.need("axis")?),
    };
    let direction = axis.map(|axis| axis.vector::<3>()).transpose()?;
    if let (Some(axis), Some([0.0, 0.0, 0.0])) = (axis, direction) {
        return Err(axis.refuse("a direction, not zero"));
    }
    let mut pivot = [0.0; D];
    fields.read("about", &mut pivot, Node::vector)?;
    let spin = about(direction.unwrap_or([0.0, 0.0, 1.0]), angle.to_radians());
    Ok(shape(fields.need("shape")?, folder)?.rotated(&spin, pivot))
}

fn mesh<const D: usize>(node: &Node, folder: &Path) -> Result<SignedDistance<D>, SceneError> {
    let fields = node.fields(&schema::MESH)?;
    let mut mesh = read_mesh(&fields, folder, |scale| match scale.number() {
        Ok(_) => Ok([scale.positive()?; 3]),
        Err(_) => scale.vector(),
    })?;
    if let Some(by) = fields.get("move") {
        mesh = mesh.moved(by.vector()?).map_err(|error| unusable(by, &error))?;
    }
    of_space(SignedDistance::mesh(&mesh)).ok_or_else(|| {
        let message = "a mesh needs three dimensions, this scene has two";
        SceneError::at(&node.place, message, "expected a shape of the plane")
    })
}

/// Reads the mesh of a table with `file` and `scale`.
pub(super) fn read_mesh(
    fields: &Fields<'_>,
    folder: &Path,
    factors: impl Fn(&Node) -> Result<[f64; 3], SceneError>,
) -> Result<TriangleMesh, SceneError> {
    let (file, mesh) = match fields.get("obj") {
        Some(text) => {
            fields.exclude(&["file"], "beside `obj`, which is a mesh already", "expected one of the two")?;
            (text, TriangleMesh::parse(text.text()?.as_bytes(), "obj", folder))
        }
        None => {
            let file = fields.need("file")?;
            (file, TriangleMesh::read(folder.join(file.text()?)))
        }
    };
    let mesh = mesh.map_err(|error| unusable(file, &error))?;
    match fields.get("scale") {
        Some(scale) => mesh.scaled(factors(scale)?).map_err(|error| unusable(file, &error)),
        None => Ok(mesh),
    }
}

fn unusable(node: &Node, error: &MeshError) -> SceneError {
    let label = "expected a closed OBJ, STL, PLY or glTF mesh";
    SceneError::at(&node.place, format!("the mesh cannot be used: {error}"), label)
}
