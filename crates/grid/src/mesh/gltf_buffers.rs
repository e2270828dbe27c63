//! The numbers of a glTF file: accessors into views of buffers.

use std::borrow::Cow;
use std::path::Path;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::MeshProblem;
use super::gltf::{broken, get};

const UNSIGNED_BYTE: u64 = 5121;
const UNSIGNED_SHORT: u64 = 5123;
const UNSIGNED_INT: u64 = 5125;
const FLOAT: u64 = 5126;

/// All buffers of a file, and the JSON that describes them.
pub(super) struct Buffers<'a> {
    root: &'a Value,
    data: Vec<Cow<'a, [u8]>>,
}

impl<'a> Buffers<'a> {
    /// Loads the buffers from the binary part, from the text, or from files in the same folder.
    pub fn load(root: &'a Value, binary: Option<&'a [u8]>, folder: &Path) -> Result<Self, MeshProblem> {
        let mut data = Vec::new();
        for (index, buffer) in root["buffers"].as_array().into_iter().flatten().enumerate() {
            let found = match buffer["uri"].as_str() {
                None => Cow::Borrowed(binary.ok_or_else(|| broken(format!("buffer {index} is nowhere")))?),
                Some(uri) => {
                    Cow::Owned(fetch(uri, folder).map_err(|reason| broken(format!("buffer {index}: {reason}")))?)
                }
            };
            let expected = number(buffer, "byteLength").unwrap_or(0);
            if found.len() < expected {
                return Err(broken(format!("buffer {index} has {} bytes, {expected} were announced", found.len())));
            }
            data.push(found);
        }
        Ok(Self { root, data })
    }

    /// Positions of vertices.
    pub fn positions(&self, accessor: usize) -> Result<Vec<[f64; 3]>, MeshProblem> {
        let items = self.items(accessor, "VEC3", &[FLOAT])?;
        let value = |item: &[u8], axis: usize| {
            let bytes = [0, 1, 2, 3].map(|byte| item[4 * axis + byte]);
            f64::from(f32::from_le_bytes(bytes))
        };
        Ok(items.iter().map(|item| [0, 1, 2].map(|axis| value(item, axis))).collect())
    }

    /// Indices of vertices.
    pub fn indices(&self, accessor: usize) -> Result<Vec<u32>, MeshProblem> {
        let items = self.items(accessor, "SCALAR", &[UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT])?;
        Ok(items.iter().map(|item| item.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte))).collect())
    }

    /// The bytes of every item, checked to lie within the buffer.
    fn items(&self, accessor: usize, shape: &str, kinds: &[u64]) -> Result<Vec<&[u8]>, MeshProblem> {
        let description = get(&self.root["accessors"], accessor, "accessor")?;
        let refuse = |reason: String| broken(format!("accessor {accessor} {reason}"));
        let (kind, found) =
            (description["componentType"].as_u64().unwrap_or(0), description["type"].as_str().unwrap_or("none"));
        if found != shape || !kinds.contains(&kind) {
            return Err(refuse(format!("has the type {found} of components {kind}, expected {shape} of {kinds:?}")));
        }
        if !description["sparse"].is_null() {
            return Err(refuse("is sparse, which is not understood: export it without".into()));
        }
        let Some(view_index) = number(description, "bufferView") else {
            return Err(refuse("has no bufferView".into()));
        };
        let view = get(&self.root["bufferViews"], view_index, "bufferView")?;
        let buffer = number(view, "buffer").and_then(|index| self.data.get(index));
        let buffer = buffer.ok_or_else(|| refuse("lies in a buffer that is not there".into()))?;
        let (start, length) = (number(view, "byteOffset").unwrap_or(0), number(view, "byteLength").unwrap_or(0));
        let bytes = start.checked_add(length).and_then(|end| buffer.get(start..end));
        let bytes = bytes.ok_or_else(|| {
            refuse(format!("lies in {length} bytes from {start} on of a buffer of {} bytes", buffer.len()))
        })?;
        let component = match kind {
            UNSIGNED_BYTE => 1,
            UNSIGNED_SHORT => 2,
            _ => 4,
        };
        let size = component * if shape == "VEC3" { 3 } else { 1 };
        let stride = number(view, "byteStride").unwrap_or(size).max(size);
        let (offset, count) =
            (number(description, "byteOffset").unwrap_or(0), number(description, "count").unwrap_or(0));
        let end = count
            .checked_sub(1)
            .map_or(Some(offset), |last| last.checked_mul(stride)?.checked_add(offset)?.checked_add(size));
        if end.is_none_or(|end| end > bytes.len()) {
            return Err(refuse(format!("has {count} items {stride} bytes apart, more than its {length} bytes hold")));
        }
        Ok((0..count).map(|item| &bytes[offset + item * stride..offset + item * stride + size]).collect())
    }
}

fn number(value: &Value, name: &str) -> Option<usize> {
    value[name].as_u64().map(|number| number as usize)
}

