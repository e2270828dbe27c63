//! From the tree of a file to the values of a scene.

use std::path::Path;

use unstick_grid::{Grid, SignedDistance, Varying};
use unstick_liquid::{Air, Drag, Emitter, Gravity, Setup, Solid, Transport, Viscosity, Wall};

use super::body::{body, contact};
use super::error::SceneError;
use super::motion::motion;
use super::node::{Fields, Node, Value};
use super::output::output;
use super::pressure::{part, pressure};
use super::shape::shape;
use super::varying::varying;
use super::viscous::viscosity;
use crate::backing::Backing;
use crate::scene::{AnyScene, Scene};
use crate::schema;

const WALLS: [(&str, Wall); 2] = [("separating", Wall::Separating), ("sealed", Wall::Sealed)];

/// Cells and particles are counted with 32 bits.
const MAX_CELLS: usize = 1 << 31;

/// Sizes of cells, in metres, whose volumes and their inverses are numbers with room to spare.
const SPACINGS: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

/// Reads a scene; its dimension is the number of `grid.cells`.
pub(crate) fn scene(name: &str, root: &Node, folder: &Path) -> Result<AnyScene, SceneError> {
    let fields = root.fields(&schema::ROOT)?;
    let grid = fields.need("grid")?.fields(&schema::GRID)?;
    let cells = grid.need("cells")?;
    match cells.list("2 or 3 whole numbers")?.len() {
        2 => Ok(AnyScene::Plane(Reader { folder, fields }.scene(name, &grid)?)),
        3 => Ok(AnyScene::Space(Reader { folder, fields }.scene(name, &grid)?)),
        _ => Err(cells.refuse("2 or 3 whole numbers")),
    }
}

/// What walls do that do not say it themselves.
pub(super) struct UsualWall<const D: usize> {
    kind: Wall,
    adhesion: Varying<D>,
}

impl<const D: usize> UsualWall<D> {
    /// What a wall does, by the key of that name, and how hard it pulls.
    pub fn read<T>(
        &self,
        fields: &Fields<'_>,
        kind: &str,
        usual: T,
        adhesion: impl Fn(&Node) -> Result<T, SceneError>,
    ) -> Result<(Wall, T), SceneError> {
        let (mut wall, mut pull) = (self.kind, usual);
        fields.read(kind, &mut wall, |node| node.choice(&WALLS))?;
        fields.read("adhesion", &mut pull, adhesion)?;
        if wall == Wall::Sealed {
            fields.exclude(
                &["adhesion"],
                "is for separating walls: a sealed one never lets go",
                "without effect here",
            )?;
        }
        Ok((wall, pull))
    }

    /// σ of bodies: a field of the domain is none of theirs.
    pub fn of_bodies(&self) -> f64 {
        self.adhesion.constant().unwrap_or(0.0)
    }
}

/// A contact angle: that of a wedge.
fn contact_angle(node: &Node) -> Result<f64, SceneError> {
    let angle = node.number().ok().filter(|&angle| angle > 0.0 && angle < 180.0);
    angle.ok_or_else(|| node.refuse("a number of degrees between 0 and 180"))
}

struct Reader<'a> {
    folder: &'a Path,
    fields: Fields<'a>,
}

