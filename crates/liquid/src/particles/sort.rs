//! The order of particles by cell.
//!
//! A counting sort in two rounds, so that all threads work and none writes where another does. Blocks of particles list
//! their particles by layers of cells; then every layer collects its lists and counts cells. Particles have moved by a
//! cell or so since they were sorted, so a block holds a few layers.

use std::ops::Range;

use unstick_parallel as parallel;

/// Particles whose layers are listed together.
const BLOCK: usize = 1 << 14;

/// The order of some particles.
pub(crate) struct Sorted {
    /// Number of the particle at each place.
    pub order: Vec<u32>,
    /// Where each cell starts, and the end.
    pub starts: Vec<u32>,
    /// Whether that is the order they have.
    pub is_known: bool,
}

/// The particles of a block, by layers.
struct Listed {
    particles: Vec<u32>,
    /// The first layer of the block, where its particles and those of the layers behind it start, and the end.
    first: usize,
    starts: Vec<u32>,
}

impl Listed {
    fn new(cells: &[u32], range: Range<usize>, layer: usize) -> Self {
        let layers: Vec<u32> = cells[range.clone()].iter().map(|cell| cell / layer as u32).collect();
        let (first, last) =
            layers.iter().fold((u32::MAX, 0), |(first, last), &place| (first.min(place), last.max(place)));
        let mut starts = vec![0; last.saturating_sub(first.min(last)) as usize + 2];
        layers.iter().for_each(|place| starts[(place - first) as usize + 1] += 1);
        (1..starts.len()).for_each(|place| starts[place] += starts[place - 1]);
        let (mut next, mut particles) = (starts.clone(), vec![0; range.len()]);
        for (particle, place) in range.zip(layers) {
            let place = &mut next[(place - first) as usize];
            particles[*place as usize] = particle as u32;
            *place += 1;
        }
        Self { particles, first: first as usize, starts }
    }

    /// The particles of a layer.
    fn of(&self, layer: usize) -> &[u32] {
        match layer.checked_sub(self.first).filter(|place| place + 1 < self.starts.len()) {
            Some(place) => &self.particles[self.starts[place] as usize..self.starts[place + 1] as usize],
            None => &[],
        }
    }
}

/// The order by cell that keeps the order within each. `layer` cells follow one another in a layer of the grid.
pub(crate) fn by_cell(cells: &[u32], count: usize, layer: usize) -> Sorted {
    let blocks: Vec<Range<usize>> =
        (0..cells.len()).step_by(BLOCK).map(|first| first..(first + BLOCK).min(cells.len())).collect();
    let mut listed: Vec<Option<Listed>> = blocks.iter().map(|_| None).collect();
    parallel::for_each_chunk(&mut listed, 1, |number, listed| {
        listed[0] = Some(Listed::new(cells, blocks[number].clone(), layer));
    });
    let listed: Vec<Listed> = listed.into_iter().flatten().collect();

    let layers = count / layer;
    let (mut order, mut starts) = (parallel::filled(cells.len(), 0), parallel::filled(count + 1, 0));
    starts[count] = cells.len() as u32;
    let mut parts = Vec::with_capacity(layers);
    let (mut rest, mut rest_of_starts, mut begin) = (order.as_mut_slice(), &mut starts[..count], 0);
    for number in 0..layers {
        let length: usize = listed.iter().map(|block| block.of(number).len()).sum();
        let (own, after) = std::mem::take(&mut rest).split_at_mut(length);
        let (own_starts, starts_after) = std::mem::take(&mut rest_of_starts).split_at_mut(layer);
        parts.push((number, begin as u32, own, own_starts));
        (rest, rest_of_starts, begin) = (after, starts_after, begin + length);
    }
    parallel::for_each_chunk(&mut parts, 1, |_, parts| {
        for (number, begin, order, starts) in parts {
            let particles = || listed.iter().flat_map(|block| block.of(*number)).copied();
            let cell_of = |particle: u32| cells[particle as usize] as usize - *number * layer;
            particles().for_each(|particle| starts[cell_of(particle)] += 1);
            let mut end = *begin;
            for start in starts.iter_mut() {
                end += std::mem::replace(start, end);
            }
            // Each start moves to the end of its cell while the cell is filled, and back afterwards.
            for particle in particles() {
                let place = &mut starts[cell_of(particle)];
                order[(*place - *begin) as usize] = particle;
                *place += 1;
            }
            for cell in (1..starts.len()).rev() {
                starts[cell] = starts[cell - 1];
            }
            starts[0] = *begin;
        }
    });
    let is_known = parallel::fold((0..order.len(), order.as_slice()), &in_place, &|one, other| one && other);
    Sorted { order, starts, is_known }
}

fn in_place((range, order): (Range<usize>, &[u32])) -> bool {
    range.zip(order).all(|(place, &particle)| place == particle as usize)
}

#[cfg(test)]
mod tests {
    use unstick_grid::Random;

    use super::*;

    #[test]
    fn the_order_is_that_of_a_stable_sort_whatever_was_before() {
        let mut random = Random::new(3);
        for (count, layer, particles) in [(12, 4, 0), (12, 4, 7), (1000, 100, 50_000), (64, 64, 40_000)] {
            let cells: Vec<u32> = (0..particles).map(|_| (random.unit() * count as f64) as u32).collect();
            let mut expected: Vec<u32> = (0..particles).collect();
            expected.sort_by_key(|&particle| cells[particle as usize]);
            let Sorted { order, starts, is_known } = by_cell(&cells, count, layer);
            assert!(order == expected && starts.len() == count + 1 && (is_known == cells.is_sorted()));
            for (cell, bounds) in starts.windows(2).enumerate() {
                let inside = &order[bounds[0] as usize..bounds[1] as usize];
                assert!(inside.iter().all(|&particle| cells[particle as usize] as usize == cell));
            }
        }
    }
}
