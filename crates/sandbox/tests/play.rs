//! What a user can do.

use unstick_sandbox::{Picture, Preset, Sandbox};

fn particles(sandbox: &Sandbox) -> usize {
    sandbox.simulation().state().particles.len()
}

fn mean_height(sandbox: &Sandbox) -> f64 {
    let positions = &sandbox.simulation().state().particles.position;
    positions.iter().map(|point| point[1]).sum::<f64>() / positions.len() as f64
}

fn run(sandbox: &mut Sandbox, until: f64) {
    while sandbox.simulation().state().time < until {
        assert!(sandbox.advance(1.0 / 60.0).unwrap() > 0.0);
    }
}

#[test]
fn liquid_at_the_ceiling_falls_freely_when_walls_let_go_and_hangs_when_they_do_not() {
    let fallen = |separating| {
        let mut sandbox = Sandbox::new(32, Preset::Ceiling).unwrap();
        let before = mean_height(&sandbox);
        sandbox.set_separating(separating);
        run(&mut sandbox, 0.2);
        let time = sandbox.simulation().state().time;
        (before - mean_height(&sandbox)) / (0.5 * 9.81 * time * time)
    };
    let (free, held) = (fallen(true), fallen(false));
    assert!((free - 1.0).abs() < 0.01, "{free} of free fall");
    assert!(held < 0.8, "{held} of free fall");
}

#[test]
fn liquid_is_poured_into_an_empty_square_and_drained_again() {
    let mut sandbox = Sandbox::new(32, Preset::Empty).unwrap();
    assert_eq!(sandbox.advance(0.01).unwrap(), 0.0, "nothing can move");
    sandbox.pour([0.5, 0.7], 0.08, Some([0.0, -1.0]));
    run(&mut sandbox, 0.2);
    let poured = particles(&sandbox);
    assert!(poured > 80, "{poured}");
    sandbox.stop_pouring();
    run(&mut sandbox, 0.3);
    assert_eq!(particles(&sandbox), poured);
    sandbox.pour([0.5, 0.5], 0.9, None);
    assert!(sandbox.advance(0.01).is_ok());
    assert_eq!(particles(&sandbox), 0);
    assert!(sandbox.advance(0.01).is_ok());
}

#[test]
fn painted_walls_remove_and_hold_liquid_until_they_are_erased() {
    let mut sandbox = Sandbox::new(32, Preset::Dam).unwrap();
    let (before, volume) = (particles(&sandbox), sandbox.simulation().volume());
    sandbox.paint([0.4, 0.0], [0.4, 1.0], 0.06, true);
    sandbox.paint([0.1, 0.5], [0.2, 0.5], 0.06, true);
    run(&mut sandbox, 0.3);
    let state = sandbox.simulation().state();
    let left = particles(&sandbox) as f64 / before as f64;
    assert!(left < 0.97 && (sandbox.simulation().volume() / volume - left).abs() < 0.02, "{left}");
    assert!(state.particles.position.iter().all(|point| point[0] < 0.4), "the wall holds");
    sandbox.paint([0.4, 0.0], [0.4, 1.0], 0.1, false);
    run(&mut sandbox, 0.8);
    assert!(sandbox.simulation().state().particles.position.iter().any(|point| point[0] > 0.6), "the wall is gone");
}

#[test]
fn gravity_can_point_anywhere() {
    let mut sandbox = Sandbox::new(24, Preset::Dam).unwrap();
    sandbox.set_gravity([0.0, 9.81]);
    run(&mut sandbox, 0.8);
    assert!(mean_height(&sandbox) > 0.6);
}

#[test]
fn the_arrays_of_a_picture_have_the_sizes_of_their_names() {
    for preset in Preset::ALL {
        let mut sandbox = Sandbox::new(16, preset).unwrap();
        let _ = sandbox.advance(0.01).unwrap();
        let picture = Picture::of(sandbox.simulation(), 4.0, 5000.0);
        let sizes = Picture::NAMES.iter().zip(&picture.arrays).map(|(name, array)| (*name, array.len()));
        for (name, size) in sizes {
            let expected = match name {
                "position" => 4 * particles(&sandbox),
                "particle_speed" | "particle_pressure" => particles(&sandbox),
                "solid" => 17 * 17,
                "separated" => size - size % 4,
                _ => 256,
            };
            assert_eq!(size, expected, "{name} of {preset:?}");
        }
    }
}
