//! From the tree of a file to the values of a scene.

use std::path::Path;

use unstick_bodies::RigidBody;
use unstick_grid::Grid;
use unstick_liquid::{Emitter, Gravity, Setup, Solid, Transport, Wall};

use super::body::{body, contact};
use super::error::SceneError;
use super::motion::motion;
use super::node::{Fields, Node, Value};
use super::pressure::pressure;
use super::shape::shape;
use crate::backing::Backing;
use crate::dimension::{Dim, Dimension};
use crate::output::{Output, ParticleFormat, SurfaceFormat, VolumeFormat};
use crate::scene::{AnyScene, Contacts, Scene};

const KEYS: [&str; 18] = [
    "title",
    "description",
    "grid",
    "time",
    "gravity",
    "density",
    "seed",
    "walls",
    "solid",
    "liquid",
    "source",
    "drain",
    "body",
    "contact",
    "transport",
    "pressure",
    "volume",
    "output",
];

pub(super) const WALLS: [(&str, Wall); 2] = [("separating", Wall::Separating), ("sealed", Wall::Sealed)];

/// Cells and particles are counted with 32 bits.
const MAX_CELLS: usize = 1 << 31;

/// Reads a scene; its dimension is the number of `grid.cells`.
pub(crate) fn scene(name: &str, root: &Node, folder: &Path) -> Result<AnyScene, SceneError> {
    let fields = root.fields(&KEYS)?;
    let grid = fields.need("grid")?.fields(&["cells", "spacing", "size", "origin"])?;
    let cells = grid.need("cells")?;
    match cells.list("2 or 3 whole numbers")?.len() {
        2 => Ok(AnyScene::Plane(Reader { name, folder, fields }.scene(&grid)?)),
        3 => Ok(AnyScene::Space(Reader { name, folder, fields }.scene(&grid)?)),
        _ => Err(cells.refuse("2 or 3 whole numbers")),
    }
}

struct Reader<'a> {
    name: &'a str,
    folder: &'a Path,
    fields: Fields<'a>,
}