impl Reader<'_> {
    fn scene<const D: usize>(&self, name: &str, grid: &Fields<'_>) -> Result<Scene<D>, SceneError> {
        let fields = &self.fields;
        let mut setup = Setup::new(read_grid(grid)?);
        fields.read("gravity", &mut setup.gravity, gravity)?;
        fields.read("density", &mut setup.density, Node::positive)?;
        fields.read("tension", &mut setup.tension, |node| node.within(0.0, 1e6))?;
        let density = setup.density;
        fields.read("viscosity", &mut setup.viscosity, |node| match node.value {
            Value::Table(_) => viscosity(node, density),
            _ => node.within(0.0, 1e9).map(Viscosity::Newtonian),
        })?;
        fields.read("viscosity_tolerance", &mut setup.viscosity_tolerance, part)?;
        fields.read("seed", &mut setup.seed, |node| Ok(node.count(0, usize::MAX)? as u64))?;
        let time = fields.inner("time", &schema::TIME)?;
        let (frame, frames) = read_time(&time, &mut setup.max_step, &mut setup.cfl, 10.0)?;
        let usual = self.walls_and_solids(&mut setup)?;
        let backing = self.methods(&mut setup)?;
        self.emitters(&mut setup)?;
        setup.air = self.air()?;
        let liquids = self.liquids()?;
        let cells = grid.need("cells")?;
        let bodies = fields.tables("body")?.iter().enumerate();
        let scene = Scene {
            name: name.to_owned(),
            title: fields.text("title", name)?,
            description: fields.text("description", "")?,
            setup,
            backing,
            liquids,
            bodies: bodies.map(|(index, node)| body(node, index + 1, &usual, self.folder)).collect::<Result<_, _>>()?,
            contacts: fields.get("contact").map(contact).transpose()?.unwrap_or_default(),
            frame,
            frames,
            output: fields.get("output").map(output::<D>).transpose()?.unwrap_or_default(),
            cells_place: cells.place.clone(),
            liquid_place: fields.get("liquid").unwrap_or(cells).place.clone(),
            body_place: fields.get("body").map(|node| node.place.clone()),
        };
        scene.check_bodies()?;
        Ok(scene)
    }

    /// Returns what walls of solids do unless they say otherwise.
    fn walls_and_solids<const D: usize>(&self, setup: &mut Setup<D>) -> Result<UsualWall<D>, SceneError> {
        let mut usual = UsualWall { kind: Wall::default(), adhesion: Varying::default() };
        let grid = setup.grid;
        let pull = |node: &Node| varying(node, &grid, self.folder, 0.0);
        let control = |node: &Node| varying(node, &grid, self.folder, f64::NEG_INFINITY);
        let walls = self.fields.inner("walls", &schema::WALLS)?;
        walls.read("border", &mut setup.border, |node| node.choice(&WALLS))?;
        walls.read("solids", &mut usual.kind, |node| node.choice(&WALLS))?;
        walls.read("adhesion", &mut usual.adhesion, pull)?;
        setup.border_adhesion = usual.adhesion.clone();
        walls.read("contact_angle", &mut setup.border_contact_angle, contact_angle)?;
        let mut of_solids = Drag::None;
        let drag = |node: &Node| drag(node, &grid, self.folder);
        walls.read("border_drag", &mut setup.border_drag, drag)?;
        walls.read("solids_drag", &mut of_solids, drag)?;
        walls.read("control", &mut setup.control, control)?;
        for node in self.fields.tables("solid")? {
            let fields = node.fields(&schema::SOLID)?;
            let mut solid = Solid::still(shape(fields.need("shape")?, self.folder)?);
            (solid.wall, solid.adhesion) = usual.read(&fields, "wall", usual.adhesion.clone(), pull)?;
            solid.contact_angle = setup.border_contact_angle;
            fields.read("contact_angle", &mut solid.contact_angle, contact_angle)?;
            fields.read("control", &mut solid.control, |node| control(node).map(Some))?;
            solid.drag = of_solids.clone();
            fields.read("drag", &mut solid.drag, drag)?;
            fields.read("motion", &mut solid.motion, |node| motion(node, self.folder))?;
            setup.solids.push(solid);
        }
        Ok(usual)
    }

    fn methods<const D: usize>(&self, setup: &mut Setup<D>) -> Result<Backing, SceneError> {
        let fields = self.fields.inner("transport", &schema::TRANSPORT)?;
        let kinds =
            [("flip", Transport::default()), ("apic", Transport::Apic), ("semi-lagrangian", Transport::SemiLagrangian)];
        fields.read("kind", &mut setup.transport, |node| node.choice(&kinds))?;
        fields.read("particles_per_axis", &mut setup.particles_per_axis, |node| node.count(1, 4))?;
        match &mut setup.transport {
            Transport::Flip { pic } => fields.read("pic", pic, |node| node.within(0.0, 1.0))?,
            _ => fields.exclude(&["pic"], "is for kind \"flip\" alone", "without effect here")?,
        }
        let mut backing = Backing::default();
        if let Some(node) = self.fields.get("pressure") {
            (setup.pressure, backing) = pressure(node)?;
        }
        let fields = self.fields.inner("volume", &schema::VOLUME)?;
        fields.read("correction", &mut setup.volume_correction, Node::truth)?;
        Ok(backing)
    }

    fn emitters<const D: usize>(&self, setup: &mut Setup<D>) -> Result<(), SceneError> {
        for (kind, table) in [("source", &schema::SOURCE), ("drain", &schema::DRAIN)] {
            for node in self.fields.tables(kind)? {
                let fields = node.fields(table)?;
                let (mut start, mut end) = (0.0, f64::INFINITY);
                fields.read("start", &mut start, Node::number)?;
                fields.read("end", &mut end, Node::number)?;
                if start >= end {
                    let what = format!("starts at {start} s and ends at {end} s");
                    return Err(node.wrong(&what, "expected a start before the end"));
                }
                let velocity = (kind == "source").then(|| fields.need("velocity")?.vector()).transpose()?;
                let shape = shape(fields.need("shape")?, self.folder)?;
                setup.emitters.push(Emitter { shape, velocity, start, end });
            }
        }
        Ok(())
    }

    fn air<const D: usize>(&self) -> Result<Air<D>, SceneError> {
        let mut is_enclosed = false;
        self.fields.read("air", &mut is_enclosed, |node| node.choice(&[("open", false), ("enclosed", true)]))?;
        if !is_enclosed {
            self.fields.exclude(
                &["vent"],
                "is for `air = \"enclosed\"`: open air needs none",
                "without effect here",
            )?;
            return Ok(Air::Open);
        }
        let vent = |node: &Node| shape(node.fields(&schema::VENT)?.need("shape")?, self.folder);
        Ok(Air::Enclosed { vents: self.fields.tables("vent")?.iter().map(vent).collect::<Result<_, _>>()? })
    }

    fn liquids<const D: usize>(&self) -> Result<Vec<(SignedDistance<D>, [f64; D])>, SceneError> {
        let read = |node: &Node| {
            let fields = node.fields(&schema::LIQUID)?;
            let mut velocity = [0.0; D];
            fields.read("velocity", &mut velocity, Node::vector)?;
            Ok((shape(fields.need("shape")?, self.folder)?, velocity))
        };
        self.fields.tables("liquid")?.iter().map(read).collect()
    }
}

