//! The natural residual of solves, computed anew: of a pressure from the fields of the fluid and from nothing that a solver
//! made, of other problems from their rows, of viscous flows from their equations.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use unstick::mlcp::fields::{FieldSolver, MIN_THETA, PressureFields};
use unstick::mlcp::{Convergence, Mlcp, SolveError, SolveReport, Witness, witnessed};

/// Part of a target by which an honest residual may differ from ours: both are sums of rounded numbers.
const SLACK: f64 = 0.01;

/// Rounding of a sum, as part of its largest term.
const ROUNDING: f64 = 1e-12;

/// What a direct solve may leave, as a part of what there was.
const DIRECT: f64 = 1e-9;

/// What was found about the solves of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Finding {
    /// Solves that were audited.
    pub solves: usize,
    /// Those that said that they fell short.
    pub unconverged: usize,
    /// Those that claimed a residual that they do not have.
    pub false_claims: usize,
    /// The largest residual of a claim, in what is allowed.
    pub worst: f64,
}

impl Finding {
    /// Adds counts and keeps what is worst.
    pub fn add(&mut self, other: &Self) {
        self.solves += other.solves;
        self.unconverged += other.unconverged;
        self.false_claims += other.false_claims;
        self.worst = self.worst.max(other.worst);
    }

    /// Notes a solve: whether it claims to have converged, its residual, and the largest that a claim may have.
    fn note(&mut self, claims: bool, residual: f64, allowed: f64) {
        self.solves += 1;
        if !claims {
            self.unconverged += 1;
            return;
        }
        self.worst = self.worst.max(residual / allowed.max(f64::MIN_POSITIVE));
        // Not `residual > allowed`: a residual that is no number is a false claim.
        if residual.partial_cmp(&allowed).is_none_or(|order| order.is_gt()) {
            self.false_claims += 1;
        }
    }
}

/// What was found about the solves of a simulation, by their kind.
pub type Findings = BTreeMap<&'static str, Finding>;

/// The pressure of a liquid without bodies, from its fields.
pub const PRESSURE: &str = "pressure";
/// The pressure of a liquid with the bodies that it moves.
pub const WITH_BODIES: &str = "pressure with bodies";
/// Impulses of contacts, and their overlaps.
pub const CONTACTS: &str = "contacts";
/// The displacement that holds the density of particles; the pressure around bodies that are all held.
pub const DENSITY: &str = "density";

/// Audits every solve that it sees. The pressure of liquids without bodies is left to [`Audited`].
#[derive(Clone, Default)]
pub struct Auditor {
    findings: Arc<Mutex<Findings>>,
}

impl Auditor {
    /// What was found so far.
    pub fn findings(&self) -> Findings {
        self.book().clone()
    }

    fn book(&self) -> MutexGuard<'_, Findings> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, kind: &'static str, report: &SolveReport, residual: impl FnOnce() -> Residual) {
        let Residual { natural, size } = if report.converged() { residual() } else { Residual::default() };
        // What liquid without air has too much of is spread over its rows and cannot be solved away.
        let pockets = report.pockets().iter().map(|pocket| pocket.imbalance.abs()).fold(0.0, f64::max);
        let allowed = (1.0 + SLACK) * report.target() + ROUNDING * size + pockets;
        self.book().entry(kind).or_default().note(report.converged(), natural, allowed);
    }
}

impl Witness for Auditor {
    fn saw(&self, problem: &Mlcp, q: &[f64], report: &SolveReport) {
        let operator = problem.operator();
        let kind = match (operator.lattice(), operator.nearby()) {
            (Some(_), _) => DENSITY,
            (None, Some(_)) => WITH_BODIES,
            (None, None) => CONTACTS,
        };
        self.note(kind, report, || residual_of_rows(problem, q));
    }

    fn saw_system(&self, kind: &'static str, ended: &Convergence, left: f64) {
        let allowed = (1.0 + SLACK) * ended.tolerance + DIRECT;
        self.book().entry(kind).or_default().note(ended.converged(), left, allowed);
    }
}

/// Sees nothing.
struct Nobody;

