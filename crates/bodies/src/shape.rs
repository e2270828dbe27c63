//! Shapes of bodies, about their centre of mass.

use std::f64::consts::PI;
use std::sync::Arc;

use unstick_grid::vector::{cross, dot, matrix, minus};
use unstick_grid::{MeshDistance, MeshError, SignedDistance, TriangleMesh};

use crate::mass::MassProperties;

/// The shape of a body, its centre of mass at the origin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape<const D: usize> {
    /// A ball; in the plane a disc.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A box along the axes of the body.
    Cuboid {
        /// Half of each edge.
        half: [f64; D],
    },
    /// All points within a radius of a segment along the second axis.
    Capsule {
        /// Half of the segment.
        half_length: f64,
        /// Radius.
        radius: f64,
    },
    /// The inside of a closed mesh, in space only: see [`Shape::mesh`].
    Mesh(MeshShape<D>),
}

/// A closed mesh about its centre of mass; cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshShape<const D: usize> {
    surface: Arc<TriangleMesh>,
    distance: MeshDistance<D>,
    reach: f64,
}

impl<const D: usize> MeshShape<D> {
    /// The mesh.
    pub fn surface(&self) -> &TriangleMesh {
        &self.surface
    }
}

impl Shape<3> {
    /// The inside of a closed mesh, and where its centre of mass was.
    ///
    /// ```
    /// use unstick_bodies::Shape;
    /// use unstick_grid::TriangleMesh;
    ///
    /// let corners = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    /// let mesh = TriangleMesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])?;
    /// let (shape, centre) = Shape::mesh(&mesh)?;
    /// assert!(centre.iter().all(|value| (value - 1.0).abs() < 1e-15));
    /// assert!((shape.volume() - 64.0 / 6.0).abs() < 1e-14);
    /// # Ok::<(), unstick_grid::MeshError>(())
    /// ```
    pub fn mesh(mesh: &TriangleMesh) -> Result<(Self, [f64; 3]), MeshError> {
        let centre = integrate(mesh).1;
        let surface = mesh.clone().moved(centre.map(|value| -value))?;
        let reach = surface.vertices().iter().map(|vertex| dot(*vertex, *vertex)).fold(0.0, f64::max).sqrt();
        let distance = MeshDistance::new(&surface);
        Ok((Self::Mesh(MeshShape { surface: Arc::new(surface), distance, reach }), centre))
    }
}

impl<const D: usize> Shape<D> {
    /// The distance of a point, in the axes of the body; negative inside.
    pub fn distance(&self, point: [f64; D]) -> f64 {
        match self {
            Self::Mesh(mesh) => mesh.distance.at(point),
            plain => plain.signed_distance().at(point),
        }
    }

    /// The shape in the axes of the body, as a shape of the grid.
    pub fn signed_distance(&self) -> SignedDistance<D> {
        match self {
            Self::Sphere { radius } => SignedDistance::sphere([0.0; D], *radius),
            Self::Cuboid { half } => SignedDistance::cuboid(half.map(|value| -value), *half),
            Self::Capsule { half_length, radius } => {
                let end = upwards(*half_length);
                SignedDistance::capsule(end.map(|value| -value), end, *radius)
            }
            Self::Mesh(mesh) => SignedDistance::Mesh(mesh.distance.clone()),
        }
    }

    /// Volume; in the plane, area.
    pub fn volume(&self) -> f64 {
        self.mass_properties(1.0).mass
    }

