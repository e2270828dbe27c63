//! Time of every stage of a step on half a sphere of liquid, for several grids:
//! `cargo bench -p unstick-liquid --bench stages [-- 64 96 128]`.
//!
//! The last columns show what matters: everything but the pressure solve, per million cells, which
//! must not grow with the grid, and memory per cell and particle.

use unstick_grid::{Grid, SignedDistance};
use unstick_liquid::{Setup, Simulation, Solid, Stage};

/// Steps that are timed, after one to warm up.
const STEPS: usize = 5;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![64, 96, 128] } else { sizes };
    print!("{:>6}{:>12}", "size", "particles");
    Stage::ALL.iter().for_each(|stage| print!("{:>13}", format!("{} ms", stage.name())));
    println!("{:>16}{:>16}{:>14}", "but pressure ms", "per M cells ms", "peak memory MB");
    for size in sizes {
        let grid = Grid::<3>::unit(size).expect("a positive size");
        let mut setup = Setup::new(grid);
        setup.solids.push(Solid::still(SignedDistance::sphere([0.5; 3], 0.4).complement()));
        let left_half = SignedDistance::half_space([0.5; 3], [1.0, 0.0, 0.0]);
        let mut simulation = Simulation::new(setup, &left_half).expect("there is liquid");
        simulation.advance(0.005).expect("a step");
        let mut seconds = [0.0; Stage::ALL.len()];
        for _ in 0..STEPS {
            let report = simulation.advance(0.005).expect("a step");
            seconds.iter_mut().zip(report.seconds).for_each(|(sum, part)| *sum += part.as_secs_f64() / STEPS as f64);
        }
        print!("{size:>6}{:>12}", simulation.state().particles.len());
        seconds.iter().for_each(|part| print!("{:>13.1}", 1e3 * part));
        let rest = seconds.iter().sum::<f64>() - seconds[Stage::Pressure as usize];
        println!("{:>16.1}{:>16.1}{:>14}", 1e3 * rest, 1e9 * rest / grid.len() as f64, peak_memory());
    }
}

/// Largest memory of the process so far, in MB, where the system says.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.map_or("unknown".into(), |kilobytes| format!("{:.0}", kilobytes / 1e3))
}
