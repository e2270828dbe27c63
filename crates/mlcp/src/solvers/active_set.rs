//! Which wall rows are held by their bound, and how that may change.

use crate::problem::Mlcp;

/// Keeps at least one row of every loose component pinned, the one that is most so: without it the
/// system would be singular and, since liquid leaves the component, incompatible.
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

/// Counts policies that change no fewer rows than one before them.
#[derive(Clone, Debug)]
pub struct Patience {
    fewest: usize,
    whole: usize,
    left: usize,
}

impl Patience {
    /// Bears that many of them in a row.
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

    /// Whether the next policy without progress is not borne any more.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }
}

/// Changes the active set as a whole while that makes progress, one row at a time when it does not.
///
/// On an M-matrix exchanging all rows at once never cycles. On other positive definite matrices it
/// can; the rule of Murty (exchange the last row only) cannot, and the mixture of the two by Júdice
/// and Pires is as fast as the first and as safe as the second.
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

    /// Whether rows are exchanged one by one, which relies on exact linear solves.
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
