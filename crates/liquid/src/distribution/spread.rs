//! Particles that lie too close move apart.

use std::ops::Range;

use unstick_grid::Grid;
use unstick_parallel::{self as parallel, simd::vectorised};

use super::Crowd;
use crate::particles::cell_of;
use crate::particles::trace::push_out;

/// The least distance as a part of the one in full cells. Discs of this diameter cover 0.57 of the plane, balls 0.32 of
/// space: far from jammed, so that the distance hardly ever acts in liquid at rest.
pub(crate) const LEAST_DISTANCE: f64 = 0.85;

/// Particles take turns: in each step one of so many looks for others that are too close. The search is what costs.
pub(crate) const TURNS: u64 = 3;

/// Particles that the search looks at together: as many single numbers as a vector register holds on most machines.
const TOGETHER: usize = 8;

/// Places in cells and in single precision, one list for each axis: what the search reads. Behind the last particle there
/// are some that are far away, so that it may always look at [`TOGETHER`] of them.
pub(super) type Places<const D: usize> = [Vec<f32>; D];

/// Moves each pair that is closer than the least distance apart, each of the two by half of what is missing. Solids are
/// kept free. `places` lends and keeps memory.
pub(super) fn spread<const D: usize>(crowd: &Crowd<D>, position: &mut [[f64; D]], places: &mut Places<D>) {
    let Crowd { setup, geometry, starts, lines, offsets, time, step, .. } = *crowd;
    let least = LEAST_DISTANCE * setup.grid.spacing() / setup.particles_per_axis as f64;
    find_places(&setup.grid, position, places);
    let (known, places) = (&*position, &*places);
    // The number of a particle among those of all ranks.
    let number = |index: usize| {
        let offset = offsets.map(|offsets| {
            let cell = setup.grid.index(cell_of(&setup.grid, known[index]));
            offsets[cell / setup.grid.cells()[0]]
        });
        (index as u64).wrapping_add(offset.unwrap_or(0))
    };
    let of_line = |line: usize| {
        let nx = setup.grid.cells()[0];
        starts[line * nx] as usize..starts[(line + 1) * nx] as usize
    };
    let moved = parallel::list_scattered(lines, |lines| {
        let mut moved = Vec::new();
        vectorised(
            #[inline(always)]
            || {
                for &line in lines {
                    for index in of_line(line) {
                        let is_in_turn = (number(index) + step).is_multiple_of(TURNS);
                        if is_in_turn && may_be_crowded(&setup.grid, starts, known[index], places, least) {
                            let way = away_from_near(&setup.grid, starts, known, index, least, &number);
                            moved.push((index as u32, way));
                        }
                    }
                }
            },
        );
        moved.retain(|(_, way)| *way != [0.0; D]);
        moved
    });
    let numbers: Vec<u32> = moved.iter().map(|(index, _)| *index).collect();
    parallel::for_each_at(&numbers, 0, position, |number, point| {
        (0..D).for_each(|axis| point[axis] += moved[number].1[axis]);
        push_out(setup, geometry, time, point, &mut [0.0; D]);
    });
}

/// Places ← positions.
fn find_places<const D: usize>(grid: &Grid<D>, position: &[[f64; D]], places: &mut Places<D>) {
    for (axis, places) in places.iter_mut().enumerate() {
        parallel::resize(places, position.len(), 0.0);
        parallel::for_each((position, places.as_mut_slice()), |(position, places)| {
            for (point, place) in position.iter().zip(places) {
                *place = grid.in_cells(*point)[axis] as f32;
            }
        });
        places.resize(position.len() + TOGETHER, f32::MAX);
    }
}

/// Whether any particle may be closer to another one than `least`. Most are not, and this loop has no branches. It looks
/// a little further than that, because places are rounded.
#[inline(always)]
fn may_be_crowded<const D: usize>(
    grid: &Grid<D>,
    starts: &[u32],
    here: [f64; D],
    places: &Places<D>,
    least: f64,
) -> bool {
    let place = grid.in_cells(here).map(|value| value as f32);
    let most = grid.cells().iter().fold(0, |most, &count| most.max(count)) as f64;
    let reach = (least / grid.spacing() + 8.0 * most * f64::from(f32::EPSILON)) as f32;
    let mut close = [0u32; TOGETHER];
    for_each_line_around(
        grid,
        here,
        least,
        #[inline(always)]
        |line| {
            // What is looked at beyond the end of a line is far away as a rule, and never wrong: it is looked at again.
            for first in (starts[line.start] as usize..starts[line.end] as usize).step_by(TOGETHER) {
                let mut squares = [0.0; TOGETHER];
                for axis in 0..D {
                    let others = &places[axis][first..first + TOGETHER];
                    for number in 0..TOGETHER {
                        let way = others[number] - place[axis];
                        squares[number] += way * way;
                    }
                }
                for number in 0..TOGETHER {
                    close[number] += u32::from(squares[number] < reach * reach);
                }
            }
        },
    );
    close.iter().sum::<u32>() > 1 // itself is one
}

