//! The solvers on a GPU against the device's own limits and against the processor beside it:
//! `cargo bench -p unstick-gpu --bench device [-- SIZE…]`, or `-- newton` for Newton's method alone.

use std::time::Instant;

use unstick_gpu::Gpu;
use unstick_mlcp::{Mlcp, MlcpSolver, SolveError, SolverName, Stop};
use unstick_parallel::bandwidth::median;
use unstick_problems::Example;

const REPETITIONS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = match Gpu::open(0) {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("nothing to measure: {error}");
            return Ok(());
        }
    };
    println!("{}", Gpu::status()?.join(", "));
    if std::env::args().any(|argument| argument == "profile") {
        return profile(gpu);
    }
    if std::env::args().any(|argument| argument == "newton") {
        return newton(gpu);
    }
    for cells in [8, 16, 32, 64, 128, 256] {
        let probe = gpu.probe(cells)?;
        println!(
            "{cells}³: copy {:.0} GB/s, launch {:.1} µs, half-sweep {:.1} µs ({:.0} % of copy), V(2,2) {:.3} ms ({:.2} of the traffic limit)",
            probe.copy_bandwidth / 1e9,
            1e6 * probe.launch,
            1e6 * probe.half_sweep.seconds,
            100.0 * probe.sweep_share(),
            1e3 * probe.cycle.seconds,
            probe.cycle_ratio(),
        );
    }
    let is_quick = std::env::args().any(|argument| argument == "quick");
    if !is_quick {
        newton(gpu)?;
    }
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![64, 128, 256];
    }
    println!(
        "{:28}{:>12}{:>10}{:>9}{:>10}{:>10}{:>10}{:>10}{:>12}{:>10}",
        "", "rows", "cycles", "cpu", "upload", "set-up", "solve ms", "download", "linear ms", "cpu ms"
    );
    for size in sizes {
        let examples = if size > 300 { &Example::ALL[..1] } else { &Example::ALL[..3] };
        for &example in examples {
            let begin = Instant::now();
            let problem = example.generate(3, size, 0)?.into_mlcp();
            let made = begin.elapsed().as_secs_f64();
            compare(gpu, &format!("{example} {size}³"), &problem, size <= 256 && !is_quick)?;
            println!("    (made in {made:.1} s)");
        }
    }
    Ok(())
}

/// `newton+cg/none` in the plane, as in the papers, against the processor with all its threads and with one. The
/// processor makes two Newton steps; its time is given per conjugate gradient iteration.
fn newton(gpu: Gpu) -> Result<(), Box<dyn std::error::Error>> {
    const STEPS_OF_CPU: usize = 2;
    let name: SolverName = "newton+cg/none".parse()?;
    println!(
        "{:28}{:>12}{:>8}{:>12}{:>10}{:>14}{:>16}{:>16}",
        name.to_string(),
        "rows",
        "steps",
        "iterations",
        "solve ms",
        "µs/iteration",
        "cpu µs (all)",
        "cpu µs (one)"
    );
    for example in [Example::SphereHalf, Example::CubeLid] {
        let problem = example.generate(2, 1024, 0)?.into_mlcp();
        let mut solver = gpu.solver(&name, Default::default())?;
        let (mut q, mut ms) = (Vec::new(), Vec::new());
        let mut report = None;
        for repetition in 0..=3 {
            let mut again = vec![0.0; problem.size()];
            report = Some(solver.solve(&problem, &mut again)?);
            if repetition > 0 {
                assert_eq!(again, q, "the same bits from run to run");
                ms.push(1e3 * solver.times().solve.as_secs_f64());
            }
            q = again;
        }
        let report = report.expect("solved more than once");
        let per_iteration = 1e3 * median(&ms) / report.inner_iterations() as f64;
        let options = Stop::default().with_max_cycles(STEPS_OF_CPU);
        let on_cpu = || -> Result<f64, SolveError> {
            let report = name.build(&options).solve(&problem, &mut vec![0.0; problem.size()])?;
            Ok(1e6 * report.solve_time().as_secs_f64() / report.inner_iterations() as f64)
        };
        if std::env::args().any(|argument| argument == "quick") {
            println!(
                "{:28}{:>12}{:>8}{:>12}{:>10.2}{per_iteration:>14.2}",
                format!("{example} 1024²"),
                problem.size(),
                report.cycles(),
                report.inner_iterations(),
                median(&ms),
            );
            continue;
        }
        let all = on_cpu()?;
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(on_cpu)?;
        println!(
            "{:28}{:>12}{:>8}{:>12}{:>10.2}{per_iteration:>14.2}{:>16}{:>16}  {}; cpu: {STEPS_OF_CPU} steps, time per iteration",
            format!("{example} 1024²"),
            problem.size(),
            report.cycles(),
            report.inner_iterations(),
            median(&ms),
            format!("{all:.0} = {:.0}x", all / per_iteration),
            format!("{one:.0} = {:.0}x", one / per_iteration),
            report.outcome(),
        );
    }
    Ok(())
}

