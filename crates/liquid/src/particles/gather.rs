//! Particles → faces.
//!
//! Every particle adds its velocity to the faces around it with (bi- or tri-) linear weights; with
//! `apic` its affine part moves the velocity to where the face is.

use unstick_grid::{FaceField, Grid};
use unstick_mlcp::fields::Window;
use unstick_parallel::{self as parallel, simd::vectorised};

use super::Particles;
use super::hats::{Hats, across, hats, rows_around, steps_to};
use super::tiles::{Tile, add_by_tiles};
use crate::cells::lines_within;
use crate::velocity::faces_near;

/// The sum at a face: weighted velocity and weight.
type Arrived = [f64; 2];

/// Velocity at the faces of some cells, and which of them any particle reached. Particles lie in these cells and beside
/// them. `arrived` lends and keeps memory.
pub(crate) fn gather<const D: usize>(
    grid: &Grid<D>,
    particles: &Particles<D>,
    starts: &[u32],
    (velocity, known): (&mut FaceField<f64, D>, &mut FaceField<bool, D>),
    arrived: &mut [Vec<Arrived>; D],
    near: Window<D>,
) {
    let shapes = std::array::from_fn(|axis| grid.faces(axis));
    for (axis, arrived) in arrived.iter_mut().enumerate() {
        let shape = shapes[axis];
        parallel::resize(arrived, shape.iter().product(), [0.0; 2]);
        let reached = faces_near(near, axis, 2, shape);
        parallel::for_each((0..arrived.len(), arrived.as_mut_slice()), |(range, arrived)| {
            lines_within(reached, shape, range).for_each(|(_, part)| arrived[part].fill([0.0; 2]));
        });
    }
    let sums = arrived.each_mut().map(Vec::as_mut_slice);
    add_by_tiles(grid, starts, shapes, sums, |first, tile| {
        vectorised(
            #[inline(always)]
            || match particles.affine.is_empty() {
                true => add_row::<D, false>(grid, particles, starts, first, tile),
                false => add_row::<D, true>(grid, particles, starts, first, tile),
            },
        );
    });
    for axis in 0..D {
        let (shape, arrived) = (shapes[axis], arrived[axis].as_slice());
        let (faces, lanes) =
            (faces_near(near, axis, 0, shape), (velocity[axis].values_mut(), known[axis].values_mut()));
        parallel::for_each((0..arrived.len(), lanes), |(range, (values, known))| {
            for (at, part) in lines_within(faces, shape, range) {
                let arrived = &arrived[at..at + part.len()];
                for ((value, known), [sum, weight]) in
                    values[part.clone()].iter_mut().zip(&mut known[part]).zip(arrived)
                {
                    *known = *weight > 1e-9;
                    *value = if *known { sum / weight } else { 0.0 };
                }
            }
        });
    }
}

/// Adds the particles of a row of cells to the faces around them, moved there by their affine parts if they have any.
#[inline(always)]
fn add_row<const D: usize, const IS_AFFINE: bool>(
    grid: &Grid<D>,
    particles: &Particles<D>,
    starts: &[u32],
    first: [usize; D],
    tile: &mut Tile<'_, Arrived, D, D>,
) {
    // The last number says how many rows of faces lie around a row of cells.
    if D == 3 {
        add_component::<D, 0, 9, IS_AFFINE>(grid, particles, starts, first, tile);
        add_component::<D, 1, 6, IS_AFFINE>(grid, particles, starts, first, tile);
        add_component::<D, 2, 6, IS_AFFINE>(grid, particles, starts, first, tile);
    } else {
        add_component::<D, 0, 3, IS_AFFINE>(grid, particles, starts, first, tile);
        add_component::<D, 1, 2, IS_AFFINE>(grid, particles, starts, first, tile);
    }
}

