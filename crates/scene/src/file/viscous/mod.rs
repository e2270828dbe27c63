//! Scenes with a `[flow]`: reads the tree of a file into the values of a viscous flow.

mod bodies;
mod grid;
mod liquid;

use std::path::Path;

use unstick_flow::FlowSetup;

use super::body::contact;
use super::error::SceneError;
use super::node::{Fields, Node, Value};
use super::output::common;
use super::read::read_time;
use crate::draw::viscous::{Show, View};
use crate::schema::viscous as schema;
use crate::viscous::{AnyViscousScene, PathLines, ViscousOutput, ViscousScene};
use bodies::SceneBodies;

pub(super) use liquid::viscosity;

/// The `[flow]` of a scene, if it has one.
pub(super) fn flow_of(root: &Node) -> Option<&Node> {
    let Value::Table(entries) = &root.value else { return None };
    entries.iter().find(|entry| entry.name == "flow").map(|entry| &entry.node)
}

/// Reads a scene; its dimension is the number of axes of its grid.
pub(super) fn scene(name: &str, root: &Node, folder: &Path) -> Result<AnyViscousScene, SceneError> {
    let fields = root.fields(&schema::ROOT)?;
    let grid = fields.need("grid")?;
    match grid::dimension(grid)? {
        2 => Ok(AnyViscousScene::Plane(read(name, folder, &fields, grid)?)),
        _ => Ok(AnyViscousScene::Space(read(name, folder, &fields, grid)?)),
    }
}

fn read<const D: usize>(
    name: &str,
    folder: &Path,
    fields: &Fields<'_>,
    grid: &Node,
) -> Result<ViscousScene<D>, SceneError> {
    let mut setup = FlowSetup::new(grid::grid(grid)?, 1.0);
    setup.density = 1000.0;
    fields.read("density", &mut setup.density, Node::positive)?;
    let flow = fields.need("flow")?;
    let films = liquid::read(flow, &mut setup)?;
    let mut gravity = std::array::from_fn(|axis| if axis == 1 { -9.81 } else { 0.0 });
    fields.read("gravity", &mut gravity, Node::vector)?;
    let mut seed = 0;
    fields.read("seed", &mut seed, |node| Ok(node.count(0, usize::MAX)? as u64))?;
    let SceneBodies { bodies, steering } = bodies::bodies(fields, &setup.grid, seed, folder)?;
    let (mut max_step, mut cfl) = (f64::INFINITY, 0.5);
    let (frame, frames) = read_time(&fields.inner("time", &schema::TIME)?, &mut max_step, &mut cfl, 2.0)?;
    let scene = ViscousScene {
        name: name.to_owned(),
        title: fields.text("title", name)?,
        description: fields.text("description", "")?,
        setup,
        gravity,
        bodies,
        steering,
        contacts: fields.get("contact").map(contact).transpose()?.unwrap_or_default(),
        films,
        frame,
        frames,
        max_step: max_step.min(frame),
        cfl,
        output: fields.get("output").map(output::<D>).transpose()?.unwrap_or_default(),
        grid_place: grid.place.clone(),
        flow_place: flow.place.clone(),
        body_place: fields.get("body").map(|node| node.place.clone()),
    };
    scene.check()?;
    Ok(scene)
}

fn output<const D: usize>(node: &Node) -> Result<ViscousOutput, SceneError> {
    let fields = node.fields(&schema::OUTPUT)?;
    if D == 2 {
        fields.exclude(&["view", "slice"], "needs three dimensions, this scene has two", "not for the plane")?;
    }
    let mut common = common::<D>(&fields)?;
    common.view = fields.get("viewer").map(Node::truth).transpose()?;
    let mut output = ViscousOutput { common, ..ViscousOutput::default() };
    fields.read("show", &mut output.show, |node| node.choice(Show::ALL))?;
    fields.read("scale", &mut output.scale, |node| node.positive().map(Some))?;
    fields.read("bodies", &mut output.bodies, |node| node.choice(PathLines::ALL).map(Some))?;
    fields.read("view", &mut output.view, |node| node.choice(View::ALL))?;
    fields.read("slice", &mut output.slice, |node| node.number().map(Some))?;
    fields.read("window", &mut output.window, |node| window(node).map(Some))?;
    Ok(output)
}

fn window(node: &Node) -> Result<[[f64; 2]; 2], SceneError> {
    let fields = node.fields(&schema::WINDOW)?;
    let (lower, upper) = (fields.need("lower")?.vector::<2>()?, fields.need("upper")?.vector::<2>()?);
    let is_empty = (0..2).any(|axis| lower[axis] >= upper[axis]);
    if is_empty { Err(node.refuse("a lower corner below the upper one")) } else { Ok([lower, upper]) }
}
