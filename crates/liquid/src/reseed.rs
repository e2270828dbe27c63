//! Particles that come and go: sources, drains, and cells that run empty or overfull.

use unstick_grid::CellField;

use crate::cells::hash_to_unit;
use crate::geometry::Geometry;
use crate::interpolate::sample_velocity;
use crate::particles::cell_of;
use crate::setup::Setup;
use crate::state::LiquidState;

/// Sources fill what is empty in their shape, drains remove what they cover.
pub(crate) fn emit<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    starts: &[u32],
    state: &mut LiquidState<D>,
) -> bool {
    let grid = setup.grid;
    let mut changed = false;
    for emitter in setup.emitters.iter().filter(|emitter| (emitter.start..emitter.end).contains(&state.time)) {
        let Some(velocity) = emitter.velocity else {
            let before = state.particles.len();
            let position = state.particles.position.clone();
            state.particles.retain(|index| emitter.shape.at(position[index]) >= 0.0);
            let cell = grid.spacing().powi(D as i32) / setup.particles_per_cell() as f64;
            state.target_volume -= (before - state.particles.len()) as f64 * cell;
            changed |= before != state.particles.len();
            continue;
        };
        let mut entering = crate::particles::Particles::default();
        crate::seed::fill_shape(setup, geometry, &emitter.shape, velocity, &mut entering);
        for &point in &entering.position {
            let index = grid.index(cell_of(&grid, point));
            let is_empty = starts.get(index + 1).is_none_or(|&end| {
                let own = &state.particles.position[starts[index] as usize..end as usize];
                let apart = 0.8 * grid.spacing() / setup.particles_per_axis as f64;
                own.iter()
                    .all(|other| (0..D).map(|axis| (other[axis] - point[axis]).powi(2)).sum::<f64>() > apart * apart)
            });
            if is_empty {
                state.particles.push(point, velocity);
                state.target_volume += grid.spacing().powi(D as i32) / setup.particles_per_cell() as f64;
                changed = true;
            }
        }
    }
    changed
}

/// Moves particles from crowded cells (more than 1½ times what fills them) to inner cells that run
/// empty (less than half of it). Their number, which is the volume, stays the same. Places are random
/// but depend on seed, step and cell alone; velocities are those of the new place.
pub(crate) fn reseed<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    starts: &[u32],
    state: &mut LiquidState<D>,
) -> bool {
    let grid = setup.grid;
    let full = setup.particles_per_cell();
    let liquid: &CellField<f64, D> = &state.liquid;
    let is_inner = |cell: [usize; D]| {
        let mut around = (0..2 * D).filter_map(|side| grid.neighbour(cell, side / 2, side % 2 == 1));
        geometry.cell_open.at(cell) == 1.0 && liquid.at(cell) < 0.0 && around.all(|other| liquid.at(other) < 0.0)
    };
    let mut crowd = Vec::new();
    let mut places = Vec::new();
    for (index, cell) in grid.iter().enumerate() {
        let own = starts[index] as usize..starts[index + 1] as usize;
        if 2 * own.len() > 3 * full {
            crowd.extend(own.start + full..own.end);
        } else if 2 * own.len() < full && is_inner(cell) {
            let corner = grid.node(cell);
            for number in own.len()..full {
                let part = |axis| hash_to_unit([setup.seed, state.step, index as u64, (D * number + axis) as u64]);
                places.push(std::array::from_fn(|axis| corner[axis] + part(axis) * grid.spacing()));
            }
        }
    }
    for (&particle, &place) in crowd.iter().zip(&places) {
        state.particles.position[particle] = place;
        state.particles.velocity[particle] = sample_velocity(&grid, &state.velocity, place);
        if let Some(affine) = state.particles.affine.get_mut(particle) {
            *affine = [[0.0; D]; D];
        }
    }
    !crowd.is_empty() && !places.is_empty()
}
