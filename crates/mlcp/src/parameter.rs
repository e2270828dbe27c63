//! Parameters of methods, linear solvers and preconditioners as data.
//!
//! A parameter is declared once, with its name, type, default, range and meaning. From that follow the struct
//! that the method reads, its `Default`, the text after the `:` of a [solver's name](crate::SolverName), the
//! check of what a user writes there, and the list that help texts print.

use std::fmt;
use std::hash::{Hash, Hasher};

/// What a parameter is set to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A real number. Never NaN.
    Number(f64),
    /// A whole number.
    Count(usize),
    /// Yes or no.
    Switch(bool),
    /// The method decides.
    Automatic,
}

/// Holds because no value is NaN: ranges exclude it.
impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_string().hash(state);
    }
}

/// As it is written in a name.
impl fmt::Display for Value {
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
    pub default: Value,
    /// Its values.
    pub range: Range,
    pub(crate) doc: &'static str,
}

/// The values that a parameter can have, the least and the largest among them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Range {
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
        text.split(". ").next().unwrap_or("").trim_end_matches('.').to_string()
    }

    /// The values it can have, in words.
    pub fn expected(&self) -> String {
        let values = match self.range {
            Range::Numbers { least, most } => {
                format!("a number from {} to {}", Value::Number(least), Value::Number(most))
            }
            Range::Counts { least, most } => format!("a whole number from {least} to {most}"),
            Range::Switch => "`true` or `false`".into(),
        };
        if self.default == Value::Automatic { format!("{values}, or `{AUTOMATIC}`") } else { values }
    }

    /// The value that a text stands for, if it is one of them.
    pub fn parse(&self, text: &str) -> Option<Value> {
        if self.default == Value::Automatic && text == AUTOMATIC {
            return Some(Value::Automatic);
        }
        match self.range {
            Range::Numbers { least, most } => {
                let number = text.parse::<f64>().ok().filter(|number| (least..=most).contains(number))?;
                Some(Value::Number(number + 0.0)) // −0 becomes 0, which is written in one way
            }
            Range::Counts { least, most } => {
                text.parse().ok().filter(|count| (least..=most).contains(count)).map(Value::Count)
            }
            Range::Switch => text.parse().ok().map(Value::Switch),
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
    fn values(&self) -> Vec<Value>;

    /// Sets the parameter of that number in the list. Values of another type are left alone.
    fn set(&mut self, index: usize, value: Value);

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
    fn values(&self) -> Vec<Value> {
        Vec::new()
    }
    fn set(&mut self, _: usize, _: Value) {}
}

/// Parameters that one part of a solver can have at most.
pub(crate) const MOST_PARAMETERS: usize = 9;

/// The values that a name gives to the parameters of one of its parts, by their number in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Settings {
    values: [Option<Value>; MOST_PARAMETERS],
}

impl Settings {
    pub fn get(&self, index: usize) -> Option<Value> {
        self.values[index]
    }

    pub fn set(&mut self, index: usize, value: Value) {
        self.values[index] = Some(value);
    }

    pub fn is_empty(&self) -> bool {
        self.values.iter().all(Option::is_none)
    }

    /// The parameters with the values that are given, the others at their defaults.
    pub fn params<P: Parameters>(&self) -> P {
        let mut params = P::default();
        let given = self.values.iter().enumerate().filter_map(|(index, value)| Some((index, (*value)?)));
        given.for_each(|(index, value)| params.set(index, value));
        params
    }

    /// As [`Parameters::suffix`], for parameters known by their list alone.
    pub fn suffix(&self, list: &[Parameter]) -> String {
        let changed = list.iter().zip(&self.values).filter_map(|(parameter, value)| Some((parameter, (*value)?)));
        let changed = changed.filter(|(parameter, value)| parameter.default != *value);
        changed.map(|(parameter, value)| format!(":{}={value}", parameter.name)).collect()
    }
}

/// A type of parameters.
pub(crate) trait Setting: Copy {
    fn value(self) -> Value;
    fn of(value: Value) -> Option<Self>;
    fn range(least: f64, most: f64) -> Range;
}

impl Setting for f64 {
    fn value(self) -> Value {
        Value::Number(self)
    }
    fn of(value: Value) -> Option<Self> {
        if let Value::Number(number) = value { Some(number) } else { None }
    }
    fn range(least: f64, most: f64) -> Range {
        Range::Numbers { least, most }
    }
}

