//! Where a scene is computed: its pressure or all of its steps on a GPU, or everything on the processor.

use unstick_gpu::{Backend, Gpu, GpuError, GpuLiquid, Placement};
use unstick_liquid::{Air, LiquidState, Simulation};
use unstick_mlcp::PressureMethod;

use crate::file::{Place, SceneError};
use crate::run::{DeviceWork, Stepper};
use crate::scene::Scene;

/// What a scene says of it.
#[derive(Clone, Debug, Default)]
pub struct Backing {
    /// What the scene asks for. Default: the processor.
    pub backend: Backend,
    /// Where it was written.
    pub(crate) place: Option<Place>,
}

impl<const D: usize> Scene<D> {
    /// Where the pressure is going to be solved for; a GPU that is asked for and not there, or lacks the memory, is
    /// refused.
    pub fn placement(&self) -> Result<Placement, SceneError> {
        let on_processor = |reason| match self.backing.backend {
            Backend::Cpu => Ok(Placement::Cpu(None)),
            Backend::Auto => Ok(Placement::Cpu(Some(reason))),
            Backend::Gpu => Err(reason),
        };
        let placement = match self.setup.pressure.solver {
            _ if !self.bodies.is_empty() => on_processor(BODIES),
            _ if self.setup.air != Air::Open => on_processor(AIR),
            PressureMethod::Solver(name) => self.backing.backend.place_on(&name, &self.setup.grid.cells()),
            PressureMethod::Splitting(_) => on_processor(SPLITTING),
        };
        placement.map_err(|error| self.refuse_gpu(&error))
    }

    /// What takes the steps of a run, from the beginning or from a state: the device that the scene asks for, if it does
    /// all that the scene needs, else the processor, perhaps with the pressure on the device.
    pub(crate) fn stepper(&self, state: Option<LiquidState<D>>) -> Result<Box<dyn Stepper<D>>, SceneError> {
        let mut simulation = self.unplaced(state)?;
        if let (Some(gpu), None) = (self.placement()?.gpu(), self.left_to_processor()) {
            match GpuLiquid::new(gpu, simulation) {
                Ok(liquid) => return Ok(Box::new(liquid)),
                Err((error, _)) if self.backing.backend == Backend::Gpu => return Err(self.refuse_gpu(&error)),
                Err((_, same)) => simulation = same,
            }
        }
        self.place(&mut simulation)?;
        Ok(Box::new(simulation))
    }

    /// Why the steps are not taken on a device, although one may solve for the pressure.
    fn left_to_processor(&self) -> Option<GpuError> {
        match self.bodies.is_empty() {
            true => GpuLiquid::check(&self.setup).err(),
            false => Some(BODIES),
        }
    }

    /// What a device does for this scene.
    pub fn work_of_device(&self) -> DeviceWork {
        match self.left_to_processor() {
            None => DeviceWork::Steps,
            Some(_) => DeviceWork::Pressure,
        }
    }

    /// A remark for scenes that ask for a GPU and leave most of the work to the processor.
    pub(crate) fn device_remark(&self) -> Option<String> {
        let is_wanted = self.backing.backend != Backend::Cpu && Gpu::first().is_ok();
        let reason = self.left_to_processor().filter(|_| is_wanted)?;
        Some(format!("the GPU solves for the pressure at most, and the processor does the rest of each step: {reason}"))
    }

    /// Hands the pressure of a simulation to the device that the scene asks for, if any.
    pub(crate) fn place(&self, simulation: &mut Simulation<D>) -> Result<(), SceneError> {
        let (Some(gpu), PressureMethod::Solver(name)) = (self.placement()?.gpu(), self.setup.pressure.solver) else {
            return Ok(());
        };
        let options = self.setup.pressure.stop();
        let mut solver = gpu.solver(&name, options).map_err(|error| self.refuse_gpu(&error))?;
        solver.prepare(&self.setup.grid.cells()).map_err(|error| self.refuse_gpu(&error))?;
        simulation.solve_on(Box::new(solver));
        Ok(())
    }

    fn refuse_gpu(&self, error: &GpuError) -> SceneError {
        let message = format!("the pressure cannot be solved for on the GPU: {error}");
        let error = match &self.backing.place {
            Some(place) => SceneError::at(place, message, "asked for here"),
            None => SceneError::anywhere(message),
        };
        error.with_help(Some("`auto` takes the GPU where it can; `unstick doctor` says what is there".into()))
    }
}

const BODIES: GpuError = GpuError::Unsupported("bodies afloat are coupled with the liquid on the processor");

const AIR: GpuError = GpuError::Unsupported("enclosed air is worked out by the processor");

const SPLITTING: GpuError = GpuError::Unsupported("splittings run on the processor");