impl Reader<'_> {
    fn scene<const D: usize>(&self, grid: &Fields<'_>) -> Result<Scene<D>, SceneError>
    where
        Dim<D>: Dimension<D>,
    {
        let fields = &self.fields;
        let mut setup = Setup::new(read_grid(grid)?);
        fields.read("gravity", &mut setup.gravity, gravity)?;
        fields.read("density", &mut setup.density, Node::positive)?;
        fields.read("seed", &mut setup.seed, |node| Ok(node.count(0, usize::MAX)? as u64))?;
        let (frame, frames) = self.time(&mut setup)?;
        let kind = self.walls_and_solids(&mut setup)?;
        let backing = self.methods(&mut setup)?;
        self.emitters(&mut setup)?;
        let liquids = self.liquids()?;
        let mut text = String::new();
        fields.read("description", &mut text, |node| Ok(node.text()?.to_owned()))?;
        let mut title = self.name.to_owned();
        fields.read("title", &mut title, |node| Ok(node.text()?.to_owned()))?;
        let places = [grid.need("cells")?, fields.get("liquid").unwrap_or(grid.need("cells")?)];
        let [cells_place, liquid_place] = places.map(|node| node.place.clone());
        let output = fields.get("output").map(output::<D>).transpose()?.unwrap_or_default();
        let name = self.name.to_owned();
        let (bodies, contacts) = self.bodies(kind)?;
        let scene = Scene {
            name,
            title,
            description: text,
            setup,
            backing,
            liquids,
            bodies,
            contacts,
            frame,
            frames,
            output,
            cells_place,
            liquid_place,
            body_place: fields.get("body").map(|node| node.place.clone()),
        };
        scene.check_bodies()?;
        Ok(scene)
    }

    fn time<const D: usize>(&self, setup: &mut Setup<D>) -> Result<(f64, usize), SceneError> {
        let (mut frame, mut frames) = (0.01, 100);
        if let Some(time) = self.fields.get("time") {
            let time = time.fields(&["frame", "frames", "max_step", "cfl"])?;
            time.read("frame", &mut frame, Node::positive)?;
            time.read("frames", &mut frames, |node| node.count(1, 1_000_000))?;
            time.read("max_step", &mut setup.max_step, Node::positive)?;
            time.read("cfl", &mut setup.cfl, |node| {
                node.positive().ok().filter(|&cfl| cfl <= 10.0).ok_or_else(|| node.refuse("a positive number up to 10"))
            })?;
        }
        Ok((frame, frames))
    }

    /// Returns what walls of solids do unless they say otherwise.
    fn walls_and_solids<const D: usize>(&self, setup: &mut Setup<D>) -> Result<Wall, SceneError>
    where
        Dim<D>: Dimension<D>,
    {
        let mut kind = Wall::default();
        if let Some(walls) = self.fields.get("walls") {
            let walls = walls.fields(&["border", "solids", "control"])?;
            walls.read("border", &mut setup.border, |node| node.choice(&WALLS))?;
            walls.read("solids", &mut kind, |node| node.choice(&WALLS))?;
            walls.read("control", &mut setup.control, Node::number)?;
        }
        for node in self.tables("solid")? {
            let fields = node.fields(&["shape", "wall", "motion"])?;
            let mut solid = Solid { wall: kind, ..Solid::still(shape(fields.need("shape")?, self.folder)?) };
            fields.read("wall", &mut solid.wall, |node| node.choice(&WALLS))?;
            fields.read("motion", &mut solid.motion, motion)?;
            setup.solids.push(solid);
        }
        Ok(kind)
    }

    fn bodies<const D: usize>(&self, kind: Wall) -> Result<(Vec<RigidBody<D>>, Contacts), SceneError>
    where
        Dim<D>: Dimension<D>,
    {
        let nodes = self.tables("body")?.iter().enumerate();
        let bodies = nodes.map(|(index, node)| body(node, index + 1, kind, self.folder)).collect::<Result<_, _>>()?;
        Ok((bodies, self.fields.get("contact").map(contact).transpose()?.unwrap_or_default()))
    }

    fn methods<const D: usize>(&self, setup: &mut Setup<D>) -> Result<Backing, SceneError> {
        if let Some(transport) = self.fields.get("transport") {
            let fields = transport.fields(&["kind", "pic", "particles_per_axis"])?;
            let kinds = [
                ("flip", Transport::default()),
                ("apic", Transport::Apic),
                ("semi-lagrangian", Transport::SemiLagrangian),
            ];
            fields.read("kind", &mut setup.transport, |node| node.choice(&kinds))?;
            fields.read("particles_per_axis", &mut setup.particles_per_axis, |node| node.count(1, 4))?;
            if let Some(node) = fields.get("pic") {
                let Transport::Flip { pic } = &mut setup.transport else {
                    let message = format!("`{}` is for kind \"flip\" alone", node.path);
                    return Err(SceneError::at(&node.place, message, "without effect here"));
                };
                *pic = node.within(0.0, 1.0)?;
            }
        }
        let mut backing = Backing::default();
        if let Some(node) = self.fields.get("pressure") {
            (setup.pressure, backing) = pressure(node)?;
        }
        if let Some(volume) = self.fields.get("volume") {
            let fields = volume.fields(&["correction", "reseeding"])?;
            fields.read("correction", &mut setup.volume_correction, Node::truth)?;
            fields.read("reseeding", &mut setup.reseeding, Node::truth)?;
        }
        Ok(backing)
    }

    fn emitters<const D: usize>(&self, setup: &mut Setup<D>) -> Result<(), SceneError>
    where
        Dim<D>: Dimension<D>,
    {
        for (kind, known) in
            [("source", &["shape", "velocity", "start", "end"][..]), ("drain", &["shape", "start", "end"][..])]
        {
            for node in self.tables(kind)? {
                let fields = node.fields(known)?;
                let (mut start, mut end) = (0.0, f64::INFINITY);
                fields.read("start", &mut start, Node::number)?;
                fields.read("end", &mut end, Node::number)?;
                if start >= end {
                    let message = format!("`{}` starts at {start} s and ends at {end} s", node.path);
                    return Err(SceneError::at(&node.place, message, "expected a start before the end"));
                }
                let velocity = (kind == "source").then(|| fields.need("velocity")?.vector()).transpose()?;
                setup.emitters.push(Emitter {
                    shape: shape(fields.need("shape")?, self.folder)?,
                    velocity,
                    start,
                    end,
                });
            }
        }
        Ok(())
    }

    fn liquids<const D: usize>(&self) -> Result<Vec<(unstick_grid::SignedDistance<D>, [f64; D])>, SceneError>
    where
        Dim<D>: Dimension<D>,
    {
        let read = |node: &Node| {
            let fields = node.fields(&["shape", "velocity"])?;
            let mut velocity = [0.0; D];
            fields.read("velocity", &mut velocity, Node::vector)?;
            Ok((shape(fields.need("shape")?, self.folder)?, velocity))
        };
        self.tables("liquid")?.iter().map(read).collect()
    }

    /// The tables `[[name]]`.
    fn tables(&self, name: &str) -> Result<&[Node], SceneError> {
        match self.fields.get(name) {
            Some(node) => node.list(&format!("tables, each after [[{name}]]")),
            None => Ok(&[]),
        }
    }
}

