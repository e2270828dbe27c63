//! `[pressure]`: the solver by name, where it runs, and the thresholds of splittings.

use unstick_gpu::Backend;
use unstick_liquid::{Marked, Marking, PressureParams, SplittingParams, Stopping, Unconverged};
use unstick_mlcp::PressureMethod;

use super::body::by_name;
use super::error::SceneError;
use super::node::Node;
use crate::backing::Backing;
use crate::schema;

const STOPPING: [(&str, Stopping); 2] = [("velocity", Stopping::Velocity), ("divergence", Stopping::Divergence)];

const MARKING: [(&str, Marking); 3] =
    [("velocity", Marking::Velocity), ("pressure", Marking::Pressure), ("before", Marking::Before)];

const MARKED: [(&str, Marked); 2] = [("faces", Marked::Faces), ("cells", Marked::Cells)];

/// How the pressure is solved for, and where.
pub(super) fn pressure(node: &Node) -> Result<(PressureParams, Backing), SceneError> {
    let fields = node.fields(&schema::PRESSURE)?;
    let (mut params, mut backing) = (PressureParams::default(), Backing::default());
    fields.read("backend", &mut backing.backend, |node| node.choice(&Backend::ALL))?;
    backing.place = fields.get("backend").map(|node| node.place.clone());
    fields.read("solver", &mut params.solver, by_name)?;
    fields.read("tolerance", &mut params.tolerance, part)?;
    fields.read("on_unconverged", &mut params.on_unconverged, |node| node.choice(Unconverged::ALL))?;
    if let Some(node) = fields.get("splitting") {
        params.splitting = splitting(node)?;
        if !matches!(params.solver, PressureMethod::Splitting(_)) {
            let help = Some("set `pressure.solver` to \"admm\", \"iop\", \"reclassify\" or \"iop-bc\"".into());
            let what = format!("is for splittings, `{}` is none", params.solver);
            return Err(node.wrong(&what, "without effect here").with_help(help));
        }
    }
    Ok((params, backing))
}

fn splitting(node: &Node) -> Result<SplittingParams, SceneError> {
    let fields = node.fields(&schema::SPLITTING)?;
    let mut params = SplittingParams::default();
    fields.read("inner", &mut params.inner, Node::positive)?;
    fields.read("outer", &mut params.outer, Node::positive)?;
    fields.read("absolute", &mut params.absolute, Node::positive)?;
    fields.read("relative", &mut params.relative, part)?;
    fields.read("stop", &mut params.stopping, |node| node.choice(&STOPPING).map(Some))?;
    fields.read("mark", &mut params.marking, |node| node.choice(&MARKING))?;
    fields.read("marked", &mut params.marked, |node| node.choice(&MARKED))?;
    fields.read("take_back", &mut params.takes_back, Node::truth)?;
    fields.read("max_iterations", &mut params.max_iterations, |node| node.count(1, 1_000_000))?;
    Ok(params)
}

/// A number between 0 and 1.
pub(super) fn part(node: &Node) -> Result<f64, SceneError> {
    node.positive().ok().filter(|&part| part < 1.0).ok_or_else(|| node.refuse("a number between 0 and 1"))
}
