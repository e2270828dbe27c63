//! The pressure step: the nearest velocity without divergence in which bodies stay rigid.
//!
//! Open faces change by the gradient of a potential φ. Faces inside a body change as the body does, by the impulse
//! that φ gives it. In φ this is B Q B^T, symmetric, and differs from the Laplacian K = B B^T on those faces only.
//! A function can be continued into the bodies without its energy growing much, so conjugate gradients
//! preconditioned by K^{-1} need a number of iterations that does not depend on the grid.
//!
//! Cut faces count as open. Holding them as firmly as the viscous step does ties some cells to the rest by next to
//! nothing, and the iterations grow with the grid; what the potential, which is of second order in the step, moves
//! them by is undone in the next.

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use unstick_grid::CellField;
use unstick_mlcp::{Convergence, Outcome};
use unstick_parallel::{self as parallel, vector};

use crate::direct::Separable;
use crate::discrete::Discrete;
use crate::immersed::{Held, Marks};
use crate::setup::StopAt;
use crate::stencil::for_each_row;
use crate::tensor::index_of;
use crate::viscous::{Momentum, invert};

/// A face that a body holds, as the projection sees it.
struct Grip {
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
const PATIENCE: usize = 15;

/// Groups of cells that no open face leads out of are looked for up to this size.
const LARGEST_POCKET: usize = 24;

/// The projection of one step.
pub(crate) struct Projection<'a, const D: usize> {
    discrete: &'a Discrete<D>,
    grips: Vec<Vec<Grip>>,
    /// Inverse inertia of each body with the liquid that it carries along; zero where the motion is given.
    mobility: Vec<Matrix6<f64>>,
    /// Groups of cells that no open face leads out of: whatever flows into them in all, no potential can change it.
    pockets: Vec<Vec<usize>>,
}

impl<'a, const D: usize> Projection<'a, D> {
    pub fn new(discrete: &'a Discrete<D>, marks: &Marks<D>, excess: &[Option<Matrix6<f64>>]) -> Self {
        let cells = discrete.grid.cells();
        let grip = |held: &Held<D>| {
            let beside = discrete.cells_beside(held.component, held.place[held.component]);
            let cells = beside.map(|cell| {
                cell.map(|cell| {
                    let mut place = held.place;
                    place[held.component] = cell;
                    index_of(cells, place)
                })
            });
            let width = discrete.velocity[held.component][held.component].mass[held.place[held.component]];
            Grip {
                component: held.component,
                index: held.index,
                cells,
                area: held.volume / width,
                volume: held.volume,
                basis: held.basis,
            }
        };
        let grips: Vec<Vec<Grip>> = marks.inside.par_iter().map(|inside| inside.iter().map(grip).collect()).collect();
        let mobility = grips.par_iter().zip(excess).map(|(grips, excess)| {
            excess.map_or(Matrix6::zeros(), |excess| {
                invert::<D>(
                    grips.iter().fold(excess, |sum, grip| sum + grip.basis * grip.basis.transpose() * grip.volume),
                )
            })
        });
        Self { discrete, mobility: mobility.collect(), pockets: pockets(discrete, marks, &grips), grips }
    }

    /// Momentum that a potential gives each body and the liquid in its place does not take, divided by density.
    pub fn taken(&self, potential: &CellField<f64, D>) -> Vec<Vector6<f64>> {
        let impulses = self.impulses(potential.values());
        let taken = |((impulse, grips), mobility): ((Vector6<f64>, &Vec<Grip>), &Matrix6<f64>)| {
            let carried = grips.iter().fold(Matrix6::zeros(), |sum: Matrix6<f64>, grip| {
                sum + grip.basis * grip.basis.transpose() * grip.volume
            });
            carried * (mobility * impulse) - impulse
        };
        impulses.into_par_iter().zip(&self.grips).zip(&self.mobility).map(taken).collect()
    }

