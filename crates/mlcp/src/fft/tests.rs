use super::*;
use crate::test_problems::{self, Example, difference, generate};
use crate::{CsrMatrix, Lattice, Mlcp, Outcome, PressureOperator, SolverName, Stop};

/// A box of liquid cells at `corner` of a larger grid, with a coupling beyond each side.
fn matrix_of<const D: usize>(extents: [usize; D], sides: [[f64; 2]; D]) -> (Lattice, CsrMatrix<'static>) {
    let shape = extents.map(|count| count + 2);
    let size: usize = extents.iter().product();
    let place = |row: usize| {
        let mut rest = row;
        extents.map(|count| {
            let place = rest % count;
            rest /= count;
            place
        })
    };
    let cells = (0..size).map(|row| {
        let place = place(row);
        (0..D).rev().fold(0, |cell, axis| cell * shape[axis] + place[axis] + 1) as u32
    });
    let lattice = Lattice::new(&shape, cells.collect()).unwrap();
    let matrix = CsrMatrix::from_rows(size, |row, entries| {
        let (place, mut stride, mut diagonal) = (place(row), 1, 0.0);
        for axis in 0..D {
            for (side, end) in [0, extents[axis] - 1].into_iter().enumerate() {
                if place[axis] == end {
                    diagonal += 0.25 * sides[axis][side];
                } else {
                    diagonal += 0.25;
                    entries.push((if side == 0 { row - stride } else { row + stride }, -0.25));
                }
            }
            stride *= extents[axis];
        }
        entries.push((row, diagonal));
        entries.sort_by_key(|&(column, _)| column);
    });
    (lattice, matrix.unwrap())
}

fn solve(name: &str, lattice: &Lattice, matrix: &CsrMatrix, b: &[f64], tolerance: f64) -> (Vec<f64>, usize) {
    let problem = Mlcp::on_lattice(lattice.clone(), matrix, b).unwrap();
    let (q, report) = test_problems::solve(name, &problem, Stop::relative(tolerance));
    assert_eq!(report.outcome(), Outcome::Converged, "{name}: {:e}", report.relative_residual());
    (q, report.cycles())
}

/// One application leaves a residual of rounding, and the answer is that of conjugate gradients.
fn agrees_with_cg<const D: usize>(extents: [usize; D], sides: [[f64; 2]; D]) {
    let (lattice, matrix) = matrix_of(extents, sides);
    let mut b: Vec<f64> = (0..matrix.rows()).map(|row| (row as f64 * 1.7).sin() + 0.1).collect();
    if sides.iter().flatten().all(|&side| side == 0.0) {
        let mean = b.iter().sum::<f64>() / b.len() as f64;
        b.iter_mut().for_each(|b| *b -= mean);
    }
    let (q, cycles) = solve("sticking+fft", &lattice, &matrix, &b, 1e-12);
    let (expected, _) = solve("sticking+cg/mic0", &lattice, &matrix, &b, 1e-12);
    let largest = expected.iter().fold(0.0f64, |most, q| most.max(q.abs()));
    let difference = difference(&q, &expected);
    assert!(cycles <= 1 && difference < 1e-10 * largest, "{sides:?}: {cycles} cycles, {difference:e} of {largest}");
}

const SIDES: [[f64; 2]; 5] = [[0.0, 0.0], [2.0, 2.0], [0.0, 2.0], [2.0, 0.0], [1.0, 1.0]];

#[test]
fn every_combination_of_walls_and_open_sides_is_solved_to_rounding() {
    for x in SIDES {
        for y in SIDES {
            agrees_with_cg([9, 16], [x, y]);
            for z in SIDES {
                agrees_with_cg([5, 8, 6], [x, y, z]);
            }
        }
    }
}

#[test]
fn one_axis_may_end_in_surfaces_anywhere() {
    let odd = [0.0, 1.0 / 0.37];
    agrees_with_cg([9, 16], [odd, [0.0, 2.0]]);
    agrees_with_cg([9, 16], [[0.0, 0.0], odd]);
    for axis in 0..3 {
        let mut sides = [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0]];
        sides[axis] = odd;
        agrees_with_cg([7, 4, 5], sides);
    }
}

