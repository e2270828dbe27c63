//! The file around the trees: header, descriptors, metadata, transforms.

use unstick_grid::Grid;

use super::tree::Tree;
use super::value::{Precision, Value};

const MAGIC: i64 = 0x5644_4220;
const FORMAT: u32 = 224;
/// The version of the library whose format this is.
const LIBRARY: [u32; 2] = [10, 0];
/// Buffers are compressed by zlib and hold only active voxels.
const ZIP_AND_ACTIVE_MASK: u32 = 1 | 2;

/// The meaning of a grid.
#[derive(Clone, Copy, Debug)]
pub(super) enum GridClass {
    LevelSet,
    Staggered,
    Unknown,
}

/// A value of the metadata of a file or a grid.
pub(super) enum Metadata {
    Text(String),
    Bool(bool),
    Long(i64),
    Double(f64),
    Index([i32; 3]),
}

/// An encoded grid: everything before the values, and the values.
pub(super) struct EncodedGrid {
    name: &'static str,
    kind: String,
    head: Vec<u8>,
    buffers: Vec<u8>,
}

/// Encodes a tree with its name, class and transform.
pub(super) fn encode_grid<V: Value>(
    name: &'static str,
    class: GridClass,
    tree: &Tree<V>,
    grid: &Grid<3>,
    precision: Precision,
) -> EncodedGrid {
    let is_half = precision == Precision::Half;
    let buffers = tree.buffers(precision);
    let topology = tree.topology(precision);
    let (class, vectors) = match class {
        GridClass::LevelSet => ("level set", None),
        GridClass::Staggered => ("staggered", Some("contravariant relative")),
        GridClass::Unknown => ("unknown", None),
    };
    let mut entries = vec![("class", Metadata::Text(class.into()))];
    if let Some((lower, upper)) = tree.bounds {
        entries.push(("file_bbox_max", Metadata::Index(upper)));
        entries.push(("file_bbox_min", Metadata::Index(lower)));
    }
    entries.extend([
        ("file_compression", Metadata::Text("zip + active values".into())),
        ("file_mem_bytes", Metadata::Long((topology.len() + tree.active as usize * size_of::<V>()) as i64)),
        ("file_voxel_count", Metadata::Long(tree.active as i64)),
        ("is_local_space", Metadata::Bool(false)),
        ("is_saved_as_half_float", Metadata::Bool(is_half)),
        ("name", Metadata::Text(name.into())),
    ]);
    entries.extend(vectors.map(|kind| ("vector_type", Metadata::Text(kind.into()))));
    let mut head = ZIP_AND_ACTIVE_MASK.to_le_bytes().to_vec();
    write_metadata(&entries, &mut head);
    write_transform(grid, &mut head);
    head.extend(topology);
    let kind = format!("Tree_{}_5_4_3{}", V::NAME, if is_half { "_HalfFloat" } else { "" });
    EncodedGrid { name, kind, head, buffers }
}

/// A file of all grids. The same content gives the same bits.
pub(super) fn file(grids: &[EncodedGrid], about: &[(&str, Metadata)]) -> Vec<u8> {
    let mut bytes = MAGIC.to_le_bytes().to_vec();
    for word in [FORMAT, LIBRARY[0], LIBRARY[1]] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.push(1); // the file has offsets to its grids
    bytes.extend(content_uuid(grids).as_bytes());
    write_metadata(about, &mut bytes);
    bytes.extend((grids.len() as u32).to_le_bytes());
    for grid in grids {
        for part in [grid.name, &grid.kind, ""] {
            write_text(part, &mut bytes);
        }
        let start = bytes.len() + 3 * 8;
        let values = start + grid.head.len();
        for offset in [start, values, values + grid.buffers.len()] {
            bytes.extend((offset as i64).to_le_bytes());
        }
        bytes.extend(&grid.head);
        bytes.extend(&grid.buffers);
    }
    bytes
}

