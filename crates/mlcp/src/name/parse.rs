//! From text to a name.

use std::fmt;
use std::str::FromStr;

use super::{Krylov, Method, PreconditionerName, REUSED, SolverName, Splitting, nearest};
use crate::multigrid::MultigridVariant;

impl FromStr for SolverName {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (rest, preconditioner) = match text.split_once('/') {
            Some((rest, preconditioner)) => (rest, Some(preconditioner)),
            None => (text, None),
        };
        let (method, krylov) = match rest.split_once('+') {
            Some((method, krylov)) => (method, Some(krylov)),
            None => (rest, None),
        };
        let method = Method::parse(text, method).map_err(|error| Splitting::refused(text, method).unwrap_or(error))?;
        let mut name = Self::default_of(method);
        if let Some(krylov) = krylov {
            if !method.takes_linear() {
                return Err(ParseNameError::takes_no(text, method, "linear solver"));
            }
            let (krylov, variant) = split_variant(text, krylov)?;
            name.krylov = Krylov::parse(text, krylov)?;
            if name.krylov == Krylov::Fft {
                if method != Method::Sticking {
                    return Err(ParseNameError::takes_no(text, method, "`fft`, which solves equations on every row"));
                }
                name.preconditioner = PreconditionerName::None;
            }
            if name.krylov == Krylov::Multigrid {
                (name.preconditioner, name.multigrid) = (PreconditionerName::Multigrid, variant);
            }
        }
        if let Some(preconditioner) = preconditioner {
            let is_kind_of_multigrid = method.is_multigrid() && preconditioner.starts_with(Krylov::Multigrid.name());
            if !method.takes_preconditioner() && !is_kind_of_multigrid {
                return Err(ParseNameError::takes_no(text, method, "preconditioner"));
            }
            if matches!(name.krylov, Krylov::Multigrid | Krylov::Fft) {
                return Err(ParseNameError::takes_no(text, name.krylov, "preconditioner"));
            }
            let plain = preconditioner.strip_prefix(REUSED);
            name.is_reused = plain.is_some();
            if name.is_reused && !matches!(method, Method::Policy | Method::Newton) {
                return Err(ParseNameError::takes_no(text, method, "reused preconditioner"));
            }
            let (preconditioner, variant) = split_variant(text, plain.unwrap_or(preconditioner))?;
            name.preconditioner = PreconditionerName::parse(text, preconditioner)?;
            name.multigrid = variant;
        }
        Ok(name)
    }
}

/// Cuts what follows `multigrid` off a name.
fn split_variant<'t>(text: &str, name: &'t str) -> Result<(&'t str, Option<MultigridVariant>), ParseNameError> {
    let multigrid = Krylov::Multigrid.name();
    match name.strip_prefix(multigrid) {
        None | Some("") => Ok((name, None)),
        Some(suffix) => match MultigridVariant::parse(suffix) {
            Some(variant) => Ok((&name[..multigrid.len()], Some(variant))),
            None => Err(ParseNameError::unknown_variant(text, name)),
        },
    }
}

/// Text that names no solver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no solver: {reason}")]
pub struct ParseNameError {
    pub(super) text: String,
    pub(super) reason: String,
    pub(super) nearest: Option<&'static str>,
    pub(super) known: Vec<&'static str>,
}

impl ParseNameError {
    pub(super) fn unknown(text: &str, what: &str, found: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let known: Vec<_> = known.collect();
        let nearest = nearest(found, known.iter().copied());
        let reason = format!("there is no {what} `{found}`, expected one of {}", known.join(", "));
        Self { text: text.into(), reason, nearest, known }
    }

    pub(super) fn takes_no(text: &str, part: impl fmt::Display, what: &str) -> Self {
        Self { text: text.into(), reason: format!("`{part}` takes no {what}"), nearest: None, known: Vec::new() }
    }

    fn unknown_variant(text: &str, found: &str) -> Self {
        let expected = "`multigrid`, followed by `-barycentric`, `-linear` or `-constant`, then by `-plain`, `-direct`, \
                        both or neither";
        let reason = format!("there is no `{found}`, expected {expected}");
        Self { text: text.into(), reason, nearest: Some(Krylov::Multigrid.name()), known: Vec::new() }
    }

    /// The known name that looks most like what was given, if any does.
    pub fn nearest(&self) -> Option<&'static str> {
        self.nearest
    }

    /// What would have been accepted in that place.
    pub fn known(&self) -> &[&'static str] {
        &self.known
    }
}
