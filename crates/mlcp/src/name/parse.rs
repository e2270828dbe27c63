//! From text to a name.

use std::fmt;
use std::str::FromStr;

use super::{Krylov, Method, PreconditionerName, REUSED, SolverName, Splitting};
use crate::multigrid::MultigridVariant;
use crate::parameter::{Parameter, Settings};

impl FromStr for SolverName {
    type Err = ParseNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (rest, preconditioner) = split(text, '/');
        let (method, krylov) = split(rest, '+');
        let (method, method_settings) = split(method, ':');
        let method = Method::parse(text, method).map_err(|error| Splitting::refused(text, method).unwrap_or(error))?;
        let mut name = Self::default_of(method);
        name.method_settings.read(text, method, &method.parameters(), method_settings)?;
        if let Some(krylov) = krylov {
            name.read_linear(text, krylov)?;
        }
        if let Some(preconditioner) = preconditioner {
            name.read_preconditioner(text, preconditioner)?;
        }
        Ok(name)
    }
}

impl SolverName {
    fn read_linear(&mut self, text: &str, linear: &str) -> Result<(), ParseNameError> {
        if !self.method.takes_linear() {
            return Err(ParseNameError::takes_no(text, self.method, "linear solver"));
        }
        let (linear, settings) = split(linear, ':');
        let (krylov, variant) = split_variant(text, linear)?;
        self.krylov = Krylov::parse(text, krylov)?;
        match self.krylov {
            Krylov::Fft if self.method != Method::Sticking => {
                let what = "`fft`, which solves equations on every row";
                return Err(ParseNameError::takes_no(text, self.method, what));
            }
            Krylov::Fft => self.preconditioner = PreconditionerName::None,
            Krylov::Multigrid => (self.preconditioner, self.multigrid) = (PreconditionerName::Multigrid, variant),
            _ => {}
        }
        let parameters = self.linear_parameters();
        if self.krylov != Krylov::Multigrid {
            return self.linear_settings.read(text, self.krylov, &parameters, settings);
        }
        // `multigrid-linear` is a linear solver and its preconditioner in one word, with the parameters of both.
        let of_cycle = self.preconditioner_parameters();
        let mut both = Settings::<4>::default();
        let all: Vec<Parameter> = parameters.iter().chain(&of_cycle).copied().collect();
        both.read(text, linear, &all, settings)?;
        for (index, value) in both.given(&all) {
            match index.checked_sub(parameters.len()) {
                None => self.linear_settings.set(index, value),
                Some(index) => self.preconditioner_settings.set(index, value),
            }
        }
        Ok(())
    }

    fn read_preconditioner(&mut self, text: &str, preconditioner: &str) -> Result<(), ParseNameError> {
        let is_variant = self.method.is_multigrid() && preconditioner.starts_with(Krylov::Multigrid.name());
        if !self.method.takes_preconditioner() && !is_variant {
            return Err(ParseNameError::takes_no(text, self.method, "preconditioner"));
        }
        if matches!(self.krylov, Krylov::Multigrid | Krylov::Fft) {
            return Err(ParseNameError::takes_no(text, self.krylov, "preconditioner"));
        }
        let (preconditioner, settings) = split(preconditioner, ':');
        let plain = preconditioner.strip_prefix(REUSED);
        self.is_reused = plain.is_some();
        if self.is_reused && !matches!(self.method, Method::Policy | Method::Newton) {
            return Err(ParseNameError::takes_no(text, self.method, "reused preconditioner"));
        }
        let (plain, variant) = split_variant(text, plain.unwrap_or(preconditioner))?;
        self.preconditioner = PreconditionerName::parse(text, plain)?;
        self.multigrid = variant;
        self.preconditioner_settings.read(text, preconditioner, &self.preconditioner_parameters(), settings)
    }

    /// Sets a parameter of the method unless the name gives it.
    ///
    /// ```
    /// use unstick_mlcp::SolverName;
    /// let name: SolverName = "psor".parse()?;
    /// assert_eq!(name.or_parameter("relaxation", "1")?.to_string(), "psor:relaxation=1");
    /// # Ok::<(), unstick_mlcp::ParseNameError>(())
    /// ```
    pub fn or_parameter(mut self, name: &str, value: &str) -> Result<Self, ParseNameError> {
        let (method, parameters) = (self.method, self.method.parameters());
        let index = parameters.iter().position(|parameter| parameter.name == name);
        if index.is_none_or(|index| self.method_settings.get(&parameters, index).is_none()) {
            let setting = format!("{name}={value}");
            self.method_settings.read(&format!("{method}:{setting}"), method, &parameters, Some(&setting))?;
        }
        Ok(self)
    }
}

