//! One moment of a simulation, as arrays.

use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use unstick_bodies::{FloatingBodies, RigidBody};
use unstick_grid::{CellField, FaceField};
use unstick_liquid::{Simulation, Stage, StepReport};
use unstick_scene::draw::{Compression, Image};
use unstick_scene::sink::{Look, contour_of, surface_of};
use unstick_scene::{self as scenes, Dim, Dimension};

use crate::arrays::{field, vectors};
use crate::error::Exception;

/// What a simulation shows at one moment; arrays are made when they are asked for.
pub struct Moment<const D: usize> {
    frame: scenes::Frame<D>,
    look: Look,
    velocities: Vec<[f64; D]>,
    faces: FaceField<f64, D>,
    separated: CellField<bool, D>,
    bodies: Vec<RigidBody<D>>,
}

impl<const D: usize> Moment<D> {
    pub fn of(simulation: &Simulation<D>, number: usize, look: &Look) -> Self {
        let state = simulation.state();
        Self {
            frame: scenes::Frame::of(simulation, number),
            look: look.clone(),
            velocities: state.particles.velocity.clone(),
            faces: state.velocity.clone(),
            separated: state.separated.clone(),
            bodies: FloatingBodies::of(simulation).map_or_else(Vec::new, |afloat| afloat.world().bodies().to_vec()),
        }
    }
}

/// The surface of the liquid: places and what joins them.
pub trait Outline {
    fn outline<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;
}

impl Outline for Moment<2> {
    fn outline<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let contour = py.detach(|| contour_of(&self.frame));
        Ok((vectors(py, &contour.vertices)?.into_any(), vectors(py, &contour.segments)?.into_any()))
    }
}

impl Outline for Moment<3> {
    fn outline<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let surface = py.detach(|| surface_of(&self.frame));
        Ok((vectors(py, &surface.vertices)?.into_any(), vectors(py, &surface.triangles)?.into_any()))
    }
}

/// A moment of either dimension.
trait Show: Send + Sync {
    fn number(&self) -> usize;
    fn time(&self) -> f64;
    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>>;
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>>;
    fn outline<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>>;
    fn draw(&self, width: Option<usize>, pressure: Option<bool>) -> Image;
}

impl<const D: usize> Show for Moment<D>
where
    Dim<D>: Dimension<D>,
    Self: Outline,
{
    fn number(&self) -> usize {
        self.frame.number
    }

    fn time(&self) -> f64 {
        self.frame.time
    }

    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let frame = &self.frame;
        Ok(Some(match name {
            "particles" => vectors(py, &frame.positions)?.into_any(),
            "velocities" => vectors(py, &self.velocities)?.into_any(),
            "pressure" => field(py, &frame.pressure)?.into_any(),
            "liquid" => field(py, &frame.liquid)?.into_any(),
            "solid" => field(py, &frame.solid)?.into_any(),
            "separated" => field(py, &self.separated)?.into_any(),
            _ => return Ok(None),
        }))
    }

    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let fields = self.faces.iter().map(|values| field(py, values)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, fields)
    }

    fn outline<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        Outline::outline(self, py)
    }

    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let describe = |body: &RigidBody<D>| {
            let entry = PyDict::new(py);
            entry.set_item("name", body.name())?;
            entry.set_item("position", body.position().to_vec().into_pyarray(py))?;
            entry.set_item("rotation", vectors(py, body.pose().rotation().as_slice())?)?;
            entry.set_item("velocity", body.velocity().to_vec().into_pyarray(py))?;
            entry.set_item("spin", body.spin().to_vec().into_pyarray(py))?;
            Ok(entry)
        };
        self.bodies.iter().map(describe).collect()
    }

    fn draw(&self, width: Option<usize>, pressure: Option<bool>) -> Image {
        let Look { width: usual, pressure: shaded, .. } = self.look;
        let look = Look { width: width.unwrap_or(usual), pressure: pressure.unwrap_or(shaded), ..self.look.clone() };
        Dim::<D>::draw(&self.frame, &look)
    }
}

