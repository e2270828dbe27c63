//! Films of liquid that the grid does not resolve: a resistance between surfaces less than two cells apart.

use unstick_flow::Flow;
use unstick_mlcp::{Convergence, Outcome};

use crate::body::RigidBody;
use crate::contact::{Contact, ContactSystem, find_contacts, lubrication};
use crate::world::World;

/// Sweeps over all films at most.
const SWEEPS: usize = 100;

/// Change of velocity, as a part of the largest, that ends the sweeps.
const TOLERANCE: f64 = 1e-6;

/// Lets all films act for a time; returns their number and how the sweeps ended.
///
/// The impulses λ = −R Δt J v are those of the velocities after them, so that no film is too thin: with c = 1/(R Δt)
/// they solve (J M⁻¹ Jᵀ + c) λ = −J v, row after row. Each acts on both bodies, and momentum stays.
pub(super) fn lubricate<const D: usize>(world: &mut World<D>, flow: &Flow<D>, time: f64) -> (usize, Convergence) {
    let setup = flow.setup();
    let viscosity = setup.density * setup.viscosity.typical();
    let widest = setup.grid.axes().iter().flat_map(|axis| axis.widths()).fold(0.0, f64::max);
    let margins = vec![2.0 * widest; world.bodies().len()];
    let (films, _) = find_contacts(world.bodies(), world.container(), world.time(), &margins);
    let resistance = |film: &Contact<D>| {
        let spacing = (0..D).map(|axis| {
            let line = setup.grid.axis(axis);
            film.normal[axis].abs() * line.width(line.cell_at(film.point[axis]))
        });
        lubrication::<D>(film.gap, radius(world.bodies(), film), viscosity, spacing.sum())
    };
    let (films, yielding): (Vec<_>, Vec<f64>) = films
        .into_iter()
        .filter_map(|film| {
            let resistance = resistance(&film);
            (resistance > 0.0).then(|| (film, 1.0 / (resistance * time)))
        })
        .unzip();
    if films.is_empty() {
        return (0, Convergence::default());
    }
    let mut system = ContactSystem::new(world.bodies(), films);
    let scale = system.opening().iter().fold(0.0f64, |most, speed| most.max(speed.abs()));
    let ContactSystem { normal, twists, .. } = &mut system;
    let mut impulses = vec![0.0; normal.len()];
    let mut ended = Convergence::default();
    for sweep in 1..=SWEEPS {
        let mut change = 0.0f64;
        for ((row, impulse), yielding) in normal.iter().zip(&mut impulses).zip(&yielding) {
            let more = -(row.velocity(twists) + yielding * *impulse) / (row.diagonal + yielding);
            *impulse += more;
            row.push(more, twists);
            change = change.max((more * row.diagonal).abs());
        }
        let outcome = if change <= TOLERANCE * scale { Outcome::Converged } else { Outcome::IterationLimit };
        ended = Convergence::new(outcome, sweep, change, TOLERANCE * scale);
        if ended.converged() {
            break;
        }
    }
    system.write_back(world.bodies_mut());
    (impulses.len(), ended)
}

/// The reduced radius ab/(a + b) of two bodies; that of the body itself at a wall.
fn radius<const D: usize>(bodies: &[RigidBody<D>], film: &Contact<D>) -> f64 {
    let one = bodies[film.first].shape().reach();
    film.second.map_or(one, |second| {
        let two = bodies[second].shape().reach();
        one * two / (one + two)
    })
}
