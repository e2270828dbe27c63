//! Problems given as fields, assembled by the emulated device, against the rows that the processor assembles. The same
//! matrix, bounds and right-hand side give the same answer bit for bit.
#![cfg(feature = "emulation")]

use unstick_gpu::{Gpu, GpuSolver};
use unstick_grid::Random;
use unstick_mlcp::fields::{FieldSolver, PressureFields, RowSolver, WallFields};
use unstick_mlcp::{MlcpSolver, Outcome, ProblemError, SolveError, SolveReport, Stop};

/// Random fields on a grid.
#[derive(Clone)]
struct Case<const D: usize> {
    cells: [usize; D],
    liquid: Vec<f64>,
    open: [Vec<f64>; D],
    velocity: [Vec<f64>; D],
    flow: Option<[Vec<f64>; D]>,
    separating: Vec<bool>,
    cell_open: Vec<f64>,
    divergence: Option<Vec<f64>>,
    guess: Vec<f64>,
    lower: Option<Vec<f64>>,
    version: u64,
}

fn many(random: &mut Random, count: usize, number: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..count).map(|_| number(random.unit())).collect()
}

impl<const D: usize> Case<D> {
    /// `air` is the part of cells without liquid, `closed` the part of closed faces. Borders are closed.
    fn random(cells: [usize; D], seed: u64, air: f64, closed: f64) -> Self {
        let mut random = Random::new(seed);
        let count = cells.iter().product();
        let faces = |axis: usize| count / cells[axis] * (cells[axis] + 1);
        let part = |value: f64| {
            if value < closed {
                0.0
            } else if value < 0.8 {
                1.0
            } else {
                value
            }
        };
        let mut open: [Vec<f64>; D] = std::array::from_fn(|axis| many(&mut random, faces(axis), part));
        for (axis, open) in open.iter_mut().enumerate() {
            let stride: usize = cells[..axis].iter().product();
            let is_border = |face: usize| (face / stride % (cells[axis] + 1)).is_multiple_of(cells[axis]);
            (0..open.len()).filter(|&face| is_border(face)).for_each(|face| open[face] = 0.0);
        }
        Self {
            cells,
            liquid: many(&mut random, count, |value| value - 1.0 + air),
            open,
            velocity: std::array::from_fn(|axis| many(&mut random, faces(axis), |value| 2.0 * value - 1.0)),
            flow: Some(std::array::from_fn(|axis| many(&mut random, faces(axis), |value| 0.1 * value - 0.05))),
            separating: many(&mut random, count, |value| value).iter().map(|&value| value < 0.5).collect(),
            cell_open: many(&mut random, count, |value| value),
            divergence: Some(many(&mut random, count, |value| value - 0.5)),
            guess: many(&mut random, count, |value| 0.2 * value - 0.05),
            // Every other case has walls that pull.
            lower: (seed % 2 == 1).then(|| many(&mut random, count, |value| -0.2 * value)),
            version: seed,
        }
    }

    fn fields(&self) -> PressureFields<'_, D> {
        PressureFields {
            cells: self.cells,
            spacing: 0.1,
            walls: WallFields {
                version: self.version,
                open: faces_of(&self.open),
                separating: &self.separating,
                cell_open: &self.cell_open,
                flow: self.flow.as_ref().map(faces_of),
            },
            liquid: &self.liquid,
            velocity: faces_of(&self.velocity),
            divergence: self.divergence.as_deref(),
            control: 0.01,
            lower: self.lower.as_deref(),
        }
    }

    /// Solves from fields on the device.
    fn solve(&self, solver: &mut GpuSolver) -> Result<(SolveReport, Vec<f64>, Vec<bool>), SolveError> {
        let (mut q, mut active) = (self.guess.clone(), vec![true; self.guess.len()]);
        solver.solve_fields(&self.fields(), &mut q, &mut active).map(|report| (report, q, active))
    }

    /// Solves from fields and from rows, and compares. Returns the report.
    fn compare(&self, solver: &mut GpuSolver, what: &str) -> SolveReport {
        let name = solver.name();
        let (report, q, active) = self.solve(solver).unwrap();
        let mut by_rows = RowSolver::new(Box::new(device(name.trim_end_matches(" on gpu"))));
        let (mut expected_q, mut expected_active) = (self.guess.clone(), vec![true; q.len()]);
        let expected = by_rows.solve_fields(&self.fields(), &mut expected_q, &mut expected_active).unwrap();
        let what = format!("{name}, {what}");
        assert_eq!(report.rows(), expected.rows(), "{what}");
        let (solve, of_rows) = (&report, &expected);
        assert_eq!(solve.history(), of_rows.history(), "{what}");
        assert_eq!(solve.work(), of_rows.work(), "{what}");
        assert_eq!((solve.outcome(), solve.remark()), (of_rows.outcome(), of_rows.remark()), "{what}");
        assert_eq!(solve.pockets(), of_rows.pockets(), "{what}");
        assert_eq!((solve.reference(), solve.target()), (of_rows.reference(), of_rows.target()), "{what}");
        assert_eq!(solve.wall_rows(), of_rows.wall_rows(), "{what}");
        assert_eq!(solve.active_rows(), of_rows.active_rows(), "{what}");
        assert_eq!(q, expected_q, "{what}");
        assert_eq!(active, expected_active, "{what}");
        let numbers = |report: &SolveReport| [report.divergence(), report.complementarity(), report.residual()];
        for (found, expected) in numbers(&report).into_iter().zip(numbers(&expected)) {
            assert!((found - expected).abs() < 1e-12 * solve.reference().max(1.0), "{what}: {found:e}, {expected:e}");
        }
        report
    }
}

