//! The rows of bubbles in the pressure problem, eliminated.
//!
//! With q of the liquid, p of the bubbles, K and G the blocks of the bubbles' rows,
//!
//! ```text
//!     A q + G p + b = r        Gᵀ q + K p + c = 0
//! ```
//!
//! Without bodies K is diagonal, with Σ V/θ of each bubble, and G has −V/θ. A body in the air of a bubble moves its surface
//! and is pushed by it: W of its columns adds W W ᵀ to both. With K = L Lᵀ and V = G L⁻ᵀ the bubbles are gone:
//!
//! ```text
//!     (A − V Vᵀ) q + b − V L⁻¹ c = r        p = −L⁻ᵀ (Vᵀ q + L⁻¹ c)
//! ```
//!
//! What is left is the Schur complement of an M-matrix, and one itself: conjugate gradients preconditioned by A alone take an
//! iteration more for each bubble at most, and policies are monotone as ever. Its residual is that of the whole problem, in
//! which the rows of bubbles hold exactly.

use std::collections::BTreeMap;

use unstick_grid::{Grid, linear_index};
use unstick_mlcp::fields::{PressureFields, theta};

use crate::cells::multi_index;

/// A column by its (row, value) pairs.
pub(crate) type Column = Vec<(u32, f64)>;

/// The rows of the bubbles of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct BubbleRows {
    /// For each cell the number of its bubble, from one; zero for none.
    bubble_of: Vec<u32>,
    /// V/θ by the row of the liquid, for each bubble.
    touching: Vec<BTreeMap<u32, f64>>,
    /// c without bodies.
    outflow: Vec<f64>,
}

/// What is left of the bubbles' rows when they are eliminated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Eliminated {
    /// V.
    pub columns: Vec<Column>,
    /// L, row by row, of the bubbles that bodies reach; of others the diagonal alone.
    factor: Vec<Vec<(usize, f64)>>,
    /// L⁻¹ c.
    outflow: Vec<f64>,
}

impl BubbleRows {
    /// The rows of bubbles, given the number of each cell's bubble, from one, and the rates at which their volumes should
    /// grow.
    pub fn new<const D: usize>(
        grid: &Grid<D>,
        fields: &PressureFields<D>,
        bubble_of: Vec<u32>,
        growth: &[f64],
        row_of: impl Fn([usize; D]) -> Option<u32>,
    ) -> Self {
        let area = grid.spacing().powi(D as i32 - 1);
        let outflow = growth.iter().map(|growth| -growth / area).collect();
        let mut rows = Self { bubble_of, touching: vec![BTreeMap::new(); growth.len()], outflow };
        for cell in 0..rows.bubble_of.len() {
            if rows.bubble_of[cell] > 0 {
                rows.add_cell(grid, fields, cell, &row_of);
            }
        }
        rows
    }

