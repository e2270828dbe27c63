//! USD as text (`.usda`): a stage, and one layer per frame.
//!
//! The stage lists the frames as value clips. A sublayer holds what does not change: walls and shapes of bodies. The
//! layer of a frame holds the mesh of the liquid and the poses of the bodies at its time code. Each frame is written
//! once, and only the small stage is rewritten after it. Time codes are frame numbers.

mod text;
mod world;

use std::fmt::Write as _;

use unstick_grid::Pose;

use crate::Surface;
use text::{list, matrix, vectors};

pub use world::{MovingObject, ObjectShape, World, world};

/// Unique prim names from arbitrary names: letters, digits and underscores.
pub fn prim_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut given: Vec<String> = ["World", "Liquid", "Walls"].map(String::from).into();
    for name in names {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let mut clean: String = name.chars().map(plain).collect();
        if !clean.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
            clean.insert(0, '_');
        }
        let candidates = std::iter::once(clean.clone()).chain((2..).map(|number| format!("{clean}_{number}")));
        let free = candidates.into_iter().find(|candidate| !given.contains(candidate));
        given.push(free.unwrap_or(clean));
    }
    given.split_off(3)
}

/// Properties of the stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Title.
    pub title: String,
    /// Seconds from one frame number to the next.
    pub frame_seconds: f64,
    /// Path of the layer that does not change, relative to the stage.
    pub world: String,
    /// Path of the manifest, relative to the stage.
    pub manifest: String,
}

/// The stage with its frames: the number and the path of each layer, relative to the stage.
pub fn stage(stage: &Stage, frames: &[(usize, String)]) -> Vec<u8> {
    let (first, last) = (frames.first().map_or(0, |frame| frame.0), frames.last().map_or(0, |frame| frame.0));
    let rate = (1.0 / stage.frame_seconds * 1e6).round() / 1e6;
    let title = stage.title.replace(['"', '\\', '\n', '\r'], " ");
    let mut text = format!(
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"{title}\"\n    startTimeCode = {first}\n    \
         endTimeCode = {last}\n    timeCodesPerSecond = {rate}\n    framesPerSecond = {rate}\n    metersPerUnit = 1\n    \
         upAxis = \"Y\"\n    subLayers = [\n        @{}@\n    ]\n)\n\ndef Xform \"World\" (\n    kind = \"component\"\n",
        stage.world
    );
    if !frames.is_empty() {
        let active = frames.iter().enumerate().map(|(clip, (number, _))| format!("({number}, {clip})"));
        let times = [first, last].map(|number| format!("({number}, {number})"));
        let times = if first == last { &times[..1] } else { &times[..] };
        let _ = write!(
            text,
            "    clips = {{\n        dictionary default = {{\n            double2[] active = {}\n            \
             asset[] assetPaths = {}\n            asset manifestAssetPath = @{}@\n            \
             string primPath = \"/World\"\n            double2[] times = {}\n        }}\n    }}\n",
            list(active),
            list(frames.iter().map(|(_, path)| format!("@{path}@"))),
            stage.manifest,
            list(times),
        );
    }
    text.push_str(")\n{\n    def Mesh \"Liquid\"\n    {\n        uniform token subdivisionScheme = \"none\"\n");
    text.push_str("        color3f[] primvars:displayColor = [(0.1, 0.35, 0.7)]\n    }\n");
    text.push_str("}\n");
    text.into_bytes()
}

/// The manifest: which attributes the layers of the frames animate. `objects` are prim names.
pub fn manifest<'a>(objects: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let mut text =
        String::from("#usda 1.0\n(\n    defaultPrim = \"World\"\n)\n\nover \"World\"\n{\n    over \"Liquid\"\n    {\n");
    for attribute in [
        "float3[] extent",
        "int[] faceVertexCounts",
        "int[] faceVertexIndices",
        "point3f[] points",
        "vector3f[] velocities",
    ] {
        let _ = writeln!(text, "        {attribute}");
    }
    text.push_str("    }\n");
    for name in objects {
        let _ = write!(text, "\n    over \"{name}\"\n    {{\n        matrix4d xformOp:transform\n    }}\n");
    }
    text.push_str("}\n");
    text.into_bytes()
}

/// The mesh of the liquid and the poses of moving objects (by prim name) at a time code.
pub fn frame(number: usize, surface: &Surface, poses: &[(String, Pose<3>)]) -> Vec<u8> {
    let mut text = format!(
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"unstick, time {} s\"\n    startTimeCode = {number}\n    \
         endTimeCode = {number}\n)\n\ndef Xform \"World\"\n{{\n    def Mesh \"Liquid\"\n    {{\n",
        surface.time
    );
    let mut sample = |attribute: &str, value: String| {
        let _ = writeln!(text, "        {attribute}.timeSamples = {{ {number}: {value} }}");
    };
    sample("float3[] extent", vectors(surface.bounds()));
    sample("int[] faceVertexCounts", list(surface.triangles.iter().map(|_| 3)));
    sample("int[] faceVertexIndices", list(surface.triangles.as_flattened()));
    sample("point3f[] points", vectors(surface.vertices.iter().copied()));
    sample("vector3f[] velocities", vectors(surface.velocities.iter().copied()));
    text.push_str("    }\n");
    for (name, pose) in poses {
        let _ = write!(
            text,
            "\n    def Xform \"{name}\"\n    {{\n        matrix4d xformOp:transform.timeSamples = {{ {number}: {} }}\n    }}\n",
            matrix(pose)
        );
    }
    text.push_str("}\n");
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_distinct_identifiers() {
        assert_eq!(
            prim_names(["duck", "body 1", "duck", "2nd", "Walls", "ø"]),
            ["duck", "body_1", "duck_2", "_2nd", "Walls_2", "_"]
        );
    }
}
