//! One moment of a simulation, as pictures and files show it.

use std::any::Any;

use unstick_bodies::{FloatingBodies, RigidBody};
use unstick_flow::TensorGrid;
use unstick_gpu::LiquidView;
use unstick_grid::{CellField, FaceField, Grid, multi_index, sample_cells, sample_nodes};
use unstick_liquid::{Simulation, WholeView};
use unstick_parallel as parallel;

use crate::dimension::PlaneOrSpace;

/// What there is to see at one moment, of a liquid with a surface or of a viscous flow that fills its box.
///
/// A run makes one frame per moment and shares it: the picture, the viewer's files and the data files all look at the
/// same one.
#[derive(Clone, Debug)]
pub struct Frame<const D: usize> {
    /// The lattice. A viscous flow has stretched cells; it is sampled on a lattice of equal ones.
    pub grid: Grid<D>,
    /// Number of the frame, from 0.
    pub number: usize,
    /// Time in seconds.
    pub time: f64,
    /// Steps taken so far.
    pub step: u64,
    /// Distance to the liquid at cell centres, negative inside.
    pub liquid: CellField<f64, D>,
    /// Distance to solids and bodies at the nodes (one more than cells along each axis), negative inside.
    pub solid: CellField<f64, D>,
    /// Where the particles are. Those of a viscous flow are the centres of its bodies.
    pub positions: Vec<[f64; D]>,
    /// Velocity of each of them.
    pub velocities: Vec<[f64; D]>,
    /// The number of each of them, which is the same in all frames. Bodies of a viscous flow are counted from 0.
    pub ids: Vec<u64>,
    /// Velocity across the faces.
    pub velocity: FaceField<f64, D>,
    /// Pressure in every cell, in pascals; zero outside the liquid.
    pub pressure: CellField<f64, D>,
    /// Cells whose wall has let go.
    pub separated: Vec<[usize; D]>,
    /// Rigid bodies.
    pub bodies: Vec<RigidBody<D>>,
    /// A viscous flow on its own grid; none for a liquid with a surface.
    pub flow: Option<FlowFields<D>>,
}

/// A viscous flow on its own grid.
#[derive(Clone, Debug)]
pub struct FlowFields<const D: usize> {
    /// Cells, which may be stretched.
    pub grid: TensorGrid<D>,
    /// Velocity across the faces.
    pub velocity: FaceField<f64, D>,
    /// Pressure in the cells, in pascals, without that of gravity.
    pub pressure: CellField<f64, D>,
}

/// The places of a field that are marked.
fn marked<const D: usize>(field: &CellField<bool, D>) -> Vec<[usize; D]> {
    parallel::list((0..field.values().len(), field.values()), |(places, marks)| {
        let marked = places.zip(marks).filter(|(_, is_marked)| **is_marked);
        marked.map(|(place, _)| multi_index(field.shape(), place)).collect()
    })
}

impl<const D: usize> Frame<D> {
    /// Liquid and solids at rest, given by their distances at a point, at time zero.
    pub fn at_rest(
        grid: Grid<D>,
        liquid: impl Fn([f64; D]) -> f64 + Sync,
        solid: impl Fn([f64; D]) -> f64 + Sync,
    ) -> Self {
        Self {
            grid,
            number: 0,
            time: 0.0,
            step: 0,
            liquid: sample_cells(&grid, liquid),
            solid: sample_nodes(&grid, solid),
            positions: Vec::new(),
            velocities: Vec::new(),
            ids: Vec::new(),
            velocity: std::array::from_fn(|axis| CellField::filled(grid.faces(axis), 0.0)),
            pressure: CellField::filled(grid.cells(), 0.0),
            separated: Vec::new(),
            bodies: Vec::new(),
            flow: None,
        }
    }

