//! Several solvers on one problem, from the same start.

pub mod entrant;
pub mod timing;

use std::sync::Arc;

use unstick::liquid::{PressureStage, SplittingParams};
use unstick::mlcp::io::ProblemFolder;
use unstick::mlcp::{
    MMatrixDefect, Mlcp, ParseNameError, PressureMethod, SolveError, SolveReport, SolverName, SolverOptions,
    SplittingName, Start, Stop,
};

use crate::{LabError, Progress};
pub use entrant::{Entrant, PreparedSolver};

/// What was asked of all solvers.
#[derive(Clone, Debug)]
pub struct Contest {
    /// Who takes part, in this order.
    pub solvers: Vec<Entrant>,
    /// When they stop.
    pub stop: Stop,
    /// Where they begin.
    pub start: Start,
}

/// What came of it.
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
    /// Why its matrix is no M-matrix, if it is none.
    pub defect: Option<MMatrixDefect>,
    /// When the solvers stopped.
    pub stop: Stop,
    /// Where they began.
    pub start: Start,
    /// Threads they had.
    pub threads: usize,
    /// One entry per solver, in the order asked for.
    pub runs: Vec<SolverRun>,
    /// The answer quality keeping, if there is one.
    pub answer: Option<Answer>,
}

/// One solver's part.
#[derive(Debug)]
pub struct SolverRun {
    /// Who.
    pub solver: Entrant,
    /// Its account, or why there is none.
    pub result: Result<SolveReport, SolveError>,
}

/// An answer and whose it is.
#[derive(Debug)]
pub struct Answer {
    /// Whose.
    pub solver: Entrant,
    /// How good.
    pub quality: AnswerQuality,
    /// The values.
    pub x: Vec<f64>,
}

/// What an answer is quality, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerQuality {
    /// The tolerance was not met.
    Unfinished,
    /// Met, on the equations of a sticking wall: an answer to another question.
    Sticking,
    /// Met.
    Solved,
}

impl SolverRun {
    /// Whether its answer meets the tolerance.
    pub fn converged(&self) -> bool {
        self.result.as_ref().is_ok_and(SolveReport::converged)
    }

    /// How it ended, in a word or two.
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

/// What splittings work on: a step, with its velocities.
pub trait Velocities: Send + Sync {
    /// Carries out a splitting; returns its account and the pressure.
    fn split(&self, name: SplittingName) -> Result<(SolveReport, Vec<f64>), SolveError>;
}

impl<const D: usize> Velocities for (PressureStage<D>, SplittingParams) {
    fn split(&self, name: SplittingName) -> Result<(SolveReport, Vec<f64>), SolveError> {
        self.0.split(name, &self.1)
    }
}

/// Solvers of a problem by name, each once; `all` stands for one of each method.
pub fn solvers(names: &[String]) -> Result<Vec<PressureMethod>, LabError> {
    distinct(names, |text| text.parse::<SolverName>().map(PressureMethod::Solver))
}

/// The same where there are velocities, and splittings can take part.
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
    /// What solvers of a problem are built with.
    pub fn options(&self, folder: &ProblemFolder) -> SolverOptions {
        SolverOptions { stop: self.stop, coloring: folder.coloring().map(Arc::new), ..Default::default() }
    }

    /// Lets every solver run from `start`, which must already be [prepared](Start::prepare).
    ///
    /// A solver that fails is reported as such and does not keep the others from running.
    pub fn run(
        &self,
        name: &str,
        folder: &ProblemFolder,
        problem: &Mlcp,
        start: &[f64],
        progress: &dyn Progress,
    ) -> Comparison {
        let options = self.options(folder);
        let count = self.solvers.len();
        let mut answer: Option<Answer> = None;
        let mut runs = Vec::with_capacity(self.solvers.len());
        for (number, &solver) in self.solvers.iter().enumerate() {
            let solver = solver.on(problem);
            progress.activity(&format!("{solver} ({} of {count})", number + 1));
            let mut x = start.to_vec();
            let worker = PreparedSolver::new(solver, &options, problem, start);
            let result = worker.and_then(|mut worker| worker.solve(&options, problem, None, &mut x));
            let run = SolverRun { solver, result };
            if let Some(quality) = run.quality()
                && answer.as_ref().is_none_or(|best| quality > best.quality)
            {
                answer = Some(Answer { solver, quality, x });
            }
            runs.push(run);
        }
        progress.end();
        Comparison { answer, ..Comparison::of(self, name, folder, problem, runs) }
    }
}

impl Comparison {
    /// Runs beside what they had to do, without an answer.
    pub fn of(contest: &Contest, name: &str, folder: &ProblemFolder, problem: &Mlcp, runs: Vec<SolverRun>) -> Self {
        Self {
            problem: name.into(),
            unknowns: problem.size(),
            wall_rows: problem.wall_rows(),
            entries: folder.matrix.entries(),
            defect: folder.matrix.m_matrix_defect(),
            stop: contest.stop,
            start: contest.start,
            threads: rayon::current_num_threads(),
            runs,
            answer: None,
        }
    }

    /// Those that did not converge.
    pub fn unsolved(&self) -> impl Iterator<Item = &SolverRun> {
        self.runs.iter().filter(|run| !run.converged())
    }

    /// The accounts there are.
    pub fn reports(&self) -> impl Iterator<Item = &SolveReport> {
        self.runs.iter().filter_map(|run| run.result.as_ref().ok())
    }
}