    fn add_cell<const D: usize>(
        &mut self,
        grid: &Grid<D>,
        fields: &PressureFields<D>,
        cell: usize,
        row_of: &impl Fn([usize; D]) -> Option<u32>,
    ) {
        let (bubble, place) = (self.bubble_of[cell], multi_index(grid.cells(), cell));
        for side in 0..2 * D {
            let (axis, is_upper) = (side / 2, side % 2 == 1);
            let other = grid.neighbour(place, axis, is_upper);
            if other.is_some_and(|other| self.bubble_of[grid.index(other)] == bubble) {
                continue; // what leaves one cell comes into the other
            }
            let mut face = place;
            face[axis] += usize::from(is_upper);
            let face = linear_index(grid.faces(axis), face);
            let open = fields.walls.open[axis][face];
            let carried = fields.walls.flow.map_or(0.0, |flow| flow[axis][face]);
            let flow = open * fields.velocity[axis][face] + carried;
            self.outflow[bubble as usize - 1] += if is_upper { flow } else { -flow };
            let Some((other, row)) = other.and_then(|other| Some((other, row_of(other)?))) else { continue };
            if open > 0.0 {
                let theta = theta(fields.liquid[grid.index(other)], Some(fields.liquid[cell]), grid.spacing());
                *self.touching[bubble as usize - 1].entry(row).or_insert(0.0) += open / theta;
            }
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.touching.len()
    }

    /// The bubble of a cell, from zero.
    pub fn at(&self, cell: usize) -> Option<u32> {
        self.bubble_of.get(cell)?.checked_sub(1)
    }

    /// The outflow of the bubbles with all that does not depend on bodies.
    pub fn outflow(&self) -> &[f64] {
        &self.outflow
    }

    /// Takes the bubbles out of a problem with c of them and the columns of bodies, whose rows from `size` on are bubbles.
    /// Only those of the liquid are left in the columns. b changes with it.
    pub fn eliminate(&self, outflow: &[f64], bodies: &mut [Column], b: &mut [f64]) -> Eliminated {
        let (size, count) = (b.len() as u32, self.count());
        let mut coupling: Vec<BTreeMap<u32, f64>> = self.touching.clone();
        coupling.iter_mut().flat_map(BTreeMap::values_mut).for_each(|value| *value = -*value);
        let hold = |touching: &BTreeMap<u32, f64>| touching.values().sum();
        let mut block: Vec<BTreeMap<usize, f64>> =
            self.touching.iter().enumerate().map(|(bubble, touching)| [(bubble, hold(touching))].into()).collect();
        for column in bodies.iter_mut() {
            let (liquid, air): (Column, Column) = column.iter().partition(|entry| entry.0 < size);
            for &(one, push) in &air {
                let one = (one - size) as usize;
                liquid.iter().for_each(|&(row, value)| *coupling[one].entry(row).or_insert(0.0) += push * value);
                for &(other, answer) in &air {
                    *block[one].entry((other - size) as usize).or_insert(0.0) += push * answer;
                }
            }
            *column = liquid;
        }
        let mut left = Eliminated { outflow: outflow.to_vec(), ..Eliminated::default() };
        for bubble in 0..count {
            left.add(bubble, &block[bubble], std::mem::take(&mut coupling[bubble]));
        }
        for (column, outflow) in left.columns.iter().zip(&left.outflow) {
            column.iter().for_each(|&(row, value)| b[row as usize] -= value * outflow);
        }
        left
    }
}

impl Eliminated {
    /// One more row of L, and one more column of V: G_j = Σ V_i L_ji over i ≤ j.
    fn add(&mut self, bubble: usize, block: &BTreeMap<usize, f64>, mut coupling: BTreeMap<u32, f64>) {
        let mut row: Vec<(usize, f64)> = Vec::new();
        let mut diagonal = block.get(&bubble).copied().unwrap_or(0.0);
        if block.len() > 1 {
            for before in 0..bubble {
                let product: f64 = row.iter().map(|&(at, value)| value * entry(&self.factor[before], at)).sum();
                let value = block.get(&before).copied().unwrap_or(0.0) - product;
                let pivot = entry(&self.factor[before], before);
                if value != 0.0 && pivot > 0.0 {
                    row.push((before, value / pivot));
                }
            }
        }
        for &(before, value) in &row {
            diagonal -= value * value;
            self.outflow[bubble] -= value * self.outflow[before];
            for &(at, part) in &self.columns[before] {
                *coupling.entry(at).or_insert(0.0) -= value * part;
            }
        }
        // Air that touches no liquid has no row.
        let pivot = diagonal.max(0.0).sqrt();
        let scale = if pivot > 0.0 { 1.0 / pivot } else { 0.0 };
        row.push((bubble, pivot));
        self.factor.push(row);
        self.outflow[bubble] *= scale;
        self.columns.push(coupling.into_iter().map(|(row, value)| (row, value * scale)).collect());
    }

