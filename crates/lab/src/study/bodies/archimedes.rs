//! How deep a box floats.

use unstick::bodies::{ContactModel, FloatingBodies, RigidBody, Shape, Weight};
use unstick::grid::{Grid, Pose, SignedDistance};
use unstick::liquid::{Setup, Simulation, Transport};

use crate::study::Numbers;

pub fn float(row: &str) -> Numbers {
    let (density, cells) = row.split_once(", ").ok_or("expected a density and a number of cells")?;
    let density: f64 = density.parse().map_err(|_| "expected a density")?;
    let cells: usize = cells.parse().map_err(|_| "expected a number of cells")?;
    let grid = Grid::<2>::unit(cells).map_err(|error| error.to_string())?;
    let setup = Setup { transport: Transport::Flip { pic: 0.1 }, ..Setup::new(grid) };
    let (half, level) = ([0.2, 0.1], 0.5);
    let expected = 2.0 * half[1] * density / setup.density;
    let place = Pose::from_translation([0.5, level - expected + half[1] + 0.002]);
    let body = RigidBody::new("box", Shape::Cuboid { half }, Weight::Density(density), place);
    let bodies = body.and_then(|body| FloatingBodies::new(vec![body], &setup, ContactModel::default()));
    let bodies = bodies.map_err(|error| error.to_string())?;
    let water = SignedDistance::cuboid([0.0; 2], [1.0, level]);
    let mut simulation = Simulation::with_bodies(setup, &[(water, [0.0; 2])], Some(Box::new(bodies)))
        .map_err(|error| error.to_string())?;
    let (mut draughts, mut iterations, mut steps) = (Vec::new(), 0, 0);
    while let Some(dt) = simulation.next_step(3.0) {
        let report = simulation.advance(dt).map_err(|error| error.to_string())?;
        iterations += report.inner_iterations;
        steps += 1;
        if report.time > 2.0 {
            let body = &FloatingBodies::of(&simulation).ok_or("no bodies")?.world().bodies()[0];
            draughts.push(level_at_walls(&simulation) - body.position()[1] + half[1] - body.velocity()[1] * 0.5 * dt);
        }
    }
    let mean = draughts.iter().sum::<f64>() / draughts.len() as f64;
    let most = draughts.iter().map(|draught| (draught - mean).abs()).fold(0.0, f64::max);
    Ok(vec![
        ("draught, m", mean),
        ("Archimedes, m", expected),
        ("error, %", 100.0 * (mean / expected - 1.0)),
        ("bobbing, %", 100.0 * most / expected),
        ("inner iterations per step", iterations as f64 / f64::from(steps)),
    ])
}

/// Mean height of the surface in the outer eighths of the tank.
fn level_at_walls(simulation: &Simulation<2>) -> f64 {
    let (grid, liquid) = (simulation.setup().grid, &simulation.state().liquid);
    let [columns, rows] = grid.cells();
    let beside = (0..columns / 8).chain(columns - columns / 8..columns);
    let heights: Vec<f64> = beside
        .filter_map(|column| {
            let top = (0..rows).rev().find(|&row| liquid.at([column, row]) < 0.0)?;
            let (inside, outside) = (liquid.at([column, top]), liquid.at([column, (top + 1).min(rows - 1)]));
            let part = if outside > inside { inside / (inside - outside) } else { 0.0 };
            Some(grid.centre([column, top])[1] + grid.spacing() * part.clamp(0.0, 1.0))
        })
        .collect();
    heights.iter().sum::<f64>() / heights.len().max(1) as f64
}
