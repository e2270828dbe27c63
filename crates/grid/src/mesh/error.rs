//! What can be wrong with a mesh.

use std::path::PathBuf;

/// A mesh that cannot be used: which file, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}: {problem}", file.as_ref().map_or("the mesh".into(), |file| file.display().to_string()))]
pub struct MeshError {
    /// The file it was read from; none if it was made in memory.
    pub file: Option<PathBuf>,
    /// What is wrong.
    pub problem: MeshProblem,
}

/// What is wrong with a mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshProblem {
    /// No such file.
    #[error("there is no such file")]
    NotFound,
    /// The file is there but could not be read.
    #[error("cannot be read: {reason}")]
    Unreadable {
        /// What the system says.
        reason: String,
    },
    /// A kind of file that is not known.
    #[error("unknown kind of mesh file '{extension}': expected one of {}", crate::mesh::read::EXTENSIONS.join(", "))]
    Extension {
        /// The end of its name.
        extension: String,
    },
    /// Content that is not what the format asks for.
    #[error("not a valid {format} file: {reason}")]
    Broken {
        /// OBJ, STL, PLY or glTF.
        format: &'static str,
        /// What was found.
        reason: String,
    },
    /// Nothing left to bound a solid.
    #[error("it has no triangles")]
    NoTriangles,
    /// A vertex that is nowhere.
    #[error("vertex {vertex} is not finite")]
    NotFinite {
        /// Which vertex, from 0.
        vertex: usize,
    },
    /// A triangle with a corner that does not exist.
    #[error("a triangle refers to vertex {index}, but there are {vertices}, counted from 0")]
    Index {
        /// The index found.
        index: i64,
        /// Number of vertices.
        vertices: usize,
    },
    /// Edges that are not shared by exactly two triangles facing the same way.
    #[error("the surface is not closed: {}", describe_edges(*open, *crowded, *flipped, *near))]
    NotClosed {
        /// Edges of one triangle only.
        open: usize,
        /// Edges of more than two triangles.
        crowded: usize,
        /// Edges of two triangles that face opposite ways.
        flipped: usize,
        /// The middle of one such edge, of the kind that is named first.
        near: [f64; 3],
    },
    /// A closed surface around nothing.
    #[error("the surface encloses no volume ({volume:e}): it is flat, or its parts face opposite ways")]
    NoVolume {
        /// The volume found.
        volume: f64,
    },
    /// A factor that would flatten or mirror the mesh.
    #[error("a scale of {factor}: expected a positive number")]
    Scale {
        /// The factor asked for.
        factor: f64,
    },
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
