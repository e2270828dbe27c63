//! The pressure step: the nearest velocity without divergence in which bodies stay rigid.
//!
//! Open faces change by the gradient of a potential φ. Faces inside a body change as the body does, by the impulse
//! that φ gives it. In φ this is B Q B^T, symmetric, and differs from the Laplacian K = B B^T on those faces only.
//! A function can be extended into the bodies with little more energy, so conjugate gradients preconditioned by K^{-1}
//! need a number of iterations that does not depend on the grid.
//!
//! Cut faces count as open. If they were held as firmly as in the viscous step, some cells would have almost no open
//! face and the iterations would grow with the grid. The potential is of second order in the step: what it moves cut
//! faces by is undone in the next viscous step.

mod pockets;

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use unstick_grid::CellField;
use unstick_mlcp::{Convergence, Outcome, is_interrupted, show_system};
use unstick_parallel::binary::{shift_all, unusual_exponent};
use unstick_parallel::{self as parallel, vector};

use crate::direct::Separable;
use crate::discrete::Discrete;
use crate::immersed::{HeldFace, HeldFaces};
use crate::momentum::{Momentum, invert};
use crate::setup::StopAt;
use crate::stencil::{Helmholtz, for_each_row};
use crate::tensor::index_of;
use pockets::pockets;

/// A face inside a body, which moves with the body.
struct RigidFace {
    component: usize,
    /// In the field of the component.
    index: usize,
    /// Cells below and above.
    cells: [Option<usize>; 2],
    area: f64,
    volume: f64,
    basis: Vector6<f64>,
}

/// Iterations without a smaller residual after which the solve counts as stalled.
///
/// Around bodies that touch the residual may stay on a plateau for dozens of iterations and then fall: with 15 as many as
/// every second step of a crowded cavity stopped short of a tolerance that it reaches.
const PATIENCE: usize = 100;

/// Rounding of a sum of flows, as a part of the largest one.
const ROUNDING: f64 = 1e-14;

/// The projection of one step.
pub(crate) struct Projection<'a, const D: usize> {
    discrete: &'a Discrete<D>,
    faces: Vec<Vec<RigidFace>>,
    /// Inverse inertia of each body with the liquid that it carries along; zero where the motion is given.
    mobility: Vec<Matrix6<f64>>,
    /// Groups of cells without an open face to the rest: the potential does not change what flows into them in all.
    pockets: Vec<Vec<usize>>,
}

impl<'a, const D: usize> Projection<'a, D> {
    pub fn new(discrete: &'a Discrete<D>, held_faces: &HeldFaces<D>, excess: &[Option<Matrix6<f64>>]) -> Self {
        let cells = discrete.grid.cells();
        let face = |held: &HeldFace<D>| {
            let beside = discrete.cells_beside(held.component, held.place[held.component]);
            let cells = beside.map(|cell| {
                cell.map(|cell| {
                    let mut place = held.place;
                    place[held.component] = cell;
                    index_of(cells, place)
                })
            });
            let width = discrete.velocity[held.component][held.component].mass[held.place[held.component]];
            RigidFace {
                component: held.component,
                index: held.index,
                cells,
                area: held.volume / width,
                volume: held.volume,
                basis: held.basis,
            }
        };
        let faces: Vec<Vec<RigidFace>> =
            held_faces.inside.par_iter().map(|inside| inside.iter().map(face).collect()).collect();
        let mobility = faces.par_iter().zip(excess).map(|(faces, excess)| {
            excess.map_or(Matrix6::zeros(), |excess| {
                invert::<D>(
                    faces.iter().fold(excess, |sum, face| sum + face.basis * face.basis.transpose() * face.volume),
                )
            })
        });
        Self { discrete, mobility: mobility.collect(), pockets: pockets(discrete, held_faces, &faces), faces }
    }

    /// Groups of cells that bodies and sides shut in.
    pub fn into_pockets(self) -> Vec<Vec<usize>> {
        self.pockets
    }

    /// Momentum that a potential gives each body, less that of the liquid in its place, divided by density.
    pub fn taken(&self, potential: &CellField<f64, D>) -> Vec<Vector6<f64>> {
        let impulses = self.impulses(potential.values());
        let taken = |((impulse, faces), mobility): ((Vector6<f64>, &Vec<RigidFace>), &Matrix6<f64>)| {
            let carried = faces.iter().fold(Matrix6::zeros(), |sum: Matrix6<f64>, face| {
                sum + face.basis * face.basis.transpose() * face.volume
            });
            carried * (mobility * impulse) - impulse
        };
        impulses.into_par_iter().zip(&self.faces).zip(&self.mobility).map(taken).collect()
    }

