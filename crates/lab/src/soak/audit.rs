//! The natural residual of a pressure solve, computed from the fields of the fluid and from nothing that a solver made.

use std::sync::{Arc, Mutex, PoisonError};

use unstick::mlcp::fields::{FieldSolver, MIN_THETA, PressureFields};
use unstick::mlcp::{SolveError, SolveReport};

/// Part of a target by which an honest residual may differ from ours: both are sums of rounded numbers.
const SLACK: f64 = 0.01;

/// Rounding of a sum, as part of the largest flow through a face.
const ROUNDING: f64 = 1e-12;

/// What was found about the solves of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Findings {
    /// Solves that were audited.
    pub solves: usize,
    /// Those that said that they fell short.
    pub unconverged: usize,
    /// Those that claimed a residual that they do not have.
    pub false_claims: usize,
    /// The largest residual of a claim, in targets.
    pub worst: f64,
}

/// A solver whose answers are audited.
pub struct Audited<const D: usize> {
    solver: Box<dyn FieldSolver<D>>,
    findings: Arc<Mutex<Findings>>,
}

impl<const D: usize> Audited<D> {
    /// Audits a solver. What is found is noted in `findings`.
    pub fn new(solver: Box<dyn FieldSolver<D>>, findings: Arc<Mutex<Findings>>) -> Self {
        Self { solver, findings }
    }
}

impl<const D: usize> FieldSolver<D> for Audited<D> {
    fn solve_fields(
        &mut self,
        fields: &PressureFields<D>,
        q: &mut [f64],
        active: &mut [bool],
    ) -> Result<SolveReport, SolveError> {
        let report = self.solver.solve_fields(fields, q, active)?;
        let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        findings.solves += 1;
        if !report.converged() {
            findings.unconverged += 1;
            return Ok(report);
        }
        let Residual { natural, largest_flow } = residual(fields, q);
        // What liquid without air has too much of is spread over its rows and cannot be solved away.
        let pockets = report.pockets().iter().map(|pocket| pocket.imbalance.abs()).fold(0.0, f64::max);
        let allowed = (1.0 + SLACK) * report.target() + ROUNDING * largest_flow + pockets;
        findings.worst = findings.worst.max(natural / allowed.max(f64::MIN_POSITIVE));
        // Not `natural > allowed`: a residual that is no number is a false claim.
        if natural.partial_cmp(&allowed).is_none_or(|order| order.is_gt()) {
            findings.false_claims += 1;
        }
        Ok(report)
    }
}

/// What remains of a problem.
#[derive(Clone, Copy, Debug)]
pub struct Residual {
    /// ‖H‖∞.
    pub natural: f64,
    /// The largest flow through a face before the pressure acts.
    pub largest_flow: f64,
}

/// ‖H‖∞ at a scaled pressure, from the equations as they are printed in [`unstick::mlcp::fields`].
pub fn residual<const D: usize>(fields: &PressureFields<D>, q: &[f64]) -> Residual {
    let held = fields.divergence.map(|_| held_by_air(fields));
    let mut found = Residual { natural: 0.0, largest_flow: 0.0 };
    for cell in (0..fields.cell_count()).filter(|&cell| fields.liquid[cell] < 0.0) {
        let (mut outflow, mut is_open, mut is_covered) = (0.0, false, false);
        for face in Face::all(fields.cells, cell) {
            let open = fields.walls.open[face.axis][face.index];
            is_open |= open > 0.0;
            is_covered |= open < 1.0;
            let carried = fields.walls.flow.map_or(0.0, |flow| flow[face.axis][face.index]);
            let flow = open * fields.velocity[face.axis][face.index] + carried;
            found.largest_flow = found.largest_flow.max(flow.abs());
            outflow += if face.is_upper { flow } else { -flow };
            if open > 0.0 {
                outflow += open * drop_across(fields, q, cell, face.beyond);
            }
        }
        if !is_open {
            continue;
        }
        if let (Some(divergence), Some(held)) = (fields.divergence, &held)
            && held[cell]
        {
            outflow -= fields.spacing * divergence[cell] * fields.walls.cell_open[cell];
        }
        let is_wall = fields.walls.separating[cell] && is_covered;
        let natural = if is_wall { q[cell].min(outflow - fields.control) } else { outflow };
        // A maximum that passes on what is no number.
        found.natural = if natural.abs() <= found.natural { found.natural } else { natural.abs() };
    }
    found
}

/// How far the pressure falls from a liquid cell to what lies beyond a face: liquid, or air at some distance.
fn drop_across<const D: usize>(fields: &PressureFields<D>, q: &[f64], cell: usize, beyond: Option<usize>) -> f64 {
    let inside = fields.liquid[cell];
    match beyond.map(|beyond| (beyond, fields.liquid[beyond])) {
        Some((beyond, distance)) if distance < 0.0 => q[cell] - q[beyond],
        air => {
            let outside = air.map_or(inside + fields.spacing, |(_, distance)| distance).max(0.0);
            q[cell] / (inside / (inside - outside)).clamp(MIN_THETA, 1.0)
        }
    }
}