    /// Distance of the farthest point from the centre of mass.
    pub fn reach(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Cuboid { half } => dot(*half, *half).sqrt(),
            Self::Capsule { half_length, radius } => half_length + radius,
            Self::Mesh(mesh) => mesh.reach,
        }
    }

    /// All lengths by name; they must be positive.
    pub(crate) fn lengths(&self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Sphere { radius } => vec![("radius", *radius)],
            Self::Cuboid { half } => half.iter().map(|&value| ("size", 2.0 * value)).collect(),
            Self::Capsule { half_length, radius } => vec![("length", 2.0 * half_length), ("radius", *radius)],
            Self::Mesh(_) => Vec::new(),
        }
    }

    /// Mass and inertia about the centre of mass, exactly.
    pub fn mass_properties(&self, density: f64) -> MassProperties {
        match (self, D) {
            (Self::Sphere { radius }, 2) => {
                MassProperties::planar(density * PI * radius * radius, 0.5 * radius * radius)
            }
            (Self::Sphere { radius }, _) => {
                let per_mass = 0.4 * radius * radius;
                MassProperties::spatial(density * 4.0 / 3.0 * PI * radius.powi(3), [per_mass; 3])
            }
            (Self::Cuboid { half }, _) => {
                let mass = density * half.iter().map(|value| 2.0 * value).product::<f64>();
                let squared = crate::algebra::lift(half.map(|value| value * value / 3.0));
                let [x, y, z] = squared;
                match D {
                    2 => MassProperties::planar(mass, x + y),
                    _ => MassProperties::spatial(mass, [y + z, x + z, x + y]),
                }
            }
            (Self::Capsule { half_length, radius }, 2) => stadium(density, *half_length, *radius),
            (Self::Capsule { half_length, radius }, _) => capsule(density, *half_length, *radius),
            (Self::Mesh(mesh), _) => {
                let (volume, _, second) = integrate(&mesh.surface);
                let trace = second[0][0] + second[1][1] + second[2][2];
                let diagonal = |row: usize, column: usize| if row == column { trace } else { 0.0 };
                MassProperties {
                    mass: density * volume,
                    inertia: matrix(|row, column| density * (diagonal(row, column) - second[row][column])),
                }
            }
        }
    }
}

/// A vector along the second axis.
fn upwards<const D: usize>(size: f64) -> [f64; D] {
    std::array::from_fn(|axis| if axis == 1 { size } else { 0.0 })
}

/// A rectangle and two half discs.
fn stadium(density: f64, half_length: f64, radius: f64) -> MassProperties {
    let (middle, ends) = (density * 4.0 * half_length * radius, density * PI * radius * radius);
    // A half disc about its flat side's centre has ½ m r²; its centre of mass lies 4r/3π beyond.
    let centre = 4.0 * radius / (3.0 * PI);
    let end = 0.5 * radius * radius + half_length * half_length + 2.0 * half_length * centre;
    let inertia = middle * (half_length * half_length + radius * radius) / 3.0 + ends * end;
    MassProperties::planar(middle + ends, inertia / (middle + ends))
}

/// A cylinder and two half balls.
fn capsule(density: f64, half_length: f64, radius: f64) -> MassProperties {
    let squared = radius * radius;
    let (middle, ends) = (density * 2.0 * PI * squared * half_length, density * 4.0 / 3.0 * PI * squared * radius);
    // A half ball about its flat side's centre has 2/5 m r² about every axis; its centre of mass
    // lies 3r/8 beyond.
    let end = 0.4 * squared + half_length * half_length + 0.75 * half_length * radius;
    let across = middle * (0.25 * squared + half_length * half_length / 3.0) + ends * end;
    let along = middle * 0.5 * squared + ends * 0.4 * squared;
    let mass = middle + ends;
    MassProperties::spatial(mass, [across / mass, along / mass, across / mass])
}

