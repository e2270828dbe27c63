//! Backtracking along a projected path.

use std::convert::Infallible;

/// Parameters of the projected Armijo search [Andersen2017b, alg. 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineSearch {
    /// α: part of the predicted decrease that a step must reach. Default 1e-3.
    pub sufficient: f64,
    /// β: factor from one trial step to the next. Default 0.5.
    pub shrink: f64,
    /// δ: the search fails below this step. Default 1e-6.
    pub min_step: f64,
}

impl Default for LineSearch {
    fn default() -> Self {
        Self { sufficient: 1e-3, shrink: 0.5, min_step: 1e-6 }
    }
}

impl LineSearch {
    /// The first step τ = 1, β, β², … with ψ(τ) ≤ ψ(0) + α τ ψ′(0), if there is one.
    ///
    /// `merit` moves the trial iterate to τ and evaluates ψ there.
    pub(crate) fn search(&self, merit_now: f64, slope: f64, mut merit: impl FnMut(f64) -> f64) -> Option<f64> {
        let Ok(step) = self.try_search(merit_now, slope, |step| Ok::<_, Infallible>(merit(step)));
        step
    }

    /// The same with a merit that may fail.
    pub(crate) fn try_search<E>(
        &self,
        merit_now: f64,
        slope: f64,
        mut merit: impl FnMut(f64) -> Result<f64, E>,
    ) -> Result<Option<f64>, E> {
        let mut step = 1.0;
        while step >= self.min_step {
            let trial = merit(step)?;
            if trial <= merit_now + self.sufficient * step * slope {
                return Ok(Some(step));
            }
            step *= self.shrink;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_shrink_until_the_decrease_suffices() {
        let search = LineSearch::default();
        let parabola = |step: f64| (step - 0.3f64).powi(2);
        assert_eq!(search.search(0.09, -0.6, parabola), Some(0.5));
        assert_eq!(search.search(0.0, -1.0, |step| step), None);
        assert_eq!(search.try_search(0.0, -1.0, |_| Err("no merit")), Err("no merit"));
    }
}
