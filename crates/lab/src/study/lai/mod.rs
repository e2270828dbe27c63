//! [Lai2021]: tables 5.1 and 6.1 to 6.12, figures 6.8 to 6.11.

mod counts;
mod multigrid;
mod outer;
mod times;

use super::{ByScope, EVERY_FRAME, Effort, Entrant, Experiment, Problems, Study, Target};

/// All of them.
pub const ALL: &[&[Study]] = &[multigrid::ALL, counts::ALL, outer::ALL, times::ALL];

/// The absolute tolerance of the thesis, sec. 6.1.
const TARGET: Target = Target::PerSecond(1e-6);

/// The solvers of chapter 6 by their names there. The thesis uses Newton's method without a
/// preconditioner, from the program of its authors, and not over all frames of the finest grid in space.
const FAS: Entrant = Entrant::new("FAS-MG", "fas");
const LITERAL: Entrant = Entrant::new("FAS-MG, literal", "fas-literal");
const PI_PCG: Entrant = Entrant::new("PI-PCG", "policy+cg/mic0");
const PI_EXACT: Entrant = Entrant::new("PI-PCG, exact systems", "policy:forcing=1e-6+cg/mic0");
const PI_MG: Entrant = Entrant::new("PI-MG", "policy+multigrid-barycentric");
const PE_PCG: Entrant = Entrant::new("PE-PCG", "penalty+cg/mic0");
const PE_MG: Entrant = Entrant::new("PE-MG", "penalty+multigrid-barycentric");
const FMG: Entrant = Entrant::new("FMG", "fmg");
const NEWTON: Entrant = Entrant::new("Newton", "newton+cg/none");
const NO_LCP: Entrant = Entrant::new("No LCP", "sticking+cg/mic0");
const BEST: Entrant = Entrant::new("best", "best");

const EIGHT: &[Entrant] = &[FAS, PI_PCG, PI_MG, PE_PCG, PE_MG, FMG, NEWTON, NO_LCP, LITERAL, PI_EXACT, BEST];
const EIGHT_IN_SPACE: &[Entrant] =
    &[FAS, PI_PCG, PI_MG, PE_PCG, PE_MG, FMG, NEWTON.up_to(128), NO_LCP, LITERAL, PI_EXACT, BEST];
const SEVEN: &[Entrant] = &[FAS, PI_PCG, PI_MG, PE_PCG, PE_MG, FMG, NEWTON, LITERAL, BEST];

const PLANE: ByScope<Effort> = ByScope::new(
    Effort { sizes: &[32, 64, 128, 256], frames: &[10, 20, 30, 40] },
    Effort { sizes: &[32, 64, 128, 256], frames: &EVERY_FRAME },
);
const SPACE: ByScope<Effort> = ByScope::new(
    Effort { sizes: &[32, 64], frames: &[10, 20, 30, 40] },
    Effort { sizes: &[32, 64, 128, 256], frames: &EVERY_FRAME },
);
const MAZE: ByScope<Effort> = ByScope::new(
    Effort { sizes: &[32, 64, 128], frames: &[10, 25, 40, 55, 70, 85, 100] },
    Effort { sizes: &[32, 64, 128], frames: &EVERY_FRAME },
);

const ON_CIRCLE: Experiment = over(&["circle-half"], PLANE, EIGHT);
const ON_SPHERE: Experiment = over(&["sphere-half"], SPACE, EIGHT_IN_SPACE);
/// Solves take a few milliseconds, so the median of five counts.
const ON_MAZE: Experiment = Experiment::Problems(Problems {
    scenes: &["maze"],
    efforts: MAZE,
    entrants: SEVEN,
    target: TARGET,
    repetitions: 5,
});

const fn over(scenes: &'static [&'static str], efforts: ByScope<Effort>, entrants: &'static [Entrant]) -> Experiment {
    Experiment::Problems(Problems { scenes, efforts, entrants, target: TARGET, repetitions: 1 })
}

/// All solvers after some frames in space.
const fn at_frame(scenes: &'static [&'static str], frames: &'static [usize]) -> Experiment {
    let (quick, full) = (Effort { sizes: &[32, 64], frames }, Effort { sizes: &[32, 64, 128, 256], frames });
    over(scenes, ByScope::new(quick, full), SEVEN)
}

const ONE_FRAME: &str = "Numbers are of the step after a frame, `fas` is our correction of FAS-MG and `fas-literal` its \
    algorithm as printed; iterations are cycles for the multigrid methods and those of the linear solver in all outer \
    iterations for the others. The thesis counts trial steps of Newton's line search too, we do not. Solves start from \
    zero and stop at a divergence of 10⁻⁶ 1/s, as in sec. 6.1. Our policy and penalty iterations solve their linear \
    systems inexactly.";
