//! Signed distance to a closed mesh.

use std::fmt;
use std::sync::Arc;

use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::{TriMesh, TriMeshFlags};

use super::TriangleMesh;
use crate::vector::{length, minus};

/// Signed distance to a closed mesh: negative inside. Clones share the mesh.
///
/// A tree of boxes finds the nearest point. The sign comes from the angle-weighted pseudo-normal there, which is also
/// correct near edges and vertices \[Baerentzen2005\].
///
/// It can be constructed for D = 3 only. Two distances are equal if their meshes have the same vertices and triangles.
#[derive(Clone)]
pub struct MeshDistance<const D: usize = 3> {
    surface: Arc<TriMesh>,
}

impl MeshDistance<3> {
    /// Builds the search tree of a mesh.
    pub fn new(mesh: &TriangleMesh) -> Self {
        let vertices = mesh.vertices().iter().map(|&[x, y, z]| Vector::new(x, y, z)).collect();
        let surface = TriMesh::with_flags(vertices, mesh.triangles().to_vec(), TriMeshFlags::ORIENTED)
            .expect("a triangle mesh has triangles");
        Self { surface: Arc::new(surface) }
    }
}

impl<const D: usize> MeshDistance<D> {
    /// The signed distance of a point.
    pub fn at(&self, point: [f64; D]) -> f64 {
        let Ok(point) = <[f64; 3]>::try_from(point.as_slice()) else {
            unreachable!("meshes are made in three dimensions only");
        };
        let nearest = self.surface.project_local_point(Vector::new(point[0], point[1], point[2]), false);
        let distance = length(minus(point, nearest.point.into()));
        if nearest.is_inside { -distance } else { distance }
    }

    /// Lower and upper corner of the box around the mesh.
    pub fn bounds(&self) -> ([f64; D], [f64; D]) {
        let corner = |choose: fn(f64, f64) -> f64| {
            std::array::from_fn(|axis| {
                self.surface.vertices().iter().map(|vertex| vertex[axis]).reduce(choose).unwrap_or(0.0)
            })
        };
        (corner(f64::min), corner(f64::max))
    }
}

impl<const D: usize> PartialEq for MeshDistance<D> {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&self.surface, &other.surface);
        Arc::ptr_eq(a, b) || (a.vertices() == b.vertices() && a.indices() == b.indices())
    }
}

