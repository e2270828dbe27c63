//! `[[body]]` in a viscous flow: free, held or steered, one or many copies.

use std::path::Path;

use unstick_bodies::{RigidBody, Steering, Surface};
use unstick_flow::TensorGrid;
use unstick_grid::Random;

use crate::file::body::one_body;
use crate::file::error::SceneError;
use crate::file::motion::motion;
use crate::file::node::{Fields, Node};
use crate::file::shape::check_corners;
use crate::schema::viscous as schema;

/// The bodies of a scene, with the steering of each one that has it.
#[derive(Default)]
pub(super) struct SceneBodies<const D: usize> {
    pub bodies: Vec<RigidBody<D>>,
    pub steering: Vec<Option<Steering<D>>>,
}

/// Reads all bodies.
pub(super) fn bodies<const D: usize>(
    scene: &Fields<'_>,
    grid: &TensorGrid<D>,
    seed: u64,
    folder: &Path,
) -> Result<SceneBodies<D>, SceneError> {
    let mut found = SceneBodies::default();
    for (index, node) in scene.tables("body")?.iter().enumerate() {
        let fields = node.fields(&schema::BODY)?;
        let usual = format!("body {}", index + 1);
        if let Some(copies) = fields.get("copies") {
            let made = crowd(node, &fields, copies, grid, seed.wrapping_add(index as u64), folder)?;
            found.steering.extend(made.iter().map(|_| None));
            found.bodies.extend(made);
            continue;
        }
        fields.exclude(&["within", "jitter"], "is for bodies with `copies`", "without effect here")?;
        let body = one_body(node, &fields, &usual, Surface::default(), None, folder)?;
        let how = steered(&fields, folder)?;
        let is_held = how.is_some() || fields.get("held").map_or(Ok(false), Node::truth)?;
        let refuse = |error: unstick_bodies::BodyError| SceneError::at(&node.place, error.to_string(), "refused");
        found.bodies.push(if is_held { body.held_until(f64::INFINITY).map_err(refuse)? } else { body });
        found.steering.push(how);
    }
    Ok(found)
}

/// The steering of a body, if it has one.
fn steered<const D: usize>(fields: &Fields<'_>, folder: &Path) -> Result<Option<Steering<D>>, SceneError> {
    let given: Vec<&Node> = ["held", "motion", "oscillation"].iter().filter_map(|key| fields.get(key)).collect();
    if let [first, second, ..] = given[..] {
        return Err(second.wrong(&format!("beside `{}`", first.path), "expected one of them"));
    }
    if let Some(node) = fields.get("motion") {
        return Ok(Some(Steering::Scripted(motion(node, folder)?)));
    }
    let Some(node) = fields.get("oscillation") else { return Ok(None) };
    let fields = node.fields(&schema::OSCILLATION)?;
    let (amplitude, period) = (fields.need("amplitude")?.vector()?, fields.need("period")?.positive()?);
    Ok(Some(Steering::Oscillation { amplitude, period }))
}

/// Copies of a body, each in its own cell of a lattice.
fn crowd<const D: usize>(
    node: &Node,
    fields: &Fields<'_>,
    copies: &Node,
    grid: &TensorGrid<D>,
    seed: u64,
    folder: &Path,
) -> Result<Vec<RigidBody<D>>, SceneError> {
    fields.exclude(&["centre", "held", "motion", "oscillation"], "beside `copies`", "for a single body")?;
    let count = copies.count(1, 10_000_000)?;
    let [mut lower, mut upper] = grid.bounds();
    if let Some(within) = fields.get("within") {
        let fields = within.fields(&schema::WITHIN)?;
        fields.read("lower", &mut lower, Node::vector)?;
        fields.read("upper", &mut upper, Node::vector)?;
        check_corners(within, lower, upper)?;
    }
    let mut jitter = 0.5;
    fields.read("jitter", &mut jitter, |node| node.within(0.0, 1.0))?;
    let first = one_body(node, fields, "grain", Surface::default(), Some(lower), folder)?;
    let room: [f64; D] = std::array::from_fn(|axis| upper[axis] - lower[axis]);
    let sites = sites(room, count);
    let size: [f64; D] = std::array::from_fn(|axis| room[axis] / sites[axis] as f64);
    let reach = first.shape().reach();
    let least = size.iter().copied().fold(f64::INFINITY, f64::min);
    if least < 2.0 * reach {
        let sites = sites.map(|count| count.to_string()).join(" × ");
        let message = format!(
            "{count} copies have {least:.4} m of room each, on a lattice of {sites}, and are {:.4} m wide",
            2.0 * reach
        );
        return Err(SceneError::at(&copies.place, message, "too many")
            .with_help(Some("a larger `within`, fewer copies or smaller bodies".into())));
    }
    let total = sites.iter().fold(1usize, |product, &sites| product.saturating_mul(sites));
    let mut random = Random::congruential(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678));
    let at = |number: usize, random: &mut Random| {
        // Empty sites are spread evenly.
        let mut site = (number as u128 * total as u128 / count as u128) as usize;
        std::array::from_fn(|axis| {
            let place = site % sites[axis];
            site /= sites[axis];
            let free = jitter * (0.5 * size[axis] - reach) * (1.0 - 1e-9);
            lower[axis] + (place as f64 + 0.5) * size[axis] + free * random.between(-1.0, 1.0)
        })
    };
    let name = first.name().to_owned();
    Ok((0..count).map(|number| first.copy(format!("{name} {}", number + 1), at(number, &mut random))).collect())
}

/// Sites along each axis of a lattice with nearly cubic cells and room for so many.
fn sites<const D: usize>(room: [f64; D], count: usize) -> [usize; D] {
    let volume = room.iter().product::<f64>();
    let mut side = match volume.is_normal() {
        true => (volume / count as f64).powf(1.0 / D as f64),
        // Too small or too large a volume to be a number; the side of its cells is one.
        false => ((room.iter().map(|length| length.ln()).sum::<f64>() - (count as f64).ln()) / D as f64).exp(),
    };
    loop {
        let sites = room.map(|length| ((length / side + 1e-9).floor() as usize).max(1));
        if sites.iter().fold(1usize, |product, &sites| product.saturating_mul(sites)) >= count {
            return sites;
        }
        side *= 0.999;
    }
}