    /// Makes the velocity free of divergence; `potential` is what did it. The residual is the divergence left, as a part
    /// of that before.
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
        let convergence = if self.grips.iter().all(Vec::is_empty) {
            vector::copy(&residual, potential.values_mut());
            solver.solve(0.0, 1.0, potential.values_mut());
            Convergence::direct(1)
        } else {
            self.iterate(residual, potential.values_mut(), solver, stop)
        };
        if self.discrete.is_closed() {
            remove_mean(self.discrete, potential);
        }
        self.correct(potential, momentum);
        convergence
    }

    /// Takes what flows into pockets in all out of a right-hand side. In a closed box what is left must have no mean, or
    /// there is no answer and the iteration would run away after a while.
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
        let first = vector::norm(&residual);
        let ended = |outcome, iterations, norm: f64| {
            Convergence::new(outcome, iterations, if first > 0.0 { norm / first } else { 0.0 }, tolerance)
        };
        let mut z = vec![0.0; x.len()];
        let mut direction = z.clone();
        let mut product = z.clone();
        // K times the direction, which follows from K z = residual.
        let mut plain = z.clone();
        let mut last = 1.0;
        // Next to singular, as around bodies that touch, it may come near and go away again: the nearest counts.
        let (mut nearest, mut least, mut since) = (z.clone(), f64::INFINITY, 0);
        let mut iterations = 0;
        let outcome = loop {
            let norm = vector::norm(&residual);
            if norm <= tolerance * first {
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
            if iterations == max_iterations {
                break Outcome::IterationLimit;
            }
            vector::copy(&residual, &mut z);
            solver.solve(0.0, 1.0, &mut z);
            let slope = vector::dot(&residual, &z);
            let factor = if iterations == 0 { 0.0 } else { slope / last };
            vector::scale_and_add(&z, factor, &mut direction);
            vector::scale_and_add(&residual, factor, &mut plain);
            last = slope;
            vector::copy(&plain, &mut product);
            self.add_grips(&direction, &mut product);
            let curvature = vector::dot(&direction, &product);
            if curvature <= 0.0 {
                break Outcome::Stalled;
            }
            vector::step_both(slope / curvature, &direction, &product, x, &mut residual);
            iterations += 1;
        };
        vector::copy(&nearest, x);
        ended(outcome, iterations, least)
    }

    /// Impulse that a potential has on each body, against its gradient.
    fn impulses(&self, potential: &[f64]) -> Vec<Vector6<f64>> {
        let impulse = |grips: &Vec<Grip>| {
            grips.iter().fold(Vector6::zeros(), |sum, grip| sum + grip.basis * (grip.difference(potential) * grip.area))
        };
        self.grips.par_iter().map(impulse).collect()
    }

    /// The changes of twist, against the gradient, that these impulses make.
    fn kicks(&self, potential: &[f64]) -> Vec<Vector6<f64>> {
        self.impulses(potential).iter().zip(&self.mobility).map(|(impulse, mobility)| mobility * impulse).collect()
    }

    /// Adds div (1 − Q) ∇φ, what held faces do not do of the plain change.
    fn add_grips(&self, potential: &[f64], out: &mut [f64]) {
        for (grips, kick) in self.grips.iter().zip(self.kicks(potential)) {
            for grip in grips {
                let plain = grip.difference(potential) * grip.area / grip.volume;
                let flux = grip.area * (plain - grip.basis.dot(&kick));
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
        let kicks = self.kicks(potential.values());
        self.discrete.subtract_gradient(potential, &mut momentum.faces, |width, _| 1.0 / width);
        for (grips, kick) in self.grips.iter().zip(&kicks) {
            for grip in grips {
                let change = grip.difference(potential.values()) * grip.area / grip.volume - grip.basis.dot(kick);
                momentum.faces[grip.component].values_mut()[grip.index] += change;
            }
        }
        momentum.bodies.iter_mut().zip(&kicks).for_each(|(twist, kick)| *twist -= kick);
        self.discrete.copy_around_all(&mut momentum.faces);
    }
}

impl Grip {
    fn difference(&self, potential: &[f64]) -> f64 {
        let [below, above] = self.cells.map(|cell| cell.map_or(0.0, |cell| potential[cell]));
        above - below
    }
}

/// Small groups of cells around which all faces are held by bodies or given by sides.
fn pockets<const D: usize>(discrete: &Discrete<D>, marks: &Marks<D>, grips: &[Vec<Grip>]) -> Vec<Vec<usize>> {
    let cells = discrete.grid.cells();
    let mut is_known = vec![false; cells.iter().product()];
    let mut pockets = Vec::new();
    let mut group = Vec::new();
    for start in grips.iter().flatten().flat_map(|grip| grip.cells).flatten() {
        if is_known[start] {
            continue;
        }
        group.clear();
        group.push(start);
        is_known[start] = true;
        // From cell to cell through open faces, until there are no more, or too many, or one that is known to lead out.
        let (mut next, mut is_shut) = (0, true);
        while next < group.len() && is_shut {
            let neighbours = open_neighbours(discrete, marks, cells, group[next]);
            for neighbour in neighbours.into_iter().flatten().flatten() {
                let leads_out = neighbour == OUTSIDE || (is_known[neighbour] && !group.contains(&neighbour));
                is_shut &= !leads_out;
                if !leads_out && !is_known[neighbour] {
                    is_known[neighbour] = true;
                    group.push(neighbour);
                }
            }
            is_shut &= group.len() <= LARGEST_POCKET;
            next += 1;
        }
        if is_shut {
            pockets.push(group.clone());
        }
    }
    pockets
}

/// Where an outflow leads to.
const OUTSIDE: usize = usize::MAX;

/// The cells beyond the open faces of a cell.
fn open_neighbours<const D: usize>(
    discrete: &Discrete<D>,
    marks: &Marks<D>,
    cells: [usize; D],
    cell: usize,
) -> [[Option<usize>; 2]; D] {
    let mut rest = cell;
    let place: [usize; D] = std::array::from_fn(|axis| {
        let place = rest % cells[axis];
        rest /= cells[axis];
        place
    });
    std::array::from_fn(|axis| {
        [0, 1].map(|end| {
            let mut face = place;
            face[axis] += end;
            let line = &discrete.velocity[axis][axis];
            // The copy at the end of a periodic axis has no equation; the original at its beginning has.
            if line.is_periodic && face[axis] == cells[axis] {
                face[axis] = 0;
            }
            let is_open = line.is_free[face[axis]] && marks.is_open(axis, index_of(discrete.grid.faces(axis), face));
            let beside = discrete.cells_beside(axis, face[axis])[end];
            is_open.then(|| {
                beside.map_or(OUTSIDE, |beside| {
                    let mut other = place;
                    other[axis] = beside;
                    index_of(cells, other)
                })
            })
        })
    })
}

/// Takes the mean by volume away: where nothing fixes it, the level of a pressure means nothing.
pub(crate) fn remove_mean<const D: usize>(discrete: &Discrete<D>, pressure: &mut CellField<f64, D>) {
    let shape = pressure.shape();
    let lines = &discrete.pressure;
    let mut weighted = pressure.clone();
    for_each_row(shape, weighted.values_mut(), |place, row| {
        let area: f64 = (1..D).map(|axis| lines[axis].mass[place[axis]]).product();
        row.iter_mut().zip(&lines[0].mass).for_each(|(value, width)| *value *= area * width);
    });
    let sum = parallel::sum(weighted.values(), |block| block.iter().sum());
    let mean = sum / discrete.grid.volume();
    parallel::for_each(pressure.values_mut(), |block| block.iter_mut().for_each(|value| *value -= mean));
}
