//! Several solvers on one problem, from the same start.

pub mod entrant;
pub mod timing;

use unstick::liquid::{PressureStage, SplittingParams};
use unstick::mlcp::{
    MMatrixDefect, ParseNameError, PressureMethod, SolveError, SolveReport, SolverName, SplittingName, Start, Stop,
};
use unstick::problems::Problem;

use crate::{LabError, Progress};
pub use entrant::{Entrant, PreparedSolver};

/// What all solvers have to do.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The solvers, in this order.
    pub solvers: Vec<Entrant>,
    /// When they stop.
    pub stop: Stop,
    /// Where they start.
    pub start: Start,
}

/// The results of all solvers.
#[derive(Debug)]
pub struct Comparison {
    /// Name of the problem.
    pub problem: String,
    /// Its rows.
    pub unknowns: usize,
    /// Its complementary rows.
    pub wall_rows: usize,
    /// Entries of its matrix.
    pub entries: usize,
    /// Why its matrix is not an M-matrix, if so.
    pub defect: Option<MMatrixDefect>,
    /// When the solvers stopped.
    pub stop: Stop,
    /// Where they started.
    pub start: Start,
    /// Threads they had.
    pub threads: usize,
    /// One entry per solver, in the requested order.
    pub runs: Vec<SolverRun>,
    /// The best answer, if there is any.
    pub answer: Option<Answer>,
}

/// The result of one solver.
#[derive(Debug)]
pub struct SolverRun {
    /// The solver.
    pub solver: Entrant,
    /// Its report, or why it failed.
    pub result: Result<SolveReport, SolveError>,
}

/// An answer and the solver that found it.
#[derive(Debug)]
pub struct Answer {
    /// The solver.
    pub solver: Entrant,
    /// How good.
    pub quality: AnswerQuality,
    /// The values.
    pub x: Vec<f64>,
}

/// How good an answer is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerQuality {
    /// The tolerance was not met.
    Unfinished,
    /// The tolerance was met, but for sticking walls, which is another problem.
    Sticking,
    /// The tolerance was met.
    Solved,
}

impl SolverRun {
    /// Whether its answer meets the tolerance.
    pub fn converged(&self) -> bool {
        self.result.as_ref().is_ok_and(SolveReport::converged)
    }

    /// How it ended, in one or two words.
    pub fn outcome(&self) -> String {
        match &self.result {
            Ok(report) => report.outcome().to_string(),
            Err(_) => "failed".into(),
        }
    }

    fn quality(&self) -> Option<AnswerQuality> {
        let report = self.result.as_ref().ok()?;
        Some(match self.solver {
            _ if !report.converged() => AnswerQuality::Unfinished,
            solver if solver.is_sticking() => AnswerQuality::Sticking,
            _ => AnswerQuality::Solved,
        })
    }
}

/// The velocities of a step, which splittings work on.
pub trait Velocities: Send + Sync {
    /// Runs a splitting; returns its report and the pressure.
    fn split(&self, name: SplittingName) -> Result<(SolveReport, Vec<f64>), SolveError>;
}

impl<const D: usize> Velocities for (PressureStage<D>, SplittingParams) {
    fn split(&self, name: SplittingName) -> Result<(SolveReport, Vec<f64>), SolveError> {
        self.0.split(name, &self.1)
    }
}

/// Solvers by name, each once. `all` stands for one of each method.
pub fn solvers(names: &[String]) -> Result<Vec<PressureMethod>, LabError> {
    distinct(names, |text| text.parse::<SolverName>().map(PressureMethod::Solver))
}

/// Solvers and splittings by name. Splittings need the velocities of a step.
pub fn methods(names: &[String]) -> Result<Vec<PressureMethod>, LabError> {
    distinct(names, str::parse)
}

fn distinct(
    names: &[String],
    parse: impl Fn(&str) -> Result<PressureMethod, ParseNameError>,
) -> Result<Vec<PressureMethod>, LabError> {
    let mut solvers = Vec::new();
    for text in names {
        let named = match text.trim() {
            "all" => SolverName::defaults().into_iter().map(PressureMethod::Solver).collect(),
            one => vec![parse(one)?],
        };
        for solver in named {
            if !solvers.contains(&solver) {
                solvers.push(solver);
            }
        }
    }
    Ok(solvers)
}

impl Contest {
    /// Runs every solver from `start`, which must be [prepared](Start::prepare).
    ///
    /// If a solver fails, its result says so and the others still run.
    pub fn run(&self, name: &str, problem: &Problem, start: &[f64], progress: &dyn Progress) -> Comparison {
        let count = self.solvers.len();
        let mut answer: Option<Answer> = None;
        let mut runs = Vec::with_capacity(self.solvers.len());
        for (number, &solver) in self.solvers.iter().enumerate() {
            let solver = solver.on(problem.mlcp());
            progress.activity(&format!("{solver} ({} of {count})", number + 1));
            let mut x = start.to_vec();
            let worker = PreparedSolver::new(solver, &self.stop, problem.mlcp(), start);
            let result = worker.and_then(|mut worker| worker.solve(&self.stop, problem.mlcp(), None, &mut x));
            let run = SolverRun { solver, result };
            if let Some(quality) = run.quality()
                && answer.as_ref().is_none_or(|best| quality > best.quality)
            {
                answer = Some(Answer { solver, quality, x });
            }
            runs.push(run);
        }
        progress.end();
        Comparison { answer, ..Comparison::of(self, name, problem, runs) }
    }
}

impl Comparison {
    /// Combines runs with their problem; there is no answer yet.
    pub fn of(contest: &Contest, name: &str, problem: &Problem, runs: Vec<SolverRun>) -> Self {
        Self {
            problem: name.into(),
            unknowns: problem.size(),
            wall_rows: problem.mlcp().wall_rows(),
            entries: problem.matrix().entries(),
            defect: problem.matrix().m_matrix_defect(),
            stop: contest.stop,
            start: contest.start,
            threads: rayon::current_num_threads(),
            runs,
            answer: None,
        }
    }

    /// The runs that did not converge.
    pub fn unsolved(&self) -> impl Iterator<Item = &SolverRun> {
        self.runs.iter().filter(|run| !run.converged())
    }

    /// The reports of solvers that did not fail.
    pub fn reports(&self) -> impl Iterator<Item = &SolveReport> {
        self.runs.iter().filter_map(|run| run.result.as_ref().ok())
    }
}