/// Volume, centroid and second moments ∫ x xᵀ about the origin of a closed mesh.
///
/// Exact: the sum over the tetrahedra that the triangles span with one vertex, each of which has
/// V/20 (Σ aᵢaᵢᵀ + (Σ aᵢ)(Σ aᵢ)ᵀ) about its fourth corner.
fn integrate(mesh: &TriangleMesh) -> (f64, [f64; 3], [[f64; 3]; 3]) {
    let tip = mesh.vertices()[0];
    let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
    for triangle in mesh.triangles() {
        let corners = triangle.map(|vertex| minus(mesh.vertices()[vertex as usize], tip));
        let [a, b, c] = corners;
        let part = dot(a, cross(b, c)) / 6.0;
        volume += part;
        let sum: [f64; 3] = std::array::from_fn(|axis| a[axis] + b[axis] + c[axis]);
        for row in 0..3 {
            first[row] += part * sum[row] / 4.0;
            for column in 0..3 {
                let squares: f64 = corners.iter().map(|corner| corner[row] * corner[column]).sum();
                second[row][column] += part / 20.0 * (squares + sum[row] * sum[column]);
            }
        }
    }
    // From the tip to the origin.
    let offset = first.map(|value| value / volume);
    let centre: [f64; 3] = std::array::from_fn(|axis| tip[axis] + offset[axis]);
    let about_origin = matrix(|row, column| {
        second[row][column] + volume * (centre[row] * centre[column] - offset[row] * offset[column])
    });
    (volume, centre, about_origin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meshes;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12 * a.abs().max(b.abs()).max(1.0)
    }

    #[test]
    fn a_mesh_of_a_box_weighs_what_a_box_weighs() {
        let half = [0.5, 1.0, 2.0];
        let plain = Shape::Cuboid { half }.mass_properties(3.0);
        let corners = meshes::cuboid(half).moved([7.0, -3.0, 0.25]).unwrap();
        let (shape, centre) = Shape::mesh(&corners).unwrap();
        let meshed = shape.mass_properties(3.0);
        assert!((0..3).all(|axis| close(centre[axis], [7.0, -3.0, 0.25][axis])));
        assert!(close(plain.mass, 24.0) && close(meshed.mass, 24.0));
        for entry in 0..9 {
            let (row, column) = (entry / 3, entry % 3);
            assert!(close(plain.inertia[row][column], meshed.inertia[row][column]), "{plain:?} {meshed:?}");
        }
    }

    /// Compares with sums over small cells.
    fn assert_like_cells<const D: usize>(shape: Shape<D>) {
        let (count, reach) = (60usize, 1.05 * shape.reach());
        let cell = 2.0 * reach / count as f64;
        let (mut volume, mut squares) = (0.0, [0.0; 3]);
        for index in 0..count.pow(D as u32) {
            let place = unstick_grid::multi_index([count; D], index);
            let point = place.map(|place| (place as f64 + 0.5) * cell - reach);
            let part = (0.5 - shape.distance(point) / cell).clamp(0.0, 1.0) * cell.powi(D as i32);
            volume += part;
            (0..D).for_each(|axis| squares[axis] += part * point[axis] * point[axis]);
        }
        let exact = shape.mass_properties(1.0);
        assert!((exact.mass / volume - 1.0).abs() < 0.01, "{} against {volume}", exact.mass);
        let [x, y, z] = squares;
        for (axis, expected) in [y + z, x + z, x + y].into_iter().enumerate().skip(if D == 2 { 2 } else { 0 }) {
            let found = exact.inertia[axis][axis];
            assert!((found / expected - 1.0).abs() < 0.015, "axis {axis}: {found} against {expected}");
        }
    }

    #[test]
    fn masses_and_inertias_are_those_of_many_small_cells() {
        assert_like_cells(Shape::<2>::Sphere { radius: 0.7 });
        assert_like_cells(Shape::<3>::Sphere { radius: 0.7 });
        assert_like_cells(Shape::<2>::Capsule { half_length: 0.8, radius: 0.3 });
        assert_like_cells(Shape::<3>::Capsule { half_length: 0.8, radius: 0.3 });
        assert_like_cells(Shape::Cuboid { half: [0.3, 0.9] });
        assert_like_cells(Shape::mesh(&meshes::cuboid([0.5, 0.3, 0.4])).unwrap().0);
    }
}
