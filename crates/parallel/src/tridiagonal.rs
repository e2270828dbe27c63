//! Tridiagonal systems, many at once.
//!
//! Values lie in planes, one system runs through the planes at each place. The systems differ in a shift s alone:
//!
//! ```text
//!     (s m_k + d_k) x_k − c_k x_{k−1} − c_{k+1} x_{k+1} = r_k
//! ```
//!
//! Elimination needs the pivots p_k = s m_k + d_k − c_k²/p_{k−1}. They do not depend on r, but computing them again is
//! cheaper than moving them through memory.

use rayon::prelude::*;

/// A pivot that is this small beside its diagonal counts as zero, and so does the value there.
const SINGULAR: f64 = 1e-11;

/// Systems that are solved together: their values stay in a second-level cache.
const SYSTEMS: usize = 64;

/// The coefficients that all systems share.
///
/// ```
/// use unstick_parallel::tridiagonal::Tridiagonal;
///
/// // Two systems of three planes, with 2 and 3 on the diagonal.
/// let rows = Tridiagonal { masses: vec![1.0; 3], diagonals: vec![2.0; 3], couplings: vec![1.0; 3] };
/// let mut x = [0.0, 1.0, 0.0, 1.0, 4.0, 1.0];
/// rows.solve(&[0.0, 1.0], 1.0, &mut x);
/// assert!((x[0] - 1.0).abs() < 1e-15 && (x[2] - 2.0).abs() < 1e-15 && (x[4] - 3.0).abs() < 1e-15);
/// ```
#[derive(Clone, Debug)]
pub struct Tridiagonal {
    /// m_k, one for each plane.
    pub masses: Vec<f64>,
    /// d_k.
    pub diagonals: Vec<f64>,
    /// c_k between plane k − 1 and plane k; the first is not used.
    pub couplings: Vec<f64>,
}

impl Tridiagonal {
    /// x ← `scale` times the answers for the right-hand sides in x, plane by plane, with a shift for each system.
    ///
    /// # Panics
    /// When x does not hold one value for each shift and plane.
    pub fn solve(&self, shifts: &[f64], scale: f64, x: &mut [f64]) {
        assert_eq!(x.len(), shifts.len() * self.masses.len(), "values (left), systems times planes (right)");
        let mut bundles: Vec<Bundle> = shifts
            .chunks(SYSTEMS)
            .map(|shifts| Bundle { shifts, planes: Vec::with_capacity(self.masses.len()) })
            .collect();
        for plane in x.chunks_mut(shifts.len()) {
            bundles.iter_mut().zip(plane.chunks_mut(SYSTEMS)).for_each(|(bundle, values)| bundle.planes.push(values));
        }
        bundles.into_par_iter().for_each_init(Vec::new, |reciprocals, bundle| {
            self.eliminate(bundle, scale, reciprocals);
        });
    }

    /// Whether the last pivot of the system with this shift counts as zero: then the answer is one of many.
    pub fn is_singular(&self, shift: f64) -> bool {
        (0..self.masses.len()).fold(0.0, |before, k| self.reciprocal(k)(shift, before)) == 0.0
    }

    /// What gives 1/p_k from the shift and 1/p_{k−1}; zero where p_k counts as zero.
    #[inline]
    fn reciprocal(&self, k: usize) -> impl Fn(f64, f64) -> f64 + use<> {
        let (mass, diagonal) = (self.masses[k], self.diagonals[k]);
        let coupling = if k > 0 { self.couplings[k] * self.couplings[k] } else { 0.0 };
        move |shift, before| {
            let diagonal = shift * mass + diagonal;
            let pivot = diagonal - coupling * before;
            if pivot > SINGULAR * diagonal { 1.0 / pivot } else { 0.0 }
        }
    }

    /// Elimination upwards, substitution downwards.
    fn eliminate(&self, Bundle { shifts, mut planes }: Bundle, scale: f64, reciprocals: &mut Vec<f64>) {
        let width = shifts.len();
        reciprocals.clear();
        reciprocals.resize(width * planes.len(), 0.0);
        for k in 0..planes.len() {
            let (done, rest) = reciprocals.split_at_mut(k * width);
            let (below, here) = planes.split_at_mut(k);
            let reciprocal = self.reciprocal(k);
            let Some(below) = below.last() else {
                rest.iter_mut().zip(shifts).for_each(|(p, shift)| *p = reciprocal(*shift, 0.0));
                continue;
            };
            let (before, coupling) = (&done[done.len() - width..], self.couplings[k]);
            for (value, (below, before)) in here[0].iter_mut().zip(below.iter().zip(before)) {
                *value += coupling * (below * before);
            }
            for ((p, shift), before) in rest.iter_mut().zip(shifts).zip(before) {
                *p = reciprocal(*shift, *before);
            }
        }
        for k in (0..planes.len()).rev() {
            let (here, above) = planes[k..].split_at_mut(1);
            let values = here[0].iter_mut().zip(&reciprocals[k * width..][..width]);
            match above.first() {
                None => values.for_each(|(value, p)| *value *= scale * p),
                Some(above) => {
                    let coupling = self.couplings[k + 1];
                    for ((value, p), above) in values.zip(above.iter()) {
                        *value = (scale * *value + coupling * above) * p;
                    }
                }
            }
        }
    }
}

/// Some systems of every plane.
struct Bundle<'x> {
    shifts: &'x [f64],
    planes: Vec<&'x mut [f64]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk along a stretched axis, with planes wider than one bundle.
    fn rows(planes: usize) -> Tridiagonal {
        let width = |k: usize| 1.0 + 0.3 * (k as f64).sin();
        let couplings: Vec<f64> = (0..=planes).map(|k| 1.0 / width(k)).collect();
        let inside = |k: usize| if k > 0 && k < planes { couplings[k] } else { 0.0 };
        let diagonals = (0..planes).map(|k| inside(k) + inside(k + 1)).collect();
        Tridiagonal { masses: (0..planes).map(width).collect(), diagonals, couplings: couplings[..planes].to_vec() }
    }

    #[test]
    fn answers_satisfy_their_equations() {
        let (planes, systems) = (9, 100);
        let rows = rows(planes);
        let shifts: Vec<f64> = (0..systems).map(|i| 0.01 + 0.1 * i as f64).collect();
        let right: Vec<f64> = (0..planes * systems).map(|i| (0.7 * i as f64).sin()).collect();
        let mut x = right.clone();
        rows.solve(&shifts, 2.0, &mut x);
        for (i, shift) in shifts.iter().enumerate() {
            let at = |k: usize| x[k * systems + i];
            for k in 0..planes {
                let mut left = (shift * rows.masses[k] + rows.diagonals[k]) * at(k);
                left -= if k > 0 { rows.couplings[k] * at(k - 1) } else { 0.0 };
                left -= if k + 1 < planes { rows.couplings[k + 1] * at(k + 1) } else { 0.0 };
                assert!((left - 2.0 * right[k * systems + i]).abs() < 1e-12, "system {i}, plane {k}");
            }
        }
    }

    #[test]
    fn a_closed_system_without_shift_is_singular_and_has_an_answer() {
        let rows = rows(6);
        assert!(rows.is_singular(0.0) && !rows.is_singular(1e-6));
        let mut x = [1.0, -2.0, 0.5, 0.5, 1.0, -1.0];
        rows.solve(&[0.0], 1.0, &mut x);
        let first = rows.diagonals[0] * x[0] - rows.couplings[1] * x[1];
        assert!((first - 1.0).abs() < 1e-12 && x[5] == 0.0, "{x:?}");
    }
}
