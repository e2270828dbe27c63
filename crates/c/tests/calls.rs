//! Calls as programs in C make them, right ones and wrong ones.

#![allow(unsafe_code)]

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use unstick_c::*;

const STARTS: [u32; 3] = [0, 2, 4];
const COLUMNS: [u32; 4] = [0, 1, 0, 1];
const VALUES: [f64; 4] = [2.0, -1.0, -1.0, 2.0];

/// What a call answered.
fn answer(call: impl FnOnce(*mut UnstickError) -> UnstickStatus) -> (UnstickStatus, String) {
    let mut error = UnstickError { message: [1; 512] };
    let status = call(&mut error);
    (status, unsafe { CStr::from_ptr(error.message.as_ptr()) }.to_str().unwrap().to_owned())
}

fn two_threads() -> UnstickOptions {
    UnstickOptions { threads: 2, ..unstick_default_options() }
}

fn create(
    rows: usize,
    (starts, columns, values): (&[u32], &[u32], &[f64]),
    options: &UnstickOptions,
) -> Result<*mut UnstickSolver, (UnstickStatus, String)> {
    let mut solver = null_mut();
    let arrays = (starts.as_ptr(), columns.as_ptr(), values.as_ptr());
    let answered =
        answer(|error| unsafe { unstick_create(rows, arrays.0, arrays.1, arrays.2, options, &mut solver, error) });
    assert_eq!(answered.0 == UnstickStatus::Ok, !solver.is_null());
    if solver.is_null() { Err(answered) } else { Ok(solver) }
}

/// x and the report, or what the call answered, of a solve with this matrix.
fn solve(values: &[f64; 4], b: &[f64; 2], lower: &[f64; 2]) -> Result<([f64; 2], UnstickReport), String> {
    let solver = create(2, (&STARTS, &COLUMNS, values), &two_threads()).map_err(|(_, text)| text)?;
    let mut x = [0.0; 2];
    // What an earlier call has left.
    let mut report = UnstickReport { has_converged: true, cycles: 7, ..UnstickReport::default() };
    let (b, lower) = (b.as_ptr(), lower.as_ptr());
    let (status, text) =
        answer(|error| unsafe { unstick_solve(solver, b, lower, x.as_mut_ptr(), null_mut(), &mut report, error) });
    unsafe { unstick_free(solver) };
    match status {
        UnstickStatus::Ok => Ok((x, report)),
        _ => {
            assert!(!report.has_converged && report.cycles == 0, "a failed call leaves nothing of an earlier one");
            Err(text)
        }
    }
}

#[test]
fn a_row_lets_go() {
    let (x, report) = solve(&VALUES, &[2.0, -1.0], &[0.0; 2]).unwrap();
    assert_eq!((x, report.has_converged, report.active_rows, report.wall_rows), ([0.0, 0.5], true, 1, 2));
    for scale in [1e-200, 1e-100, 1e100, 1e200] {
        let (x, report) = solve(&VALUES.map(|value| scale * value), &[2.0 * scale, -scale], &[0.0; 2]).unwrap();
        assert!(report.has_converged && (x[1] - 0.5).abs() < 1e-12, "{scale:e}: {x:?}");
    }
}

#[test]
fn singular_matrices_have_an_answer_or_say_that_there_is_none() {
    let closed = [1.0, -1.0, -1.0, 1.0];
    let equations = [f64::NEG_INFINITY; 2];
    assert!(solve(&closed, &[1.0, -1.0], &equations).unwrap().1.has_converged);
    for (b, lower) in [([1.0, 0.0], equations), ([-1.0, 0.0], [0.0; 2])] {
        let report = solve(&closed, &b, &lower).unwrap().1;
        assert!(report.is_incompatible && !report.has_converged, "{b:?} {lower:?}");
    }
}

#[test]
fn wrong_numbers_are_refused_with_their_place() {
    let refused = |values, b, lower| solve(&values, &b, &lower).unwrap_err();
    let (b, lower) = ([2.0, -1.0], [0.0; 2]);
    assert!(refused([2.0, f64::NAN, -1.0, 2.0], b, lower).contains("entry (0, 1) is NaN"));
    assert!(refused([2.0, -1.0, -0.5, 2.0], b, lower).contains("not symmetric"));
    assert!(refused([2.0, 0.0, 0.0, 0.0], b, lower).contains("the diagonal of row 1 is 0"));
    assert!(refused(VALUES, [f64::NAN, 0.0], lower).contains("b is NaN in row 0"));
    assert!(refused(VALUES, b, [0.0, f64::NAN]).contains("the lower bound is NaN in row 1"));
    assert!(refused(VALUES, b, [0.0, f64::INFINITY]).contains("the lower bound is inf in row 1"));
}

#[test]
fn wrong_arrays_are_refused() {
    let refused = |rows, starts: &[u32], columns: &[u32]| create(rows, (starts, columns, &VALUES), &two_threads());
    let cases = [
        (2usize.wrapping_sub(4), &STARTS, &COLUMNS, UnstickStatus::BadArgument, "expected fewer than"),
        (usize::MAX, &STARTS, &COLUMNS, UnstickStatus::BadArgument, "expected fewer than"),
        (2, &[0, 2, 4], &[1, 0, 0, 1], UnstickStatus::BadProblem, "out of order"),
        (2, &[0, 2, 4], &[0, 0, 0, 1], UnstickStatus::BadProblem, "repeated"),
        (2, &[0, 2, 4], &[0, 9, 0, 1], UnstickStatus::BadProblem, "column 9"),
        (2, &[0, 5, 4], &COLUMNS, UnstickStatus::BadProblem, "row 0 ends"),
        (2, &[1, 2, 4], &COLUMNS, UnstickStatus::BadProblem, "do not make a matrix"),
    ];
    for (rows, starts, columns, status, part) in cases {
        let (found, text) = refused(rows, starts, columns).unwrap_err();
        assert!(found == status && text.contains(part), "{rows} {starts:?} {columns:?}: {text}");
    }
    let nothing = refused(0, &[0], &[]).unwrap();
    let mut report = UnstickReport::default();
    let (status, _) =
        answer(|error| unsafe { unstick_solve(nothing, null(), null(), null_mut(), null_mut(), &mut report, error) });
    assert!(status == UnstickStatus::Ok && report.has_converged && report.rows == 0);
    unsafe { unstick_free(nothing) };
}

