//! Velocity between the faces.

use unstick_grid::FaceField;

use crate::tensor::TensorGrid;

/// One component of a velocity anywhere, linear between faces and constant beyond the last.
///
/// ```
/// use unstick_flow::{Axis, FlowState, TensorGrid, velocity_at};
///
/// let axis = || Axis::new(vec![0.0, 0.1, 0.4, 1.0]);
/// let grid = TensorGrid::new([axis()?, axis()?]);
/// let mut state = FlowState::at_rest(&grid);
/// // u = x on its faces, which lie at the nodes.
/// for row in 0..3 {
///     (0..4).for_each(|node| *state.velocity[0].at_mut([node, row]) = grid.axis(0).nodes()[node]);
/// }
/// assert!((velocity_at(&grid, &state.velocity, 0, [0.3, 0.5]) - 0.3).abs() < 1e-15);
/// # Ok::<(), unstick_flow::AxisError>(())
/// ```
pub fn velocity_at<const D: usize>(
    grid: &TensorGrid<D>,
    velocity: &FaceField<f64, D>,
    component: usize,
    place: [f64; D],
) -> f64 {
    let field = &velocity[component];
    // Along each axis: the value before, and the part of the way to the next.
    let ways: [(usize, f64); D] = std::array::from_fn(|axis| {
        let cells = grid.axis(axis);
        let at = |index: usize| if axis == component { cells.nodes()[index] } else { cells.centre(index) };
        let cell = cells.cell_at(place[axis]);
        let before = if axis == component || at(cell) <= place[axis] { cell } else { cell.saturating_sub(1) };
        let before = before.min(field.shape()[axis] - 2);
        (before, ((place[axis] - at(before)) / (at(before + 1) - at(before))).clamp(0.0, 1.0))
    });
    (0..1usize << D).fold(0.0, |sum, corner| {
        let is_after = |axis: usize| corner >> axis & 1 == 1;
        let weight: f64 = (0..D).map(|axis| if is_after(axis) { ways[axis].1 } else { 1.0 - ways[axis].1 }).product();
        sum + weight * field.at(std::array::from_fn(|axis| ways[axis].0 + usize::from(is_after(axis))))
    })
}
