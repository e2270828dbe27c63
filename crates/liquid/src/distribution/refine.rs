//! The displacement of blocks on the faces of the grid.

use unstick_grid::{CellField, FaceField, Grid};
use unstick_mlcp::fields::Window;
use unstick_parallel as parallel;

use super::blocks::SIDE;
use crate::cells::{multi_index, strides};
use crate::velocity::locate;

/// Adds the velocity that displaces within `dt` to another, at faces of `grid` where that is known.
pub(super) fn add_displacement<const D: usize>(
    blocks: &FaceField<f64, D>,
    grid: &Grid<D>,
    dt: f64,
    known: &FaceField<bool, D>,
    velocity: &mut FaceField<f64, D>,
) {
    for axis in 0..D {
        let (shape, values) = (grid.faces(axis), velocity[axis].values_mut());
        let (known, displacement) = (known[axis].values(), &blocks[axis]);
        parallel::for_each((0..values.len(), (known, values)), |(range, (known, values))| {
            let mut line = Vec::new();
            for (first, part) in Window::whole(shape).lines(shape, range) {
                if known[part.clone()].contains(&true) {
                    let face = multi_index(shape, first);
                    between_blocks(displacement, axis, face, &mut line);
                    let faces = known[part.clone()].iter().zip(&mut values[part]);
                    add_along(axis, face[0], &line, dt, faces);
                }
            }
        });
    }
}

/// Where a face of the fine grid lies along an axis among the faces of blocks: across that axis or not.
fn among_blocks(face: usize, is_across: bool) -> f64 {
    let shift = if is_across { 0.0 } else { 0.5 };
    (face as f64 + shift) / SIDE as f64 - shift
}

/// The displacement across faces of one axis, along the line through a face of the fine grid. It is as long as the lines of
/// the blocks.
fn between_blocks<const D: usize>(field: &CellField<f64, D>, axis: usize, face: [usize; D], line: &mut Vec<f64>) {
    let (shape, stride) = (field.shape(), strides(field.shape()));
    let (corner, part) = locate(shape, std::array::from_fn(|other| among_blocks(face[other], other == axis)));
    let start = |choice: usize| {
        let upper = |other: usize| (corner[other] + (choice >> (other - 1) & 1)).min(shape[other] - 1);
        (1..D).map(|other| upper(other) * stride[other]).sum::<usize>()
    };
    let starts: [usize; 4] = std::array::from_fn(|choice| if choice >> (D - 1) == 0 { start(choice) } else { 0 });
    let lines = starts.map(|start| &field.values()[start..start + shape[0]]);
    line.clear();
    line.extend((0..shape[0]).map(|place| {
        let mut corners = lines.map(|line| line[place]);
        for other in (1..D).rev() {
            let half = 1 << (other - 1);
            for corner in 0..half {
                corners[corner] += part[other] * (corners[corner + half] - corners[corner]);
            }
        }
        corners[0]
    }));
}

/// Adds the velocity that displaces by what a line of blocks says within `dt`, at known faces from a place of the fine line
/// on.
fn add_along<'f>(
    axis: usize,
    first: usize,
    line: &[f64],
    dt: f64,
    faces: impl Iterator<Item = (&'f bool, &'f mut f64)>,
) {
    for (x, (known, velocity)) in (first..).zip(faces) {
        if *known {
            let place = among_blocks(x, axis == 0).clamp(0.0, (line.len() - 1) as f64);
            let below = (place as usize).min(line.len().saturating_sub(2));
            let above = (below + 1).min(line.len() - 1);
            let displacement = line[below] + (place - below as f64) * (line[above] - line[below]);
            *velocity += displacement / dt;
        }
    }
}