/// A single solve, for a profiler.
fn profile(gpu: Gpu) -> Result<(), Box<dyn std::error::Error>> {
    let size = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(128);
    let example = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(Example::CubeLid);
    let problem = example.generate(3, size, 0)?.into_mlcp();
    let mut solver = gpu.solver(&"best".parse()?, Default::default())?;
    let report = solver.solve(&problem, &mut vec![0.0; problem.size()])?;
    println!("{}/{} cycles, {:?}", report.cycles(), report.inner_iterations(), solver.times());
    Ok(())
}

fn compare(gpu: Gpu, what: &str, problem: &Mlcp, with_cpu: bool) -> Result<(), Box<dyn std::error::Error>> {
    let name: SolverName = "best".parse()?;
    let mut solver = gpu.solver(&name, Default::default())?;
    let linear = problem.sealed();
    let mut q = vec![0.0; problem.size()];
    let report = solver.solve(problem, &mut q)?;
    let mut times = Vec::new();
    let mut cycles = (report.cycles(), report.inner_iterations());
    let repetitions = if problem.size() > 50_000_000 { 2 } else { REPETITIONS };
    for _ in 0..repetitions {
        let mut again = vec![0.0; problem.size()];
        let report = solver.solve(problem, &mut again)?;
        assert!(report.converged(), "{what}: {}", report.outcome());
        assert_eq!(again, q, "the same bits from run to run");
        cycles = (report.cycles(), report.inner_iterations());
        times.push(solver.times());
    }
    let of = |part: fn(&unstick_gpu::Times) -> f64| 1e3 * median(&times.iter().map(part).collect::<Vec<_>>());
    let mut linear_ms = Vec::new();
    for _ in 0..repetitions {
        let mut q = vec![0.0; problem.size()];
        assert!(solver.solve(&linear, &mut q)?.converged());
        linear_ms.push(1e3 * solver.times().solve.as_secs_f64());
    }
    let (mut cpu_ms, mut cpu_cycles) = (f64::NAN, 0);
    if with_cpu {
        let mut expected = vec![0.0; problem.size()];
        let mut on_cpu = name.build(&Default::default());
        let mut ms = Vec::new();
        for _ in 0..3 {
            expected.fill(0.0);
            let report = on_cpu.solve(problem, &mut expected)?;
            ms.push(1e3 * report.solve_time().as_secs_f64());
            cpu_cycles = report.inner_iterations();
        }
        cpu_ms = median(&ms);
        let scale = expected.iter().fold(0.0f64, |most, q| most.max(q.abs()));
        let worst = expected.iter().zip(&q).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        if worst > 1e-4 * scale {
            println!("  answers differ by {:.1e} of the largest", worst / scale);
        }
    }
    println!(
        "{what:28}{:>12}{:>10}{cpu_cycles:>9}{:>10.2}{:>10.2}{:>10.2}{:>10.2}{:>12.2}{cpu_ms:>10.1}",
        problem.size(),
        format!("{}/{}", cycles.0, cycles.1),
        of(|times| times.upload.as_secs_f64()),
        of(|times| times.setup.as_secs_f64()),
        of(|times| times.solve.as_secs_f64()),
        of(|times| times.download.as_secs_f64()),
        median(&linear_ms),
    );
    Ok(())
}
