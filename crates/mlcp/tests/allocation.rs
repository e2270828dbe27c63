//! Iterations allocate nothing, solvers keep their memory between solves, and little memory is needed.

#[path = "common/matrices.rs"]
mod matrices;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use unstick_mlcp::{SolverName, Stop};
use unstick_problems::Example;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

/// Bytes of all large pieces of memory that were ever asked for.
static LARGE_BYTES: AtomicUsize = AtomicUsize::new(0);

/// From this size on the system's allocator takes memory from the kernel and returns it there. Smaller pieces it keeps.
const LARGE: usize = 128 << 10;

/// Bytes in use, and the most there were.
static BYTES: AtomicUsize = AtomicUsize::new(0);
static MOST_BYTES: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: every call is passed on to the system allocator unchanged; counting has no other effect.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        if layout.size() >= LARGE {
            LARGE_BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        }
        let bytes = BYTES.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST_BYTES.fetch_max(bytes, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn more_iterations_do_not_mean_more_allocations() {
    let problem = Example::SphereHalf.generate(3, 16, 0).unwrap();
    // Both are made when first asked for, and kept.
    let operator = problem.mlcp().operator();
    assert!(operator.csr().is_some() && operator.singular_components().is_empty());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let names = [
        "psor",
        "mprgp/jacobi",
        "sticking+cg/mic0",
        "sticking+cr/ic0",
        "sticking+bicgstab/ainv",
        "sticking+gmres/ilu0",
        "sticking+cg/multigrid",
    ];
    // Inside the pool once and for all: handing work to it now and then allocates a queue block.
    pool.install(|| {
        names.into_iter().for_each(|name| {
            let count = |cycles: usize| {
                // A tolerance out of reach: the limit decides. The room for the history is the same.
                let stop = Stop::absolute(1e-300).with_max_cycles(cycles);
                let mut solver = name.parse::<SolverName>().unwrap().build(&stop);
                let mut q = vec![0.0; problem.size()];
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                let report = solver.solve(problem.mlcp(), &mut q).unwrap();
                assert_eq!(report.cycles(), cycles, "{name} stopped early");
                ALLOCATIONS.load(Ordering::Relaxed) - before
            };
            // Threads that go to sleep may allocate meanwhile. The solver itself allocates the same in every try.
            let least = |cycles| (0..3).map(|_| count(cycles)).min();
            assert_eq!(least(12), least(24), "{name}");
        })
    });
}

/// What `best` needs beside the problem and its answer, at the moment it needs most.
fn best_needs_few_bytes_for_an_unknown() {
    for (example, size, most) in [(Example::CubeLid, 64, 80.0), (Example::SphereHalf, 96, 120.0)] {
        let problem = example.generate(3, size, 0).unwrap();
        let mut q = vec![0.0; problem.size()];
        let mut solver = "best".parse::<SolverName>().unwrap().build(&Stop::default());
        let before = BYTES.load(Ordering::Relaxed);
        MOST_BYTES.store(before, Ordering::Relaxed);
        assert!(solver.solve(problem.mlcp(), &mut q).unwrap().converged());
        let bytes = (MOST_BYTES.load(Ordering::Relaxed) - before) as f64 / q.len() as f64;
        println!("{example} {size}³: {bytes:.0} bytes an unknown");
        assert!(bytes <= most, "{example}: {bytes} bytes an unknown");
    }
}

/// The same for matrices without a grid, whose entries cannot be left out.
fn best_needs_few_bytes_for_a_row_of_any_matrix() {
    for (what, problem, most) in [
        ("tetrahedra", matrices::tetrahedra(64), 200.0),
        ("shuffled cells", matrices::hidden(Example::CubeLid, 3, 64), 140.0),
    ] {
        let (mut q, size) = (vec![0.0; problem.size()], problem.size() as f64);
        let entries = problem.operator().csr().unwrap().entries() as f64 / size;
        let mut solver = "best".parse::<SolverName>().unwrap().build(&Stop::default());
        let before = BYTES.load(Ordering::Relaxed);
        MOST_BYTES.store(before, Ordering::Relaxed);
        let report = solver.solve(&problem, &mut q).unwrap();
        assert!(report.converged() && report.remark().is_none());
        let (bytes, kept) = (MOST_BYTES.load(Ordering::Relaxed) - before, BYTES.load(Ordering::Relaxed) - before);
        println!(
            "{what}: {:.0} bytes a row of {entries:.1} entries, {:.0} of them kept; {}/{} cycles",
            bytes as f64 / size,
            kept as f64 / size,
            report.cycles(),
            report.inner_iterations()
        );
        assert!(bytes as f64 / size <= most, "{what}: {} bytes a row", bytes as f64 / size);
    }
}

/// A solver that is called again with a problem of the same size works in the memory of the first solve. Large pieces
/// are taken for few vectors: the residual that is measured at the end and, in methods on rows, their iterates.
fn a_second_solve_allocates_little() {
    for (name, most) in [("best", 20.0), ("policy+cg/multigrid", 50.0), ("newton+cg/multigrid", 100.0)] {
        let problem = Example::SphereHalf.generate(3, 96, 0).unwrap();
        let mut solver = name.parse::<SolverName>().unwrap().build(&Stop::default());
        let mut q = vec![0.0; problem.size()];
        let mut bytes = || {
            q.fill(0.0);
            let before = LARGE_BYTES.load(Ordering::Relaxed);
            assert!(solver.solve(problem.mlcp(), &mut q).unwrap().converged());
            (LARGE_BYTES.load(Ordering::Relaxed) - before) as f64 / problem.size() as f64
        };
        let (first, second) = (bytes(), bytes());
        println!("{name}: {first:.1} bytes an unknown in large pieces, then {second:.1}");
        assert!(second <= most, "{name}: {first} bytes an unknown, then {second}");
    }
}

/// One after the other: the counters are for all threads.
#[test]
fn memory_is_used_sparingly() {
    more_iterations_do_not_mean_more_allocations();
    best_needs_few_bytes_for_an_unknown();
    best_needs_few_bytes_for_a_row_of_any_matrix();
    a_second_solve_allocates_little();
}
