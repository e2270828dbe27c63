//! The laboratory: published tables and figures, measured anew.
//!
//! A [`Study`] is data: what is [measured](Experiment), how it is [shown](View), what was published, and
//! what the source [claims](Claim). The folders `lai`, `andersen`, `eckert` and `viscous` hold nothing else;
//! `bodies` holds what it measures as well.
//! [`measure`] runs what is missing in the [`store`], [`result`] makes tables, plots and judgements of
//! what is there, [`present`] writes them.

mod andersen;
mod bodies;
mod eckert;
mod judge;
mod lai;
pub mod lock;
pub mod measure;
pub mod present;
mod quantity;
pub mod record;
pub mod result;
pub mod store;
mod table;
mod viscous;

use std::fmt;

use unstick::mlcp::{Start, nearest};

use crate::LabError;
pub use quantity::Quantity;

/// A table or figure of the literature.
pub struct Study {
    /// On the command line, such as `lai-6.1`.
    pub name: &'static str,
    /// Key in `docs/references.bib` and place in it, such as `Lai2021, table 6.1`.
    pub source: &'static str,
    /// What it is about, in a line.
    pub title: &'static str,
    /// What was done there, and what is done here and differs. Words between backticks are code.
    pub about: &'static str,
    /// What is measured.
    pub experiment: Experiment,
    /// What is made of it.
    pub views: &'static [View],
    /// Minutes that it takes on two cores if nothing is measured yet.
    pub minutes: ByScope<f64>,
}

/// What is measured.
pub enum Experiment {
    /// Solvers on the pressure problems of frames of a scene.
    Problems(Problems),
    /// A scene simulated once with each setting.
    Runs(Runs),
    /// One step from the same states with each setting.
    Steps(Steps),
    /// Measurements of their own, one a row.
    Trials(Trials),
    /// Flows with known answers.
    Flows(Flows),
    /// Nothing: why it cannot be done here.
    Impossible(&'static str),
}

/// Solvers on the pressure problems of frames of a scene.
pub struct Problems {
    /// Scenes of the catalogue.
    pub scenes: &'static [&'static str],
    /// Grids and frames: quick, full. The problem is that of the step after the frame.
    pub efforts: ByScope<Effort>,
    /// Who solves them.
    pub entrants: &'static [Entrant],
    /// What counts as solved.
    pub target: Target,
    /// Solves by each, of which the median time counts.
    pub repetitions: usize,
}

/// A scene simulated once with each setting, up to the last of the frames.
pub struct Runs {
    /// Scenes of the catalogue.
    pub scenes: &'static [&'static str],
    /// Grids, and frames that are drawn: quick, full. The run ends with the last.
    pub efforts: ByScope<Effort>,
    /// What is changed in the scene.
    pub settings: &'static [Setting],
    /// Whether the frames are drawn.
    pub is_drawn: bool,
}

/// One step from the same states with each setting.
pub struct Steps {
    /// A scene of the catalogue, which gives the states.
    pub scene: &'static str,
    /// Grids, and frames after which the step is taken: quick, full.
    pub efforts: ByScope<Effort>,
    /// What is changed in the scene for the step.
    pub settings: &'static [Setting],
    /// What the velocities are compared with.
    pub reference: &'static [&'static str],
}

/// Measurements that give several numbers each.
pub struct Trials {
    /// What they are of.
    pub what: &'static str,
    /// Names of the rows: quick, full.
    pub rows: ByScope<&'static [&'static str]>,
    /// Makes the measurement of a row: numbers by the names of their columns, or why there are none.
    pub carry_out: fn(&str, Scope) -> Numbers,
}

/// Flows with known answers.
pub struct Flows {
    /// What is simulated.
    pub cases: &'static [FlowCase],
    /// How finely, with the name of the column: quick, full.
    pub efforts: ByScope<&'static [(usize, &'static str)]>,
}

/// A flow with the place of its numbers in a table.
pub struct FlowCase {
    /// Its row; empty where rows are not cases.
    pub row: &'static str,
    /// What is simulated.
    pub flow: measure::FlowKind,
}

/// Numbers by the names of their columns, or why there are none.
pub type Numbers = Result<Vec<(&'static str, f64)>, String>;

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Cells along the longest axis.
    pub sizes: &'static [usize],
    /// Ascending.
    pub frames: &'static [usize],
}