    /// The scaled pressures of the bubbles, given those of the liquid.
    pub fn pressures(&self, q: &[f64]) -> Vec<f64> {
        let along = |column: &Column| column.iter().map(|&(row, value)| value * q[row as usize]).sum::<f64>();
        let mut found: Vec<f64> =
            self.columns.iter().zip(&self.outflow).map(|(column, outflow)| -(along(column) + outflow)).collect();
        for bubble in (0..found.len()).rev() {
            let pivot = entry(&self.factor[bubble], bubble);
            found[bubble] = if pivot > 0.0 { found[bubble] / pivot } else { 0.0 };
            for &(before, value) in self.factor[bubble].iter().filter(|entry| entry.0 < bubble) {
                found[before] -= value * found[bubble];
            }
        }
        found
    }
}

fn entry(row: &[(usize, f64)], at: usize) -> f64 {
    row.iter().rev().find(|entry| entry.0 == at).map_or(0.0, |entry| entry.1)
}

#[cfg(test)]
mod tests {
    use unstick_grid::SignedDistance;

    use super::*;
    use crate::air::Air;
    use crate::{Setup, Simulation, Solid};
    use unstick_grid::{Motion, Spin};

    /// Two bubbles in a tank whose water is thrown about and leaves walls, and a solid that comes up from below: nothing flows
    /// into the bubbles or out of them, and the rows of the liquid hold as ever.
    #[test]
    fn bubbles_keep_their_volume_in_a_step_in_which_walls_let_go() {
        let piston = Solid {
            motion: Motion::Steady { velocity: [0.0, 0.3], spin: Spin::none(), pivot: [0.0; 2] },
            ..Solid::still(SignedDistance::cuboid([-1.0, -1.0], [0.4, 0.03]))
        };
        let mut setup = Setup::new(Grid::<2>::unit(24).unwrap());
        setup.air = Air::Enclosed { vents: Vec::new() };
        setup.pressure.tolerance = 1e-10;
        setup.solids.push(piston);
        let bubbles = [([0.3, 0.3], 0.12), ([0.75, 0.45], 0.1)].map(|(at, radius)| SignedDistance::sphere(at, radius));
        let water = SignedDistance::cuboid([0.0; 2], [1.0, 0.8]);
        let air = SignedDistance::Union(bubbles.to_vec()).complement();
        let mut tank = Simulation::new(setup, &SignedDistance::Intersection(vec![water, air])).unwrap();
        let wave = |[x, y]: [f64; 2]| [3.0 * (9.0 * y).sin(), 2.0 * (7.0 * x).cos() + 1.0];
        let throw = |(point, velocity): (&[f64; 2], &mut [f64; 2])| *velocity = wave(*point);
        tank.state.particles.position.iter().zip(&mut tank.state.particles.velocity).for_each(throw);
        let kick = tank.prepare_pressure(0.01);
        let report = tank.project_pressure(kick, 0.01).unwrap();
        assert!(report.converged() && report.active_rows() > 5, "{}", report.active_rows());
        assert_eq!(tank.bubbles().count(), 2);
        assert!(tank.bubbles().all(|bubble| bubble.pressure.abs() > 1.0));
        let (grid, bubble_of) = (tank.setup.grid, tank.state.air.bubble_of());
        let (open, flow) = (&tank.geometry.open, tank.geometry.wall_flow().unwrap());
        let through = |axis: usize, face: [usize; 2]| {
            open[axis].at(face) * tank.state.velocity[axis].at(face) + flow[axis].at(face)
        };
        for bubble in 1..=2 {
            let (mut net, mut most) = (0.0, 0.0f64);
            for cell in grid.iter().filter(|&cell| bubble_of[grid.index(cell)] == bubble) {
                for axis in 0..2 {
                    let mut above = cell;
                    above[axis] += 1;
                    net += through(axis, above) - through(axis, cell);
                    most = most.max(through(axis, above).abs());
                }
            }
            assert!(net.abs() < 1e-8 * most && most > 0.1, "{net} of {most}");
        }
    }
}
