//! Closed meshes of triangles.

use fast_surface_nets::ndshape::{RuntimeShape, Shape};
use fast_surface_nets::{SurfaceNetsBuffer, surface_nets};
use unstick_grid::{CellField, Grid, TriangleMesh};

/// A mesh of triangles. Normals point outwards.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Seconds.
    pub time: f64,
    /// Positions.
    pub vertices: Vec<[f32; 3]>,
    /// Velocity of each vertex in lengths per second; empty if unknown.
    pub velocities: Vec<[f32; 3]>,
    /// Vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// The zero surface of a distance at cell centres, by surface nets.
    ///
    /// A layer around the grid counts as outside, so the mesh is closed at the border.
    pub fn of_distance(grid: &Grid<3>, distance: &CellField<f64, 3>, time: f64) -> Self {
        let origin = std::array::from_fn(|axis| grid.origin()[axis] + 0.5 * grid.spacing());
        Self::of_samples(distance, origin, grid.spacing(), time)
    }

    /// The zero surface of a distance at the nodes, closed at the border.
    pub fn of_nodes(grid: &Grid<3>, distance: &CellField<f64, 3>, time: f64) -> Self {
        Self::of_samples(distance, grid.origin(), grid.spacing(), time)
    }

    fn of_samples(distance: &CellField<f64, 3>, first: [f64; 3], spacing: f64, time: f64) -> Self {
        let samples = distance.shape();
        // One layer before the first sample and two after the last: surface nets make no face from edges of the last layer.
        let shape = RuntimeShape::<u32, 3>::new(samples.map(|count| count as u32 + 3));
        let mut padded = vec![(0.5 * spacing) as f32; shape.usize()];
        for (line, row) in distance.rows().enumerate() {
            let (y, z) = (line % samples[1], line / samples[1]);
            let start = shape.linearize([1, y as u32 + 1, z as u32 + 1]) as usize;
            padded[start..start + row.len()].iter_mut().zip(row).for_each(|(value, &found)| *value = found as f32);
        }
        // Index 1 of the padded array is the first sample.
        Self::of_array(&padded, shape, first.map(|place| place - spacing), spacing, time)
    }

    /// The zero surface of a distance at the nodes. It ends at the border and is not closed there.
    pub fn open_of_nodes(grid: &Grid<3>, distance: &CellField<f64, 3>) -> Self {
        let shape = RuntimeShape::<u32, 3>::new(distance.shape().map(|count| count as u32));
        let values: Vec<f32> = distance.values().iter().map(|&value| value as f32).collect();
        Self::of_array(&values, shape, grid.origin(), grid.spacing(), 0.0)
    }

    fn of_array(values: &[f32], shape: RuntimeShape<u32, 3>, first: [f64; 3], spacing: f64, time: f64) -> Self {
        let mut buffer = SurfaceNetsBuffer::default();
        surface_nets(values, &shape, [0; 3], shape.as_array().map(|count| count - 1), &mut buffer);
        let vertex =
            |place: &[f32; 3]| std::array::from_fn(|axis| (first[axis] + f64::from(place[axis]) * spacing) as f32);
        Self {
            time,
            vertices: buffer.positions.iter().map(vertex).collect(),
            velocities: Vec::new(),
            triangles: buffer.indices.as_chunks::<3>().0.to_vec(),
        }
    }

    /// A closed mesh, at time 0.
    pub fn of_mesh(mesh: &TriangleMesh) -> Self {
        let vertices = mesh.vertices().iter().map(|vertex| vertex.map(|value| value as f32)).collect();
        Self { vertices, triangles: mesh.triangles().to_vec(), ..Self::default() }
    }

    /// Adds the vertices and triangles of another surface.
    pub fn append(&mut self, other: Self) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        self.velocities.extend(other.velocities);
        self.triangles.extend(other.triangles.iter().map(|corners| corners.map(|corner| corner + first)));
    }

    /// This surface with the velocity of every vertex.
    pub fn with_velocity(mut self, velocity: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        let at = |vertex: &[f32; 3]| velocity(vertex.map(f64::from)).map(|value| value as f32);
        self.velocities = self.vertices.iter().map(at).collect();
        self
    }

    /// Lower and upper corner of the box around all vertices; zeros if there are none.
    pub fn bounds(&self) -> [[f32; 3]; 2] {
        let Some(&first) = self.vertices.first() else { return [[0.0; 3]; 2] };
        self.vertices.iter().fold([first; 2], |[lower, upper], vertex| {
            let corner = |side: [f32; 3], choose: fn(f32, f32) -> f32| {
                std::array::from_fn(|axis| choose(side[axis], vertex[axis]))
            };
            [corner(lower, f32::min), corner(upper, f32::max)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unstick_grid::{SignedDistance, sample_cells, sample_nodes};

    #[test]
    fn cells_and_nodes_give_the_same_closed_ball() {
        let grid = Grid::new([24; 3], 1.0 / 24.0, [-0.5, 0.0, 2.0]).unwrap();
        let ball = SignedDistance::sphere([0.0, 0.5, 2.5], 0.3);
        let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.3f64.powi(3);
        let cells = Surface::of_distance(&grid, &sample_cells(&grid, |point| ball.at(point)), 0.0);
        let nodes = Surface::of_nodes(&grid, &sample_nodes(&grid, |point| ball.at(point)), 0.0);
        for surface in [cells, nodes] {
            let vertices = surface.vertices.iter().map(|vertex| vertex.map(f64::from)).collect();
            let mesh = TriangleMesh::new(vertices, surface.triangles.clone()).unwrap();
            assert!((mesh.volume() / exact - 1.0).abs() < 0.03, "{}", mesh.volume());
            let [lower, upper] = surface.bounds();
            assert!((lower[0] + 0.3).abs() < 0.01 && (upper[2] - 2.8).abs() < 0.01, "{lower:?} {upper:?}");
        }
    }

    #[test]
    fn liquid_at_the_border_is_closed_there() {
        let grid = Grid::<3>::unit(6).unwrap();
        let full = CellField::from_fn(&grid, |_| -0.5 * grid.spacing());
        let surface = Surface::of_distance(&grid, &full, 0.0);
        let vertices = surface.vertices.iter().map(|vertex| vertex.map(f64::from)).collect();
        assert!(TriangleMesh::new(vertices, surface.triangles).is_ok());
    }
}
