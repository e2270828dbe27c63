//! The systems along the axis without a transform, one for each wave.
//!
//! For a wave with eigenvalue λ: −x_{k−1} + (λ + d_k) x_k − x_{k+1} = r_k with d_k = 2 inside and 1 plus the coupling
//! beyond at the ends.

use unstick_parallel::tridiagonal::Tridiagonal;

use super::transform::Transform;

pub(super) struct Sweep {
    /// Of the waves of a plane.
    eigenvalues: Vec<f64>,
    systems: Tridiagonal,
    /// What the transforms leave to be multiplied by.
    scale: f64,
    /// Whether nothing fixes the constant, the first wave.
    is_closed: bool,
}

impl Sweep {
    pub fn new(transforms: &[Transform; 2], extents: [usize; 3], sides: [f64; 2], unit: f64) -> Self {
        let [first, second, planes] = extents;
        let [along, across] = [(0, first), (1, second)]
            .map(|(axis, count)| (0..count).map(|wave| transforms[axis].eigenvalue(wave)).collect::<Vec<_>>());
        // Planes lie turned: the second axis runs fastest.
        let eigenvalues: Vec<f64> = along.iter().flat_map(|one| across.iter().map(move |other| one + other)).collect();
        let coupling = |is_inside: bool, side: f64| if is_inside { 1.0 } else { side };
        let diagonal = |plane| coupling(plane > 0, sides[0]) + coupling(plane + 1 < planes, sides[1]);
        let diagonals = (0..planes).map(diagonal).collect();
        let systems = Tridiagonal { masses: vec![1.0; planes], diagonals, couplings: vec![1.0; planes] };
        let scale = 1.0 / (unit * transforms[0].scale() * transforms[1].scale());
        Self { is_closed: systems.is_singular(eigenvalues[0]), eigenvalues, systems, scale }
    }

    /// x ← the answers for the right-hand sides x, plane by plane. In a closed box the constant is zero.
    pub fn run(&self, x: &mut [f64]) {
        self.systems.solve(&self.eigenvalues, self.scale, x);
        if self.is_closed {
            let waves = self.eigenvalues.len();
            let planes = x.len() / waves;
            let mean = x.iter().step_by(waves).sum::<f64>() / planes as f64;
            x.iter_mut().step_by(waves).for_each(|value| *value -= mean);
        }
    }
}
