//! The hot kernels against the memory-bandwidth limit, all in one run:
//! `cargo bench -p unstick-mlcp --bench kernels [-- SIZE [EXAMPLE]]`.
//!
//! A kernel must move its matrix and vectors through memory once. That many bytes over the copy
//! bandwidth, measured in the same run on the same threads, is the limit; the last column is the
//! time (a median) in units of it.

use std::hint::black_box;

use unstick_mlcp::linear::Subsystem;
use unstick_mlcp::precondition::{GridMultigrid, IncompleteCholesky, Mic0Params, Preconditioner};
use unstick_mlcp::{AnyPressureOperator, LinearOperator, Mlcp, SolverName, Stop};
use unstick_parallel::bandwidth::{self, median_time};
use unstick_parallel::vector;
use unstick_problems::Example;

const REPETITIONS: usize = 21;

fn main() {
    let size = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(128);
    let example = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(Example::CubeLid);
    let problem = example.generate(3, size, 0).expect("a size of at least 8");
    let matrix = problem.matrix();
    let rows = matrix.rows();
    println!("{example} {size}³: {rows} rows, {} entries", matrix.entries());

    let mut mic0 = IncompleteCholesky::modified(Mic0Params::default());
    let setup = median_time(3, || mic0.rebuild(&Subsystem::whole(matrix)).expect("an assembled matrix"));
    let (x, mut y) = (problem.mlcp().b().to_vec(), vec![0.0; rows]);
    let product_bytes = 12 * matrix.entries() + 4 * rows + 16 * rows;
    // Forward: L, r in, z out. Backward: Lᵀ, D⁻¹, z in and out, r once more for rᵀz.
    let mic0_bytes = 12 * mic0.entries() + 2 * 4 * rows + (8 + 8 + 8 + 8 + 8 + 8) * rows;
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    for threads in [1, all] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
        pool.install(|| {
            let bandwidth = bandwidth::copy();
            println!("\n{threads} thread(s), copy bandwidth {:.1} GB/s", bandwidth / 1e9);
            println!("{:24}{:>12}{:>12}{:>14}{:>8}", "", "median ms", "MB moved", "limit ms", "ratio");
            let show = |name: &str, seconds: f64, bytes: usize| {
                let limit = bytes as f64 / bandwidth;
                let (ms, mb) = (1e3 * seconds, bytes as f64 / 1e6);
                println!("{name:24}{ms:>12.2}{mb:>12.0}{:>14.2}{:>8.2}", 1e3 * limit, seconds / limit);
            };
            show("product A x", median_time(REPETITIONS, || matrix.apply(&x, &mut y)), product_bytes);
            let fused = median_time(REPETITIONS, || _ = black_box(matrix.apply_dot(&x, &mut y)));
            show("product with xᵀ A x", fused, product_bytes);
            show("mic0 apply", median_time(REPETITIONS, || _ = black_box(mic0.apply_dot(&x, &mut y))), mic0_bytes);
            show("dot", median_time(REPETITIONS, || _ = black_box(vector::dot(&x, &y))), 16 * rows);
            let operator = problem.mlcp().operator();
            let compact = median_time(REPETITIONS, || operator.apply(&x, &mut y));
            show("compact product A x", compact, compact_bytes(operator));
            let mut multigrid = GridMultigrid::default();
            let whole = Subsystem::whole(operator);
            let hierarchy = median_time(3, || {
                multigrid.forget();
                multigrid.rebuild(&whole).expect("a pressure operator");
            });
            multigrid.apply(&x, &mut y);
            let bytes = multigrid.cycle_again().unwrap_or(0);
            let cycle = median_time(REPETITIONS, || _ = black_box(multigrid.cycle_again()));
            show("multigrid V(2,2)", cycle, bytes as usize);
            println!("multigrid set-up: {:.1} cycles", hierarchy / cycle);
            println!("mic0 set-up: {:.1} products", setup / median_time(REPETITIONS, || matrix.apply(&x, &mut y)));
            let (seconds, iterations) = sticking(problem.mlcp());
            println!("sticking+cg/mic0: {iterations} iterations, {:.3} ms each", 1e3 * seconds / iterations as f64);
        });
    }
}

fn compact_bytes(operator: &dyn LinearOperator) -> usize {
    match operator.pressure() {
        Some(AnyPressureOperator::Plane(operator)) => operator.bytes_per_product(),
        Some(AnyPressureOperator::Space(operator)) => operator.bytes_per_product(),
        None => 0,
    }
}

/// Time of the iterations of `sticking+cg/mic0` to 1e-8, set-up left out, and their number.
fn sticking(problem: &Mlcp) -> (f64, usize) {
    let stop = Stop::relative(1e-8);
    let mut solver = "sticking+cg/mic0".parse::<SolverName>().expect("a known name").build(&stop);
    let mut q = vec![0.0; problem.size()];
    let report = solver.solve(problem, &mut q).expect("a generated problem");
    (report.solve_time().as_secs_f64(), report.inner_iterations())
}
