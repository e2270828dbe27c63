//! The stage, and the list of what its clips animate.

use std::fmt::Write as _;

use super::text::{list, vectors};
use crate::Surface;

/// What there is beside the liquid's mesh of each frame.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// For people.
    pub title: String,
    /// Seconds from one frame number to the next.
    pub frame_seconds: f64,
    /// What does not move.
    pub walls: Option<Surface>,
    /// What moves: bodies and scripted solids.
    pub parts: Vec<Part>,
}

/// Something rigid that moves.
#[derive(Clone, Debug)]
pub struct Part {
    /// Name of its prim.
    pub name: String,
    /// What it looks like where its pose is the identity.
    pub shape: PartShape,
}

/// The shape of a part.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PartShape {
    /// A ball about the origin.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A box about the origin.
    Cuboid {
        /// Half of each edge.
        half: [f64; 3],
    },
    /// All points within a radius of a segment along the second axis.
    Capsule {
        /// Half of the segment.
        half_length: f64,
        /// Radius.
        radius: f64,
    },
    /// A mesh.
    Mesh(Surface),
}

/// The stage with the frames that are there: number and path of the layer, relative to the stage.
pub fn stage(stage: &Stage, frames: &[(usize, String)], manifest: &str) -> Vec<u8> {
    let (first, last) = (frames.first().map_or(0, |frame| frame.0), frames.last().map_or(0, |frame| frame.0));
    let rate = (1.0 / stage.frame_seconds * 1e6).round() / 1e6;
    let title = stage.title.replace(['"', '\\', '\n', '\r'], " ");
    let mut text = format!(
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"{title}\"\n    startTimeCode = {first}\n    \
         endTimeCode = {last}\n    timeCodesPerSecond = {rate}\n    framesPerSecond = {rate}\n    metersPerUnit = 1\n    \
         upAxis = \"Y\"\n)\n\ndef Xform \"World\" (\n    kind = \"component\"\n"
    );
    if !frames.is_empty() {
        let active = frames.iter().enumerate().map(|(clip, (number, _))| format!("({number}, {clip})"));
        let times = [first, last].map(|number| format!("({number}, {number})"));
        let times = if first == last { &times[..1] } else { &times[..] };
        let _ = write!(
            text,
            "    clips = {{\n        dictionary default = {{\n            double2[] active = {}\n            \
             asset[] assetPaths = {}\n            asset manifestAssetPath = @{manifest}@\n            \
             string primPath = \"/World\"\n            double2[] times = {}\n        }}\n    }}\n",
            list(active),
            list(frames.iter().map(|(_, path)| format!("@{path}@"))),
            list(times),
        );
    }
    text.push_str(")\n{\n    def Mesh \"Liquid\"\n    {\n        uniform token subdivisionScheme = \"none\"\n");
    text.push_str("        color3f[] primvars:displayColor = [(0.1, 0.35, 0.7)]\n    }\n");
    if let Some(walls) = &stage.walls {
        text.push_str("\n    def Mesh \"Walls\"\n    {\n        uniform bool doubleSided = 1\n");
        text.push_str("        color3f[] primvars:displayColor = [(0.7, 0.7, 0.7)]\n");
        text.push_str("        float[] primvars:displayOpacity = [0.2]\n");
        mesh(walls, "        ", &mut text);
        text.push_str("    }\n");
    }
    stage.parts.iter().for_each(|each| part(each, &mut text));
    text.push_str("}\n");
    text.into_bytes()
}

/// Which attributes have values in the layers of the frames.
pub fn manifest<'a>(parts: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
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
    for name in parts {
        let _ = write!(text, "\n    over \"{name}\"\n    {{\n        matrix4d xformOp:transform\n    }}\n");
    }
    text.push_str("}\n");
    text.into_bytes()
}

/// A frame of its own that moves, with the shape within.
fn part(part: &Part, text: &mut String) {
    let _ = write!(
        text,
        "\n    def Xform \"{}\"\n    {{\n        matrix4d xformOp:transform\n        \
         uniform token[] xformOpOrder = [\"xformOp:transform\"]\n\n",
        part.name
    );
    let kind = match &part.shape {
        PartShape::Sphere { .. } => "Sphere",
        PartShape::Cuboid { .. } => "Cube",
        PartShape::Capsule { .. } => "Capsule",
        PartShape::Mesh(_) => "Mesh",
    };
    let _ = writeln!(text, "        def {kind} \"Shape\"\n        {{");
    let inner = "            ";
    let _ = writeln!(text, "{inner}color3f[] primvars:displayColor = [(0.9, 0.6, 0.1)]");
    let extent = |half: [f64; 3]| vectors([half.map(|value| -value as f32), half.map(|value| value as f32)]);
    match &part.shape {
        PartShape::Sphere { radius } => {
            let _ =
                writeln!(text, "{inner}double radius = {radius}\n{inner}float3[] extent = {}", extent([*radius; 3]));
        }
        PartShape::Cuboid { half: [x, y, z] } => {
            let _ = writeln!(
                text,
                "{inner}double size = 2\n{inner}float3[] extent = {}\n{inner}double3 xformOp:scale = ({x}, {y}, {z})\n{inner}\
                 uniform token[] xformOpOrder = [\"xformOp:scale\"]",
                extent([1.0; 3])
            );
        }
        PartShape::Capsule { half_length, radius } => {
            let _ = writeln!(
                text,
                "{inner}uniform token axis = \"Y\"\n{inner}double height = {}\n{inner}double radius = {radius}\n{inner}\
                 float3[] extent = {}",
                2.0 * half_length,
                extent([*radius, half_length + radius, *radius])
            );
        }
        PartShape::Mesh(surface) => mesh(surface, inner, text),
    }
    text.push_str("        }\n    }\n");
}

fn mesh(surface: &Surface, indent: &str, text: &mut String) {
    let _ = writeln!(text, "{indent}uniform token subdivisionScheme = \"none\"");
    let _ = writeln!(text, "{indent}float3[] extent = {}", vectors(surface.bounds()));
    let _ = writeln!(text, "{indent}int[] faceVertexCounts = {}", list(surface.triangles.iter().map(|_| 3)));
    let _ = writeln!(text, "{indent}int[] faceVertexIndices = {}", list(surface.triangles.as_flattened()));
    let _ = writeln!(text, "{indent}point3f[] points = {}", vectors(surface.vertices.iter().copied()));
}
