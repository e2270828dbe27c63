//! The values that a name gives.

use super::{Parameter, ParameterRange, ParameterValue, Parameters};

/// Parameters that a method can have at most.
pub(crate) const MOST_PARAMETERS: usize = 9;

/// The values that a name gives to the parameters of one of its parts, by their number in the list.
///
/// A name is copied freely, so values are kept as bits: those of the number, [`AUTOMATIC`] or [`NOT_GIVEN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Settings<const N: usize> {
    bits: [u64; N],
}

/// The bits of a NaN, which no number has.
const NOT_GIVEN: u64 = u64::MAX;

/// The bits of another NaN.
const AUTOMATIC: u64 = u64::MAX - 1;

impl<const N: usize> Default for Settings<N> {
    fn default() -> Self {
        Self { bits: [NOT_GIVEN; N] }
    }
}

impl<const N: usize> Settings<N> {
    /// The value given to the parameter of that number in the list.
    pub fn get(&self, list: &[Parameter], index: usize) -> Option<ParameterValue> {
        match (self.bits[index], list[index].range) {
            (NOT_GIVEN, _) => None,
            (AUTOMATIC, _) => Some(ParameterValue::Automatic),
            (bits, ParameterRange::Numbers { .. }) => Some(ParameterValue::Number(f64::from_bits(bits))),
            (bits, ParameterRange::Counts { .. }) => Some(ParameterValue::Count(bits as usize)),
            (bits, ParameterRange::Switch) => Some(ParameterValue::Switch(bits == 1)),
        }
    }

    pub fn set(&mut self, index: usize, value: ParameterValue) {
        self.bits[index] = match value {
            ParameterValue::Number(number) => number.to_bits(),
            ParameterValue::Count(count) => count as u64,
            ParameterValue::Switch(switch) => switch as u64,
            ParameterValue::Automatic => AUTOMATIC,
        };
    }

    /// All values that are given, with their numbers in the list.
    pub fn given(&self, list: &[Parameter]) -> Vec<(usize, ParameterValue)> {
        let numbers = 0..list.len().min(N);
        numbers.filter_map(|index| Some((index, self.get(list, index)?))).collect()
    }

    /// The parameters with the values that are given, the others at their defaults.
    pub fn params<P: Parameters>(&self) -> P {
        let mut params = P::default();
        self.given(&P::list()).into_iter().for_each(|(index, value)| params.set(index, value));
        params
    }

    /// As [`Parameters::suffix`], for parameters known by their list alone.
    pub fn suffix(&self, list: &[Parameter]) -> String {
        let given = self.given(list).into_iter().map(|(index, value)| (&list[index], value));
        let changed = given.filter(|(parameter, value)| parameter.default != *value);
        changed.map(|(parameter, value)| format!(":{}={value}", parameter.name)).collect()
    }
}
