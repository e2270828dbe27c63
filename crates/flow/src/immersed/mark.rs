//! Which faces a body holds, and how firmly.

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use unstick_grid::{CellField, FaceField};

use super::{FlowBody, Surface};
use crate::discrete::Discrete;
use crate::tensor::{index_of, place_of};
use crate::twist::basis;

/// The smallest θ: a face that lies nearer to a wall than this part of a link counts as lying there.
const NEAREST: f64 = 1e-6;

/// A face that a body holds.
#[derive(Clone, Debug)]
pub(crate) struct HeldFace<const D: usize> {
    pub component: usize,
    pub place: [usize; D],
    /// In the field of the component.
    pub index: usize,
    /// Its product with the twist of the body is the velocity of the body here.
    pub basis: Vector6<f64>,
    /// Σ w (1/θ − 1), integrated over the control volume; infinite inside.
    pub drag: f64,
    /// Size of the control volume.
    pub volume: f64,
}

/// The faces that bodies hold, body by body.
pub(crate) struct HeldFaces<const D: usize> {
    /// Faces inside, whose velocity is that of the body.
    pub inside: Vec<Vec<HeldFace<D>>>,
    /// Faces outside, cut off from a neighbour inside.
    pub cut: Vec<Vec<HeldFace<D>>>,
    /// The body that holds a face, plus one; zero for none.
    owner: FaceField<u32, D>,
}

impl<const D: usize> HeldFaces<D> {
    pub fn new(discrete: &Discrete<D>) -> Self {
        let owner = std::array::from_fn(|axis| CellField::of_shape(discrete.grid.faces(axis), |_| 0));
        Self { inside: Vec::new(), cut: Vec::new(), owner }
    }

    /// Finds the faces again. Only faces near bodies are touched: old marks are cleared, then the boxes around the
    /// bodies are searched.
    pub fn update(&mut self, discrete: &Discrete<D>, bodies: &[FlowBody<D>], surface: Surface) {
        for held in self.inside.iter().flatten() {
            self.owner[held.component].values_mut()[held.index] = 0;
        }
        let around: Vec<[Neighbourhood<D>; D]> = bodies
            .par_iter()
            .map(|body| std::array::from_fn(|component| Neighbourhood::of(discrete, body, component)))
            .collect();
        self.inside = bodies.par_iter().zip(&around).map(|(body, around)| inside(discrete, body, around)).collect();
        // A face in two bodies belongs to the first.
        for (number, inside) in self.inside.iter_mut().enumerate() {
            inside.retain(|held| {
                let owner = &mut self.owner[held.component].values_mut()[held.index];
                let is_claimed = *owner == 0;
                *owner = if is_claimed { number as u32 + 1 } else { *owner };
                is_claimed
            });
        }
        if surface == Surface::InOut {
            self.cut = vec![Vec::new(); bodies.len()];
            return;
        }
        let owner = &self.owner;
        self.cut = bodies.par_iter().zip(&around).map(|(body, around)| cut(discrete, body, around, owner)).collect();
    }

    pub fn is_empty(&self) -> bool {
        self.inside.iter().all(Vec::is_empty) && self.cut.iter().all(Vec::is_empty)
    }

    /// Mass and inertia of the liquid inside each body, divided by density, as the grid sees it. The excess of a body
    /// is the difference to this, so that the sum is right whichever faces happen to lie inside.
    pub fn displaced(&self) -> Vec<Matrix6<f64>> {
        let of_body = |inside: &Vec<HeldFace<D>>| {
            inside.iter().fold(Matrix6::zeros(), |sum, held| sum + held.basis * held.basis.transpose() * held.volume)
        };
        self.inside.par_iter().map(of_body).collect()
    }

