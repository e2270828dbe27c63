//! Walls, moving solids and bodies as USD wants them.

use unstick_bodies::{RigidBody, Shape};
use unstick_files::Surface;
use unstick_files::usd::{MovingObject, ObjectShape, World, prim_names};
use unstick_grid::{Grid, Motion, Pose, SignedDistance, sample_nodes};
use unstick_liquid::Solid;

use crate::frame::Frame;
use crate::run::RunScene;

/// What does not change of a scene.
pub(super) fn world(scene: &RunScene<3>) -> World {
    let shapes = moving(scene).map(|solid| ObjectShape::Mesh(mesh(&solid.shape, &scene.grid)));
    let shapes = shapes.chain(scene.bodies.iter().map(shape_of_body));
    let objects = names(scene).into_iter().zip(shapes).map(|(name, shape)| MovingObject { name, shape }).collect();
    World { walls: walls(scene), objects }
}

/// What moves: solids first, then bodies.
pub(super) struct Movers {
    /// Names of the prims.
    names: Vec<String>,
    /// How the solids move.
    motions: Vec<Motion<3>>,
}

impl Movers {
    pub fn of(scene: &RunScene<3>) -> Self {
        Self { names: names(scene), motions: moving(scene).map(|solid| solid.motion.clone()).collect() }
    }

    /// Where everything is that moves, by the name of its prim.
    pub fn poses(&self, frame: &Frame<3>) -> Vec<(String, Pose<3>)> {
        let solids = self.motions.iter().map(|motion| motion.pose(frame.time));
        let poses = solids.chain(frame.bodies.iter().map(|body| *body.pose()));
        self.names.iter().cloned().zip(poses).collect()
    }
}

/// Names of the prims of what moves: solids first, then bodies.
fn names(scene: &RunScene<3>) -> Vec<String> {
    let solids: Vec<String> = (1..=moving(scene).count()).map(|number| format!("solid {number}")).collect();
    prim_names(solids.iter().map(String::as_str).chain(scene.bodies.iter().map(RigidBody::name)))
}

fn moving(scene: &RunScene<3>) -> impl Iterator<Item = &Solid<3>> {
    scene.solids.iter().filter(|solid| !matches!(solid.motion, Motion::Still))
}

/// The boundary of the space that solids at rest and the border leave open; none if nothing is left.
fn walls(scene: &RunScene<3>) -> Option<Surface> {
    let grid = scene.grid;
    let border = SignedDistance::cuboid(grid.origin(), grid.node(grid.cells()));
    let still: Vec<&Solid<3>> = scene.solids.iter().filter(|solid| matches!(solid.motion, Motion::Still)).collect();
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
    // A solid that is much larger than the lattice is meshed within it only.
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