/// A UUID computed from the content.
fn content_uuid(grids: &[EncodedGrid]) -> String {
    let hex: String = (0..4)
        .map(|seed| {
            let mut hasher = crc32fast::Hasher::new_with_initial(seed);
            for grid in grids {
                hasher.update(&grid.head);
                hasher.update(&grid.buffers);
            }
            format!("{:08x}", hasher.finalize())
        })
        .collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

fn write_metadata(entries: &[(&str, Metadata)], bytes: &mut Vec<u8>) {
    bytes.extend((entries.len() as u32).to_le_bytes());
    for (name, entry) in entries {
        write_text(name, bytes);
        let (kind, value): (&str, Vec<u8>) = match entry {
            Metadata::Text(value) => ("string", value.clone().into_bytes()),
            Metadata::Bool(value) => ("bool", vec![u8::from(*value)]),
            Metadata::Long(value) => ("int64", value.to_le_bytes().into()),
            Metadata::Double(value) => ("double", value.to_le_bytes().into()),
            Metadata::Index(value) => ("vec3i", value.iter().flat_map(|index| index.to_le_bytes()).collect()),
        };
        write_text(kind, bytes);
        bytes.extend((value.len() as u32).to_le_bytes());
        bytes.extend(value);
    }
}

/// The transform from indices to space. The index of a voxel is the position of its centre.
fn write_transform(grid: &Grid<3>, bytes: &mut Vec<u8>) {
    write_text("UniformScaleTranslateMap", bytes);
    let scale = grid.spacing();
    let shift: [f64; 3] = grid.origin().map(|value| value + 0.5 * scale);
    let (inverse, half) = (1.0 / scale, 0.5 / scale);
    // Translation, scale, voxel size, inverse scale, its square, and half of it.
    for vector in [shift, [scale; 3], [scale; 3], [inverse; 3], [inverse * inverse; 3], [half; 3]] {
        vector.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    }
}

fn write_text(value: &str, bytes: &mut Vec<u8>) {
    bytes.extend((value.len() as u32).to_le_bytes());
    bytes.extend(value.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::{Grids, Liquid, liquid};
    use super::*;
    use unstick_grid::{CellField, SignedDistance, sample_cells};

    /// A file of a ball. OpenVDB's own tools check its content in `.ci/files.sh`.
    fn ball() -> Vec<u8> {
        let grid = Grid::<3>::unit(20).unwrap();
        let ball = SignedDistance::sphere([0.5; 3], 0.3);
        let values = Liquid {
            frame: 0,
            time: 0.0,
            grid,
            distance: &sample_cells(&grid, |point| ball.at(point)),
            velocity: &std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |[x, ..]| x as f64)),
            pressure: &CellField::from_fn(&grid, |_| 0.0),
        };
        liquid(&values, &[Grids::Surface, Grids::Velocity], Precision::Single)
    }

    #[test]
    fn descriptors_point_to_their_grids_and_the_grids_fill_the_file() {
        let bytes = ball();
        let mut next = 0;
        for (name, kind) in [("surface", "Tree_float_5_4_3"), ("velocity", "Tree_vec3s_5_4_3")] {
            let mut descriptor = Vec::new();
            [name, kind, ""].iter().for_each(|part| write_text(part, &mut descriptor));
            let place = bytes.windows(descriptor.len()).position(|window| window == descriptor).unwrap();
            assert!(next == 0 || next == place, "{name} begins where the grid before it ends");
            let start = place + descriptor.len();
            let offset = |index: usize| {
                let here = start + 8 * index;
                i64::from_le_bytes(bytes[here..here + 8].try_into().unwrap()) as usize
            };
            assert_eq!(offset(0), start + 24);
            assert_eq!(bytes[offset(0)..offset(0) + 4], 3u32.to_le_bytes());
            assert!(offset(0) < offset(1) && offset(1) < offset(2));
            next = offset(2);
        }
        assert_eq!(next, bytes.len());
    }

    #[test]
    fn the_same_liquid_gives_the_same_bits_on_any_number_of_threads() {
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(ball);
        let crowded = rayon::ThreadPoolBuilder::new().num_threads(5).build().unwrap().install(ball);
        assert!(alone == crowded);
    }
}
