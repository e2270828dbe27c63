//! The layer of one frame.

use std::fmt::Write as _;

use unstick_grid::Pose;

use super::text::{list, matrix, vectors};
use crate::Surface;

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
