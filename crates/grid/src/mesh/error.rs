//! Errors of meshes.

use std::path::PathBuf;

/// Why a mesh cannot be used, and from which file it came.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}: {problem}", file.as_ref().map_or("the mesh".into(), |file| file.display().to_string()))]
pub struct MeshError {
    /// The file; none if the mesh was made in memory.
    pub file: Option<PathBuf>,
    /// The problem.
    pub problem: MeshProblem,
}

/// Why a mesh cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshProblem {
    /// The file does not exist.
    #[error("there is no such file")]
    NotFound,
    /// The file exists but could not be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The extension of the file stands for no known format.
    #[error("unknown kind of mesh file '{0}': expected one of {known}", known = super::read::EXTENSIONS.join(", "))]
    Extension(String),
    /// The content does not follow the format.
    #[error("not a valid {format} file: {reason}")]
    Broken {
        /// OBJ, STL, PLY or glTF.
        format: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The mesh has no triangles.
    #[error("it has no triangles")]
    NoTriangles,
    /// A coordinate of this vertex, counted from 0, is not finite.
    #[error("vertex {0} is not finite")]
    NotFinite(usize),
    /// A triangle refers to a vertex that does not exist.
    #[error("a triangle refers to vertex {index}, but there are {vertices}, counted from 0")]
    Index {
        /// The index.
        index: i64,
        /// Number of vertices.
        vertices: usize,
    },
    /// Some edges do not belong to exactly two triangles that face the same way.
    #[error("the surface is not closed: {}", describe_edges(*open, *crowded, *flipped, *near))]
    NotClosed {
        /// Number of edges of one triangle.
        open: usize,
        /// Number of edges of more than two triangles.
        crowded: usize,
        /// Number of edges of two triangles that face opposite ways.
        flipped: usize,
        /// The middle of one such edge, of the first kind whose number is not zero.
        near: [f64; 3],
    },
    /// The closed surface encloses no volume.
    #[error("the surface encloses no volume ({0:e}): it is flat, or its parts face opposite ways")]
    NoVolume(f64),
    /// The factor would flatten or mirror the mesh.
    #[error("a scale of {0}: expected a positive number")]
    Scale(f64),
}

fn describe_edges(open: usize, crowded: usize, flipped: usize, [x, y, z]: [f64; 3]) -> String {
    let kinds = [
        (open, "to one triangle only"),
        (crowded, "to more than two triangles"),
        (flipped, "to two triangles that face opposite ways"),
    ];
    let counts: Vec<String> = kinds
        .iter()
        .filter(|&&(count, _)| count > 0)
        .enumerate()
        .map(|(place, (count, kind))| match (place, count) {
            (0, 1) => format!("1 edge belongs {kind}"),
            (0, _) => format!("{count} edges belong {kind}"),
            _ => format!("{count} {kind}"),
        })
        .collect();
    let total = open + crowded + flipped;
    let which = if total == 1 { "" } else { "one of them " };
    format!("{}, {which}near ({x}, {y}, {z})", counts.join(", "))
}
