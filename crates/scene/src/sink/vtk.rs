//! Legacy VTK, binary (which is big-endian): what ParaView and VTK open directly.

use super::Shot;
use super::data::in_space;

/// Positions and velocities of the particles.
pub(super) fn particles<const D: usize>(shot: &Shot<'_, D>) -> Vec<u8> {
    let particles = &shot.simulation.state().particles;
    let count = particles.len();
    let mut file = File::new(shot.frame.time);
    file.line(&format!("DATASET POLYDATA\nPOINTS {count} float"));
    file.floats(particles.position.iter().flat_map(in_space));
    file.line(&format!("VERTICES {count} {}", 2 * count));
    file.integers((0..count).flat_map(|index| [1, index as i32]));
    file.line(&format!("POINT_DATA {count}\nVECTORS velocity float"));
    file.floats(particles.velocity.iter().flat_map(in_space));
    file.bytes
}

/// Liquid distance, pressure, separated cells and velocity in the cells; solid distance at the nodes.
pub(super) fn fields<const D: usize>(shot: &Shot<'_, D>) -> Vec<u8> {
    let (frame, state) = (shot.frame, shot.simulation.state());
    let grid = frame.grid;
    let nodes: [usize; 3] = std::array::from_fn(|axis| grid.cells().get(axis).map_or(1, |count| count + 1));
    let [x, y, z] = in_space(&grid.origin());
    let mut file = File::new(frame.time);
    file.line(&format!("DATASET STRUCTURED_POINTS\nDIMENSIONS {} {} {}", nodes[0], nodes[1], nodes[2]));
    file.line(&format!("ORIGIN {x} {y} {z}\nSPACING {0} {0} {0}", grid.spacing()));
    file.line(&format!("CELL_DATA {}", grid.len()));
    let mut scalars = |name: &str, values: &mut dyn Iterator<Item = f64>| {
        file.line(&format!("SCALARS {name} float 1\nLOOKUP_TABLE default"));
        file.floats(values);
    };
    scalars("liquid", &mut frame.liquid.values().iter().copied());
    scalars("pressure", &mut frame.pressure.values().iter().copied());
    scalars("separated", &mut state.separated.values().iter().map(|&separated| f64::from(u8::from(separated))));
    file.line("VECTORS velocity float");
    file.floats(grid.iter().flat_map(|cell| {
        let middle: [f64; D] = std::array::from_fn(|axis| {
            let mut next = cell;
            next[axis] += 1;
            0.5 * (state.velocity[axis].at(cell) + state.velocity[axis].at(next))
        });
        in_space(&middle)
    }));
    file.line(&format!("POINT_DATA {}", nodes.iter().product::<usize>()));
    file.line("SCALARS solid float 1\nLOOKUP_TABLE default");
    file.floats(frame.solid.values().iter().copied());
    file.bytes
}

struct File {
    bytes: Vec<u8>,
}

impl File {
    fn new(time: f64) -> Self {
        Self { bytes: format!("# vtk DataFile Version 3.0\nunstick, time {time} s\nBINARY").into_bytes() }
    }

    /// A line of its own: data before it ends without one.
    fn line(&mut self, text: &str) {
        self.bytes.push(b'\n');
        self.bytes.extend(text.as_bytes());
        self.bytes.push(b'\n');
    }

    fn floats(&mut self, values: impl Iterator<Item = f64>) {
        values.for_each(|value| self.bytes.extend((value as f32).to_be_bytes()));
    }

    fn integers(&mut self, values: impl Iterator<Item = i32>) {
        values.for_each(|value| self.bytes.extend(value.to_be_bytes()));
    }
}
