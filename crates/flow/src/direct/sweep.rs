//! The tridiagonal systems along the last axis, all modes at once.
//!
//! For a mode with shift s: (s m_k + c d_k) x_k − c l_k x_{k−1} − c u_k x_{k+1} = r_k. Elimination needs the pivots
//! p_k = s m_k + c d_k − (c l_k)²/p_{k−1}, which depend on the grid and on s and c alone.

use unstick_parallel as parallel;

use crate::line::Line;

/// A pivot that is this small beside its diagonal belongs to the constant of a closed domain.
const SINGULAR: f64 = 1e-11;

pub(super) struct Sweep {
    mass: Vec<f64>,
    diagonal: Vec<f64>,
    /// Coupling to the plane before; zero where either has no equation.
    lower: Vec<f64>,
}

impl Sweep {
    pub fn new(line: &Line) -> Self {
        let couples = |k: usize| k > 0 && line.is_free[k] && line.is_free[k - 1];
        let lower = (0..line.len()).map(|k| if couples(k) { line.lower[k] } else { 0.0 }).collect();
        // A row without equation holds zero; any pivot does for it.
        let diagonal = line.diagonal.iter().zip(&line.is_free).map(|(&d, &is_free)| if is_free { d } else { 1.0 });
        Self { mass: line.mass.clone(), diagonal: diagonal.collect(), lower }
    }

    /// 1/p_k for the modes with these shifts, plane by plane.
    pub fn factorise(&self, shifts: &[f64], scale: f64, reciprocals: &mut [f64]) {
        let plane = shifts.len();
        for k in 0..self.mass.len() {
            let (done, rest) = reciprocals.split_at_mut(k * plane);
            let before = &done[done.len().saturating_sub(plane)..];
            let coupling = (scale * self.lower[k]).powi(2);
            for (mode, value) in rest[..plane].iter_mut().enumerate() {
                let diagonal = shifts[mode] * self.mass[k] + scale * self.diagonal[k];
                let pivot = diagonal - before.get(mode).map_or(0.0, |before| coupling * before);
                *value = if pivot > SINGULAR * diagonal { 1.0 / pivot } else { 0.0 };
            }
        }
    }

    /// x ← the answers for the right-hand sides x.
    pub fn run(&self, scale: f64, reciprocals: &[f64], x: &mut [f64]) {
        let planes = self.mass.len();
        let plane = x.len() / planes;
        for k in 1..planes {
            let coupling = scale * self.lower[k];
            let (before, here) = x[(k - 1) * plane..].split_at_mut(plane);
            let pivots = &reciprocals[(k - 1) * plane..][..plane];
            parallel::for_each((&*before, pivots, &mut here[..plane]), |(before, pivots, here)| {
                for ((here, before), pivot) in here.iter_mut().zip(before).zip(pivots) {
                    *here += coupling * (before * pivot);
                }
            });
        }
        let last = &mut x[(planes - 1) * plane..];
        last.iter_mut().zip(&reciprocals[(planes - 1) * plane..]).for_each(|(x, pivot)| *x *= pivot);
        for k in (0..planes - 1).rev() {
            let coupling = scale * self.lower[k + 1];
            let (here, after) = x[k * plane..].split_at_mut(plane);
            let pivots = &reciprocals[k * plane..][..plane];
            parallel::for_each((here, &after[..plane], pivots), |(here, after, pivots)| {
                for ((here, after), pivot) in here.iter_mut().zip(after).zip(pivots) {
                    *here = (*here + coupling * after) * pivot;
                }
            });
        }
    }
}
