//! The pressure problem as fields.

use unstick_grid::{CellField, FaceField, Grid};
use unstick_mlcp::fields::{PressureFields, WallFields};

use crate::cells::fill;
use crate::setup::Setup;
use crate::solids::Geometry;
use crate::state::LiquidState;

/// The terms of the right-hand side beside the velocity.
#[derive(Clone, Debug)]
pub struct PressureSources<const D: usize> {
    /// The flow that moving walls carry across the faces.
    pub flow: Option<FaceField<f64, D>>,
    /// Divergence asked for in each cell, in 1/s.
    pub divergence: Option<CellField<f64, D>>,
    /// The least scaled pressure in each cell, where walls pull.
    pub lower: Option<CellField<f64, D>>,
}

impl<const D: usize> PressureSources<D> {
    /// Those of a state among solids that do not pull.
    pub fn of(setup: &Setup<D>, geometry: &Geometry<D>, state: &LiquidState<D>) -> Self {
        Self { flow: geometry.wall_flow(), divergence: drive_off_walls(setup, geometry, state), lower: None }
    }

    /// The pressure problem as fields; `version` is that of the geometry.
    pub fn fields<'a>(
        &'a self,
        grid: &Grid<D>,
        geometry: &'a Geometry<D>,
        version: u64,
        liquid: &'a CellField<f64, D>,
        velocity: &'a FaceField<f64, D>,
    ) -> PressureFields<'a, D> {
        let walls = WallFields {
            version,
            open: values(&geometry.open),
            separating: geometry.separating.values(),
            cell_open: geometry.cell_open.values(),
            flow: self.flow.as_ref().map(values),
        };
        PressureFields {
            cells: grid.cells(),
            spacing: grid.spacing(),
            walls,
            liquid: liquid.values(),
            velocity: values(velocity),
            divergence: self.divergence.as_ref().map(CellField::values),
            control: 0.0,
            lower: self.lower.as_ref().map(CellField::values),
        }
    }
}

/// κ as a divergence, r ≥ κ instead of r ≥ 0, in cells whose wall let go in the last step \[Andersen2017b, eq. (48)\].
/// Where the liquid presses on its wall it would inject volume.
fn drive_off_walls<const D: usize>(
    setup: &Setup<D>,
    geometry: &Geometry<D>,
    state: &LiquidState<D>,
) -> Option<CellField<f64, D>> {
    if setup.uniform_control() == Some(0.0) {
        return None;
    }
    let mut divergence = CellField::filled(setup.grid.cells(), 0.0);
    fill(&mut divergence, |cell, value| {
        if state.separated.at(cell) && geometry.cell_open.at(cell) > 0.0 {
            let control = geometry.control(setup, state.time, cell);
            *value = control / (setup.grid.spacing() * geometry.cell_open.at(cell));
        }
    });
    Some(divergence)
}

fn values<const D: usize>(faces: &FaceField<f64, D>) -> [&[f64]; D] {
    std::array::from_fn(|axis| faces[axis].values())
}

#[cfg(test)]
mod tests {
    use unstick_grid::SignedDistance;
    use unstick_mlcp::fields::{FieldSolver, RowSolver};
    use unstick_mlcp::{SolverName, Stop};

    use super::*;
    use crate::Solid;

