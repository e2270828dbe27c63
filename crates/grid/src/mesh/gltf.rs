//! glTF 2.0, as text (`.gltf`, with its buffers beside it or within) and as one binary file (`.glb`).

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use super::MeshProblem;
use super::gltf_buffers::Buffers;
use super::read::{Parts, fan};

const TRIANGLES: u64 = 4;
const STRIP: u64 = 5;
const FAN: u64 = 6;

/// Extensions that change materials and lights alone begin with one of these.
const HARMLESS: [&str; 3] = ["KHR_materials", "KHR_texture", "KHR_lights"];

/// Reads the meshes of the file's scene where its nodes put them; skins and animations are not followed.
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
        // Without scenes there are only meshes.
        None => {
            for mesh in 0..root["meshes"].as_array().map_or(0, Vec::len) {
                reader.mesh(mesh, &IDENTITY)?;
            }
        }
    }
    Ok(reader.parts)
}

/// The description and the binary part; of a text the whole, and nothing.
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

/// By columns, as the format has it.
type Matrix4 = [[f64; 4]; 4];

const IDENTITY: Matrix4 = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

struct Reader<'a> {
    root: &'a Value,
    buffers: Buffers<'a>,
    parts: Parts,
}

impl Reader<'_> {
    /// Goes through nodes, given with the transforms of their parents, and all that hangs on them.
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
                continue; // points and lines bound no solid
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
                triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2)); // a mirror
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
        value.as_u64().map(|index| index as usize).ok_or_else(|| broken(format!("{value} is no index")))
    };
    list.as_array().into_iter().flatten().map(item)
}

/// An entry of a list.
pub(super) fn get<'a>(list: &'a Value, index: usize, what: &str) -> Result<&'a Value, MeshProblem> {
    let count = list.as_array().map_or(0, Vec::len);
    list.get(index).ok_or_else(|| broken(format!("there is no {what} {index}: there are {count}, counted from 0")))
}

pub(super) fn broken(reason: impl Into<String>) -> MeshProblem {
    MeshProblem::Broken { format: "glTF", reason: reason.into() }
}
