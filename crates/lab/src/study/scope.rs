//! How much is measured of a study.

use serde::Deserialize;

/// How much is measured of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Small grids and few frames: minutes on two cores.
    Quick,
    /// The published sizes.
    Full,
}

/// A value for each scope. In files: a list of both, or one value for both.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Given<T>", bound = "T: Deserialize<'de> + Clone")]
pub struct ByScope<T> {
    /// For [`Scope::Quick`].
    pub quick: T,
    /// For [`Scope::Full`].
    pub full: T,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Given<T> {
    Both([T; 2]),
    Same(T),
}

impl<T: Clone> From<Given<T>> for ByScope<T> {
    fn from(given: Given<T>) -> Self {
        let [quick, full] = match given {
            Given::Both(both) => both,
            Given::Same(value) => [value.clone(), value],
        };
        Self { quick, full }
    }
}

impl<T> ByScope<T> {
    /// The value of a scope.
    pub fn of(&self, scope: Scope) -> &T {
        match scope {
            Scope::Quick => &self.quick,
            Scope::Full => &self.full,
        }
    }
}