#[test]
fn wrong_options_are_bad_arguments() {
    let refused = |options: UnstickOptions| create(2, (&STARTS, &COLUMNS, &VALUES), &options).unwrap_err();
    for tolerance in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
        let (status, text) = refused(UnstickOptions { tolerance, ..two_threads() });
        assert!(status == UnstickStatus::BadArgument && text.contains("the tolerance"), "{tolerance}: {text}");
    }
    let (status, text) = refused(UnstickOptions { threads: usize::MAX, ..two_threads() });
    assert!(status == UnstickStatus::BadArgument && text.contains("threads"), "{text}");
    let (status, text) = refused(UnstickOptions { solver: c"bset".as_ptr(), ..two_threads() });
    assert!(status == UnstickStatus::BadArgument && text.contains("best"), "{text}");
}

#[test]
fn a_grid_has_to_fit() {
    let refusal = |shape: &[usize], cells: Option<&[u32]>| {
        let (mut solver, cells) = (null_mut(), cells.map_or(null(), <[u32]>::as_ptr));
        let (options, arrays) = (two_threads(), (STARTS.as_ptr(), COLUMNS.as_ptr(), VALUES.as_ptr()));
        let (shape, count) = (shape.as_ptr(), shape.len());
        let (_, text) = answer(|error| unsafe {
            unstick_create_on_grid(2, arrays.0, arrays.1, arrays.2, shape, count, cells, &options, &mut solver, error)
        });
        unsafe { unstick_free(solver) };
        text
    };
    assert_eq!(refusal(&[2, 1], None), "");
    assert_eq!(refusal(&[1, 4], Some(&[2, 3])), "");
    assert!(refusal(&[4, 1], None).contains("one for each of the 2 rows"));
    assert!(refusal(&[usize::MAX, 2], None).contains("one for each of the 2 rows"));
    assert!(refusal(&[2, 1], Some(&[1, 0])).contains("do not ascend"));
    assert!(refusal(&[4, 1], Some(&[0, 3])).contains("no face neighbour"));
    assert!(refusal(&[2, 1, 1, 1], None).contains("4 dimensions"));
}

#[test]
fn fields_are_looked_at() {
    let mut solver = null_mut();
    let options = two_threads();
    let (status, _) = answer(|error| unsafe { unstick_create_for_fields(&options, &mut solver, error) });
    assert_eq!(status, UnstickStatus::Ok);
    let refusal = |cells: [usize; 3], spacing: f64, liquid: [f64; 2]| {
        // One column of two cells, open between them.
        let (velocity, open, separating) = ([0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [true; 2]);
        let sides = [0.0; 4];
        let fields = UnstickFields {
            cells,
            spacing,
            liquid: liquid.as_ptr(),
            velocity: [sides.as_ptr(), velocity.as_ptr(), null()],
            open: [sides.as_ptr(), open.as_ptr(), null()],
            separating: separating.as_ptr(),
        };
        let (mut q, mut report) = ([0.0; 2], UnstickReport::default());
        let (status, text) = answer(|error| unsafe {
            unstick_solve_fields(solver, &fields, q.as_mut_ptr(), null_mut(), &mut report, error)
        });
        assert_eq!(status == UnstickStatus::Ok, report.has_converged);
        text
    };
    assert_eq!(refusal([1, 2, 0], 1.0, [-0.5, 0.5]), "");
    assert!(refusal([0, 2, 0], 1.0, [-0.5, 0.5]).contains("at least one along each axis"));
    assert!(refusal([usize::MAX, 2, 0], 1.0, [-0.5, 0.5]).contains("too large"));
    assert!(refusal([1, 2, 0], f64::NAN, [-0.5, 0.5]).contains("the spacing is NaN"));
    assert!(refusal([1, 2, 0], 1.0, [-0.5, f64::NAN]).contains("the distance to the liquid is NaN at [0, 1]"));
    unsafe { unstick_free(solver) };
}

/// The threads that the system counts.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
#[cfg(target_os = "linux")]
fn threads_end_with_their_solver() {
    // In a process of its own: other tests have threads too.
    const INSIDE: &str = "UNSTICK_C_COUNTS_THREADS";
    if std::env::var_os(INSIDE).is_none() {
        let own = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "threads_end_with_their_solver", "--test-threads", "1"])
            .env(INSIDE, "")
            .status();
        return assert!(own.unwrap().success());
    }
    let before = threads();
    // So many rows that they are shared between threads.
    let rows = 100_000u32;
    let values = vec![1.0; rows as usize];
    let (starts, columns): (Vec<u32>, Vec<u32>) = ((0..=rows).collect(), (0..rows).collect());
    let solver = create(rows as usize, (&starts, &columns, &values), &two_threads()).unwrap();
    assert_eq!(threads(), before + 2, "those of the solver and no others");
    unsafe { unstick_free(solver) };
    // The system counts a thread for a moment after it was joined.
    let has_ended = (0..1000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        threads() == before
    });
    assert!(has_ended, "{} threads, {before} before", threads());
}
