//! The values that a name gives.

use super::{Parameter, ParameterValue, Parameters};

/// Parameters that one part of a solver can have at most.
pub(crate) const MOST_PARAMETERS: usize = 9;

/// The values that a name gives to the parameters of one of its parts, by their number in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Settings {
    values: [Option<ParameterValue>; MOST_PARAMETERS],
}

impl Settings {
    pub fn get(&self, index: usize) -> Option<ParameterValue> {
        self.values[index]
    }

    pub fn set(&mut self, index: usize, value: ParameterValue) {
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
