//! The viscous step: momentum with the pressure of the step before, implicit in the velocity and in the bodies.
//!
//! The unknowns are the velocities of open faces and the twists of free bodies; faces inside a body follow its twist.
//! The row of a body holds its excess mass over the liquid in its place. In these unknowns the equations are symmetric
//! and positive definite, and as stable for bodies lighter than the liquid as for heavy ones.

mod precondition;

use nalgebra::{Matrix6, Vector6};
use unstick_mlcp::{Convergence, Outcome, is_interrupted, show_system};
use unstick_parallel::binary::{shifted, unusual_exponent};

use crate::direct::Separable;
use crate::discrete::Discrete;
use crate::immersed::{HeldFace, HeldFaces};
use crate::momentum::Momentum;
use crate::setup::StopAt;
use crate::stencil::{self, Helmholtz};
use crate::stress::Stress;
use crate::twist::exists;
use precondition::Preconditioner;

/// The matrix of a viscous step.
pub(crate) struct Viscous<'a, const D: usize> {
    pub discrete: &'a Discrete<D>,
    pub held_faces: &'a HeldFaces<D>,
    /// Excess mass of each body over the liquid in its place; none where its motion is given.
    pub excess: &'a [Option<Matrix6<f64>>],
    /// Coefficient of the new velocity in its rate of change, per second.
    pub shift: f64,
    /// The viscosity; a typical one where it varies.
    pub viscosity: f64,
    /// The varying viscosity, if it varies.
    pub stress: Option<&'a Stress<D>>,
}

