//! A viscous flow as a frame: sampled on a lattice of equal cells, beside the fields on its own grid.

use unstick_bodies::{RigidBody, Suspension};
use unstick_flow::{TensorGrid, velocity_at};
use unstick_grid::{CellField, Grid, sample_cells, sample_faces};

use crate::frame::{FlowFields, Frame};

/// Distances to bodies are exact within this many cells of their surface.
const REACH: f64 = 4.0;

impl<const D: usize> Frame<D> {
    /// What a viscous flow shows now. Its particles are the centres of its bodies.
    pub fn of_suspension(suspension: &Suspension<D>, number: usize) -> Self {
        let (setup, state, bodies) = (suspension.flow().setup(), suspension.flow().state(), suspension.bodies());
        let grid = lattice(&setup.grid);
        let mut pressure = state.pressure.clone();
        pressure.values_mut().iter_mut().for_each(|value| *value *= setup.density);
        let solid = distance_to_bodies(&grid, bodies);
        Self {
            grid,
            number,
            time: state.time,
            step: state.step,
            liquid: sample_cells(&grid, |point| -linear(&grid, &solid, point)),
            solid,
            positions: bodies.iter().map(RigidBody::position).collect(),
            velocities: bodies.iter().map(RigidBody::velocity).collect(),
            ids: (0..bodies.len() as u64).collect(),
            velocity: sample_faces(&grid, |axis, point| velocity_at(&setup.grid, &state.velocity, axis, point)),
            pressure: sample_cells(&grid, |point| pressure_at(&setup.grid, &pressure, point)),
            separated: Vec::new(),
            bodies: bodies.to_vec(),
            flow: Some(FlowFields { grid: setup.grid.clone(), velocity: state.velocity.clone(), pressure }),
        }
    }
}

/// Equal cells that cover a grid: its own where they are equal, else about as many.
pub(crate) fn lattice<const D: usize>(grid: &TensorGrid<D>) -> Grid<D> {
    let [lower, upper] = grid.bounds();
    let spacing = (grid.volume() / grid.len() as f64).powf(1.0 / D as f64);
    // The last cell along an axis may reach beyond the box.
    let cells = std::array::from_fn(|axis| (((upper[axis] - lower[axis]) / spacing - 1e-6).ceil() as usize).max(1));
    Grid::new(cells, spacing, lower).unwrap_or_else(|error| unreachable!("cells of a grid that was checked: {error}"))
}

/// Distance to the nearest body at the nodes, negative inside, up to a few cells.
fn distance_to_bodies<const D: usize>(grid: &Grid<D>, bodies: &[RigidBody<D>]) -> CellField<f64, D> {
    let (shape, spacing) = (grid.cells().map(|count| count + 1), grid.spacing());
    let reach = REACH * spacing;
    let mut distances = CellField::filled(shape, reach);
    for body in bodies {
        let (lower, upper) = body.bounds();
        let near = |axis: usize| {
            let index = |place: f64| ((place - grid.origin()[axis]) / spacing).clamp(0.0, shape[axis] as f64) as usize;
            index(lower[axis] - reach)..(index(upper[axis] + reach) + 1).min(shape[axis])
        };
        let ranges: [_; D] = std::array::from_fn(near);
        let counts = ranges.clone().map(|range| range.len());
        for number in 0..counts.iter().product() {
            let mut rest = number;
            let node = std::array::from_fn(|axis| {
                let along = rest % counts[axis];
                rest /= counts[axis];
                ranges[axis].start + along
            });
            let distance = distances.at_mut(node);
            *distance = distance.min(body.distance(grid.node(node)));
        }
    }
    distances
}

/// The mean of the nodes around the centre of a cell.
fn linear<const D: usize>(grid: &Grid<D>, nodes: &CellField<f64, D>, centre: [f64; D]) -> f64 {
    let cell: [usize; D] =
        std::array::from_fn(|axis| ((centre[axis] - grid.origin()[axis]) / grid.spacing()).floor() as usize);
    let corner = |number: usize| nodes.at(std::array::from_fn(|axis| cell[axis] + (number >> axis & 1)));
    (0..1usize << D).map(corner).sum::<f64>() / (1usize << D) as f64
}

/// The pressure between the cell centres of a grid, constant beyond the last.
fn pressure_at<const D: usize>(grid: &TensorGrid<D>, pressure: &CellField<f64, D>, point: [f64; D]) -> f64 {
    let ways: [(usize, f64); D] = std::array::from_fn(|axis| {
        let line = grid.axis(axis);
        let cell = line.cell_at(point[axis]);
        let before = if line.centre(cell) <= point[axis] { cell } else { cell.saturating_sub(1) };
        let before = before.min(line.cells().saturating_sub(2));
        let (from, to) = (line.centre(before), line.centre(before + 1));
        (before, ((point[axis] - from) / (to - from)).clamp(0.0, 1.0))
    });
    (0..1usize << D).fold(0.0, |sum, corner| {
        let is_after = |axis: usize| corner >> axis & 1 == 1;
        let weight: f64 = (0..D).map(|axis| if is_after(axis) { ways[axis].1 } else { 1.0 - ways[axis].1 }).product();
        sum + weight * pressure.at(std::array::from_fn(|axis| ways[axis].0 + usize::from(is_after(axis))))
    })
}

#[cfg(test)]
mod tests {
    use unstick_bodies::{Shape, Weight};
    use unstick_flow::{Axis, Flow, FlowSetup};
    use unstick_grid::Pose;

    use super::*;

    #[test]
    fn equal_cells_are_kept_and_stretched_ones_covered() {
        let equal = TensorGrid::new([Axis::uniform(0.0, 2.0, 40).unwrap(), Axis::uniform(-1.0, 1.0, 40).unwrap()]);
        let same = lattice(&equal);
        assert_eq!(same.cells(), [40, 40]);
        assert!((same.spacing() - 0.05).abs() < 1e-12);
        let axis = Axis::clustered([0.0, 1.0], [0.4, 0.6], 0.02, 1.2, 0.1).unwrap();
        let stretched = TensorGrid::new([axis.clone(), axis]);
        let covering = lattice(&stretched);
        let [across, up] = covering.cells().map(|count| count as f64 * covering.spacing());
        assert!(across >= 1.0 - 1e-5 && up >= 1.0 - 1e-5 && across < 1.0 + covering.spacing());
        assert!(covering.len() < 2 * stretched.len());
    }

    #[test]
    fn a_frame_of_a_flow_holds_its_bodies_and_its_velocity() {
        let axis = || Axis::uniform(0.0, 1.0, 32).unwrap();
        let flow = Flow::new(FlowSetup::new(TensorGrid::new([axis(), axis()]), 0.01)).unwrap();
        let ball = Shape::Sphere { radius: 0.1 };
        let ball = RigidBody::new("ball", ball, Weight::Density(2.0), Pose::from_translation([0.5, 0.5])).unwrap();
        let mut suspension = Suspension::new(flow, vec![ball], [0.0, -1.0]);
        suspension.advance(0.01).unwrap();
        let frame = Frame::of_suspension(&suspension, 1);
        assert_eq!((frame.positions.len(), frame.bodies.len(), frame.step), (1, 1, 1));
        assert!(frame.liquid.at([16, 16]) > 0.05 && frame.liquid.at([2, 2]) < -0.05);
        for axis in 0..2 {
            let own = suspension.flow().state().velocity[axis].values();
            let same = frame.velocity[axis].values().iter().zip(own).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(same, "equal cells keep their velocity along axis {axis}");
        }
    }
}
