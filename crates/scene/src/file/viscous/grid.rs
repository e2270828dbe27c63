//! `[grid]` of a viscous flow: equal cells, or one table per axis.

use unstick_flow::{Axis, AxisError, TensorGrid};

use crate::file::error::SceneError;
use crate::file::node::{Fields, Node};
use crate::file::read::{EqualCells, check_count};
use crate::schema::viscous as schema;

fn fields(node: &Node) -> Result<Fields<'_>, SceneError> {
    node.fields(&schema::GRID)
}

/// The number of axes: 2 or 3.
pub(super) fn dimension(node: &Node) -> Result<usize, SceneError> {
    let fields = fields(node)?;
    let (list, expected) = match fields.get("axes") {
        Some(axes) => (axes, "2 or 3 tables, one per axis"),
        None => (fields.need("cells")?, "2 or 3 whole numbers"),
    };
    let count = list.list(expected)?.len();
    if count == 2 || count == 3 { Ok(count) } else { Err(list.refuse(expected)) }
}

/// The grid; `refine` divides the sizes of its cells.
pub(super) fn grid<const D: usize>(node: &Node) -> Result<TensorGrid<D>, SceneError> {
    let fields = fields(node)?;
    let mut refine = 1.0;
    fields.read("refine", &mut refine, |node| node.within(0.01, 100.0))?;
    let axes: Vec<Axis> = match fields.get("axes") {
        Some(axes) => {
            let others = ["cells", "size", "spacing", "origin"];
            fields.exclude(&others, &format!("beside `{}`", axes.path), "expected one of them")?;
            axes.list("tables")?.iter().map(|axis| stretched(axis, refine)).collect::<Result<_, _>>()?
        }
        None => equal::<D>(&fields, refine)?,
    };
    check_count(node, &axes.iter().map(Axis::cells).collect::<Vec<_>>())?;
    let axes: [Axis; D] = axes.try_into().map_err(|_| node.refuse("as many axes as dimensions"))?;
    Ok(TensorGrid::new(axes))
}

/// Cells of one size along all axes.
fn equal<const D: usize>(fields: &Fields<'_>, refine: f64) -> Result<Vec<Axis>, SceneError> {
    let (node, EqualCells { cells, spacing, origin }) = (fields.need("cells")?, EqualCells::<D>::read(fields, 2)?);
    let axis = |axis: usize| {
        let (from, length) = (origin[axis], cells[axis] as f64 * spacing);
        Axis::uniform(from, from + length, refined(cells[axis], refine)).map_err(|error| refused(node, &error))
    };
    (0..D).map(axis).collect()
}

/// An axis with a table.
fn stretched(node: &Node, refine: f64) -> Result<Axis, SceneError> {
    let fields = node.fields(&schema::AXIS)?;
    let refuse = |error: AxisError| refused(node, &error);
    if let Some(nodes) = fields.get("nodes") {
        let places = nodes.list("ascending numbers")?.iter().map(Node::number).collect::<Result<_, _>>()?;
        return Axis::new(places).map_err(|error| refused(nodes, &error));
    }
    let mut from = 0.0;
    fields.read("from", &mut from, Node::number)?;
    let to = fields.need("to")?.number()?;
    if let Some(cells) = fields.get("cells") {
        let others = ["fine", "spacing", "growth", "coarsest"];
        fields.exclude(&others, &format!("beside `{}`", cells.path), "expected one of them")?;
        return Axis::uniform(from, to, refined(cells.count(2, 1_000_000)?, refine)).map_err(refuse);
    }
    let spacing = fields.need("spacing")?.positive()? / refine;
    let Some(fine) = fields.get("fine") else {
        let cells = ((to - from) / spacing).round().max(2.0);
        return Axis::uniform(from, to, cells.min(1e9) as usize).map_err(refuse);
    };
    let fine: [f64; 2] = pair(fine)?;
    let (mut growth, mut coarsest) = (1.1, f64::INFINITY);
    fields.read("growth", &mut growth, |node| node.within(1.0, 2.0))?;
    fields.read("coarsest", &mut coarsest, Node::positive)?;
    let coarsest = if coarsest.is_finite() { (coarsest / refine).max(spacing) } else { 8.0 * spacing };
    Axis::clustered([from, to], fine, spacing, growth, coarsest).map_err(refuse)
}

fn pair(node: &Node) -> Result<[f64; 2], SceneError> {
    match node.list("two numbers, from and to")? {
        [from, to] => Ok([from.number()?, to.number()?]),
        _ => Err(node.refuse("two numbers, from and to")),
    }
}

fn refined(cells: usize, refine: f64) -> usize {
    ((cells as f64 * refine).round() as usize).max(2)
}

fn refused(node: &Node, error: &AxisError) -> SceneError {
    SceneError::at(&node.place, format!("`{}`: {error}", node.path), "expected an axis")
}