/// How much is measured of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Minutes on two cores: small grids, few frames.
    Quick,
    /// What was published.
    Full,
}

/// What counts as solved.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// A part of the natural residual at zero.
    Relative(f64),
    /// The divergence in 1/s that \[Lai2021\] stops on; ours is a velocity, h times as large.
    PerSecond(f64),
}

/// A solver with the place of its numbers in a table.
#[derive(Clone, Copy, Debug)]
pub struct Entrant {
    /// Its row; empty where rows are sizes or scenes.
    pub row: &'static str,
    /// Its column, by the name of the source.
    pub column: &'static str,
    /// By name.
    pub solver: &'static str,
    /// Its parameters.
    pub parameters: Parameters,
    /// Where it begins.
    pub start: Start,
    /// It is not asked to solve on finer grids.
    pub finest: usize,
}

/// Parameters of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parameters {
    /// Those that the name of the solver stands for.
    Default,
    /// Newton's method as in \[Andersen2017b, sec. 6\]: ten steps, ξ = 0.01 throughout, no rescue, 1000 inner
    /// iterations.
    PublishedNewton,
    /// The same with another ξ.
    InexactNewton(f64),
    /// Policy iteration whose linear systems are solved to 10⁻⁶ of their right-hand sides.
    ExactPolicy,
}

/// As it stands in the keys of measurements.
impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("Ours"),
            Self::PublishedNewton => f.write_str("Published"),
            Self::InexactNewton(inexactness) => write!(f, "Inexact({inexactness:?})"),
            Self::ExactPolicy => f.write_str("ExactPolicy"),
        }
    }
}

/// A change of a scene with the place of its numbers in a table.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its row; empty where rows are sizes or scenes.
    pub row: &'static str,
    /// Its column, by the name of the source.
    pub column: &'static str,
    /// As `--set` takes them.
    pub sets: &'static [&'static str],
}

/// A table or plot, what was published of it, and what is to be seen in it.
pub struct View {
    /// Heading.
    pub caption: &'static str,
    /// What is shown.
    pub show: Show,
    /// The published table: columns between bars, the head first. Empty if there is none.
    pub published: &'static str,
    /// What the source says of it.
    pub claims: &'static [Claim],
}

/// What is shown.
#[derive(Clone, Copy)]
pub enum Show {
    /// A quantity by row and column, averaged over frames.
    Table(Quantity),
    /// The same, as percents above a column.
    Excess {
        /// What is compared.
        quantity: Quantity,
        /// The column that counts as zero.
        base: &'static str,
    },
    /// Columns of the entrants as rows, quantities as columns.
    Methods(&'static [Quantity]),
    /// Residual against iterations, on the finest grid.
    Convergence,
    /// What a method stops on against its outer iterations, in the last of the steps.
    Residuals,
    /// Residual against outer iterations: the quartiles over all frames.
    Quartiles,
    /// How many solves took how many outer iterations.
    Histogram,
    /// A quantity over time.
    Course(Quantity),
    /// Numbers of trials: a row each, columns by name.
    Numbers(&'static [&'static str]),
    /// The curves that flows left, of those whose name begins so.
    Curves {
        /// How their names begin.
        of: &'static str,
        /// What runs across.
        across: &'static str,
        /// What runs up.
        up: &'static str,
        /// What the source has of it: name and points.
        published: &'static [(&'static str, &'static [(f64, f64)])],
    },
    /// The last picture of each setting, side by side.
    Gallery,
}

/// What a source says, and how to see it in numbers.
pub struct Claim {
    /// A sentence without its full stop.
    pub text: &'static str,
    /// How it is checked.
    pub check: Check,
    /// Why it may not hold here; empty where no reason is known.
    pub because: &'static str,
}

