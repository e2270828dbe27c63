//! Code that is compiled once for the plane and once for space, in the crate that owns it.

use std::any::Any;

/// Calls the function that is for the dimension of `value`.
///
/// Generic code is compiled again in every crate that uses it, and a step of a simulation is a large piece of code. A
/// step that passes through two plain functions is compiled where those are written, and nowhere else.
///
/// ```
/// use unstick_grid::by_dimension;
///
/// fn in_plane(place: &mut [f64; 2], distance: f64) -> usize {
///     place[1] += distance;
///     2
/// }
/// fn in_space(place: &mut [f64; 3], distance: f64) -> usize {
///     place[2] += distance;
///     3
/// }
/// let mut place = [0.0; 3];
/// let axes: usize = by_dimension(&mut place, 1.5, in_plane, in_space);
/// assert_eq!((place[2], axes), (1.5, 3));
/// ```
///
/// # Panics
/// When the value or its result is of neither function.
pub fn by_dimension<V: Any, R: Any, V2: Any, R2: Any, V3: Any, R3: Any, A>(
    value: &mut V,
    argument: A,
    in_plane: fn(&mut V2, A) -> R2,
    in_space: fn(&mut V3, A) -> R3,
) -> R {
    let mut result: Option<R> = None;
    let (value, slot): (&mut dyn Any, &mut dyn Any) = (value, &mut result);
    if let Some(value) = value.downcast_mut::<V2>() {
        *slot.downcast_mut().expect("the function of the plane gives this result") = Some(in_plane(value, argument));
    } else if let Some(value) = value.downcast_mut::<V3>() {
        *slot.downcast_mut().expect("the function of space gives this result") = Some(in_space(value, argument));
    }
    result.expect("a value of the plane or of space")
}
