//! The surface of the liquid as a closed mesh.

use fast_surface_nets::ndshape::{RuntimeShape, Shape};
use fast_surface_nets::{SurfaceNetsBuffer, surface_nets};

use super::Shot;
use crate::frame::Frame;

/// A mesh of triangles, normals outwards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Seconds.
    pub time: f64,
    /// Positions.
    pub vertices: Vec<[f32; 3]>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
}

/// The boundary of what is liquid and not solid, by surface nets over the cell centres.
///
/// A layer around the grid counts as air, so that the mesh is closed where liquid meets the border.
pub fn surface(shot: &Shot<'_, 3>) -> Surface {
    surface_of(shot.frame)
}

/// The same of a frame by itself.
pub fn surface_of(frame: &Frame<3>) -> Surface {
    let (grid, spacing) = (frame.grid, frame.grid.spacing());
    let cells = grid.cells();
    let shape = RuntimeShape::<u32, 3>::new(cells.map(|count| count as u32 + 2));
    let mut distances = vec![(0.5 * spacing) as f32; shape.usize()];
    for cell in grid.iter() {
        let place = shape.linearize(cell.map(|index| index as u32 + 1));
        distances[place as usize] = frame.inside(cell) as f32;
    }
    let mut buffer = SurfaceNetsBuffer::default();
    surface_nets(&distances, &shape, [0; 3], cells.map(|count| count as u32 + 1), &mut buffer);
    // Place 1 of the padded array is the centre of cell 0.
    let (origin, spacing) = (grid.origin(), spacing as f32);
    let vertex = |place: &[f32; 3]| std::array::from_fn(|axis| origin[axis] as f32 + (place[axis] - 0.5) * spacing);
    Surface {
        time: frame.time,
        vertices: buffer.positions.iter().map(vertex).collect(),
        triangles: buffer.indices.as_chunks::<3>().0.to_vec(),
    }
}
