//! The active set: which wall rows are held by their bound, and how it changes.

use crate::problem::Mlcp;

/// Pins one row of every loose component that has none, the one whose bound is most clearly the binding
/// condition. Without it the system would be singular and, since liquid leaves the component, incompatible.
pub(crate) fn pin_one_row(problem: &Mlcp, loose: &[Vec<u32>], q: &[f64], r: &[f64], free: &mut [bool]) {
    for rows in loose {
        let walls = || rows.iter().map(|&row| row as usize).filter(|&row| problem.is_wall(row));
        if walls().all(|row| free[row]) {
            let excess = |row: usize| r[row] - problem.operator().diagonal()[row] * (q[row] - problem.lower()[row]);
            if let Some(row) = walls().max_by(|&a, &b| excess(a).total_cmp(&excess(b))) {
                free[row] = false;
            }
        }
    }
}

/// Counts policies without progress: those that change no fewer rows than an earlier one.
#[derive(Clone, Debug)]
pub struct Patience {
    fewest: usize,
    whole: usize,
    left: usize,
}

impl Patience {
    /// Allows that many of them in a row.
    pub fn new(policies: usize) -> Self {
        Self { fewest: usize::MAX, whole: policies, left: policies }
    }

    /// Whether a policy may change `count` rows at once.
    pub fn allows(&mut self, count: usize) -> bool {
        if count < self.fewest {
            (self.fewest, self.left) = (count, self.whole);
            return true;
        }
        let is_left = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_left
    }

    /// Whether the next policy without progress is one too many.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }
}

/// Updates the active set: all rows at once while that makes progress, otherwise one row at a time.
///
/// Changing all rows at once never cycles on an M-matrix. It can on other positive definite matrices.
/// The rule of Murty, which changes the last row only, cannot cycle on any of them. Júdice and Pires
/// combine the two: as fast as the first, as safe as the second.
pub(crate) struct ActiveSetUpdate {
    patience: Patience,
}

impl ActiveSetUpdate {
    pub fn new(patience: usize) -> Self {
        Self { patience: Patience::new(patience) }
    }

    /// Moves `free` towards `wanted`; returns the number of rows that changed.
    pub fn apply(&mut self, wanted: &[bool], free: &mut [bool]) -> usize {
        let differing = || (0..free.len()).filter(|&row| wanted[row] != free[row]);
        let count = differing().count();
        if !self.patience.allows(count)
            && let Some(row) = differing().next_back()
        {
            free[row] = wanted[row];
            return 1;
        }
        free.copy_from_slice(wanted);
        count
    }

    /// Whether rows change one at a time, which relies on exact linear solves.
    pub fn is_cautious(&self) -> bool {
        self.patience.is_spent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_progress_only_the_last_row_changes() {
        let mut update = ActiveSetUpdate::new(1);
        let mut free = [true, true, true];
        assert_eq!(update.apply(&[false, false, true], &mut free), 2); // first: progress
        assert_eq!(update.apply(&[true, true, true], &mut free), 2); // patience used up
        assert!(update.is_cautious());
        assert_eq!(update.apply(&[false, false, true], &mut free), 1);
        assert_eq!(free, [true, false, true]);
    }
}
