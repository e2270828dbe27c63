//! Viscosity and walls that drag, by the equations of `unstick_liquid`: implicit, with the whole stress, and after a first
//! pressure.
//!
//! Velocity and strain are stored in single precision, and so is all of a cycle. Each number then has an error of its own
//! of 6e-8, and what is solved is a system of the same kind. Conjugate gradients are in double precision: differences of the
//! velocity, whose digits cancel in stiff liquid, are those of the change and not of the whole.

mod levels;
mod solve;

use unstick_liquid::{Drag, Rules, Setup, Viscosity};
use unstick_mlcp::Convergence;
use unstick_mlcp::fields::Window;

use super::memory::StepMemory;
use crate::assemble::wider;
use crate::driver::Kernel;
use crate::error::GpuError;
use crate::layout::{DeviceFaces, DeviceFields, Pointer, ViscousLaw};

use levels::set_smoothing;

pub(super) use levels::{lay_out, most_faces};

/// Whether the kernels know the law of viscosity and what walls do.
pub(super) fn is_known<const D: usize>(setup: &Setup<D>) -> bool {
    let is_known = |drag: &Drag<D>| matches!(drag, Drag::None | Drag::SlipLength(_) | Drag::Friction(_));
    law_of(&setup.viscosity).is_some() && setup.drags().all(is_known)
}

/// A law and its numbers, as the kernels take them.
fn law_of(viscosity: &Viscosity) -> Option<(ViscousLaw, [f64; 4])> {
    Some(match *viscosity {
        Viscosity::Newtonian(value) => (ViscousLaw::Newtonian, [value, 0.0, 0.0, 0.0]),
        Viscosity::PowerLaw { consistency, exponent, bounds: [least, most] } => {
            (ViscousLaw::PowerLaw, [consistency, exponent, least, most])
        }
        Viscosity::Carreau { at_rest, sheared, relaxation, exponent } => {
            (ViscousLaw::Carreau, [at_rest, sheared, relaxation, exponent])
        }
        Viscosity::Yield { stress, consistency, exponent, at_rest } => {
            (ViscousLaw::Yield, [stress, consistency, exponent, at_rest])
        }
        _ => return None,
    })
}

/// The numbers that all viscous steps of a setup share.
pub(super) fn set_viscous_rules<const D: usize>(memory: &mut StepMemory, setup: &Setup<D>) {
    let rules = Rules::NOW.viscous;
    let viscous = &mut memory.step().viscous;
    if let Some((law, numbers)) = law_of(&setup.viscosity) {
        (viscous.law, viscous.numbers) = (law as i32, numbers);
    }
    viscous.mouth = setup.mouth();
    set_smoothing(viscous);
    (viscous.least_mass, viscous.least_distance) = (rules.least_mass, rules.least_distance);
    (viscous.least_width, viscous.stops, viscous.leaves) = (rules.least_width, rules.stops, rules.leaves);
    (viscous.far, viscous.clear) = (rules.far, rules.clear);
}

/// Rounds in which viscosity and friction follow the velocity.
fn rounds_of<const D: usize>(setup: &Setup<D>) -> usize {
    let has_friction = setup.drags().any(|drag| matches!(drag, Drag::Friction(_)));
    if matches!(setup.viscosity, Viscosity::Newtonian(_)) && !has_friction { 1 } else { Rules::NOW.viscous.rounds }
}

impl StepMemory {
    /// Whether there is viscosity or friction.
    pub fn has_stress(&self) -> bool {
        self.counts.is_viscous
    }

    /// The velocity before the pressure, where stress changes it.
    pub fn forced(&self) -> DeviceFaces {
        DeviceFaces { value: self.args.liquid.viscous.forced, known: [Pointer::NULL; 3] }
    }

    /// Lets forces act.
    pub fn apply_forces(&mut self) -> Result<(), GpuError> {
        self.over_faces(Kernel::ApplyForces)
    }

    /// Takes a predicted pressure and what it changes of the velocity, also a little beyond the liquid.
    pub fn predict_velocity(&mut self, fields: Pointer<DeviceFields>) -> Result<(), GpuError> {
        self.swap_pressures();
        self.args.fields = fields;
        self.over_faces(Kernel::PredictVelocity)?;
        let step = self.args.liquid;
        self.extrapolate(DeviceFaces { value: step.carrying.value, known: step.gathered.known }, 2..=3)
    }

    /// The pressure of the last step and the prediction change places.
    pub fn swap_pressures(&mut self) {
        let step = self.step();
        std::mem::swap(&mut step.pressure, &mut step.viscous.pressure_before);
        std::mem::swap(&mut step.separated, &mut step.viscous.separated_before);
    }

    /// Lets viscosity and walls act for a time of `kick` on the liquid in a window. The sources at work have these numbers.
    pub fn apply_stress<const D: usize>(
        &mut self,
        setup: &Setup<D>,
        sources: &[usize],
        kick: f64,
        window: Window<D>,
    ) -> Result<Convergence, GpuError> {
        let window = wider(window, setup.grid.cells());
        let mut levels = self.levels_of(window.size);
        let viscous = &mut self.step().viscous;
        (viscous.kick, viscous.scale) = (kick, kick / setup.grid.spacing().powi(2));
        (0..D).for_each(|axis| viscous.first[axis] = window.first[axis] as i32);
        self.over_box(&levels, 0, Kernel::EnterBox)?;
        let mut convergence = Convergence::default();
        for round in 0..rounds_of(setup) {
            self.step().viscous.round = round as i32;
            if !self.args.liquid.viscous.viscosity.is_null() {
                self.over_box(&levels, 0, Kernel::FindViscosity)?;
            }
            self.over_box(&levels, 0, Kernel::FillStrain)?;
            self.over_box(&levels, 0, Kernel::DragWalls)?;
            for &source in sources {
                self.step().emitter = source as i32;
                self.over_box(&levels, 0, Kernel::HoldSource)?;
            }
            convergence = convergence.and(self.solve_stress(&mut levels, setup.viscosity_tolerance)?);
        }
        self.over_box(&levels, 0, Kernel::LeaveBox)?;
        Ok(convergence)
    }
}
