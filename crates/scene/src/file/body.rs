//! `[[body]]` and `[contact]`: rigid bodies that the liquid moves, and how they collide.

use std::path::Path;
use std::str::FromStr;

use unstick_bodies::{BodyError, ContactModel, RigidBody, Shape, Surface, Weight, meshes};
use unstick_grid::{MeshError, Pose, TriangleMesh};
use unstick_mlcp::ParseNameError;

use super::error::SceneError;
use super::motion::{turn, turn_vector};
use super::node::{Fields, Node};
use super::read::UsualWall;
use super::shape::read_mesh;
use crate::dimension::of_space;
use crate::scene::Contacts;
use crate::schema;

/// Reads a body; without a name it is called by its number. `usual` is what walls do.
pub(super) fn body<const D: usize>(
    node: &Node,
    number: usize,
    usual: &UsualWall<D>,
    folder: &Path,
) -> Result<RigidBody<D>, SceneError> {
    let fields = node.fields(&schema::BODY)?;
    let (wall, adhesion) = usual.read(&fields, "surface", usual.of_bodies(), |node| node.within(0.0, f64::MAX))?;
    let surface = Surface { wall, adhesion, ..Surface::default() };
    one_body(node, &fields, &format!("body {number}"), surface, None, folder)
}

/// Reads what all bodies have. Without a name it is called `usual`, without a centre it lies at `place`.
pub(super) fn one_body<const D: usize>(
    node: &Node,
    fields: &Fields<'_>,
    usual: &str,
    mut surface: Surface,
    place: Option<[f64; D]>,
    folder: &Path,
) -> Result<RigidBody<D>, SceneError> {
    let name = fields.text("name", usual)?;
    let weight = match (fields.get("density"), fields.get("mass")) {
        (Some(density), None) => Weight::Density(density.positive()?),
        (None, Some(mass)) => Weight::Mass(mass.positive()?),
        (Some(_), Some(mass)) => return Err(mass.wrong("beside a density", "expected one of them")),
        (None, None) => return Err(node.wrong("has neither `density` nor `mass`", "expected one of them")),
    };
    let mut rotation = Pose::identity();
    fields.read("turn", &mut rotation, |node| Ok(Pose::from_spin(&turn(node)?)))?;
    let (shape, offset) = shape(fields.need("shape")?, folder)?;
    let pose = match (fields.get("centre"), place) {
        (Some(centre), _) => rotation.then(&Pose::from_translation(centre.vector()?)),
        (None, Some(place)) => rotation.then(&Pose::from_translation(place)),
        // A mesh lies where its file says.
        _ if matches!(shape, Shape::Mesh(_)) => rotation.then(&Pose::from_translation(offset)),
        _ => return Err(fields.need("centre").expect_err("it is not there")),
    };
    let (mut velocity, mut spin, mut release) = ([0.0; D], [0.0; 3], 0.0);
    fields.read("velocity", &mut velocity, Node::vector)?;
    fields.read("spin", &mut spin, turn_vector::<D>)?;
    fields.read("held_until", &mut release, |node| node.within(0.0, 1e9))?;
    fields.read("restitution", &mut surface.restitution, |node| node.within(0.0, 1.0))?;
    fields.read("friction", &mut surface.friction, |node| node.within(0.0, 1e6))?;
    let refuse = |error: BodyError| SceneError::at(&node.place, error.to_string(), "refused");
    let body = RigidBody::new(name, shape, weight, pose).map_err(refuse)?;
    let body = body.with_motion(velocity, spin.map(f64::to_radians)).map_err(refuse)?;
    body.with_surface(surface).and_then(|body| body.held_until(release)).map_err(refuse)
}

