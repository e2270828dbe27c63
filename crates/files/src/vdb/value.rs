//! The values of voxels.

/// The precision of stored values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits.
    #[default]
    Single,
    /// 16 bits: half the size, three significant digits.
    Half,
}

/// The value of a voxel: a number or a vector.
pub(super) trait Value: Copy + PartialEq + Send + Sync {
    /// The name of the type in the format.
    const NAME: &'static str;
    /// Writes the value in single precision.
    fn single(&self, bytes: &mut Vec<u8>);
    /// Writes the value in half precision.
    fn half(&self, bytes: &mut Vec<u8>);
    /// This value rounded to half precision.
    fn rounded(&self) -> Self;
}

impl Value for f32 {
    const NAME: &'static str = "float";

    fn single(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_le_bytes());
    }

    fn half(&self, bytes: &mut Vec<u8>) {
        bytes.extend(to_half(*self).to_le_bytes());
    }

    fn rounded(&self) -> Self {
        from_half(to_half(*self))
    }
}

impl Value for [f32; 3] {
    const NAME: &'static str = "vec3s";

    fn single(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|value| value.single(bytes));
    }

    fn half(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|value| value.half(bytes));
    }

    fn rounded(&self) -> Self {
        self.map(|value| value.rounded())
    }
}

/// The nearest number of 16 bits, ties to even. Numbers beyond its range become infinite.
fn to_half(value: f32) -> u16 {
    let (sign, size) = ((value.to_bits() >> 16) as u16 & 0x8000, value.abs());
    let bits = if size.is_nan() {
        0x7E00
    } else if size >= 65520.0 {
        0x7C00
    } else if size < f32::powi(2.0, -14) {
        // Subnormal numbers are multiples of 2⁻²⁴.
        (size * f32::powi(2.0, 24)).round_ties_even() as u16
    } else {
        let bits = size.to_bits();
        let rounded = bits + 0x0FFF + (bits >> 13 & 1);
        ((rounded >> 13) - (112 << 10)) as u16
    };
    sign | bits
}

fn from_half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 0x3FF));
    let size = match exponent {
        0 => fraction * f32::powi(2.0, -24),
        31 if fraction > 0.0 => f32::NAN,
        31 => f32::INFINITY,
        _ => (1024.0 + fraction) * f32::powi(2.0, exponent - 25),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_is_exact_for_its_own_numbers_and_rounds_others() {
        for bits in (0..=u16::MAX).filter(|bits| bits & 0x7C00 != 0x7C00) {
            assert_eq!(to_half(from_half(bits)), bits);
        }
        assert_eq!(from_half(0x3555), 0.333_251_95);
        for (value, expected) in
            [(1.0 / 3.0, 0x3555), (65504.0, 0x7BFF), (65519.9, 0x7BFF), (65520.0, 0x7C00), (2048.0 + 1.0, 0x6800)]
        {
            assert_eq!(to_half(value), expected, "{value}");
        }
        assert_eq!(to_half(-2051.0), 0x8000 | 0x6802, "ties go to even");
    }
}