    /// Adds the velocities of a change of twist inside every body.
    pub fn shift(&self, changes: &[Vector6<f64>], velocity: &mut FaceField<f64, D>) {
        for (inside, change) in self.inside.iter().zip(changes).filter(|(_, change)| **change != Vector6::zeros()) {
            for held in inside {
                velocity[held.component].values_mut()[held.index] += held.basis.dot(change);
            }
        }
    }

    /// Whether no body holds a face.
    pub fn is_open(&self, component: usize, index: usize) -> bool {
        self.owner[component].values()[index] == 0
    }

    /// Sets the velocity inside every body to that of its twist.
    pub fn fill(&self, twists: &[Vector6<f64>], velocity: &mut FaceField<f64, D>) {
        for (inside, twist) in self.inside.iter().zip(twists) {
            for held in inside {
                velocity[held.component].values_mut()[held.index] = held.basis.dot(twist);
            }
        }
    }
}

/// Faces whose centre lies in a body.
fn inside<const D: usize>(
    discrete: &Discrete<D>,
    body: &FlowBody<D>,
    around: &[Neighbourhood<D>; D],
) -> Vec<HeldFace<D>> {
    let mut inside = Vec::new();
    for (component, near) in around.iter().enumerate() {
        near.for_each(|place, distance| {
            if distance <= 0.0 && discrete.is_free(component, place) {
                inside.push(held(discrete, body, component, place, f64::INFINITY));
            }
        });
    }
    inside
}

/// Faces outside of all bodies that have a neighbour in this one.
fn cut<const D: usize>(
    discrete: &Discrete<D>,
    body: &FlowBody<D>,
    around: &[Neighbourhood<D>; D],
    owner: &FaceField<u32, D>,
) -> Vec<HeldFace<D>> {
    let mut cut = Vec::new();
    for (component, near) in around.iter().enumerate() {
        near.for_each(|place, distance| {
            let is_open = distance > 0.0 && owner[component].at(place) == 0 && discrete.is_free(component, place);
            let drag = if is_open { near.drag(discrete, component, place, distance) } else { 0.0 };
            if drag > 0.0 {
                cut.push(held(discrete, body, component, place, drag));
            }
        });
    }
    cut
}

fn held<const D: usize>(
    discrete: &Discrete<D>,
    body: &FlowBody<D>,
    component: usize,
    place: [usize; D],
    drag: f64,
) -> HeldFace<D> {
    let centre = discrete.grid.face_centre(component, place);
    let offset: [f64; D] = std::array::from_fn(|axis| centre[axis] - body.centre[axis]);
    let volume = discrete.volume(component, place);
    let index = index_of(discrete.grid.faces(component), place);
    HeldFace { component, place, index, basis: basis(component, offset), drag, volume }
}

/// Distances to a body on the faces around it.
struct Neighbourhood<const D: usize> {
    lower: [usize; D],
    distances: CellField<f64, D>,
}

impl<const D: usize> Neighbourhood<D> {
    fn of(discrete: &Discrete<D>, body: &FlowBody<D>, component: usize) -> Self {
        let faces = discrete.grid.faces(component);
        // One face more on each side, for the neighbours of cut faces.
        let lower = std::array::from_fn(|axis| {
            discrete.grid.axis(axis).cell_at(body.centre[axis] - body.reach).saturating_sub(1)
        });
        let upper: [usize; D] = std::array::from_fn(|axis| {
            (discrete.grid.axis(axis).cell_at(body.centre[axis] + body.reach) + 3).min(faces[axis])
        });
        let shape = std::array::from_fn(|axis| upper[axis] - lower[axis]);
        let distances = CellField::of_shape(shape, |place| {
            body.shape.at(discrete.grid.face_centre(component, std::array::from_fn(|axis| lower[axis] + place[axis])))
        });
        Self { lower, distances }
    }

    fn for_each(&self, mut visit: impl FnMut([usize; D], f64)) {
        let shape = self.distances.shape();
        for (number, &distance) in self.distances.values().iter().enumerate() {
            let offset = place_of(shape, number);
            visit(std::array::from_fn(|axis| self.lower[axis] + offset[axis]), distance);
        }
    }

