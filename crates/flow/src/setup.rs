//! What does not change during a simulation.

use unstick_mlcp::Unconverged;

use crate::boundary::Boundary;
use crate::error::SetupError;
use crate::immersed::Surface;
use crate::tensor::TensorGrid;
use crate::viscosity::Viscosity;

/// A box full of liquid.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSetup<const D: usize> {
    /// The grid. [`Flow::advance_onto`](crate::Flow::advance_onto) moves its nodes.
    pub grid: TensorGrid<D>,
    /// Lower and upper side of each axis.
    pub sides: [[Boundary<D>; 2]; D],
    /// Mass per volume.
    pub density: f64,
    /// Kinematic viscosity.
    pub viscosity: Viscosity,
    /// A force per mass that acts everywhere. Gravity need not be given: the pressure is the one without gravity.
    pub force: [f64; D],
    /// How the flow meets the surfaces of bodies.
    pub surface: Surface,
    /// How the equations are solved.
    pub solve: SolveParams,
}

/// How the equations are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SolveParams {
    /// The viscous step stops when no velocity is off by more than about this part of the largest. Default 1e-6.
    pub viscous_tolerance: f64,
    /// The pressure solve stops when this part of the divergence is left. Default 1e-4.
    pub pressure_tolerance: f64,
    /// Largest number of iterations of either solve. Default 500.
    pub max_iterations: usize,
    /// What happens when a solve misses its tolerance. Default: an error. Only whoever moves the bodies can shorten the
    /// step: [`Flow::advance`](crate::Flow::advance) returns the error instead.
    pub on_unconverged: Unconverged,
}

/// When an iteration may stop, and when it must.
#[derive(Clone, Copy)]
pub(crate) struct StopAt {
    pub tolerance: f64,
    pub max_iterations: usize,
}

impl Default for SolveParams {
    fn default() -> Self {
        Self {
            viscous_tolerance: 1e-6,
            pressure_tolerance: 1e-4,
            max_iterations: 500,
            on_unconverged: Unconverged::default(),
        }
    }
}

impl<const D: usize> FlowSetup<D> {
    /// Liquid of density 1 between walls at rest.
    pub fn new(grid: TensorGrid<D>, viscosity: f64) -> Self {
        Self {
            grid,
            sides: std::array::from_fn(|_| [Boundary::wall(), Boundary::wall()]),
            density: 1.0,
            viscosity: Viscosity::Newtonian(viscosity),
            force: [0.0; D],
            surface: Surface::default(),
            solve: SolveParams::default(),
        }
    }

    /// Refuses what cannot be simulated.
    pub fn check(&self) -> Result<(), SetupError> {
        for (axis, sides) in self.sides.iter().enumerate() {
            let periodic = sides.iter().filter(|&side| *side == Boundary::Periodic).count();
            if periodic == 1 {
                return Err(SetupError::HalfPeriodic(axis));
            }
            for side in sides {
                let numbers = match side {
                    Boundary::NoSlip { velocity } => velocity.to_vec(),
                    Boundary::Inflow(inflow) => vec![inflow.speed],
                    _ => Vec::new(),
                };
                if numbers.iter().any(|value| !value.is_finite()) {
                    return Err(SetupError::NotFinite("velocity of a side"));
                }
                if let Boundary::NoSlip { velocity } = side
                    && velocity[axis] != 0.0
                {
                    return Err(SetupError::WallThroughItself { axis, speed: velocity[axis] });
                }
            }
        }
        let has_inflow = self.sides.iter().flatten().any(|side| matches!(side, Boundary::Inflow(_)));
        let has_outflow = self.sides.iter().flatten().any(|side| matches!(side, Boundary::Outflow));
        if has_inflow && !has_outflow {
            return Err(SetupError::NoOutflow);
        }
        if !(self.density > 0.0 && self.density.is_finite()) {
            return Err(SetupError::Density(self.density));
        }
        if !self.viscosity.is_valid() {
            return Err(SetupError::Viscosity(self.viscosity));
        }
        if self.force.iter().any(|value| !value.is_finite()) {
            return Err(SetupError::NotFinite("force"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Axis;
    use crate::boundary::Inflow;

    /// What a changed setup is refused for.
    fn refused(change: impl Fn(&mut FlowSetup<2>)) -> SetupError {
        let axis = || Axis::uniform(0.0, 1.0, 4).unwrap();
        let mut setup = FlowSetup::new(TensorGrid::new([axis(), axis()]), 0.1);
        assert_eq!(setup.check(), Ok(()));
        change(&mut setup);
        setup.check().unwrap_err()
    }

    #[test]
    fn impossible_setups_are_refused_with_their_numbers() {
        assert_eq!(refused(|setup| setup.sides[1][0] = Boundary::Periodic), SetupError::HalfPeriodic(1));
        let lid = |setup: &mut FlowSetup<2>| setup.sides[0][1] = Boundary::NoSlip { velocity: [2.0, 0.0] };
        assert_eq!(refused(lid), SetupError::WallThroughItself { axis: 0, speed: 2.0 });
        let inflow = |setup: &mut FlowSetup<2>| setup.sides[0][0] = Boundary::Inflow(Inflow::uniform(1.0));
        assert_eq!(refused(inflow), SetupError::NoOutflow);
        assert_eq!(refused(|setup| setup.density = -1.0), SetupError::Density(-1.0));
        let thin = Viscosity::Newtonian(-2.0);
        assert_eq!(refused(|setup| setup.viscosity = thin), SetupError::Viscosity(thin));
        assert_eq!(refused(|setup| setup.force[0] = f64::NAN), SetupError::NotFinite("force"));
    }
}
