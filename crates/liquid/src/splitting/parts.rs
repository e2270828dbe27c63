//! The closed parts of faces beside the liquid, and the velocity through them.

use super::Setting;
use crate::cells::multi_index;
use crate::pressure::NO_ROW;

/// Walls steeper than this to an axis are not left along it; the gradient of a distance is a unit vector.
const PARALLEL: f64 = 1e-6;

/// The closed part of one face.
pub(super) struct Part<const D: usize> {
    pub axis: usize,
    pub face: [usize; D],
    /// Rows of the cells below and above; `NO_ROW` where there is no liquid.
    pub lower: u32,
    pub upper: u32,
    /// 1 − V.
    pub area: f64,
    /// Velocity of the liquid through it, relative to the wall.
    pub speed: f64,
    /// Sign of a velocity away from the wall; zero where there is none, or the wall is sealed.
    pub away: f64,
    /// Whether the liquid leaves it, as far as is known.
    pub is_left: bool,
    /// The second velocity and the dual variable of `admm`.
    pub second: f64,
    pub dual: f64,
}

impl<const D: usize> Part<D> {
    /// Rows on either side.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        [self.lower, self.upper].into_iter().filter(|&row| row != NO_ROW).map(|row| row as usize)
    }

    /// Value above minus value below; beyond the liquid it is zero.
    pub fn difference(&self, x: &[f64]) -> f64 {
        let value = |row: u32| if row == NO_ROW { 0.0 } else { x[row as usize] };
        value(self.upper) - value(self.lower)
    }

    /// Adds the flow of a velocity through the part to the outflow of the cells on either side.
    pub fn flow(&self, speed: f64, outflow: &mut [f64]) {
        if self.lower != NO_ROW {
            outflow[self.lower as usize] += self.area * speed;
        }
        if self.upper != NO_ROW {
            outflow[self.upper as usize] -= self.area * speed;
        }
    }

    /// What the wall makes of a velocity: nothing changes where it is left, nothing is left of it
    /// elsewhere \[Eckert2014, alg. 2, line 9\].
    pub fn allowed(&self, speed: f64) -> f64 {
        if self.is_left { speed } else { 0.0 }
    }

    /// Takes on a velocity; the outflow follows.
    pub fn set(&mut self, speed: f64, outflow: &mut [f64]) {
        self.flow(speed - self.speed, outflow);
        self.speed = speed;
    }
}

/// All closed parts, face after face.
pub(super) struct Parts<const D: usize> {
    pub list: Vec<Part<D>>,
}

impl<const D: usize> Parts<D> {
    /// Begins with the velocity before the pressure.
    pub fn of(setting: &Setting<D>) -> Self {
        let Setting { grid, geometry, velocity, problem, .. } = setting;
        let mut list = Vec::new();
        for axis in 0..D {
            let open = &geometry.open[axis];
            for (index, &open_part) in open.values().iter().enumerate().filter(|(_, open)| **open < 1.0) {
                let face = multi_index(open.shape(), index);
                let (below, above, lower, upper) = problem.beside(grid, axis, face);
                if lower == NO_ROW && upper == NO_ROW {
                    continue;
                }
                let cells = [(below, lower), (above, upper)].into_iter().filter(|(_, row)| *row != NO_ROW);
                let separates = cells.filter_map(|(cell, _)| cell).any(|cell| geometry.separating.at(cell));
                let away = match (lower, upper) {
                    _ if !separates => 0.0,
                    (NO_ROW, _) if open_part == 0.0 => 1.0,
                    (_, NO_ROW) if open_part == 0.0 => -1.0,
                    _ => {
                        let normal = geometry.normal(grid, grid.face_centre(axis, face))[axis];
                        if normal.abs() > PARALLEL { normal.signum() } else { 0.0 }
                    }
                };
                let speed = velocity[axis].at(face) - geometry.solid_velocity_at(axis, face);
                let area = 1.0 - open_part;
                list.push(Part { axis, face, lower, upper, area, speed, away, is_left: false, second: 0.0, dual: 0.0 });
            }
        }
        Self { list }
    }

    /// Takes back the marks, for the rest of the step, of walls that the liquid flows into faster than
    /// `tolerance`; returns the largest such speed.
    pub fn take_back(&mut self, tolerance: f64) -> Option<f64> {
        let contradicted = self.list.iter_mut().filter(|part| part.is_left && part.speed * part.away < -tolerance);
        contradicted.fold(None, |most: Option<f64>, part| {
            (part.is_left, part.second, part.dual) = (false, 0.0, part.speed);
            Some(most.unwrap_or(0.0).max(part.speed.abs()))
        })
    }

    /// Speed ← speed + ∇x.
    pub fn add_gradient(&mut self, x: &[f64]) {
        self.list.iter_mut().for_each(|part| part.speed += part.difference(x));
    }

    /// The largest speed through any part.
    pub fn fastest(&self) -> f64 {
        self.list.iter().fold(0.0, |most, part| most.max(part.speed.abs()))
    }

    /// Velocities with which liquid leaves faces that are closed altogether: axis, face, velocity.
    pub fn leaving(&self, setting: &Setting<D>) -> Vec<(usize, [usize; D], f64)> {
        let left = self.list.iter().filter(|part| part.is_left && part.area == 1.0);
        let velocity = |part: &Part<D>| part.speed + setting.geometry.solid_velocity_at(part.axis, part.face);
        left.map(|part| (part.axis, part.face, velocity(part))).collect()
    }
}