/// The same for one component of the velocity. The sums of a cell stay in registers: two faces of a row side by side, and
/// the third one, which is there where places along the row are centres.
#[inline(always)]
fn add_component<const D: usize, const AXIS: usize, const ROWS: usize, const IS_AFFINE: bool>(
    grid: &Grid<D>,
    particles: &Particles<D>,
    starts: &[u32],
    first: [usize; D],
    tile: &mut Tile<'_, Arrived, D, D>,
) {
    let rows = rows_around::<D, AXIS, ROWS>(grid.faces(AXIS), first);
    let starts = &starts[grid.index(first)..][..=grid.cells()[0]];
    tile.with_rows(
        AXIS,
        rows,
        #[inline(always)]
        |rows| {
            let mut cell = first.map(|place| place as f64);
            for x in 0..starts.len() - 1 {
                let range = starts[x] as usize..starts[x + 1] as usize;
                if range.is_empty() {
                    continue;
                }
                cell[0] = x as f64;
                let (mut two, mut third) = ([[0.0; 4]; ROWS], [[0.0; 2]; ROWS]);
                let (points, velocities) = (&particles.position[range.clone()], &particles.velocity[range.clone()]);
                for ((index, &point), velocity) in range.zip(points).zip(velocities) {
                    let hats = hats::<D, AXIS>(grid, point, cell);
                    let own = velocity[AXIS];
                    // What a row of weight one gets, without affine part.
                    let [one, other, last] = hats[0];
                    let to_two = [one * own, one, other * own, other];
                    let to_third = [last * own, last];
                    // What the affine part adds along the row, and across it.
                    let slopes = if IS_AFFINE { particles.affine[index][AXIS] } else { [0.0; D] };
                    let slopes = slopes.map(|slope| slope * grid.spacing());
                    let ways = ways::<D, AXIS>(&hats);
                    let along = slopes[0] * ways[0];
                    for row in 0..ROWS {
                        let weight = across::<D, AXIS>(&hats, row);
                        for lane in 0..4 {
                            two[row][lane] += weight * to_two[lane];
                        }
                        if AXIS != 0 {
                            for lane in 0..2 {
                                third[row][lane] += weight * to_third[lane];
                            }
                        }
                        if IS_AFFINE {
                            let mut change = along;
                            for axis in 1..D {
                                change += slopes[axis] * (steps_to::<AXIS>(row)[axis - 1] as f64 + ways[axis]);
                            }
                            two[row][0] += weight * one * change;
                            two[row][2] += weight * other * (change + slopes[0]);
                            third[row][0] += weight * last * (change + 2.0 * slopes[0]);
                        }
                    }
                }
                for row in 0..ROWS {
                    add_to_faces::<AXIS>(rows[row], x, two[row], third[row]);
                }
            }
        },
    );
}

/// The way from a point to the first of the places along each axis, in cells.
#[inline(always)]
fn ways<const D: usize, const AXIS: usize>(hats: &Hats<D>) -> [f64; D] {
    let mut ways = [0.0; D];
    for axis in 0..D {
        ways[axis] = if axis == AXIS { -hats[axis][1] } else { hats[axis][0] - hats[axis][2] - 1.0 };
    }
    ways
}

/// Adds the sums of a cell to the faces of a row.
#[inline(always)]
fn add_to_faces<const AXIS: usize>(row: &mut [Arrived], x: usize, two: [f64; 4], third: [f64; 2]) {
    let (first, count) = if AXIS == 0 { (x, 2) } else { (x.wrapping_sub(1), 3) };
    let sums = [[two[0], two[1]], [two[2], two[3]], third];
    match row.get_mut(first..first.wrapping_add(count)) {
        Some(faces) => {
            for (face, sum) in faces.iter_mut().zip(sums) {
                face[0] += sum[0];
                face[1] += sum[1];
            }
        }
        // At the border, where faces beyond it get nothing.
        None => {
            for (number, sum) in sums.into_iter().enumerate() {
                if let Some(face) = row.get_mut(first.wrapping_add(number)) {
                    face[0] += sum[0];
                    face[1] += sum[1];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use unstick_grid::CellField;

    use unstick_grid::Random;

    use super::*;

    /// Gathers a cloud with a linear velocity; returns the sum of all weights' effect: the field.
    fn gathered<const D: usize>(size: usize, affine: bool) -> (Grid<D>, FaceField<f64, D>, FaceField<bool, D>) {
        let grid = Grid::<D>::unit(size).unwrap();
        let mut particles = Particles::default();
        for index in 0..40 * size as u64 {
            let point: [f64; D] = std::array::from_fn(|axis| Random::hash(0, [index, axis as u64, 7, size as u64]));
            particles.push(point, std::array::from_fn(|axis| point[axis] * 2.0 - 1.0));
        }
        if affine {
            let identity = std::array::from_fn(|a| std::array::from_fn(|b| if a == b { 2.0 } else { 0.0 }));
            particles.affine = vec![identity; particles.len()];
        }
        let starts = particles.sort_by_cell(&grid, &mut Vec::new());
        let mut velocity = std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |_| 0.0));
        let mut known = std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |_| false));
        let (mut memory, all) = (std::array::from_fn(|_| Vec::new()), Window::whole(grid.cells()));
        gather(&grid, &particles, &starts, (&mut velocity, &mut known), &mut memory, all);
        (grid, velocity, known)
    }

    fn affine_velocity_is_exact<const D: usize>(size: usize) {
        let (grid, velocity, known) = gathered::<D>(size, true);
        for axis in 0..D {
            let places = CellField::of_shape(grid.faces(axis), |face| face);
            for ((value, known), face) in velocity[axis].values().iter().zip(known[axis].values()).zip(places.values())
            {
                let exact = 2.0 * grid.face_centre(axis, *face)[axis] - 1.0;
                assert!(!known || (value - exact).abs() < 1e-12, "{face:?}: {value} for {exact}");
            }
        }
    }

    #[test]
    fn an_affine_velocity_is_gathered_exactly_for_any_number_of_slabs() {
        for size in [3, 4, 5, 8, 9, 13, 16, 18] {
            affine_velocity_is_exact::<2>(size);
            affine_velocity_is_exact::<3>(size);
        }
    }

    #[test]
    fn every_thread_count_gives_the_same_bits() {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| gathered::<3>(17, false).1)
        };
        assert_eq!(run(1), run(2));
    }
}
