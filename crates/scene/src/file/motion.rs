//! Motion of solids: steady, or by keyframes.

use std::path::Path;

use unstick_grid::{Interpolation, Keyframe, Keyframes, Motion, Spin};

use super::error::SceneError;
use super::keyframes::read_table;
use super::node::{Node, Value};
use crate::schema;

/// Reads a motion. Angles are in degrees, a number in the plane, axis times angle in space.
pub(crate) fn motion<const D: usize>(node: &Node, folder: &Path) -> Result<Motion<D>, SceneError> {
    let fields = node.fields(&schema::MOTION)?;
    let mut pivot = [0.0; D];
    fields.read("about", &mut pivot, Node::vector)?;
    let Some(table) = fields.get("keyframes") else {
        fields.exclude(&["interpolation"], "without keyframes", "without effect here")?;
        let (mut velocity, mut spin) = ([0.0; D], Spin::none());
        fields.read("velocity", &mut velocity, Node::vector)?;
        fields.read("spin", &mut spin, turn)?;
        return Ok(Motion::Steady { velocity, spin, pivot });
    };
    fields.exclude(&["velocity", "spin"], "beside keyframes", "expected either a steady motion or keyframes")?;
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

fn keyframe<const D: usize>(node: &Node) -> Result<Keyframe<D>, SceneError> {
    let fields = node.fields(&schema::KEYFRAME)?;
    let mut frame = Keyframe { time: fields.need("time")?.number()?, translation: [0.0; D], rotation: Spin::none() };
    fields.read("move", &mut frame.translation, Node::vector)?;
    fields.read("turn", &mut frame.rotation, turn)?;
    Ok(frame)
}

/// A rotation in degrees: a number in the plane, axis times angle in space.
pub(super) fn turn<const D: usize>(node: &Node) -> Result<Spin<D>, SceneError> {
    let axis = turn_vector::<D>(node)?;
    let size = axis.iter().map(|value| value * value).sum::<f64>().sqrt();
    // In the plane the third component carries the sign.
    Ok(if D == 2 { about([0.0, 0.0, 1.0], axis[2].to_radians()) } else { about(axis, size.to_radians()) })
}

/// A rotation by radians about a direction, which is [0, 0, 1] in the plane.
pub(super) fn about<const D: usize>(direction: [f64; 3], angle: f64) -> Spin<D> {
    let size = direction.iter().map(|value| value * value).sum::<f64>().sqrt();
    if angle == 0.0 { Spin::none() } else { Spin::about_axis(direction.map(|value| value * angle / size)) }
}

/// The same as a vector in degrees; in the plane its third component.
pub(super) fn turn_vector<const D: usize>(node: &Node) -> Result<[f64; 3], SceneError> {
    if D == 2 { Ok([0.0, 0.0, node.number()?]) } else { node.vector::<3>() }
}
