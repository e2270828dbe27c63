//! The first particles.

use unstick_grid::SignedDistance;

use super::Particles;
use crate::setup::Setup;
use crate::solids::Geometry;

/// Fills the part of `liquid` that is neither solid nor taken with a regular lattice of particles of one velocity.
///
/// The lattice is regular, so that liquid at rest stays at rest exactly. Every place of it is taken once: two particles
/// in one place are liquid of twice the density, which bursts.
pub(crate) fn fill_shape<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    liquid: &SignedDistance<D>,
    velocity: [f64; D],
    is_taken: impl Fn([f64; D]) -> bool,
    particles: &mut Particles<D>,
) {
    let grid = setup.grid;
    let spacing = grid.spacing() / setup.particles_per_axis as f64;
    for cell in grid.iter() {
        let reach = grid.spacing() * (D as f64).sqrt();
        if liquid.at(grid.centre(cell)) > reach {
            continue;
        }
        for place in sub_lattice::<D>(setup.particles_per_axis) {
            let corner = grid.node(cell);
            let point: [f64; D] = std::array::from_fn(|axis| corner[axis] + (place[axis] as f64 + 0.5) * spacing);
            if liquid.at(point) < 0.0 && geometry.distance(&grid, point) > 0.0 && !is_taken(point) {
                particles.push(point, velocity);
            }
        }
    }
}

/// Places of the particles of a full cell.
fn sub_lattice<const D: usize>(count: usize) -> impl Iterator<Item = [usize; D]> {
    (0..count.pow(D as u32)).map(move |index| crate::cells::multi_index([count; D], index))
}