#[test]
fn what_is_no_box_is_refused_with_the_reason() {
    let refused = |lattice: Option<Lattice>, matrix: &CsrMatrix| {
        let b = vec![1.0; matrix.rows()];
        let problem = match lattice {
            Some(lattice) => Mlcp::on_lattice(lattice, matrix, &b),
            None => Mlcp::new(matrix, &b),
        };
        let mut solver = SolverName::by_transforms().build(&Default::default());
        match solver.solve(&problem.unwrap(), &mut vec![0.0; b.len()]) {
            Err(SolveError::NotABox(reason)) => reason,
            other => panic!("{other:?}"),
        }
    };
    let (lattice, matrix) = matrix_of([5, 4], [[0.0, 2.0], [2.0, 2.0]]);
    assert_eq!(refused(None, &matrix), NotABox::NoGrid);
    let (odd, matrix_of_odd) = matrix_of([5, 4], [[0.0, 1.5], [2.0, 1.5]]);
    assert_eq!(refused(Some(odd), &matrix_of_odd), NotABox::Surface(1));
    let (thin, matrix_of_thin) = matrix_of([5, 2], [[0.0, 2.0], [2.0, 2.0]]);
    assert_eq!(refused(Some(thin), &matrix_of_thin), NotABox::Thin { axis: 1, cells: 2 });
    let changed = |row: usize, column: usize, by: f64| {
        let entries = (0..matrix.rows()).flat_map(|at| matrix.row(at).map(move |(other, value)| (at, other, value)));
        let is_it = |at, other| (at, other) == (row, column) || (at, other) == (column, row);
        let changed = entries.map(|(at, other, value)| (at, other, if is_it(at, other) { value + by } else { value }));
        CsrMatrix::from_triplets(matrix.rows(), changed.collect::<Vec<_>>()).unwrap()
    };
    assert_eq!(refused(Some(lattice.clone()), &changed(0, 0, 0.1)), NotABox::Side(0));
    assert_eq!(refused(Some(lattice), &changed(6, 7, 0.1)), NotABox::Cut(6));
    let generated = generate(Example::SphereHalf, 2, 16, 0);
    let ball = refused(Some(generated.lattice.clone()), &generated.matrix);
    assert!(matches!(ball, NotABox::Shape { .. }));
    assert!(SolveError::from(ball).to_string().ends_with("liquid cells do not fill a box"));
}

#[test]
fn one_two_and_three_threads_give_the_same_bits() {
    let (lattice, matrix) = matrix_of([48, 40, 36], [[0.0, 0.0], [2.0, 0.0], [0.0, 1.3]]);
    let b: Vec<f64> = (0..matrix.rows()).map(|row| (row as f64 * 0.7).cos()).collect();
    let answer = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solve("sticking+fft", &lattice, &matrix, &b, 1e-10).0)
    };
    let one = answer(1);
    assert!(answer(2) == one && answer(3) == one);
}

#[test]
fn a_box_is_recognised_with_its_sides() {
    let sides = [[0.0, 2.0], [1.0, 1.0], [0.0, 1.0 / 0.3]];
    let (lattice, matrix) = matrix_of([4, 3, 5], sides);
    let operator = PressureOperator::<3>::from_csr(lattice, &matrix);
    let found = LiquidBox::of(&operator as &dyn LinearOperator).unwrap();
    assert_eq!((found.extents, found.unit), ([4, 3, 5], 0.25));
    assert!(found.sides.iter().flatten().zip(sides.iter().flatten()).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn a_box_around_the_liquid_inverts_what_fills_it_and_helps_what_does_not() {
    // Zero one cell beyond each side is what the embedding has there: one step is enough.
    let (lattice, matrix) = matrix_of([7, 5], [[1.0; 2]; 2]);
    let size = matrix.rows();
    let b: Vec<f64> = (0..size).map(|row| (row as f64).sin()).collect();
    let iterations = |name: &str, problem: &Mlcp| {
        let mut q = vec![0.0; problem.size()];
        let report = name.parse::<SolverName>().unwrap().build(&Stop::relative(1e-8)).solve(problem, &mut q).unwrap();
        assert_eq!(report.outcome(), Outcome::Converged, "{name}");
        report.inner_iterations()
    };
    let filled = Mlcp::on_lattice(lattice, &matrix, b).unwrap();
    assert_eq!(iterations("sticking+cg/box", &filled), 1);
    // A disc in its box, with air around it.
    let (count, is_liquid) = (48usize, |x: usize, y: usize| (x as f64 - 23.5).hypot(y as f64 - 23.5) < 20.3);
    let places: Vec<_> = (0..count * count).filter(|at| is_liquid(at % count, at / count)).collect();
    let lattice = Lattice::new(&[count; 2], places.iter().map(|&at| at as u32).collect()).unwrap();
    let disc = CsrMatrix::from_rows(places.len(), |row, entries| {
        for step in [-(count as isize), -1, 0, 1, count as isize] {
            let beside = places.binary_search(&places[row].wrapping_add_signed(step));
            entries.extend(beside.map(|column| (column, if step == 0 { 4.0 } else { -1.0 })));
        }
    });
    let b: Vec<f64> = places.iter().map(|&at| (0.3 * at as f64).sin()).collect();
    let disc = Mlcp::on_lattice(lattice, &disc.unwrap(), b).unwrap();
    let (plain, embedded) = (iterations("sticking+cg/none", &disc), iterations("sticking+cg/box", &disc));
    assert!(2 * embedded < plain, "{embedded} iterations with the box, {plain} without");
}

#[test]
fn a_box_needs_a_grid() {
    let problem = Mlcp::new(CsrMatrix::from_triplets(1, [(0, 0, 1.0)]).unwrap(), vec![1.0]).unwrap();
    let solved = "sticking+cg/box".parse::<SolverName>().unwrap().build(&Stop::default()).solve(&problem, &mut [0.0]);
    assert!(solved.unwrap_err().to_string().contains("no places on a grid"));
}
