//! The part of a cell, of the volume around a face or around an edge that is liquid.

use unstick_grid::part_behind_plane;

use super::lattice::Lattice;

/// Beyond this distance from the surface, in cells, a volume is full or empty. The liquid's distance ends at one.
pub(super) const FAR: f64 = 0.95;

/// A slope of less than this is that of a thin sheet, or of none.
pub(super) const CLEAR: f64 = 0.4;

/// The liquid around places of a box, with its surface as a plane in each volume.
pub(super) struct Filled<const D: usize> {
    /// Distance to the liquid in cells.
    pub depth: Vec<f64>,
    strides: [usize; D],
}

impl<const D: usize> Filled<D> {
    /// From the distances at the centres of the cells of a box and its rim.
    pub fn new(lattice: &Lattice<D>, depth: Vec<f64>) -> Self {
        Self { depth, strides: lattice.strides }
    }

    /// Distance and slope in the middle of the volume that straddles these axes below a cell, in cells.
    pub fn plane(&self, at: usize, straddled: &[usize]) -> (f64, [f64; D]) {
        let share = 1.0 / (1usize << straddled.len()) as f64;
        let below = |choice: usize| -> usize {
            let chosen = straddled.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 == 1);
            at - chosen.map(|(_, &axis)| self.strides[axis]).sum::<usize>()
        };
        let choices = 0..1usize << straddled.len();
        let mean: f64 = choices.clone().map(|choice| share * self.depth[below(choice)]).sum();
        let mut slope = [0.0; D];
        // Most volumes are full or empty.
        if mean.abs() >= FAR {
            return (mean, slope);
        }
        for choice in choices.clone() {
            let value = share * self.depth[below(choice)];
            for (bit, &axis) in straddled.iter().enumerate() {
                slope[axis] += if choice >> bit & 1 == 0 { 2.0 * value } else { -2.0 * value };
            }
        }
        for axis in (0..D).filter(|axis| !straddled.contains(axis)) {
            for choice in choices.clone() {
                let place = below(choice);
                let (up, down) = (self.depth[place + self.strides[axis]], self.depth[place - self.strides[axis]]);
                slope[axis] += 0.5 * share * (up - down);
            }
        }
        // A distance has the slope one. Differences miss it where it ends.
        let length = slope.iter().map(|value| value * value).sum::<f64>().sqrt();
        (mean, if length > CLEAR { slope.map(|value| value / length) } else { slope })
    }

    /// The liquid part of that volume.
    #[inline]
    pub fn part(&self, at: usize, straddled: &[usize]) -> f64 {
        match self.plane(at, straddled) {
            (mean, _) if mean <= -FAR => 1.0,
            (mean, _) if mean >= FAR => 0.0,
            (mean, slope) => part_behind_plane(slope, mean),
        }
    }
}

#[cfg(test)]
mod tests {
    use unstick_mlcp::fields::Window;

    use super::*;

    #[test]
    fn parts_below_a_plane_surface_are_exact() {
        let lattice = Lattice::<3>::new(Window { first: [0; 3], size: [8; 3] });
        let surface = 4.24;
        let mut depth = vec![0.0; lattice.len()];
        lattice.fill_all(&mut depth, |[_, y, _], value| *value = (y as f64 + 0.5 - surface).clamp(-1.0, 1.0));
        let filled = Filled::new(&lattice, depth);
        let close = |found: f64, exact: f64| assert!((found - exact.clamp(0.0, 1.0)).abs() < 1e-3, "{found} {exact}");
        for y in 1..8 {
            let (at, y) = (lattice.index([3, y, 3]), y as f64);
            close(filled.part(at, &[]), surface - y);
            close(filled.part(at, &[0]), surface - y);
            close(filled.part(at, &[1]), surface - y + 0.5);
            close(filled.part(at, &[0, 1]), surface - y + 0.5);
            close(filled.part(at, &[0, 2]), surface - y);
        }
    }
}
