//! Axes: where a value lies, and which ticks are shown.

use std::ops::Range;

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, with round ticks.
    Linear,
    /// Evenly, and zero is always shown.
    FromZero,
    /// By their logarithm, with ticks at powers of ten.
    Logarithmic,
    /// By their logarithm, with a tick at each value: for a few values such as grid sizes.
    AtValues,
    /// By log(1 + value), with ticks at 0, 1, 3, 10, 30, …: for counts that start at zero.
    Counts,
}

/// An axis as it is drawn, in the coordinates that [`Scale::coordinate`] gives.
pub(super) struct Axis {
    /// What is shown.
    pub range: Range<f64>,
    /// Where ticks are, and what they are called.
    pub ticks: Vec<(f64, String)>,
}

impl Scale {
    /// Where a value lies on the axis; not finite if the axis cannot show it.
    pub(super) fn coordinate(self, value: f64) -> f64 {
        match self {
            Self::Linear | Self::FromZero => value,
            Self::Logarithmic | Self::AtValues => value.log10(),
            Self::Counts => (1.0 + value).log10(),
        }
    }

    /// An axis that shows all of these finite coordinates; there is at least one.
    pub(super) fn axis(self, coordinates: impl Iterator<Item = f64> + Clone) -> Axis {
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = coordinates.clone().fold(start, |(low, high), value| (low.min(value), high.max(value)));
        match self {
            Self::Linear => Axis::linear(low, high),
            Self::FromZero => Axis::linear(low.min(0.0), high.max(0.0)),
            Self::Logarithmic => Axis::decades(low, high),
            Self::AtValues => Axis::at(coordinates.collect()),
            Self::Counts => Axis::counts(high),
        }
    }
}

impl Axis {
    /// The part of the axis that lies before a coordinate.
    pub fn part(&self, coordinate: f64) -> f64 {
        (coordinate - self.range.start) / (self.range.end - self.range.start)
    }

    fn linear(lowest: f64, highest: f64) -> Self {
        // Equal values get room on both sides.
        let room = if highest > lowest { 0.0 } else { 0.05 * if lowest == 0.0 { 1.0 } else { lowest.abs() } };
        let (lowest, highest) = (lowest - room, highest + room);
        let extent = highest - lowest;
        let power = 10f64.powf((extent / 6.0).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| 6.0 * step >= extent);
        let step = step.unwrap_or(extent);
        let (bottom, top) = ((lowest / step).floor(), (highest / step).ceil());
        let top = if top > bottom { top } else { bottom + 1.0 };
        let digits = (-step.log10()).ceil().clamp(0.0, 12.0) as usize;
        let ticks = (0..=(top - bottom) as usize).map(|tick| (bottom + tick as f64) * step);
        let ticks = ticks.map(|tick| (tick, number(tick, digits))).collect();
        Self { range: bottom * step..top * step, ticks }
    }

    /// Powers of ten: all of them, or every second or third if there are many.
    fn decades(lowest: f64, highest: f64) -> Self {
        let (bottom, top) = (lowest.floor(), highest.ceil());
        let top = top.max(bottom + 1.0);
        let step = (top - bottom) as i32 / 12 + 1;
        let powers = (bottom as i32..=top as i32).filter(|power| power % step == 0);
        Self { range: bottom..top, ticks: powers.map(|power| (f64::from(power), power_of_ten(power))).collect() }
    }

    fn counts(highest: f64) -> Self {
        let right = 1.03 * highest.max(Scale::Counts.coordinate(1.0));
        let powers = (0..18).map(|power| 10f64.powi(power)).flat_map(|power| [power, 3.0 * power]);
        let ticks = [0.0].into_iter().chain(powers).map(|count| (Scale::Counts.coordinate(count), format!("{count}")));
        Self { range: 0.0..right, ticks: ticks.take_while(|(tick, _)| *tick <= right).collect() }
    }

    fn at(mut places: Vec<f64>) -> Self {
        places.sort_by(f64::total_cmp);
        places.dedup();
        let (low, high) = (places.first().copied().unwrap_or(0.0), places.last().copied().unwrap_or(0.0));
        let margin = (0.05 * (high - low)).max(0.02);
        let ticks = places.into_iter().map(|place| (place, number(10f64.powf(place), 4))).collect();
        Self { range: low - margin..high + margin, ticks }
    }
}

/// A number with so many decimals, less the zeros at its end.
fn number(value: f64, decimals: usize) -> String {
    let trimmed = |text: String| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    };
    let size = value.abs();
    if size >= 1e6 || size < 1e-3 && size > 1e-13 {
        let text = format!("{value:.2e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", trimmed(mantissa.to_owned()));
    }
    match trimmed(format!("{value:.decimals$}")).as_str() {
        "-0" => "0".into(),
        text => text.into(),
    }
}

/// 10⁻⁶ and the like.
fn power_of_ten(exponent: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = |c: char| c.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize]);
    format!("10{}", exponent.to_string().chars().map(raised).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, values: &[f64]) -> Vec<String> {
        let axis = scale.axis(values.iter().map(|&value| scale.coordinate(value)));
        axis.ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(Scale::Counts, &[0.0, 40.0]), ["0", "1", "3", "10", "30"]);
        assert_eq!(labels(Scale::Counts, &[0.0]), ["0", "1"]);
        assert_eq!(labels(Scale::Logarithmic, &[2e-3, 1.0]), ["10⁻³", "10⁻²", "10⁻¹", "10⁰"]);
        assert_eq!(labels(Scale::Logarithmic, &[1e-12, 1.0])[0], "10⁻¹²");
        assert_eq!(labels(Scale::Linear, &[0.0, 1.1]), ["0", "0.2", "0.4", "0.6", "0.8", "1", "1.2"]);
        assert_eq!(labels(Scale::FromZero, &[0.13, 0.872])[0], "0");
        assert_eq!(labels(Scale::Linear, &[0.0, 2e7])[1], "5e6");
    }

    #[test]
    fn labels_have_enough_digits_to_tell_ticks_apart() {
        let labels = labels(Scale::Linear, &[0.99995, 1.00004]);
        assert!(labels.windows(2).all(|pair| pair[0] != pair[1]), "{labels:?}");
    }

    #[test]
    fn a_few_values_have_a_tick_each() {
        assert_eq!(labels(Scale::AtValues, &[64.0, 32.0, 0.01]), ["0.01", "32", "64"]);
    }

    #[test]
    fn a_single_value_still_has_an_extent() {
        for scale in [Scale::Linear, Scale::FromZero, Scale::Logarithmic, Scale::AtValues, Scale::Counts] {
            for value in [0.0, 2.0] {
                let axis = scale.axis([value].into_iter());
                let part = axis.part(value);
                assert!((0.0..=1.0).contains(&part), "{scale:?}: {part}");
            }
        }
    }
}
