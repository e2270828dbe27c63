//! The file around the trees: header, descriptors, metadata, transforms.

use unstick_grid::Grid;

use super::tree::Tree;
use super::value::{Precision, Value};

const MAGIC: i64 = 0x5644_4220;
const FORMAT: u32 = 224;
/// The library whose files these are like.
const LIBRARY: [u32; 2] = [10, 0];
/// Buffers are packed by zlib and hold active voxels only.
const ZIP_AND_ACTIVE_MASK: u32 = 1 | 2;

/// What a grid is meant as.
#[derive(Clone, Copy, Debug)]
pub(super) enum GridClass {
    LevelSet,
    Staggered,
    Unknown,
}

/// A fact about a file or a grid.
pub(super) enum Meta {
    Text(String),
    Truth(bool),
    Long(i64),
    Double(f64),
    Place([i32; 3]),
}

/// A grid in its parts: what stands before the values, and they themselves.
pub(super) struct EncodedGrid {
    name: &'static str,
    kind: String,
    head: Vec<u8>,
    buffers: Vec<u8>,
}

/// A tree with its name, class and place in space.
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
    let mut facts = vec![("class", Meta::Text(class.into()))];
    if let Some((lower, upper)) = tree.bounds {
        facts.push(("file_bbox_max", Meta::Place(upper)));
        facts.push(("file_bbox_min", Meta::Place(lower)));
    }
    facts.extend([
        ("file_compression", Meta::Text("zip + active values".into())),
        ("file_mem_bytes", Meta::Long((topology.len() + tree.active as usize * size_of::<V>()) as i64)),
        ("file_voxel_count", Meta::Long(tree.active as i64)),
        ("is_local_space", Meta::Truth(false)),
        ("is_saved_as_half_float", Meta::Truth(is_half)),
        ("name", Meta::Text(name.into())),
    ]);
    facts.extend(vectors.map(|kind| ("vector_type", Meta::Text(kind.into()))));
    let mut head = ZIP_AND_ACTIVE_MASK.to_le_bytes().to_vec();
    metadata(&facts, &mut head);
    transform(grid, &mut head);
    head.extend(topology);
    let kind = format!("Tree_{}_5_4_3{}", V::NAME, if is_half { "_HalfFloat" } else { "" });
    EncodedGrid { name, kind, head, buffers }
}

/// All grids in one file. The same content gives the same bits.
pub(super) fn file(grids: &[EncodedGrid], about: &[(&str, Meta)]) -> Vec<u8> {
    let mut bytes = MAGIC.to_le_bytes().to_vec();
    for word in [FORMAT, LIBRARY[0], LIBRARY[1]] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.push(1); // grids can be found by their offsets
    bytes.extend(identity(grids).as_bytes());
    metadata(about, &mut bytes);
    bytes.extend((grids.len() as u32).to_le_bytes());
    for grid in grids {
        for part in [grid.name, &grid.kind, ""] {
            text(part, &mut bytes);
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

/// 128 bits in the spelling of a UUID, made of the content.
fn identity(grids: &[EncodedGrid]) -> String {
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

fn metadata(facts: &[(&str, Meta)], bytes: &mut Vec<u8>) {
    bytes.extend((facts.len() as u32).to_le_bytes());
    for (name, fact) in facts {
        text(name, bytes);
        let (kind, value): (&str, Vec<u8>) = match fact {
            Meta::Text(value) => ("string", value.clone().into_bytes()),
            Meta::Truth(value) => ("bool", vec![u8::from(*value)]),
            Meta::Long(value) => ("int64", value.to_le_bytes().into()),
            Meta::Double(value) => ("double", value.to_le_bytes().into()),
            Meta::Place(value) => ("vec3i", value.iter().flat_map(|index| index.to_le_bytes()).collect()),
        };
        text(kind, bytes);
        bytes.extend((value.len() as u32).to_le_bytes());
        bytes.extend(value);
    }
}

/// From indices to space: the index of a voxel is its centre.
fn transform(grid: &Grid<3>, bytes: &mut Vec<u8>) {
    text("UniformScaleTranslateMap", bytes);
    let scale = grid.spacing();
    let shift: [f64; 3] = grid.origin().map(|value| value + 0.5 * scale);
    let (inverse, half) = (1.0 / scale, 0.5 / scale);
    // Translation, scale, voxel size, its inverse, the square of that, and half of it.
    for vector in [shift, [scale; 3], [scale; 3], [inverse; 3], [inverse * inverse; 3], [half; 3]] {
        vector.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    }
}

fn text(value: &str, bytes: &mut Vec<u8>) {
    bytes.extend((value.len() as u32).to_le_bytes());
    bytes.extend(value.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::{Grids, Liquid, liquid};
    use super::*;
    use unstick_grid::{CellField, SignedDistance, sample_cells};

    /// A file of a ball; whether its content is right is for OpenVDB's own tools to say.
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
    fn grids_lie_where_their_descriptors_say_and_fill_the_file() {
        let bytes = ball();
        let mut next = 0;
        for (name, kind) in [("surface", "Tree_float_5_4_3"), ("velocity", "Tree_vec3s_5_4_3")] {
            let mut descriptor = Vec::new();
            [name, kind, ""].iter().for_each(|part| text(part, &mut descriptor));
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
