//! Particles that come and go: shapes that are filled, sources and drains.

use std::ops::Range;

use unstick_grid::{FaceField, Grid, SignedDistance};
use unstick_parallel as parallel;

use super::{Particles, cell_of};
use crate::cells::{fill, multi_index};
use crate::setup::{Emitter, Setup};
use crate::share::Share;
use crate::solids::Geometry;
use crate::state::LiquidState;

/// Fills sources and empties drains; true if any particle has come or gone.
pub(crate) fn emit<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    starts: &[u32],
    share: Option<&Share<D>>,
    state: &mut LiquidState<D>,
) -> bool {
    let grid = setup.grid;
    let mut changed = false;
    let time = state.time;
    let active = setup.emitters.iter().filter(|emitter| (emitter.start..emitter.end).contains(&time));
    // Sources first: they append, and `starts` stays true for the particles before.
    let (sources, drains): (Vec<_>, Vec<_>) = active.partition(|emitter| emitter.velocity.is_some());
    for emitter in sources.into_iter().chain(drains) {
        let Some(velocity) = emitter.velocity else {
            let before = state.particles.len();
            let position = state.particles.position.clone();
            state.particles.retain(|index| emitter.shape.at(position[index]) >= 0.0);
            changed |= before != state.particles.len();
            continue;
        };
        // A source is kept full. As many particles enter as have left it, at the places with most room.
        let is_free = |point: &[f64; D]| geometry.distance(&grid, *point) > 0.0;
        let mut sites = places_in(setup, &emitter.shape, emitter.shift(setup, time), is_free);
        let cell = |point| cell_of(&grid.whole(), point);
        let is_own = |point: &[f64; D]| share.is_none_or(|share| share.is_own(cell(*point)));
        sites.retain(is_own);
        let inside = state.particles.enter(&emitter.shape, velocity);
        let present = inside.iter().filter(|&&index| is_own(&state.particles.position[index])).count();
        let site = |&point: &[f64; D]| Site { room: room_around(&grid, starts, &state.particles, point), point };
        let mut room: Vec<Site<D>> = sites.iter().map(site).collect();
        let present = share.map_or(present, |share| share.total(present));
        if let Some(share) = share {
            room = share.all_sites(&grid, &room);
        }
        let entering = room.len().saturating_sub(present);
        room.sort_by(|a, b| b.room.total_cmp(&a.room));
        for site in room.iter().take(entering) {
            match share.is_none_or(|share| share.is_known(cell(site.point))) {
                true => state.particles.push(site.point, velocity),
                false => state.particles.next_id += 1,
            }
        }
        changed |= entering > 0;
    }
    changed
}

impl<const D: usize> Emitter<D> {
    /// How far the places at which particles enter have moved. In a nozzle they move with the liquid. At rest they would begin
    /// half a particle inside of the source: each particle would have a shorter way through it than the source is long, and up
    /// to 9 % too many would enter.
    pub fn shift(&self, setup: &Setup<D>, time: f64) -> [f64; D] {
        let passed = if setup.has_stress() { time - self.start.max(0.0) } else { 0.0 };
        self.velocity.unwrap_or([0.0; D]).map(|speed| speed * passed)
    }
}

impl<const D: usize> Particles<D> {
    /// Gives the particles inside of a source its velocity; returns which they are.
    ///
    /// The faces in there have this velocity in every step. Particles that took on what forces and stress change of it would
    /// gather that for as long as they stay, and leave the source with a velocity that no face ever had.
    fn enter(&mut self, source: &SignedDistance<D>, entering: [f64; D]) -> Vec<usize> {
        let inside: Vec<usize> = (0..self.len()).filter(|&index| source.at(self.position[index]) < 0.0).collect();
        for &index in &inside {
            self.velocity[index] = entering;
            if let Some(affine) = self.affine.get_mut(index) {
                *affine = [[0.0; D]; D];
            }
        }
        inside
    }
}

/// A place at which a particle may enter.
pub(crate) struct Site<const D: usize> {
    /// The squared distance to the nearest particle.
    pub room: f64,
    pub point: [f64; D],
}

