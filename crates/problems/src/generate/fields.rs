//! From functions of space to a problem: sampled on a grid, then made into rows as those of a simulation are.

use unstick_grid::{CellField, FaceField, Grid};
use unstick_mlcp::fields::{PressureFields, WallFields};

use super::GenerateError;
use super::part::Part;
use crate::problem::Problem;

/// What a pressure problem is made of.
pub(super) struct Fields<const D: usize> {
    pub grid: Grid<D>,
    /// Open fraction of every face. An open face on the border leads into air.
    pub open: FaceField<f64, D>,
    /// Distance to the surface of the liquid, negative inside.
    pub liquid: CellField<f64, D>,
    /// Intermediate velocity across every face.
    pub velocity: FaceField<f64, D>,
    /// Whether the walls of a cell separate; sealed walls make no complementary rows.
    pub separating: CellField<bool, D>,
}

impl<const D: usize> Fields<D> {
    /// Samples functions of space: the distance to the liquid, the velocity along an axis, and where walls separate.
    pub fn sample(
        part: Part<D>,
        open: FaceField<f64, D>,
        liquid: impl Fn([f64; D]) -> f64 + Sync,
        velocity: impl Fn(usize, [f64; D]) -> f64 + Sync,
        separates: impl Fn([f64; D]) -> bool,
    ) -> Self {
        let separating = part.cells(separates);
        let (liquid, velocity) = (part.sample_cells(liquid), part.sample_faces(velocity));
        Self { grid: *part.grid(), open, liquid, velocity, separating }
    }

    /// The problem.
    pub fn problem(&self) -> Result<Problem, GenerateError> {
        Ok(Problem::from_rows(&self.grid, self.pressure().rows()?)?)
    }

    /// The fields as solvers see them.
    pub fn pressure(&self) -> PressureFields<'_, D> {
        let walls = WallFields {
            version: 0,
            open: self.open.each_ref().map(CellField::values),
            separating: self.separating.values(),
            cell_open: &[], // matters only where a divergence is asked for
            flow: None,
        };
        PressureFields {
            cells: self.grid.cells(),
            spacing: self.grid.spacing(),
            walls,
            liquid: self.liquid.values(),
            velocity: self.velocity.each_ref().map(CellField::values),
            divergence: None,
            control: 0.0,
            lower: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use unstick_mlcp::SolverName;

    use super::*;

    /// A column of liquid at rest under gravity: q grows linearly with depth and is exact, since the
    /// discretisation is exact for linear pressures.
    #[test]
    fn hydrostatic_pressure_is_exact() {
        let grid = Grid::<2>::unit(8).unwrap();
        let open = std::array::from_fn(|axis| {
            CellField::of_shape(grid.faces(axis), |face: [usize; 2]| {
                let is_on_border = face[axis] == 0 || face[axis] == 8;
                if is_on_border { 0.0 } else { 1.0 }
            })
        });
        let surface = 0.7;
        let gravity = |axis, _| if axis == 1 { -1.0 } else { 0.0 };
        let fields = Fields::sample(Part::whole(grid), open, |point| point[1] - surface, gravity, |_| true);
        let problem = fields.problem().unwrap();
        let mut q = vec![0.0; problem.size()];
        let mut solver = "policy".parse::<SolverName>().unwrap().build(&Default::default());
        assert!(solver.solve(problem.mlcp(), &mut q).unwrap().converged());
        for (q, &cell) in q.iter().zip(&problem.grid().unwrap().cells) {
            let depth = surface - ((cell / 8) as f64 + 0.5) / 8.0;
            assert!((q - 8.0 * depth).abs() < 1e-5, "{q} at depth {depth}");
        }
    }
}