/// The way of a particle from those that are closer than `least`; at most half of that.
#[inline(never)]
fn away_from_near<const D: usize>(
    grid: &Grid<D>,
    starts: &[u32],
    position: &[[f64; D]],
    index: usize,
    least: f64,
    number: &impl Fn(usize) -> u64,
) -> [f64; D] {
    let here = position[index];
    let mut way = [0.0; D];
    for_each_line_around(grid, here, least, |line| {
        let near = starts[line.start] as usize..starts[line.end] as usize;
        for (other, there) in near.clone().zip(&position[near]) {
            let mut square = 0.0;
            for axis in 0..D {
                square += (here[axis] - there[axis]) * (here[axis] - there[axis]);
            }
            if square >= least * least || other == index {
                continue;
            }
            let distance = square.sqrt();
            if distance > 1e-9 * least {
                let part = 0.5 * (least - distance) / distance;
                for axis in 0..D {
                    way[axis] += part * (here[axis] - there[axis]);
                }
            } else {
                // Two in one place have no direction; their numbers choose one.
                way[(number(index).wrapping_add(number(other)) % D as u64) as usize] +=
                    if index < other { 0.5 * least } else { -0.5 * least };
            }
        }
    });
    let length = way.iter().map(|value| value * value).sum::<f64>().sqrt();
    let scale = if length > 0.5 * least { 0.5 * least / length } else { 1.0 };
    way.map(|value| scale * value)
}

/// Calls `visit` with the lines of cells along the first axis that are within `reach` of a point.
#[inline(always)]
fn for_each_line_around<const D: usize>(
    grid: &Grid<D>,
    point: [f64; D],
    reach: f64,
    mut visit: impl FnMut(Range<usize>),
) {
    let (cells, place, reach) = (grid.cells(), grid.in_cells(point), reach / grid.spacing());
    let cell = |value: f64, axis: usize| (value.max(0.0) as usize).min(cells[axis] - 1);
    let low: [usize; D] = std::array::from_fn(|axis| cell(place[axis] - reach, axis));
    let high: [usize; D] = std::array::from_fn(|axis| cell(place[axis] + reach, axis));
    let mut first = low;
    loop {
        let start = grid.index(first);
        visit(start..start + high[0] - low[0] + 1);
        let mut axis = 1;
        while axis < D && first[axis] == high[axis] {
            first[axis] = low[axis];
            axis += 1;
        }
        if axis == D {
            return;
        }
        first[axis] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::Particles;

    /// Where particles are after one displacement from each other, in a box of four by four cells.
    fn apart(positions: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let grid = Grid::<2>::unit(4).unwrap();
        let mut particles = Particles::default();
        positions.iter().for_each(|&position| particles.push(position, [0.0; 2]));
        let starts = particles.sort_by_cell(&grid, &mut Vec::new());
        let position = &particles.position;
        let way = |index| away_from_near(&grid, &starts, position, index, 0.1, &|index| index as u64);
        (0..position.len()).map(|index| std::array::from_fn(|axis| position[index][axis] + way(index)[axis])).collect()
    }

    #[test]
    fn a_pair_that_is_too_close_is_at_its_least_distance_afterwards_also_across_cells() {
        for x in [0.1, 0.24] {
            let moved = apart(&[[x, 0.1], [x + 0.06, 0.1]]);
            assert!((moved[1][0] - moved[0][0] - 0.1).abs() < 1e-12, "{moved:?}");
            assert!((moved[0][0] + moved[1][0] - 2.0 * x - 0.06).abs() < 1e-12, "the middle stays: {moved:?}");
        }
        let far = [[0.1, 0.1], [0.21, 0.1], [0.1, 0.3]];
        assert_eq!(apart(&far), far);
    }

    #[test]
    fn particles_in_one_place_part_and_none_goes_further_than_half_the_distance() {
        let moved = apart(&[[0.1, 0.1], [0.1, 0.1], [0.1, 0.1]]);
        assert!(moved[0] != moved[1] && moved[1] != moved[2]);
        let far = moved.iter().map(|[x, y]| (x - 0.1).hypot(y - 0.1)).fold(0.0, f64::max);
        assert!(far <= 0.05 + 1e-12, "{far}");
    }

    #[test]
    fn the_search_in_single_precision_misses_no_pair() {
        let grid = Grid::<3>::new([5, 4, 300], 0.1, [-1.0, 2.0, 7.0]).unwrap();
        let mut random = unstick_grid::Random::new(5);
        let mut particles = Particles::default();
        for _ in 0..4000 {
            let place = [5.0 * random.unit(), 4.0 * random.unit(), 295.0 + 5.0 * random.unit()];
            particles.push(std::array::from_fn(|axis| grid.origin()[axis] + grid.spacing() * place[axis]), [0.0; 3]);
        }
        let starts = particles.sort_by_cell(&grid, &mut Vec::new());
        let (position, mut places) = (&particles.position, std::array::from_fn(|_| Vec::new()));
        find_places(&grid, position, &mut places);
        let (mut near, mut seen) = (0, 0);
        for index in 0..position.len() {
            let is_seen = may_be_crowded(&grid, &starts, position[index], &places, 0.01);
            let is_near = away_from_near(&grid, &starts, position, index, 0.01, &|index| index as u64) != [0.0; 3];
            assert!(is_seen || !is_near, "{:?}", position[index]);
            (near, seen) = (near + usize::from(is_near), seen + usize::from(is_seen));
        }
        assert!(near > 300 && seen < 2 * near, "{near} {seen} of 4000");
    }
}
