//! Walls, scripted solids and bodies as USD wants them.

use unstick_bodies::{FloatingBodies, RigidBody, Shape};
use unstick_files::Surface;
use unstick_files::usd::{MovingObject, ObjectShape, World, prim_names};
use unstick_grid::{Grid, Motion, Pose, SignedDistance, sample_nodes};
use unstick_liquid::{Setup, Simulation, Solid};

/// What does not change of a simulation.
pub(super) fn world(simulation: &Simulation<3>) -> World {
    let setup = simulation.setup();
    let names = names(simulation);
    let shapes = moving(setup).map(|solid| ObjectShape::Mesh(mesh(&solid.shape, &setup.grid)));
    let shapes = shapes.chain(bodies(simulation).iter().map(shape_of_body));
    let objects = names.into_iter().zip(shapes).map(|(name, shape)| MovingObject { name, shape }).collect();
    World { walls: walls(setup), objects }
}

/// Where everything is that moves, by the name of its prim.
pub(super) fn poses(simulation: &Simulation<3>) -> Vec<(String, Pose<3>)> {
    let time = simulation.state().time;
    let scripted = moving(simulation.setup()).map(|solid| solid.motion.pose(time));
    let poses = scripted.chain(bodies(simulation).iter().map(|body| *body.pose()));
    names(simulation).into_iter().zip(poses).collect()
}

/// Names of the prims of what moves: scripted solids first, then bodies.
pub(super) fn names(simulation: &Simulation<3>) -> Vec<String> {
    let solids: Vec<String> =
        (1..=moving(simulation.setup()).count()).map(|number| format!("solid {number}")).collect();
    prim_names(solids.iter().map(String::as_str).chain(bodies(simulation).iter().map(RigidBody::name)))
}

fn moving(setup: &Setup<3>) -> impl Iterator<Item = &Solid<3>> {
    setup.solids.iter().filter(|solid| !matches!(solid.motion, Motion::Still))
}

fn bodies(simulation: &Simulation<3>) -> &[RigidBody<3>] {
    FloatingBodies::of(simulation).map_or(&[], |afloat| afloat.world().bodies())
}

/// The boundary of the space that solids at rest and the border leave open; none if nothing is left.
fn walls(setup: &Setup<3>) -> Option<Surface> {
    let grid = setup.grid;
    let border = SignedDistance::cuboid(grid.origin(), grid.node(grid.cells()));
    let still: Vec<&Solid<3>> = setup.solids.iter().filter(|solid| matches!(solid.motion, Motion::Still)).collect();
    let filled = |point: [f64; 3]| still.iter().map(|solid| -solid.shape.at(point)).fold(border.at(point), f64::max);
    let surface = Surface::of_nodes(&grid, &sample_nodes(&grid, filled), 0.0);
    (!surface.triangles.is_empty()).then_some(surface)
}

/// A shape as a mesh, with the spacing of the lattice; what is unbounded ends a cell beyond the lattice.
fn mesh(shape: &SignedDistance<3>, grid: &Grid<3>) -> Surface {
    let spacing = grid.spacing();
    let (lower, upper) = shape.bounds().unwrap_or((grid.origin(), grid.node(grid.cells())));
    let origin = lower.map(|value| value - spacing);
    let cells = std::array::from_fn(|axis| ((upper[axis] - lower[axis]) / spacing).ceil().max(1.0) as usize + 2);
    // A scripted solid as large as a city is not meshed with cells of a centimetre.
    match Grid::new(cells, spacing, origin) {
        Ok(around) if around.len() <= 8 * grid.len() => {
            Surface::of_nodes(&around, &sample_nodes(&around, |point| shape.at(point)), 0.0)
        }
        _ => Surface::of_nodes(grid, &sample_nodes(grid, |point| shape.at(point)), 0.0),
    }
}

fn shape_of_body(body: &RigidBody<3>) -> ObjectShape {
    match body.shape() {
        Shape::Sphere { radius } => ObjectShape::Sphere { radius: *radius },
        Shape::Cuboid { half } => ObjectShape::Cuboid { half: *half },
        Shape::Capsule { half_length, radius } => ObjectShape::Capsule { half_length: *half_length, radius: *radius },
        Shape::Mesh(mesh) => ObjectShape::Mesh(Surface::of_mesh(mesh.surface())),
        other => {
            let reach = other.reach();
            ObjectShape::Cuboid { half: [reach; 3] }
        }
    }
}
