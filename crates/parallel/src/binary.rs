//! Powers of two: scaling by them is exact.

/// Numbers whose exponent is at most this can be squared and summed without underflow or overflow, and so can what is
/// left of them after a solve to the last digit.
const ORDINARY: i32 = 256;

/// x 2^exponent, exact wherever the result is a normal number.
///
/// ```
/// use unstick_parallel::binary::shifted;
///
/// assert_eq!(shifted(3.0, -1), 1.5);
/// assert_eq!(shifted(shifted(5e-324, 1500), -1500), 5e-324);
/// ```
pub fn shifted(mut x: f64, mut exponent: i32) -> f64 {
    const MOST: i32 = 1000;
    while exponent.abs() > MOST {
        let part = exponent.clamp(-MOST, MOST);
        x *= 2f64.powi(part);
        exponent -= part;
    }
    x * 2f64.powi(exponent)
}

/// ⌊log₂ |x|⌋, up to one; zero for numbers that have none.
pub fn exponent(x: f64) -> i32 {
    let exponent = x.abs().log2().floor();
    if exponent.is_finite() { exponent as i32 } else { 0 }
}

/// The exponent of a number too small or too large to be squared, zero for all others: what scales problems of that
/// size to ordinary ones and leaves ordinary ones as they are.
///
/// ```
/// use unstick_parallel::binary::{shifted, unusual_exponent};
///
/// assert_eq!(unusual_exponent(9.81), 0);
/// let size = 1e-200;
/// let scaled = shifted(size, -unusual_exponent(size));
/// assert!((0.5..4.0).contains(&scaled));
/// ```
pub fn unusual_exponent(x: f64) -> i32 {
    let exponent = exponent(x);
    if exponent.abs() > ORDINARY { exponent } else { 0 }
}

/// The mean of the exponents of all numbers that are not zero: their typical size, which a few numbers out of all
/// proportion hardly change.
///
/// ```
/// use unstick_parallel::binary::mean_exponent;
///
/// assert_eq!(mean_exponent(&[4.0, 0.0, 16.0]), 3);
/// assert_eq!(mean_exponent(&[]), 0);
/// ```
pub fn mean_exponent(values: &[f64]) -> i32 {
    const BIAS: i64 = 1023;
    let add = |one: (i64, i64), other: (i64, i64)| (one.0 + other.0, one.1 + other.1);
    let exponents = |range: std::ops::Range<usize>| {
        let sizes = values[range].iter().filter(|value| **value != 0.0);
        sizes.map(|value| ((value.to_bits() >> 52 & 0x7ff) as i64 - BIAS, 1)).fold((0, 0), add)
    };
    let (sum, count) = crate::fold(0..values.len(), &exponents, &add);
    sum.checked_div(count).unwrap_or(0) as i32
}

/// Scales all values by 2^exponent.
pub fn shift_all(exponent: i32, values: &mut [f64]) {
    if exponent != 0 {
        crate::for_each(values, |values| values.iter_mut().for_each(|value| *value = shifted(*value, exponent)));
    }
}
