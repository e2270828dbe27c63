//! The pressure step: the nearest velocity without divergence in which bodies stay rigid.
//!
//! Open faces change by the gradient of a potential φ. A face inside a body changes as the body does, a cut face
//! partly so: with w = shift/(shift + ν κ) of its own and 1 − w with the body. Bodies change by the impulse that φ
//! gives them. In φ this is B Q B^T, symmetric, and differs from the Laplacian K = B B^T on held faces only. Since a
//! function can be continued into the bodies without its energy growing, conjugate gradients preconditioned by K^{-1}
//! need a number of iterations that does not depend on the grid.

use nalgebra::{Matrix6, Vector6};
use unstick_grid::{CellField, FaceField};
use unstick_mlcp::vector;

use crate::direct::Separable;
use crate::discrete::Discrete;
use crate::immersed::Marks;
use crate::viscous::{Momentum, invert};

/// A face that a body holds, as the projection sees it.
struct Grip {
    component: usize,
    /// In the field of the component.
    index: usize,
    /// Cells below and above.
    cells: [Option<usize>; 2],
    /// How firmly: 1 inside, 1 − w where cut.
    firmness: f64,
    area: f64,
    volume: f64,
    basis: Vector6<f64>,
}

/// The projection of one step.
pub(crate) struct Projection<'a, const D: usize> {
    discrete: &'a Discrete<D>,
    grips: Vec<Vec<Grip>>,
    /// Inverse inertia of each body with the liquid that it carries along; zero where the motion is given.
    mobility: Vec<Matrix6<f64>>,
}

impl<'a, const D: usize> Projection<'a, D> {
    pub fn new(
        discrete: &'a Discrete<D>,
        marks: &Marks<D>,
        excess: &[Option<Matrix6<f64>>],
        [shift, viscosity]: [f64; 2],
    ) -> Self {
        let cells = discrete.grid.cells();
        let grip = |held: &crate::immersed::Held<D>| {
            let beside = discrete.cells_beside(held.component, held.place[held.component]);
            let cells = beside.map(|cell| {
                cell.map(|cell| {
                    let mut place = held.place;
                    place[held.component] = cell;
                    crate::tensor::index_of(cells, place)
                })
            });
            let inertia = shift * held.volume;
            let firmness = if held.drag.is_infinite() {
                1.0
            } else {
                viscosity * held.drag / (inertia + viscosity * marks.drag_of(held))
            };
            let width = discrete.velocity[held.component][held.component].mass[held.place[held.component]];
            Grip {
                component: held.component,
                index: held.index,
                cells,
                firmness,
                area: held.volume / width,
                volume: held.volume,
                basis: held.basis,
            }
        };
        let grips: Vec<Vec<Grip>> =
            marks.inside.iter().zip(&marks.cut).map(|(inside, cut)| inside.iter().chain(cut).map(grip).collect()).collect();
        let mobility = grips.iter().zip(excess).map(|(grips, excess)| {
            excess.map_or(Matrix6::zeros(), |excess| {
                invert::<D>(grips.iter().fold(excess, |sum, grip| {
                    sum + grip.basis * grip.basis.transpose() * (grip.firmness * grip.volume)
                }))
            })
        });
        Self { discrete, mobility: mobility.collect(), grips }
    }

    /// Makes the velocity free of divergence; `potential` is what did it. Returns the iterations.
    pub fn project(
        &self,
        momentum: &mut Momentum<D>,
        potential: &mut CellField<f64, D>,
        divergence: &CellField<f64, D>,
        solver: &mut Separable<D>,
        [tolerance, limit]: [f64; 2],
    ) -> usize {
        let is_closed = self.discrete.is_closed();
        let mut residual = divergence.values().to_vec();
        residual.iter_mut().for_each(|value| *value = -*value);
        let iterations = if self.grips.iter().all(Vec::is_empty) {
            vector::copy(&residual, potential.values_mut());
            solver.solve(0.0, 1.0, potential.values_mut());
            1
        } else {
            self.iterate(residual, potential.values_mut(), solver, tolerance, limit as usize)
        };
        if is_closed {
            remove_mean(self.discrete, potential);
        }
        self.correct(potential, momentum);
        iterations
    }

