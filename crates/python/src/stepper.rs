//! A simulation that is stepped and changed from Python.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use unstick_scene::draw::PictureStyle;
use unstick_scene::run::{AnyFrame, AnyRunScene, Edit, RunScene, Stepper as SceneStepper};
use unstick_scene::{PlaneOrSpace, SceneFile, either};

use crate::error::Exception;
use crate::frame::{Frame, describe_step};
use crate::wait::interruptibly;

/// A simulation of any physics, in the plane or in space.
type AnyStepper = PlaneOrSpace<Box<dyn SceneStepper<2>>, Box<dyn SceneStepper<3>>>;

/// A simulation at work.
#[pyclass(frozen, module = "unstick._unstick")]
pub struct Stepper {
    stepper: Mutex<AnyStepper>,
    style: PictureStyle,
    frame_seconds: f64,
}

impl Stepper {
    /// Builds the simulation of a scene, at its beginning or at a state that [`store`](Stepper::store) gave.
    pub fn begin(file: &SceneFile, memory: Option<u64>, state: Option<&[u8]>) -> Result<Self, Exception> {
        let scene = AnyRunScene::of(file, None)?;
        let (style, frame_seconds) = either!(&scene, scene => (scene.style.clone(), scene.frame_seconds));
        let stepper = match scene {
            AnyRunScene::Plane(scene) => PlaneOrSpace::Plane(begin(&scene, memory, state)?),
            AnyRunScene::Space(scene) => PlaneOrSpace::Space(begin(&scene, memory, state)?),
        };
        Ok(Self { stepper: Mutex::new(stepper), style, frame_seconds })
    }

    /// Work that panicked has left its state behind; the next step will tell.
    fn lock(&self) -> MutexGuard<'_, AnyStepper> {
        self.stepper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn edit(&self, py: Python<'_>, plane: Option<Edit<2>>, space: Option<Edit<3>>) -> PyResult<()> {
        let dimension = if plane.is_some() { 2 } else { 3 };
        let edited = py.detach(|| match (&mut *self.lock(), plane, space) {
            (PlaneOrSpace::Plane(stepper), Some(edit), _) => Some(stepper.edit(edit)),
            (PlaneOrSpace::Space(stepper), _, Some(edit)) => Some(stepper.edit(edit)),
            _ => None,
        });
        let wrong = || {
            let message = format!("there are {dimension} numbers a point, and the simulation has another dimension");
            Exception::new("RunError", message, None)
        };
        Ok(edited.ok_or_else(wrong)?.map_err(Exception::from)?)
    }
}

fn begin<const D: usize>(
    scene: &RunScene<D>,
    memory: Option<u64>,
    state: Option<&[u8]>,
) -> Result<Box<dyn SceneStepper<D>>, Exception> {
    memory.map_or(Ok(()), |memory| scene.physics.check_memory(memory))?;
    match state {
        None => Ok(scene.physics.begin()?),
        Some(mut state) => scene
            .physics
            .resume(&mut state)
            .map_err(|error| Exception::new("RunError", format!("the state cannot be used: {error}"), None)),
    }
}

#[pymethods]
impl Stepper {
    /// Seconds from frame to frame of the scene.
    #[getter]
    fn frame_seconds(&self) -> f64 {
        self.frame_seconds
    }

    #[getter]
    fn time(&self, py: Python<'_>) -> f64 {
        py.detach(|| either!(&*self.lock(), stepper => stepper.time()))
    }

    #[getter]
    fn step(&self, py: Python<'_>) -> u64 {
        py.detach(|| either!(&*self.lock(), stepper => stepper.step()))
    }

    /// Length of the next step towards a time; none if it is reached.
    fn next_step(&self, py: Python<'_>, time: f64) -> Option<f64> {
        py.detach(|| either!(&*self.lock(), stepper => stepper.next_step(time)))
    }

