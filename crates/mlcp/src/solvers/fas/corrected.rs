//! The corrected scheme: `fas`.

use unstick_parallel::{self as parallel, vector};

use super::ground::Ground;
use super::obstacle::Bounded;
use super::{FasParams, Progress};
use crate::error::SolveError;
use crate::multigrid::smooth::Sweep;
use crate::run::{Task, Trace};

/// Longest step along a correction: beyond it the direction is not worth following.
const LONGEST: f64 = 2.0;

/// Cycles after which steps stay below one, where clamping cannot raise the energy any more. A
/// healthy solve is long over.
const CAUTIOUS_AFTER: usize = 40;

/// Cycles without a better residual after which rounding is all that is left.
const PATIENCE: usize = 100;

pub(super) fn iterate(params: &FasParams, task: Task, q: &mut [f64], trace: &mut Trace) -> Result<(), SolveError> {
    let multigrid = &params.multigrid;
    let mut ground = trace.set_up(|| Ground::new(task.problem, multigrid, q))?;
    let mut bounded = Bounded::new(&ground.hierarchy, multigrid.pre_sweeps, usize::MAX);
    let mut free = vec![true; q.len()];
    let mut scratch = [vec![0.0; q.len()], vec![0.0; q.len()]];
    let mut progress = Progress::new();
    loop {
        ground.lower_loose_parts(task.loose);
        let residual = ground.residual();
        if progress.has_failed(residual, PATIENCE, f64::INFINITY) {
            trace.stall("rounding keeps the cycles from lowering the residual any further");
        }
        if !trace.goes_on(residual)? {
            break;
        }
        let is_monotone = trace.cycles() < params.monotone_cycles;
        if !is_monotone {
            trace.set_up(|| ground.truncate(&task, multigrid, &mut free, &mut scratch))?;
        }
        ground.smooth(multigrid.pre_sweeps, Sweep::Forward);
        ground.residual();
        if is_monotone {
            correct_within_bounds(&mut ground, &mut bounded);
        } else {
            correct_free_rows(params, &mut ground);
        }
        ground.step(if trace.cycles() < CAUTIOUS_AFTER { LONGEST } else { 1.0 });
        ground.smooth(multigrid.post_sweeps, Sweep::Backward);
        ground.smooth_near_walls(params.wall_sweeps);
        trace.spend(1);
    }
    ground.answer(task.problem, q);
    Ok(())
}

/// c ← P e with e from coarse levels that keep to the bounds.
fn correct_within_bounds(ground: &mut Ground, bounded: &mut Bounded) {
    let Ground { hierarchy, is_wall, u, g, c, .. } = ground;
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
fn correct_free_rows(params: &FasParams, ground: &mut Ground) {
    for row in 0..ground.c.len() {
        ground.c[row] = if ground.is_held(row) { 0.0 } else { -ground.g[row] };
    }
    let Ground { hierarchy, c, .. } = ground;
    let (finest, below) = hierarchy.levels.split_at_mut(1);
    if let Some(link) = &finest[0].link {
        link.restrict(c, &mut below[0].b);
    }
    hierarchy.correct_below(&params.multigrid);
    let (finest, below) = hierarchy.levels.split_at_mut(1);
    if let Some(link) = &finest[0].link {
        link.prolong(&below[0].x, c);
    }
}
