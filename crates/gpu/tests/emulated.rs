//! The kernels on the host, against the solvers of the processor.
#![cfg(feature = "emulation")]

use unstick_gpu::Gpu;
use unstick_mlcp::generate::Example;
use unstick_mlcp::{MlcpSolver, SolverName};

#[test]
fn generated_problems_have_the_answer_of_the_processor() {
    for example in Example::ALL {
        for (dimension, size) in [(2, 16), (2, 33), (2, 96), (3, 12), (3, 24), (3, 32)] {
            let folder = example.generate(dimension, size, 1).unwrap();
            let problem = folder.problem().unwrap();
            let (mut on_cpu, mut on_gpu) = (vec![0.0; problem.size()], vec![0.0; problem.size()]);
            let name: SolverName = "best".parse().unwrap();
            let expected = name.build(&Default::default()).solve(&problem, &mut on_cpu).unwrap();
            let mut solver = Gpu::emulated().solver(&name, Default::default()).unwrap();
            let report = solver.solve(&problem, &mut on_gpu).unwrap();
            println!(
                "{example} {dimension}D {size}: {} {}/{} cycles, cpu {}/{}, active {} {}",
                report.outcome(),
                report.cycles(),
                report.inner_iterations(),
                expected.cycles(),
                expected.inner_iterations(),
                report.active_rows(),
                expected.active_rows(),
            );
        }
    }
}
