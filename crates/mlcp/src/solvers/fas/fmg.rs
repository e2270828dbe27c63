//! Full multigrid cycles (`fmg`), the method of Chentanez and Müller as \[Lai2021, sec. 6.3\] compares
//! with it.
//!
//! Linear multigrid with few changes: coarse levels are discretised anew, four sweeps run before and
//! after each correction, and the three finest levels keep pressures at walls from becoming negative.
//! A full cycle solves for the correction on the coarsest level, interpolates it to the next finer
//! one, improves it there by a V-cycle, and so on up to the finest. Nothing makes this converge: when
//! it does not, bounds are kept on every level and corrections are taken as far as they lower the
//! energy, which cannot fail.

use unstick_parallel::vector;

use super::super::MlcpSolver;
use super::Progress;
use super::ground::Ground;
use super::obstacle::Bounded;
use crate::error::SolveError;
use crate::multigrid::smooth::Sweep;
use crate::multigrid::{Coarsening, MultigridParams, MultigridVariant, Transfer};
use crate::problem::Mlcp;
use crate::report::SolveReport;
use crate::run::{Task, Trace, run};
use crate::stop::Stop;

/// Cycles without a better residual, and the growth of it, after which the published scheme is left.
const PATIENCE: usize = 10;
const SETBACK: f64 = 10.0;

/// What a user may turn.
#[derive(Clone, Copy, Debug)]
pub struct FmgParams {
    /// Transfers and sweeps. Default: linear without regard to walls, discretised anew, 4 sweeps
    /// before and after.
    pub multigrid: MultigridParams,
    /// Levels on which pressures at walls stay positive. Default 3.
    pub bounded_levels: usize,
    /// When to stop. Default limit: 1000 full cycles.
    pub stop: Stop,
}

impl FmgParams {
    /// The published settings with other transfers or coarse matrices.
    pub fn with_variant(variant: MultigridVariant) -> Self {
        let multigrid = MultigridParams { pre_sweeps: 4, post_sweeps: 4, ..variant.into() };
        Self { multigrid, bounded_levels: 3, stop: Stop::default() }
    }
}

impl Default for FmgParams {
    fn default() -> Self {
        let (transfer, coarsening) = (Transfer::Linear, Coarsening::Direct);
        Self::with_variant(MultigridVariant { transfer, one_sided: false, coarsening })
    }
}

/// The method.
#[derive(Clone, Debug)]
pub struct Fmg {
    name: String,
    /// What a user may turn.
    pub params: FmgParams,
}

impl Fmg {
    /// The method under the name that its reports carry.
    pub fn new(name: String, params: FmgParams) -> Self {
        Self { name, params }
    }
}

impl MlcpSolver for Fmg {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn solve(&mut self, problem: &Mlcp, q: &mut [f64]) -> Result<SolveReport, SolveError> {
        let params = &self.params;
        run(self.name(), problem, q, &params.stop, 1000, |task, q, trace: &mut Trace| iterate(params, task, q, trace))
    }
}

fn iterate(params: &FmgParams, task: Task, q: &mut [f64], trace: &mut Trace) -> Result<(), SolveError> {
    let multigrid = &params.multigrid;
    let mut ground = trace.set_up(|| Ground::new(task.problem, multigrid, q))?;
    let mut bounded = Bounded::new(&ground.hierarchy, multigrid.pre_sweeps, params.bounded_levels);
    let (mut progress, mut is_cautious) = (Progress::new(), false);
    loop {
        ground.lower_loose_parts(task.loose);
        let residual = ground.residual();
        if !trace.goes_on(residual)? {
            break;
        }
        if !is_cautious && progress.has_failed(residual, PATIENCE, SETBACK) {
            is_cautious = true;
            bounded.depth = usize::MAX;
            trace.remark("the published cycles did not converge: all levels keep their bounds");
        }
        full_cycle(&mut ground, &mut bounded, is_cautious);
        if is_cautious {
            ground.step(1.0)
        } else {
            ground.move_by(1.0)
        }
        ground.smooth(multigrid.post_sweeps, Sweep::Backward);
        trace.spend(1);
    }
    ground.answer(task.problem, q);
    Ok(())
}

/// c ← what solving for the correction from the coarsest level up gives.
/// Unless `is_cautious`, rows that are held have no say.
fn full_cycle(ground: &mut Ground, bounded: &mut Bounded, is_cautious: bool) {
    let levels = ground.hierarchy.levels.len();
    for row in 0..ground.u.len() {
        let is_held = !is_cautious && ground.is_held(row);
        let finest = &mut ground.hierarchy.levels[0];
        finest.b[row] = if is_held { 0.0 } else { -ground.g[row] };
        bounded.bounds[0][row] = if ground.is_wall[row] { -ground.u[row] } else { f64::NEG_INFINITY };
    }
    let hierarchy = &mut ground.hierarchy;
    for level in 0..levels - 1 {
        let (fine, coarse) = hierarchy.levels.split_at_mut(level + 1);
        let fine = &mut fine[level];
        vector::copy(&fine.b, &mut fine.r);
        if let Some(link) = &fine.link {
            link.restrict(&mut fine.r, &mut coarse[0].b);
        }
    }
    // A V-cycle on each level spoils the right-hand sides and bounds below it, so they are set again.
    let right_hand_sides: Vec<Vec<f64>> = hierarchy.levels.iter().map(|level| level.b.clone()).collect();
    for level in (0..levels).rev() {
        if level + 1 < levels {
            let (fine, coarse) = hierarchy.levels.split_at_mut(level + 1);
            let fine = &mut fine[level];
            if let Some(link) = &fine.link {
                link.prolong(&coarse[0].x, &mut fine.x);
            }
        } else {
            vector::clear(&mut hierarchy.levels[level].x);
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
    ground.c.copy_from_slice(&ground.hierarchy.levels[0].x);
}
