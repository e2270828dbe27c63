//! Policy iteration on the rows of any matrix.

use unstick_parallel::{self as parallel, vector};

use super::super::Inner;
use super::super::active_set::{ActiveSetUpdate, pin_one_row};
use super::{PolicyParams, PolicySteps};
use crate::error::SolveError;
use crate::linear::{LinearReport, Subsystem};
use crate::problem::Mlcp;
use crate::run::{Solvable, Trace};

pub(super) struct PolicyOnRows<'t> {
    problem: &'t Mlcp<'t>,
    loose: &'t [Vec<u32>],
    inner: &'t mut Inner,
    update: ActiveSetUpdate,
    q: &'t mut [f64],
    /// A q + b.
    r: Vec<f64>,
    rhs: Vec<f64>,
    correction: Vec<f64>,
    wanted: Vec<bool>,
    free: Vec<bool>,
    is_first: bool,
}

impl<'t> PolicyOnRows<'t> {
    pub fn new(params: &PolicyParams, inner: &'t mut Inner, solvable: &Solvable<'t, 't>, q: &'t mut [f64]) -> Self {
        let (problem, size) = (solvable.problem, q.len());
        let (mut r, rhs, correction) = (vec![0.0; size], vec![0.0; size], vec![0.0; size]);
        inner.forget();
        problem.residual(q, &mut r);
        let (wanted, free) = (vec![true; size], vec![true; size]);
        let update = ActiveSetUpdate::new(params.patience);
        Self { problem, loose: solvable.loose, inner, update, q, r, rhs, correction, wanted, free, is_first: true }
    }
}

impl PolicySteps for PolicyOnRows<'_> {
    fn natural_residual(&mut self) -> Result<f64, SolveError> {
        Ok(self.problem.natural_residual(self.q, &self.r))
    }

    fn choose(&mut self, trace: &mut Trace) -> Result<Option<usize>, SolveError> {
        let problem = self.problem;
        improve_policy(problem, self.q, &self.r, &mut self.wanted);
        pin_one_row(problem, self.loose, self.q, &self.r, &mut self.wanted);
        let changed = self.update.apply(&self.wanted, &mut self.free);
        if pin(problem, &self.free, self.q) {
            problem.residual(self.q, &mut self.r);
        }
        if changed > 0 || self.is_first {
            self.inner.rebuild(&Subsystem::whole(problem.operator()).with_free(&self.free), trace)?;
            self.is_first = false;
        }
        Ok(Some(changed))
    }

    fn is_cautious(&self) -> bool {
        self.update.is_cautious()
    }

    fn correct(&mut self, forcing: f64, least: f64, trace: &mut Trace) -> Result<LinearReport, SolveError> {
        let system = Subsystem::whole(self.problem.operator()).with_free(&self.free);
        masked_negation(&self.free, &self.r, &mut self.rhs);
        let target = (forcing * vector::norm_max(&self.rhs)).max(least);
        let report = self.inner.solve(&system, &mut self.rhs, &mut self.correction, target, trace);
        vector::add_scaled(1.0, &self.correction, self.q);
        self.problem.residual(self.q, &mut self.r);
        Ok(report)
    }
}

/// Frees every wall row whose equation is the binding one.
fn improve_policy(problem: &Mlcp, q: &[f64], r: &[f64], wanted: &mut [bool]) {
    parallel::for_each((0..q.len(), wanted), |(rows, wanted)| {
        rows.zip(wanted).for_each(|(row, wanted)| *wanted = !problem.is_active(row, q, r));
    });
}

/// Moves pinned rows onto their bound; true if any was elsewhere.
fn pin(problem: &Mlcp, free: &[bool], q: &mut [f64]) -> bool {
    let moved = parallel::max((free, problem.lower(), q), |(free, lower, q)| {
        let mut moved = 0.0;
        for ((free, lower), q) in free.iter().zip(lower).zip(q) {
            if !free && *q != *lower {
                *q = *lower;
                moved = 1.0;
            }
        }
        moved
    });
    moved > 0.0
}

/// rhs ← −r on free rows, 0 on pinned ones.
pub(crate) fn masked_negation(free: &[bool], r: &[f64], rhs: &mut [f64]) {
    parallel::for_each((free, r, rhs), |(free, r, rhs)| {
        free.iter().zip(r).zip(rhs).for_each(|((free, r), rhs)| *rhs = if *free { -r } else { 0.0 });
    });
}
