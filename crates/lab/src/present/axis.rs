//! An axis with ticks of our choice.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// Coordinates are logarithms, but for [linear](Axis::linear) ones; `label` says what a tick at one of them is called.
pub struct Axis {
    /// What is shown.
    pub range: Range<f64>,
    /// Where ticks are.
    pub ticks: Vec<f64>,
    /// What they are called.
    pub label: fn(f64) -> String,
}

impl Axis {
    /// Work, starting at zero, with ticks at 0, 1, 3, 10, 30, …
    pub fn work(most: usize) -> Self {
        let right = 1.03 * abscissa(most.max(1));
        let powers = (0..18).map(|power| 10usize.pow(power)).flat_map(|power| [power, 3 * power]);
        let ticks = [0].into_iter().chain(powers).map(abscissa).take_while(|&tick| tick <= right);
        Self { range: 0.0..right, ticks: ticks.collect(), label: |x| format!("{:.0}", 10f64.powf(x) - 1.0) }
    }

    /// Powers of ten: all, or every second or third if there are many.
    pub fn decades(lowest: f64, highest: f64) -> Self {
        let (bottom, top) = (lowest.log10().floor(), highest.log10().ceil());
        let top = top.max(bottom + 1.0);
        let step = (top - bottom) as i32 / 12 + 1;
        let ticks = (bottom as i32..=top as i32).filter(|power| power % step == 0).map(f64::from);
        Self { range: bottom..top, ticks: ticks.collect(), label: power_of_ten }
    }
}

impl Axis {
    /// Values as they are, with round ticks.
    pub fn linear(lowest: f64, highest: f64) -> Self {
        // A single value gets a little room.
        let extent = if highest > lowest { highest - lowest } else { 0.1 * highest.abs().max(1.0) };
        let power = 10f64.powf((extent / 6.0).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| 6.0 * step >= extent);
        let step = step.unwrap_or(extent);
        let (bottom, top) = ((lowest / step).floor() * step, (highest / step).ceil() * step);
        let top = if top > bottom { top } else { bottom + step };
        let count = ((top - bottom) / step).round() as usize;
        let ticks = (0..=count).map(|tick| bottom + tick as f64 * step);
        Self { range: bottom..top, ticks: ticks.collect(), label: plain }
    }

    /// Logarithms of values that are few: a tick at each of them.
    pub fn places(values: &[f64]) -> Self {
        let mut ticks: Vec<f64> = values.iter().map(|value| value.log10()).collect();
        ticks.sort_by(f64::total_cmp);
        ticks.dedup();
        let (low, high) = (ticks.first().copied().unwrap_or(0.0), ticks.last().copied().unwrap_or(0.0));
        let margin = (0.05 * (high - low)).max(0.02);
        Self { range: low - margin..high + margin, ticks, label: |x| plain(10f64.powf(x)) }
    }
}

/// A number without digits that say nothing.
fn plain(value: f64) -> String {
    let value = if value.abs() < 1e-12 { 0.0 } else { value };
    if value != 0.0 && (value.abs() < 1e-3 || value.abs() >= 1e6) {
        return format!("{value:.0e}");
    }
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}

/// Where an amount of work lies; zero has no logarithm of its own.
pub fn abscissa(work: usize) -> f64 {
    (1.0 + work as f64).log10()
}

/// 10⁻⁶ and the like.
fn power_of_ten(exponent: f64) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = |c: char| c.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize]);
    format!("10{}", format!("{exponent:.0}").chars().map(raised).collect::<String>())
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.range.start) / (self.range.end - self.range.start);
        (f64::from(limit.0) + part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        (self.label)(*value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks.iter().map(|&tick| (axis.label)(tick)).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(&Axis::work(40)), ["0", "1", "3", "10", "30"]);
        assert_eq!(labels(&Axis::work(0)), ["0", "1"]);
        assert_eq!(labels(&Axis::decades(2e-3, 1.0)), ["10⁻³", "10⁻²", "10⁻¹", "10⁰"]);
        assert_eq!(labels(&Axis::decades(1e-12, 1.0)).first().map(String::as_str), Some("10⁻¹²"));
    }

    #[test]
    fn values_as_they_are_have_round_ticks_and_places_their_own() {
        assert_eq!(labels(&Axis::linear(0.0, 1.1)), ["0", "0.2", "0.4", "0.6", "0.8", "1", "1.2"]);
        assert_eq!(labels(&Axis::places(&[64.0, 32.0, 0.01])), ["0.01", "32", "64"]);
        assert!(Axis::linear(2.0, 2.0).range.end > 2.0);
    }

    #[test]
    fn a_single_value_still_has_an_extent() {
        assert_eq!(Axis::decades(1.0, 1.0).range, 0.0..1.0);
    }
}