    fn distance(&self, place: [usize; D]) -> Option<f64> {
        let shape = self.distances.shape();
        let is_near =
            (0..D).all(|axis| place[axis] >= self.lower[axis] && place[axis] < self.lower[axis] + shape[axis]);
        is_near.then(|| self.distances.at(std::array::from_fn(|axis| place[axis] - self.lower[axis])))
    }

    /// Σ w (1/θ − 1) over the links of a face that lead into the body.
    fn drag(&self, discrete: &Discrete<D>, component: usize, place: [usize; D], distance: f64) -> f64 {
        let operators = &discrete.velocity[component];
        let volume = discrete.volume(component, place);
        let mut drag = 0.0;
        for axis in 0..D {
            let (operator, at) = (&operators[axis], place[axis]);
            for (neighbour, weight) in
                [(operator.before(at), operator.lower[at]), (operator.after(at), operator.upper[at])]
            {
                let mut beside = place;
                beside[axis] = neighbour;
                let Some(inside) = self.distance(beside).filter(|&other| other <= 0.0 && neighbour != at) else {
                    continue;
                };
                let part = (distance / (distance - inside)).max(NEAREST);
                drag += weight * volume / operator.mass[at] * (1.0 / part - 1.0);
            }
        }
        drag
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::even_square;
    use unstick_grid::SignedDistance;

    #[test]
    fn the_faces_inside_a_disc_cover_its_area_and_move_with_it() {
        let discrete = even_square(64);
        let mut held = HeldFaces::new(&discrete);
        held.update(&discrete, &[FlowBody::ball([0.5, 0.4], 0.2)], Surface::CutLinks);
        let area: f64 = held.inside[0].iter().filter(|face| face.component == 0).map(|face| face.volume).sum();
        assert!((area / (0.04 * std::f64::consts::PI) - 1.0).abs() < 0.02, "{area}");
        let mut velocity = discrete.zero_faces();
        held.fill(&[Vector6::new(1.0, 2.0, 0.0, 0.0, 0.0, 3.0)], &mut velocity);
        for face in &held.inside[0] {
            let [x, y] = discrete.grid.face_centre(face.component, face.place);
            let expected = if face.component == 0 { 1.0 - 3.0 * (y - 0.4) } else { 2.0 + 3.0 * (x - 0.5) };
            assert!((velocity[face.component].values()[face.index] - expected).abs() < 1e-14);
        }
        held.update(&discrete, &[], Surface::InOut);
        assert!(held.is_empty() && (0..65 * 64).all(|index| held.is_open(0, index)));
    }

    #[test]
    fn the_drag_of_a_plane_wall_follows_its_distance() {
        // Below y = 0.3 is solid. Faces along x lie at (j + ½)/10: that of row 3 is cut at half of its link.
        let discrete = even_square(10);
        let wall = SignedDistance::half_space([0.5, 0.3], [0.0, 1.0]);
        let mut held = HeldFaces::new(&discrete);
        let wall = FlowBody::prescribed(wall, [0.5, 0.0], 1.0, 1.0);
        held.update(&discrete, std::slice::from_ref(&wall), Surface::CutLinks);
        let cut: Vec<_> = held.cut[0].iter().filter(|face| face.component == 0).collect();
        assert_eq!(cut.len(), 9);
        // w (1/θ − 1) with θ = ½ and w = width/height = 1.
        assert!(cut.iter().all(|face| face.place[1] == 3 && (face.drag - 1.0).abs() < 1e-9), "{cut:?}");
        let inside = held.inside[0].len();
        // In or out: the same faces inside, and none that is cut.
        held.update(&discrete, &[wall], Surface::InOut);
        assert_eq!((held.inside[0].len(), held.cut[0].len()), (inside, 0));
    }
}