fn read_grid<const D: usize>(fields: &Fields<'_>) -> Result<Grid<D>, SceneError> {
    let node = fields.need("cells")?;
    let mut cells = [0; D];
    for (count, item) in cells.iter_mut().zip(node.list("whole numbers")?) {
        *count = item.count(1, 1_000_000)?;
    }
    let total = cells.iter().try_fold(1usize, |product, &count| product.checked_mul(count));
    if total.is_none_or(|total| total > MAX_CELLS) {
        let product = cells.map(|count| count.to_string()).join(" × ");
        let message = format!("`{}` makes {product} cells, expected {MAX_CELLS} or fewer in all", node.path);
        return Err(SceneError::at(&node.place, message, "too many"));
    }
    let most = cells.iter().copied().max().unwrap_or(1) as f64;
    let (mut size, mut origin) = (1.0, [0.0; D]);
    fields.read("size", &mut size, Node::positive)?;
    let mut spacing = size / most;
    if let (Some(_), Some(both)) = (fields.get("size"), fields.get("spacing")) {
        let message = format!("`{}` beside `grid.size`", both.path);
        return Err(SceneError::at(&both.place, message, "expected one of them"));
    }
    fields.read("spacing", &mut spacing, Node::positive)?;
    fields.read("origin", &mut origin, Node::vector)?;
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
        let fields = item.fields(&["time", "value"])?;
        let time = fields.need("time")?;
        if table.last().is_some_and(|last| time.number().is_ok_and(|time| time <= last.0)) {
            return Err(time.refuse("a time after the one before"));
        }
        table.push((time.number()?, fields.need("value")?.vector()?));
    }
    Ok(Gravity::Table(table))
}

fn output<const D: usize>(node: &Node) -> Result<Output, SceneError> {
    let known = [
        "width",
        "frames",
        "movie",
        "fps",
        "pressure",
        "particles",
        "surface",
        "volume",
        "view",
        "every",
        "checkpoint_every",
    ];
    let fields = node.fields(&known)?;
    let mut output = Output::default();
    fields.read("width", &mut output.width, |node| node.count(64, 8192))?;
    fields.read("frames", &mut output.frames, Node::truth)?;
    fields.read("movie", &mut output.movie, Node::truth)?;
    fields.read("fps", &mut output.fps, |node| node.within(0.1, 1000.0))?;
    fields.read("pressure", &mut output.pressure, Node::truth)?;
    fields.read("particles", &mut output.particles, |node| formats(node, ParticleFormat::ALL))?;
    fields.read("surface", &mut output.surface, |node| formats(node, SurfaceFormat::ALL))?;
    if let (2, Some(node)) = (D, fields.get("surface").filter(|_| !output.surface.is_empty())) {
        let message = format!("`{}`: a surface mesh needs three dimensions, this scene has two", node.path);
        return Err(SceneError::at(&node.place, message, "not for the plane"));
    }
    fields.read("volume", &mut output.volume, |node| formats(node, VolumeFormat::ALL))?;
    output.view = fields.get("view").map(Node::truth).transpose()?;
    fields.read("every", &mut output.every, |node| node.count(1, usize::MAX))?;
    fields.read("checkpoint_every", &mut output.checkpoint_every, |node| node.count(0, usize::MAX))?;
    Ok(output)
}

/// One name, or a list of names.
fn formats<T: Copy>(node: &Node, known: &[(&str, T)]) -> Result<Vec<T>, SceneError> {
    match &node.value {
        Value::List(items) => items.iter().map(|item| item.choice(known)).collect(),
        _ => Ok(vec![node.choice(known)?]),
    }
}
