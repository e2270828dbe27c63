//! What many bodies cost.

use unstick::bodies::{ContactModel, FloatingBodies, RigidBody, Shape, Weight};
use unstick::grid::{Grid, Pose, Random};
use unstick::liquid::{Bodies, Geometry, Setup};
use unstick_parallel::bandwidth::median_time;

use crate::study::Numbers;

pub fn count(row: &str) -> Numbers {
    let count: usize = row.parse().map_err(|_| "expected a number")?;
    let side = (count as f64).cbrt().ceil() as usize;
    // Five cells of room for each ball of four cells across.
    let (spacing, room) = (0.01, 5);
    let grid = Grid::new([room * side; 3], spacing, [0.0; 3]).map_err(|error| error.to_string())?;
    let setup = Setup::new(grid);
    let mut random = Random::congruential(7);
    let mut bodies = Vec::new();
    for k in 0..count {
        let cell = [k % side, k / side % side, k / side / side];
        let centre = cell.map(|place| ((place as f64 + 0.5) * room as f64 + random.between(-0.45, 0.45)) * spacing);
        let velocity = [(); 3].map(|()| random.between(-2.0, 2.0));
        let ball = Shape::Sphere { radius: 2.0 * spacing };
        let body = RigidBody::new(format!("{k}"), ball, Weight::Density(1000.0), Pose::from_translation(centre))
            .and_then(|body| body.with_motion(velocity, [0.0; 3]));
        bodies.push(body.map_err(|error| error.to_string())?);
    }
    let afloat = FloatingBodies::new(bodies, &setup, ContactModel::default()).map_err(|error| error.to_string())?;
    let per_body = |seconds: f64| 1e6 * seconds / count as f64;
    let mut contacts = 0;
    let find = per_body(median_time(5, || contacts = afloat.world().contacts(0.01).0.len()));
    // One more than is timed, to warm up.
    let mut worlds = vec![afloat.world().clone(); 6];
    let mut iterations = 0;
    let collide = per_body(median_time(5, || {
        let report = worlds.pop().map(|mut world| world.collide(0.01));
        iterations = report.and_then(Result::ok).map_or(iterations, |report| report.impulse_solve.iterations);
    }));
    let solve = (collide - find) / iterations.max(1) as f64;
    let walls = Geometry::at(&setup, 0.0);
    let mut marked = walls.clone();
    let mark = per_body(median_time(5, || {
        marked.clone_from(&walls);
        marked.immerse(&setup.grid, afloat.immersed());
    }));
    Ok(vec![
        ("contacts", contacts as f64),
        ("find, µs", find),
        ("collide, µs", collide),
        ("iterations", iterations as f64),
        ("solve per iteration, µs", solve),
        ("mark, µs", mark),
    ])
}
