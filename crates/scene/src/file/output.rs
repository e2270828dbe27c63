//! `[output]`: what is written, in which formats, of which frames.

use unstick_files::vdb::{Grids, Precision};

use super::error::SceneError;
use super::node::{Fields, Node, Value};
use crate::output::{FileRequest, Output, ParticleFormat, Schedule, SurfaceFormat, VdbOptions, VolumeFormat};
use crate::schema;

/// Reads `[output]` of a liquid with a surface.
pub(super) fn output<const D: usize>(node: &Node) -> Result<Output, SceneError> {
    let fields = node.fields(&schema::OUTPUT)?;
    let mut output = common::<D>(&fields)?;
    fields.read("pressure", &mut output.pressure, Node::truth)?;
    output.view = fields.get("view").map(Node::truth).transpose()?;
    Ok(output)
}

/// Reads what every physics has: pictures, movie, data files, states and checkpoints.
pub(super) fn common<const D: usize>(fields: &Fields<'_>) -> Result<Output, SceneError> {
    let mut output = Output::default();
    fields.read("width", &mut output.width, |node| node.count(64, 8192))?;
    fields.read("frames", &mut output.frames, Node::truth)?;
    fields.read("movie", &mut output.movie, Node::truth)?;
    fields.read("fps", &mut output.fps, |node| node.within(0.1, 1000.0))?;
    let schedule = schedule(fields, Schedule::default())?;
    let mut thin = 1;
    fields.read("thin", &mut thin, |node| node.count(1, usize::MAX))?;
    let usual = Usual { schedule, thin };
    fields.read("particles", &mut output.particles, |node| usual.requests(node, ParticleFormat::ALL, true))?;
    fields.read("surface", &mut output.surface, |node| usual.requests(node, SurfaceFormat::ALL, false))?;
    fields.read("volume", &mut output.volume, |node| usual.requests(node, VolumeFormat::ALL, false))?;
    if D == 2 {
        let is_vdb = |request: &FileRequest<VolumeFormat>| request.format == VolumeFormat::Vdb;
        let surface = fields.get("surface").filter(|_| !output.surface.is_empty());
        let vdb = fields.get("volume").filter(|_| output.volume.iter().any(is_vdb));
        let refused = surface.map(|node| (node, "a surface mesh")).or(vdb.map(|node| (node, "OpenVDB")));
        if let Some((node, what)) = refused {
            let message = format!("`{}`: {what} needs three dimensions, this scene has two", node.path);
            let help = "in the plane, `volume = \"vti\"` and `particles` hold the same".to_owned();
            return Err(SceneError::at(&node.place, message, "not for the plane").with_help(Some(help)));
        }
    }
    fields.read("vdb", &mut output.vdb, vdb)?;
    fields.read("states", &mut output.states, |node| states(node, schedule))?;
    fields.read("checkpoint_every", &mut output.checkpoint_every, |node| node.count(0, usize::MAX))?;
    Ok(output)
}

/// What holds for every format that does not say otherwise.
struct Usual {
    schedule: Schedule,
    thin: usize,
}

impl Usual {
    /// One format or a list of them, each a name or a table with a schedule of its own.
    fn requests<F: Copy>(
        &self,
        node: &Node,
        known: &[(&str, F)],
        thins: bool,
    ) -> Result<Vec<FileRequest<F>>, SceneError> {
        match &node.value {
            Value::List(items) => items.iter().map(|item| self.request(item, known, thins)).collect(),
            _ => Ok(vec![self.request(node, known, thins)?]),
        }
    }

    fn request<F: Copy>(&self, node: &Node, known: &[(&str, F)], thins: bool) -> Result<FileRequest<F>, SceneError> {
        let mut thin = if thins { self.thin } else { 1 };
        if !matches!(node.value, Value::Table(_)) {
            return Ok(FileRequest { format: node.choice(known)?, schedule: self.schedule, thin });
        }
        let fields = node.fields(if thins { &schema::THINNED } else { &schema::REQUEST })?;
        fields.read("thin", &mut thin, |node| node.count(1, usize::MAX))?;
        let format = fields.need("format")?.choice(known)?;
        Ok(FileRequest { format, schedule: schedule(&fields, self.schedule)?, thin })
    }
}

fn schedule(fields: &Fields<'_>, usual: Schedule) -> Result<Schedule, SceneError> {
    let mut schedule = usual;
    fields.read("every", &mut schedule.every, |node| node.count(1, usize::MAX))?;
    fields.read("from", &mut schedule.from, |node| node.count(0, usize::MAX))?;
    fields.read("until", &mut schedule.until, |node| node.count(0, usize::MAX))?;
    if let Some(until) = fields.get("until").filter(|_| schedule.until < schedule.from) {
        return Err(until.refuse(&format!("a frame not before {}, the first that is written", schedule.from)));
    }
    Ok(schedule)
}

fn vdb(node: &Node) -> Result<VdbOptions, SceneError> {
    let fields = node.fields(&schema::VDB)?;
    let mut options = VdbOptions::default();
    fields.read("grids", &mut options.grids, |node| match &node.value {
        Value::List(items) if items.is_empty() => Err(node.refuse("at least one grid")),
        Value::List(items) => items.iter().map(|item| item.choice(Grids::ALL)).collect(),
        _ => Ok(vec![node.choice(Grids::ALL)?]),
    })?;
    if let Some(place) = options.grids.iter().enumerate().find(|(index, grid)| options.grids[..*index].contains(grid)) {
        let message = format!("`{}` names a grid twice, number {}", node.path, place.0 + 1);
        return Err(SceneError::at(&node.place, message, "expected each once"));
    }
    let mut half = false;
    fields.read("half", &mut half, Node::truth)?;
    options.precision = if half { Precision::Half } else { Precision::Single };
    Ok(options)
}

/// `true`, or a schedule.
fn states(node: &Node, usual: Schedule) -> Result<Option<Schedule>, SceneError> {
    match &node.value {
        Value::Bool(wanted) => Ok(wanted.then_some(usual)),
        Value::Table(_) => schedule(&node.fields(&schema::SCHEDULE)?, usual).map(Some),
        _ => Err(node.refuse("true, false or { every, from, until }")),
    }
}