fn faces_of<const D: usize>(fields: &[Vec<f64>; D]) -> [&[f64]; D] {
    std::array::from_fn(|axis| &fields[axis][..])
}

fn device(name: &str) -> GpuSolver {
    // Some of these random problems take many cycles. They are compared after a few.
    let stop = Stop::relative(1e-8).with_max_cycles(12);
    Gpu::emulated().solver(&name.parse().unwrap(), stop).unwrap()
}

/// Cases of many kinds: spray, full containers, closed parts, walls at rest, no divergence, no guess.
fn cases<const D: usize>(cells: [usize; D]) -> impl Iterator<Item = (String, Case<D>)> {
    let kinds = [(0.5, 0.1), (0.05, 0.3), (0.02, 0.6), (0.0, 0.0), (0.0, 0.4)];
    kinds.into_iter().enumerate().flat_map(move |(kind, (air, closed))| {
        (0..2).map(move |seed| {
            let mut case = Case::random(cells, 100 * kind as u64 + seed, air, closed);
            match (kind as u64 + 2 * seed) % 4 {
                1 => case.flow = None,
                2 => case.divergence = None,
                3 => case.guess.fill(0.0),
                _ => (),
            }
            (format!("{D}D, {air} air, {closed} closed, seed {seed}"), case)
        })
    })
}

#[test]
fn fields_at_random_have_the_answer_of_their_rows_bit_for_bit() {
    let (mut pockets, mut outcomes) = (0, Vec::new());
    let mut note = |report: SolveReport| {
        pockets += report.pockets().len();
        outcomes.push(report.outcome());
    };
    let (mut plane, mut space) = (device("best"), device("best"));
    cases([13, 10]).for_each(|(what, case)| note(case.compare(&mut plane, &what)));
    cases([7, 6, 5]).for_each(|(what, case)| note(case.compare(&mut space, &what)));
    assert!(pockets > 10 && outcomes.contains(&Outcome::Converged) && outcomes.contains(&Outcome::Incompatible));
}

#[test]
fn other_methods_take_fields_too() {
    let (what, case) = cases([9, 8]).nth(1).unwrap();
    for name in
        ["sticking+cg/jacobi", "sticking+multigrid", "newton+cg/none", "newton+cg/multigrid", "policy+cg/jacobi"]
    {
        let _ = case.compare(&mut device(name), &what);
    }
}

#[test]
fn walls_go_to_the_device_when_their_version_says_so_and_when_the_liquid_spreads() {
    let mut solver = device("best");
    let wide = Case::random([8, 6, 9], 5, 0.5, 0.2);
    let mut narrow = wide.clone();
    (0..6 * 8 * 9).filter(|cell| !(3..5).contains(&(cell / 48))).for_each(|cell| narrow.liquid[cell] = 1.0);
    let _ = narrow.compare(&mut solver, "two planes");
    let _ = wide.compare(&mut solver, "all planes, the same walls");
    let (_, before, _) = wide.solve(&mut solver).unwrap();
    let mut moved = wide.clone();
    moved.open[0].iter_mut().filter(|part| **part > 0.0).for_each(|part| *part = 0.5);
    let (_, unheard, _) = moved.solve(&mut solver).unwrap();
    assert_eq!(unheard, before, "walls of the same version stay on the device");
    moved.version += 1;
    let _ = moved.compare(&mut solver, "other walls");
}

#[test]
fn what_is_no_number_is_an_error_with_its_place_and_the_device_goes_on() {
    let mut solver = device("best");
    let sound = Case::random([8, 7], 3, 0.3, 0.1);
    let cell = (0..56).find(|&cell| sound.fields().is_row(cell)).unwrap();
    type Spoil = fn(&mut Case<2>, usize);
    let spoilt: [(&str, Spoil); 5] = [
        ("the velocity", |case, cell| case.velocity[1][cell] = f64::NAN),
        ("the divergence", |case, cell| case.divergence.as_mut().unwrap()[cell] = f64::INFINITY),
        ("the scaled pressure", |case, cell| case.guess[cell] = f64::NAN),
        ("the open part of faces", |case, _| case.open[0].iter_mut().for_each(|part| *part += f64::NAN)),
        ("the distance to the liquid", |case, _| {
            case.liquid.iter_mut().for_each(|distance| *distance *= f64::INFINITY)
        }),
    ];
    for (version, (expected, spoil)) in (100..).zip(spoilt) {
        let mut case = sound.clone();
        case.version = version;
        case.divergence.as_mut().unwrap().fill(0.25);
        spoil(&mut case, cell);
        match case.solve(&mut solver) {
            Err(SolveError::Problem(ProblemError::FieldValue { what, .. })) => assert_eq!(what, expected),
            other => panic!("{expected}: {:?}", other.map(|(report, ..)| report)),
        }
    }
    let _ = sound.compare(&mut solver, "after errors");
}

#[test]
fn fields_of_another_length_are_refused_with_both_numbers() {
    let mut case = Case::random([5, 4], 1, 0.3, 0.1);
    case.cell_open.pop();
    let message = case.solve(&mut device("best")).map(|_| ()).unwrap_err().to_string();
    assert_eq!(message, "the open part of cells has 19 values, the grid has 20 places for them");
}

#[test]
fn a_grid_without_liquid_has_an_answer() {
    let mut case = Case::random([5, 4, 3], 1, 0.3, 0.1);
    case.liquid.fill(1.0);
    let report = case.compare(&mut device("best"), "no liquid");
    assert!(report.converged() && report.rows() == 0);
}