    fn iterate(&self, mut residual: Vec<f64>, x: &mut [f64], solver: &mut Separable<D>, tolerance: f64, limit: usize) -> usize {
        vector::clear(x);
        let target = tolerance * vector::norm(&residual);
        let mut z = vec![0.0; x.len()];
        let mut direction = z.clone();
        let mut product = z.clone();
        // K times the direction, which follows from K z = residual.
        let mut plain = z.clone();
        let mut last = 1.0;
        for iteration in 0..limit {
            if vector::norm(&residual) <= target {
                return iteration;
            }
            vector::copy(&residual, &mut z);
            solver.solve(0.0, 1.0, &mut z);
            let slope = vector::dot(&residual, &z);
            let factor = if iteration == 0 { 0.0 } else { slope / last };
            vector::scale_and_add(&z, factor, &mut direction);
            vector::scale_and_add(&residual, factor, &mut plain);
            last = slope;
            vector::copy(&plain, &mut product);
            self.add_grips(&direction, &mut product);
            let curvature = vector::dot(&direction, &product);
            if curvature <= 0.0 {
                return iteration;
            }
            vector::step_both(slope / curvature, &direction, &product, x, &mut residual);
        }
        limit
    }

    /// Impulse of a potential on each body, as a change of its twist.
    fn kicks(&self, potential: &[f64]) -> Vec<Vector6<f64>> {
        let kick = |(grips, mobility): (&Vec<Grip>, &Matrix6<f64>)| {
            let impulse = grips.iter().fold(Vector6::zeros(), |sum, grip| {
                sum + grip.basis * (grip.firmness * grip.difference(potential) * grip.area)
            });
            mobility * impulse
        };
        self.grips.iter().zip(&self.mobility).map(kick).collect()
    }

    /// Adds div (1 − Q) ∇φ, what held faces do not do of the plain change.
    fn add_grips(&self, potential: &[f64], out: &mut [f64]) {
        for (grips, kick) in self.grips.iter().zip(self.kicks(potential)) {
            for grip in grips {
                let plain = grip.difference(potential) * grip.area / grip.volume;
                let flux = grip.area * grip.firmness * (plain - grip.basis.dot(&kick));
                if let Some(below) = grip.cells[0] {
                    out[below] += flux;
                }
                if let Some(above) = grip.cells[1] {
                    out[above] -= flux;
                }
            }
        }
    }

    /// u ← u − Q ∇φ.
    fn correct(&self, potential: &CellField<f64, D>, momentum: &mut Momentum<D>) {
        // What held faces do instead of the plain change, to be added to it.
        let kicks = self.kicks(potential.values());
        let mut plain: FaceField<f64, D> = std::mem::replace(&mut momentum.faces, self.discrete.zero_faces());
        self.discrete.subtract_gradient(potential, &mut plain, |width, _| 1.0 / width);
        for (grips, kick) in self.grips.iter().zip(&kicks) {
            for grip in grips {
                let change = grip.difference(potential.values()) * grip.area / grip.volume - grip.basis.dot(kick);
                plain[grip.component].values_mut()[grip.index] += grip.firmness * change;
            }
        }
        momentum.faces = plain;
        momentum.bodies.iter_mut().zip(&kicks).for_each(|(twist, kick)| *twist -= kick);
        for axis in 0..D {
            if self.discrete.velocity[axis][axis].is_periodic {
                self.discrete.copy_around(axis, &mut momentum.faces[axis]);
            }
        }
    }
}

impl Grip {
    fn difference(&self, potential: &[f64]) -> f64 {
        let [below, above] = self.cells.map(|cell| cell.map_or(0.0, |cell| potential[cell]));
        above - below
    }
}

/// Takes the mean by volume away: where nothing fixes it, the level of a pressure means nothing.
pub(crate) fn remove_mean<const D: usize>(discrete: &Discrete<D>, pressure: &mut CellField<f64, D>) {
    let shape = pressure.shape();
    let lines = &discrete.pressure;
    let mut weighted = pressure.clone();
    crate::stencil::for_each_row(shape, weighted.values_mut(), |place, row| {
        let area: f64 = (1..D).map(|axis| lines[axis].mass[place[axis]]).product();
        row.iter_mut().zip(&lines[0].mass).for_each(|(value, width)| *value *= area * width);
    });
    let sum = unstick_mlcp::parallel::sum(weighted.values(), |block| block.iter().sum());
    let mean = sum / discrete.grid.volume();
    unstick_mlcp::parallel::for_each(pressure.values_mut(), |block| block.iter_mut().for_each(|value| *value -= mean));
}