impl<const D: usize> Viscous<'_, D> {
    /// The operator of liquid without bodies, of one viscosity.
    fn helmholtz(&self) -> Helmholtz {
        Helmholtz { shift: self.shift, scale: self.viscosity }
    }

    /// `out` ← A x. Inside bodies x must hold the velocity of their twists.
    pub fn apply(&self, x: &Momentum<D>, out: &mut Momentum<D>) {
        match self.stress {
            Some(stress) => stress.apply(self.discrete, self.shift, &x.faces, false, &mut out.faces),
            None => {
                for component in 0..D {
                    let operators = &self.discrete.velocity[component];
                    let (x, out) = (x.faces[component].values(), out.faces[component].values_mut());
                    stencil::apply(operators, self.helmholtz(), x, out);
                }
            }
        }
        for (body, twist) in x.bodies.iter().enumerate() {
            let mut row = self.excess[body].map_or(Vector6::zeros(), |excess| self.shift * excess * twist);
            for held in &self.held_faces.cut[body] {
                let slip = x.faces[held.component].values()[held.index] - held.basis.dot(twist);
                let drag = self.viscosity_at(held) * held.drag * slip;
                out.faces[held.component].values_mut()[held.index] += drag;
                row -= held.basis * drag;
            }
            out.bodies[body] = row;
        }
        self.gather(out);
    }

    /// The viscosity at a face that a body holds.
    pub fn viscosity_at(&self, held: &HeldFace<D>) -> f64 {
        self.stress.map_or(self.viscosity, |stress| stress.at_face(self.discrete, held.component, held.place))
    }

    /// The diagonal of a face without the drag of bodies.
    fn diagonal_at(&self, held: &HeldFace<D>) -> f64 {
        let operators = &self.discrete.velocity[held.component];
        let stiffness: f64 = (0..D)
            .map(|axis| operators[axis].diagonal[held.place[axis]] / operators[axis].mass[held.place[axis]])
            .sum();
        held.volume * (self.shift + self.viscosity * stiffness)
    }

    /// Rows of faces inside a body are added to the rows of that body.
    pub fn gather(&self, rows: &mut Momentum<D>) {
        for (body, inside) in self.held_faces.inside.iter().enumerate() {
            let mut row = rows.bodies[body];
            for held in inside {
                let value = &mut rows.faces[held.component].values_mut()[held.index];
                row += held.basis * *value;
                *value = 0.0;
            }
            (0..6).filter(|&part| !exists::<D>(part)).for_each(|part| row[part] = 0.0);
            rows.bodies[body] = if self.excess[body].is_some() { row } else { Vector6::zeros() };
        }
    }

    /// Solves A x = `right` by conjugate gradients from the given x. The residual is the largest change of velocity that
    /// the preconditioner makes of the defect, as a part of the largest velocity.
    ///
    /// On entry the rows of `right` are gathered and x holds boundary values and prescribed twists.
    pub fn solve(
        &self,
        right: &Momentum<D>,
        x: &mut Momentum<D>,
        solvers: &mut [Separable<D>; D],
        StopAt { tolerance, max_iterations }: StopAt,
    ) -> Convergence {
        self.held_faces.fill(&x.bodies, &mut x.faces);
        let mut residual = Momentum::zero(self.discrete, x.bodies.len());
        self.apply(x, &mut residual);
        residual.negate();
        residual.add(1.0, right);
        let mut z = residual.clone();
        if self.held_faces.is_empty() && self.stress.is_none() {
            for component in 0..D {
                solvers[component].solve(self.helmholtz(), z.faces[component].values_mut());
            }
            x.add(1.0, &z);
            return Convergence::direct(1);
        }
        // Defects too small or too large to be squared are scaled; `unit` scales back what they change.
        let exponent = unusual_exponent(residual.largest());
        residual.shift(-exponent);
        let unit = shifted(1.0, exponent);
        let preconditioner = Preconditioner::new(self);
        let mut direction = Momentum::zero(self.discrete, x.bodies.len());
        let mut product = direction.clone();
        let mut last = 1.0;
        let mut iterations = 0;
        loop {
            preconditioner.apply(self, &residual, &mut z, solvers);
            // The defect as velocities: a sum over cells of all sizes would hardly see the small ones at bodies.
            self.held_faces.fill(&z.bodies, &mut z.faces);
            let (left, fastest) = (unit * z.fastest(), x.fastest());
            let is_done = left <= tolerance * fastest;
            let part = if fastest > 0.0 { left / fastest } else { left };
            let ended = |outcome| Convergence::new(outcome, iterations, part, tolerance);
            if is_done || iterations == max_iterations || is_interrupted() {
                let ended = ended(if is_done { Outcome::Converged } else { Outcome::IterationLimit });
                show_system("viscosity", &ended, || self.defect_left(right, x, solvers, &preconditioner));
                return ended;
            }
            let slope = residual.dot(&z);
            direction.follow(&z, if iterations == 0 { 0.0 } else { slope / last });
            last = slope;
            self.held_faces.fill(&direction.bodies, &mut direction.faces);
            self.apply(&direction, &mut product);
            let curvature = direction.dot(&product);
            if curvature.is_nan() || curvature <= 0.0 {
                return ended(Outcome::Stalled);
            }
            let step = slope / curvature;
            x.add(unit * step, &direction);
            residual.add(-step, &product);
            iterations += 1;
        }
    }

    /// The defect of x in the measure of the solve, from the equations.
    fn defect_left(
        &self,
        right: &Momentum<D>,
        x: &Momentum<D>,
        solvers: &mut [Separable<D>; D],
        preconditioner: &Preconditioner<D>,
    ) -> f64 {
        let mut defect = Momentum::zero(self.discrete, x.bodies.len());
        self.apply(x, &mut defect);
        defect.negate();
        defect.add(1.0, right);
        let mut change = defect.clone();
        preconditioner.apply(self, &defect, &mut change, solvers);
        self.held_faces.fill(&change.bodies, &mut change.faces);
        let (left, fastest) = (change.fastest(), x.fastest());
        if fastest > 0.0 { left / fastest } else { left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::immersed::{FlowBody, Surface};
    use crate::testing::{even_square, waves};

    /// Calls `check` with the matrix of a step around a free disc, stiff or not.
    fn with_a_disc(viscosity: f64, check: impl Fn(&Viscous<2>, &mut [Separable<2>; 2])) {
        let discrete = even_square(16);
        let mut held_faces = HeldFaces::new(&discrete);
        held_faces.update(&discrete, &[FlowBody::ball([0.45, 0.5], 0.2)], Surface::CutLinks);
        let excess = [Some(Matrix6::identity() * 0.05)];
        let (held_faces, excess) = (&held_faces, &excess);
        let viscous = Viscous { discrete: &discrete, held_faces, excess, shift: 10.0, viscosity, stress: None };
        let mut solvers = std::array::from_fn(|component| Separable::new(&discrete.velocity[component]));
        check(&viscous, &mut solvers);
    }

    fn momentum(viscous: &Viscous<2>, pace: f64) -> Momentum<2> {
        let twist = Vector6::new(pace, -0.5 * pace, 0.0, 0.0, 0.0, 2.0);
        let mut momentum = Momentum { faces: waves(viscous.discrete, pace), bodies: vec![twist] };
        viscous.held_faces.fill(&momentum.bodies, &mut momentum.faces);
        momentum
    }

    #[test]
    fn matrix_and_preconditioner_are_symmetric() {
        for viscosity in [0.01, 10.0] {
            with_a_disc(viscosity, |viscous, solvers| {
                let (x, y) = (momentum(viscous, 0.37), momentum(viscous, 1.71));
                let product = |a: &Momentum<2>, b: &Momentum<2>| {
                    let mut out = Momentum::zero(viscous.discrete, 1);
                    viscous.apply(a, &mut out);
                    out.dot(b)
                };
                assert!((product(&x, &y) - product(&y, &x)).abs() < 1e-10 * product(&x, &x), "{viscosity}");
                let preconditioner = Preconditioner::new(viscous);
                let [mut x, mut y] = [x, y];
                viscous.gather(&mut x);
                viscous.gather(&mut y);
                let mut product = |a: &Momentum<2>, b: &Momentum<2>| {
                    let mut out = Momentum::zero(viscous.discrete, 1);
                    preconditioner.apply(viscous, a, &mut out, solvers);
                    out.dot(b)
                };
                assert!((product(&x, &y) - product(&y, &x)).abs() < 1e-10 * product(&x, &x), "{viscosity}");
            });
        }
    }

    #[test]
    fn the_solve_finds_what_made_the_right_hand_side_and_says_when_it_did_not() {
        with_a_disc(0.01, |viscous, solvers| {
            let wanted = momentum(viscous, 0.37);
            let mut right = Momentum::zero(viscous.discrete, 1);
            viscous.apply(&wanted, &mut right);
            let mut x = Momentum::zero(viscous.discrete, 1);
            let ended = viscous.solve(&right, &mut x, solvers, StopAt { tolerance: 1e-11, max_iterations: 200 });
            x.add(-1.0, &wanted);
            assert!(ended.converged() && x.fastest() < 1e-9, "{ended}, {}", x.fastest());
            let mut x = Momentum::zero(viscous.discrete, 1);
            let ended = viscous.solve(&right, &mut x, solvers, StopAt { tolerance: 1e-11, max_iterations: 2 });
            assert_eq!((ended.outcome, ended.iterations), (Outcome::IterationLimit, 2));
            assert!(ended.residual > 1e-11);
        });
    }

    #[test]
    fn momenta_that_cannot_be_squared_are_solved_for_as_well() {
        with_a_disc(0.01, |viscous, solvers| {
            for exponent in [-1000, -700, 0, 700] {
                let mut wanted = momentum(viscous, 0.37);
                wanted.shift(exponent);
                let mut right = Momentum::zero(viscous.discrete, 1);
                viscous.apply(&wanted, &mut right);
                let mut x = Momentum::zero(viscous.discrete, 1);
                let ended = viscous.solve(&right, &mut x, solvers, StopAt { tolerance: 1e-11, max_iterations: 200 });
                let fastest = wanted.fastest();
                x.add(-1.0, &wanted);
                assert!(ended.converged() && x.fastest() < 1e-9 * fastest, "2^{exponent}: {ended}");
            }
        });
    }
}
