//! Vector algebra for shapes, motions and bodies.

/// a + b.
#[inline]
pub fn plus<const D: usize>(a: [f64; D], b: [f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| a[axis] + b[axis])
}

/// a − b.
#[inline]
pub fn minus<const D: usize>(a: [f64; D], b: [f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

/// A multiple of a.
#[inline]
pub fn times<const D: usize>(factor: f64, a: [f64; D]) -> [f64; D] {
    a.map(|value| factor * value)
}

/// a · b.
#[inline]
pub fn dot<const D: usize>(a: [f64; D], b: [f64; D]) -> f64 {
    (0..D).map(|axis| a[axis] * b[axis]).sum()
}

/// |a|, also where the squares of its parts are no numbers.
#[inline]
pub fn length<const D: usize>(a: [f64; D]) -> f64 {
    let squared = dot(a, a);
    if (SQUARED_SAFELY..f64::INFINITY).contains(&squared) { squared.sqrt() } else { scaled_length(a) }
}

/// Smaller sums of squares have lost digits by underflow.
const SQUARED_SAFELY: f64 = 1e-280;

fn scaled_length<const D: usize>(a: [f64; D]) -> f64 {
    let most = a.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    if !(most > 0.0 && most.is_finite()) {
        return dot(a, a).sqrt(); // zero, or no number
    }
    let parts = a.map(|value| value / most);
    most * dot(parts, parts).sqrt()
}

/// a × b.
#[inline]
pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A vector of the plane, or of space, in space.
#[inline]
pub fn lift<const D: usize>(a: [f64; D]) -> [f64; 3] {
    std::array::from_fn(|axis| if axis < D { a[axis] } else { 0.0 })
}

/// A square matrix by rows.
pub type Matrix<const D: usize> = [[f64; D]; D];

/// A matrix from a function of row and column.
#[inline]
pub fn matrix<const D: usize>(entry: impl Fn(usize, usize) -> f64) -> Matrix<D> {
    std::array::from_fn(|row| std::array::from_fn(|column| entry(row, column)))
}

/// The identity matrix.
#[inline]
pub fn identity<const D: usize>() -> Matrix<D> {
    matrix(|row, column| f64::from(u8::from(row == column)))
}

/// Aᵀ.
#[inline]
pub fn transposed<const D: usize>(a: &Matrix<D>) -> Matrix<D> {
    matrix(|row, column| a[column][row])
}

/// A B.
#[inline]
pub fn product<const D: usize>(a: &Matrix<D>, b: &Matrix<D>) -> Matrix<D> {
    matrix(|row, column| (0..D).map(|k| a[row][k] * b[k][column]).sum())
}

/// A x.
#[inline]
pub fn applied<const D: usize>(a: &Matrix<D>, to: [f64; D]) -> [f64; D] {
    std::array::from_fn(|row| dot(a[row], to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_tiny_and_huge_vectors_are_those_of_ordinary_ones() {
        for scale in [1e-300, 1e-200, 1e-130, 1.0, 1e200, 1e300] {
            let found = length([3.0 * scale, -4.0 * scale]);
            assert!((found / (5.0 * scale) - 1.0).abs() < 1e-14, "{scale:e}: {found:e}");
        }
        assert_eq!(length([0.0; 3]), 0.0);
        assert!(length([f64::NAN, 1.0]).is_nan() && length([f64::INFINITY, 1.0]) == f64::INFINITY);
    }
}
