//! Structs of parameters, declared once.

use super::{ParameterRange, ParameterValue};

/// A type of parameters.
pub(crate) trait ParameterType: Copy {
    fn value(self) -> ParameterValue;
    fn of(value: ParameterValue) -> Option<Self>;
    fn range(least: f64, most: f64) -> ParameterRange;
}

impl ParameterType for f64 {
    fn value(self) -> ParameterValue {
        ParameterValue::Number(self)
    }
    fn of(value: ParameterValue) -> Option<Self> {
        if let ParameterValue::Number(number) = value { Some(number) } else { None }
    }
    fn range(least: f64, most: f64) -> ParameterRange {
        ParameterRange::Numbers { least, most }
    }
}

impl ParameterType for usize {
    fn value(self) -> ParameterValue {
        ParameterValue::Count(self)
    }
    fn of(value: ParameterValue) -> Option<Self> {
        if let ParameterValue::Count(count) = value { Some(count) } else { None }
    }
    fn range(least: f64, most: f64) -> ParameterRange {
        ParameterRange::Counts { least: least as usize, most: most as usize }
    }
}

impl ParameterType for bool {
    fn value(self) -> ParameterValue {
        ParameterValue::Switch(self)
    }
    fn of(value: ParameterValue) -> Option<Self> {
        if let ParameterValue::Switch(switch) = value { Some(switch) } else { None }
    }
    fn range(_: f64, _: f64) -> ParameterRange {
        ParameterRange::Switch
    }
}

impl<T: ParameterType> ParameterType for Option<T> {
    fn value(self) -> ParameterValue {
        self.map_or(ParameterValue::Automatic, T::value)
    }
    fn of(value: ParameterValue) -> Option<Self> {
        if value == ParameterValue::Automatic { Some(None) } else { T::of(value).map(Some) }
    }
    fn range(least: f64, most: f64) -> ParameterRange {
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
                use $crate::parameter::{Parameter, ParameterType};
                let default = Self::default();
                vec![$({
                    #[allow(unused_mut, unused_assignments)]
                    let (mut least, mut most) = (0.0, 0.0);
                    $((least, most) = ($least as f64, $most as f64);)?
                    Parameter {
                        name: stringify!($field),
                        default: ParameterType::value(default.$field),
                        range: <$kind as ParameterType>::range(least, most),
                        doc: concat!($($doc),+),
                    }
                }),+]
            }

            fn values(&self) -> Vec<$crate::parameter::ParameterValue> {
                vec![$($crate::parameter::ParameterType::value(self.$field)),+]
            }

            fn set(&mut self, index: usize, value: $crate::parameter::ParameterValue) {
                let mut number = 0;
                $(
                    if let (true, Some(value)) = (number == index, $crate::parameter::ParameterType::of(value)) {
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
