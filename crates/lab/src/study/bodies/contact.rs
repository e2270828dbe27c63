//! Contact as a complementarity problem: stacks, bridges, redundant contacts, very many contacts.

use std::time::Instant;

use unstick::bodies::{ContactModel, Container, RigidBody, Shape, Weight, World};
use unstick::grid::Pose;
use unstick::mlcp::SolverName;

use crate::study::Numbers;

/// Step and gravity of all of them.
const STEP: f64 = 0.005;
const GRAVITY: [f64; 3] = [0.0, -9.81, 0.0];

pub fn resolve(row: &str) -> Numbers {
    let (kind, solver) = row.split_once(", ").ok_or("expected a kind and a solver")?;
    let named = match solver {
        "policy" | "newton" => format!("{solver}+cg/jacobi"),
        other => other.to_owned(),
    };
    let (bodies, container) = arrangement(kind)?;
    let model = |solver: &str, tolerance: f64| -> Result<ContactModel, String> {
        let solver: SolverName = solver.parse().map_err(|_| format!("there is no solver {solver}"))?;
        Ok(ContactModel::Lcp { solver, tolerance, cycles: 20_000, rounds: 1 })
    };
    let collide = |model: ContactModel| -> Result<_, String> {
        let mut world = World::new(bodies.clone(), container.clone(), model).map_err(|error| error.to_string())?;
        world.accelerate(GRAVITY, STEP);
        let clock = Instant::now();
        let report = world.collide(STEP).map_err(|error| error.to_string())?;
        Ok((world, report, clock.elapsed().as_secs_f64()))
    };
    let (world, report, seconds) = collide(model(&named, 1e-6)?)?;
    let mut numbers = vec![
        ("contacts", report.contacts as f64),
        ("iterations", report.impulse_solve.iterations as f64),
        ("seconds", seconds),
        ("residual left", report.impulse_solve.residual),
    ];
    if !kind.starts_with("balls") {
        let (exact, _, _) = collide(model("mprgp", 1e-9)?)?;
        let pairs = world.bodies().iter().zip(exact.bodies());
        let differences = pairs.flat_map(|(a, b)| (0..3).map(|axis| (a.velocity()[axis] - b.velocity()[axis]).abs()));
        numbers.push(("velocity difference, m/s", differences.fold(0.0, f64::max)));
    }
    if report.contacts < 20_000 && matches!(solver, "psor" | "mprgp") {
        // As in scenes: fewer cycles, and the residual that remains.
        let model = ContactModel::lcp(named.parse().map_err(|_| "no solver")?);
        let mut world = World::new(bodies.clone(), container.clone(), model).map_err(|error| error.to_string())?;
        let mut deepest = 0.0f64;
        for _ in 0..20 {
            world.accelerate(GRAVITY, STEP);
            deepest = deepest.max(world.step(STEP).map_err(|error| error.to_string())?.deepest);
        }
        numbers.push(("overlap in 20 steps, mm", 1e3 * deepest));
    }
    Ok(numbers)
}

fn arrangement(kind: &str) -> Result<(Vec<RigidBody<3>>, Container<3>), String> {
    let mut bodies = Vec::new();
    let mut put = |shape: Shape<3>, place: [f64; 3]| -> Result<(), String> {
        let name = format!("{}", bodies.len());
        let body = RigidBody::new(name, shape, Weight::Density(1000.0), Pose::from_translation(place));
        bodies.push(body.map_err(|error| error.to_string())?);
        Ok(())
    };
    let block = |half: [f64; 3]| Shape::Cuboid { half };
    match kind {
        "stack" => (0..40).try_for_each(|k| put(block([0.1; 3]), [1.0, 0.1 + 0.2 * f64::from(k), 1.0]))?,
        "bridge" => {
            put(block([0.1, 0.4, 0.2]), [0.3, 0.4, 1.0])?;
            put(block([0.1, 0.4, 0.2]), [1.7, 0.4, 1.0])?;
            put(block([0.85, 0.05, 0.2]), [1.0, 0.85, 1.0])?;
            (0..10).try_for_each(|k| put(block([0.06; 3]), [0.42 + 0.13 * f64::from(k), 0.96, 1.0]))?;
        }
        "slab" => {
            put(block([0.9, 0.1, 0.9]), [1.0, 0.3, 1.0])?;
            for k in 0..64 {
                let place = [0.2 + 0.22 * f64::from(k % 8), 0.1, 0.2 + 0.22 * f64::from(k / 8)];
                put(block([0.05, 0.1, 0.05]), place)?;
            }
        }
        balls => {
            let count: i32 = balls.strip_prefix("balls ").and_then(|count| count.parse().ok()).ok_or("unknown kind")?;
            let (radius, apart) = (0.05, 0.1 * 2f64.sqrt());
            // Face-centred cubic: every ball touches twelve.
            for cell in 0..count * count * count {
                let place = [cell % count, cell / count % count, cell / count / count].map(f64::from);
                for offset in [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]] {
                    let at = std::array::from_fn(|axis| radius + apart * (place[axis] + offset[axis]));
                    put(Shape::Sphere { radius }, at)?;
                }
            }
            let size = 2.0 * radius + apart * (f64::from(count) - 0.5);
            return Ok((bodies, Container::inside([0.0; 3], [size; 3])));
        }
    }
    Ok((bodies, Container::inside([0.0; 3], [2.0, 10.0, 2.0])))
}
