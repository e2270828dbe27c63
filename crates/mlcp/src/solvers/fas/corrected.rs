//! The corrected scheme: `fas`.

use unstick_parallel::{self as parallel, vector};

use super::bounded::Bounded;
use super::finest::FinestLevel;
use super::{FasParams, StallDetector};
use crate::error::SolveError;
use crate::multigrid::MultigridVariant;
use crate::multigrid::smooth::Sweep;
use crate::run::{Solvable, Trace};

/// Longest step along a correction: beyond it the direction is not worth following.
const LONGEST: f64 = 2.0;

/// Cycles after which steps stay below one, where clamping cannot raise the energy any more. A
/// healthy solve is long over.
const CAUTIOUS_AFTER: usize = 40;

/// Cycles without a better residual after which rounding is all that is left.
const PATIENCE: usize = 100;

pub(super) fn iterate(
    params: &FasParams,
    variant: Option<MultigridVariant>,
    solvable: Solvable,
    q: &mut [f64],
    trace: &mut Trace,
) -> Result<(), SolveError> {
    let mut finest = trace.set_up(|| FinestLevel::new(solvable.problem, variant, params.coarsest, q))?;
    let mut bounded = Bounded::new(&finest.hierarchy, params.sweeps, usize::MAX);
    let mut free = vec![true; q.len()];
    let mut scratch = [vec![0.0; q.len()], vec![0.0; q.len()]];
    let mut stall = StallDetector::new();
    loop {
        finest.lower_loose_parts(solvable.loose);
        let residual = finest.residual();
        if stall.has_failed(residual, PATIENCE, f64::INFINITY) {
            trace.stall("rounding keeps the cycles from lowering the residual any further");
        }
        if !trace.goes_on(residual)? {
            break;
        }
        let is_monotone = trace.cycles() < params.monotone_cycles;
        if !is_monotone {
            trace.set_up(|| finest.truncate(&solvable, &mut free, &mut scratch))?;
        }
        finest.smooth(params.sweeps, Sweep::Forward);
        finest.residual();
        if is_monotone {
            correct_within_bounds(&mut finest, &mut bounded);
        } else {
            correct_free_rows(params, &mut finest);
        }
        finest.step(if trace.cycles() < CAUTIOUS_AFTER { LONGEST } else { 1.0 });
        finest.smooth(params.sweeps, Sweep::Backward);
        finest.smooth_near_walls(params.wall_sweeps);
        trace.spend(1);
    }
    finest.answer(solvable.problem, q);
    Ok(())
}

/// c ← P e with e from coarse levels that keep to the bounds.
fn correct_within_bounds(finest: &mut FinestLevel, bounded: &mut Bounded) {
    let FinestLevel { hierarchy, is_wall, u, g, c, .. } = finest;
    parallel::for_each((g.as_slice(), c.as_mut_slice()), |(g, c)| g.iter().zip(c).for_each(|(g, c)| *c = -g));
    let room: Vec<f64> = (0..u.len()).map(|row| if is_wall[row] { -u[row] } else { f64::NEG_INFINITY }).collect();
    let (finest, below) = hierarchy.levels.split_at_mut(1);
    if let Some(link) = &finest[0].link {
        link.restrict(c, &mut below[0].b);
        bounded.restrict_bounds(link, 0, &room);
    }
    vector::clear(&mut below[0].x);
    bounded.descend(hierarchy, 1);
    let (finest, below) = hierarchy.levels.split_at_mut(1);
    if let Some(link) = &finest[0].link {
        link.prolong(&below[0].x, c);
    }
}

/// c ← D P e with e from a linear cycle below the finest level, rows that are held now left out.
fn correct_free_rows(params: &FasParams, finest: &mut FinestLevel) {
    for row in 0..finest.c.len() {
        finest.c[row] = if finest.is_held(row) { 0.0 } else { -finest.g[row] };
    }
    let FinestLevel { hierarchy, c, .. } = finest;
    let (finest, below) = hierarchy.levels.split_at_mut(1);
    if let Some(link) = &finest[0].link {
        link.restrict(c, &mut below[0].b);
    }
    hierarchy.correct_below(params.sweeps);
    let (finest, below) = hierarchy.levels.split_at_mut(1);
    if let Some(link) = &finest[0].link {
        link.prolong(&below[0].x, c);
    }
}
