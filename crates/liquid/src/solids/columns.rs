//! The term of low rank that bodies add to the pressure operator.

use std::collections::BTreeMap;

use unstick_grid::Grid;
use unstick_grid::vector::{dot, plus, times};

use super::bodies::{JointMotion, Push, Response};
use super::film::{Films, Outflow};
use super::geometry::Geometry;
use super::immerse::Covered;

impl<const D: usize> Geometry<D> {
    /// N of the bodies, for rows given by their cells: those of liquid, and those of bubbles in `air_of`. `fall` is what
    /// gravity adds to velocities in the step.
    pub(crate) fn body_columns(
        &self,
        grid: &Grid<D>,
        density: f64,
        fall: [f64; D],
        row_of: &impl Fn([usize; D]) -> Option<u32>,
        air_of: &impl Fn([usize; D]) -> Option<u32>,
    ) -> BodyColumns<D> {
        let mass = density * grid.spacing().powi(D as i32);
        let mut columns = BodyColumns { mass, bodies: Vec::new(), lifts: Vec::new() };
        let outflows: Vec<_> = self.bodies.iter().map(|covered| outflow(grid, covered)).collect();
        let films = Films::new(grid, self, &outflows, row_of);
        let wet_parts = films.wet_parts();
        let air_of = |cell| air_of(cell).filter(|_| !wet_parts.contains_key(&cell));
        for outflow in &outflows {
            let row_of = |cell| row_of(cell).or_else(|| air_of(cell));
            let of_cell = |(&cell, flow): (&[usize; D], &Outflow<D>)| Some((row_of(cell)?, flow.0, flow.1));
            let mut rows: Vec<(u32, [f64; D], [f64; 3])> = outflow.iter().filter_map(of_cell).collect();
            rows.extend(films.to_rim(outflow));
            rows.sort_by_key(|entry| entry.0);
            rows.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                if is_same {
                    kept.1.iter_mut().zip(next.1).for_each(|(sum, value)| *sum += value);
                    kept.2.iter_mut().zip(next.2).for_each(|(sum, value)| *sum += value);
                }
                is_same
            });
            columns.bodies.push(BodyRows { rows });
        }
        let wet_part = |cell: [usize; D]| match row_of(cell) {
            Some(_) => 1.0,
            None => wet_parts.get(&cell).copied().unwrap_or(0.0),
        };
        for covered in &self.bodies {
            let mut lift = ([0.0; D], [0.0; 3]);
            for &(axis, face, part) in &covered.walled {
                let (linear, angular) = covered.carry(grid, axis, face);
                let (below, above) = beside(grid, axis, face);
                let wet = below.into_iter().chain(above).map(wet_part).fold(0.0, f64::max);
                let impulse = -mass * part * wet * fall[axis];
                lift = (plus(lift.0, times(impulse, linear)), plus(lift.1, times(impulse, angular)));
            }
            columns.lifts.push(lift);
        }
        columns
    }
}

/// The cells below and above a face.
fn beside<const D: usize>(grid: &Grid<D>, axis: usize, face: [usize; D]) -> (Option<[usize; D]>, Option<[usize; D]>) {
    let mut below = face;
    let below = face[axis].checked_sub(1).map(|place| {
        below[axis] = place;
        below
    });
    (below, (face[axis] < grid.cells()[axis]).then_some(face))
}

/// What the velocities of a body carry out of each cell: N, also where there is no row.
fn outflow<const D: usize>(grid: &Grid<D>, covered: &Covered<D>) -> BTreeMap<[usize; D], Outflow<D>> {
    let mut outflow: BTreeMap<[usize; D], Outflow<D>> = BTreeMap::new();
    for &(axis, face, part) in &covered.faces {
        let (linear, angular) = covered.carry(grid, axis, face);
        let (below, above) = beside(grid, axis, face);
        // Out of the cell below the face, into the one above.
        for (cell, sign) in [(below, part), (above, -part)] {
            let Some(cell) = cell else { continue };
            let sum = outflow.entry(cell).or_insert(([0.0; D], [0.0; 3]));
            *sum = (plus(sum.0, times(sign, linear)), plus(sum.1, times(sign, angular)));
        }
    }
    outflow
}

/// N of every body: what its velocities carry out of each cell.
pub(crate) struct BodyColumns<const D: usize> {
    /// Mass of the liquid in a cell: ρ h^D.
    mass: f64,
    bodies: Vec<BodyRows<D>>,
    /// The lift of what bodies cover beyond the last cell centres, at walls: there is no difference of pressures across
    /// a closed face, and still liquid has the one that carries it.
    lifts: Vec<Push<D>>,
}

struct BodyRows<const D: usize> {
    rows: Vec<(u32, [f64; D], [f64; 3])>,
}

impl<const D: usize> BodyColumns<D> {
    /// The columns u of the term of low rank: ρ h^D N W Nᵀ = Σ u uᵀ.
    pub fn columns(&self, response: &Response<D>) -> Vec<Vec<(u32, f64)>> {
        let scale = self.mass.sqrt();
        let of_column = |moved: &JointMotion<D>| {
            let mut column: Vec<(u32, f64)> = Vec::new();
            for (body, velocity, spin) in moved {
                let outflow = |(row, linear, angular): &(u32, [f64; D], [f64; 3])| {
                    (*row, scale * (dot(*linear, *velocity) + dot(*angular, *spin)))
                };
                column.extend(self.bodies[*body].rows.iter().map(outflow));
            }
            if moved.len() > 1 {
                column.sort_by_key(|entry| entry.0);
                column.dedup_by(|next, kept| {
                    let is_same = next.0 == kept.0;
                    kept.1 += if is_same { next.1 } else { 0.0 };
                    is_same
                });
            }
            column
        };
        response.columns.iter().map(of_column).filter(|column| !column.is_empty()).collect()
    }

