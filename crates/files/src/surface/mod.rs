//! Closed meshes of triangles.

mod nets;
mod sheets;

use unstick_grid::{CellField, Grid, TriangleMesh};
use unstick_parallel as parallel;

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
    /// A layer around the grid counts as outside, so the mesh is closed at the border: every edge belongs to two
    /// triangles.
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
        let shape = samples.map(|count| count + 2);
        let mut padded = parallel::filled(shape.iter().product(), (0.5 * spacing) as f32);
        parallel::for_each_chunk(&mut padded, shape[0], |line, row| {
            let [y, z] = [line % shape[1], line / shape[1]].map(|place| place.wrapping_sub(1));
            if y < samples[1] && z < samples[2] {
                let start = samples[0] * (y + samples[1] * z);
                let found = &distance.values()[start..start + samples[0]];
                row[1..].iter_mut().zip(found).for_each(|(value, &found)| *value = found as f32);
            }
        });
        // Index 1 of the padded array is the first sample.
        Self::of_array(&padded, shape, first.map(|place| place - spacing), spacing, time)
    }

    /// The zero surface of a distance at the nodes. It ends at the border and is not closed there.
    pub fn open_of_nodes(grid: &Grid<3>, distance: &CellField<f64, 3>) -> Self {
        let values: Vec<f32> = distance.values().iter().map(|&value| value as f32).collect();
        Self::of_array(&values, distance.shape(), grid.origin(), grid.spacing(), 0.0)
    }

    fn of_array(values: &[f32], shape: [usize; 3], first: [f64; 3], spacing: f64, time: f64) -> Self {
        let net = nets::surface_net(values, shape);
        let vertex =
            |place: &[f32; 3]| std::array::from_fn(|axis| (first[axis] + f64::from(place[axis]) * spacing) as f32);
        Self { time, vertices: net.vertices.iter().map(vertex).collect(), triangles: net.triangles, ..Self::default() }
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
    pub fn with_velocity(mut self, velocity: impl Fn([f64; 3]) -> [f64; 3] + Sync) -> Self {
        let at = |vertex: &[f32; 3]| velocity(vertex.map(f64::from)).map(|value| value as f32);
        let of_all = |vertices: &[[f32; 3]]| vertices.iter().map(at).collect();
        self.velocities = parallel::list_scattered(self.vertices.as_slice(), of_all);
        self
    }

    /// Unit normals of the vertices: those of the triangles around them, weighted by area.
    pub fn normals(&self) -> Vec<[f32; 3]> {
        let mut sums = vec![[0.0f32; 3]; self.vertices.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|index| self.vertices[index as usize]);
            let [u, v]: [[f32; 3]; 2] = [b, c].map(|to| std::array::from_fn(|axis| to[axis] - a[axis]));
            let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            for &index in triangle {
                sums[index as usize].iter_mut().zip(cross).for_each(|(sum, part)| *sum += part);
            }
        }
        for sum in &mut sums {
            // Readers refuse normals that are no unit vectors, so a vertex without area gets any.
            let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
            *sum = if length > 0.0 { sum.map(|value| value / length) } else { [0.0, 1.0, 0.0] };
        }
        sums
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
    use unstick_grid::{Random, SignedDistance, sample_cells, sample_nodes};

    /// The surface as our own reader takes it: welded, closed, every edge with two triangles.
    fn read(surface: &Surface) -> TriangleMesh {
        let vertices = surface.vertices.iter().map(|vertex| vertex.map(f64::from)).collect();
        TriangleMesh::new(vertices, surface.triangles.clone()).unwrap()
    }

    #[test]
    fn cells_and_nodes_give_the_same_closed_ball() {
        let grid = Grid::new([24; 3], 1.0 / 24.0, [-0.5, 0.0, 2.0]).unwrap();
        let ball = SignedDistance::sphere([0.0, 0.5, 2.5], 0.3);
        let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.3f64.powi(3);
        let cells = Surface::of_distance(&grid, &sample_cells(&grid, |point| ball.at(point)), 0.0);
        let nodes = Surface::of_nodes(&grid, &sample_nodes(&grid, |point| ball.at(point)), 0.0);
        for surface in [cells, nodes] {
            let volume = read(&surface).volume();
            assert!((volume / exact - 1.0).abs() < 0.03, "{volume}");
            let [lower, upper] = surface.bounds();
            assert!((lower[0] + 0.3).abs() < 0.01 && (upper[2] - 2.8).abs() < 0.01, "{lower:?} {upper:?}");
            for (vertex, normal) in surface.vertices.iter().zip(surface.normals()) {
                let outwards = [vertex[0], vertex[1] - 0.5, vertex[2] - 2.5];
                let along: f32 = outwards.iter().zip(normal).map(|(place, normal)| place / 0.3 * normal).sum();
                assert!(along > 0.95, "{vertex:?} {normal:?}");
            }
        }
    }

    #[test]
    fn liquid_at_the_border_is_closed_there() {
        let grid = Grid::<3>::unit(6).unwrap();
        let full = CellField::from_fn(&grid, |_| -0.5 * grid.spacing());
        read(&Surface::of_distance(&grid, &full, 0.0));
    }

    /// Signs that take turns, sheets that touch, distances of zero: whatever a lattice holds, the surface is closed,
    /// and every edge has two triangles.
    #[test]
    fn the_surface_of_any_lattice_is_a_manifold() {
        for seed in 0..20_000 {
            let mut random = Random::new(seed);
            let shape: [usize; 3] = std::array::from_fn(|_| 1 + random.index(5));
            let grid = Grid::new(shape, 0.25, [random.between(-9.0, 9.0), 0.0, 3.0]).unwrap();
            let crowded = random.unit();
            let distance = CellField::from_fn(&grid, |_| {
                let size = [0.0, 1e-9, random.unit(), 1.0][random.index(4)];
                if random.chance(crowded) { -0.25 * size } else { 0.25 * size }
            });
            if distance.values().iter().all(|&value| value >= 0.0) {
                continue;
            }
            let surface = Surface::of_distance(&grid, &distance, 0.0);
            let mesh = read(&surface);
            let counts = (mesh.vertices().len(), mesh.triangles().len());
            assert_eq!(
                counts,
                (surface.vertices.len(), surface.triangles.len()),
                "seed {seed}: nothing falls together"
            );
            assert!(mesh.volume() > 0.0, "seed {seed}");
        }
    }

    /// Inside of the box the same holds for a surface that ends at the border.
    #[test]
    fn an_open_surface_has_its_edges_at_the_border_alone() {
        for seed in 0..2_000 {
            let mut random = Random::new(seed);
            let grid = Grid::<3>::unit(3).unwrap();
            let distance = sample_nodes(&grid, |_| 0.0);
            let distance = CellField::of_shape(distance.shape(), |_| random.between(-1.0, 1.0));
            let surface = Surface::open_of_nodes(&grid, &distance);
            let mut uses = std::collections::HashMap::new();
            for [a, b, c] in &surface.triangles {
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    *uses.entry((from.min(to), from.max(to))).or_insert(0) += 1;
                }
            }
            for ((from, to), count) in uses {
                let ends = [from, to].map(|&vertex| surface.vertices[vertex as usize]);
                let in_border_cell =
                    |[x, y, z]: [f32; 3]| [x, y, z].iter().any(|&place| !(1.0 / 3.0..2.0 / 3.0).contains(&place));
                assert!(count == 2 || count == 1 && ends.into_iter().all(in_border_cell), "seed {seed}: {count}");
            }
        }
    }
}
