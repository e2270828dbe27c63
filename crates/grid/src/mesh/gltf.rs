//! glTF 2.0: as text with its buffers inside or in other files (`.gltf`), and as one binary file (`.glb`).

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use super::MeshProblem;
use super::gltf_buffers::Buffers;
use super::read::{Parts, fan};

const TRIANGLES: u64 = 4;
const STRIP: u64 = 5;
const FAN: u64 = 6;

/// Extensions with these prefixes change only materials and lights.
const HARMLESS: [&str; 3] = ["KHR_materials", "KHR_texture", "KHR_lights"];

/// Reads the meshes of the file's scene, transformed by their nodes. Skins and animations are ignored.
pub(super) fn parse(content: &[u8], folder: &Path) -> Result<Parts, MeshProblem> {
    let (text, binary) = chunks(content)?;
    let root: Value = serde_json::from_slice(text).map_err(|error| broken(error.to_string()))?;
    let version = root["asset"]["version"].as_str().unwrap_or("none");
    if !version.starts_with("2.") {
        return Err(broken(format!("its version is {version}, expected 2.0")));
    }
    let required = root["extensionsRequired"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(name) = required.into_iter().find(|name| !HARMLESS.iter().any(|start| name.starts_with(start))) {
        return Err(broken(format!("it needs the extension {name}, which is not understood: export it without")));
    }
    let mut reader = Reader { root: &root, buffers: Buffers::load(&root, binary, folder)?, parts: Default::default() };
    let scene = root["scene"].as_u64().unwrap_or(0) as usize;
    match root["scenes"].get(scene) {
        Some(scene) => {
            let roots = indices(&scene["nodes"]).map(|node| Ok((node?, IDENTITY)));
            reader.visit(roots.collect::<Result<_, _>>()?)?;
        }
        // Without scenes all meshes are read as they are.
        None => {
            for mesh in 0..root["meshes"].as_array().map_or(0, Vec::len) {
                reader.mesh(mesh, &IDENTITY)?;
            }
        }
    }
    Ok(reader.parts)
}

/// The JSON part and the binary part. A text file has no binary part.
fn chunks(content: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshProblem> {
    if !content.starts_with(b"glTF") {
        return Ok((content, None));
    }
    let word = |place: usize| -> Result<usize, MeshProblem> {
        let bytes = content.get(place..place + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u32::from_le_bytes).map(|word| word as usize).ok_or_else(|| broken("it is cut short"))
    };
    if word(4)? != 2 {
        return Err(broken(format!("its version is {}, expected 2", word(4)?)));
    }
    let chunk = |start: usize| -> Result<&[u8], MeshProblem> {
        let length = word(start)?;
        let there = content.len().saturating_sub(start + 8);
        content
            .get(start + 8..start + 8 + length)
            .ok_or_else(|| broken(format!("a part of {length} bytes is announced, but {there} follow")))
    };
    let text = chunk(12)?;
    let next = 20 + text.len();
    Ok((text, if content.len() >= next + 8 { Some(chunk(next)?) } else { None }))
}

/// A matrix by columns, as the format stores it.
type Matrix4 = [[f64; 4]; 4];

const IDENTITY: Matrix4 = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

struct Reader<'a> {
    root: &'a Value,
    buffers: Buffers<'a>,
    parts: Parts,
}

impl Reader<'_> {
    /// Visits nodes, given with the transforms of their parents, and all their descendants.
    fn visit(&mut self, mut waiting: Vec<(usize, Matrix4)>) -> Result<(), MeshProblem> {
        let mut visited = HashSet::new();
        while let Some((node, parent)) = waiting.pop() {
            if !visited.insert(node) {
                return Err(broken(format!("node {node} is reached twice")));
            }
            let description = get(&self.root["nodes"], node, "node")?;
            let matrix = product(&parent, &local(description, node)?);
            if let Some(mesh) = description["mesh"].as_u64() {
                self.mesh(mesh as usize, &matrix)?;
            }
            for child in indices(&description["children"]) {
                waiting.push((child?, matrix));
            }
        }
        Ok(())
    }

    fn mesh(&mut self, mesh: usize, matrix: &Matrix4) -> Result<(), MeshProblem> {
        let description = get(&self.root["meshes"], mesh, "mesh")?;
        for primitive in description["primitives"].as_array().into_iter().flatten() {
            let mode = primitive["mode"].as_u64().unwrap_or(TRIANGLES);
            let Some(position) = primitive["attributes"]["POSITION"].as_u64() else { continue };
            if mode < TRIANGLES {
                continue; // points and lines do not bound a solid
            }
            let vertices = self.buffers.positions(position as usize)?;
            let corners = match primitive["indices"].as_u64() {
                Some(accessor) => self.buffers.indices(accessor as usize)?,
                None => (0..vertices.len() as u32).collect(),
            };
            if let Some(&index) = corners.iter().find(|&&index| index as usize >= vertices.len()) {
                return Err(MeshProblem::Index { index: index.into(), vertices: vertices.len() });
            }
            let mut triangles: Vec<[u32; 3]> = match mode {
                TRIANGLES => corners.as_chunks::<3>().0.to_vec(),
                STRIP => {
                    corners.windows(3).enumerate().map(|(place, corners)| turned(corners, place % 2 == 1)).collect()
                }
                FAN => fan(&corners).collect(),
                other => return Err(broken(format!("mesh {mesh} has the mode {other}, expected 0 to 6"))),
            };
            if determinant(matrix) < 0.0 {
                triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2)); // the transform mirrors
            }
            let first = self.parts.0.len() as u32;
            self.parts.0.extend(vertices.iter().map(|vertex| applied(matrix, *vertex)));
            self.parts.1.extend(triangles.iter().map(|triangle| triangle.map(|corner| first + corner)));
        }
        Ok(())
    }
}

