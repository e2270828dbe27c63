//! Liquid of any shape inside a box of liquid (`box`): a preconditioner by fast transforms.

use unstick_parallel as parallel;

use super::recognise::{LEAST, LiquidBox};
use super::{BoxInverse, NotABox, Prepared};
use crate::error::SolveError;
use crate::linear::{Subsystem, fit};
use crate::precondition::Preconditioner;

/// M⁻¹ = S Rᵀ B⁻¹ R S, with B the Laplacian of the smallest box around the rows, zero one cell beyond its sides, R what puts rows
/// into the box, and S² = B_ii/S_ii, which makes up for stiff rows at the surface.
///
/// B⁻¹ takes the outside of the liquid for liquid: a fictitious domain. On air at the surface of the liquid that is wrong along the surface
/// only, so that conjugate gradients need steps for it and not for the rest. Walls are wrong likewise: it is made for the solves without
/// solids of \[Eckert2014\].
#[derive(Default)]
pub struct BoxEmbedding {
    inverse: BoxInverse,
    /// Place of each row in the box.
    places: Vec<u32>,
    /// S; zero on pinned rows.
    scale: Vec<f64>,
    inside: Vec<f64>,
    answer: Vec<f64>,
}

impl Preconditioner for BoxEmbedding {
    fn rebuild(&mut self, system: &Subsystem) -> Result<(), SolveError> {
        let lattice = system.operator().lattice().ok_or(NotABox::NoGrid)?;
        let dimension = lattice.dimension();
        let rows = || (0..lattice.cells().len()).map(|row| lattice.place(row));
        let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
        for place in rows() {
            for axis in 0..3 {
                (low[axis], high[axis]) = (low[axis].min(place[axis]), high[axis].max(place[axis]));
            }
        }
        let is_axis = |axis: usize| axis < dimension && high[axis] >= low[axis];
        let extents: [usize; 3] =
            std::array::from_fn(|axis| if is_axis(axis) { (high[axis] + 1 - low[axis]).max(LEAST) } else { 1 });
        let sides = std::array::from_fn(|axis| if axis < dimension { [1.0; 2] } else { [0.0; 2] });
        self.inverse = BoxInverse {
            prepared: Some(Prepared::new(LiquidBox { extents, unit: 1.0, sides })?),
            ..Default::default()
        };
        let at = |place: [usize; 3]| {
            (0..3).rev().fold(0, |at, axis| at * extents[axis] + place[axis] - low[axis].min(place[axis])) as u32
        };
        self.places = rows().map(at).collect();
        let own = 2.0 * dimension as f64;
        let scale = |row: usize| if system.is_free(row) { (own / system.diagonal(row)).sqrt() } else { 0.0 };
        self.scale = (0..system.size()).map(scale).collect();
        let size = extents.iter().product();
        fit(&mut self.inside, size);
        fit(&mut self.answer, size);
        self.inside.fill(0.0);
        Ok(())
    }

    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let Self { inverse, places, scale, inside, answer } = self;
        for ((place, scale), r) in places.iter().zip(&*scale).zip(r) {
            inside[*place as usize] = scale * r;
        }
        inverse.apply(inside, answer);
        parallel::for_each((places.as_slice(), scale.as_slice(), z), |(places, scale, z)| {
            let rows = places.iter().zip(scale).zip(z);
            rows.for_each(|((place, scale), z)| *z = scale * answer[*place as usize]);
        });
    }
}
