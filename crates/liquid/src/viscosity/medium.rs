//! Liquid and walls as a viscous step sees them, in a box around the liquid.

use unstick_grid::{CellField, FaceField, Grid};
use unstick_mlcp::fields::Window;
use unstick_parallel as parallel;

use super::lattice::{Lattice, pairs, straddling};
use super::pool::Pool;
use super::system::System;
use super::volumes::Filled;
use crate::cells::fill;
use crate::setup::Setup;
use crate::solids::Geometry;

/// Faces that bear stress have this part of a cell of liquid at least.
pub(super) const LEAST_MASS: f64 = 1e-3;

/// Distance to the liquid, cells whose wall has let go, pressure over density.
pub(super) type Wet<'a, const D: usize> = (&'a CellField<f64, D>, &'a CellField<bool, D>, &'a CellField<f64, D>);

/// What a viscous step knows.
pub(super) struct Medium<'a, const D: usize> {
    pub grid: Grid<D>,
    pub geometry: &'a Geometry<D>,
    pub separated: &'a CellField<bool, D>,
    /// Pressure over density.
    pub pressure: &'a CellField<f64, D>,
    pub pool: &'a Pool,
    pub time: f64,
    /// Seconds over which stress acts.
    pub kick: f64,
    pub lattice: Lattice<D>,
    pub filled: Filled<D>,
    /// Open part of every cell; nothing in the rim.
    pub cell_open: Vec<f64>,
    /// Open part of every face between two open cells.
    pub face_open: Vec<f64>,
}

impl<'a, const D: usize> Medium<'a, D> {
    /// That of a state.
    pub fn new(
        setup: &Setup<D>,
        geometry: &'a Geometry<D>,
        (liquid, separated, pressure): Wet<'a, D>,
        (time, kick): (f64, f64),
        pool: &'a Pool,
    ) -> Self {
        let (grid, shape) = (setup.grid, setup.grid.cells());
        let mut window = Window::around_negative(shape, liquid.values());
        (0..D).for_each(|axis| window = window.widened(axis, 1, 1, shape));
        let lattice = Lattice::new(window);
        let length = lattice.len();
        let mut depth = pool.filled(length, 0.0);
        // Beyond the border of the grid there is a mirror.
        lattice.fill_all(&mut depth, |near, depth| {
            let cell = std::array::from_fn(|axis| near[axis].min(shape[axis] - 1));
            *depth = liquid.at(cell) / grid.spacing();
        });
        let mut cell_open = pool.filled(length, 0.0);
        let cell = |local: [usize; D]| -> [usize; D] { std::array::from_fn(|axis| local[axis] + window.first[axis]) };
        lattice.fill(&mut cell_open, [false; D], |local, _, open| *open = geometry.cell_open.at(cell(local)));
        let mut face_open = pool.filled(D * length, 0.0);
        for (axis, faces) in face_open.chunks_mut(length).enumerate() {
            let (along, of_cell) = (lattice.strides[axis], &cell_open);
            lattice.fill(faces, straddling(&[axis]), |local, at, open| {
                if of_cell[at] > 0.0 && of_cell[at - along] > 0.0 {
                    *open = geometry.open[axis].at(cell(local));
                }
            });
        }
        let filled = Filled::new(&lattice, depth);
        Self { grid, geometry, separated, pressure, pool, time, kick, lattice, filled, cell_open, face_open }
    }

    /// Keeps the arrays for others.
    pub fn give_back(self) {
        self.pool.keep([self.filled.depth, self.cell_open, self.face_open]);
    }

    /// A cell of the box on the grid.
    pub fn cell(&self, local: [usize; D]) -> [usize; D] {
        std::array::from_fn(|axis| local[axis] + self.lattice.first[axis])
    }

    /// Open part of a face of the box; zero where no liquid shears.
    #[inline]
    pub fn open(&self, axis: usize, at: usize) -> f64 {
        self.face_open[axis * self.lattice.len() + at]
    }

    /// A velocity in the box.
    pub fn take(&self, velocity: &FaceField<f64, D>) -> Vec<f64> {
        let length = self.lattice.len();
        let mut taken = self.pool.filled(D * length, 0.0);
        for (axis, values) in taken.chunks_mut(length).enumerate() {
            self.lattice
                .fill(values, straddling(&[axis]), |face, _, value| *value = velocity[axis].at(self.cell(face)));
        }
        taken
    }

