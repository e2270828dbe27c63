//! `unstick solvers`: the parts of solvers' names, and their parameters.

use std::fmt::Write;

use unstick::mlcp::catalogue;

use super::Verdict;
use crate::error::CommandError;
use crate::output;

/// Lists the catalogue.
pub fn run() -> Result<Verdict, CommandError> {
    output::print(list())?;
    Ok(Verdict::Done)
}

fn list() -> String {
    let mut text =
        String::from("A solver is METHOD[+LINEAR][/PRECONDITIONER]. Each part may be followed by :NAME=VALUE.\n");
    let (mut kind, entries) = ("", catalogue());
    let name_of = |parameter: &unstick::mlcp::Parameter| format!(":{}={}", parameter.name, parameter.default);
    let names = entries.iter().map(|entry| entry.name.len() + 2);
    let parameters = entries.iter().flat_map(|entry| &entry.parameters).map(|parameter| name_of(parameter).len() + 2);
    let width = names.chain(parameters).max().unwrap_or(0);
    for entry in &entries {
        if entry.kind != kind {
            kind = entry.kind;
            let _ = writeln!(text, "\n{}", format!("{kind}s").to_uppercase());
        }
        let _ = writeln!(text, "  {:width$}{}", entry.name, entry.about);
        for parameter in &entry.parameters {
            let (meaning, expected) = (parameter.meaning(), parameter.expected());
            let _ = writeln!(text, "    {:width$}{meaning} ({expected})", name_of(parameter));
        }
    }
    text + "\nFor example: unstick solve tank --solver best:forcing=0.05,policy+gmres:restart=20/mic0"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_parts_with_their_parameters() {
        let list = list();
        assert!(list.contains("\nLINEAR SOLVERS\n") && list.contains(":forcing=0.07"), "{list}");
        assert!(list.contains("(a number from 1e-10 to 0.9)"), "{list}");
    }
}
