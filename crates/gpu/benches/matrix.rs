//! `best` on matrices without a grid, on a GPU and on the processor with 2 and with all its threads:
//! `cargo bench -p unstick-gpu --bench matrix [-- cube 128 tetrahedra 83]`, or `-- check` for a small case. With PROFILE in the
//! environment there is one solve on the device alone, for a profiler.

#[path = "../../mlcp/tests/common/matrices.rs"]
mod matrices;

use std::time::Instant;

use unstick_gpu::Gpu;
use unstick_mlcp::{CsrMatrix, Mlcp, MlcpSolver, SolverName};
use unstick_parallel::bandwidth::median;
use unstick_problems::Example;

const REPETITIONS: usize = 5;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let gpu = match Gpu::first() {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("nothing to measure: {error}");
            return Ok(());
        }
    };
    println!("{}", gpu.name()?);
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if arguments.iter().any(|argument| argument == "check") {
        return check(gpu);
    }
    let default = ["cube", "128", "tetrahedra", "83"].map(String::from).to_vec();
    for pair in if arguments.is_empty() { default } else { arguments }.chunks(2) {
        let size: usize = pair.get(1).ok_or("expected a size after each name")?.parse()?;
        let begin = Instant::now();
        let problem = match pair[0].as_str() {
            "cube" => matrices::hidden(Example::CubeLid, 3, size),
            "sphere" => matrices::hidden(Example::SphereHalf, 3, size),
            "tetrahedra" => matrices::tetrahedra(size),
            other => return Err(format!("expected cube, sphere or tetrahedra, found {other}").into()),
        };
        println!("{} {size}³: {} rows, made in {:.1} s", pair[0], problem.size(), begin.elapsed().as_secs_f64());
        if std::env::var_os("PROFILE").is_some() {
            let report = solved(&mut gpu.solver(&"best".parse()?, Default::default())?, &problem)?.1;
            println!("  {} cycles", report.inner_iterations());
            continue;
        }
        measure(gpu, &problem)?;
    }
    Ok(())
}

/// A small case for tools that look at every access to memory.
fn check(gpu: Gpu) -> Result<(), Failure> {
    for problem in [matrices::tetrahedra(21), matrices::hidden(Example::CubeLid, 3, 36)] {
        let (q, report) = solved(&mut gpu.solver(&"best".parse()?, Default::default())?, &problem)?;
        println!("{} rows, {} cycles, {}", problem.size(), report.inner_iterations(), report.outcome());
        agree(&q, &solved(&mut *"best".parse::<SolverName>()?.build(&Default::default()), &problem)?.0);
    }
    Ok(())
}

fn solved(solver: &mut dyn MlcpSolver, problem: &Mlcp) -> Result<(Vec<f64>, unstick_mlcp::SolveReport), Failure> {
    let mut q = vec![0.0; problem.size()];
    let report = solver.solve(problem, &mut q)?;
    assert!(report.converged(), "{}: {}", report.solver(), report.outcome());
    assert_eq!(report.remark(), None, "neither a grid nor a rescue");
    Ok((q, report))
}

/// The same with everything doubled: another matrix, for which all must be prepared anew.
fn doubled(problem: &Mlcp) -> Result<Mlcp<'static>, Failure> {
    let matrix = problem.operator().csr().ok_or("assembled matrices have entries")?;
    let twice = |values: &[f64]| values.iter().map(|value| 2.0 * value).collect::<Vec<_>>();
    let matrix = CsrMatrix::from_raw(matrix.starts().to_vec(), matrix.columns().to_vec(), twice(matrix.values()))?;
    Ok(Mlcp::new(matrix, twice(problem.b()))?.with_lower(problem.lower().to_vec())?)
}

fn measure(gpu: Gpu, problem: &Mlcp) -> Result<(), Failure> {
    let name: SolverName = "best".parse()?;
    let twice = doubled(problem)?;
    let mut solver = gpu.solver(&name, Default::default())?;
    let begin = Instant::now();
    let (q, report) = solved(&mut solver, problem)?;
    println!("  first solve on the device, kernels compiled: {:.0} ms", 1e3 * begin.elapsed().as_secs_f64());
    let (mut fresh, mut next) = (Vec::new(), Vec::new());
    for _ in 0..REPETITIONS {
        let _ = solved(&mut solver, &twice)?;
        for times in [&mut fresh, &mut next] {
            let begin = Instant::now();
            assert_eq!(solved(&mut solver, problem)?.0, q, "the same bits from run to run");
            times.push((begin.elapsed(), solver.times()));
        }
    }
    for (what, times) in [("another matrix", &fresh), ("the same matrix", &next)] {
        let of = |part: &dyn Fn(&unstick_gpu::Times) -> f64| {
            1e3 * median(&times.iter().map(|(_, times)| part(times)).collect::<Vec<_>>())
        };
        let all = 1e3 * median(&times.iter().map(|(all, _)| all.as_secs_f64()).collect::<Vec<_>>());
        let set_up = of(&|times| times.setup.as_secs_f64());
        let solve = of(&|times| times.upload.as_secs_f64() + times.solve.as_secs_f64() + times.download.as_secs_f64());
        println!(
            "  device, {what}: {}/{} cycles, set-up {set_up:.1} + solve {solve:.1} ms ({:.1} upload, {:.1} download), {:.0} million rows/s; with checks on the host {all:.1} ms",
            report.cycles(),
            report.inner_iterations(),
            of(&|times| times.upload.as_secs_f64()),
            of(&|times| times.download.as_secs_f64()),
            1e-3 * problem.size() as f64 / (set_up + solve),
        );
    }
    for threads in [2, std::thread::available_parallelism()?.get()] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(|| on_processor(&name, threads, problem, &q).map_err(|error| error.to_string()))?;
    }
    Ok(())
}

fn on_processor(name: &SolverName, threads: usize, problem: &Mlcp, answer: &[f64]) -> Result<(), Failure> {
    let mut solver = name.build(&Default::default());
    for what in ["another matrix", "the same matrix"] {
        let begin = Instant::now();
        let (q, report) = solved(&mut *solver, problem)?;
        println!(
            "  {threads} threads, {what}: {}/{} cycles, set-up {:.0} + solve {:.0} ms, in all {:.0} ms",
            report.cycles(),
            report.inner_iterations(),
            1e3 * report.setup_time().as_secs_f64(),
            1e3 * report.solve_time().as_secs_f64(),
            1e3 * begin.elapsed().as_secs_f64(),
        );
        agree(answer, &q);
    }
    Ok(())
}

/// Two answers with residuals of 1e-6 may differ by that times the condition of the matrix.
fn agree(one: &[f64], other: &[f64]) {
    let scale = other.iter().fold(0.0f64, |most, q| most.max(q.abs()));
    let apart = one.iter().zip(other).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
    println!("  answers differ by {:.1e} of the largest", apart / scale);
    assert!(apart < 2e-3 * scale);
}
