//! One moment of a simulation, as arrays.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use unstick_bodies::RigidBody;
use unstick_grid::FaceField;
use unstick_scene::draw::{Image, PictureStyle, draw};
use unstick_scene::run::{AnyFrame, Session, StepRecord, Value};
use unstick_scene::sink::{contour_of, surface_of};
use unstick_scene::{self as scenes, either};

use crate::arrays::{field, vectors};
use crate::error::Exception;

/// A frame and the steps that led to it. It shares the frame of the run; arrays are made when they are asked for.
#[pyclass(frozen, module = "unstick._unstick")]
pub struct Frame {
    frame: AnyFrame,
    style: PictureStyle,
    columns: Vec<String>,
    steps: Vec<StepRecord>,
    summary: Vec<(&'static str, Value)>,
}

impl Frame {
    /// What a run shows now.
    pub fn of(session: &mut Session, style: &PictureStyle) -> Self {
        let frame = session.frame();
        let (columns, steps) = session.steps();
        Self { frame, style: style.clone(), columns, steps: steps.to_vec(), summary: session.summary() }
    }

    /// A moment of a simulation without a run.
    pub fn alone(frame: AnyFrame, style: &PictureStyle, summary: Vec<(&'static str, Value)>) -> Self {
        Self { frame, style: style.clone(), columns: Vec::new(), steps: Vec::new(), summary }
    }

    fn picture(&self, width: Option<usize>, pressure: Option<bool>) -> Image {
        let mut style = self.style.clone();
        style.width = width.unwrap_or(style.width);
        style.pressure = pressure.unwrap_or(style.pressure);
        either!(&self.frame, frame => draw(frame, &style))
    }
}

#[pymethods]
impl Frame {
    #[getter]
    fn number(&self) -> usize {
        either!(&self.frame, frame => frame.number)
    }

    #[getter]
    fn time(&self) -> f64 {
        either!(&self.frame, frame => frame.time)
    }

    /// Cells along each axis, their length, and the lower corner.
    fn grid(&self) -> (Vec<usize>, f64, Vec<f64>) {
        either!(&self.frame, frame => {
            (frame.grid.cells().to_vec(), frame.grid.spacing(), frame.grid.origin().to_vec())
        })
    }

    /// Velocity across the faces of each axis of the simulation's own grid, which may be stretched.
    fn own_faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        either!(&self.frame, frame => match &frame.flow {
            Some(flow) => tuple(py, &flow.velocity),
            None => tuple(py, &frame.velocity),
        })
    }

    /// `particles`, `velocities`, `ids`, `pressure`, `liquid`, `solid` or `separated`.
    fn array<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        either!(&self.frame, frame => array(py, frame, name))
    }

    /// Velocity across the faces of each axis.
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        either!(&self.frame, frame => tuple(py, &frame.velocity))
    }

    /// Vertices, and triangles in space or segments in the plane.
    fn surface<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        match &self.frame {
            AnyFrame::Plane(frame) => {
                let contour = py.detach(|| contour_of(frame));
                Ok((vectors(py, &contour.vertices)?.into_any(), vectors(py, &contour.segments)?.into_any()))
            }
            AnyFrame::Space(frame) => {
                let surface = py.detach(|| surface_of(frame));
                Ok((vectors(py, &surface.vertices)?.into_any(), vectors(py, &surface.triangles)?.into_any()))
            }
        }
    }

    /// Where the bodies are and how they move.
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        either!(&self.frame, frame => frame.bodies.iter().map(|body| describe(py, body)).collect())
    }

    /// The picture as rows of red, green and blue.
    fn image<'py>(&self, py: Python<'py>, width: Option<usize>, pressure: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
        let image = py.detach(|| self.picture(width, pressure));
        let flat = image.bytes().to_vec().into_pyarray(py);
        Ok(flat.reshape([image.height(), image.width(), 3])?.into_any())
    }

    /// The picture as a PNG file.
    fn png<'py>(&self, py: Python<'py>, width: Option<usize>, pressure: Option<bool>) -> PyResult<Bound<'py, PyBytes>> {
        let encoded = py.detach(|| self.picture(width, pressure).encode_png());
        let bytes = encoded.map_err(|error| Exception::new("RunError", error.to_string(), None))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What `stats.csv` says of every step of the frame, and the residual in the pressure solve.
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.steps.iter().map(|step| describe_step(py, &self.columns, step)).collect()
    }

    /// What there is to say before the first step.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let state = PyDict::new(py);
        self.summary.iter().try_for_each(|(name, value)| set(&state, name, value))?;
        Ok(state)
    }
}

fn array<'py, const D: usize>(
    py: Python<'py>,
    frame: &Arc<scenes::Frame<D>>,
    name: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(Some(match name {
        "particles" => vectors(py, &frame.positions)?.into_any(),
        "velocities" => vectors(py, &frame.velocities)?.into_any(),
        // Signed, as NumPy's own indices: with others it would mix them into floating-point numbers.
        "ids" => frame.ids.iter().map(|&id| id as i64).collect::<Vec<_>>().into_pyarray(py).into_any(),
        "pressure" => field(py, &frame.pressure)?.into_any(),
        "liquid" => field(py, &frame.liquid)?.into_any(),
        "solid" => field(py, &frame.solid)?.into_any(),
        "separated" => field(py, &frame.separated_cells())?.into_any(),
        _ => return Ok(None),
    }))
}

fn tuple<'py, const D: usize>(py: Python<'py>, fields: &FaceField<f64, D>) -> PyResult<Bound<'py, PyTuple>> {
    let fields = fields.iter().map(|values| field(py, values)).collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(py, fields)
}

/// What `stats.csv` says of a step, and the residual in the pressure solve.
pub fn describe_step<'py>(py: Python<'py>, columns: &[String], step: &StepRecord) -> PyResult<Bound<'py, PyDict>> {
    let line = PyDict::new(py);
    for (name, value) in columns.iter().zip(&step.values) {
        set(&line, name, value)?;
    }
    if !step.history.is_empty() {
        line.set_item("history", step.history.clone().into_pyarray(py))?;
    }
    Ok(line)
}

fn describe<'py, const D: usize>(py: Python<'py>, body: &RigidBody<D>) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("name", body.name())?;
    entry.set_item("position", body.position().to_vec().into_pyarray(py))?;
    entry.set_item("rotation", vectors(py, body.pose().rotation().as_slice())?)?;
    entry.set_item("velocity", body.velocity().to_vec().into_pyarray(py))?;
    entry.set_item("spin", body.spin().to_vec().into_pyarray(py))?;
    Ok(entry)
}

fn set(entry: &Bound<'_, PyDict>, name: &str, value: &Value) -> PyResult<()> {
    match value {
        Value::Count(value) => entry.set_item(name, value),
        Value::Number(value) | Value::Small(value) | Value::Seconds(value) => entry.set_item(name, value),
        Value::Bool(value) => entry.set_item(name, value),
        Value::Text(value) => entry.set_item(name, value),
    }
}
