//! glTF 2.0 in one binary file (`.glb`).

use serde_json::{Value, json};

use crate::Surface;

const MAGIC: u32 = 0x4654_6C67; // "glTF"
const JSON: u32 = 0x4E4F_534A;
const BINARY: u32 = 0x004E_4942;
const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// A mesh of triangles with normals. An empty surface gives a scene without a mesh, because the format allows no empty mesh.
pub fn surface(surface: &Surface) -> Vec<u8> {
    let bytes = |vectors: &[[f32; 3]]| -> Vec<u8> {
        vectors.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect()
    };
    let mut data = bytes(&surface.vertices);
    let positions = data.len();
    data.extend(bytes(&surface.normals()));
    data.extend(surface.triangles.as_flattened().iter().flat_map(|index| index.to_le_bytes()));
    container(&description(surface, positions, data.len()), &data)
}

fn description(surface: &Surface, positions: usize, length: usize) -> Value {
    let asset = json!({ "version": "2.0", "generator": concat!("unstick ", env!("CARGO_PKG_VERSION")) });
    let extras = json!({ "time": surface.time });
    if surface.triangles.is_empty() {
        return json!({ "asset": asset, "scene": 0, "scenes": [{ "extras": extras }] });
    }
    let [lower, upper] = surface.bounds();
    json!({
        "asset": asset,
        "scene": 0,
        "scenes": [{ "nodes": [0], "extras": extras }],
        "nodes": [{ "mesh": 0, "name": "liquid" }],
        "materials": [{
            "name": "liquid",
            "pbrMetallicRoughness": { "baseColorFactor": [0.1, 0.35, 0.7, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.1 },
        }],
        "meshes": [{
            "name": "liquid",
            "primitives": [{ "attributes": { "POSITION": 0, "NORMAL": 1 }, "indices": 2, "material": 0, "mode": 4 }],
        }],
        "accessors": [
            { "bufferView": 0, "componentType": FLOAT, "count": surface.vertices.len(), "type": "VEC3", "min": lower, "max": upper },
            { "bufferView": 1, "componentType": FLOAT, "count": surface.vertices.len(), "type": "VEC3" },
            { "bufferView": 2, "componentType": UNSIGNED, "count": 3 * surface.triangles.len(), "type": "SCALAR" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": positions, "target": VERTICES },
            { "buffer": 0, "byteOffset": positions, "byteLength": positions, "target": VERTICES },
            { "buffer": 0, "byteOffset": 2 * positions, "byteLength": length - 2 * positions, "target": INDICES },
        ],
        "buffers": [{ "byteLength": length }],
    })
}

/// A header and chunks. Each chunk is padded to a multiple of four bytes.
fn container(description: &Value, data: &[u8]) -> Vec<u8> {
    let mut text = description.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let padded = data.len().next_multiple_of(4);
    let with_data = if data.is_empty() { 0 } else { 8 + padded };
    let mut bytes = Vec::with_capacity(20 + text.len() + with_data);
    for word in [MAGIC, 2, (20 + text.len() + with_data) as u32, text.len() as u32, JSON] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(text);
    if !data.is_empty() {
        bytes.extend((padded as u32).to_le_bytes());
        bytes.extend(BINARY.to_le_bytes());
        bytes.extend(data);
        bytes.resize(bytes.len() + padded - data.len(), 0);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_add_up_and_an_empty_mesh_is_a_valid_scene() {
        let triangle = Surface {
            vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2]],
            ..Surface::default()
        };
        for surface in [triangle, Surface::default()] {
            let bytes = super::surface(&surface);
            let word = |place: usize| u32::from_le_bytes(bytes[place..place + 4].try_into().unwrap()) as usize;
            assert_eq!(word(8), bytes.len());
            let parsed: Value = serde_json::from_slice(&bytes[20..20 + word(12)]).unwrap();
            assert_eq!(parsed["meshes"].is_null(), surface.triangles.is_empty());
            if let Some(views) = parsed["bufferViews"].as_array() {
                let end = |view: &Value| view["byteOffset"].as_u64().unwrap() + view["byteLength"].as_u64().unwrap();
                assert_eq!(views.iter().map(end).collect::<Vec<_>>(), [36, 72, 84]);
                let start = 20 + word(12) + 8 + 36;
                let normal = [0, 4, 8].map(|place| f32::from_bits(word(start + place) as u32));
                assert_eq!(
                    (normal, &parsed["meshes"][0]["primitives"][0]["attributes"]["NORMAL"]),
                    ([0.0, 0.0, 1.0], &json!(1))
                );
            }
        }
    }
}
