//! The stage, and the manifest of what its clips animate.

use std::fmt::Write as _;

use super::text::list;

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
