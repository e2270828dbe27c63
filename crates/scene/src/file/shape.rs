//! Shapes: `{ sphere = { centre = [0.5, 0.5], radius = 0.4 } }` and their combinations.

use std::path::Path;

use unstick_grid::{SignedDistance, TriangleMesh};

use super::error::SceneError;
use super::node::Node;
use crate::dimension::{Dim, Dimension};
use crate::schema;

/// Reads a shape; files are relative to `folder`.
pub(crate) fn shape<const D: usize>(node: &Node, folder: &Path) -> Result<SignedDistance<D>, SceneError>
where
    Dim<D>: Dimension<D>,
{
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

fn shapes<const D: usize>(node: &Node, folder: &Path) -> Result<Vec<SignedDistance<D>>, SceneError>
where
    Dim<D>: Dimension<D>,
{
    let items = node.list("a list of shapes")?;
    if items.is_empty() {
        return Err(node.refuse("at least one shape"));
    }
    items.iter().map(|item| shape(item, folder)).collect()
}

fn cuboid<const D: usize>(node: &Node) -> Result<SignedDistance<D>, SceneError> {
    let fields = node.fields(&schema::CUBOID)?;
    let (lower, upper) = (fields.need("lower")?.vector::<D>()?, fields.need("upper")?.vector::<D>()?);
    match (0..D).find(|&axis| lower[axis] >= upper[axis]) {
        Some(axis) => {
            let (low, high) = (lower[axis], upper[axis]);
            let message = format!("`{}` runs from {low} to {high} along axis {axis}", node.path);
            Err(SceneError::at(&node.place, message, "expected the lower corner below the upper"))
        }
        None => Ok(SignedDistance::cuboid(lower, upper)),
    }
}

/// Angles are in degrees; in space, `axis` says about what.
fn rotated<const D: usize>(node: &Node, folder: &Path) -> Result<SignedDistance<D>, SceneError>
where
    Dim<D>: Dimension<D>,
{
    let fields = node.fields(&schema::ROTATE)?;
    let angle = fields.need("angle")?.number()?;
    let axis = match (D, fields.get("axis")) {
        (2, None) => None,
        (2, Some(axis)) => {
            let message = format!("`{}`: in the plane there is one axis alone", axis.path);
            return Err(SceneError::at(&axis.place, message, "not for the plane"));
        }
        _ => Some(fields.need("axis")?),
    };
    let direction = axis.map(|axis| axis.vector::<3>()).transpose()?;
    if let (Some(axis), Some([0.0, 0.0, 0.0])) = (axis, direction) {
        return Err(axis.refuse("a direction, not zero"));
    }
    let mut about = [0.0; D];
    fields.read("about", &mut about, Node::vector)?;
    let spin = Dim::<D>::turn(direction.unwrap_or([0.0, 0.0, 1.0]), angle.to_radians());
    Ok(shape(fields.need("shape")?, folder)?.rotated(&spin, about))
}

fn mesh<const D: usize>(node: &Node, folder: &Path) -> Result<SignedDistance<D>, SceneError>
where
    Dim<D>: Dimension<D>,
{
    let fields = node.fields(&schema::MESH)?;
    let file = fields.need("file")?;
    let mesh = TriangleMesh::read(folder.join(file.text()?));
    let unusable = |error: unstick_grid::MeshError| {
        let place = &file.place;
        SceneError::at(
            place,
            format!("the mesh cannot be used: {error}"),
            "expected a closed OBJ, STL, PLY or glTF mesh",
        )
    };
    let mut mesh = mesh.map_err(unusable)?;
    if let Some(scale) = fields.get("scale") {
        let factors = match scale.number() {
            Ok(_) => [scale.positive()?; 3],
            Err(_) => scale.vector()?,
        };
        mesh = mesh.scaled(factors).map_err(unusable)?;
    }
    if let Some(by) = fields.get("move") {
        mesh = mesh.moved(by.vector()?).map_err(unusable)?;
    }
    Dim::<D>::mesh(&mesh).ok_or_else(|| {
        SceneError::at(
            &node.place,
            "a mesh needs three dimensions, this scene has two",
            "expected a shape of the plane",
        )
    })
}
