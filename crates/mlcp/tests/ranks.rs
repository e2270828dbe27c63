//! Many ranks find what one machine finds, to the last bit. The ranks are threads here; `unstick-mpi` makes them processes.

use unstick_mlcp::ranks::{Boxes, team};
use unstick_mlcp::{AnyPressureOperator, Mlcp, MlcpSolver, PressureOperator, SolveReport, SolverName};
use unstick_problems::{Example, Problem};

fn best() -> Box<dyn MlcpSolver> {
    "best".parse::<SolverName>().unwrap().build(&Default::default())
}

/// What ranks find of a problem that each of them knows: the answer of all rows, and the report of each rank.
fn solve_on<const D: usize>(
    problem: &Mlcp,
    whole: &PressureOperator<D>,
    levels: usize,
    ranks: usize,
    threads: usize,
) -> (Vec<f64>, Vec<SolveReport>) {
    let boxes = Boxes::sharing(whole.lattice().shape(), ranks, levels).unwrap();
    let parts = team(ranks, threads, |ranks| {
        let (operator, rows) = PressureOperator::part_of(&ranks, &boxes, whole).unwrap();
        let of = |values: &[f64]| rows.iter().map(|&row| values[row as usize]).collect::<Vec<_>>();
        let part = Mlcp::new(operator, of(problem.b())).unwrap().with_lower(of(problem.lower())).unwrap();
        let mut q = vec![0.0; rows.len()];
        let report = best().solve(&part, &mut q).unwrap();
        (rows, q, report)
    });
    let mut answer = vec![f64::NAN; problem.size()];
    for (rows, q, _) in &parts {
        rows.iter().zip(q).for_each(|(&row, &q)| answer[row as usize] = q);
    }
    (answer, parts.into_iter().map(|(_, _, report)| report).collect())
}

/// Solves with some numbers of ranks and of levels that they share.
fn has_the_same_bits(problem: &Problem, name: &str, cases: &[(usize, usize)]) {
    let mut expected = vec![0.0; problem.size()];
    let alone = best().solve(problem.mlcp(), &mut expected).unwrap();
    for &(count, levels) in cases {
        let threads = 1 + count % 2;
        let (answer, reports) = match problem.mlcp().operator().pressure().unwrap() {
            AnyPressureOperator::Plane(whole) => solve_on(problem.mlcp(), whole, levels, count, threads),
            AnyPressureOperator::Space(whole) => solve_on(problem.mlcp(), whole, levels, count, threads),
        };
        let differences = answer.iter().zip(&expected).filter(|(one, other)| one.to_bits() != other.to_bits()).count();
        assert_eq!(differences, 0, "{name}, {count} ranks that share {levels} levels");
        for report in reports {
            assert_eq!(report.history(), alone.history(), "{name}, {count} ranks");
            assert_eq!(report.outcome(), alone.outcome());
            assert_eq!((report.rows(), report.active_rows()), (alone.rows(), alone.active_rows()));
            assert_eq!(report.residual(), alone.residual());
        }
    }
}

#[test]
fn any_number_of_ranks_gives_the_bits_of_one_machine_in_space() {
    for example in Example::ALL {
        has_the_same_bits(
            &example.generate(3, 24, 1).unwrap(),
            example.name(),
            &[(1, 3), (2, 2), (3, 1), (4, 3), (6, 2), (8, 1)],
        );
    }
    has_the_same_bits(&Example::ThinPlates.generate(3, 45, 2).unwrap(), "thin-plates 45", &[(3, 4), (6, 3), (5, 2)]);
}

#[test]
fn any_number_of_ranks_gives_the_bits_of_one_machine_in_the_plane() {
    for example in Example::ALL {
        has_the_same_bits(
            &example.generate(2, 50, 1).unwrap(),
            example.name(),
            &[(1, 2), (2, 4), (3, 3), (4, 2), (6, 3), (8, 1)],
        );
    }
}