fn turned(corners: &[u32], odd: bool) -> [u32; 3] {
    if odd { [corners[1], corners[0], corners[2]] } else { [corners[0], corners[1], corners[2]] }
}

/// The transform of a node: a matrix, or translation · rotation · scale.
fn local(node: &Value, index: usize) -> Result<Matrix4, MeshProblem> {
    let numbers = |name: &str, usual: &[f64]| -> Result<Vec<f64>, MeshProblem> {
        let Some(list) = node[name].as_array() else { return Ok(usual.to_vec()) };
        let found: Vec<f64> = list.iter().filter_map(Value::as_f64).collect();
        let is_sound = found.len() == usual.len() && list.len() == usual.len();
        let expected = usual.len();
        is_sound
            .then_some(found)
            .ok_or_else(|| broken(format!("node {index}: `{name}` is not a list of {expected} numbers")))
    };
    if node["matrix"].is_array() {
        let flat = numbers("matrix", &[0.0; 16])?;
        return Ok(std::array::from_fn(|column| std::array::from_fn(|row| flat[4 * column + row])));
    }
    let shift = numbers("translation", &[0.0; 3])?;
    let turn = numbers("rotation", &[0.0, 0.0, 0.0, 1.0])?;
    let scale = numbers("scale", &[1.0; 3])?;
    let [x, y, z, w] = [turn[0], turn[1], turn[2], turn[3]];
    let rotation = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let column = |k: usize| [rotation[k][0] * scale[k], rotation[k][1] * scale[k], rotation[k][2] * scale[k], 0.0];
    Ok([column(0), column(1), column(2), [shift[0], shift[1], shift[2], 1.0]])
}

fn product(a: &Matrix4, b: &Matrix4) -> Matrix4 {
    std::array::from_fn(|column| std::array::from_fn(|row| (0..4).map(|k| a[k][row] * b[column][k]).sum()))
}