impl Setting for usize {
    fn value(self) -> Value {
        Value::Count(self)
    }
    fn of(value: Value) -> Option<Self> {
        if let Value::Count(count) = value { Some(count) } else { None }
    }
    fn range(least: f64, most: f64) -> Range {
        Range::Counts { least: least as usize, most: most as usize }
    }
}

impl Setting for bool {
    fn value(self) -> Value {
        Value::Switch(self)
    }
    fn of(value: Value) -> Option<Self> {
        if let Value::Switch(switch) = value { Some(switch) } else { None }
    }
    fn range(_: f64, _: f64) -> Range {
        Range::Switch
    }
}

impl<T: Setting> Setting for Option<T> {
    fn value(self) -> Value {
        self.map_or(Value::Automatic, T::value)
    }
    fn of(value: Value) -> Option<Self> {
        if value == Value::Automatic { Some(None) } else { T::of(value).map(Some) }
    }
    fn range(least: f64, most: f64) -> Range {
        T::range(least, most)
    }
}

/// Declares a struct of parameters: `name: type = default, least..=most;`, the first sentence of the comment
/// being the meaning that help texts print. Switches have no range.
macro_rules! parameters {
    (
        $(#[$outer:meta])*
        pub struct $type:ident {
            $($(#[doc = $doc:literal])+ $field:ident: $kind:ty = $default:expr $(, $least:literal..=$most:literal)?;)+
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct $type {
            $($(#[doc = $doc])+ #[doc = concat!(" Default `", stringify!($default), "`.")] pub $field: $kind,)+
        }

        impl Default for $type {
            fn default() -> Self {
                Self { $($field: $default),+ }
            }
        }

        impl $crate::parameter::Parameters for $type {
            fn list() -> Vec<$crate::parameter::Parameter> {
                use $crate::parameter::{Parameter, Setting};
                let default = Self::default();
                vec![$({
                    #[allow(unused_mut, unused_assignments)]
                    let (mut least, mut most) = (0.0, 0.0);
                    $((least, most) = ($least as f64, $most as f64);)?
                    Parameter {
                        name: stringify!($field),
                        default: Setting::value(default.$field),
                        range: <$kind as Setting>::range(least, most),
                        doc: concat!($($doc),+),
                    }
                }),+]
            }

            fn values(&self) -> Vec<$crate::parameter::Value> {
                vec![$($crate::parameter::Setting::value(self.$field)),+]
            }

            fn set(&mut self, index: usize, value: $crate::parameter::Value) {
                let mut number = 0;
                $(
                    if let (true, Some(value)) = (number == index, $crate::parameter::Setting::of(value)) {
                        self.$field = value;
                    }
                    number += 1;
                )+
                debug_assert!(number <= $crate::parameter::MOST_PARAMETERS);
            }
        }
    };
}
pub(crate) use parameters;

#[cfg(test)]
mod tests {
    use super::*;

    parameters! {
        /// Parameters of a test.
        pub struct TestParams {
            /// How far a system is solved. Tighter is
            /// slower.
            forcing: f64 = 0.1, 1e-12..=0.9;
            /// How often.
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
        assert_eq!(list[0].expected(), "a number from 1e-12 to 0.9");
        assert_eq!(list[1].expected(), "a whole number from 1 to 7, or `auto`");
    }

    #[test]
    fn only_values_of_the_range_are_read() {
        let list = TestParams::list();
        assert_eq!(list[0].parse("5e-2"), Some(Value::Number(0.05)));
        assert_eq!((list[0].parse("2"), list[0].parse("NaN"), list[0].parse("auto")), (None, None, None));
        assert_eq!((list[1].parse("7"), list[1].parse("auto")), (Some(Value::Count(7)), Some(Value::Automatic)));
        assert_eq!((list[1].parse("8"), list[1].parse("1.5"), list[2].parse("yes")), (None, None, None));
    }

    #[test]
    fn given_values_replace_defaults_and_are_printed() {
        let mut settings = Settings::default();
        settings.set(1, Value::Count(3));
        settings.set(0, Value::Number(0.1));
        let params: TestParams = settings.params();
        assert_eq!((params.forcing, params.count, params.switch), (0.1, Some(3), true));
        assert_eq!(params.suffix(), ":count=3");
        assert_eq!(settings.suffix(&TestParams::list()), ":count=3");
    }
}