/// A name, or a table with a number that may depend on place and time.
fn drag<const D: usize>(node: &Node, grid: &Grid<D>, folder: &Path) -> Result<Drag<D>, SceneError> {
    if !matches!(node.value, Value::Table(_)) {
        let sticks = node.choice(&[("none", false), ("no-slip", true)])?;
        return Ok(if sticks { Drag::no_slip() } else { Drag::None });
    }
    let fields = node.fields(&schema::DRAG)?;
    match (fields.get("slip_length"), fields.get("friction")) {
        (Some(length), None) => varying(length, grid, folder, 0.0).map(Drag::SlipLength),
        (None, Some(friction)) => varying(friction, grid, folder, 0.0).map(Drag::Friction),
        _ => Err(node.refuse("one of { slip_length = … } and { friction = … }")),
    }
}

/// Seconds from frame to frame and the number of frames; the longest step and the largest CFL number are changed.
pub(super) fn read_time(
    time: &Fields<'_>,
    max_step: &mut f64,
    cfl: &mut f64,
    most: f64,
) -> Result<(f64, usize), SceneError> {
    let (mut frame, mut frames) = (0.01, 100);
    time.read("frame", &mut frame, Node::positive)?;
    time.read("frames", &mut frames, |node| node.count(1, 1_000_000))?;
    time.read("max_step", max_step, Node::positive)?;
    time.read("cfl", cfl, |node| {
        let number = node.positive().ok().filter(|&cfl| cfl <= most);
        number.ok_or_else(|| node.refuse(&format!("a positive number up to {most}")))
    })?;
    Ok((frame, frames))
}

/// Cells of one size along all axes.
pub(super) struct EqualCells<const D: usize> {
    pub cells: [usize; D],
    pub spacing: f64,
    pub origin: [f64; D],
}

impl<const D: usize> EqualCells<D> {
    /// Reads `cells`, at least so many along each axis, `size` or `spacing`, and `origin`.
    pub fn read(fields: &Fields<'_>, least: usize) -> Result<Self, SceneError> {
        let mut cells = [0; D];
        for (count, item) in cells.iter_mut().zip(fields.need("cells")?.list("whole numbers")?) {
            *count = item.count(least, 1_000_000)?;
        }
        let most = cells.iter().copied().max().unwrap_or(1) as f64;
        let (mut size, mut origin) = (1.0, [0.0; D]);
        fields.read("size", &mut size, Node::positive)?;
        if fields.get("size").is_some() {
            fields.exclude(&["spacing"], "beside `grid.size`", "expected one of them")?;
        }
        let mut spacing = size / most;
        fields.read("spacing", &mut spacing, Node::positive)?;
        if !SPACINGS.contains(&spacing) {
            let place = fields.get("spacing").or(fields.get("size")).unwrap_or(fields.need("cells")?);
            let expected = format!("cells of {:e} to {:e} m, found {spacing:e} m", SPACINGS.start(), SPACINGS.end());
            return Err(place.refuse(&expected));
        }
        fields.read("origin", &mut origin, Node::vector)?;
        Ok(Self { cells, spacing, origin })
    }
}

/// Refuses more cells than can be counted.
pub(super) fn check_count(node: &Node, cells: &[usize]) -> Result<(), SceneError> {
    let total = cells.iter().try_fold(1usize, |product, &count| product.checked_mul(count));
    if total.is_some_and(|total| total <= MAX_CELLS) {
        return Ok(());
    }
    let product = cells.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ");
    Err(node.wrong(&format!("makes {product} cells, expected {MAX_CELLS} or fewer in all"), "too many"))
}

fn read_grid<const D: usize>(fields: &Fields<'_>) -> Result<Grid<D>, SceneError> {
    let (node, EqualCells { cells, spacing, origin }) = (fields.need("cells")?, EqualCells::read(fields, 1)?);
    check_count(node, &cells)?;
    Grid::new(cells, spacing, origin).map_err(|error| SceneError::at(&node.place, error.to_string(), "expected a grid"))
}

/// A vector, or a list of `{ time, value }`.
fn gravity<const D: usize>(node: &Node) -> Result<Gravity<D>, SceneError> {
    let items = node.list("a vector, or a list of { time, value }")?;
    if !items.iter().any(|item| matches!(item.value, Value::Table(_))) {
        return Ok(Gravity::Constant(node.vector()?));
    }
    let mut table: Vec<(f64, [f64; D])> = Vec::new();
    for item in items {
        let fields = item.fields(&schema::GRAVITY)?;
        let time = fields.need("time")?;
        if table.last().is_some_and(|last| time.number().is_ok_and(|time| time <= last.0)) {
            return Err(time.refuse("a time after the one before"));
        }
        table.push((time.number()?, fields.need("value")?.vector()?));
    }
    Ok(Gravity::Table(table))
}
