//! Names of solvers, methods and starting iterates.

use unstick::mlcp::{PressureMethod, SolverName, Start};

use crate::Target;

/// Reads a name. A name that is understood prints as a name that is understood.
pub const TARGET: Target = Target { name: "name", run, seeds };

fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(name) = text.parse::<SolverName>() {
        let again = name.to_string().parse::<SolverName>();
        assert_eq!(again.map(|name| name.to_string()).ok(), Some(name.to_string()), "{text}");
        let _ = name.build(&Default::default());
    }
    let _ = text.parse::<PressureMethod>();
    let _ = text.parse::<Start>();
}

fn seeds() -> Vec<Vec<u8>> {
    let names = [
        "best",
        "policy+cg/mic0",
        "newton+gmres/ainv",
        "fischer+bicgstab/ilu0",
        "penalty+multigrid",
        "sticking+fft",
        "sticking+cg/reused-ic0",
        "mprgp",
        "psor",
        "fas-literal",
        "fmg",
        "admm",
        "iop-bc",
        "zero",
        "psor:10",
        "gradient:5",
    ];
    names.map(|name| name.as_bytes().to_vec()).into()
}
