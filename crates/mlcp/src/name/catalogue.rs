//! The catalogue as data, from which help texts and documentation are made.

use super::{Krylov, Method, PreconditionerName, Splitting};
use crate::parameter::{Parameter, Parameters};
use crate::solvers::InnerParams;

/// A part of solvers' names.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CatalogueEntry {
    /// `solver`, `splitting`, `linear solver` or `preconditioner`.
    pub kind: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// Its parameters, which follow its name: `gmres:restart=20`.
    pub parameters: Vec<Parameter>,
}

/// All parts of solvers' names with their parameters: first the methods, then the splittings, the linear solvers and
/// the preconditioners.
///
/// ```
/// for entry in unstick_mlcp::catalogue() {
///     println!("{:12} {}", entry.name, entry.about);
///     for parameter in &entry.parameters {
///         let (default, expected) = (parameter.default, parameter.expected());
///         println!("  :{}={default}  {} ({expected})", parameter.name, parameter.meaning());
///     }
/// }
/// ```
pub fn catalogue() -> Vec<CatalogueEntry> {
    let methods = Method::ALL.iter().map(|method| method.entry_with(method.parameters()));
    let splittings = Splitting::ALL.iter().map(|splitting| splitting.entry_with(Vec::new()));
    let linear = Krylov::ALL.iter().map(|&krylov| {
        let limit = if krylov == Krylov::Fft { Vec::new() } else { InnerParams::list() };
        krylov.entry_with(krylov.parameters().into_iter().chain(limit).collect())
    });
    let preconditioners = PreconditionerName::ALL.iter().map(|name| name.entry_with(name.parameters()));
    methods.chain(splittings).chain(linear).chain(preconditioners).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::MOST_PARAMETERS;

    #[test]
    fn every_parameter_accepts_its_default_and_has_a_meaning() {
        for entry in catalogue() {
            assert!(entry.parameters.len() <= MOST_PARAMETERS, "{}", entry.name);
            assert!(!entry.about.is_empty(), "{}", entry.name);
            for parameter in &entry.parameters {
                let default = parameter.parse(&parameter.default.to_string());
                assert_eq!(default, Some(parameter.default), "{}:{}", entry.name, parameter.name);
                let meaning = parameter.meaning();
                assert!(meaning.len() > 10, "{}:{} is explained by `{meaning}` alone", entry.name, parameter.name);
            }
        }
    }
}
