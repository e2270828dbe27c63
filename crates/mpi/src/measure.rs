//! How fast ranks talk: the two numbers that a model of communication needs. And what differs from rank to rank.

use std::hint::black_box;
use std::time::Instant;

use unstick_mlcp::ranks::{Message, Ranks};
use unstick_parallel::exact::{self, ExactSum};

/// A connection between ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Seconds for a message without content to arrive.
    pub latency: f64,
    /// Bytes per second of a long message.
    pub bandwidth: f64,
    /// Seconds for a sum over all ranks, of the size that conjugate gradients need.
    pub reduction: f64,
}

/// Words of the sums that conjugate gradients need at once.
const WORDS: usize = 2 * exact::WORDS;

/// Measures the connection between the first two ranks, and sums over all; nothing if there is one rank only.
pub fn measure_link(ranks: &dyn Ranks) -> Option<Link> {
    if ranks.count() < 2 {
        return None;
    }
    let (short, long) = (8, 4 << 20);
    let latency = 0.5 * there_and_back(ranks, short, 200);
    let slow = 0.5 * there_and_back(ranks, long, 10);
    let mut words = [0; WORDS];
    let reduction = fastest(50, || ranks.sum(&mut words));
    let bandwidth = long as f64 / (slow - latency).max(f64::MIN_POSITIVE);
    let mut bits = [latency, bandwidth, reduction].map(|number| number.to_bits() as i64);
    // What the first rank has found is said by all.
    if ranks.rank() != 0 {
        bits = [0; 3];
    }
    ranks.max(&mut bits);
    let [latency, bandwidth, reduction] = bits.map(|bits| f64::from_bits(bits as u64));
    Some(Link { latency, bandwidth, reduction })
}

/// What sums cost that have the same bits for any number of ranks, beside sums in the order in which they come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SumPrice {
    /// Seconds to add the sum of a line of cells, exactly and as a rounded number.
    pub line: [f64; 2],
    /// Seconds for two sums over all ranks, of exact ones and of rounded ones.
    pub reduction: [f64; 2],
}

impl SumPrice {
    /// Seconds that a cycle takes longer on a rank with so many lines. Conjugate gradients need two scalar products.
    pub fn of_cycle(&self, lines: usize) -> f64 {
        2.0 * lines as f64 * (self.line[0] - self.line[1]) + self.reduction[0] - self.reduction[1]
    }
}

/// Measures it. All ranks call this.
pub fn measure_sums(ranks: &dyn Ranks) -> SumPrice {
    let lines: Vec<f64> = (0..1 << 14).map(|line| f64::from(line).sin()).collect();
    let each = 1.0 / lines.len() as f64;
    let exact = each * fastest(20, || _ = black_box(black_box(&lines).iter().copied().collect::<ExactSum>()));
    let rounded = each * fastest(20, || _ = black_box(black_box(&lines).iter().sum::<f64>()));
    let (mut words, mut numbers) = ([0; WORDS], [0; 2]);
    let reduction = [fastest(50, || ranks.sum(&mut words)), fastest(50, || ranks.sum(&mut numbers))];
    SumPrice { line: [exact, rounded], reduction }
}

/// Bytes per second that all ranks read and write together while each copies arrays on its threads. All of them call this.
pub fn measure_copies(ranks: &dyn Ranks) -> f64 {
    ranks.sum(&mut [0]); // all begin at once
    let mut all = [unstick_parallel::bandwidth::copy() as i64];
    ranks.sum(&mut all);
    all[0] as f64
}

/// A number that each rank has its own of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The least of them.
    pub least: f64,
    /// Their mean.
    pub mean: f64,
    /// The largest.
    pub most: f64,
}

impl Spread {
    /// Of the numbers of all ranks. All of them call this.
    pub fn over(ranks: &dyn Ranks, own: f64) -> Self {
        let mut bits = vec![0; ranks.count()];
        bits[ranks.rank()] = own.to_bits() as i64;
        ranks.sum(&mut bits);
        let numbers = bits.into_iter().map(|bits| f64::from_bits(bits as u64));
        let mean = numbers.clone().sum::<f64>() / ranks.count() as f64;
        Self { least: numbers.clone().fold(f64::INFINITY, f64::min), mean, most: numbers.fold(0.0, f64::max) }
    }

    /// How much more the rank that has most has than the mean.
    pub fn imbalance(&self) -> f64 {
        if self.mean > 0.0 { self.most / self.mean } else { 1.0 }
    }
}

/// The largest memory that this process has had so far, in bytes; zero where the system does not tell.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")).and_then(|number| number.trim().parse().ok());
    kilobytes.map_or(0, |kilobytes: u64| 1024 * kilobytes)
}

/// Seconds for a message from the first rank to the second and back, the fastest of some.
fn there_and_back(ranks: &dyn Ranks, bytes: usize, times: usize) -> f64 {
    let (send, mut receive) = (vec![1; bytes], vec![0; bytes]);
    fastest(times, || match ranks.rank() {
        0 => {
            ranks.exchange(&mut [Message { rank: 1, send: &send, receive: &mut [] }]);
            ranks.exchange(&mut [Message { rank: 1, send: &[], receive: &mut receive }]);
        }
        1 => {
            ranks.exchange(&mut [Message { rank: 0, send: &[], receive: &mut receive }]);
            ranks.exchange(&mut [Message { rank: 0, send: &send, receive: &mut [] }]);
        }
        _ => (),
    })
}

fn fastest(times: usize, mut work: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..times).map(time).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use unstick_mlcp::ranks::team;

    use super::*;

    #[test]
    fn every_rank_knows_the_least_the_mean_and_the_most() {
        let spreads = team(3, 1, |ranks| Spread::over(&*ranks, [5.0, 1.0, 3.0][ranks.rank()]));
        assert_eq!(spreads, [Spread { least: 1.0, mean: 3.0, most: 5.0 }; 3]);
        assert!((spreads[0].imbalance() - 5.0 / 3.0).abs() < 1e-15);
    }
}
