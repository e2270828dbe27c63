//! Vectors of three.

/// A point, direction or colour.
pub(super) type Vector = [f32; 3];

#[inline]
pub(super) fn plus(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline]
pub(super) fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
pub(super) fn times(a: Vector, factor: f32) -> Vector {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

#[inline]
pub(super) fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Of length one; the zero vector becomes "up".
#[inline]
pub(super) fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    if length > 1e-12 { times(a, 1.0 / length) } else { [0.0, 1.0, 0.0] }
}

/// From `a` at 0 to `b` at 1.
#[inline]
pub(super) fn mix(a: Vector, b: Vector, part: f32) -> Vector {
    plus(a, times(minus(b, a), part))
}
