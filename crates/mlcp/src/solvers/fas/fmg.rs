//! Full multigrid cycles (`fmg`), the method of Chentanez and Müller as \[Lai2021, sec. 6.3\] compares
//! with it.
//!
//! Linear multigrid with few changes: the equations are discretised on every level, four sweeps run before and
//! after each correction, and the three finest levels keep pressures at walls from becoming negative.
//! A full cycle solves for the correction on the coarsest level, interpolates it to the next finer
//! one, improves it there by a V-cycle, and so on up to the finest. Nothing guarantees convergence. When it
//! fails, bounds are kept on every level and corrections are scaled so that they lower the energy, which
//! cannot fail.

use unstick_parallel::vector;

use super::StallDetector;
use super::bounded::Bounded;
use super::finest::FinestLevel;
use crate::error::SolveError;
use crate::multigrid::hierarchy::MatrixLevel;
use crate::multigrid::smooth::Sweep;
use crate::multigrid::{Coarsening, MultigridVariant, Transfer};
use crate::parameter::parameters;
use crate::run::{Solvable, Trace};

/// Cycles without a better residual, and the growth of it, after which the published scheme is left.
const PATIENCE: usize = 10;
const SETBACK: f64 = 10.0;

/// The published transfers and coarse matrices: linear, across walls, discretised on every level.
pub(super) const PUBLISHED: MultigridVariant =
    MultigridVariant { transfer: Transfer::Linear, one_sided: false, coarsening: Coarsening::Direct };

parameters! {
    /// Parameters of [`Scheme::FullCycles`](super::Scheme::FullCycles).
    pub struct FmgParams {
        /// Sweeps before each coarse correction, and as many after it.
        sweeps: usize = 4, 1..=1000;
        /// A level of this many unknowns or fewer is solved exactly. Automatic is 4^D on a grid and 64 elsewhere.
        coarsest: Option<usize> = None, 1..=1000000;
        /// Levels on which pressures at walls stay positive.
        bounded_levels: usize = 3, 0..=100;
        /// Whether rows on their bound have a say on coarse levels. Then corrections try to move what cannot move.
        hears_held: bool = false;
    }
}

pub(super) fn iterate(
    params: &FmgParams,
    task: &Solvable,
    finest: &mut FinestLevel,
    trace: &mut Trace,
) -> Result<(), SolveError> {
    let mut bounded = Bounded::new(&finest.hierarchy, params.sweeps, params.bounded_levels);
    let (mut stall, mut is_cautious) = (StallDetector::new(), false);
    loop {
        finest.lower_loose_parts(task.loose);
        let residual = finest.residual();
        if !trace.goes_on(residual)? {
            return Ok(());
        }
        if !is_cautious && stall.has_failed(residual, PATIENCE, SETBACK) {
            is_cautious = true;
            bounded.depth = usize::MAX;
            trace.remark("the published cycles did not converge: all levels keep their bounds");
        }
        full_cycle(finest, &mut bounded, is_cautious || params.hears_held);
        if is_cautious {
            finest.step(1.0)
        } else {
            finest.move_by(1.0)
        }
        finest.smooth(params.sweeps, Sweep::Backward);
        trace.spend(1);
    }
}

/// c ← what solving for the correction from the coarsest level up gives.
/// Unless `hears_held`, rows that are held have no say.
fn full_cycle(finest: &mut FinestLevel, bounded: &mut Bounded, hears_held: bool) {
    let levels = finest.hierarchy.levels.len();
    for row in 0..finest.u.len() {
        let is_held = !hears_held && finest.is_held(row);
        finest.hierarchy.levels[0].b[row] = if is_held { 0.0 } else { -finest.g[row] };
        bounded.bounds[0][row] = if finest.is_wall[row] { -finest.u[row] } else { f64::NEG_INFINITY };
    }
    let hierarchy = &mut finest.hierarchy;
    for level in 0..levels - 1 {
        let [fine, coarse, ..] = &mut hierarchy.levels[level..] else { break };
        vector::copy(&fine.b, &mut fine.r);
        if let Some(link) = &fine.link {
            link.restrict(&mut fine.r, &mut coarse.b);
        }
    }
    // A V-cycle on each level spoils the right-hand sides and bounds below it, so they are set again.
    let right_hand_sides: Vec<Vec<f64>> = hierarchy.levels.iter().map(|level| level.b.clone()).collect();
    for level in (0..levels).rev() {
        match &mut hierarchy.levels[level..] {
            [MatrixLevel { link: Some(link), x, .. }, coarse, ..] => link.prolong(&coarse.x, x),
            own => vector::clear(&mut own[0].x),
        }
        hierarchy.levels[level].b.copy_from_slice(&right_hand_sides[level]);
        let finest_bounds = bounded.bounds[0].clone();
        for above in 0..level.min(bounded.depth) {
            let room = bounded.bounds[above].clone();
            if let Some(link) = &hierarchy.levels[above].link {
                bounded.restrict_bounds(link, above, &room);
            }
        }
        bounded.descend(hierarchy, level);
        bounded.bounds[0] = finest_bounds;
    }
    finest.c.copy_from_slice(&finest.hierarchy.levels[0].x);
}
