//! The term of low rank that bodies add to the pressure operator.

use unstick_grid::Grid;
use unstick_grid::vector::times;

use super::geometry::Geometry;
use super::immerse::Covered;

impl<const D: usize> Geometry<D> {
    /// Columns of the term of low rank: ρ h^D N M⁻¹ Nᵀ = Σ u uᵀ, for rows given by their cells; and N V.
    pub(crate) fn body_columns(
        &self,
        grid: &Grid<D>,
        density: f64,
        row_of: &impl Fn([usize; D]) -> Option<u32>,
    ) -> BodyColumns<D> {
        let mut columns = BodyColumns { mass: density * grid.spacing().powi(D as i32), bodies: Vec::new() };
        for covered in &self.bodies {
            let mut rows: Vec<(u32, [f64; D], [f64; 3])> = Vec::new();
            for &(axis, face, part) in &covered.faces {
                let (linear, angular) = covered.carry(grid, axis, face);
                let mut below = face;
                let below = face[axis].checked_sub(1).map(|place| {
                    below[axis] = place;
                    below
                });
                let above = (face[axis] < grid.cells()[axis]).then_some(face);
                // Out of the cell below the face, into the one above.
                for (cell, sign) in [(below, part), (above, -part)] {
                    if let Some(row) = cell.and_then(row_of) {
                        rows.push((row, times(sign, linear), times(sign, angular)));
                    }
                }
            }
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
        columns
    }
}

/// N of every body: what its velocities carry out of each cell.
pub(crate) struct BodyColumns<const D: usize> {
    /// Mass of the liquid in a cell: ρ h^D.
    mass: f64,
    bodies: Vec<BodyRows<D>>,
}

struct BodyRows<const D: usize> {
    rows: Vec<(u32, [f64; D], [f64; 3])>,
}

impl<const D: usize> BodyColumns<D> {
    /// The columns u of all bodies that can be moved.
    pub fn columns(&self, bodies: &[Covered<D>]) -> Vec<Vec<(u32, f64)>> {
        let mut columns = Vec::new();
        for (rows, covered) in self.bodies.iter().zip(bodies) {
            let body = &covered.body;
            if body.inverse_mass == 0.0 || rows.rows.is_empty() {
                continue;
            }
            let scale = (self.mass * body.inverse_mass).sqrt();
            for axis in 0..D {
                columns.push(rows.rows.iter().map(|(row, linear, _)| (*row, scale * linear[axis])).collect());
            }
            let factor = cholesky(&body.inverse_inertia);
            for column in if D == 2 { 2..3 } else { 0..3 } {
                let along = |angular: &[f64; 3]| (0..3).map(|k| factor[k][column] * angular[k]).sum::<f64>();
                let scale = self.mass.sqrt();
                columns.push(rows.rows.iter().map(|(row, _, angular)| (*row, scale * along(angular))).collect());
            }
        }
        columns
    }

    /// b ← b + N V.
    pub fn add_outflow(&self, bodies: &[Covered<D>], b: &mut [f64]) {
        for (rows, covered) in self.bodies.iter().zip(bodies) {
            for (row, linear, angular) in &rows.rows {
                let moving: f64 = (0..D).map(|axis| linear[axis] * covered.body.velocity[axis]).sum();
                let turning: f64 = (0..3).map(|axis| angular[axis] * covered.body.spin[axis]).sum();
                b[*row as usize] += moving + turning;
            }
        }
    }