impl<const D: usize> fmt::Debug for MeshDistance<D> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("MeshDistance")
            .field("vertices", &self.surface.vertices().len())
            .field("triangles", &self.surface.indices().len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_shapes::*;
    use super::*;
    use crate::Random;
    use crate::vector::{cross, dot, plus, times};
    use crate::{Grid, SignedDistance, sample_nodes};

    /// Compares with an exact distance at random points in and around the mesh. Half of the points are close to
    /// vertices and edges.
    fn assert_exact(mesh: &TriangleMesh, tolerance: f64, exact: impl Fn([f64; 3]) -> f64) {
        let distance = MeshDistance::new(mesh);
        let (lower, upper) = mesh.bounds();
        let mut random = Random::new(7);
        let check = |point: [f64; 3]| {
            let (found, expected) = (distance.at(point), exact(point));
            assert!((found - expected).abs() < tolerance, "at {point:?}: {found} against {expected}");
        };
        for _ in 0..4000 {
            check(std::array::from_fn(|axis| {
                let size = upper[axis] - lower[axis];
                lower[axis] + size * random.between(-0.5, 1.5)
            }));
            let triangle = mesh.triangles()[random.index(mesh.triangles().len())];
            let [a, b, _] = triangle.map(|vertex| mesh.vertices()[vertex as usize]);
            let along = [0.0, random.between(0.0, 1.0)][random.index(2)];
            let on_edge = plus(a, times(along, minus(b, a)));
            let reach = [1e-6, 1e-3, 0.1][random.index(3)];
            check(on_edge.map(|value| value + reach * random.between(-1.0, 1.0)));
        }
    }

    #[test]
    fn the_distance_to_a_cube_is_exact() {
        let exact = SignedDistance::cuboid([-1.0, 0.0, 2.0], [1.0, 1.0, 5.0]);
        assert_exact(&cuboid([-1.0, 0.0, 2.0], [1.0, 1.0, 5.0]), 1e-12, |point| exact.at(point));
    }

    /// The shape is convex: inside, the distance is that to the nearest plane; outside, the sign is positive.
    #[test]
    fn the_distance_to_a_tetrahedron_is_exact() {
        let mesh = tetrahedron();
        assert_exact(&mesh, 1e-12, |point| {
            let deepest = planes(&mesh, point).fold(f64::NEG_INFINITY, f64::max);
            if deepest <= 0.0 { deepest } else { nearest_by_search(&mesh, point) }
        });
    }

    /// The shape is not convex. At its inner edge a simple choice of the sign fails.
    #[test]
    fn the_distance_to_an_l_shaped_solid_is_exact() {
        assert_exact(&l_shape(), 1e-12, l_shape_distance);
    }

    #[test]
    fn the_distance_to_a_fine_sphere_is_nearly_that_to_a_ball() {
        let (centre, radius) = ([0.3, -0.2, 0.1], 0.7);
        let (mesh, exact) = (sphere(centre, radius, 4), SignedDistance::sphere(centre, radius));
        // The vertices lie on the sphere, and the triangles slightly inside.
        let lowest = planes(&mesh, centre).fold(f64::NEG_INFINITY, f64::max);
        let gap = radius + lowest;
        assert!((0.0..0.01 * radius).contains(&gap));
        assert_exact(&mesh, gap + 1e-12, |point| exact.at(point));
    }

    /// Spikes and dents of all angles. Every ray from the centre meets the surface once, so cones decide what is inside.
    #[test]
    fn the_distance_to_a_spiky_star_is_exact() {
        let mut random = Random::new(3);
        let round = sphere([0.0; 3], 1.0, 2);
        let vertices = round.vertices().iter().map(|&unit| times(random.between(0.4, 1.6), unit)).collect();
        let mesh = TriangleMesh::new(vertices, round.triangles().to_vec()).unwrap();
        assert_exact(&mesh, 1e-12, |point| {
            let is_inside = mesh.triangles().iter().any(|triangle| {
                let [a, b, c] = triangle.map(|vertex| mesh.vertices()[vertex as usize]);
                let cone = [[a, b], [b, c], [c, a]].iter().all(|&[from, to]| dot(point, cross(from, to)) >= 0.0);
                cone && dot(minus(point, a), cross(minus(b, a), minus(c, a))) <= 0.0
            });
            let distance = nearest_by_search(&mesh, point);
            if is_inside { -distance } else { distance }
        });
    }

    /// A hollow box. The inner surface faces the hollow, which is outside of the solid.
    #[test]
    fn a_hollow_is_outside() {
        let outer = cuboid([0.0; 3], [3.0; 3]);
        let inner = cuboid([1.0; 3], [2.0; 3]);
        let shift = outer.vertices().len() as u32;
        let vertices = [outer.vertices(), inner.vertices()].concat();
        let turned = inner.triangles().iter().map(|&[a, b, c]| [a + shift, c + shift, b + shift]);
        let triangles = outer.triangles().iter().copied().chain(turned).collect();
        let mesh = TriangleMesh::new(vertices, triangles).unwrap();
        let exact =
            SignedDistance::cuboid([0.0; 3], [3.0; 3]).and(SignedDistance::cuboid([1.0; 3], [2.0; 3]).complement());
        assert_eq!(exact.at([1.5; 3]), 0.5);
        assert_exact(&mesh, 1e-12, |point| exact.at(point));
    }

    #[test]
    fn shapes_of_meshes_compare_print_and_combine() {
        let shape = SignedDistance::mesh(&cuboid([0.0; 3], [1.0; 3]));
        assert_eq!(shape, SignedDistance::mesh(&cuboid([0.0; 3], [1.0; 3])));
        assert_ne!(shape, SignedDistance::mesh(&cuboid([0.0; 3], [1.0, 1.0, 2.0])));
        assert_eq!(format!("{shape:?}"), "Mesh(MeshDistance { vertices: 8, triangles: 12 })");
        assert_eq!(shape.clone().moved([2.0, 0.0, 0.0]).at([1.5, 0.5, 0.5]), 0.5);
        assert_eq!(shape.gradient([0.5, 0.5, 1.25], 0.0625), [0.0, 0.0, 1.0]);
        let nodes = sample_nodes(&Grid::unit(2).unwrap(), |point| shape.at(point));
        assert_eq!((nodes.at([1, 1, 1]), nodes.at([0, 1, 2])), (-0.5, 0.0));
        assert!(shape.at([f64::NAN; 3]).is_nan());
    }
}