    /// Solves for the pressure p of the velocity ∇p, which leaves no velocity at all, and returns
    /// the largest error of p (up to a constant if there is no surface) far from and at cut cells.
    fn errors<const D: usize>(
        size: usize,
        container: Option<SignedDistance<D>>,
        surface: &dyn Fn([f64; D]) -> f64,
        p: &dyn Fn([f64; D]) -> f64,
    ) -> (f64, f64) {
        let grid = Grid::<D>::unit(size).unwrap();
        let h = grid.spacing();
        let mut setup = Setup::new(grid);
        setup.solids.extend(container.map(|shape| Solid::still(shape.complement())));
        let geometry = Geometry::at(&setup, 0.0);
        let liquid = CellField::from_fn(&grid, |cell| surface(grid.centre(cell)));
        let velocity = std::array::from_fn(|axis| {
            CellField::of_shape(grid.faces(axis), |face| {
                let (mut below, mut above) = (grid.face_centre(axis, face), grid.face_centre(axis, face));
                below[axis] -= 1e-5;
                above[axis] += 1e-5;
                (p(above) - p(below)) / 2e-5
            })
        });
        let sources = PressureSources { flow: None, divergence: None, lower: None };
        let fields = sources.fields(&grid, &geometry, 0, &liquid, &velocity);
        let name: SolverName = "sticking+cg/mic0".parse().unwrap();
        let mut solver = RowSolver::new(name.build(&Stop::relative(1e-10)));
        let (mut q, mut let_go) = (vec![0.0; grid.len()], vec![false; grid.len()]);
        assert!(solver.solve_fields(&fields, &mut q, &mut let_go).unwrap().converged());
        let cells: Vec<_> = grid.iter().filter(|&cell| fields.is_row(grid.index(cell))).collect();
        let difference: Vec<f64> = cells.iter().map(|&cell| q[grid.index(cell)] * h - p(grid.centre(cell))).collect();
        let has_surface = grid.iter().any(|cell| liquid.at(cell) >= 0.0);
        let mean = if has_surface { 0.0 } else { difference.iter().sum::<f64>() / difference.len() as f64 };
        let (mut inner, mut cut) = (0.0f64, 0.0f64);
        for (&cell, difference) in cells.iter().zip(&difference) {
            let is_closed = |axis: usize, step: usize| {
                let mut face = cell;
                face[axis] += step;
                geometry.open[axis].at(face) < 1.0
            };
            let is_cut = (0..2 * D).any(|side| is_closed(side / 2, side % 2))
                || (0..2 * D).any(|side| {
                    grid.neighbour(cell, side / 2, side % 2 == 1).is_none_or(|other| liquid.at(other) >= 0.0)
                });
            let error = (difference - mean).abs();
            if is_cut { cut = cut.max(error) } else { inner = inner.max(error) }
        }
        (inner, cut)
    }

    fn converges<const D: usize>(
        size: usize,
        container: Option<SignedDistance<D>>,
        surface: &dyn Fn([f64; D]) -> f64,
        p: &dyn Fn([f64; D]) -> f64,
    ) {
        let coarse = errors(size, container.clone(), surface, p);
        // Two halvings at once: how the border happens to cut its cells makes single ones uneven.
        let fine = errors(4 * size, container, surface, p);
        assert!(coarse.0 > 11.0 * fine.0, "inside: {} then {}", coarse.0, fine.0);
        assert!(coarse.1 > 4.0 * fine.1, "at the border: {} then {}", coarse.1, fine.1);
    }

    #[test]
    fn pressure_is_of_second_order_inside_and_at_least_first_at_walls_and_surfaces() {
        let wave = |at: &[f64]| (3.0 * at[0]).sin() * (2.0 * at[1] + 0.3).cos();
        let squared = |at: &[f64]| at.iter().map(|x| (x - 0.5) * (x - 0.5)).sum::<f64>();
        // A closed round container: walls alone.
        converges::<2>(24, Some(SignedDistance::sphere([0.5; 2], 0.4)), &|_| -1.0, &|at| wave(&at));
        converges::<3>(12, Some(SignedDistance::sphere([0.5; 3], 0.4)), &|_| -1.0, &|at| wave(&at));
        // A drop in the air: a free surface alone, on which p vanishes.
        let drop2 = |at: [f64; 2]| squared(&at).sqrt() - 0.31;
        converges::<2>(24, None, &drop2, &|at| (0.31f64.powi(2) - squared(&at)) * (1.0 + at[0]));
        let drop3 = |at: [f64; 3]| squared(&at).sqrt() - 0.31;
        converges::<3>(16, None, &drop3, &|at| (0.31f64.powi(2) - squared(&at)) * (1.0 + at[0]));
    }
}
