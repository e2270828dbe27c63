//! Closed triangle meshes: solids from files.

mod closed;
mod distance;
mod error;
mod gltf;
mod gltf_buffers;
mod obj;
mod ply;
mod read;
mod stl;
#[cfg(test)]
mod test_shapes;

pub use distance::MeshDistance;
pub use error::{MeshError, MeshProblem};

use crate::vector::{cross, dot, minus};

/// A closed surface of triangles that bounds a solid.
///
/// A mesh is valid by construction. Its vertices are finite, distinct and used. Every edge belongs to exactly two
/// triangles that face the same way. Normals (right-hand rule) point out of the solid.
///
/// Three conditions are not checked. If the surface intersects itself, distances have the wrong sign where it covers
/// space twice. Separate parts must agree on what is outside. Near a triangle of zero height, rounding decides the sign.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// A mesh from vertices and triangles. Identical vertices are welded and degenerate triangles dropped.
    ///
    /// If the normals point inwards they are reversed, so that the solid is the bounded side.
    pub fn new(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        Self::checked(vertices, triangles).map_err(|problem| MeshError { file: None, problem })
    }

    fn checked(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshProblem> {
        if let Some(vertex) = vertices.iter().position(|vertex| vertex.iter().any(|value| !value.is_finite())) {
            return Err(MeshProblem::NotFinite(vertex));
        }
        if let Some(&index) = triangles.as_flattened().iter().find(|&&index| index as usize >= vertices.len()) {
            return Err(MeshProblem::Index { index: i64::from(index), vertices: vertices.len() });
        }
        let mut mesh = closed::welded(&vertices, &triangles);
        if mesh.triangles.is_empty() {
            return Err(MeshProblem::NoTriangles);
        }
        closed::check(&mesh)?;
        let (lower, upper) = mesh.bounds();
        let volume = mesh.volume();
        let diagonal = minus(upper, lower);
        if volume.abs() <= 1e-12 * dot(diagonal, diagonal).powf(1.5) {
            return Err(MeshProblem::NoVolume(volume));
        }
        if volume < 0.0 {
            mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        Ok(mesh)
    }

    /// Positions of the vertices.
    pub fn vertices(&self) -> &[[f64; 3]] {
        &self.vertices
    }

    /// Vertices of each triangle, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Lower and upper corner of the box around all vertices.
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        self.vertices.iter().fold(([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]), |(lower, upper), vertex| {
            let corner = |side: [f64; 3], choose: fn(f64, f64) -> f64| {
                std::array::from_fn(|axis| choose(side[axis], vertex[axis]))
            };
            (corner(lower, f64::min), corner(upper, f64::max))
        })
    }

    /// Volume of the solid.
    pub fn volume(&self) -> f64 {
        // Signed tetrahedra with a vertex of the mesh as their common tip, which keeps them small.
        let tip = self.vertices[0];
        let tetrahedra = self.triangles.iter().map(|triangle| {
            let [a, b, c] = triangle.map(|vertex| minus(self.vertices[vertex as usize], tip));
            dot(a, cross(b, c)) / 6.0
        });
        tetrahedra.sum()
    }

    /// This mesh scaled along each axis about the origin. The factors must be positive.
    pub fn scaled(mut self, factors: [f64; 3]) -> Result<Self, MeshError> {
        if let Some(&factor) = factors.iter().find(|&&factor| !(factor > 0.0 && factor.is_finite())) {
            return Err(MeshError { file: None, problem: MeshProblem::Scale(factor) });
        }
        for vertex in &mut self.vertices {
            (0..3).for_each(|axis| vertex[axis] *= factors[axis]);
        }
        Self::new(self.vertices, self.triangles)
    }

    /// This mesh shifted. Refused if the shift is not finite, or so large that vertices coincide.
    pub fn moved(mut self, by: [f64; 3]) -> Result<Self, MeshError> {
        for vertex in &mut self.vertices {
            (0..3).for_each(|axis| vertex[axis] += by[axis]);
        }
        Self::new(self.vertices, self.triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::test_shapes::{cuboid, sphere};
    use super::*;

    #[test]
    fn volume_and_bounds_of_a_moved_and_stretched_box() {
        let mesh = cuboid([0.0; 3], [1.0; 3]).scaled([2.0, 3.0, 0.5]).unwrap().moved([10.0, 0.0, -1.0]).unwrap();
        assert_eq!(mesh.bounds(), ([10.0, 0.0, -1.0], [12.0, 3.0, -0.5]));
        assert!((mesh.volume() - 3.0).abs() < 1e-14);
    }

    #[test]
    fn the_volume_of_a_fine_sphere_is_that_of_a_ball() {
        let ball = 4.0 / 3.0 * std::f64::consts::PI;
        assert!((sphere([0.0; 3], 1.0, 4).volume() / ball - 1.0).abs() < 0.01);
    }

    #[test]
    fn an_inverted_surface_is_reversed() {
        let mesh = cuboid([0.0; 3], [1.0; 3]);
        let inverted = mesh.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        assert!((TriangleMesh::new(mesh.vertices.clone(), inverted).unwrap().volume() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn invalid_meshes_are_refused_with_the_cause() {
        let mesh = cuboid([0.0; 3], [1.0; 3]);
        let refused = |vertices, triangles| TriangleMesh::new(vertices, triangles).unwrap_err().to_string();
        let mut broken = mesh.vertices.clone();
        broken[3][1] = f64::NAN;
        assert_eq!(refused(broken, mesh.triangles.clone()), "the mesh: vertex 3 is not finite");
        let message = refused(mesh.vertices.clone(), vec![[0, 1, 8]]);
        assert_eq!(message, "the mesh: a triangle refers to vertex 8, but there are 8, counted from 0");
        assert_eq!(refused(mesh.vertices.clone(), vec![[0, 0, 1]]), "the mesh: it has no triangles");
        let sheet = refused(mesh.vertices.clone(), vec![[0, 1, 2], [0, 2, 1]]);
        assert!(sheet.contains("encloses no volume"), "{sheet}");
        let scaled = mesh.scaled([1.0, 0.0, 1.0]).unwrap_err().to_string();
        assert_eq!(scaled, "the mesh: a scale of 0: expected a positive number");
    }
}
