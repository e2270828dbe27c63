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

/// |a|.
#[inline]
pub fn length<const D: usize>(a: [f64; D]) -> f64 {
    dot(a, a).sqrt()
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