/// Liquid cells that are connected with air through open faces.
fn held_by_air<const D: usize>(fields: &PressureFields<D>) -> Vec<bool> {
    let is_liquid = |cell: usize| fields.liquid[cell] < 0.0;
    let is_open = |face: &Face| fields.walls.open[face.axis][face.index] > 0.0;
    let touches_air = |cell: &usize| {
        let open = Face::all(fields.cells, *cell).into_iter().filter(is_open);
        is_liquid(*cell) && open.into_iter().any(|face| !face.beyond.is_some_and(is_liquid))
    };
    let mut held = vec![false; fields.cell_count()];
    let mut waiting: Vec<usize> = (0..fields.cell_count()).filter(touches_air).collect();
    while let Some(cell) = waiting.pop() {
        if !std::mem::replace(&mut held[cell], true) {
            let open = Face::all(fields.cells, cell).into_iter().filter(is_open);
            waiting.extend(open.filter_map(|face| face.beyond).filter(|&beyond| is_liquid(beyond) && !held[beyond]));
        }
    }
    held
}

/// A face of a cell.
struct Face {
    axis: usize,
    is_upper: bool,
    /// Among the faces across the axis.
    index: usize,
    /// The cell on its other side; none beyond the border.
    beyond: Option<usize>,
}

impl Face {
    fn all<const D: usize>(cells: [usize; D], cell: usize) -> Vec<Self> {
        let linear =
            |shape: [usize; D], place: [usize; D]| (0..D).rev().fold(0, |at, axis| at * shape[axis] + place[axis]);
        let mut rest = cell;
        let place: [usize; D] = std::array::from_fn(|axis| {
            let along = rest % cells[axis];
            rest /= cells[axis];
            along
        });
        let face = |side: usize| {
            let (axis, is_upper) = (side / 2, side % 2 == 1);
            let (mut faces, mut at, mut other) = (cells, place, place);
            faces[axis] += 1;
            at[axis] += usize::from(is_upper);
            let along = if is_upper { Some(place[axis] + 1) } else { place[axis].checked_sub(1) };
            let beyond = along.filter(|&along| along < cells[axis]).map(|along| {
                other[axis] = along;
                linear(cells, other)
            });
            Self { axis, is_upper, index: linear(faces, at), beyond }
        };
        (0..2 * D).map(face).collect()
    }
}

#[cfg(test)]
mod tests {
    use unstick::mlcp::SolverName;
    use unstick::mlcp::fields::{RowSolver, WallFields};

    use super::*;

    /// Leaves the pressure as it is and claims what an honest solver would.
    struct Liar(RowSolver<2>);

    impl FieldSolver<2> for Liar {
        fn solve_fields(
            &mut self,
            fields: &PressureFields<2>,
            q: &mut [f64],
            active: &mut [bool],
        ) -> Result<SolveReport, SolveError> {
            let report = self.0.solve_fields(fields, q, active);
            q.fill(0.0);
            report
        }
    }

    #[test]
    fn an_honest_solver_is_believed_and_a_liar_is_found() {
        let cells = [6, 5];
        let open: [Vec<f64>; 2] = std::array::from_fn(|axis| {
            let mut faces = cells;
            faces[axis] += 1;
            (0..faces[0] * faces[1])
                .map(|index| [index % faces[0], index / faces[0]])
                .map(|place| if place[axis] == 0 || place[axis] == cells[axis] { 0.0 } else { 1.0 })
                .collect()
        });
        let velocity = [vec![0.1; open[0].len()], vec![-0.3; open[1].len()]];
        let liquid: Vec<f64> = (0..30).map(|cell| f64::from(cell / 6) - 2.6).collect();
        let walls = WallFields {
            version: 0,
            open: [&open[0], &open[1]],
            separating: &[true; 30],
            cell_open: &[1.0; 30],
            flow: None,
        };
        let fields = PressureFields {
            cells,
            spacing: 1.0,
            walls,
            liquid: &liquid,
            velocity: [&velocity[0], &velocity[1]],
            divergence: None,
            control: 0.0,
        };
        let solver = || RowSolver::new("best".parse::<SolverName>().unwrap().build(&Default::default()));
        let audit = |solver: Box<dyn FieldSolver<2>>| {
            let findings = Arc::new(Mutex::new(Findings::default()));
            let (mut q, mut active) = (vec![0.0; 30], vec![false; 30]);
            let mut audited = Audited::new(solver, findings.clone());
            assert!(audited.solve_fields(&fields, &mut q, &mut active).unwrap().converged());
            *findings.lock().unwrap()
        };
        let honest = audit(Box::new(solver()));
        assert_eq!((honest.solves, honest.unconverged, honest.false_claims), (1, 0, 0), "{honest:?}");
        let liar = audit(Box::new(Liar(solver())));
        assert_eq!((liar.solves, liar.false_claims), (1, 1), "{liar:?}");
    }
}
