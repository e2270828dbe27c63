//! Divergence and walls in turn: the splittings of \[Eckert2014, ch. 3\].
//!
//! A pressure solve that sees no solids makes the velocity free of divergence, and the walls are
//! enforced on that velocity. The two are repeated until both hold. Which walls the liquid leaves is
//! decided once per step, from the velocity or the pressure of the first solve. A wall that the liquid
//! then flows into is taken back, and no other is added.
//!
//! | name | what is repeated | source |
//! |---|---|---|
//! | `admm` | solve, walls, dual update; two velocities | alg. 2 |
//! | `iop` | solve, walls; one velocity | alg. 4 |
//! | `reclassify` | nothing: solve with walls, mark, move with marked walls as air | alg. 5 |
//! | `iop-bc` | the last, with marked walls as air in the solves that follow | §3.5 |
//!
//! Only the closed parts of faces take part in this. Across the open parts the velocity is always
//! u − ∇q with the sum q of all pressures so far. So the outcome is a pressure, and it can be measured as
//! an answer of the complementarity problem that it approximates.

mod alternate;
mod closed_faces;
mod params;
mod reclassify;

pub use params::{Marked, Marking, SplittingParams, Stopping};

use unstick_grid::{CellField, FaceField, Grid};
use unstick_mlcp::fft::check_box;
use unstick_mlcp::{LinearOperator, SolveError, SolverName, Splitting, SplittingName};
use unstick_parallel as parallel;

use crate::cells::multi_index;
use crate::pressure::{PressureRows, RowAnswer};
use crate::solids::Geometry;
use closed_faces::{ClosedFace, ClosedFaces};

/// Linear solver of the source.
const PUBLISHED: &str = "sticking+cg/mic0";

/// What a splitting works on.
pub(crate) struct SplittingInput<'a, const D: usize> {
    pub grid: &'a Grid<D>,
    pub geometry: &'a Geometry<D>,
    /// Distance to the liquid.
    pub liquid: &'a CellField<f64, D>,
    /// The velocity before the pressure, also at walls.
    pub velocity: &'a FaceField<f64, D>,
    pub rows: &'a PressureRows<D>,
    /// Seconds over which the pressure acts.
    pub kick: f64,
}

impl<const D: usize> SplittingInput<'_, D> {
    /// The unit of velocity of the source, in ours: cells per unit of time, of which a step is half.
    pub fn unit(&self) -> f64 {
        self.grid.spacing() / (2.0 * self.kick)
    }

    /// The largest velocity across an open face of the liquid once a pressure has acted.
    fn fastest(&self, q: &[f64]) -> f64 {
        self.largest(q, |axis, index, gradient| self.velocity[axis].values()[index] - gradient)
    }

    /// The largest change of such a velocity that a pressure makes.
    fn largest_change(&self, q: &[f64]) -> f64 {
        self.largest(q, |_, _, gradient| gradient)
    }

    /// The largest absolute value at an open face of the liquid, given its axis, its index and the gradient of a pressure there.
    fn largest(&self, q: &[f64], value: impl Fn(usize, usize, f64) -> f64 + Sync) -> f64 {
        let of_axis = |axis: usize| {
            let open = &self.geometry.open[axis];
            parallel::max(0..open.values().len(), |faces| {
                let open_faces = faces.filter(|&index| open.values()[index] > 0.0);
                open_faces.fold(0.0, |most, index| {
                    let gradient =
                        self.rows.gradient(self.grid, self.liquid, q, axis, multi_index(open.shape(), index));
                    gradient.map_or(most, |gradient| most.max(value(axis, index, gradient).abs()))
                })
            })
        };
        (0..D).map(of_axis).fold(0.0, f64::max)
    }
}

/// Carries out a splitting, from zero.
pub(crate) fn solve<const D: usize>(
    input: &SplittingInput<D>,
    name: SplittingName,
    params: &SplittingParams,
) -> Result<RowAnswer<D>, SolveError> {
    let problem = input.rows.problem()?;
    let mut closed = ClosedFaces::of(input);
    let mut q = vec![0.0; input.rows.cells.len()];
    let method = match name.splitting() {
        Splitting::Admm | Splitting::Iop => alternate::alternate,
        Splitting::Reclassify | Splitting::IopBc => reclassify::reclassify,
    };
    let report = method(input, name, params, &problem, &mut closed, &mut q)?;
    let mut let_go: Vec<u32> =
        closed.list.iter().filter(|face| face.is_left).flat_map(ClosedFace::rows).map(|row| row as u32).collect();
    let_go.sort_unstable();
    let_go.dedup();
    Ok(RowAnswer { report, q, air: Vec::new(), let_go, leaving: closed.leaving(input) })
}

/// What the linear systems of a matrix are solved with.
fn linear(name: SplittingName, operator: &dyn LinearOperator) -> SolverName {
    let by_default = || match check_box(operator) {
        Ok(()) => SolverName::by_transforms(),
        Err(_) => PUBLISHED.parse().expect("a name of the catalogue"),
    };
    name.linear().unwrap_or_else(by_default)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::air::AirState;
    use crate::pressure::{Enclosed, PressureSources};
    use crate::setup::Setup;

    /// A closed box of two by two cells. The centres of the lower two are half a cell below the surface. The velocity
    /// across it is given. Calls `visit` with it.
    pub(crate) fn in_a_box<T>(velocity: f64, visit: impl FnOnce(&SplittingInput<2>) -> T) -> T {
        let setup = Setup::new(Grid::<2>::new([2; 2], 1.0, [0.0; 2]).unwrap());
        let (grid, geometry) = (&setup.grid, &Geometry::at(&setup, 0.0));
        let liquid = CellField::from_fn(grid, |[_, y]| y as f64 - 0.5);
        let mut velocities = std::array::from_fn(|axis| CellField::filled(grid.faces(axis), 0.0));
        [[0, 1], [1, 1]].into_iter().for_each(|face| *velocities[1].at_mut(face) = velocity);
        let sources = PressureSources { flow: None, divergence: None, lower: None };
        let fields = sources.fields(grid, geometry, 0, &liquid, &velocities);
        let air = AirState::default();
        let enclosed = Enclosed { air: &air, touching: &[], scale: 1.0, cell: 1.0 };
        let rows = PressureRows::new(grid, geometry, &fields, (1.0, [0.0; 2]), &enclosed).unwrap();
        visit(&SplittingInput { grid, geometry, liquid: &liquid, velocity: &velocities, rows: &rows, kick: 1.0 })
    }

    #[test]
    fn every_splitting_holds_liquid_that_falls_and_lets_go_of_liquid_that_rises() {
        let params = SplittingParams { inner: 1e-9, outer: 1e-8, absolute: 1e-9, relative: 1e-9, ..Default::default() };
        for name in ["admm", "iop", "reclassify", "iop-bc"] {
            let split = |velocity| in_a_box(velocity, |input| solve(input, name.parse().unwrap(), &params).unwrap());
            let falling = split(-1.0);
            assert!(
                falling.q.iter().all(|q| (q - 0.5).abs() < 1e-6) && falling.let_go.is_empty(),
                "{name}: {:?}",
                falling.q
            );
            let rising = split(1.0);
            assert_eq!(rising.let_go, [0, 1], "{name}");
            assert!(rising.leaving.iter().any(|&(axis, face, up)| (axis, face) == (1, [0, 0]) && up > 0.0), "{name}");
        }
    }
}
