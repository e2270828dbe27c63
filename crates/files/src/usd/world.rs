//! The layer that does not change: walls, and the shapes of moving objects.

use std::fmt::Write as _;

use super::text::{list, vectors};
use crate::Surface;

/// Everything but the liquid.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Everything that does not move.
    pub walls: Option<Surface>,
    /// Bodies and scripted solids.
    pub objects: Vec<MovingObject>,
}

/// A rigid object that moves.
#[derive(Clone, Debug)]
pub struct MovingObject {
    /// Name of its prim.
    pub name: String,
    /// Its shape in the identity pose.
    pub shape: ObjectShape,
}

/// The shape of a moving object.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ObjectShape {
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
        write_mesh(walls, "        ", &mut text);
        text.push_str("    }\n");
    }
    world.objects.iter().for_each(|object| write_object(object, &mut text));
    text.push_str("}\n");
    text.into_bytes()
}

/// A transform that moves, with the shape inside.
fn write_object(object: &MovingObject, text: &mut String) {
    let _ = write!(
        text,
        "\n    def Xform \"{}\"\n    {{\n        matrix4d xformOp:transform\n        \
         uniform token[] xformOpOrder = [\"xformOp:transform\"]\n\n",
        object.name
    );
    let kind = match &object.shape {
        ObjectShape::Sphere { .. } => "Sphere",
        ObjectShape::Cuboid { .. } => "Cube",
        ObjectShape::Capsule { .. } => "Capsule",
        ObjectShape::Mesh(_) => "Mesh",
    };
    let _ = writeln!(text, "        def {kind} \"Shape\"\n        {{");
    let inner = "            ";
    let _ = writeln!(text, "{inner}color3f[] primvars:displayColor = [(0.9, 0.6, 0.1)]");
    let extent = |half: [f64; 3]| vectors([half.map(|value| -value as f32), half.map(|value| value as f32)]);
    match &object.shape {
        ObjectShape::Sphere { radius } => {
            let _ =
                writeln!(text, "{inner}double radius = {radius}\n{inner}float3[] extent = {}", extent([*radius; 3]));
        }
        ObjectShape::Cuboid { half: [x, y, z] } => {
            let _ = writeln!(
                text,
                "{inner}double size = 2\n{inner}float3[] extent = {}\n{inner}double3 xformOp:scale = ({x}, {y}, {z})\n{inner}\
                 uniform token[] xformOpOrder = [\"xformOp:scale\"]",
                extent([1.0; 3])
            );
        }
        ObjectShape::Capsule { half_length, radius } => {
            let _ = writeln!(
                text,
                "{inner}uniform token axis = \"Y\"\n{inner}double height = {}\n{inner}double radius = {radius}\n{inner}\
                 float3[] extent = {}",
                2.0 * half_length,
                extent([*radius, half_length + radius, *radius])
            );
        }
        ObjectShape::Mesh(surface) => write_mesh(surface, inner, text),
    }
    text.push_str("        }\n    }\n");
}

fn write_mesh(surface: &Surface, indent: &str, text: &mut String) {
    let _ = writeln!(text, "{indent}uniform token subdivisionScheme = \"none\"");
    let _ = writeln!(text, "{indent}float3[] extent = {}", vectors(surface.bounds()));
    let _ = writeln!(text, "{indent}int[] faceVertexCounts = {}", list(surface.triangles.iter().map(|_| 3)));
    let _ = writeln!(text, "{indent}int[] faceVertexIndices = {}", list(surface.triangles.as_flattened()));
    let _ = writeln!(text, "{indent}point3f[] points = {}", vectors(surface.vertices.iter().copied()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(world: &World) -> String {
        String::from_utf8(super::world(world)).unwrap()
    }

    #[test]
    fn every_shape_is_written_with_its_extent() {
        let surface =
            Surface { vertices: vec![[0.0; 3], [1.0, 2.0, 3.0]], triangles: vec![[0, 1, 0]], ..Surface::default() };
        let shapes = [
            (ObjectShape::Sphere { radius: 0.5 }, "def Sphere", "[(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)]"),
            (ObjectShape::Cuboid { half: [1.0, 2.0, 3.0] }, "xformOp:scale = (1, 2, 3)", "[(-1, -1, -1), (1, 1, 1)]"),
            (ObjectShape::Capsule { half_length: 2.0, radius: 0.5 }, "height = 4", "(0.5, 2.5, 0.5)]"),
            (ObjectShape::Mesh(surface), "faceVertexIndices = [0, 1, 0]", "[(0, 0, 0), (1, 2, 3)]"),
        ];
        for (shape, line, extent) in shapes {
            let layer = text(&World { walls: None, objects: vec![MovingObject { name: "thing".into(), shape }] });
            assert!(layer.contains("def Xform \"thing\"") && layer.contains(line), "{layer}");
            assert!(layer.contains("float3[] extent = ") && layer.contains(extent), "{layer}");
        }
    }

    #[test]
    fn braces_are_balanced_with_and_without_walls() {
        for walls in [None, Some(Surface::default())] {
            let layer = text(&World { walls: walls.clone(), objects: Vec::new() });
            assert_eq!(layer.matches('{').count(), layer.matches('}').count());
            assert_eq!(layer.contains("def Mesh \"Walls\""), walls.is_some());
        }
    }
}
