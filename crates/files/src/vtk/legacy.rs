//! Legacy VTK files in binary form, which is big-endian.

use crate::{Fields, Points, in_space};

/// Positions, velocities and numbers of particles.
pub fn points<const D: usize>(points: &Points<'_, D>) -> Vec<u8> {
    let count = points.len();
    let mut file = File::new(points.time);
    file.line(&format!("DATASET POLYDATA\nPOINTS {count} float"));
    file.floats(points.positions().flatten());
    file.line(&format!("VERTICES {count} {}", 2 * count));
    file.integers((0..count).flat_map(|index| [1, index as i32]), i32::to_be_bytes);
    file.line(&format!("POINT_DATA {count}\nVECTORS velocity float"));
    file.floats(points.velocities().flatten());
    // As a field: ParaView colours by scalars.
    file.line(&format!("FIELD FieldData 1\nid 1 {count} vtktypeint64"));
    file.integers(points.ids(), i64::to_be_bytes);
    file.bytes
}

/// Fields of the cells, velocity among them, and of the nodes.
pub fn fields<const D: usize>(fields: &Fields<'_, D>) -> Vec<u8> {
    let nodes = fields.nodes_along();
    let [x, y, z] = in_space(&fields.grid.origin());
    let mut file = File::new(fields.time);
    file.line(&format!("DATASET STRUCTURED_POINTS\nDIMENSIONS {} {} {}", nodes[0], nodes[1], nodes[2]));
    file.line(&format!("ORIGIN {x} {y} {z}\nSPACING {0} {0} {0}", fields.grid.spacing()));
    file.line(&format!("CELL_DATA {}", fields.grid.len()));
    for (name, values) in &fields.cells {
        file.line(&format!("SCALARS {name} float 1\nLOOKUP_TABLE default"));
        file.floats(values.iter().map(|&value| value.into()));
    }
    file.line("VECTORS velocity float");
    file.floats(fields.velocity_of_cells().flatten());
    file.line(&format!("POINT_DATA {}", nodes.iter().product::<usize>()));
    for (name, values) in &fields.nodes {
        file.line(&format!("SCALARS {name} float 1\nLOOKUP_TABLE default"));
        file.floats(values.values().iter().copied());
    }
    file.bytes
}

struct File {
    bytes: Vec<u8>,
}

impl File {
    fn new(time: f64) -> Self {
        Self { bytes: format!("# vtk DataFile Version 3.0\nunstick, time {time} s\nBINARY").into_bytes() }
    }

    /// Writes a line. A line feed before it ends the data that may precede it.
    fn line(&mut self, text: &str) {
        self.bytes.push(b'\n');
        self.bytes.extend(text.as_bytes());
        self.bytes.push(b'\n');
    }

    fn floats(&mut self, values: impl Iterator<Item = f64>) {
        values.for_each(|value| self.bytes.extend((value as f32).to_be_bytes()));
    }

    fn integers<T, const BYTES: usize>(&mut self, values: impl Iterator<Item = T>, big_endian: fn(T) -> [u8; BYTES]) {
        values.for_each(|value| self.bytes.extend(big_endian(value)));
    }
}