    /// Makes the velocity free of divergence and leaves the potential that did it. The residual is the divergence left,
    /// as a part of that before.
    pub fn project(
        &self,
        momentum: &mut Momentum<D>,
        potential: &mut CellField<f64, D>,
        divergence: &CellField<f64, D>,
        solver: &mut Separable<D>,
        stop: StopAt,
    ) -> Convergence {
        let mut residual = divergence.values().to_vec();
        residual.iter_mut().for_each(|value| *value = -*value);
        self.leave_out_pockets(&mut residual);
        let convergence = if self.faces.iter().all(Vec::is_empty) {
            vector::copy(&residual, potential.values_mut());
            solver.solve(Helmholtz::POISSON, potential.values_mut());
            Convergence::direct(1)
        } else {
            self.iterate(residual, potential.values_mut(), solver, stop)
        };
        if self.discrete.is_closed() {
            remove_mean(self.discrete, potential);
        }
        self.correct(potential, momentum);
        show_system("flow pressure", &convergence, || self.divergence_left(divergence, momentum));
        convergence
    }

    /// The divergence of a velocity as a part of that before, without what flows into pockets and what the rounding of
    /// velocities makes.
    fn divergence_left(&self, before: &CellField<f64, D>, momentum: &Momentum<D>) -> f64 {
        let norm = |divergence: &CellField<f64, D>| {
            let mut values = divergence.values().to_vec();
            self.leave_out_pockets(&mut values);
            vector::norm(&values)
        };
        let mut after = self.discrete.zero_cells();
        self.discrete.divergence(&momentum.faces, &mut after);
        let fastest = momentum.faces.iter().map(|field| vector::norm_max(field.values())).fold(0.0, f64::max);
        let widest = self.discrete.pressure.each_ref().map(|axis| axis.mass.iter().copied().fold(0.0, f64::max));
        let area = (0..D).map(|across| (0..D).filter(|&axis| axis != across).map(|axis| widest[axis]).product());
        let rounding = ROUNDING * fastest * area.fold(0.0, f64::max) * (after.values().len() as f64).sqrt();
        let (before, after) = (norm(before), (norm(&after) - rounding).max(0.0));
        if before > 0.0 { after / before } else { after }
    }

    /// Removes the net inflow of every pocket from a right-hand side. In a closed box the rest must have no mean:
    /// otherwise there is no answer, and the iteration comes near one and then diverges.
    fn leave_out_pockets(&self, residual: &mut [f64]) {
        let spread = |residual: &mut [f64], cells: &[usize], sum: f64| {
            cells.iter().for_each(|&cell| residual[cell] -= sum / cells.len() as f64);
        };
        let mut taken = 0.0;
        for pocket in &self.pockets {
            let sum: f64 = pocket.iter().map(|&cell| residual[cell]).sum();
            spread(residual, pocket, sum);
            taken += sum;
        }
        if taken != 0.0 && self.discrete.is_closed() {
            let rest = residual.len() - self.pockets.iter().map(Vec::len).sum::<usize>();
            let mean = taken / rest.max(1) as f64;
            parallel::for_each(&mut *residual, |block| block.iter_mut().for_each(|value| *value += mean));
            self.pockets.iter().flatten().for_each(|&cell| residual[cell] -= mean);
        }
    }