fn fetch(uri: &str, folder: &Path) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, text) = data.split_once(";base64,").ok_or("its data is not in base64")?;
        return STANDARD.decode(text).map_err(|error| error.to_string());
    }
    let name = uri.replace("%20", " ");
    let path = folder.join(&name);
    // A device or a pipe could deliver data without end.
    if !path.is_file() {
        return Err(format!("there is no file {name} beside it"));
    }
    std::fs::read(path).map_err(|error| format!("{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::super::gltf::parse;
    use super::super::test_shapes::tetrahedron;
    use super::*;
    use crate::TriangleMesh;
    use serde_json::json;

    /// A tetrahedron with its buffer in the text.
    fn specimen() -> Value {
        let mesh = tetrahedron();
        let mut bytes: Vec<u8> =
            mesh.vertices().as_flattened().iter().flat_map(|&value| (value as f32).to_le_bytes()).collect();
        let split = bytes.len();
        bytes.extend(mesh.triangles().as_flattened().iter().flat_map(|&index| (index as u16).to_le_bytes()));
        json!({
            "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
            "nodes": [{ "children": [1], "translation": [1.0, 2.0, 3.0] }, { "mesh": 0, "scale": [2.0, 2.0, -2.0] }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
            "accessors": [
                { "bufferView": 0, "componentType": FLOAT, "count": 4, "type": "VEC3" },
                { "bufferView": 1, "componentType": UNSIGNED_SHORT, "count": 12, "type": "SCALAR" },
            ],
            "bufferViews": [
                { "buffer": 0, "byteLength": split },
                { "buffer": 0, "byteOffset": split, "byteLength": bytes.len() - split },
            ],
            "buffers": [{
                "byteLength": bytes.len(),
                "uri": format!("data:application/octet-stream;base64,{}", STANDARD.encode(&bytes)),
            }],
        })
    }

    fn read(value: &Value) -> Result<TriangleMesh, MeshProblem> {
        let (vertices, triangles) = parse(value.to_string().as_bytes(), Path::new("."))?;
        TriangleMesh::new(vertices, triangles).map_err(|error| error.problem)
    }

    #[test]
    fn nodes_move_scale_and_mirror_their_meshes() {
        let mesh = read(&specimen()).unwrap();
        let plain = tetrahedron();
        assert!((mesh.volume() - 8.0 * plain.volume()).abs() < 1e-6);
        let (lower, upper) = plain.bounds();
        assert!(
            (mesh.bounds().1[2] - (3.0 - 2.0 * lower[2])).abs() < 1e-6
                && (mesh.bounds().1[0] - (1.0 + 2.0 * upper[0])).abs() < 1e-6
        );
    }

    #[test]
    fn a_binary_file_gives_the_same_mesh() {
        let mut value = specimen();
        let uri = value["buffers"][0]["uri"].take();
        let data = STANDARD.decode(uri.as_str().unwrap().split_once(',').unwrap().1).unwrap();
        value["buffers"][0].as_object_mut().unwrap().remove("uri");
        let mut text = value.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = 28 + text.len() + data.len();
        let mut bytes = b"glTF".to_vec();
        for word in [2, total, text.len(), 0x4E4F_534A] {
            bytes.extend((word as u32).to_le_bytes());
        }
        bytes.extend(&text);
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(0x004E_4942u32.to_le_bytes());
        bytes.extend(&data);
        let (vertices, triangles) = parse(&bytes, Path::new(".")).unwrap();
        assert_eq!(TriangleMesh::new(vertices, triangles).unwrap(), read(&specimen()).unwrap());
        for cut in [3, 7, 15, 40, bytes.len() - 5] {
            assert!(parse(&bytes[..cut], Path::new(".")).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn broken_files_are_refused_with_names_and_numbers() {
        type Change = dyn Fn(&mut Value);
        let refused = |change: &Change| {
            let mut value = specimen();
            change(&mut value);
            read(&value).unwrap_err().to_string().replace("not a valid glTF file: ", "")
        };
        let cases: [(&Change, &str); 10] = [
            (&|v| v["asset"]["version"] = json!("1.0"), "its version is 1.0, expected 2.0"),
            (&|v| v["nodes"][1]["children"] = json!([0]), "node 0 is reached twice"),
            (&|v| v["nodes"][1]["mesh"] = json!(7), "there is no mesh 7: there are 1, counted from 0"),
            (&|v| v["nodes"][0]["translation"] = json!([1.0]), "node 0: `translation` is not a list of 3 numbers"),
            (
                &|v| v["accessors"][0]["count"] = json!(5),
                "accessor 0 has 5 items 12 bytes apart, more than its 48 bytes hold",
            ),
            (
                &|v| v["accessors"][0]["componentType"] = json!(5123),
                "accessor 0 has the type VEC3 of components 5123, expected VEC3 of [5126]",
            ),
            (
                &|v| v["bufferViews"][1]["byteOffset"] = json!(60),
                "accessor 1 lies in 24 bytes from 60 on of a buffer of 72 bytes",
            ),
            (&|v| v["buffers"][0]["byteLength"] = json!(73), "buffer 0 has 72 bytes, 73 were announced"),
            (&|v| v["buffers"][0]["uri"] = json!("gone.bin"), "buffer 0: there is no file gone.bin beside it"),
            (
                &|v| v["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]),
                "it needs the extension KHR_draco_mesh_compression, which is not understood: export it without",
            ),
        ];
        for (change, expected) in cases {
            assert_eq!(refused(change), expected);
        }
        assert!(parse(b"{", Path::new(".")).unwrap_err().to_string().contains("line 1 column 1"));
    }
}
