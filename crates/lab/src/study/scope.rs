//! How much is measured of a study.

/// How much is measured of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Small grids and few frames: minutes on two cores.
    Quick,
    /// The published sizes.
    Full,
}

/// A value for each scope.
#[derive(Clone, Copy, Debug)]
pub struct ByScope<T> {
    /// For [`Scope::Quick`].
    pub quick: T,
    /// For [`Scope::Full`].
    pub full: T,
}

impl<T> ByScope<T> {
    pub(super) const fn new(quick: T, full: T) -> Self {
        Self { quick, full }
    }

    /// The value of a scope.
    pub fn of(&self, scope: Scope) -> &T {
        match scope {
            Scope::Quick => &self.quick,
            Scope::Full => &self.full,
        }
    }
}

impl<T: Copy> ByScope<T> {
    pub(super) const fn same(value: T) -> Self {
        Self { quick: value, full: value }
    }
}
