//! Parameters of methods, linear solvers and preconditioners as data.
//!
//! A parameter is declared once, with its name, type, default, range and meaning. From that follow the struct
//! that the method reads, its `Default`, the text after the `:` of a [solver's name](crate::SolverName), the
//! check of what a user writes there, and the list that help texts print.

mod declare;
mod settings;

pub(crate) use declare::{ParameterType, parameters};
pub(crate) use settings::{MOST_PARAMETERS, Settings};

use std::fmt;

/// What a parameter is set to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParameterValue {
    /// A real number. Never NaN.
    Number(f64),
    /// A whole number.
    Count(usize),
    /// Yes or no.
    Switch(bool),
    /// The method decides.
    Automatic,
}

/// As it is written in a name.
impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => {
                let text = format!("{number:?}"); // the shortest text that is read back as the same number
                f.pad(text.strip_suffix(".0").unwrap_or(&text))
            }
            Self::Count(count) => f.pad(&count.to_string()),
            Self::Switch(switch) => f.pad(&switch.to_string()),
            Self::Automatic => f.pad(AUTOMATIC),
        }
    }
}

const AUTOMATIC: &str = "auto";

/// One parameter of a part of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name, as it is written in a solver's name.
    pub name: &'static str,
    /// Its value where a name does not give one.
    pub default: ParameterValue,
    /// Its values.
    pub range: ParameterRange,
    pub(crate) doc: &'static str,
}

/// The values that a parameter can have, the least and the largest among them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParameterRange {
    /// Real numbers.
    Numbers {
        /// The least.
        least: f64,
        /// The largest.
        most: f64,
    },
    /// Whole numbers.
    Counts {
        /// The least.
        least: usize,
        /// The largest.
        most: usize,
    },
    /// `true` and `false`.
    Switch,
}

impl Parameter {
    /// What it does, in one sentence without a full stop.
    pub fn meaning(&self) -> String {
        let words: Vec<&str> = self.doc.split_whitespace().collect();
        let text = words.join(" ");
        // A sentence ends where the next begins with a capital letter: not after `eq.`.
        let ends = |&(end, _): &(usize, &str)| text[end + 2..].starts_with(char::is_uppercase);
        let end = text.match_indices(". ").find(ends).map_or(text.len(), |(end, _)| end);
        text[..end].trim_end_matches('.').to_string()
    }

    /// The values it can have, in words.
    pub fn expected(&self) -> String {
        let values = match self.range {
            ParameterRange::Numbers { least, most } => {
                format!("a number from {} to {}", ParameterValue::Number(least), ParameterValue::Number(most))
            }
            ParameterRange::Counts { least, most } => format!("a whole number from {least} to {most}"),
            ParameterRange::Switch => "`true` or `false`".into(),
        };
        if self.default == ParameterValue::Automatic { format!("{values}, or `{AUTOMATIC}`") } else { values }
    }

    /// The value that a text stands for, if it is one of them.
    pub fn parse(&self, text: &str) -> Option<ParameterValue> {
        if self.default == ParameterValue::Automatic && text == AUTOMATIC {
            return Some(ParameterValue::Automatic);
        }
        match self.range {
            ParameterRange::Numbers { least, most } => {
                let number = text.parse::<f64>().ok().filter(|number| (least..=most).contains(number))?;
                Some(ParameterValue::Number(number + 0.0)) // −0 becomes 0, which is written in one way
            }
            ParameterRange::Counts { least, most } => {
                text.parse().ok().filter(|count| (least..=most).contains(count)).map(ParameterValue::Count)
            }
            ParameterRange::Switch => text.parse().ok().map(ParameterValue::Switch),
        }
    }
}

/// A set of parameters: what a user can set of a method, a linear solver or a preconditioner.
///
/// Start from `default()` and change fields, or read them from a name with
/// [`SolverName::params`](crate::SolverName::params).
pub trait Parameters: Copy + Default {
    /// All of them, in the order in which they are listed to people.
    fn list() -> Vec<Parameter>;

    /// Their values, in the same order.
    fn values(&self) -> Vec<ParameterValue>;

    /// Sets the parameter of that number in the list. Values of another type are left alone.
    fn set(&mut self, index: usize, value: ParameterValue);

    /// What follows the name of the part: `:name=value` for every value that is not the default.
    fn suffix(&self) -> String {
        let pairs = Self::list().into_iter().zip(self.values());
        let changed = pairs.filter(|(parameter, value)| parameter.default != *value);
        changed.map(|(parameter, value)| format!(":{}={value}", parameter.name)).collect()
    }
}

/// No parameters.
impl Parameters for () {
    fn list() -> Vec<Parameter> {
        Vec::new()
    }
    fn values(&self) -> Vec<ParameterValue> {
        Vec::new()
    }
    fn set(&mut self, _: usize, _: ParameterValue) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    parameters! {
        /// Parameters of a test.
        pub struct TestParams {
            /// How far a system is solved. Tighter is
            /// slower.
            forcing: f64 = 0.1, 1e-12..=0.9;
            /// How often, eq. (3). Once is enough.
            count: Option<usize> = None, 1..=7;
            /// Whether at all.
            switch: bool = true;
        }
    }

    #[test]
    fn the_list_says_name_default_range_and_meaning() {
        let list = TestParams::list();
        let names: Vec<_> = list.iter().map(|parameter| (parameter.name, parameter.default.to_string())).collect();
        assert_eq!(names, [("forcing", "0.1".into()), ("count", "auto".into()), ("switch", "true".into())]);
        assert_eq!(list[0].meaning(), "How far a system is solved");
        assert_eq!(list[1].meaning(), "How often, eq. (3)");
        assert_eq!(list[0].expected(), "a number from 1e-12 to 0.9");
        assert_eq!(list[1].expected(), "a whole number from 1 to 7, or `auto`");
    }

    #[test]
    fn only_values_of_the_range_are_read() {
        let list = TestParams::list();
        assert_eq!(list[0].parse("5e-2"), Some(ParameterValue::Number(0.05)));
        assert_eq!((list[0].parse("2"), list[0].parse("NaN"), list[0].parse("auto")), (None, None, None));
        assert_eq!(
            (list[1].parse("7"), list[1].parse("auto")),
            (Some(ParameterValue::Count(7)), Some(ParameterValue::Automatic))
        );
        assert_eq!((list[1].parse("8"), list[1].parse("1.5"), list[2].parse("yes")), (None, None, None));
    }

    #[test]
    fn given_values_replace_defaults_and_are_printed() {
        let mut settings = Settings::<3>::default();
        settings.set(1, ParameterValue::Count(3));
        settings.set(0, ParameterValue::Number(0.1));
        let params: TestParams = settings.params();
        assert_eq!((params.forcing, params.count, params.switch), (0.1, Some(3), true));
        assert_eq!(params.suffix(), ":count=3");
        assert_eq!(settings.suffix(&TestParams::list()), ":count=3");
    }
}