fn applied(matrix: &Matrix4, [x, y, z]: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|row| matrix[0][row] * x + matrix[1][row] * y + matrix[2][row] * z + matrix[3][row])
}

fn determinant(m: &Matrix4) -> f64 {
    let column = |k: usize| [m[k][0], m[k][1], m[k][2]];
    crate::vector::dot(column(0), crate::vector::cross(column(1), column(2)))
}

fn indices(list: &Value) -> impl Iterator<Item = Result<usize, MeshProblem>> {
    let item = |value: &Value| {
        value.as_u64().map(|index| index as usize).ok_or_else(|| broken(format!("{value} is not an index")))
    };
    list.as_array().into_iter().flatten().map(item)
}

/// An entry of a JSON list.
pub(super) fn get<'a>(list: &'a Value, index: usize, what: &str) -> Result<&'a Value, MeshProblem> {
    let count = list.as_array().map_or(0, Vec::len);
    list.get(index).ok_or_else(|| broken(format!("there is no {what} {index}: there are {count}, counted from 0")))
}

pub(super) fn broken(reason: impl Into<String>) -> MeshProblem {
    MeshProblem::Broken { format: "glTF", reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn assert_near(a: [f64; 3], b: [f64; 3]) {
        assert!((0..3).all(|axis| (a[axis] - b[axis]).abs() < 1e-12), "{a:?} against {b:?}");
    }

    #[test]
    fn a_node_scales_then_rotates_then_shifts() {
        let half = 0.5f64.sqrt();
        let node = json!({ "translation": [10, 0, 0], "rotation": [0, 0, half, half], "scale": [2, 1, 1] });
        let matrix = local(&node, 0).unwrap();
        assert_near(applied(&matrix, [1.0, 0.0, 0.0]), [10.0, 2.0, 0.0]);
        assert_near(applied(&matrix, [0.0, 1.0, 5.0]), [9.0, 0.0, 5.0]);
        assert!((determinant(&matrix) - 2.0).abs() < 1e-12);
        let same = json!({ "matrix": matrix.as_flattened() });
        assert_eq!(local(&same, 0).unwrap(), matrix);
        assert_eq!(local(&json!({}), 0).unwrap(), IDENTITY);
        assert!(local(&json!({ "matrix": [1, 2] }), 3).unwrap_err().to_string().contains("node 3: `matrix`"));
    }

    #[test]
    fn the_transform_of_a_parent_acts_after_that_of_its_child() {
        let shift = local(&json!({ "translation": [1, 0, 0] }), 0).unwrap();
        let scale = local(&json!({ "scale": [3, 3, 3] }), 0).unwrap();
        assert_near(applied(&product(&shift, &scale), [1.0, 1.0, 0.0]), [4.0, 3.0, 0.0]);
    }

    #[test]
    fn the_triangles_of_a_strip_alternate_their_order() {
        let strip: Vec<[u32; 3]> =
            [0, 1, 2, 3].windows(3).enumerate().map(|(place, corners)| turned(corners, place % 2 == 1)).collect();
        assert_eq!(strip, [[0, 1, 2], [2, 1, 3]]);
    }

    #[test]
    fn a_binary_file_is_split_into_its_parts() {
        let mut file = b"glTF\x02\0\0\0\0\0\0\0\x02\0\0\0JSON{}".to_vec();
        assert_eq!(chunks(&file).unwrap(), (&b"{}"[..], None));
        file.extend(b"\x01\0\0\0BIN\0!");
        assert_eq!(chunks(&file).unwrap(), (&b"{}"[..], Some(&b"!"[..])));
        assert_eq!(chunks(b"{}").unwrap(), (&b"{}"[..], None));
        let long = chunks(&file[..file.len() - 1]).unwrap_err().to_string();
        assert!(long.ends_with("a part of 1 bytes is announced, but 0 follow"), "{long}");
        file[4] = 1;
        assert!(chunks(&file).unwrap_err().to_string().contains("its version is 1, expected 2"));
    }
}
