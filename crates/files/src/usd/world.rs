//! The layer of what does not change: walls, and the shapes of what moves.

use std::fmt::Write as _;

use super::text::{list, vectors};
use crate::Surface;

/// What there is beside the liquid.
#[derive(Clone, Debug, Default)]
pub struct World {
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

/// The layer of a world.
pub fn world(world: &World) -> Vec<u8> {
    let mut text =
        String::from("#usda 1.0\n(\n    defaultPrim = \"World\"\n    upAxis = \"Y\"\n)\n\ndef Xform \"World\"\n{\n");
    if let Some(walls) = &world.walls {
        text.push_str("    def Mesh \"Walls\"\n    {\n        uniform bool doubleSided = 1\n");
        text.push_str("        color3f[] primvars:displayColor = [(0.7, 0.7, 0.7)]\n");
        text.push_str("        float[] primvars:displayOpacity = [0.2]\n");
        mesh(walls, "        ", &mut text);
        text.push_str("    }\n");
    }
    world.parts.iter().for_each(|each| part(each, &mut text));
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
