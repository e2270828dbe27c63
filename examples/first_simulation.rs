//! A breaking dam in a closed square, in five statements.
//!
//! ```sh
//! cargo run --release -p unstick --example first_simulation
//! ```

use unstick::grid::{Grid, SignedDistance};
use unstick::liquid::{Setup, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let grid = Grid::<2>::unit(64)?;
    let dam = SignedDistance::cuboid([0.0, 0.0], [0.3, 0.75]);
    let mut simulation = Simulation::new(Setup::new(grid), &dam)?;
    let report = simulation.advance_to(0.5)?;
    let fastest = simulation.state().particles.velocity.iter().map(|[x, y]| x.hypot(*y)).fold(0.0, f64::max);

    println!("{} steps to t = 0.5 s, the fastest particle moves at {fastest:.2} m/s", report.steps.len());
    Ok(())
}
