//! Wavefront OBJ files.

use std::io::{BufRead, Read};

use super::MeshProblem;
use super::read::Parts;

/// Reads all objects and groups of a file. Materials are ignored.
pub(super) fn parse(content: &[u8]) -> Result<Parts, MeshProblem> {
    let options =
        tobj::LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..Default::default() };
    let mut lines = CountedLines { rest: content, count: 0 };
    let (models, _) = tobj::load_obj_buf(&mut lines, &options, |_| Ok(Default::default()))
        .map_err(|error| MeshProblem::Broken { format: "OBJ", reason: describe(&error, lines.count) })?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for model in &models {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(model.mesh.positions.as_chunks().0);
        let corners = model.mesh.indices.as_chunks::<3>().0;
        triangles.extend(corners.iter().map(|corners| corners.map(|corner| first + corner)));
    }
    Ok((vertices, triangles))
}

/// The reader checks indices at the end of an object, so it does not know their line.
fn describe(error: &tobj::LoadError, line: usize) -> String {
    match error {
        tobj::LoadError::FaceVertexOutOfBounds => "a face refers to a vertex that is not there".into(),
        tobj::LoadError::FaceTexCoordOutOfBounds => "a face refers to a texture coordinate that is not there".into(),
        tobj::LoadError::FaceNormalOutOfBounds => "a face refers to a normal that is not there".into(),
        other => format!("line {line}: {other}"),
    }
}

/// A reader that counts lines.
struct CountedLines<'a> {
    rest: &'a [u8],
    count: usize,
}

impl Read for CountedLines<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let size = self.rest.len().min(into.len());
        into[..size].copy_from_slice(&self.rest[..size]);
        self.consume(size);
        Ok(size)
    }
}

impl BufRead for CountedLines<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        Ok(self.rest)
    }

    fn consume(&mut self, size: usize) {
        self.count += self.rest[..size].iter().filter(|&&byte| byte == b'\n').count();
        self.rest = &self.rest[size..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TriangleMesh;

    const CUBE: &str = "mtllib nowhere.mtl\no cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\n\
        v 0 1 0.1e1\nvt 0 0\nvn 0 0 -1\nusemtl red\nf 1/1/1 4/1/1 3/1/1 2/1/1\nf 5 6 7 8\ng sides\nf 1 2 6 5\n\
        f 2 3 7 6\nusemtl blue\nf 3 4 8 7\nf -5 -8 -4 -1\n";

    #[test]
    fn a_cube_of_quads_in_groups_is_one_solid() {
        let (vertices, triangles) = parse(CUBE.as_bytes()).unwrap();
        let mesh = TriangleMesh::new(vertices, triangles).unwrap();
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
        assert!((mesh.volume() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn broken_files_are_refused_with_the_line() {
        let refused = |content: &str| parse(content.as_bytes()).unwrap_err().to_string();
        let message = refused("v 0 0 0\nv 1 0 zero\n");
        assert_eq!(message, "not a valid OBJ file: line 2: position parse error");
        assert_eq!(refused("v 0 0 0\nf 1 2 3\n"), "not a valid OBJ file: a face refers to a vertex that is not there");
        assert!(parse(b"\xff\xfe\x00").is_err());
    }
}
