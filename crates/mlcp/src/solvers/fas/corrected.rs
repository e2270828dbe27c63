//! The corrected scheme: `fas`.

use unstick_parallel::{self as parallel, vector};

use super::bounded::Bounded;
use super::finest::FinestLevel;
use super::{FasParams, StallDetector};
use crate::error::SolveError;
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
    task: &Solvable,
    finest: &mut FinestLevel,
    trace: &mut Trace,
) -> Result<(), SolveError> {
    let mut bounded = Bounded::new(&finest.hierarchy, params.sweeps, usize::MAX);
    let size = finest.u.len();
    let mut free = vec![true; size];
    let mut scratch = [vec![0.0; size], vec![0.0; size]];
    let mut stall = StallDetector::new();
    loop {
        finest.lower_loose_parts(task.loose);
        let residual = finest.residual();
        if stall.has_failed(residual, PATIENCE, f64::INFINITY) {
            trace.stall("rounding keeps the cycles from lowering the residual any further");
        }
        if !trace.goes_on(residual)? {
            return Ok(());
        }
        let is_monotone = trace.cycles() < params.monotone_cycles;
        if !is_monotone {
            trace.set_up(|| finest.truncate(task, &mut free, &mut scratch))?;
        }
        finest.smooth(params.sweeps, Sweep::Forward);
        finest.residual();
        if is_monotone {
            correct_within_bounds(finest, &mut bounded);
        } else {
            correct_free_rows(params, finest);
        }
        finest.step(if trace.cycles() < CAUTIOUS_AFTER { LONGEST } else { 1.0 });
        finest.smooth(params.sweeps, Sweep::Backward);
        finest.smooth_near_walls(params.wall_sweeps);
        trace.spend(1);
    }
}

/// c ← P e with e from coarse levels that keep to the bounds.
fn correct_within_bounds(finest: &mut FinestLevel, bounded: &mut Bounded) {
    let FinestLevel { hierarchy, is_wall, u, g, c, .. } = finest;
    parallel::for_each((g.as_slice(), c.as_mut_slice()), |(g, c)| g.iter().zip(c).for_each(|(g, c)| *c = -g));
    let room: Vec<f64> = (0..u.len()).map(|row| if is_wall[row] { -u[row] } else { f64::NEG_INFINITY }).collect();
    hierarchy.restrict(c);
    if let Some(link) = &hierarchy.levels[0].link {
        bounded.restrict_bounds(link, 0, &room);
    }
    vector::clear(&mut hierarchy.levels[1].x);
    bounded.descend(hierarchy, 1);
    hierarchy.prolong(c);
}

/// c ← D P e with e from a linear cycle below the finest level, rows that are held now left out.
fn correct_free_rows(params: &FasParams, finest: &mut FinestLevel) {
    for row in 0..finest.c.len() {
        finest.c[row] = if finest.is_held(row) { 0.0 } else { -finest.g[row] };
    }
    finest.hierarchy.restrict(&mut finest.c);
    finest.hierarchy.correct_below(params.sweeps);
    finest.hierarchy.prolong(&mut finest.c);
}