    /// Takes a step; what `stats.csv` says of it. Ctrl-C is heeded after it.
    fn advance<'py>(&self, py: Python<'py>, length: f64) -> PyResult<Bound<'py, PyDict>> {
        let advanced = interruptibly(py, |_| {
            either!(&mut *self.lock(), stepper => {
                stepper.advance(length).map(|record| (stepper.columns(), record))
            })
        })?;
        let (columns, record) = advanced.map_err(Exception::from)?;
        describe_step(py, &columns, &record)
    }

    /// What there is to see now.
    fn frame(&self, py: Python<'_>) -> Frame {
        py.detach(|| {
            let stepper = self.lock();
            let number = either!(&*stepper, stepper => stepper.step()) as usize;
            let frame = match &*stepper {
                PlaneOrSpace::Plane(stepper) => AnyFrame::Plane(Arc::new(stepper.frame(number))),
                PlaneOrSpace::Space(stepper) => AnyFrame::Space(Arc::new(stepper.frame(number))),
            };
            Frame::alone(frame, &self.style, either!(&*stepper, stepper => stepper.summary()))
        })
    }

    /// The lines of `bodies.csv` for now, with their header.
    fn bodies(&self, py: Python<'_>) -> (String, String) {
        py.detach(|| {
            let mut lines = String::new();
            let header = either!(&*self.lock(), stepper => {
                stepper.write_bodies(&mut lines);
                stepper.body_columns()
            });
            (header, lines)
        })
    }

    /// Other particles, one per row.
    fn set_particles(
        &self,
        py: Python<'_>,
        position: PyReadonlyArray2<'_, f64>,
        velocity: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<()> {
        let plane = rows(&position).zip(rows(&velocity));
        let space = rows(&position).zip(rows(&velocity));
        let plane = plane.map(|(position, velocity)| Edit::Particles { position, velocity });
        let space = space.map(|(position, velocity)| Edit::Particles { position, velocity });
        self.edit(py, plane, space)
    }

    /// Velocity across the faces of each axis, x fastest.
    fn set_faces(&self, py: Python<'_>, fields: Vec<PyReadonlyArray1<'_, f64>>) -> PyResult<()> {
        let fields = fields.iter().map(|field| Ok(field.as_slice()?.to_vec())).collect::<PyResult<Vec<_>>>()?;
        let (plane, space) = (fields.clone().try_into().ok(), fields.try_into().ok());
        self.edit(py, plane.map(Edit::Faces), space.map(Edit::Faces))
    }

    /// Acceleration of everything.
    fn set_gravity(&self, py: Python<'_>, gravity: Vec<f64>) -> PyResult<()> {
        let (plane, space) = (gravity.clone().try_into().ok(), gravity.try_into().ok());
        self.edit(py, plane.map(Edit::Gravity), space.map(Edit::Gravity))
    }

    /// How a body moves.
    fn set_body(&self, py: Python<'_>, number: usize, velocity: Vec<f64>, spin: [f64; 3]) -> PyResult<()> {
        let (plane, space) = (velocity.clone().try_into().ok(), velocity.try_into().ok());
        let plane = plane.map(|velocity| Edit::Body { number, velocity, spin });
        self.edit(py, plane, space.map(|velocity| Edit::Body { number, velocity, spin }))
    }

    /// The state, from which a simulation of the same scene goes on bit for bit.
    fn store<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let stored = py.detach(|| {
            let stepper = self.lock();
            either!(&*stepper, stepper => {
                stepper.check_state().map_err(Exception::from)?;
                let mut bytes = Vec::new();
                let refused = |error: unstick_scene::run::StateError| {
                    Exception::new("RunError", format!("the state cannot be stored: {error}"), None)
                };
                stepper.store(&mut bytes).map_err(refused).map(|()| bytes)
            })
        });
        Ok(PyBytes::new(py, &stored?))
    }
}

/// The rows of an array, if they have that many numbers.
fn rows<const D: usize>(array: &PyReadonlyArray2<'_, f64>) -> Option<Vec<[f64; D]>> {
    let (rows, rest) = array.as_slice().ok()?.as_chunks();
    (array.as_array().ncols() == D && rest.is_empty()).then(|| rows.to_vec())
}
