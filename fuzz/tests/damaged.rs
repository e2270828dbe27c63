//! Every target on its seeds and on mutations of them. The mutations are always the same.

use unstick_fuzz::{TARGETS, Target};

/// Inputs per target.
const ROUNDS: usize = 3000;

fn check(target: &Target) {
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty(), "{} has no seeds", target.name);
    for round in 0..ROUNDS {
        let input = target.input(&seeds, round);
        // The number of the round leads to the input that a reader did not survive.
        let outcome = std::panic::catch_unwind(|| (target.run)(&input));
        assert!(outcome.is_ok(), "{}: round {round}: {}", target.name, String::from_utf8_lossy(&input));
    }
}

macro_rules! survives_damage {
    ($($name:ident),+) => { $(
        #[test]
        fn $name() {
            check(TARGETS.iter().find(|target| target.name == stringify!($name)).expect("a target of this name"));
        }
    )+

        #[test]
        fn every_target_is_tested_and_has_a_program_for_libfuzzer() {
            let mut tested = [$(stringify!($name)),+];
            tested.sort_unstable();
            assert_eq!(TARGETS.map(|target| target.name), tested);
            for name in tested {
                let program = format!("{}/fuzz_targets/{name}.rs", env!("CARGO_MANIFEST_DIR"));
                assert!(std::path::Path::new(&program).is_file(), "{program} is missing");
            }
        }
    };
}

survives_damage!(checkpoint, keyframes, mesh, name, problem_folder, request, run_folder, scene);
