//! Scenes with a `[flow]`: reads the tree of a file into the values of a viscous flow.

mod bodies;
mod grid;
mod liquid;

use std::path::Path;

use unstick_flow::{FlowSetup, TensorGrid};

use super::body::contact;
use super::error::SceneError;
use super::node::{Fields, Node, Value};
use crate::dimension::{Dim, Dimension};
use crate::draw::viscous::{Show, View};
use crate::output::Output;
use crate::schema::viscous as schema;
use crate::viscous::{AnyViscousScene, PathLines, ViscousOutput, ViscousScene};
use bodies::SceneBodies;

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
        2 => Ok(AnyViscousScene::Plane(Reader { name, folder, fields }.scene(grid::grid(grid)?, grid)?)),
        _ => Ok(AnyViscousScene::Space(Reader { name, folder, fields }.scene(grid::grid(grid)?, grid)?)),
    }
}

struct Reader<'a> {
    name: &'a str,
    folder: &'a Path,
    fields: Fields<'a>,
}

impl Reader<'_> {
    fn scene<const D: usize>(&self, grid: TensorGrid<D>, place: &Node) -> Result<ViscousScene<D>, SceneError>
    where
        Dim<D>: Dimension<D>,
    {
        let fields = &self.fields;
        let mut setup = FlowSetup::new(grid, 1.0);
        setup.density = 1000.0;
        fields.read("density", &mut setup.density, Node::positive)?;
        let flow = fields.need("flow")?;
        let films = liquid::read(flow, &mut setup)?;
        let mut gravity = std::array::from_fn(|axis| if axis == 1 { -9.81 } else { 0.0 });
        fields.read("gravity", &mut gravity, Node::vector)?;
        let mut seed = 0;
        fields.read("seed", &mut seed, |node| Ok(node.count(0, usize::MAX)? as u64))?;
        let text =
            |key: &str, usual: &str| fields.get(key).map_or(Ok(usual.to_owned()), |node| Ok(node.text()?.into()));
        let SceneBodies { bodies, steering } = bodies::bodies(fields.get("body"), &setup.grid, seed, self.folder)?;
        let (mut frame, mut frames, mut max_step, mut cfl) = (0.01, 100, f64::INFINITY, 0.5);
        if let Some(time) = fields.get("time") {
            let time = time.fields(&schema::TIME)?;
            time.read("frame", &mut frame, Node::positive)?;
            time.read("frames", &mut frames, |node| node.count(1, 1_000_000))?;
            time.read("max_step", &mut max_step, Node::positive)?;
            time.read("cfl", &mut cfl, |node| {
                node.positive().ok().filter(|&cfl| cfl <= 2.0).ok_or_else(|| node.refuse("a positive number up to 2"))
            })?;
        }
        let scene = ViscousScene {
            name: self.name.to_owned(),
            title: text("title", self.name)?,
            description: text("description", "")?,
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
            grid_place: place.place.clone(),
            flow_place: flow.place.clone(),
            body_place: fields.get("body").map(|node| node.place.clone()),
        };
        scene.check()?;
        Ok(scene)
    }
}

fn output<const D: usize>(node: &Node) -> Result<ViscousOutput, SceneError> {
    let fields = node.fields(&schema::OUTPUT)?;
    if let (2, Some(of_space)) = (D, ["view", "slice"].iter().find_map(|key| fields.get(key))) {
        let message = format!("`{}` needs three dimensions, this scene has two", of_space.path);
        return Err(SceneError::at(&of_space.place, message, "not for the plane"));
    }
    let mut common = Output::default();
    fields.read("width", &mut common.width, |node| node.count(64, 8192))?;
    fields.read("frames", &mut common.frames, Node::truth)?;
    fields.read("movie", &mut common.movie, Node::truth)?;
    fields.read("fps", &mut common.fps, |node| node.within(0.1, 1000.0))?;
    fields.read("checkpoint_every", &mut common.checkpoint_every, |node| node.count(0, usize::MAX))?;
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
