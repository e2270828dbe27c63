//! What walls do to shear: patches of wall in cells, and their drag on the faces of these cells.
//!
//! The wall of a cell is what its faces lack: by the divergence theorem the area of the wall, as a vector, is the
//! difference of the open parts of opposite faces. Drag acts on all of the velocity relative to the wall but the
//! component that leads away from it. Where the wall is oblique, that is all of it: liquid in contact has no other.

use unstick_grid::{Varying, part_behind_plane};
use unstick_parallel::{self as parallel, vector};

use super::lattice::straddling;
use super::medium::Medium;
use crate::cells::multi_index;
use crate::setup::{Drag, Setup};

/// Least distance of a face from its wall, in cells: thinner slivers stick as those of this size.
pub(super) const LEAST_DISTANCE: f64 = 0.05;

/// Part of a cell below which strain across it is not divided any further.
pub(super) const LEAST_WIDTH: f64 = 0.25;

/// Friction brakes up to a velocity of one part of so many of what it would be without.
pub(super) const STOPS: f64 = 1e3;

/// A wall that carries no pressure has let go where liquid leaves it this steeply. A film that runs down a wall carries
/// none either.
pub(super) const LEAVES: f64 = 0.1;

/// The wall in a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch<const D: usize> {
    /// The cell's place in the box, and on the grid.
    at: usize,
    cell: [usize; D],
    /// Wet area, in faces of cells.
    area: f64,
    /// How much of each component of the velocity is dragged.
    tangent: [f64; D],
    /// Distance from the wall to the middle of the open part of the cell, in cells.
    distance: f64,
    /// Whether liquid presses on it. Then it bears the strain of what comes towards it.
    is_pressed: bool,
    pub drag: LocalDrag,
}

/// A [`Drag`] at a place and a time.
#[derive(Clone, Copy, Debug)]
pub(super) enum LocalDrag {
    None,
    SlipLength(f64),
    Friction(f64),
}

impl LocalDrag {
    fn of<const D: usize>(drag: &Drag<D>, point: [f64; D], time: f64) -> Self {
        // What a formula makes negative is nothing. What it makes no number ends the solve, which says so.
        let at = |number: &Varying<D>| {
            let value = number.at(point, time);
            if value < 0.0 { 0.0 } else { value }
        };
        match drag {
            Drag::None => Self::None,
            Drag::SlipLength(length) => Self::SlipLength(at(length)),
            Drag::Friction(friction) => Self::Friction(at(friction)),
        }
    }
}