    /// ρ h^D Nᵀ q: the impulse on every body.
    pub fn pushes(&self, q: &[f64]) -> Vec<([f64; D], [f64; 3])> {
        let of_body = |rows: &BodyRows<D>| {
            let (mut impulse, mut angular) = ([0.0; D], [0.0; 3]);
            for (row, linear, turning) in &rows.rows {
                let share = self.mass * q[*row as usize];
                (0..D).for_each(|axis| impulse[axis] += share * linear[axis]);
                (0..3).for_each(|axis| angular[axis] += share * turning[axis]);
            }
            (impulse, angular)
        };
        self.bodies.iter().map(of_body).collect()
    }
}

/// L with L Lᵀ = a, for a symmetric positive (semi-)definite matrix.
fn cholesky(a: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut factor = [[0.0; 3]; 3];
    for column in 0..3 {
        for row in column..3 {
            let done: f64 = (0..column).map(|k| factor[row][k] * factor[column][k]).sum();
            let rest = a[row][column] - done;
            factor[row][column] = match factor[column][column] {
                _ if row == column => rest.max(0.0).sqrt(),
                pivot if pivot > 0.0 => rest / pivot,
                _ => 0.0,
            };
        }
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Setup;
    use crate::solids::bodies::Immersed;
    use crate::solids::bodies::tests::cuboid;

    /// A box of two by two cells in the middle of eight by eight; every cell has a row.
    fn columns(velocity: [f64; 2]) -> (Grid<2>, Geometry<2>, BodyColumns<2>) {
        let setup = Setup::new(Grid::<2>::unit(8).unwrap());
        let mut geometry = Geometry::at(&setup, 0.0);
        geometry.immerse(&setup.grid, vec![Immersed { velocity, ..cuboid([0.375; 2], [0.625; 2]) }]);
        let columns = geometry.body_columns(&setup.grid, 1000.0, &|cell| Some(setup.grid.index(cell) as u32));
        (setup.grid, geometry, columns)
    }

    #[test]
    fn still_liquid_carries_the_weight_of_what_a_body_displaces() {
        let (grid, geometry, columns) = columns([0.0; 2]);
        // q falls by one from a cell to the next: ∇q = 1 as a velocity, on liquid of the mass that is displaced.
        let q: Vec<f64> = grid.iter().map(|[_, y]| 8.0 - y as f64).collect();
        let (impulse, turning) = columns.pushes(&q)[0];
        let parts = geometry.bodies[0].faces.iter().filter(|(axis, ..)| *axis == 1);
        let displaced: f64 = parts.map(|(.., part)| part).sum::<f64>() * 1000.0 / 64.0;
        assert!((impulse[1] - displaced).abs() < 1e-9 && impulse[0].abs() < 1e-9 && turning[2].abs() < 1e-9);
        assert!((displaced / (1000.0 * 0.25 * 0.25) - 1.0).abs() < 0.1, "{displaced} kg");
    }

    #[test]
    fn what_a_moving_body_takes_from_one_side_it_gives_to_the_other() {
        let (_, geometry, columns) = columns([3.0, 0.0]);
        let mut b = vec![0.0; 64];
        columns.add_outflow(&geometry.bodies, &mut b);
        assert!(b.iter().sum::<f64>().abs() < 1e-12);
        assert!((b[2 + 8 * 3] - 3.0 * 0.5).abs() < 1e-6 && (b[5 + 8 * 3] + 3.0 * 0.5).abs() < 1e-6, "{b:?}");
    }

    #[test]
    fn the_columns_are_the_term_of_the_body_in_the_operator() {
        let (_, geometry, columns) = columns([0.0; 2]);
        let q: Vec<f64> = (0..64).map(|row| f64::from(row % 7) - 3.0).collect();
        let energy: f64 = columns
            .columns(&geometry.bodies)
            .iter()
            .map(|column| column.iter().map(|&(row, value)| value * q[row as usize]).sum::<f64>().powi(2))
            .sum();
        // qᵀ U Uᵀ q = ρ h² qᵀ N M⁻¹ Nᵀ q: the impulse J on mass 2 and inertia 4, over ρ h².
        let (impulse, turning) = columns.pushes(&q)[0];
        let expected = (impulse[0].powi(2) + impulse[1].powi(2)) / 2.0 + turning[2].powi(2) / 4.0;
        assert!((energy * (1000.0 / 64.0) - expected).abs() < 1e-9 * expected, "{energy} {expected}");
    }

    #[test]
    fn a_cholesky_factor_times_its_transpose_is_the_matrix() {
        let a = [[4.0, 2.0, 0.0], [2.0, 5.0, 0.0], [0.0, 0.0, 0.0]];
        let l = cholesky(&a);
        let entry = |i: usize, j: usize| (0..3).map(|k| l[i][k] * l[j][k]).sum::<f64>();
        assert!((0..9).all(|n| (entry(n / 3, n % 3) - a[n / 3][n % 3]).abs() < 1e-12));
    }
}