    fn iterate(
        &self,
        mut residual: Vec<f64>,
        x: &mut [f64],
        solver: &mut Separable<D>,
        StopAt { tolerance, max_iterations }: StopAt,
    ) -> Convergence {
        vector::clear(x);
        // Divergences too small or too large to be squared are scaled, and the answer is scaled back.
        let exponent = unusual_exponent(vector::norm_max(&residual));
        shift_all(-exponent, &mut residual);
        let first = vector::norm(&residual);
        let ended = |outcome, iterations, norm: f64| {
            Convergence::new(outcome, iterations, if first > 0.0 { norm / first } else { 0.0 }, tolerance)
        };
        let mut z = vec![0.0; x.len()];
        let mut direction = z.clone();
        let mut product = z.clone();
        // K times the direction. It costs no product: K z is the residual.
        let mut plain = z.clone();
        let mut last = 1.0;
        // A nearly singular iteration, as around bodies that touch, may come near an answer and leave it: keep the nearest.
        let (mut nearest, mut least, mut since) = (z.clone(), f64::INFINITY, 0);
        let mut iterations = 0;
        let outcome = loop {
            let norm = vector::norm(&residual);
            if norm <= tolerance * first {
                shift_all(exponent, x);
                return ended(Outcome::Converged, iterations, norm);
            }
            since += 1;
            if norm < least {
                vector::copy(x, &mut nearest);
                (least, since) = (norm, 0);
            }
            if since == PATIENCE {
                break Outcome::Stalled;
            }
            if iterations == max_iterations || is_interrupted() {
                break Outcome::IterationLimit;
            }
            vector::copy(&residual, &mut z);
            solver.solve(Helmholtz::POISSON, &mut z);
            let slope = vector::dot(&residual, &z);
            let factor = if iterations == 0 { 0.0 } else { slope / last };
            vector::scale_and_add(&z, factor, &mut direction);
            vector::scale_and_add(&residual, factor, &mut plain);
            last = slope;
            vector::copy(&plain, &mut product);
            self.add_rigid_faces(&direction, &mut product);
            let curvature = vector::dot(&direction, &product);
            if curvature <= 0.0 {
                break Outcome::Stalled;
            }
            vector::step_both(slope / curvature, &direction, &product, x, &mut residual);
            iterations += 1;
        };
        vector::copy(&nearest, x);
        shift_all(exponent, x);
        ended(outcome, iterations, least)
    }

    /// Impulse of a potential on each body, against its gradient.
    fn impulses(&self, potential: &[f64]) -> Vec<Vector6<f64>> {
        let impulse = |faces: &Vec<RigidFace>| {
            faces.iter().fold(Vector6::zeros(), |sum, face| sum + face.basis * (face.difference(potential) * face.area))
        };
        self.faces.par_iter().map(impulse).collect()
    }

    /// The changes of twist by these impulses, against the gradient.
    fn kicks(&self, potential: &[f64]) -> Vec<Vector6<f64>> {
        self.impulses(potential).iter().zip(&self.mobility).map(|(impulse, mobility)| mobility * impulse).collect()
    }

    /// Adds div (1 − Q) ∇φ: faces inside bodies follow the body instead of the gradient.
    fn add_rigid_faces(&self, potential: &[f64], out: &mut [f64]) {
        for (faces, kick) in self.faces.iter().zip(self.kicks(potential)) {
            for face in faces {
                let plain = face.difference(potential) * face.area / face.volume;
                let flux = face.area * (plain - face.basis.dot(&kick));
                if let Some(below) = face.cells[0] {
                    out[below] += flux;
                }
                if let Some(above) = face.cells[1] {
                    out[above] -= flux;
                }
            }
        }
    }

    /// u ← u − Q ∇φ.
    fn correct(&self, potential: &CellField<f64, D>, momentum: &mut Momentum<D>) {
        let kicks = self.kicks(potential.values());
        self.discrete.subtract_gradient(potential, &mut momentum.faces, |width, _| 1.0 / width);
        for (faces, kick) in self.faces.iter().zip(&kicks) {
            for face in faces {
                let change = face.difference(potential.values()) * face.area / face.volume - face.basis.dot(kick);
                momentum.faces[face.component].values_mut()[face.index] += change;
            }
        }
        momentum.bodies.iter_mut().zip(&kicks).for_each(|(twist, kick)| *twist -= kick);
        self.discrete.copy_around_all(&mut momentum.faces);
    }
}

impl RigidFace {
    fn difference(&self, potential: &[f64]) -> f64 {
        let [below, above] = self.cells.map(|cell| cell.map_or(0.0, |cell| potential[cell]));
        above - below
    }
}

