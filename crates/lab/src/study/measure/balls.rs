//! The volume of balls around the particles: what the surfaces of simple FLIP programs enclose.

use unstick::grid::{linear_index, multi_index};
use unstick::liquid::Simulation;

/// Radius of a ball in units of the cell: no point of a full cell is outside of all of them. The programs that
/// \[Lai2021, sec. 6.1\] and \[Andersen2017b\] build upon use about this.
fn radius<const D: usize>() -> f64 {
    1.01 * 0.5 * (D as f64).sqrt()
}

/// Points along each axis of a cell at which it is asked whether a ball is there.
const POINTS: usize = 4;

/// Volume outside of solids that the balls cover, by points. In cells that a solid cuts, balls cover the same part of what is open.
pub fn volume_of_balls<const D: usize>(simulation: &Simulation<D>) -> f64 {
    let (grid, geometry) = (simulation.setup().grid, simulation.geometry());
    let points = grid.cells().map(|count| count * POINTS);
    let mut is_covered = vec![false; points.iter().product()];
    let radius = radius::<D>() * POINTS as f64;
    for &position in simulation.state().particles.position.iter() {
        // In units of the distance of points, of which the first lies at zero.
        let centre = grid.in_cells(position).map(|place| place * POINTS as f64 - 0.5);
        cover(points, centre, radius, &mut is_covered);
    }
    let mut covered = vec![0.0; grid.len()];
    for (index, _) in is_covered.iter().enumerate().filter(|(_, is_covered)| **is_covered) {
        let cell = multi_index(points, index).map(|place| place / POINTS);
        covered[grid.index(cell)] += 1.0 / POINTS.pow(D as u32) as f64;
    }
    let parts = covered.iter().zip(geometry.cell_open.values());
    parts.map(|(covered, open)| open * covered).sum::<f64>() * grid.spacing().powi(D as i32)
}

/// Marks the points of a ball.
fn cover<const D: usize>(points: [usize; D], centre: [f64; D], radius: f64, is_covered: &mut [bool]) {
    let first: [usize; D] = std::array::from_fn(|axis| (centre[axis] - radius).ceil().max(0.0) as usize);
    let end: [usize; D] =
        std::array::from_fn(|axis| ((centre[axis] + radius).floor() + 1.0).clamp(0.0, points[axis] as f64) as usize);
    let extents: [usize; D] = std::array::from_fn(|axis| end[axis].saturating_sub(first[axis]));
    for step in 0..extents.iter().product() {
        let offset = multi_index(extents, step);
        let point: [usize; D] = std::array::from_fn(|axis| first[axis] + offset[axis]);
        let square: f64 = (0..D).map(|axis| (point[axis] as f64 - centre[axis]).powi(2)).sum();
        if square < radius * radius {
            is_covered[linear_index(points, point)] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use unstick::grid::{Grid, SignedDistance};
    use unstick::liquid::{Setup, Simulation};

    use super::*;

    #[test]
    fn balls_reach_beyond_a_level_surface_by_a_part_of_a_cell_and_never_into_walls() {
        let volume = |height: f64| {
            let liquid = SignedDistance::cuboid([0.0; 2], [1.0, height]);
            volume_of_balls(&Simulation::new(Setup::new(Grid::<2>::unit(20).unwrap()), &liquid).unwrap())
        };
        let beyond = (volume(0.5) - 0.5) * 20.0;
        assert!((0.2..0.8).contains(&beyond), "{beyond} cells");
        assert!((volume(0.8) - volume(0.5) - 0.3).abs() < 1e-3, "it does so at any height");
        let full = volume(1.0);
        assert!(full <= 1.0 && full > 0.99, "a full box has no surface, and hardly a hole: {full}");
    }
}
