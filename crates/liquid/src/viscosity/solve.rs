//! Conjugate gradients in double precision around the multigrid cycle in single precision.

use unstick_mlcp::{Convergence, Outcome, is_interrupted};
use unstick_parallel::{self as parallel, vector};

use super::cycle::cycle;
use super::level::Level;
use super::pool::Pool;
use super::system::System;

/// Where the diagonal of strain is more than this part of the mass of a full cell, multigrid pays.
pub(super) const STIFF: f64 = 0.3;

/// Iterations after which to give up.
pub(super) const MOST: usize = 3000;

/// Solves A x = b from x. It stops where no face would change by more than `tolerance` of the largest value of x.
///
/// What would change is z = M⁻¹ r: the preconditioner is an approximate inverse, so z is about the error itself. The residual
/// r would be no measure: forces of short waves are large where the liquid is stiff, and hardly move it. The last z of multigrid
/// is added to x: about as much of it is left as of the z before.
pub(super) fn solve<const D: usize>(
    system: &System<f64, D>,
    diagonal: &[f64],
    b: Vec<f64>,
    x: &mut [f64],
    tolerance: f64,
    pool: &Pool,
) -> Convergence {
    let zeros = || pool.filled(x.len(), 0.0);
    let (mut r, mut p, mut z) = (b, zeros(), zeros());
    if x.iter().any(|value| *value != 0.0) {
        system.products(x, &mut z, |_, _| ());
        vector::add_scaled(-1.0, &z, &mut r);
    }
    let mut residual = vector::norm_max(&r);
    if residual == 0.0 {
        return Convergence::direct(0);
    }
    // Where mass outweighs strain its diagonal is nearly all of the system.
    let of_block = |(faces, diagonal): (&[f64], &[f64])| {
        faces.iter().zip(diagonal).map(|(face, diagonal)| diagonal - face).fold(0.0, f64::max)
    };
    let stiffness = parallel::max((system.faces.as_slice(), diagonal), of_block);
    let mut levels = if stiffness > STIFF { Level::all(system.rounded(pool), pool) } else { Vec::new() };
    let (mut rho_before, mut iteration) = (f64::NAN, 0);
    // Of the error the part that the last cycle and the one before have left.
    let (mut error_before, mut left_before) = (f64::INFINITY, 1.0);
    let (outcome, error, target) = loop {
        let rho = match levels.is_empty() {
            true => divide(diagonal, &r, &mut z),
            false => precondition(&mut levels, &r, residual, &mut z),
        };
        let size = vector::norm_max(&z);
        let left = if levels.is_empty() || iteration == 0 { 1.0 } else { (size / error_before).min(1.0) };
        let error = size * left.max(left_before);
        (error_before, left_before) = (size, left);
        let target = tolerance * vector::norm_max(x).max(if iteration == 0 { size } else { 0.0 });
        if error <= target {
            if !levels.is_empty() {
                vector::add_scaled(1.0, &z, x);
            }
            break (Outcome::Converged, error, target);
        }
        if iteration == MOST || is_interrupted() {
            break (Outcome::IterationLimit, error, target);
        }
        if iteration == 0 {
            vector::copy(&z, &mut p)
        } else {
            vector::scale_and_add(&z, rho / rho_before, &mut p)
        }
        rho_before = rho;
        let curvature = system.apply_dot(&p, &mut z);
        if !(rho > 0.0 && curvature > 0.0) {
            break (Outcome::Stalled, error, target);
        }
        residual = vector::step_both(rho / curvature, &p, &z, x, &mut r);
        iteration += 1;
    };
    pool.keep([r, p, z]);
    levels.into_iter().for_each(|level| level.give_back(pool));
    Convergence::new(outcome, iteration, error, target)
}

/// z ← r / diagonal; returns rᵀ z.
fn divide(diagonal: &[f64], r: &[f64], z: &mut [f64]) -> f64 {
    parallel::sum((diagonal, r, z), |(diagonal, r, z)| {
        for at in 0..z.len() {
            z[at] = if diagonal[at] > 0.0 { r[at] / diagonal[at] } else { 0.0 };
        }
        vector::dot_of_block(r, z)
    })
}

/// z ← M⁻¹ r; returns rᵀ z. Single precision has room for numbers near one.
fn precondition<const D: usize>(levels: &mut [Level<D>], r: &[f64], scale: f64, z: &mut [f64]) -> f64 {
    let inverse = 1.0 / scale;
    parallel::for_each((r, levels[0].b.as_mut_slice()), |(r, b)| {
        r.iter().zip(b).for_each(|(r, b)| *b = (r * inverse) as f32);
    });
    cycle(levels);
    parallel::sum((r, (levels[0].x.as_slice(), z)), |(r, (x, z))| {
        x.iter().zip(&mut *z).for_each(|(x, z)| *z = f64::from(*x) * scale);
        vector::dot_of_block(r, z)
    })
}