    /// b ← b + N V.
    pub fn add_outflow(&self, velocities: &[([f64; D], [f64; 3])], b: &mut [f64]) {
        for (rows, (velocity, spin)) in self.bodies.iter().zip(velocities) {
            for (row, linear, angular) in &rows.rows {
                b[*row as usize] += dot(*linear, *velocity) + dot(*angular, *spin);
            }
        }
    }

    /// The pushes without any pressure in the cells.
    pub fn lifts(&self) -> &[Push<D>] {
        &self.lifts
    }

    /// ρ h^D Nᵀ q and the lift at walls: the impulse on every body.
    pub fn pushes(&self, q: &[f64]) -> Vec<Push<D>> {
        let of_body = |(rows, lift): (&BodyRows<D>, &Push<D>)| {
            let (mut impulse, mut angular) = *lift;
            for (row, linear, turning) in &rows.rows {
                let share = self.mass * q[*row as usize];
                (0..D).for_each(|axis| impulse[axis] += share * linear[axis]);
                (0..3).for_each(|axis| angular[axis] += share * turning[axis]);
            }
            (impulse, angular)
        };
        self.bodies.iter().zip(&self.lifts).map(of_body).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;
    use crate::solids::bodies::tests::cuboid;

    /// A box of four by four cells in the middle of eight by eight; every cell has a row.
    fn columns() -> (Grid<2>, Geometry<2>, BodyColumns<2>) {
        let setup = Setup::new(Grid::<2>::unit(8).unwrap());
        let mut geometry = Geometry::at(&setup, 0.0);
        geometry.immerse(&setup.grid, vec![cuboid([0.25; 2], [0.75; 2])]);
        let row_of = |cell| Some(setup.grid.index(cell) as u32);
        let columns = geometry.body_columns(&setup.grid, 1000.0, [0.0; 2], &row_of, &|_| None);
        (setup.grid, geometry, columns)
    }

    #[test]
    fn still_liquid_carries_the_weight_of_what_a_body_displaces() {
        let (grid, geometry, columns) = columns();
        // q falls by one from a cell to the next: ∇q = 1 as a velocity, on liquid of the mass that is displaced.
        let q: Vec<f64> = grid.iter().map(|[_, y]| 8.0 - y as f64).collect();
        let (impulse, turning) = columns.pushes(&q)[0];
        let parts = geometry.bodies[0].faces.iter().filter(|(axis, ..)| *axis == 1);
        let displaced: f64 = parts.map(|(.., part)| part).sum::<f64>() * 1000.0 / 64.0;
        assert!((impulse[1] - displaced).abs() < 1e-9 && impulse[0].abs() < 1e-9 && turning[2].abs() < 1e-9);
        assert!((displaced / (1000.0 * 0.5 * 0.5) - 1.0).abs() < 0.02, "{displaced} kg");
    }

    #[test]
    fn what_a_moving_body_takes_from_one_side_it_gives_to_the_other() {
        let columns = columns().2;
        let mut b = vec![0.0; 64];
        columns.add_outflow(&[([3.0, 0.0], [0.0; 3])], &mut b);
        assert!(b.iter().sum::<f64>().abs() < 1e-12);
        assert!((b[1 + 8 * 3] - 3.0 * 0.5).abs() < 1e-6 && (b[6 + 8 * 3] + 3.0 * 0.5).abs() < 1e-6, "{b:?}");
    }

    #[test]
    fn the_columns_are_the_term_of_the_body_in_the_operator() {
        let columns = columns().2;
        let q: Vec<f64> = (0..64).map(|row| f64::from(row % 7) - 3.0).collect();
        // Mass 2 and inertia 4.
        let (slow, spin) = (0.5f64.sqrt(), [0.0, 0.0, 0.5]);
        let moves = [([slow, 0.0], [0.0; 3]), ([0.0, slow], [0.0; 3]), ([0.0; 2], spin)];
        let response = Response {
            unpushed: vec![([0.0; 2], [0.0; 3])],
            columns: moves.map(|(velocity, spin)| vec![(0, velocity, spin)]).to_vec(),
        };
        let energy: f64 = columns
            .columns(&response)
            .iter()
            .map(|column| column.iter().map(|&(row, value)| value * q[row as usize]).sum::<f64>().powi(2))
            .sum();
        // qᵀ U Uᵀ q = ρ h² qᵀ N M⁻¹ Nᵀ q: the impulse J on mass 2 and inertia 4, over ρ h².
        let (impulse, turning) = columns.pushes(&q)[0];
        let expected = (impulse[0].powi(2) + impulse[1].powi(2)) / 2.0 + turning[2].powi(2) / 4.0;
        assert!((energy * (1000.0 / 64.0) - expected).abs() < 1e-9 * expected, "{energy} {expected}");
    }
}
