//! PLY files, text and binary.

use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{DefaultElement, ElementDef, Property, PropertyAccess, PropertyAccessResult};

use super::MeshProblem;
use super::read::{Parts, fan};

/// Reads the elements `vertex` and `face` of a file and skips all others.
pub(super) fn parse(content: &[u8]) -> Result<Parts, MeshProblem> {
    let mut reader = Reader::new(content);
    let skipper = Parser::<DefaultElement>::new();
    let header = skipper.read_header(&mut reader).map_err(broken)?;
    let (mut vertices, mut polygons) = (Vec::new(), Vec::new());
    for (name, element) in &header.elements {
        match name.as_str() {
            "vertex" => {
                require(element, &["x"])?;
                require(element, &["y"])?;
                require(element, &["z"])?;
                vertices =
                    Parser::<Vertex>::new().read_payload_for_element(&mut reader, element, &header).map_err(broken)?;
            }
            "face" => {
                require(element, &INDICES)?;
                polygons =
                    Parser::<Face>::new().read_payload_for_element(&mut reader, element, &header).map_err(broken)?;
            }
            _ => {
                skipper.read_payload_for_element(&mut reader, element, &header).map_err(broken)?;
            }
        }
    }
    let vertices: Vec<[f64; 3]> = vertices.into_iter().map(|vertex| vertex.0).collect();
    let mut triangles = Vec::new();
    for Face(corners) in polygons {
        let corner =
            |index: i64| u32::try_from(index).map_err(|_| MeshProblem::Index { index, vertices: vertices.len() });
        let polygon = corners.into_iter().map(corner).collect::<Result<Vec<u32>, _>>()?;
        triangles.extend(fan(&polygon));
    }
    Ok((vertices, triangles))
}

/// Programs use both names for the corners of a face.
const INDICES: [&str; 2] = ["vertex_indices", "vertex_index"];

struct Vertex([f64; 3]);

struct Face(Vec<i64>);

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self([f64::NAN; 3])
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let axis = match name {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return PropertyAccessResult::Ignored,
        };
        self.0[axis] = match property {
            Property::Char(value) => value.into(),
            Property::UChar(value) => value.into(),
            Property::Short(value) => value.into(),
            Property::UShort(value) => value.into(),
            Property::Int(value) => value.into(),
            Property::UInt(value) => value.into(),
            Property::Float(value) => value.into(),
            Property::Double(value) => value,
            _ => return PropertyAccessResult::UnsupportedType,
        };
        PropertyAccessResult::Set
    }
}

impl PropertyAccess for Face {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        if !INDICES.contains(&name) {
            return PropertyAccessResult::Ignored;
        }
        self.0 = match property {
            Property::ListChar(values) => values.into_iter().map(i64::from).collect(),
            Property::ListUChar(values) => values.into_iter().map(i64::from).collect(),
            Property::ListShort(values) => values.into_iter().map(i64::from).collect(),
            Property::ListUShort(values) => values.into_iter().map(i64::from).collect(),
            Property::ListInt(values) => values.into_iter().map(i64::from).collect(),
            Property::ListUInt(values) => values.into_iter().map(i64::from).collect(),
            _ => return PropertyAccessResult::UnsupportedType,
        };
        PropertyAccessResult::Set
    }
}

/// Refuses an element that has none of these properties.
fn require(element: &ElementDef, names: &[&str]) -> Result<(), MeshProblem> {
    if names.iter().any(|&name| element.properties.contains_key(name)) {
        return Ok(());
    }
    Err(broken(format!("element '{}' has no property '{}'", element.name, names.join("' or '"))))
}

/// The first line of the reader's message.
fn broken(error: impl ToString) -> MeshProblem {
    let said = error.to_string();
    MeshProblem::Broken { format: "PLY", reason: said.lines().next().unwrap_or("unreadable").to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::test_shapes::tetrahedron;
    use super::*;
    use crate::TriangleMesh;

    fn header(format: &str, real: &str, index: &str) -> String {
        format!(
            "ply\nformat {format} 1.0\ncomment a tetrahedron\nelement vertex 4\nproperty {real} x\nproperty {real} y\n\
             property uchar red\nproperty {real} z\nelement edge 1\nproperty int a\nelement face 4\n\
             property uchar flags\nproperty list uchar {index}\nend_header\n"
        )
    }

    fn text() -> String {
        let mesh = tetrahedron();
        let vertices = mesh.vertices().iter().map(|[x, y, z]| format!("{x} {y} 255 {z}\n"));
        let faces = mesh.triangles().iter().map(|[a, b, c]| format!("7 3 {a} {b} {c}\n"));
        let head = header("ascii", "double", "int vertex_indices");
        head + &vertices.collect::<String>() + "0\n" + &faces.collect::<String>()
    }

    fn binary(big: bool) -> Vec<u8> {
        let mesh = tetrahedron();
        let format = if big { "binary_big_endian" } else { "binary_little_endian" };
        let mut content = header(format, "double", "ushort vertex_index").into_bytes();
        let real = |value: f64| if big { value.to_be_bytes() } else { value.to_le_bytes() };
        let index = |value: u32| if big { (value as u16).to_be_bytes() } else { (value as u16).to_le_bytes() };
        for &[x, y, z] in mesh.vertices() {
            content.extend([real(x), real(y)].concat());
            content.push(255);
            content.extend(real(z));
        }
        content.extend([0; 4]);
        for triangle in mesh.triangles() {
            content.extend([7, 3]);
            triangle.iter().for_each(|&corner| content.extend(index(corner)));
        }
        content
    }

    #[test]
    fn text_and_both_binary_kinds_give_the_mesh_back() {
        let mesh = tetrahedron();
        for content in [text().into_bytes(), binary(false), binary(true)] {
            let (vertices, triangles) = parse(&content).unwrap();
            assert_eq!(TriangleMesh::new(vertices, triangles).unwrap(), mesh);
        }
    }

    #[test]
    fn broken_files_are_refused() {
        let refused = |content: &str| parse(content.as_bytes()).unwrap_err().to_string();
        assert!(refused("").starts_with("not a valid PLY file: "));
        let text = text();
        assert!(refused(&text[..text.len() - 10]).starts_with("not a valid PLY file: Line "));
        let message = refused(&text.replace("property double z\n", "property double w\n"));
        assert_eq!(message, "not a valid PLY file: element 'vertex' has no property 'z'");
        assert!(refused(&text.replace("vertex_indices", "corners")).contains("'vertex_indices' or 'vertex_index'"));
        let negative = refused(&text.replace("7 3 0", "7 3 -1"));
        assert_eq!(negative, "a triangle refers to vertex -1, but there are 4, counted from 0");
        assert!(parse(&binary(false)[..300]).is_err());
    }
}
