//! Sums without rounding: whatever the order and whoever adds, the bits are the same.

use crate::binary::shifted;

/// Bits of a digit. The rest of its 64 bits takes carries, so that a billion numbers can be added before any moves.
const DIGIT: usize = 32;

/// Exponent of the least bit of a number in double precision.
const LOWEST: i32 = -1074;

/// Digits of the largest number, and room for carries.
const DIGITS: usize = 68;

/// Words of an [`ExactSum`]: its digits, and how many of its terms are no finite numbers.
pub const WORDS: usize = DIGITS + 1;

/// A sum of numbers in double precision that has not been rounded yet: a long fixed-point number. Integers do not mind
/// the order in which they are added.
///
/// ```
/// use unstick_parallel::exact::ExactSum;
///
/// let mut sum = ExactSum::default();
/// [1e300, 1.0, 1e-300, -1e300].into_iter().for_each(|term| sum.add(term));
/// assert_eq!(sum.value(), 1.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ExactSum([i64; WORDS]);

impl Default for ExactSum {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

impl ExactSum {
    /// Adds a number.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let bits = term.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as usize;
        if exponent == 0x7ff {
            self.0[DIGITS] += 1;
            return;
        }
        let fraction = bits & ((1 << 52) - 1);
        let (whole, place) = if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 52, exponent - 1) };
        let (first, shift) = (place / DIGIT, place % DIGIT);
        let low = (whole & 0xffff_ffff) << shift;
        let high = (whole >> DIGIT) << shift;
        let sign = 1 - 2 * (bits >> 63) as i64;
        let mask = 0xffff_ffff;
        self.0[first] += sign * (low & mask) as i64;
        self.0[first + 1] += sign * ((low >> DIGIT) + (high & mask)) as i64;
        self.0[first + 2] += sign * (high >> DIGIT) as i64;
    }

    /// Adds all terms of another sum.
    pub fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(one, other)| *one += other);
    }

    /// The words of the sum. Words of several sums, added one by one, are those of the sum of all: that is how processes
    /// add what each of them has summed.
    pub fn words(&mut self) -> &mut [i64] {
        self.carry();
        &mut self.0
    }

    /// The sum, rounded once; NaN if any term was not finite.
    pub fn value(&self) -> f64 {
        if self.0[DIGITS] != 0 {
            return f64::NAN;
        }
        let mut sum = *self;
        sum.carry();
        let is_negative = sum.0[DIGITS - 1] < 0;
        if is_negative {
            sum.0[..DIGITS].iter_mut().for_each(|digit| *digit = -*digit);
            sum.carry();
        }
        let Some(top) = sum.0[..DIGITS].iter().rposition(|&digit| digit != 0) else { return 0.0 };
        let top = top.max(2);
        // 65 bits or more decide; a last one tells whether anything lies below them.
        let mut leading = (top - 2..=top).rev().fold(0u128, |sum_, at| sum_ << DIGIT | sum.0[at] as u128);
        leading |= sum.0[..top - 2].iter().any(|&digit| digit != 0) as u128;
        let value = shifted(leading as f64, (DIGIT * (top - 2)) as i32 + LOWEST);
        if is_negative { -value } else { value }
    }

    /// Moves what exceeds a digit to the next; the last one keeps the sign.
    fn carry(&mut self) {
        for digit in 0..DIGITS - 1 {
            let carry = self.0[digit] >> DIGIT;
            self.0[digit] -= carry << DIGIT;
            self.0[digit + 1] += carry;
        }
    }
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sums_of_all_sizes_are_rounded_once() {
        let sum = |terms: &[f64]| terms.iter().copied().collect::<ExactSum>().value();
        assert_eq!(sum(&[]), 0.0);
        assert_eq!(sum(&[5e-324, 5e-324]), 1e-323);
        assert_eq!(sum(&[f64::MAX, -f64::MAX, -5e-324]), -5e-324);
        assert_eq!(sum(&[f64::MAX, f64::MAX]), f64::INFINITY);
        assert_eq!(sum(&[1.0, 2f64.powi(-53)]), 1.0); // a tie goes to even
        assert_eq!(sum(&[1.0, 2f64.powi(-53), 2f64.powi(-900)]), 1.0 + f64::EPSILON);
        assert_eq!(sum(&[-1.0, -(2f64.powi(-53)), -(2f64.powi(-900))]), -1.0 - f64::EPSILON);
        assert!(sum(&[1.0, f64::INFINITY]).is_nan() && sum(&[f64::NAN]).is_nan());
        assert_eq!(sum(&[-0.1; 10]), -1.0); // ten times the nearest number to 0.1 rounds to one
    }

    proptest! {
        #[test]
        fn any_order_and_any_parts_give_the_same_bits(
            terms in proptest::collection::vec(proptest::num::f64::NORMAL, 0..200), cut in 0usize..200
        ) {
            let all: ExactSum = terms.iter().copied().collect();
            let mut parts = [&terms[..cut.min(terms.len())], &terms[cut.min(terms.len())..]]
                .map(|part| part.iter().rev().copied().collect::<ExactSum>());
            let words = parts[1].words().to_vec();
            parts[0].words().iter_mut().zip(words).for_each(|(one, other)| *one += other);
            prop_assert_eq!(parts[0].value().to_bits(), all.value().to_bits());
        }
    }
}
