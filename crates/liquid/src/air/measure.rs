//! The volumes of parts of the air, and how high they reach.

use unstick_grid::vector::dot;
use unstick_grid::{CellField, Grid, linear_index, multi_index};
use unstick_parallel as parallel;

use super::parts::Parts;
use crate::solids::Geometry;

/// The volume of every part; zero for liquid.
///
/// The cube between neighbouring cell centres counts by the part Σφ⁺/Σ|φ| of it that is outside of the liquid, as for the
/// volume of the [liquid](crate::Simulation::surface_volume). Parts that meet in a cube share it by their φ⁺.
pub(super) fn volumes<const D: usize>(
    grid: &Grid<D>,
    geometry: &Geometry<D>,
    liquid: &CellField<f64, D>,
    parts: &Parts,
) -> Vec<f64> {
    let (cells, shape, liquid) = (grid.cells(), geometry.solid.shape(), liquid.values());
    // Many parts are drops: only air is counted.
    let mut count = 0;
    let place_of: Vec<Option<usize>> =
        parts.is_air.iter().map(|is_air| is_air.then(|| (count, count += 1).0)).collect();
    let of_block = |(nodes, solid): (std::ops::Range<usize>, &[f64])| {
        let mut sums = vec![0.0; count];
        for (node, distance) in nodes.zip(solid) {
            let open = (0.5 + distance / grid.spacing()).clamp(0.0, 1.0);
            if open == 0.0 {
                continue;
            }
            let node = multi_index(shape, node);
            let mut all = 0.0;
            let corners = (0..1usize << D).map(|corner| {
                let place = |axis: usize| (node[axis] + (corner >> axis & 1)).saturating_sub(1).min(cells[axis] - 1);
                linear_index(cells, std::array::from_fn(place))
            });
            let mut outside = [(0, 0.0); 8];
            for (cell, outside) in corners.zip(&mut outside) {
                let Some(part) = parts.part_of[cell].checked_sub(1) else { continue };
                all += liquid[cell].abs();
                if let Some(place) = place_of[part as usize] {
                    *outside = (place, liquid[cell]);
                }
            }
            if all > 0.0 {
                outside.iter().for_each(|&(place, depth)| {
                    if depth > 0.0 {
                        sums[place] += open * depth / all
                    }
                });
            }
        }
        sums
    };
    let add = |mut one: Vec<f64>, other: Vec<f64>| {
        one.iter_mut().zip(other).for_each(|(sum, value)| *sum += value);
        one
    };
    let solid = geometry.solid.values();
    let sums = parallel::fold((0..solid.len(), solid), &of_block, &add);
    let volume = grid.spacing().powi(D as i32);
    place_of.iter().map(|place| place.map_or(0.0, |place| sums[place] * volume)).collect()
}

/// How far up every part reaches, against gravity.
pub(super) fn heights<const D: usize>(grid: &Grid<D>, gravity: [f64; D], parts: &Parts) -> Vec<f64> {
    let mut heights = vec![f64::NEG_INFINITY; parts.count()];
    for (&part, cell) in parts.part_of.iter().zip(grid.iter()).filter(|(part, _)| **part > 0) {
        let height = -dot(gravity, grid.centre(cell));
        let highest = &mut heights[part as usize - 1];
        *highest = highest.max(height);
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Setup;

    #[test]
    fn bubbles_have_their_volumes_wherever_they_lie() {
        let grid = Grid::<2>::unit(40).unwrap();
        let setup = Setup::new(grid);
        let geometry = Geometry::at(&setup, 0.0);
        let discs = [([0.3, 0.31], 0.2), ([0.72, 0.74], 0.15)];
        let liquid = CellField::from_fn(&grid, |cell| {
            let [x, y] = grid.centre(cell);
            let depth = discs.map(|([a, b], radius)| radius - (x - a).hypot(y - b));
            depth[0].max(depth[1]).clamp(-grid.spacing(), grid.spacing())
        });
        let parts = Parts::of(&grid, &geometry, &liquid);
        let found = volumes(&grid, &geometry, &liquid, &parts);
        assert_eq!(found[0], 0.0);
        for (found, (_, radius)) in found[1..].iter().zip(discs) {
            let exact = std::f64::consts::PI * radius * radius;
            assert!((found / exact - 1.0).abs() < 5e-3, "{found} for {exact}");
        }
    }
}
