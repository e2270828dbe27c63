//! One multigrid cycle: an approximate inverse of the system, symmetric and positive.
//!
//! Chebyshev polynomials of the system, scaled by its diagonal, smooth: they need nothing but products, which any number
//! of threads computes with the same bits.

use unstick_parallel as parallel;

use super::level::Level;

/// A bound of the eigenvalues of the scaled system (Gershgorin): a term of an edge couples a face to three others, a term
/// of a cell to one. Rows of edges alone have 4, inner ones 3 in space.
pub(super) const LARGEST: f32 = 4.0;

/// The smallest eigenvalue that is smoothed, as a part of the largest. Waves across the velocity that are as short as the coarse
/// cells no longer see have |k|²/8 = 1/4, a sixteenth of the bound; waves along it have twice as much.
pub(super) const SMOOTHED: f32 = 0.08;

/// Degree of the polynomial before and after the coarse correction. Two takes half as many iterations more.
pub(super) const DEGREE: usize = 3;

/// The same on the coarsest level, where all eigenvalues are meant.
pub(super) const COARSEST_DEGREE: usize = 12;
pub(super) const COARSEST_SMOOTHED: f32 = 0.02;

/// x ← M⁻¹ b on the first of the levels.
pub(super) fn cycle<const D: usize>(levels: &mut [Level<D>]) {
    let [fine, rest @ ..] = levels else { return };
    let Some(coarse) = rest.first_mut() else {
        return smooth(fine, true, COARSEST_DEGREE, COARSEST_SMOOTHED);
    };
    smooth(fine, true, DEGREE, SMOOTHED);
    find_residual(fine);
    fine.restrict(coarse);
    cycle(rest);
    fine.correct(&rest[0]);
    smooth(fine, false, DEGREE, SMOOTHED);
}

/// r ← b − A x.
fn find_residual<const D: usize>(level: &mut Level<D>) {
    let Level { system, x, b, r, .. } = level;
    system.products(x, r, |first, r| {
        r.iter_mut().zip(&b[first..]).for_each(|(r, b)| *r = *b - *r);
    });
}

/// Steps of Chebyshev's iteration, from x = 0 if it `starts`.
fn smooth<const D: usize>(level: &mut Level<D>, starts: bool, degree: usize, smoothed: f32) {
    let middle = 0.5 * LARGEST * (1.0 + smoothed);
    let half = 0.5 * LARGEST * (1.0 - smoothed);
    let mut ratio = half / middle;
    for step in 0..degree {
        let (keep, add) = if step == 0 {
            (0.0, 1.0 / middle)
        } else {
            let next = 1.0 / (2.0 * middle / half - ratio);
            let factors = (next * ratio, 2.0 * next / half);
            ratio = next;
            factors
        };
        let Level { system, inverse, x, b, r, d, .. } = &mut *level;
        if step == 0 && starts {
            parallel::for_each(
                (inverse.as_slice(), b.as_slice(), d.as_mut_slice(), x.as_mut_slice()),
                |(inverse, b, d, x)| {
                    for at in 0..x.len() {
                        d[at] = add * inverse[at] * b[at];
                        x[at] = d[at];
                    }
                },
            );
            continue;
        }
        // The next iterate takes the place of the residual.
        let now = x.as_slice();
        system.products_beside(
            now,
            (d, r),
            #[inline(always)]
            |first, d, next| {
                let count = next.len();
                let (x, b, inverse) = (&now[first..][..count], &b[first..][..count], &inverse[first..][..count]);
                for at in 0..count {
                    let change = add * inverse[at] * (b[at] - next[at]);
                    d[at] = if keep == 0.0 { change } else { keep * d[at] + change };
                    next[at] = x[at] + d[at];
                }
            },
        );
        std::mem::swap(x, r);
    }
}

#[cfg(test)]
mod tests {
    use unstick_mlcp::fields::Window;

    use super::super::lattice::{Lattice, pairs, straddling};
    use super::super::pool::Pool;
    use super::super::system::System;
    use super::*;

    /// A round blob of stiffness s, as the finest level sees it.
    fn blob(count: usize, s: f32) -> Vec<Level<2>> {
        let lattice = Lattice::<2>::new(Window { first: [0; 2], size: [count; 2] });
        let part = |x: f64, y: f64| {
            let middle = 0.5 * count as f64;
            (0.5 + 0.35 * count as f64 - (x - middle).hypot(y - middle)).clamp(0.0, 1.0) as f32
        };
        let pool = Pool::default();
        let mut system = System::empty(lattice, &pool);
        for (axis, cells) in system.cells.chunks_mut(lattice.len()).enumerate() {
            let _ = axis;
            lattice.fill(cells, [false; 2], |[x, y], _, c| *c = 2.0 * s * part(x as f64 + 0.5, y as f64 + 0.5));
        }
        for (number, axes) in pairs::<2>() {
            let is_inner = |place: usize| place > 0 && place < count;
            lattice.fill(&mut system.edges[number], straddling(&axes), |[x, y], _, e| {
                *e = if is_inner(x) && is_inner(y) { s * part(x as f64, y as f64) } else { 0.0 };
            });
        }
        let stress = system.diagonal(&pool);
        for (axis, faces) in system.faces.chunks_mut(lattice.len()).enumerate() {
            lattice.fill(faces, straddling(&[axis]), |[x, y], at, g| {
                let shift = [[0.0, 0.5], [0.5, 0.0]][axis];
                if stress[axis * lattice.len() + at] > 0.0 {
                    *g = part(x as f64 + shift[0], y as f64 + shift[1]).max(1e-3);
                }
            });
        }
        Level::all(system, &pool)
    }

    #[test]
    fn a_cycle_is_symmetric_and_positive() {
        for s in [0.1, 10.0, 1e4] {
            let mut levels = blob(9, s);
            let size = levels[0].b.len();
            let counted: Vec<usize> = (0..size).filter(|&face| levels[0].inverse[face] > 0.0).collect();
            let mut column = |face: usize| {
                levels[0].b.fill(0.0);
                levels[0].b[face] = 1.0;
                cycle(&mut levels);
                levels[0].x.iter().map(|&value| f64::from(value)).collect::<Vec<f64>>()
            };
            let matrix: Vec<Vec<f64>> = counted.iter().map(|&face| column(face)).collect();
            for (row, of_row) in matrix.iter().enumerate() {
                for (column, of_column) in matrix.iter().enumerate() {
                    let (one, other) = (of_row[counted[column]], of_column[counted[row]]);
                    let scale = (of_row[counted[row]] * of_column[counted[column]]).sqrt();
                    assert!((one - other).abs() < 1e-4 * scale, "{s}: {one} {other} at {row} {column}");
                }
                assert!((0..size).all(|face| counted.contains(&face) || of_row[face] == 0.0));
            }
            // Cholesky's factorisation exists.
            let mut a: Vec<Vec<f64>> =
                matrix.iter().map(|row| counted.iter().map(|&face| row[face]).collect()).collect();
            for k in 0..a.len() {
                assert!(a[k][k] > 0.0, "{s}: pivot {} of {k}", a[k][k]);
                for i in k + 1..a.len() {
                    let factor = a[i][k] / a[k][k];
                    for j in k + 1..a.len() {
                        let change = factor * a[k][j];
                        a[i][j] -= change;
                    }
                }
            }
        }
    }
}