impl Witness for Nobody {
    fn saw(&self, _: &Mlcp, _: &[f64], _: &SolveReport) {}
    fn saw_system(&self, _: &'static str, _: &Convergence, _: f64) {}
}

/// A solver of fields whose answers are audited.
pub struct Audited<const D: usize> {
    solver: Box<dyn FieldSolver<D>>,
    auditor: Auditor,
}

impl<const D: usize> Audited<D> {
    /// Audits a solver. What is found is noted by the auditor.
    pub fn new(solver: Box<dyn FieldSolver<D>>, auditor: Auditor) -> Self {
        Self { solver, auditor }
    }
}

impl<const D: usize> FieldSolver<D> for Audited<D> {
    fn solve_fields(
        &mut self,
        fields: &PressureFields<D>,
        q: &mut [f64],
        active: &mut [bool],
    ) -> Result<SolveReport, SolveError> {
        // The fields say more than the rows that are made of them.
        let report = witnessed(Arc::new(Nobody), || self.solver.solve_fields(fields, q, active))?;
        self.auditor.note(PRESSURE, &report, || residual(fields, q));
        Ok(report)
    }
}

/// What remains of a problem.
#[derive(Clone, Copy, Debug, Default)]
pub struct Residual {
    /// ‖H‖∞.
    pub natural: f64,
    /// The largest of the numbers that are added up.
    pub size: f64,
}

impl Residual {
    /// Takes a row in. What is no number stays.
    fn add(&mut self, row: f64) {
        let is_kept = self.natural.is_nan() || row.abs() <= self.natural;
        self.natural = if is_kept { self.natural } else { row.abs() };
    }
}

/// The smaller one; one that is no number, if there is one.
fn smaller(one: f64, other: f64) -> f64 {
    if one < other || one.is_nan() { one } else { other }
}

/// ‖H‖∞ of an answer, row by row.
pub fn residual_of_rows(problem: &Mlcp, q: &[f64]) -> Residual {
    let operator = problem.operator();
    let mut product = vec![0.0; q.len()];
    match operator.csr() {
        Some(matrix) => {
            let of_row = |row: usize| matrix.row(row).map(|(column, value)| value * q[column]).sum();
            product.iter_mut().enumerate().for_each(|(row, sum)| *sum = of_row(row));
        }
        None => operator.apply(q, &mut product),
    }
    let mut found = Residual::default();
    for (row, product) in product.into_iter().enumerate() {
        let (b, bound) = (problem.b()[row], problem.lower()[row]);
        found.size = found.size.max(b.abs()).max(operator.diagonal()[row] * q[row].abs());
        let left = product + b;
        found.add(if bound > f64::NEG_INFINITY { smaller(q[row] - bound, left) } else { left });
    }
    found
}

/// ‖H‖∞ at a scaled pressure, from the equations as they are printed in [`unstick::mlcp::fields`].
pub fn residual<const D: usize>(fields: &PressureFields<D>, q: &[f64]) -> Residual {
    let held = fields.divergence.map(|_| held_by_air(fields));
    let mut found = Residual::default();
    for cell in (0..fields.cell_count()).filter(|&cell| fields.liquid[cell] < 0.0) {
        let (mut outflow, mut is_open, mut is_covered) = (0.0, false, false);
        for face in Face::all(fields.cells, cell) {
            let open = fields.walls.open[face.axis][face.index];
            is_open |= open > 0.0;
            is_covered |= open < 1.0;
            let carried = fields.walls.flow.map_or(0.0, |flow| flow[face.axis][face.index]);
            let flow = open * fields.velocity[face.axis][face.index] + carried;
            found.size = found.size.max(flow.abs());
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
        let above = q[cell] - fields.lower.map_or(0.0, |lower| lower[cell]);
        found.add(if is_wall { smaller(above, outflow - fields.control) } else { outflow });
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
    use unstick::mlcp::fields::{RowSolver, WallFields};
    use unstick::mlcp::{CsrMatrix, LowRank, Outcome, SolverName};

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
            lower: None,
        };
        let solver = || RowSolver::new("best".parse::<SolverName>().unwrap().build(&Default::default()));
        let audit = |solver: Box<dyn FieldSolver<2>>| {
            let auditor = Auditor::default();
            let (mut q, mut active) = (vec![0.0; 30], vec![false; 30]);
            let mut audited = Audited::new(solver, auditor.clone());
            let solve = || audited.solve_fields(&fields, &mut q, &mut active);
            assert!(witnessed(Arc::new(auditor.clone()), solve).unwrap().converged());
            assert_eq!(auditor.findings().len(), 1, "a solve is audited once");
            auditor.findings()[PRESSURE]
        };
        let honest = audit(Box::new(solver()));
        assert_eq!((honest.solves, honest.unconverged, honest.false_claims), (1, 0, 0), "{honest:?}");
        let liar = audit(Box::new(Liar(solver())));
        assert_eq!((liar.solves, liar.false_claims), (1, 1), "{liar:?}");
    }
    #[test]
    fn solves_of_rows_are_told_apart_and_their_answers_measured() {
        let matrix = CsrMatrix::from_triplets(2, [(0, 0, 2.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 2.0)]).unwrap();
        let column = vec![vec![(0, 1.0), (1, 0.5)]];
        let b = [-3.0, 1.0];
        let problems = [
            (CONTACTS, Mlcp::new(&matrix, &b).unwrap().with_walls(&[true; 2]).unwrap()),
            (WITH_BODIES, Mlcp::new(LowRank::new(&matrix, column), &b).unwrap().with_walls(&[true; 2]).unwrap()),
        ];
        for (kind, problem) in problems {
            let auditor = Auditor::default();
            let mut solver = "policy+cg/jacobi".parse::<SolverName>().unwrap().build(&Default::default());
            let mut q = [0.0; 2];
            let report = witnessed(Arc::new(auditor.clone()), || solver.solve(&problem, &mut q)).unwrap();
            let honest = auditor.findings()[kind];
            assert_eq!((honest.solves, honest.false_claims), (1, 0), "{kind}: {honest:?}");
            assert!(q[0] > 0.0 && q[1] == 0.0, "one of the walls has let go");
            auditor.saw(&problem, &[1.01 * q[0], q[1]], &report);
            auditor.saw(&problem, &[f64::NAN, q[1]], &report);
            assert_eq!(auditor.findings()[kind].false_claims, 2, "{kind}");
        }
    }

    #[test]
    fn systems_are_held_to_their_tolerance() {
        let (auditor, ended) = (Auditor::default(), Convergence::new(Outcome::Converged, 3, 1e-6, 1e-6));
        auditor.saw_system("viscosity", &ended, 1e-6);
        auditor.saw_system("viscosity", &ended, 2e-6);
        auditor.saw_system("viscosity", &Convergence::new(Outcome::Stalled, 3, 1.0, 1e-6), 1.0);
        let found = auditor.findings()["viscosity"];
        assert_eq!((found.solves, found.unconverged, found.false_claims), (3, 1, 1));
    }
}
