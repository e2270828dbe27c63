//! Solids that do not move, where the grid asks for their distance. A mesh takes its time to answer: it is asked once.

use unstick_grid::{CellField, FaceField, Motion, sample, sample_nodes};

use crate::setup::{Setup, Solid};

/// The nearest solid at a place; of two at the same distance the first one of the setup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// Infinite where there is none.
    pub distance: f64,
    /// Its number in the setup.
    pub solid: u32,
}

impl Nearest {
    /// No solid at all.
    pub const NONE: Self = Self { distance: f64::INFINITY, solid: u32::MAX };

    /// The nearest of this one and of those solids that `is_meant` chooses.
    fn among<const D: usize>(
        self,
        setup: &Setup<D>,
        is_meant: fn(&Solid<D>) -> bool,
        time: f64,
        point: [f64; D],
    ) -> Self {
        let mut best = self;
        for (number, solid) in (0..).zip(&setup.solids).filter(|(_, solid)| is_meant(solid)) {
            let distance = solid.distance(time, point);
            if distance < best.distance || (distance == best.distance && number < best.solid) {
                best = Self { distance, solid: number };
            }
        }
        best
    }
}

/// The nearest of the solids that do not move, at nodes, at centres of cells and at centres of faces.
#[derive(Clone, Debug)]
pub struct StillSolids<const D: usize> {
    /// None if all solids move.
    places: Option<Places<D>>,
}

#[derive(Clone, Debug)]
struct Places<const D: usize> {
    nodes: CellField<f64, D>,
    centres: CellField<Nearest, D>,
    /// None if no solid moves: then nobody asks for velocities.
    faces: Option<FaceField<Nearest, D>>,
}

fn is_still<const D: usize>(solid: &Solid<D>) -> bool {
    matches!(solid.motion, Motion::Still)
}

fn is_moving<const D: usize>(solid: &Solid<D>) -> bool {
    !is_still(solid)
}

impl<const D: usize> StillSolids<D> {
    /// Asks the solids of `setup` that do not move.
    pub fn of(setup: &Setup<D>) -> Self {
        if !setup.solids.iter().any(is_still) {
            return Self { places: None };
        }
        let grid = &setup.grid;
        let nearest = |point| Nearest::NONE.among(setup, is_still, 0.0, point);
        let nodes = sample_nodes(grid, |node| nearest(node).distance);
        let centres = sample(grid.cells(), |cell| nearest(grid.centre(cell)));
        let faces = setup.has_motion().then(|| {
            std::array::from_fn(|axis| sample(grid.faces(axis), |face| nearest(grid.face_centre(axis, face))))
        });
        Self { places: Some(Places { nodes, centres, faces }) }
    }

    /// Memory that a simulation keeps for them.
    pub fn bytes_per_cell(setup: &Setup<D>) -> f64 {
        match setup.has_motion() && setup.solids.iter().any(is_still) {
            true => (size_of::<f64>() + (1 + D) * size_of::<Nearest>()) as f64,
            false => 0.0,
        }
    }

    /// Distance of a node to the nearest of all solids at a time.
    pub(crate) fn at_node(&self, setup: &Setup<D>, time: f64, node: [usize; D]) -> f64 {
        let still = self.places.as_ref().map_or(f64::INFINITY, |places| places.nodes.at(node));
        let moving = Nearest::NONE.among(setup, is_moving, time, setup.grid.node(node));
        still.min(moving.distance)
    }

    /// The nearest of all solids to the centre of a cell at a time.
    pub(crate) fn at_centre(&self, setup: &Setup<D>, time: f64, cell: [usize; D]) -> Nearest {
        let still = self.places.as_ref().map_or(Nearest::NONE, |places| places.centres.at(cell));
        still.among(setup, is_moving, time, setup.grid.centre(cell))
    }

    /// The nearest of all solids to the centre of a face at a time, where some of them move.
    pub(crate) fn at_face(&self, setup: &Setup<D>, time: f64, axis: usize, face: [usize; D]) -> Nearest {
        let places = self.places.as_ref().and_then(|places| places.faces.as_ref());
        let still = places.map_or(Nearest::NONE, |faces| faces[axis].at(face));
        still.among(setup, is_moving, time, setup.grid.face_centre(axis, face))
    }
}

#[cfg(test)]
mod tests {
    use unstick_grid::{Grid, SignedDistance, Spin};

    use super::*;

    #[test]
    fn of_two_solids_at_the_same_distance_the_first_counts() {
        let mut setup = Setup::new(Grid::<2>::unit(4).unwrap());
        let still = Solid::still(SignedDistance::sphere([0.25, 0.5], 0.1));
        let motion = Motion::Steady { velocity: [1.0, 0.0], spin: Spin::none(), pivot: [0.0; 2] };
        let moving = Solid { motion, ..Solid::still(SignedDistance::sphere([0.75, 0.5], 0.1)) };
        for (solids, number_of_still) in [([still.clone(), moving.clone()], 0), ([moving, still], 1)] {
            setup.solids = solids.to_vec();
            let solids = StillSolids::of(&setup);
            // The face in the middle is as far from one as from the other.
            assert_eq!(solids.at_face(&setup, 0.0, 0, [2, 2]).solid, 0);
            assert_eq!(solids.at_face(&setup, 0.2, 0, [2, 2]).solid, number_of_still);
            assert!((solids.at_node(&setup, 0.0, [2, 2]) - 0.15).abs() < 1e-12);
            assert_eq!(solids.at_centre(&setup, 0.0, [0, 2]).solid, number_of_still);
        }
    }
}