/// Fills the part of `liquid` that is neither solid nor taken with a regular lattice of particles of one velocity.
///
/// The lattice is regular, so that liquid at rest stays at rest exactly. Every place of it is taken once: two particles
/// in one place are liquid of twice the density, which bursts.
pub(crate) fn fill_shape<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    liquid: &SignedDistance<D>,
    velocity: [f64; D],
    is_taken: impl Fn([f64; D]) -> bool + Sync,
    particles: &mut Particles<D>,
) {
    let is_free = |point: &[f64; D]| geometry.distance(&setup.grid, *point) > 0.0 && !is_taken(*point);
    particles.extend(&places_in(setup, liquid, [0.0; D], is_free), velocity);
}

/// The places of a lattice of particles that is shifted, inside of a shape and free.
fn places_in<const D: usize>(
    setup: &Setup<D>,
    shape: &SignedDistance<D>,
    shift: [f64; D],
    is_free: impl Fn(&[f64; D]) -> bool + Sync,
) -> Vec<[f64; D]> {
    parallel::list_scattered(0..setup.grid.len(), |cells| {
        lattice_in(setup, shape, shift, near(setup, shape, cells)).filter(&is_free).collect()
    })
}

/// The numbers of all cells that may have a part of a shape.
pub fn cells_near<const D: usize>(setup: &Setup<D>, shape: &SignedDistance<D>) -> Vec<usize> {
    parallel::list_scattered(0..setup.grid.len(), |cells| near(setup, shape, cells).collect())
}

fn near<const D: usize>(
    setup: &Setup<D>,
    shape: &SignedDistance<D>,
    cells: Range<usize>,
) -> impl Iterator<Item = usize> {
    let (grid, reach) = (setup.grid, setup.grid.spacing() * (D as f64).sqrt());
    cells.filter(move |&cell| shape.at(grid.centre(multi_index(grid.cells(), cell))) <= reach)
}

/// The places of particles in full cells that lie inside of a shape, whether they are solid or not, with the whole lattice
/// shifted; in cells by their numbers.
pub fn lattice_in<const D: usize>(
    setup: &Setup<D>,
    shape: &SignedDistance<D>,
    shift: [f64; D],
    cells: impl Iterator<Item = usize>,
) -> impl Iterator<Item = [f64; D]> {
    let (grid, count) = (setup.grid, setup.particles_per_axis);
    let spacing = grid.spacing() / count as f64;
    let places = cells.flat_map(move |cell| {
        let corner = grid.node(multi_index(grid.cells(), cell));
        // What leaves the cell on one side comes from its neighbour on the other.
        let within =
            move |place: usize, shift: f64| ((place as f64 + 0.5) * spacing + shift).rem_euclid(grid.spacing());
        let place =
            move |place: [usize; D]| std::array::from_fn(|axis| corner[axis] + within(place[axis], shift[axis]));
        sub_lattice::<D>(count).map(place)
    });
    places.filter(|&point| shape.at(point) < 0.0)
}

/// Places of the particles of a full cell.
fn sub_lattice<const D: usize>(count: usize) -> impl Iterator<Item = [usize; D]> {
    (0..count.pow(D as u32)).map(move |index| multi_index([count; D], index))
}

/// Squared distance from a point to the nearest particle of its own and the neighbouring cells.
fn room_around<const D: usize>(grid: &Grid<D>, starts: &[u32], particles: &Particles<D>, point: [f64; D]) -> f64 {
    let cell = cell_of(grid, point);
    let mut nearest = grid.spacing() * grid.spacing();
    for around in 0..3usize.pow(D as u32) {
        let shift = multi_index([3; D], around);
        let other: [usize; D] = std::array::from_fn(|axis| (cell[axis] + shift[axis]).wrapping_sub(1));
        if (0..D).any(|axis| other[axis] >= grid.cells()[axis]) {
            continue;
        }
        let index = grid.index(other);
        for position in &particles.position[starts[index] as usize..starts[index + 1] as usize] {
            nearest = nearest.min((0..D).map(|axis| (position[axis] - point[axis]).powi(2)).sum());
        }
    }
    nearest
}

