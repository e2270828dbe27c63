//! Particles that add to lattices, on every thread and in an order that does not depend on their number.

use unstick_grid::Grid;
use unstick_parallel as parallel;

/// Rows of cells in a tile along each axis but the first. Half of them must cover the reach of a particle.
const SIDE: usize = 4;

/// Rows after which even and odd tiles repeat. A part of a grid that begins at a multiple of it adds in the order of the
/// whole.
pub(crate) const PERIOD: usize = 2 * SIDE;

/// The rows that the particles of a tile may reach, of `N` lattices: a row is all places along the first axis.
pub(crate) struct Tile<'v, T, const D: usize, const N: usize> {
    rows: [Vec<&'v mut [T]>; N],
    /// The first row and the number of rows along the second axis, which is one in the plane, for each lattice.
    across: [(usize, usize); N],
    /// The first layer of rows along the last axis.
    first_layer: usize,
}

impl<'v, T, const D: usize, const N: usize> Tile<'v, T, D, N> {
    /// Calls `work` with the rows of a lattice through some places, and with an empty one where there is no place.
    #[inline(always)]
    pub fn with_rows<const ROWS: usize>(
        &mut self,
        lattice: usize,
        places: [Option<[usize; D]>; ROWS],
        work: impl FnOnce(&mut [&mut [T]; ROWS]),
    ) {
        let mut lent: [&mut [T]; ROWS] = std::array::from_fn(|_| Default::default());
        for (row, place) in lent.iter_mut().zip(places) {
            if let Some(place) = place {
                std::mem::swap(self.row(lattice, place), row);
            }
        }
        work(&mut lent);
        for (row, place) in lent.iter_mut().zip(places) {
            if let Some(place) = place {
                std::mem::swap(self.row(lattice, place), row);
            }
        }
    }

    /// The row of a lattice through a place.
    fn row<'s>(&'s mut self, lattice: usize, place: [usize; D]) -> &'s mut &'v mut [T] {
        let (first, count) = self.across[lattice];
        let across = if D == 3 { place[1] - first } else { 0 };
        &mut self.rows[lattice][(place[D - 1] - self.first_layer) * count + across]
    }
}

/// Calls `add` with rows of cells along the first axis that have particles, each by its first cell, and with the tile of
/// lattices that these particles may add to. They are sorted by cell, and `starts` says where those of each cell start.
///
/// The lattices are cut into tiles of [`SIDE`] rows along each axis but the first. Particles of a tile reach at most half
/// a tile beyond it. Of the tiles along an axis all even ones run at once, then all odd ones. No two that run at once
/// write to the same place, and every place receives its terms in the same order.
pub(crate) fn add_by_tiles<T: Send, const D: usize, const N: usize>(
    grid: &Grid<D>,
    starts: &[u32],
    shapes: [[usize; D]; N],
    values: [&mut [T]; N],
    add: impl Fn([usize; D], &mut Tile<'_, T, D, N>) + Sync,
) {
    let cells = grid.cells();
    let mut values = values;
    for odd in [0, 1] {
        let layers = Strips { cells: cells[D - 1], odd };
        let mut slabs = layers.cut(&mut values, shapes.map(|shape| (shape[D - 1], shape[..D - 1].iter().product())));
        for odd in [0, 1] {
            let across = Strips { cells: if D == 3 { cells[1] } else { 1 }, odd };
            // Slabs are cut by all threads; then there is one loop over the tiles of all.
            let mut cut: Vec<_> = slabs.iter_mut().map(|values| (Some(values), Vec::new())).collect();
            parallel::for_each_chunk(&mut cut, 1, |slab, cut| {
                for (values, tiles) in cut {
                    let of_slab = values.take().map(|values| tiles_of_slab(&layers, slab, across, shapes, values));
                    *tiles = of_slab.unwrap_or_default();
                }
            });
            let of_slab = |(slab, (_, tiles)): (usize, (_, Vec<_>))| {
                tiles.into_iter().enumerate().map(move |(number, tile)| (slab, number, tile))
            };
            let mut tiles: Vec<(usize, usize, Tile<T, D, N>)> = cut.into_iter().enumerate().flat_map(of_slab).collect();
            parallel::for_each_chunk(&mut tiles, 1, |_, tiles| {
                for (slab, number, tile) in tiles {
                    for layer in layers.cells_of(*slab) {
                        for row in across.cells_of(*number) {
                            let mut first = [0; D];
                            (first[1], first[D - 1]) = (row, layer);
                            let cell = grid.index(first);
                            if starts[cell] < starts[cell + cells[0]] {
                                add(first, tile);
                            }
                        }
                    }
                }
            });
        }
    }
}

/// Every other tile along an axis.
#[derive(Clone, Copy)]
struct Strips {
    /// Cells along the axis.
    cells: usize,
    /// 0 for the even tiles, 1 for the odd ones.
    odd: usize,
}

impl Strips {
    fn count(&self) -> usize {
        self.cells.div_ceil(SIDE).saturating_sub(self.odd).div_ceil(2)
    }

    /// The cells of a strip.
    fn cells_of(&self, strip: usize) -> std::ops::Range<usize> {
        let first = ((2 * strip + self.odd) * SIDE).min(self.cells);
        first..(first + SIDE).min(self.cells)
    }

    /// The first place of a lattice that belongs to a strip: half a tile before its cells. The first and the last strip
    /// have all that is before and behind.
    fn first_place(&self, strip: usize, places: usize) -> usize {
        match strip {
            0 => 0,
            _ if strip == self.count() => places,
            _ => ((2 * strip + self.odd) * SIDE - SIDE / 2).min(places),
        }
    }

    /// The parts of lattices that belong to each strip; `sizes` are their places along the axis and the values of each.
    fn cut<'v, T, const N: usize>(
        &self,
        values: &'v mut [&mut [T]; N],
        sizes: [(usize, usize); N],
    ) -> Vec<[&'v mut [T]; N]> {
        let mut rest = values.each_mut().map(|values| &mut **values);
        let strips = 0..self.count();
        let length =
            |strip, (places, size)| (self.first_place(strip + 1, places) - self.first_place(strip, places)) * size;
        strips
            .map(|strip| {
                std::array::from_fn(|lattice| {
                    let (own, after) = std::mem::take(&mut rest[lattice]).split_at_mut(length(strip, sizes[lattice]));
                    rest[lattice] = after;
                    own
                })
            })
            .collect()
    }
}

