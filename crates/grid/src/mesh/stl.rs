//! STL files, text and binary.

use std::io::Cursor;

use super::MeshProblem;
use super::read::Parts;

/// Reads all solids of a file.
///
/// A file is binary if its length fits the number of triangles in its header. The first word does not decide: binary
/// files may also begin with "solid".
pub(super) fn parse(content: &[u8]) -> Result<Parts, MeshProblem> {
    if is_binary(content) {
        // Clear the header, so that the reader does not take the file for text.
        let mut content = content.to_vec();
        content[..80].fill(0);
        triangles(content)
    } else if content.trim_ascii_start().starts_with(b"solid") {
        triangles(single_solid(&String::from_utf8_lossy(content))?.into_bytes())
    } else if content.len() < 84 {
        Err(broken("it is shorter than a binary header, and does not begin with 'solid'"))
    } else {
        let (found, expected) = (content.len() - 84, 50 * u64::from(announced(content)));
        Err(broken(format!("its triangles take {expected} bytes by the header, but {found} follow it")))
    }
}

fn is_binary(content: &[u8]) -> bool {
    content.len() >= 84 && (content.len() as u64 - 84) == 50 * u64::from(announced(content))
}

/// The number of triangles in a binary header.
fn announced(content: &[u8]) -> u32 {
    u32::from_le_bytes([content[80], content[81], content[82], content[83]])
}

/// Joins all solids into one with a name, because the reader accepts nothing else.
fn single_solid(text: &str) -> Result<String, MeshProblem> {
    let (mut begun, mut ended) = (0, 0);
    let mut joined = String::from("solid mesh\n");
    for line in text.lines() {
        match line.split_whitespace().next() {
            Some("solid") => begun += 1,
            Some("endsolid") => ended += 1,
            _ => {
                joined.push_str(line);
                joined.push('\n');
            }
        }
    }
    if begun != ended {
        return Err(broken(format!("{begun} solids begin, {ended} end")));
    }
    joined.push_str("endsolid mesh\n");
    Ok(joined)
}

fn triangles(content: Vec<u8>) -> Result<Parts, MeshProblem> {
    let mesh = stl_io::read_stl(&mut Cursor::new(content)).map_err(|error| broken(error.to_string()))?;
    let vertices = mesh.vertices.iter().map(|vertex| [0, 1, 2].map(|axis| f64::from(vertex[axis]))).collect();
    let triangles = mesh.faces.iter().map(|face| face.vertices.map(|vertex| vertex as u32)).collect();
    Ok((vertices, triangles))
}

fn broken(reason: impl Into<String>) -> MeshProblem {
    MeshProblem::Broken { format: "STL", reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use super::super::test_shapes::tetrahedron;
    use super::*;
    use crate::TriangleMesh;

    fn corners(mesh: &TriangleMesh) -> impl Iterator<Item = [[f32; 3]; 3]> {
        mesh.triangles()
            .iter()
            .map(|triangle| triangle.map(|vertex| mesh.vertices()[vertex as usize].map(|x| x as f32)))
    }

    fn binary(mesh: &TriangleMesh, header: &[u8]) -> Vec<u8> {
        let mut content = vec![b' '; 80];
        content[..header.len()].copy_from_slice(header);
        content.extend((mesh.triangles().len() as u32).to_le_bytes());
        for corners in corners(mesh) {
            content.extend([0; 12]);
            corners.as_flattened().iter().for_each(|value| content.extend(value.to_le_bytes()));
            content.extend([0; 2]);
        }
        content
    }

    fn text(mesh: &TriangleMesh, name: &str) -> String {
        let facets = corners(mesh).map(|corners| {
            let vertices = corners.map(|[x, y, z]| format!("vertex {x} {y} {z}\n"));
            format!("facet normal 0 0 0\n outer loop\n{} endloop\nendfacet\n", vertices.concat())
        });
        format!("solid{name}\n{}endsolid{name}\n", facets.collect::<String>())
    }

    #[test]
    fn text_and_binary_give_the_same_mesh() {
        let mesh = tetrahedron();
        let (plain, disguised) = (binary(&mesh, b"exported"), binary(&mesh, b"solid exported\n"));
        let expected = parse(&plain).unwrap();
        assert_eq!(parse(&disguised).unwrap(), expected);
        assert_eq!(parse(text(&mesh, " boat").as_bytes()).unwrap(), expected);
        assert_eq!(parse(text(&mesh, "").as_bytes()).unwrap(), expected);
        let read = TriangleMesh::new(expected.0, expected.1).unwrap();
        assert!((read.volume() - mesh.volume()).abs() < 1e-7);
    }

    #[test]
    fn several_solids_in_one_file_are_all_read() {
        let mesh = tetrahedron();
        let both = text(&mesh, " one") + &text(&mesh.moved([5.0, 0.0, 0.0]).unwrap(), " two");
        assert_eq!(parse(both.as_bytes()).unwrap().1.len(), 8);
    }

    #[test]
    fn broken_files_are_refused() {
        let refused = |content: &[u8]| parse(content).unwrap_err().to_string();
        assert!(refused(b"").contains("shorter than a binary header"));
        let mut short = binary(&tetrahedron(), b"");
        short.truncate(200);
        assert_eq!(
            refused(&short),
            "not a valid STL file: its triangles take 200 bytes by the header, but 116 follow it"
        );
        assert!(refused(b"solid a\nfacet normal 0 0 0\n").contains("1 solids begin, 0 end"));
        assert!(refused(b"solid a\nfacet normal 0 0 zero\nendsolid").contains("invalid float"));
    }
}
