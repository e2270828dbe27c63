//! Which faces a body holds, and how firmly.

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use unstick_grid::{CellField, FaceField};

use super::Immersed;
use crate::discrete::Discrete;
use crate::tensor::index_of;
use crate::twist::basis;

/// Nearer to a wall than this part of a link a face counts as lying at this part.
const NEAREST: f64 = 1e-6;

/// A face that a body holds.
#[derive(Clone, Debug)]
pub(crate) struct Held<const D: usize> {
    pub component: usize,
    pub place: [usize; D],
    /// In the field of the component.
    pub index: usize,
    /// What gives the velocity of the body here.
    pub basis: Vector6<f64>,
    /// Σ w (1/θ − 1), integrated over the control volume; infinite inside.
    pub drag: f64,
    /// Size of the control volume.
    pub volume: f64,
}

/// The faces that bodies hold, body by body.
pub(crate) struct Marks<const D: usize> {
    /// Faces inside, whose velocity is that of the body.
    pub inside: Vec<Vec<Held<D>>>,
    /// Faces outside, cut off from a neighbour inside.
    pub cut: Vec<Vec<Held<D>>>,
    /// The body that holds a face, plus one; zero for none.
    owner: FaceField<u32, D>,
}

impl<const D: usize> Marks<D> {
    pub fn new(discrete: &Discrete<D>) -> Self {
        let owner = std::array::from_fn(|axis| CellField::of_shape(discrete.grid.faces(axis), |_| 0));
        Self { inside: Vec::new(), cut: Vec::new(), owner }
    }

    /// Marks anew. Only faces near bodies are touched: what was marked is unmarked, and boxes around the bodies
    /// are looked at.
    pub fn update(&mut self, discrete: &Discrete<D>, bodies: &[Immersed<D>]) {
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
        let owner = &self.owner;
        self.cut = bodies.par_iter().zip(&around).map(|(body, around)| cut(discrete, body, around, owner)).collect();
    }

    pub fn is_empty(&self) -> bool {
        self.inside.iter().all(Vec::is_empty) && self.cut.iter().all(Vec::is_empty)
    }

    /// Mass and inertia of the liquid inside each body, divided by density, as the grid sees it. What a body has more
    /// is counted from here, so that its inertia is the right one whichever faces happen to lie inside.
    pub fn displaced(&self) -> Vec<Matrix6<f64>> {
        let of_body = |inside: &Vec<Held<D>>| {
            inside.iter().fold(Matrix6::zeros(), |sum, held| sum + held.basis * held.basis.transpose() * held.volume)
        };
        self.inside.par_iter().map(of_body).collect()
    }

    /// Adds the velocities of changes of twist inside every body.
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
fn inside<const D: usize>(discrete: &Discrete<D>, body: &Immersed<D>, around: &[Neighbourhood<D>; D]) -> Vec<Held<D>> {
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
    body: &Immersed<D>,
    around: &[Neighbourhood<D>; D],
    owner: &FaceField<u32, D>,
) -> Vec<Held<D>> {
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
    body: &Immersed<D>,
    component: usize,
    place: [usize; D],
    drag: f64,
) -> Held<D> {
    let centre = discrete.grid.face_centre(component, place);
    let offset: [f64; D] = std::array::from_fn(|axis| centre[axis] - body.centre[axis]);
    let volume = discrete.volume(component, place);
    let index = index_of(discrete.grid.faces(component), place);
    Held { component, place, index, basis: basis(component, offset), drag, volume }
}

/// Distances to a body on the faces around it.
struct Neighbourhood<const D: usize> {
    lower: [usize; D],
    distances: CellField<f64, D>,
}

impl<const D: usize> Neighbourhood<D> {
    fn of(discrete: &Discrete<D>, body: &Immersed<D>, component: usize) -> Self {
        let faces = discrete.grid.faces(component);
        // One place more to each side, for the neighbours of cut faces.
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
            let mut rest = number;
            let place = std::array::from_fn(|axis| {
                let place = rest % shape[axis];
                rest /= shape[axis];
                self.lower[axis] + place
            });
            visit(place, distance);
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
        let lines = &discrete.velocity[component];
        let volume = discrete.volume(component, place);
        let mut drag = 0.0;
        for axis in 0..D {
            let (line, at) = (&lines[axis], place[axis]);
            for (neighbour, weight) in [(line.before(at), line.lower[at]), (line.after(at), line.upper[at])] {
                let mut beside = place;
                beside[axis] = neighbour;
                let Some(inside) = self.distance(beside).filter(|&other| other <= 0.0 && neighbour != at) else {
                    continue;
                };
                let part = (distance / (distance - inside)).max(NEAREST);
                drag += weight * volume / line.mass[at] * (1.0 / part - 1.0);
            }
        }
        drag
    }
}