/// A frame: a moment, and the steps that led to it.
#[pyclass(frozen, module = "unstick._unstick")]
pub struct Frame {
    moment: Box<dyn Show>,
    steps: Vec<StepReport>,
    last_step: u64,
    particles: usize,
    volume: f64,
    surface_volume: f64,
}

impl Frame {
    pub fn new<const D: usize>(moment: Moment<D>, simulation: &Simulation<D>, steps: Vec<StepReport>) -> Self
    where
        Dim<D>: Dimension<D>,
        Moment<D>: Outline,
    {
        Self {
            steps,
            last_step: simulation.state().step,
            particles: moment.frame.positions.len(),
            volume: simulation.volume(),
            surface_volume: simulation.surface_volume(),
            moment: Box::new(moment),
        }
    }
}

#[pymethods]
impl Frame {
    #[getter]
    fn number(&self) -> usize {
        self.moment.number()
    }

    #[getter]
    fn time(&self) -> f64 {
        self.moment.time()
    }

    /// `particles`, `velocities`, `pressure`, `liquid`, `solid` or `separated`.
    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.moment.array(py, name)
    }

    /// Velocity across the faces of each axis.
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        self.moment.faces(py)
    }

    /// Vertices, and triangles in space or segments in the plane.
    fn surface<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        self.moment.outline(py)
    }

    /// Where the bodies are and how they move.
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.moment.bodies(py)
    }

    /// The picture as rows of red, green and blue.
    fn image<'py>(&self, py: Python<'py>, width: Option<usize>, pressure: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
        let image = py.detach(|| self.moment.draw(width, pressure));
        let flat = image.bytes().to_vec().into_pyarray(py);
        Ok(flat.reshape([image.height(), image.width(), 3])?.into_any())
    }

    /// The picture as a PNG file.
    fn png<'py>(&self, py: Python<'py>, width: Option<usize>, pressure: Option<bool>) -> PyResult<Bound<'py, PyBytes>> {
        let encoded = py.detach(|| self.moment.draw(width, pressure).encode_png(Compression::default()));
        let bytes = encoded.map_err(|error| Exception::new("RunError", error.to_string(), None))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What `stats.csv` says of every step of the frame.
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let first = self.last_step + 1 - self.steps.len() as u64;
        (first..).zip(&self.steps).map(|(step, report)| statistics(py, step, report)).collect()
    }

    /// What there is to say before the first step.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let state = PyDict::new(py);
        state.set_item("step", self.last_step)?;
        state.set_item("time", self.moment.time())?;
        state.set_item("particles", self.particles)?;
        state.set_item("volume", self.volume)?;
        state.set_item("surface_volume", self.surface_volume)?;
        Ok(state)
    }
}

/// A step under the names of `stats.csv`.
fn statistics<'py>(py: Python<'py>, step: u64, report: &StepReport) -> PyResult<Bound<'py, PyDict>> {
    let line = PyDict::new(py);
    line.set_item("step", step)?;
    line.set_item("time", report.time)?;
    line.set_item("dt", report.dt)?;
    line.set_item("particles", report.particles)?;
    line.set_item("volume", report.volume)?;
    line.set_item("surface_volume", report.surface_volume)?;
    line.set_item("kinetic_energy", report.kinetic_energy)?;
    line.set_item("potential_energy", report.potential_energy)?;
    line.set_item("divergence", report.divergence)?;
    line.set_item("complementarity", report.complementarity)?;
    line.set_item("unknowns", report.unknowns)?;
    line.set_item("wall_rows", report.wall_rows)?;
    line.set_item("active_rows", report.active_rows)?;
    line.set_item("solver", &report.solver)?;
    line.set_item("converged", report.converged)?;
    line.set_item("cycles", report.cycles)?;
    line.set_item("inner_iterations", report.inner_iterations)?;
    line.set_item("residual", report.residual)?;
    for (stage, seconds) in Stage::ALL.iter().zip(report.seconds) {
        line.set_item(format!("seconds_{}", stage.name()), seconds.as_secs_f64())?;
    }
    line.set_item("history", report.history.clone().into_pyarray(py))?;
    Ok(line)
}
