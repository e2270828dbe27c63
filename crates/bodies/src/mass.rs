//! Mass and inertia.

use unstick_grid::vector::{Matrix, identity};

/// Mass, and inertia about the centre of mass in the axes of the body.
///
/// In the plane only the third diagonal entry of the inertia is used. The rest is the identity, so that the inverse
/// exists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass in kg; in the plane per metre of depth.
    pub mass: f64,
    /// Inertia in kg m².
    pub inertia: Matrix<3>,
}

impl MassProperties {
    /// Of a flat body: inertia per mass about the third axis.
    pub(crate) fn planar(mass: f64, per_mass: f64) -> Self {
        let mut inertia = identity();
        inertia[2][2] = mass * per_mass;
        Self { mass, inertia }
    }

    /// Of a body whose axes are principal: inertia per mass about each.
    pub(crate) fn spatial(mass: f64, per_mass: [f64; 3]) -> Self {
        let mut inertia = [[0.0; 3]; 3];
        (0..3).for_each(|axis| inertia[axis][axis] = mass * per_mass[axis]);
        Self { mass, inertia }
    }
}