/// How a claim is checked, on whatever rows there are. Where rows are methods, columns and rows change
/// places.
pub enum Check {
    /// From the first row to the last a column grows by less than a factor.
    GrowsLess(&'static str, f64),
    /// … by more than a factor.
    GrowsMore(&'static str, f64),
    /// One column is below another in the named row; in the last where the name is empty.
    Below(&'static str, &'static str, &'static str),
    /// One row is below another in the named column.
    RowBelow(&'static str, &'static str, &'static str),
    /// One column is at most some times another in the named row.
    Times(&'static str, &'static str, &'static str, f64),
    /// The number in a column and a row is at most a bound.
    AtMost(&'static str, &'static str, f64),
    /// The number in a column and a row is at most so far from zero.
    Near(&'static str, &'static str, f64),
    /// A column does not come to an answer in the last row.
    Fails(&'static str),
    /// Two columns differ by less than a factor in every row.
    Alike(&'static str, &'static str, f64),
    /// The number in a row is within a part of a value, in the last column that has it.
    Known(&'static str, f64, f64),
    /// … between two values.
    Between(&'static str, f64, f64),
    /// Every number is less than a bound in size.
    Within(f64),
}

/// A value for each scope.
#[derive(Clone, Copy, Debug)]
pub struct ByScope<T> {
    /// For [`Scope::Quick`].
    pub quick: T,
    /// For [`Scope::Full`].
    pub full: T,
}

impl<T> ByScope<T> {
    const fn new(quick: T, full: T) -> Self {
        Self { quick, full }
    }

    /// The value of a scope.
    pub fn of(&self, scope: Scope) -> &T {
        match scope {
            Scope::Quick => &self.quick,
            Scope::Full => &self.full,
        }
    }
}

impl<T: Copy> ByScope<T> {
    const fn same(value: T) -> Self {
        Self { quick: value, full: value }
    }
}

impl View {
    /// A view without published numbers and claims.
    const fn new(caption: &'static str, show: Show) -> Self {
        Self { caption, show, published: "", claims: &[] }
    }

    const fn published(self, published: &'static str) -> Self {
        Self { published, ..self }
    }

    const fn claims(self, claims: &'static [Claim]) -> Self {
        Self { claims, ..self }
    }
}

impl Claim {
    const fn new(text: &'static str, check: Check) -> Self {
        Self { text, check, because: "" }
    }

    const fn because(self, because: &'static str) -> Self {
        Self { because, ..self }
    }
}

impl Entrant {
    /// A solver in a column, from zero, in rows of sizes.
    const fn new(column: &'static str, solver: &'static str) -> Self {
        Self { row: "", column, solver, parameters: Parameters::Default, start: Start::Zero, finest: usize::MAX }
    }

    const fn at(self, row: &'static str) -> Self {
        Self { row, ..self }
    }

    const fn with(self, parameters: Parameters) -> Self {
        Self { parameters, ..self }
    }

    const fn from(self, start: Start) -> Self {
        Self { start, ..self }
    }

    const fn up_to(self, finest: usize) -> Self {
        Self { finest, ..self }
    }
}

impl Setting {
    const fn new(column: &'static str, sets: &'static [&'static str]) -> Self {
        Self { row: "", column, sets }
    }

    const fn at(self, row: &'static str) -> Self {
        Self { row, ..self }
    }
}

/// The hundred frames that \[Lai2021\] averages over.
static EVERY_FRAME: [usize; 100] = {
    let mut frames = [0; 100];
    let mut index = 0;
    while index < frames.len() {
        frames[index] = index + 1;
        index += 1;
    }
    frames
};

/// The last column of every table.
pub const BEST: &str = "best";

/// All studies, source by source.
pub fn all() -> impl Iterator<Item = &'static Study> {
    [lai::ALL, andersen::ALL, eckert::ALL, viscous::ALL, bodies::ALL].into_iter().flatten().copied().flatten()
}

/// Studies by name, each once, in the order of the catalogue; `all` stands for all, the first word
/// of a name for all of a source.
pub fn find(names: &[String]) -> Result<Vec<&'static Study>, LabError> {
    let is_meant = |name: &str, study: &Study| {
        name == "all" || name == study.name || study.name.split_once('-').is_some_and(|(source, _)| source == name)
    };
    for name in names {
        if !all().any(|study| is_meant(name, study)) {
            let nearest = nearest(name, all().map(|study| study.name).chain(["all"]));
            return Err(LabError::UnknownStudy { name: name.clone(), nearest });
        }
    }
    Ok(all().filter(|study| names.iter().any(|name| is_meant(name, study))).collect())
}

#[cfg(test)]
mod tests;