impl<const D: usize> Medium<'_, D> {
    /// The walls of all cells with liquid that have not let go of a velocity.
    pub fn patches(&self, setup: &Setup<D>, velocity: &[f64]) -> Vec<Patch<D>> {
        let mut is_wall = parallel::filled(self.lattice.len(), false);
        self.lattice.fill(&mut is_wall, [false; D], |_, at, is_wall| {
            *is_wall = self.cell_open[at] > 0.0 && self.wall_area(at).iter().any(|area| *area != 0.0);
        });
        parallel::list((0..self.lattice.len(), is_wall.as_slice()), |(range, is_wall)| {
            let places = range.zip(is_wall).filter(|(_, is_wall)| **is_wall);
            places.filter_map(|(at, _)| self.patch(setup, at, velocity)).collect()
        })
    }

    /// The area of the wall in a cell times its normal into the liquid, in faces of cells.
    fn wall_area(&self, at: usize) -> [f64; D] {
        std::array::from_fn(|axis| {
            let (below, above) = (self.open(axis, at), self.open(axis, at + self.lattice.strides[axis]));
            // A gap of one cell has two walls that would cancel.
            if below == 0.0 && above == 0.0 { 2.0 } else { above - below }
        })
    }

    fn patch(&self, setup: &Setup<D>, at: usize, velocity: &[f64]) -> Option<Patch<D>> {
        let cell = self.cell(multi_index(self.lattice.shape, at).map(|place| place - 1));
        let vector = self.wall_area(at);
        let size = vector.iter().map(|area| area * area).sum::<f64>().sqrt();
        let normal = vector.map(|area| area / size);
        // The surface where it meets the wall, half a cell along the normal.
        let (depth, mut slope) = self.filled.plane(at, &[]);
        let towards: f64 = (0..D).map(|axis| slope[axis] * normal[axis]).sum();
        (0..D).for_each(|axis| slope[axis] -= towards * normal[axis]);
        let wet = part_behind_plane(slope, depth - 0.5 * towards);
        if wet == 0.0 {
            return None;
        }
        if self.separated.at(cell) {
            let relative = self.sliding(at, cell, velocity);
            let leaving: f64 = (0..D).map(|axis| relative[axis] * normal[axis]).sum();
            let squared: f64 = relative.iter().map(|value| value * value).sum();
            if leaving > 0.0 && leaving * leaving > LEAVES * LEAVES * squared {
                return None;
            }
        }
        let drag = LocalDrag::of(self.geometry.drag(setup, cell), self.grid.centre(cell), self.time);
        let distance = (0.5 * self.cell_open[at]).max(LEAST_DISTANCE);
        let tangent = normal.map(|along| (4.0 * (1.0 - along * along)).min(1.0));
        let is_pressed = self.pressure.at(cell) > 0.0;
        Some(Patch { at, cell, area: size.min(2.0) * wet, tangent, distance, is_pressed, drag })
    }

    /// The open faces of a cell across an axis: the place of each, and the velocity of the wall there.
    fn open_sides(&self, at: usize, cell: [usize; D], axis: usize) -> impl Iterator<Item = (usize, f64)> {
        let sides = [0, 1].map(|step| {
            let (place, mut face) = (at + step * self.lattice.strides[axis], cell);
            face[axis] += step;
            (self.open(axis, place) > 0.0)
                .then(|| (axis * self.lattice.len() + place, self.geometry.solid_velocity_at(axis, face)))
        });
        sides.into_iter().flatten()
    }

    /// The velocity of the liquid in a cell relative to the wall.
    fn sliding(&self, at: usize, cell: [usize; D], velocity: &[f64]) -> [f64; D] {
        std::array::from_fn(|axis| {
            let (mut sum, mut count) = (0.0, 0.0);
            for (place, of_wall) in self.open_sides(at, cell, axis) {
                sum += velocity[place] - of_wall;
                count += 1.0;
            }
            if count > 0.0 { sum / count } else { 0.0 }
        })
    }

    /// Adds the drag of patches to the faces of their cells: the coefficient of the velocity to `drag`, and that times
    /// the velocity of the wall to `pull`. `viscosity` is that of the cells in the box, `velocity` that of now
    /// in this round.
    pub fn add_drag(
        &self,
        patches: &[Patch<D>],
        (viscosity, velocity): (&[f64], &[f64]),
        round: usize,
        (drag, pull): (&mut [f64], &mut [f64]),
    ) {
        let spacing = self.grid.spacing();
        for &Patch { at, cell, area, tangent, distance, is_pressed, drag: law } in patches {
            let stiffness = self.kick * viscosity[at] / (spacing * spacing);
            let across = 2.0 * stiffness / (2.0 * distance).max(LEAST_WIDTH);
            // What friction allows depends on the load: there the wall must not pull.
            let has_friction = matches!(law, LocalDrag::Friction(_));
            let coefficient = match law {
                LocalDrag::None => 0.0,
                LocalDrag::SlipLength(length) => stiffness / (distance + length / spacing),
                LocalDrag::Friction(friction) => {
                    let sliding = self.sliding(at, cell, velocity);
                    let squared: f64 = (0..D).map(|axis| tangent[axis] * sliding[axis] * sliding[axis]).sum();
                    // Stress has not acted on the velocity of the first round: its strain is no load.
                    let strain: f64 = match is_pressed && round > 0 {
                        true => (0..D)
                            .filter_map(|axis| self.approach(at, cell, axis, velocity))
                            .map(|v| across * v.max(0.0))
                            .sum(),
                        false => 0.0,
                    };
                    let load = friction * (self.kick * self.wall_pressure(at, cell) / spacing + strain);
                    (load / squared.sqrt().max(f64::MIN_POSITIVE)).min(STOPS * (1.0 + stiffness))
                }
            };
            for axis in 0..D {
                let count = self.open_sides(at, cell, axis).count();
                let approach = self.approach(at, cell, axis, velocity);
                let holds =
                    is_pressed && approach.is_some_and(|approach| !has_friction || approach > 0.0 || round == 0);
                for (place, of_wall) in self.open_sides(at, cell, axis) {
                    let mut value = area * coefficient * tangent[axis] / count as f64;
                    if holds {
                        value += area * across;
                    }
                    drag[place] += value;
                    pull[place] += value * of_wall;
                }
            }
        }
    }

    /// Holds the liquid in sources at the velocity with which it enters, as a nozzle does. Otherwise a thread would pull it out
    /// by its own weight, and more would enter than the source says. The nozzle ends half a cell further, so that what is still
    /// inside is not stretched.
    pub fn hold_sources(&self, setup: &Setup<D>, viscosity: &[f64], (drag, pull): (&mut [f64], &mut [f64])) {
        let (scale, length) = (self.kick / self.grid.spacing().powi(2), self.lattice.len());
        let mouth = setup.mouth();
        for (source, entering) in setup.sources(self.time) {
            for axis in 0..D {
                let mut held = self.pool.filled(length, 0.0);
                self.lattice.fill(&mut held, straddling(&[axis]), |face, at, held| {
                    if self.open(axis, at) > 0.0 && source.at(self.grid.face_centre(axis, self.cell(face))) < mouth {
                        *held = STOPS * (1.0 + scale * viscosity[at]);
                    }
                });
                let faces = axis * length..(axis + 1) * length;
                vector::add_scaled(1.0, &held, &mut drag[faces.clone()]);
                vector::add_scaled(entering[axis], &held, &mut pull[faces]);
                self.pool.keep([held]);
            }
        }
    }

    /// The velocity at which liquid comes towards a closed face of a cell from the open one across; none if there is not one
    /// of each.
    fn approach(&self, at: usize, cell: [usize; D], axis: usize, velocity: &[f64]) -> Option<f64> {
        let is_open = |at: usize| self.open(axis, at) > 0.0;
        let sign = match (is_open(at), is_open(at + self.lattice.strides[axis])) {
            (true, false) => 1.0,
            (false, true) => -1.0,
            _ => return None,
        };
        self.open_sides(at, cell, axis).next().map(|(place, of_wall)| sign * (velocity[place] - of_wall))
    }

    /// Pressure over density at the wall of a cell: that of the cell, and as much of its slope as the wall is away.
    fn wall_pressure(&self, at: usize, cell: [usize; D]) -> f64 {
        let own = self.pressure.at(cell);
        let mut at_wall = own;
        for axis in 0..D {
            let (mut above, mut below) = (cell, cell);
            above[axis] += 1;
            below[axis] = below[axis].wrapping_sub(1);
            let is_open = |at: usize| self.open(axis, at) > 0.0;
            let next = match (is_open(at), is_open(at + self.lattice.strides[axis])) {
                (true, false) => below,
                (false, true) => above,
                _ => continue,
            };
            at_wall += (self.cell_open[at] - 0.5) * (own - self.pressure.at(next));
        }
        at_wall.max(0.0)
    }

    /// How much stiffer an edge is because the open parts of its faces lie closer together than a cell.
    pub fn edge_stiffness(&self, axes: [usize; 2], at: usize) -> f64 {
        let edge = self.cell(multi_index(self.lattice.shape, at).map(|place| place - 1));
        let mut stiffness = 1.0;
        for (axis, other) in [(axes[0], axes[1]), (axes[1], axes[0])] {
            let mut below = edge;
            below[other] -= 1;
            let distance = 1.0 + self.shift(axis, other, edge) - self.shift(axis, other, below);
            stiffness /= distance.clamp(0.5, 1.5);
        }
        for along in (0..D).filter(|along| !axes.contains(along)) {
            let mut end = edge;
            end[along] += 1;
            let (one, other) = (self.geometry.solid.at(edge), self.geometry.solid.at(end));
            stiffness *= match (one > 0.0, other > 0.0) {
                (true, false) => one / (one - other),
                (false, true) => other / (other - one),
                _ => 1.0,
            };
        }
        stiffness
    }

    /// How far the middle of the open part of a face lies from its own middle along another axis, in cells.
    fn shift(&self, axis: usize, other: usize, face: [usize; D]) -> f64 {
        let open = self.geometry.open[axis].at(face);
        if open >= 1.0 {
            return 0.0;
        }
        let solid = &self.geometry.solid;
        let mut slope = [0.0; D];
        for choice in (0..1usize << D).filter(|choice| choice >> axis & 1 == 0) {
            let distance = solid.at(std::array::from_fn(|along| face[along] + (choice >> along & 1)));
            for along in (0..D).filter(|&along| along != axis) {
                slope[along] += if choice >> along & 1 == 1 { distance } else { -distance };
            }
        }
        let size: f64 = slope.iter().map(|value| value.abs()).sum();
        if size > 0.0 { 0.5 * (1.0 - open) * slope[other] / size } else { 0.0 }
    }
}