    /// What a simulation shows now.
    pub fn of(simulation: &Simulation<D>, number: usize) -> Self {
        let (setup, state) = (simulation.setup(), simulation.state());
        // Frames are large: all threads copy.
        let mut pressure = state.pressure.copied();
        parallel::for_each(pressure.values_mut(), |values| values.iter_mut().for_each(|value| *value *= setup.density));
        Self {
            grid: setup.grid,
            number,
            time: state.time,
            step: state.step,
            liquid: simulation.surface().into_owned(),
            solid: simulation.geometry().solid.copied(),
            positions: parallel::copied(&state.particles.position),
            velocities: parallel::copied(&state.particles.velocity),
            ids: parallel::copied(&state.particles.id),
            velocity: state.velocity.each_ref().map(CellField::copied),
            pressure,
            separated: marked(&state.separated),
            bodies: FloatingBodies::of(simulation).map_or_else(Vec::new, |afloat| afloat.world().bodies().to_vec()),
            flow: None,
        }
    }

    /// What a device shows of a liquid.
    pub(crate) fn of_view(view: LiquidView<D>, grid: Grid<D>, density: f64, number: usize) -> Self {
        let LiquidView { time, step, surface, solid, positions, velocities, ids, velocity, separated, .. } = view;
        let mut pressure = view.pressure;
        parallel::for_each(pressure.values_mut(), |values| values.iter_mut().for_each(|value| *value *= density));
        Self {
            grid,
            number,
            time,
            step,
            liquid: surface,
            solid,
            positions,
            velocities,
            ids,
            velocity,
            pressure,
            separated: marked(&separated),
            bodies: Vec::new(),
            flow: None,
        }
    }

    /// What ranks show of a liquid that they share, on all of its grid or on a part.
    pub(crate) fn of_ranks(view: WholeView<D>, grid: Grid<D>, density: f64, number: usize) -> Self {
        let WholeView { time, step, surface, solid, particles, velocity, mut pressure, separated } = view;
        pressure.values_mut().iter_mut().for_each(|value| *value *= density);
        Self {
            grid,
            number,
            time,
            step,
            liquid: surface,
            solid,
            positions: particles.position,
            velocities: particles.velocity,
            ids: particles.id,
            velocity,
            pressure,
            separated: marked(&separated),
            bodies: Vec::new(),
            flow: None,
        }
    }

    /// The same frame as one of space; none in the plane.
    pub fn in_space(&self) -> Option<&Frame<3>> {
        (self as &dyn Any).downcast_ref()
    }

    /// The frame with its dimension.
    pub fn either(&self) -> PlaneOrSpace<&Frame<2>, &Frame<3>> {
        match ((self as &dyn Any).downcast_ref(), self.in_space()) {
            (Some(frame), _) => PlaneOrSpace::Plane(frame),
            (_, Some(frame)) => PlaneOrSpace::Space(frame),
            _ => unreachable!("frames have two or three dimensions"),
        }
    }

    /// How fast each particle is.
    pub fn speeds(&self) -> impl ExactSizeIterator<Item = f64> + Clone {
        self.velocities.iter().map(|velocity| velocity.iter().map(|value| value * value).sum::<f64>().sqrt())
    }

    /// Distance to what is liquid and neither solid nor beyond the border at the centre of a cell, negative inside.
    pub fn inside(&self, cell: [usize; D]) -> f64 {
        let corners = 1usize << D;
        let corner = |number: usize| std::array::from_fn(|axis| cell[axis] + (number >> axis & 1));
        let solid = (0..corners).map(|number| self.solid.at(corner(number))).sum::<f64>() / corners as f64;
        let cells = self.grid.cells();
        let layers = (0..D).map(|axis| cell[axis].min(cells[axis] - 1 - cell[axis])).min().unwrap_or(0);
        let border = (layers as f64 + 0.5) * self.grid.spacing();
        self.liquid.at(cell).max(-solid).max(-border)
    }

    /// Which cells' walls have let go, as a field.
    pub fn separated_cells(&self) -> CellField<bool, D> {
        let mut field = CellField::filled(self.grid.cells(), false);
        self.separated.iter().for_each(|&cell| *field.at_mut(cell) = true);
        field
    }
}
