//! Minimum-map Newton (`newton`) of \[Andersen2017a\] and \[Andersen2017b\].
//!
//! Finds a root of H_i = min(q_i − ℓ_i, r_i) on wall rows, H_i = r_i elsewhere. With
//! 𝒜 = {r_i < q_i − ℓ_i} and all equation rows, ℱ the rest (the index files of the papers, their
//! slip in eq. (47) mended: rows away from walls always belong to 𝒜), the Newton equation reduces to
//!
//! ```text
//!     Δq_ℱ = −H_ℱ,      A_𝒜𝒜 Δq_𝒜 = A_𝒜ℱ H_ℱ − H_𝒜                     eq. (29)
//! ```
//!
//! which is solved through masks, to the inexactness ξ of eq. (22), and followed by a projected
//! Armijo search on θ = ½ HᵀH (alg. 1). All four published termination tests are here. The natural
//! residual has the last word: a test that fires before it is met makes the outcome `Stalled`,
//! unless a few PSOR sweeps (the papers' own starting iterate) get the method going again.
//!
//! [`iterate`] holds the loop. The machine that holds the iterate implements [`NewtonSteps`]: here for the rows of
//! any matrix, in `unstick-gpu` for a GPU.

mod on_rows;

pub(crate) use on_rows::{merit, project_step};

use self::on_rows::NewtonOnRows;
use super::{Composed, ComposedMethod, LineSearch};
use crate::error::SolveError;
use crate::parameter::parameters;
use crate::run::{Solvable, Trace};

parameters! {
    /// Parameters of [`Newton`].
    pub struct NewtonParams {
        /// ξ: the Newton equation is solved to this part of ‖H‖∞, eq. (22).
        inexactness: f64 = 1e-2, 1e-14..=0.9;
        /// Whether ξ shrinks in proportion to the residual, which makes the tail quadratic. The papers keep ξ fixed.
        tightening: bool = true;
        /// α: part of the predicted decrease that a step must reach, alg. 1.
        sufficient: f64 = 1e-3, 0.0..=0.999;
        /// β: factor from one trial step to the next, alg. 1.
        shrink: f64 = 0.5, 0.01..=0.99;
        /// δ: the search fails below this step, alg. 1.
        min_step: f64 = 1e-6, 1e-300..=1.0;
        /// ε of the absolute test θ < ε, eq. (32). With 0 the test is off, and the natural residual decides.
        absolute: f64 = 0.0, 0.0..=1e300;
        /// ε of the relative test |θ′ − θ| < ε θ, eq. (33).
        relative: f64 = 1e-6, 0.0..=1e300;
        /// ε of the stagnation test ‖q′ − q‖∞ < ε, eq. (34). With 0 the test is off.
        stagnation: f64 = 0.0, 0.0..=1e300;
        /// PSOR sweeps after a failed search or a test that fired too early. With 0 this is the published method.
        rescue_sweeps: usize = 10, 0..=1000000;
    }
}

/// Steps of the published method [Andersen2017b, sec. 6].
pub const PUBLISHED_STEPS: usize = 10;

impl NewtonParams {
    /// The settings of [Andersen2017b, sec. 6]: all thresholds 1e-5, ξ = 0.01 throughout, no rescue. They go with
    /// [`PUBLISHED_STEPS`].
    pub fn published() -> Self {
        Self {
            tightening: false,
            absolute: 1e-5,
            relative: 1e-5,
            stagnation: 1e-5,
            rescue_sweeps: 0,
            ..Self::default()
        }
    }

    fn line_search(&self) -> LineSearch {
        LineSearch { sufficient: self.sufficient, shrink: self.shrink, min_step: self.min_step }
    }
}

/// The method. The fourth published test is the limit on steps.
pub type Newton = Composed<NewtonParams>;

impl ComposedMethod for NewtonParams {
    const NAMES: [&str; 2] = ["newton", "+"];
    const MAX_CYCLES: usize = 200;

    fn iterate(own: &mut Newton, task: Solvable, q: &mut [f64], trace: &mut Trace) -> Result<(), SolveError> {
        iterate(&own.params, &mut NewtonOnRows::new(&mut own.inner, &task, q), trace)
    }
}

/// The steps of the method, on the machine that holds the iterate.
#[doc(hidden)]
pub trait NewtonSteps {
    /// The natural residual of the iterate.
    fn natural_residual(&mut self) -> Result<f64, SolveError>;

    /// Sorts rows into 𝒜 and ℱ and prepares eq. (29): Δq on ℱ, the right-hand side on 𝒜.
    fn choose(&mut self, trace: &mut Trace) -> Result<(), SolveError>;

    /// Solves it for Δq on 𝒜, to `target`; books the iterations.
    fn solve(&mut self, target: f64, trace: &mut Trace) -> Result<(), SolveError>;

    /// θ, eq. (15), and its slope along Δq, eq. (19).
    fn merit_and_slope(&mut self) -> Result<(f64, f64), SolveError>;

    /// trial ← max(q + τ Δq, ℓ); returns θ there.
    fn try_step(&mut self, step: f64) -> Result<f64, SolveError>;

    /// q ← trial; returns how far that is, in the maximum norm.
    fn accept(&mut self) -> Result<f64, SolveError>;

    /// PSOR sweeps without over-relaxation; false if the machine has none.
    fn sweep(&mut self, sweeps: usize) -> Result<bool, SolveError>;
}

/// Iterates until the solve has ended.
#[doc(hidden)]
pub fn iterate(params: &NewtonParams, steps: &mut impl NewtonSteps, trace: &mut Trace) -> Result<(), SolveError> {
    let mut first = f64::NAN;
    while trace.goes_on(steps.natural_residual()?)? {
        if trace.cycles() == 0 {
            first = trace.residual();
        }
        steps.choose(trace)?;
        let gained = if params.tightening { trace.residual() / first } else { 1.0 };
        let forcing = params.inexactness.min(gained);
        steps.solve((forcing * trace.residual()).max(0.1 * trace.target()), trace)?;

        let (merit, slope) = steps.merit_and_slope()?;
        let mut merit_after = merit;
        let step = params.line_search().try_search(merit, slope, |step| {
            merit_after = steps.try_step(step)?;
            Ok::<_, SolveError>(merit_after)
        })?;
        let failed = match step {
            None => Some("no step along the Newton direction lowers the merit function"),
            Some(_) => fired_test(params, merit, merit_after, steps.accept()?),
        };
        let Some(remark) = failed else { continue };
        if steps.natural_residual()? <= trace.target() {
            continue;
        }
        if params.rescue_sweeps > 0 && steps.sweep(params.rescue_sweeps)? {
            trace.spend(params.rescue_sweeps);
            trace.remark("PSOR sweeps got a stuck Newton iteration going again");
        } else {
            trace.stall(remark);
        }
    }
    Ok(())
}

/// Eqs. (32)–(34); the limit on steps is the trace's.
fn fired_test(params: &NewtonParams, before: f64, after: f64, moved: f64) -> Option<&'static str> {
    if after < params.absolute {
        Some("the merit function is below its absolute threshold")
    } else if (after - before).abs() < params.relative * before {
        Some("the merit function changes less than its relative threshold")
    } else if moved < params.stagnation {
        Some("the iterate moves less than the stagnation threshold")
    } else {
        None
    }
}
