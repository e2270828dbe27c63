//! Numbers of particles: each has its own, and keeps it.

use std::collections::{HashMap, HashSet};

use unstick_grid::{Grid, SignedDistance};
use unstick_liquid::{Emitter, Setup, Simulation, Transport};

/// A pool with a jet above it and a drain in its floor.
fn fountain(transport: Transport) -> (Setup<2>, Simulation<2>) {
    let mut setup = Setup::new(Grid::<2>::unit(32).unwrap());
    setup.transport = transport;
    let emitter = |lower: [f64; 2], upper: [f64; 2], velocity| {
        let shape = SignedDistance::cuboid(lower, upper);
        Emitter { shape, velocity, start: 0.0, end: 10.0 }
    };
    setup.emitters.push(emitter([0.4, 0.6], [0.6, 0.7], Some([1.0, -1.0])));
    setup.emitters.push(emitter([0.0, 0.0], [0.2, 0.1], None));
    let pool = SignedDistance::cuboid([0.0; 2], [1.0, 0.3]);
    (setup.clone(), Simulation::new(setup, &pool).unwrap())
}

fn places(simulation: &Simulation<2>) -> HashMap<u64, [f64; 2]> {
    let particles = &simulation.state().particles;
    particles.id.iter().copied().zip(particles.position.iter().copied()).collect()
}

#[test]
fn numbers_follow_their_particles_past_sources_and_drains() {
    for transport in [Transport::default(), Transport::Apic, Transport::SemiLagrangian] {
        let (_, mut fountain) = fountain(transport);
        let cell = fountain.setup().grid.spacing();
        let (mut come, mut gone) = (0, HashSet::<u64>::new());
        for _ in 0..60 {
            let (before, next) = (places(&fountain), fountain.state().particles.next_id);
            let dt = fountain.next_step(10.0).unwrap();
            fountain.advance(dt).unwrap();
            let particles = &fountain.state().particles;
            let after = places(&fountain);
            assert_eq!(after.len(), particles.len(), "every number once");
            for (id, position) in particles.id.iter().zip(&particles.position) {
                assert!(*id < particles.next_id && !gone.contains(id), "{id} has come again");
                let Some(&start) = before.get(id) else {
                    assert!(*id >= next, "{id} was not the next number");
                    come += 1;
                    continue;
                };
                // A cell by its velocity, and what holds the density on top.
                let way = (position[0] - start[0]).hypot(position[1] - start[1]) / cell;
                assert!(way < 1.5, "{transport:?}: {id} went {way} cells");
            }
            gone.extend(before.keys().filter(|id| !after.contains_key(id)));
        }
        assert!(come > 100 && gone.len() > 100, "{come} came, {} went", gone.len());
        assert!(!fountain.state().particles.id.is_sorted(), "particles have changed places");
    }
}

#[test]
fn numbers_are_the_same_for_any_number_of_threads_and_after_an_interruption() {
    let run = |threads: usize, is_interrupted: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (setup, mut fountain) = fountain(Transport::default());
            fountain.advance_to(0.05).unwrap();
            if is_interrupted {
                fountain = Simulation::resume(setup, fountain.state().clone()).unwrap();
            }
            fountain.advance_to(0.1).unwrap();
            fountain.state().particles.clone()
        })
    };
    let straight = run(1, false);
    assert!(straight.next_id > straight.len() as u64, "some have gone");
    assert!(run(2, false) == straight, "two threads");
    assert!(run(2, true) == straight, "resumed");
}
