//! Meshes from files. The extension tells the format.

use std::path::Path;

use super::{MeshError, MeshProblem, TriangleMesh, gltf, obj, ply, stl};

/// The extensions of known formats.
pub(super) const EXTENSIONS: [&str; 5] = ["obj", "stl", "ply", "gltf", "glb"];

/// Vertices and triangles of a file, not yet checked.
pub(super) type Parts = (Vec<[f64; 3]>, Vec<[u32; 3]>);

impl TriangleMesh {
    /// Reads all objects of an OBJ, STL, PLY or glTF file as one solid. STL and PLY may be text or binary.
    ///
    /// A face of more than three corners becomes a fan of triangles, which is correct for convex faces. Refuses what
    /// [`Self::new`] refuses and names the file.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let folder = path.parent().unwrap_or(Path::new("."));
        let mesh = check_extension(&extension).and_then(|()| {
            let content = std::fs::read(path).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => MeshProblem::NotFound,
                _ => MeshProblem::Unreadable(error.to_string()),
            })?;
            parse(&content, &extension, folder)
        });
        mesh.map_err(|problem| MeshError { file: Some(path.to_path_buf()), problem })
    }

    /// Reads a mesh from the content of a file. The extension tells the format. A glTF text looks for its buffers in
    /// `folder`.
    pub fn parse(content: &[u8], extension: &str, folder: &Path) -> Result<Self, MeshError> {
        parse(content, extension, folder).map_err(|problem| MeshError { file: None, problem })
    }
}

fn check_extension(extension: &str) -> Result<(), MeshProblem> {
    let extension = extension.to_ascii_lowercase();
    if EXTENSIONS.contains(&extension.as_str()) { Ok(()) } else { Err(MeshProblem::Extension(extension)) }
}

fn parse(content: &[u8], extension: &str, folder: &Path) -> Result<TriangleMesh, MeshProblem> {
    check_extension(extension)?;
    let (vertices, triangles) = match extension.to_ascii_lowercase().as_str() {
        "obj" => obj::parse(content),
        "stl" => stl::parse(content),
        "ply" => ply::parse(content),
        _ => gltf::parse(content, folder),
    }?;
    TriangleMesh::checked(vertices, triangles)
}

/// The triangles of a polygon that share its first corner.
pub(super) fn fan(polygon: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    polygon.windows(2).skip(1).map(|pair| [polygon[0], pair[0], pair[1]])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(name: &str, content: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let error = TriangleMesh::read(&path).unwrap_err();
        assert_eq!(error.file, Some(path.clone()));
        error.to_string().replace(&path.display().to_string(), name)
    }

    #[test]
    fn a_file_is_refused_by_its_name_or_content() {
        assert_eq!(
            refused("a.fbx", ""),
            "a.fbx: unknown kind of mesh file 'fbx': expected one of obj, stl, ply, gltf, glb"
        );
        assert_eq!(refused("none", ""), "none: unknown kind of mesh file '': expected one of obj, stl, ply, gltf, glb");
        assert_eq!(refused("a.obj", "# nothing\n"), "a.obj: it has no triangles");
        let open = refused("a.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        assert!(open.contains("3 edges belong to one triangle only, one of them near (0.5, 0, 0)"), "{open}");
        assert_eq!(refused("a.obj", "v 0 0 nan\nf 1 1 1"), "a.obj: vertex 0 is not finite");
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = TriangleMesh::read("/nowhere/boat.stl").unwrap_err();
        assert_eq!(error.to_string(), "/nowhere/boat.stl: there is no such file");
    }

    #[test]
    fn polygons_become_fans() {
        assert_eq!(fan(&[4, 5, 6, 7]).collect::<Vec<_>>(), [[4, 5, 6], [4, 6, 7]]);
        assert_eq!(fan(&[4, 5]).count() + fan(&[]).count(), 0);
    }
}