/// Gives the liquid inside a source, and as far beyond as `reach` says, the velocity of the source. This alone sets how much
/// enters.
pub(crate) fn prescribe<const D: usize>(
    setup: &Setup<D>,
    (time, reach): (f64, f64),
    velocity: &mut FaceField<f64, D>,
    known: &mut FaceField<bool, D>,
) {
    for (source, entering) in setup.sources(time) {
        for axis in 0..D {
            let marks = &mut known[axis];
            let is_inside = |face: [usize; D]| source.at(setup.grid.face_centre(axis, face)) < reach;
            fill(marks, |face, known| *known |= is_inside(face));
            fill(&mut velocity[axis], |face, value| {
                if is_inside(face) {
                    *value = entering[axis];
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use unstick_grid::CellField;

    use super::*;

    fn setup(emitters: Vec<Emitter<2>>) -> Setup<2> {
        Setup { emitters, ..Setup::new(Grid::<2>::unit(4).unwrap()) }
    }

    fn emitter(velocity: Option<[f64; 2]>) -> Emitter<2> {
        Emitter { shape: SignedDistance::cuboid([0.25; 2], [0.5; 2]), velocity, start: 0.0, end: 1.0 }
    }

    fn emitted(setup: &Setup<2>, state: &mut LiquidState<2>) -> bool {
        let starts = state.particles.sort_by_cell(&setup.grid, &mut Vec::new());
        emit(setup, &Geometry::at(setup, 0.0), &starts, None, state)
    }

    #[test]
    fn a_source_fills_its_cell_once() {
        let setup = setup(vec![emitter(Some([1.0, 0.0]))]);
        let mut state = LiquidState::empty(&setup.grid);
        assert!(emitted(&setup, &mut state) && !emitted(&setup, &mut state));
        assert_eq!(state.particles.len(), 4);
        assert!(state.particles.velocity.iter().all(|&velocity| velocity == [1.0, 0.0]));
        state.time = 1.0;
        state.particles = Particles::default();
        assert!(!emitted(&setup, &mut state), "its time is over");
    }

    #[test]
    fn particles_keep_the_velocity_of_a_source_until_they_have_left_it() {
        let setup = setup(vec![emitter(Some([1.0, 0.0]))]);
        let mut state = LiquidState::empty(&setup.grid);
        state.particles.push([0.3, 0.3], [5.0, -7.0]);
        state.particles.push([0.6, 0.3], [5.0, -7.0]);
        state.particles.affine = vec![[[9.0; 2]; 2]; 2];
        emitted(&setup, &mut state);
        let of = |x: f64| state.particles.position.iter().position(|place| place[0] == x).unwrap();
        let carried = |x: f64| (state.particles.velocity[of(x)], state.particles.affine[of(x)]);
        assert_eq!(carried(0.3), ([1.0, 0.0], [[0.0; 2]; 2]));
        assert_eq!(carried(0.6), ([5.0, -7.0], [[9.0; 2]; 2]));
    }

    #[test]
    fn a_drain_removes_what_it_covers() {
        let setup = setup(vec![emitter(None)]);
        let mut state = LiquidState::empty(&setup.grid);
        state.particles.push([0.3, 0.3], [0.0; 2]);
        state.particles.push([0.6, 0.3], [0.0; 2]);
        assert!(emitted(&setup, &mut state));
        assert_eq!(state.particles.position, [[0.6, 0.3]]);
    }

    #[test]
    fn faces_inside_a_source_have_its_velocity() {
        let setup = setup(vec![emitter(Some([2.0, 0.0]))]);
        let mut velocity = std::array::from_fn(|axis| CellField::filled(setup.grid.faces(axis), 7.0));
        let mut known = std::array::from_fn(|axis| CellField::filled(setup.grid.faces(axis), false));
        prescribe(&setup, (0.0, 0.0), &mut velocity, &mut known);
        // The faces of the cell lie on the border of the source, so none is inside.
        assert!(known.iter().all(|known| known.values().iter().all(|known| !known)));
        let wide = Emitter { shape: SignedDistance::sphere([0.375; 2], 0.13), ..emitter(Some([2.0, 0.0])) };
        prescribe(&Setup { emitters: vec![wide], ..setup }, (0.0, 0.0), &mut velocity, &mut known);
        assert_eq!((velocity[0].at([1, 1]), velocity[1].at([1, 1]), velocity[0].at([0, 1])), (2.0, 0.0, 7.0));
        assert!(known[0].at([2, 1]) && !known[0].at([3, 1]));
    }
}