    /// velocity ← velocity + change.
    pub fn add(&self, change: &[f64], velocity: &mut FaceField<f64, D>) {
        for (axis, field) in velocity.iter_mut().enumerate() {
            let of_axis = &change[axis * self.lattice.len()..][..self.lattice.len()];
            fill(field, |face, value| {
                let is_inside = (0..D).all(|other| {
                    let end = self.lattice.first[other] + self.lattice.cells[other] + usize::from(other == axis);
                    (self.lattice.first[other]..end).contains(&face[other])
                });
                if is_inside {
                    let local = std::array::from_fn(|other| face[other] - self.lattice.first[other]);
                    *value += of_axis[self.lattice.index(local)];
                }
            });
        }
    }

    /// Coefficients of strain, with Δt ν/h² = 1: the liquid, open part of cells and edges.
    pub fn shape(&self) -> System<f64, D> {
        let mut shape = System::strainless(self.lattice, self.pool);
        let (length, strides) = (self.lattice.len(), self.lattice.strides);
        let mut liquid = self.pool.filled(length, 0.0);
        self.lattice.fill(&mut liquid, [false; D], |_, at, value| {
            if self.cell_open[at] > 0.0 {
                *value = 2.0 * self.filled.part(at, &[]) * self.cell_open[at];
            }
        });
        for (axis, cells) in shape.cells.chunks_mut(length).enumerate() {
            self.lattice.fill(cells, [false; D], |_, at, value| {
                if self.open(axis, at) > 0.0 && self.open(axis, at + strides[axis]) > 0.0 {
                    *value = liquid[at];
                }
            });
        }
        self.pool.keep([liquid]);
        for (number, axes) in pairs::<D>() {
            let [one, other] = axes;
            self.lattice.fill(&mut shape.edges[number], straddling(&axes), |_, at, value| {
                let open = [
                    self.open(one, at),
                    self.open(one, at - strides[other]),
                    self.open(other, at),
                    self.open(other, at - strides[one]),
                ];
                if open.iter().all(|open| *open > 0.0) {
                    let is_whole = open.iter().all(|open| *open >= 1.0);
                    let stiffness = if is_whole { 1.0 } else { self.edge_stiffness(axes, at) };
                    *value = stiffness * self.filled.part(at, &axes);
                }
            });
        }
        shape
    }

    /// The liquid part of the volume around every open face.
    pub fn mass(&self) -> Vec<f64> {
        let length = self.lattice.len();
        let mut mass = self.pool.filled(D * length, 0.0);
        for (axis, values) in mass.chunks_mut(length).enumerate() {
            let along = self.lattice.strides[axis];
            self.lattice.fill(values, straddling(&[axis]), |_, at, value| {
                if self.open(axis, at) > 0.0 {
                    let room = 0.5 * (self.cell_open[at] + self.cell_open[at - along]);
                    *value = (room * self.filled.part(at, &[axis])).max(LEAST_MASS);
                }
            });
        }
        mass
    }

    /// Strain and drag, from the coefficients of strain for Δt ν/h² = 1.
    pub fn system(&self, mut shape: System<f64, D>, viscosity: &[f64], drag: Vec<f64>) -> System<f64, D> {
        let scale = self.kick / self.grid.spacing().powi(2);
        let (length, strides, inner) = (self.lattice.len(), self.lattice.strides, self.lattice.inner());
        shape.faces = drag;
        for cells in shape.cells.chunks_mut(length) {
            parallel::for_each((cells, viscosity), |(cells, viscosity)| {
                cells.iter_mut().zip(viscosity).for_each(|(value, viscosity)| *value *= scale * viscosity);
            });
        }
        for (number, axes) in pairs::<D>() {
            let edges = &mut shape.edges[number][inner.clone()];
            parallel::for_each((inner.clone(), edges), |(range, edges)| {
                let below = |step: usize| &viscosity[range.start - step..range.end - step];
                let (one, other) = (strides[axes[0]], strides[axes[1]]);
                let around = (below(0).iter().zip(below(one))).zip(below(other).iter().zip(below(one + other)));
                for (value, ((a, b), (c, d))) in edges.iter_mut().zip(around) {
                    *value *= scale * 0.25 * (a + b + c + d);
                }
            });
        }
        shape
    }

    /// Adds the mass of all faces that bear stress; returns the diagonal of the whole.
    pub fn add_mass(&self, system: &mut System<f64, D>, mass: &[f64]) -> Vec<f64> {
        let mut diagonal = system.diagonal(self.pool);
        let lanes = (system.faces.as_mut_slice(), diagonal.as_mut_slice(), mass);
        parallel::for_each(lanes, |(faces, diagonal, mass)| {
            for ((face, diagonal), mass) in faces.iter_mut().zip(diagonal).zip(mass) {
                let mass = if *diagonal > 0.0 { *mass } else { 0.0 };
                *face += mass;
                *diagonal += mass;
            }
        });
        diagonal
    }
}