/// A shape about its centre of mass, and where that lay in the file of a mesh.
fn shape<const D: usize>(node: &Node, folder: &Path) -> Result<(Shape<D>, [f64; D]), SceneError> {
    let (name, inner) = node.alternative("shape of a body", &schema::BODY_SHAPES)?;
    let plain = |shape| Ok((shape, [0.0; D]));
    match name {
        "sphere" => plain(Shape::Sphere { radius: inner.fields(&schema::FREE_SPHERE)?.need("radius")?.positive()? }),
        "cuboid" => {
            let size = inner.fields(&schema::FREE_CUBOID)?.need("size")?;
            let edges: [f64; D] = size.vector()?;
            if edges.iter().any(|&edge| edge <= 0.0) {
                return Err(size.refuse("positive lengths"));
            }
            plain(Shape::Cuboid { half: edges.map(|edge| 0.5 * edge) })
        }
        "capsule" => {
            let fields = inner.fields(&schema::FREE_CAPSULE)?;
            let (length, radius) = (fields.need("length")?.positive()?, fields.need("radius")?.positive()?);
            plain(Shape::Capsule { half_length: 0.5 * length, radius })
        }
        "duck" => {
            let length = inner.fields(&schema::FREE_DUCK)?.need("length")?.positive()?;
            of_mesh(inner, &meshes::duck(length)).map(|(shape, _)| (shape, [0.0; D]))
        }
        _ => {
            let fields = inner.fields(&schema::FREE_MESH)?;
            of_mesh(inner, &read_mesh(&fields, folder, |scale| Ok([scale.positive()?; 3]))?)
        }
    }
}

fn of_mesh<const D: usize>(node: &Node, mesh: &TriangleMesh) -> Result<(Shape<D>, [f64; D]), SceneError> {
    let message = "a mesh needs three dimensions, this scene has two";
    let made: Option<Result<_, MeshError>> = of_space(Shape::mesh(mesh));
    let made = made.ok_or_else(|| SceneError::at(&node.place, message, "not for the plane"))?;
    made.map_err(|error| SceneError::at(&node.place, error.to_string(), "cannot be used"))
}

/// Reads `[contact]`.
pub(super) fn contact(node: &Node) -> Result<Contacts, SceneError> {
    let fields = node.fields(&schema::CONTACT)?;
    let mut contacts = Contacts::default();
    fields.read("wall_restitution", &mut contacts.restitution, |node| node.within(0.0, 1.0).map(Some))?;
    fields.read("wall_friction", &mut contacts.friction, |node| node.within(0.0, 1e6).map(Some))?;
    let models = ["none", "pairwise", "sequential", "springs", "lcp"];
    let mut model = "lcp";
    fields.read("model", &mut model, |node| node.choice(&models.map(|name| (name, name))))?;
    contacts.model = match model {
        "none" => ContactModel::None,
        "pairwise" => ContactModel::Pairwise,
        "sequential" => ContactModel::sequential(),
        "springs" => ContactModel::Springs { stiffness: 1e4 },
        _ => ContactModel::default(),
    };
    let taken: &[&str] = match &mut contacts.model {
        ContactModel::Sequential { sweeps, tolerance } => {
            fields.read("sweeps", sweeps, |node| node.count(1, 1_000_000))?;
            fields.read("tolerance", tolerance, Node::positive)?;
            &["sweeps", "tolerance"]
        }
        ContactModel::Springs { stiffness } => {
            fields.read("stiffness", stiffness, Node::positive)?;
            &["stiffness"]
        }
        ContactModel::Lcp { solver, tolerance, cycles, .. } => {
            fields.read("solver", solver, by_name)?;
            fields.read("tolerance", tolerance, Node::positive)?;
            fields.read("cycles", cycles, |node| node.count(1, 1_000_000))?;
            &["solver", "tolerance", "cycles"]
        }
        _ => &[],
    };
    let mut others = vec!["solver", "tolerance", "cycles", "sweeps", "stiffness"];
    others.retain(|name| !taken.contains(name));
    fields.exclude(&others, &format!("is not for the model \"{model}\""), "without effect here")?;
    Ok(contacts)
}

/// A solver by its name.
pub(super) fn by_name<T: FromStr<Err = ParseNameError>>(node: &Node) -> Result<T, SceneError> {
    node.text()?.parse().map_err(|error: ParseNameError| {
        let help = error.nearest().map(|nearest| format!("did you mean `{nearest}`?"));
        SceneError::at(&node.place, error.to_string(), "expected a solver by name").with_help(help)
    })
}
