//! `[flow]`: the viscosity of the liquid, the sides of its box, and the solves.

use unstick_flow::{Boundary, Course, FlowSetup, Inflow, Profile, Unconverged, Viscosity};

use crate::file::error::SceneError;
use crate::file::node::{Fields, Node, Value};
use crate::file::pressure::part;
use crate::schema::viscous as schema;

/// Lower and upper side of each axis.
const SIDES: [[&str; 2]; 3] = [["left", "right"], ["bottom", "top"], ["back", "front"]];

const PROFILES: [(&str, Profile); 2] = [("uniform", Profile::Uniform), ("parabolic", Profile::Parabolic)];

/// Reads the table into the setup. Returns whether films resist.
pub(super) fn read<const D: usize>(node: &Node, setup: &mut FlowSetup<D>) -> Result<bool, SceneError> {
    let fields = node.fields(&schema::FLOW)?;
    setup.viscosity = match (fields.get("viscosity"), fields.get("dynamic_viscosity")) {
        (Some(value), None) => viscosity(value, setup.density)?,
        (None, Some(value)) => Viscosity::Newtonian(value.positive()? / setup.density),
        (Some(_), Some(both)) => return Err(both.wrong("beside `flow.viscosity`", "expected one of them")),
        (None, None) => return Err(fields.need("viscosity").expect_err("it is not there")),
    };
    fields.read("force", &mut setup.force, Node::vector)?;
    let sides = fields.inner("sides", &schema::SIDES)?;
    for of_space in &SIDES[D..] {
        sides.exclude(of_space, "is a side of a box in space, this scene is of the plane", "not for the plane")?;
    }
    for (axis, pair) in SIDES[..D].iter().enumerate() {
        for (end, name) in pair.iter().enumerate() {
            sides.read(name, &mut setup.sides[axis][end], |node| side(node, axis))?;
        }
    }
    let solve = fields.inner("solve", &schema::SOLVE)?;
    solve.read("viscous_tolerance", &mut setup.solve.viscous_tolerance, part)?;
    solve.read("pressure_tolerance", &mut setup.solve.pressure_tolerance, part)?;
    solve.read("max_iterations", &mut setup.solve.max_iterations, |node| node.count(1, 1_000_000))?;
    fields.read("on_unconverged", &mut setup.solve.on_unconverged, |node| node.choice(Unconverged::ALL))?;
    let mut films = true;
    fields.read("lubrication", &mut films, Node::truth)?;
    setup.check().map_err(|error| {
        let place = fields.get("sides").unwrap_or(node);
        SceneError::at(&place.place, error.to_string(), "refused")
    })?;
    Ok(films)
}

/// A number, or a law, of a liquid of some density.
pub(in crate::file) fn viscosity(node: &Node, density: f64) -> Result<Viscosity, SceneError> {
    if !matches!(node.value, Value::Table(_)) {
        return node
            .positive()
            .map(Viscosity::Newtonian)
            .map_err(|_| node.refuse("a positive number, { power_law = … }, { carreau = … } or { yield = … }"));
    }
    let law = node.fields(&schema::LAW)?;
    let positive = |fields: &Fields<'_>, key: &str| fields.need(key)?.positive();
    match (law.get("power_law"), law.get("carreau"), law.get("yield")) {
        (Some(law), None, None) => {
            let fields = law.fields(&schema::POWER_LAW)?;
            let bounds = fields.need("bounds")?;
            let numbers: Vec<f64> =
                bounds.list("two viscosities")?.iter().map(Node::positive).collect::<Result<_, _>>()?;
            let [least, most] = numbers[..] else { return Err(bounds.refuse("the least viscosity and the largest")) };
            if least > most {
                return Err(bounds.refuse("the least viscosity before the largest"));
            }
            let (consistency, exponent) = (positive(&fields, "consistency")?, positive(&fields, "exponent")?);
            Ok(Viscosity::PowerLaw { consistency, exponent, bounds: [least, most] })
        }
        (None, Some(law), None) => {
            let fields = law.fields(&schema::CARREAU)?;
            Ok(Viscosity::Carreau {
                at_rest: positive(&fields, "at_rest")?,
                sheared: fields.need("sheared")?.within(0.0, f64::MAX)?,
                relaxation: positive(&fields, "relaxation")?,
                exponent: positive(&fields, "exponent")?,
            })
        }
        (None, None, Some(law)) => {
            let fields = law.fields(&schema::YIELD)?;
            let mut exponent = 1.0;
            fields.read("exponent", &mut exponent, Node::positive)?;
            Ok(Viscosity::Yield {
                stress: fields.need("stress")?.within(0.0, f64::MAX)? / density,
                consistency: fields.need("consistency")?.within(0.0, f64::MAX)?,
                exponent,
                at_rest: positive(&fields, "at_rest")?,
            })
        }
        _ => Err(node.refuse("one law: { power_law = … }, { carreau = … } or { yield = … }")),
    }
}

/// A name, or a table for a lid or an inflow.
fn side<const D: usize>(node: &Node, axis: usize) -> Result<Boundary<D>, SceneError> {
    if !matches!(node.value, Value::Table(_)) {
        let names = ["no-slip", "free-slip", "outflow", "periodic"];
        return Ok(match node.choice(&names.map(|name| (name, name)))? {
            "no-slip" => Boundary::wall(),
            "free-slip" => Boundary::FreeSlip,
            "outflow" => Boundary::Outflow,
            _ => Boundary::Periodic,
        });
    }
    let fields = node.fields(&schema::MOVING)?;
    match (fields.get("lid"), fields.get("inflow")) {
        (Some(lid), None) => {
            let velocity: [f64; D] = lid.vector()?;
            if velocity[axis] != 0.0 {
                return Err(lid.refuse("a velocity along the side, zero across it"));
            }
            Ok(Boundary::NoSlip { velocity })
        }
        (None, Some(node)) => inflow(node).map(Boundary::Inflow),
        _ => Err(node.refuse("one of { lid = … } and { inflow = … }")),
    }
}

fn inflow(node: &Node) -> Result<Inflow, SceneError> {
    let fields = node.fields(&schema::INFLOW)?;
    let mut inflow = Inflow::uniform(fields.need("speed")?.number()?);
    fields.read("profile", &mut inflow.profile, |node| node.choice(&PROFILES))?;
    inflow.course = match (fields.get("ramp"), fields.get("half_sine")) {
        (None, None) => Course::Steady,
        (Some(ramp), None) => Course::Ramp { duration: ramp.positive()? },
        (None, Some(sine)) => Course::HalfSine { duration: sine.positive()? },
        (Some(_), Some(both)) => return Err(both.wrong("beside a ramp", "expected one of them")),
    };
    Ok(inflow)
}
