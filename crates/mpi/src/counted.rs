//! What ranks say to each other, counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use unstick_mlcp::ranks::{Message, Ranks};

/// Ranks whose messages are counted and timed.
pub struct Counted {
    ranks: Arc<dyn Ranks>,
    messages: AtomicU64,
    bytes: AtomicU64,
    exchanges: AtomicU64,
    reductions: AtomicU64,
    exchanging: AtomicU64,
    reducing: AtomicU64,
}

/// What one rank has sent, and the seconds in which it sent, received and waited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Messages sent.
    pub messages: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// Exchanges, each of several messages at once.
    pub exchanges: u64,
    /// Sums and maxima over all ranks.
    pub reductions: u64,
    /// Seconds of all exchanges. They include the wait for ranks that are behind.
    pub exchanging: f64,
    /// Seconds of all reductions.
    pub reducing: f64,
}

impl Counted {
    /// Counts from zero.
    pub fn new(ranks: Arc<dyn Ranks>) -> Self {
        let (messages, bytes, exchanges, reductions, exchanging, reducing) = Default::default();
        Self { ranks, messages, bytes, exchanges, reductions, exchanging, reducing }
    }

    /// What was counted since the last call.
    pub fn take(&self) -> Traffic {
        let seconds = |nanoseconds: &AtomicU64| 1e-9 * nanoseconds.swap(0, Relaxed) as f64;
        Traffic {
            messages: self.messages.swap(0, Relaxed),
            bytes: self.bytes.swap(0, Relaxed),
            exchanges: self.exchanges.swap(0, Relaxed),
            reductions: self.reductions.swap(0, Relaxed),
            exchanging: seconds(&self.exchanging),
            reducing: seconds(&self.reducing),
        }
    }

    fn reduce(&self, reduce: impl FnOnce(&dyn Ranks)) {
        let start = Instant::now();
        reduce(&*self.ranks);
        self.reductions.fetch_add(1, Relaxed);
        self.reducing.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
    }
}

impl Ranks for Counted {
    fn rank(&self) -> usize {
        self.ranks.rank()
    }

    fn count(&self) -> usize {
        self.ranks.count()
    }

    fn exchange(&self, messages: &mut [Message<'_>]) {
        let sent = messages.iter().filter(|message| !message.send.is_empty());
        self.messages.fetch_add(sent.clone().count() as u64, Relaxed);
        self.bytes.fetch_add(sent.map(|message| message.send.len() as u64).sum(), Relaxed);
        self.exchanges.fetch_add(1, Relaxed);
        let start = Instant::now();
        self.ranks.exchange(messages);
        self.exchanging.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
    }

    fn sum(&self, numbers: &mut [i64]) {
        self.reduce(|ranks| ranks.sum(numbers));
    }

    fn max(&self, numbers: &mut [i64]) {
        self.reduce(|ranks| ranks.max(numbers));
    }
}

#[cfg(test)]
mod tests {
    use unstick_mlcp::ranks::team;

    use super::*;

    #[test]
    fn messages_and_their_bytes_are_counted_where_they_are_sent() {
        let counted = team(2, 1, |ranks| {
            let counted = Counted::new(ranks);
            let (mut receive, send) = ([0; 3], [7; 5]);
            match counted.rank() {
                0 => counted.exchange(&mut [Message { rank: 1, send: &send, receive: &mut receive }]),
                _ => counted.exchange(&mut [Message { rank: 0, send: &send[..3], receive: &mut [0; 5] }]),
            }
            counted.sum(&mut [1]);
            counted.take()
        });
        let found =
            counted.iter().map(|traffic| (traffic.messages, traffic.bytes, traffic.exchanges, traffic.reductions));
        assert_eq!(found.collect::<Vec<_>>(), [(1, 5, 1, 1), (1, 3, 1, 1)]);
    }
}