impl<const N: usize> Settings<N> {
    /// Reads `name=value:name=value`, which follows `part` in the name `text`.
    fn read(
        &mut self,
        text: &str,
        part: impl fmt::Display,
        parameters: &[Parameter],
        settings: Option<&str>,
    ) -> Result<(), ParseNameError> {
        for setting in settings.into_iter().flat_map(|settings| settings.split(':')) {
            let (name, value) = split(setting, '=');
            let Some(index) = parameters.iter().position(|parameter| parameter.name == name) else {
                return Err(ParseNameError::unknown_parameter(text, part, parameters, name));
            };
            let (parameter, refuse) = (&parameters[index], |reason| Err(ParseNameError::because(text, reason)));
            let expected = parameter.expected();
            match value.map(|value| (value, parameter.parse(value))) {
                _ if self.get(parameters, index).is_some() => return refuse(format!("`{name}` is given twice")),
                None => return refuse(format!("`{name}` has no value, expected `{name}=` and {expected}")),
                Some((value, None)) => return refuse(format!("`{name}` is {value}, expected {expected}")),
                Some((_, Some(value))) => self.set(index, value),
            }
        }
        Ok(())
    }
}

/// Cuts a text in two at the first `separator`.
fn split(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator).map_or((text, None), |(before, after)| (before, Some(after)))
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

/// Text that is not the name of a solver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a solver: {reason}")]
pub struct ParseNameError {
    pub(super) text: String,
    pub(super) reason: String,
    pub(super) nearest: Option<&'static str>,
    pub(super) known: Vec<&'static str>,
}

impl ParseNameError {
    pub(super) fn unknown(text: &str, what: &str, found: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let known: Vec<_> = known.collect();
        let reason = format!("there is no {what} `{found}`, expected one of {}", known.join(", "));
        Self { nearest: nearest(found, known.iter().copied()), known, ..Self::because(text, reason) }
    }

    fn unknown_parameter(text: &str, part: impl fmt::Display, parameters: &[Parameter], found: &str) -> Self {
        let known: Vec<_> = parameters.iter().map(|parameter| parameter.name).collect();
        let reason = match known.is_empty() {
            true => format!("`{part}` has no parameter `{found}` here"),
            false => format!("`{part}` has no parameter `{found}`, expected one of {}", known.join(", ")),
        };
        Self { nearest: nearest(found, known.iter().copied()), known, ..Self::because(text, reason) }
    }

    pub(super) fn takes_no(text: &str, part: impl fmt::Display, what: &str) -> Self {
        Self::because(text, format!("`{part}` takes no {what}"))
    }

    fn unknown_variant(text: &str, found: &str) -> Self {
        let expected = "`multigrid`, followed by `-barycentric`, `-linear` or `-constant`, then by `-plain`, `-direct`, \
                        both or neither";
        let reason = format!("there is no `{found}`, expected {expected}");
        Self { nearest: Some(Krylov::Multigrid.name()), ..Self::because(text, reason) }
    }

    pub(super) fn because(text: &str, reason: String) -> Self {
        Self { text: text.into(), reason, nearest: None, known: Vec::new() }
    }

    /// The known name that is most similar to what was given, if one is similar.
    pub fn nearest(&self) -> Option<&'static str> {
        self.nearest
    }

    /// The names that are accepted in that place.
    pub fn known(&self) -> &[&'static str] {
        &self.known
    }
}

/// The name of a list that is most similar to another; none if none is similar.
///
/// Case, hyphens and underscores do not count.
///
/// ```
/// use unstick_mlcp::nearest;
///
/// assert_eq!(nearest("polycy", ["policy", "penalty"]), Some("policy"));
/// assert_eq!(nearest("xyz", ["policy", "penalty"]), None);
/// ```
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let name = folded(name);
    let scored = known.into_iter().map(|known| (strsim::damerau_levenshtein(&name, &folded(known)), known));
    let (distance, best) = scored.min_by_key(|&(distance, _)| distance)?;
    (distance <= 1 + name.chars().count() / 3).then_some(best)
}
