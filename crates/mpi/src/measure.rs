//! How fast ranks talk: the two numbers that a model of communication needs.

use std::time::Instant;

use unstick_mlcp::ranks::{Message, Ranks};

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
const WORDS: usize = 2 * unstick_parallel::exact::WORDS;

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

/// Bytes per second that all ranks read and write together while each copies arrays on its threads. All of them call this.
pub fn measure_copies(ranks: &dyn Ranks) -> f64 {
    ranks.sum(&mut [0]); // all begin at once
    let mut all = [unstick_parallel::bandwidth::copy() as i64];
    ranks.sum(&mut all);
    all[0] as f64
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