/// Removes the mean by volume: nothing fixes the level of the pressure in a closed box.
pub(crate) fn remove_mean<const D: usize>(discrete: &Discrete<D>, pressure: &mut CellField<f64, D>) {
    let shape = pressure.shape();
    let operators = &discrete.pressure;
    let mut weighted = pressure.clone();
    for_each_row(shape, weighted.values_mut(), |place, row| {
        let area: f64 = (1..D).map(|axis| operators[axis].mass[place[axis]]).product();
        row.iter_mut().zip(&operators[0].mass).for_each(|(value, width)| *value *= area * width);
    });
    let sum = parallel::sum(weighted.values(), |block| block.iter().sum());
    let mean = sum / discrete.grid.volume();
    parallel::for_each(pressure.values_mut(), |block| block.iter_mut().for_each(|value| *value -= mean));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::immersed::{FlowBody, Freedom, Surface};
    use crate::testing::{cell_waves, even_square, waves};

    /// A free disc and a fixed one.
    fn discs(discrete: &Discrete<2>) -> (HeldFaces<2>, [Option<Matrix6<f64>>; 2]) {
        let mut free = FlowBody::ball([0.35, 0.4], 0.15);
        free.freedom = Freedom::Free { mass: 0.1, inertia: [[1e-3; 3]; 3], force: [0.0; 2], torque: [0.0; 3] };
        let mut held_faces = HeldFaces::new(discrete);
        held_faces.update(discrete, &[free, FlowBody::ball([0.7, 0.6], 0.12)], Surface::CutLinks);
        (held_faces, [Some(Matrix6::identity() * 0.05), None])
    }

    #[test]
    fn the_operator_around_bodies_is_symmetric() {
        let discrete = even_square(20);
        let (held_faces, excess) = discs(&discrete);
        let projection = Projection::new(&discrete, &held_faces, &excess);
        let (x, y) = (cell_waves(&discrete, 0.37), cell_waves(&discrete, 1.71));
        let product = |a: &CellField<f64, 2>, b: &CellField<f64, 2>| {
            let mut out = vec![0.0; a.values().len()];
            projection.add_rigid_faces(a.values(), &mut out);
            vector::dot(&out, b.values())
        };
        let (one, other) = (product(&x, &y), product(&y, &x));
        assert!(one.abs() > 1e-3 && (one - other).abs() < 1e-12, "{one} {other}");
    }

    #[test]
    fn the_projected_velocity_has_no_divergence_and_the_report_says_so() {
        let discrete = even_square(20);
        let (held_faces, excess) = discs(&discrete);
        let projection = Projection::new(&discrete, &held_faces, &excess);
        let mut momentum = Momentum { faces: waves(&discrete, 0.9), bodies: vec![Vector6::zeros(); 2] };
        held_faces.fill(&momentum.bodies, &mut momentum.faces);
        let (mut divergence, mut potential) = (discrete.zero_cells(), discrete.zero_cells());
        discrete.divergence(&momentum.faces, &mut divergence);
        let before = vector::norm(divergence.values());
        let mut solver = Separable::new(&discrete.pressure);
        let mut run = |max_iterations| {
            let mut momentum = momentum.clone();
            let stop = StopAt { tolerance: 1e-9, max_iterations };
            let ended = projection.project(&mut momentum, &mut potential, &divergence, &mut solver, stop);
            let mut left = discrete.zero_cells();
            discrete.divergence(&momentum.faces, &mut left);
            (ended, vector::norm(left.values()) / before)
        };
        let (ended, left) = run(200);
        assert!(ended.converged() && left < 2e-9, "{ended}, {left}");
        let (short, left) = run(3);
        assert_eq!((short.outcome, short.iterations), (Outcome::IterationLimit, 3));
        assert!((left / short.residual - 1.0).abs() < 1e-6, "{short}, {left}");
    }

    #[test]
    fn divergences_that_cannot_be_squared_are_projected_as_well() {
        let discrete = even_square(20);
        let (held_faces, excess) = discs(&discrete);
        let projection = Projection::new(&discrete, &held_faces, &excess);
        for exponent in [-1000, -700, 0, 700] {
            let mut momentum = Momentum { faces: waves(&discrete, 0.9), bodies: vec![Vector6::zeros(); 2] };
            held_faces.fill(&momentum.bodies, &mut momentum.faces);
            momentum.shift(exponent);
            let (mut divergence, mut potential) = (discrete.zero_cells(), discrete.zero_cells());
            discrete.divergence(&momentum.faces, &mut divergence);
            let before = vector::norm_max(divergence.values());
            let stop = StopAt { tolerance: 1e-9, max_iterations: 200 };
            let mut solver = Separable::new(&discrete.pressure);
            let ended = projection.project(&mut momentum, &mut potential, &divergence, &mut solver, stop);
            discrete.divergence(&momentum.faces, &mut divergence);
            let left = vector::norm_max(divergence.values()) / before;
            assert!(ended.converged() && left < 1e-7, "2^{exponent}: {ended}, {left:e}");
        }
    }
}
