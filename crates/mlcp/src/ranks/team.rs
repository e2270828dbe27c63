//! Ranks that are threads of one process.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use super::{Message, Ranks};

/// A rank that is a thread. Made by [`team`].
pub struct Member {
    rank: usize,
    /// To each other one, and from it.
    outgoing: Vec<Sender<Vec<u8>>>,
    incoming: Vec<Mutex<Receiver<Vec<u8>>>>,
}

/// Runs `work` on as many ranks, each a thread with a thread pool of its own, and returns what each of them has made. For
/// tests, and to try what a cluster would do.
///
/// ```
/// use unstick_mlcp::ranks::team;
///
/// let sums = team(3, 1, |ranks| {
///     let mut number = [ranks.rank() as i64];
///     ranks.sum(&mut number);
///     number[0]
/// });
/// assert_eq!(sums, [3, 3, 3]);
/// ```
///
/// # Panics
/// If `work` does.
pub fn team<T: Send>(count: usize, threads: usize, work: impl Fn(Arc<dyn Ranks>) -> T + Sync) -> Vec<T> {
    let mut members: Vec<Member> =
        (0..count).map(|rank| Member { rank, outgoing: Vec::new(), incoming: Vec::new() }).collect();
    for from in 0..count {
        for to in 0..count {
            let (sender, receiver) = channel();
            members[from].outgoing.push(sender);
            members[to].incoming.push(Mutex::new(receiver));
        }
    }
    std::thread::scope(|scope| {
        let start = |member: Member| {
            let work = &work;
            scope.spawn(move || {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
                pool.install(|| work(Arc::new(member)))
            })
        };
        let running: Vec<_> = members.into_iter().map(start).collect();
        running.into_iter().map(|thread| thread.join().expect("no rank fails")).collect()
    })
}

impl Member {
    fn receive(&self, from: usize) -> Vec<u8> {
        let incoming = self.incoming[from].lock().expect("one thread of a rank receives");
        incoming.recv().expect("the other rank goes on")
    }

    fn send(&self, to: usize, bytes: Vec<u8>) {
        self.outgoing[to].send(bytes).expect("the other rank goes on");
    }

    fn reduce(&self, numbers: &mut [i64], merge: impl Fn(i64, i64) -> i64) {
        for other in (0..self.outgoing.len()).filter(|&other| other != self.rank) {
            self.send(other, bytemuck::cast_slice(numbers).to_vec());
        }
        for other in (0..self.outgoing.len()).filter(|&other| other != self.rank) {
            let theirs = self.receive(other);
            for (own, bytes) in numbers.iter_mut().zip(theirs.chunks(8)) {
                *own = merge(*own, bytemuck::pod_read_unaligned(bytes));
            }
        }
    }
}

impl Ranks for Member {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.outgoing.len()
    }

    fn exchange(&self, messages: &mut [Message<'_>]) {
        for message in messages.iter().filter(|message| !message.send.is_empty()) {
            self.send(message.rank, message.send.to_vec());
        }
        for message in messages.iter_mut().filter(|message| !message.receive.is_empty()) {
            let bytes = self.receive(message.rank);
            assert_eq!(bytes.len(), message.receive.len(), "both sides know the lengths");
            message.receive.copy_from_slice(&bytes);
        }
    }

    fn sum(&self, numbers: &mut [i64]) {
        self.reduce(numbers, |one, other| one + other);
    }

    fn max(&self, numbers: &mut [i64]) {
        self.reduce(numbers, i64::max);
    }
}
