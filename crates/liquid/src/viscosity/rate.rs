//! The viscosity of the liquid where it depends on the rate of shear.

use unstick_flow::Viscosity;

use super::lattice::{pairs, straddling};
use super::medium::Medium;
use super::system::System;

impl<const D: usize> Medium<'_, D> {
    /// Viscosity of every cell of the box, for a velocity. `shape` tells where strain is known: its coefficients are those
    /// of a viscosity of one.
    pub fn viscosity(&self, law: &Viscosity, shape: &System<f64, D>, u: &[f64]) -> Vec<f64> {
        let mut viscosity = self.pool.filled(self.lattice.len(), law.at(0.0));
        let (lattice, spacing) = (&self.lattice, self.grid.spacing());
        let (length, strides) = (lattice.len(), lattice.strides);
        lattice.fill(&mut viscosity, straddling(&[]), |_, at, value| {
            let mut squared = 0.0; // 2 D:D
            for axis in 0..D {
                if shape.cells[axis * length + at] > 0.0 {
                    let stretch = u[axis * length + at + strides[axis]] - u[axis * length + at];
                    squared += 2.0 * stretch * stretch;
                }
            }
            for (number, [one, other]) in pairs::<D>() {
                let (mut sum, mut count) = (0.0, 0.0);
                for corner in 0..4 {
                    let edge = at + (corner & 1) * strides[one] + (corner >> 1) * strides[other];
                    if shape.edges[number][edge] > 0.0 {
                        let shear = u[one * length + edge] - u[one * length + edge - strides[other]]
                            + u[other * length + edge]
                            - u[other * length + edge - strides[one]];
                        sum += shear * shear;
                        count += 1.0;
                    }
                }
                squared += if count > 0.0 { sum / count } else { 0.0 };
            }
            *value = law.at(squared.sqrt() / spacing);
        });
        viscosity
    }
}