/// The tiles of a slab of layers.
fn tiles_of_slab<'v, T, const D: usize, const N: usize>(
    layers: &Strips,
    slab: usize,
    across: Strips,
    shapes: [[usize; D]; N],
    values: &'v mut [&mut [T]; N],
) -> Vec<Tile<'v, T, D, N>> {
    let rows_across = shapes.map(|shape| if D == 3 { shape[1] } else { 1 });
    let range = |strip: usize, lattice: usize| {
        let place = |strip| across.first_place(strip, rows_across[lattice]);
        (place(strip), place(strip + 1) - place(strip))
    };
    let new = |strip: usize| Tile {
        rows: std::array::from_fn(|_| Vec::new()),
        across: std::array::from_fn(|lattice| range(strip, lattice)),
        first_layer: layers.first_place(slab, usize::MAX),
    };
    let mut tiles: Vec<Tile<T, D, N>> = (0..across.count()).map(new).collect();
    if tiles.is_empty() {
        return tiles; // an axis too short for odd tiles
    }
    for (lattice, values) in values.iter_mut().enumerate() {
        let mut rows = values.chunks_exact_mut(shapes[lattice][0]);
        while rows.len() > 0 {
            for tile in &mut tiles {
                let count = tile.across[lattice].1;
                tile.rows[lattice].extend(rows.by_ref().take(count));
            }
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One particle in every cell adds to all places within two of it along the outer axes.
    fn every_place_hears_of_all_near_particles<const D: usize>(cells: [usize; D]) {
        let grid = Grid::<D>::new(cells, 1.0, [0.0; D]).unwrap();
        let starts: Vec<u32> = (0..=grid.len() as u32).collect();
        let shapes = [grid.faces(0), grid.faces(D - 1)];
        let mut values = shapes.map(|shape| vec![0usize; shape.iter().product()]);
        let lattices = values.each_mut().map(Vec::as_mut_slice);
        add_by_tiles(&grid, &starts, shapes, lattices, |first, tile| {
            for (lattice, shape) in shapes.iter().enumerate() {
                let middle = if D == 3 { near(first[1], shape[1]) } else { 0..1 };
                for (middle, last) in middle.flat_map(|at| near(first[D - 1], shape[D - 1]).map(move |z| (at, z))) {
                    let mut place = first;
                    place[1] = middle;
                    place[D - 1] = last;
                    tile.with_rows(lattice, [Some(place), None], |[row, none]| {
                        assert!(none.is_empty());
                        row[..cells[0]].iter_mut().for_each(|count| *count += 1);
                    });
                }
            }
        });
        for (values, shape) in values.iter().zip(shapes) {
            for (index, &count) in values.iter().enumerate() {
                let place = unstick_grid::multi_index(shape, index);
                let around =
                    |axis: usize| (0..cells[axis]).filter(move |&cell| near(cell, shape[axis]).contains(&place[axis]));
                let expected: usize = (1..D).map(|axis| around(axis).count()).product();
                assert_eq!(count, if place[0] < cells[0] { expected } else { 0 }, "{place:?} of {shape:?}");
            }
        }
    }

    fn near(cell: usize, places: usize) -> std::ops::Range<usize> {
        cell.saturating_sub(SIDE / 2)..(cell + SIDE / 2 + 1).min(places)
    }

    #[test]
    fn all_that_a_particle_reaches_is_in_its_tile() {
        for size in 1..20 {
            every_place_hears_of_all_near_particles([3, size]);
            every_place_hears_of_all_near_particles([2, size, 20 - size]);
        }
    }
}
