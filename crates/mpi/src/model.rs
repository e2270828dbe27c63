//! What a cycle costs on ranks that do not exist yet.
//!
//! A V(2,2) cycle sweeps each colour four times on every level. Each half-sweep is followed by one exchange with every
//! neighbour. A message takes α + bytes/β. A cycle of conjugate gradients adds a sum and a maximum over all ranks. The level
//! that is gathered goes to one rank and back, and that rank does the rest of the cycle alone.

use unstick_mlcp::ranks::{Boxes, BoxesError, group_of};

use crate::measure::Link;

/// Half-sweeps of a level in a cycle. On the finest one, where red cells carry no right-hand side, there is one less.
const HALF_SWEEPS: usize = 8;

/// What a rank can do.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Cells that a rank takes through a cycle per second, all levels counted, while the others work too.
    pub cells: f64,
    /// The connection between ranks. Its reduction is taken to grow with the logarithm of their number, from two on.
    pub link: Link,
}

/// A cycle on some ranks, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Work on own cells.
    pub work: f64,
    /// Exchanges between neighbours.
    pub halos: f64,
    /// Sums and maxima.
    pub reductions: f64,
    /// The level that one rank takes over, there and back, and what it does with it.
    pub gathered: f64,
    /// Messages that a rank sends at most.
    pub messages: usize,
    /// Bytes in them.
    pub bytes: usize,
}

impl Prediction {
    /// Seconds of the cycle.
    pub fn seconds(&self) -> f64 {
        self.work + self.halos + self.reductions + self.gathered
    }
}

/// Predicts a cycle for a full cube of `size` cells along each axis.
pub fn predict(machine: &Machine, size: usize, ranks: usize) -> Result<Prediction, BoxesError> {
    let boxes = Boxes::new(&[size; 3], ranks)?;
    let Link { latency, bandwidth, reduction } = machine.link;
    let mut prediction = Prediction { work: 0.0, halos: 0.0, reductions: 0.0, gathered: 0.0, messages: 0, bytes: 0 };
    let counts = boxes.counts();
    // The largest box, with neighbours on both sides where there are any.
    let own = (0..ranks).map(|rank| boxes.own(rank)).max_by_key(|own| own[0].len() * own[1].len());
    let own = own.map_or([size; 2], |own| own.map(|range| range.len()));
    let neighbours: [usize; 2] = std::array::from_fn(|axis| (counts[axis] - 1).min(2));
    prediction.work = (size * own[0] * own[1]) as f64 / machine.cells;
    for level in 0..boxes.shared_levels() {
        let along = |cells: usize| cells.div_ceil(1 << level);
        // Slots of a colour on the sides, four bytes each.
        let slots = along(size).div_ceil(2) * (neighbours[0] * along(own[1]) + neighbours[1] * along(own[0]));
        let half_sweeps = HALF_SWEEPS - (level == 0) as usize;
        prediction.messages += half_sweeps * (neighbours[0] + neighbours[1]);
        prediction.bytes += half_sweeps * 4 * slots;
    }
    prediction.halos = prediction.messages as f64 * latency + prediction.bytes as f64 / bandwidth;
    if ranks > 1 {
        prediction.reductions = 2.0 * reduction * (ranks as f64).log2().max(1.0);
        let cells = size.div_ceil(1 << boxes.shared_levels()).pow(3);
        // The first of each group waits for its members, then the first rank for the first of each group.
        let group = group_of(ranks);
        let (members, groups) = (group - 1, ranks.div_ceil(group) - 1);
        let through_groups = 1.0 + members as f64 / ranks as f64;
        let there = (members + groups) as f64 * latency + 4.0 * cells as f64 * through_groups / bandwidth;
        prediction.gathered = 2.0 * there + cells as f64 / machine.cells;
        prediction.messages += 1;
        prediction.bytes += 4 * cells / ranks;
    }
    Ok(prediction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rank_has_nothing_to_say_and_eight_split_the_work() {
        let link = Link { latency: 1e-6, bandwidth: 5e9, reduction: 5e-6 };
        let machine = Machine { cells: 1e8, link };
        let [one, eight] = [1, 8].map(|ranks| predict(&machine, 256, ranks).unwrap());
        assert_eq!((one.messages, one.bytes, one.gathered), (0, 0, 0.0));
        assert!((one.work / eight.work - 8.0).abs() < 1e-9);
        assert!(eight.halos > 0.0 && eight.seconds() < one.seconds());
    }
}
