//! Motion of solids: steady, or by keyframes.

use std::path::Path;

use unstick_grid::{Interpolation, Keyframe, Keyframes, Motion, Spin};

use super::error::SceneError;
use super::keyframes::read_table;
use super::node::{Node, Value};
use crate::dimension::{Dim, Dimension};
use crate::schema;

/// Reads a motion. Angles are in degrees, a number in the plane, axis times angle in space.
pub(crate) fn motion<const D: usize>(node: &Node, folder: &Path) -> Result<Motion<D>, SceneError>
where
    Dim<D>: Dimension<D>,
{
    let fields = node.fields(&schema::MOTION)?;
    let mut pivot = [0.0; D];
    fields.read("about", &mut pivot, Node::vector)?;
    let Some(table) = fields.get("keyframes") else {
        if let Some(node) = fields.get("interpolation") {
            let message = format!("`{}` without keyframes", node.path);
            return Err(SceneError::at(&node.place, message, "without effect here"));
        }
        let (mut velocity, mut spin) = ([0.0; D], Spin::none());
        fields.read("velocity", &mut velocity, Node::vector)?;
        fields.read("spin", &mut spin, turn)?;
        return Ok(Motion::Steady { velocity, spin, pivot });
    };
    for steady in ["velocity", "spin"] {
        if let Some(node) = fields.get(steady) {
            let message = format!("`{}` beside keyframes", node.path);
            return Err(SceneError::at(&node.place, message, "expected either a steady motion or keyframes"));
        }
    }
    let mut interpolation = Interpolation::default();
    let kinds = [("linear", Interpolation::Linear), ("smooth", Interpolation::Smooth)];
    fields.read("interpolation", &mut interpolation, |node| node.choice(&kinds))?;
    let keyframes = match &table.value {
        Value::Text(file) => read_table(&folder.join(file), pivot, table)?,
        _ => {
            let frames = table.list("a list of { time, move, turn }, or the name of a file")?.iter().map(keyframe);
            Keyframes::new(pivot, frames.collect::<Result<_, _>>()?)
                .map_err(|error| SceneError::at(&table.place, error.to_string(), "expected times that ascend"))?
        }
    };
    Ok(Motion::Keyframes(keyframes.interpolated(interpolation)))
}

fn keyframe<const D: usize>(node: &Node) -> Result<Keyframe<D>, SceneError>
where
    Dim<D>: Dimension<D>,
{
    let fields = node.fields(&schema::KEYFRAME)?;
    let mut frame = Keyframe { time: fields.need("time")?.number()?, translation: [0.0; D], rotation: Spin::none() };
    fields.read("move", &mut frame.translation, Node::vector)?;
    fields.read("turn", &mut frame.rotation, turn)?;
    Ok(frame)
}

/// A rotation in degrees: a number in the plane, axis times angle in space.
pub(super) fn turn<const D: usize>(node: &Node) -> Result<Spin<D>, SceneError>
where
    Dim<D>: Dimension<D>,
{
    let axis = turn_vector::<D>(node)?;
    let size = axis.iter().map(|value| value * value).sum::<f64>().sqrt();
    // In the plane the third component carries the sign.
    let angle = if D == 2 { axis[2] } else { size };
    let direction = if D == 2 { [0.0, 0.0, 1.0] } else { axis };
    Ok(if angle == 0.0 { Spin::none() } else { Dim::<D>::turn(direction, angle.to_radians()) })
}

/// The same as a vector in degrees; in the plane its third component.
pub(super) fn turn_vector<const D: usize>(node: &Node) -> Result<[f64; 3], SceneError> {
    if D == 2 { Ok([0.0, 0.0, node.number()?]) } else { node.vector::<3>() }
}
