//! Ranks that are processes of MPI.

use std::sync::Mutex;

use mpi::collective::{CommunicatorCollectives, SystemOperation};
use mpi::environment::Universe;
use mpi::point_to_point::{Destination, Source};
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::{Threading, request};
use unstick_mlcp::ranks::{Message, Ranks};

/// Bytes that MPI is given at once: it counts them in 31 bits.
const PIECE: usize = 1 << 30;

/// All processes that `mpirun` has started.
///
/// A process that fails ends them all: MPI's own errors are fatal, and `mpirun` stops the others when one is gone.
pub struct World {
    rank: usize,
    count: usize,
    /// None once MPI has ended.
    inside: Mutex<Option<Inside>>,
}

struct Inside {
    world: SimpleCommunicator,
    /// Ends MPI when it is dropped.
    _universe: Universe,
}

// SAFETY: MPI was started so that any thread may call it while no other does (`Threading::Serialized`), and every call
// goes through the mutex that holds this value. `World::start` returns nothing if MPI cannot promise that.
#[allow(unsafe_code)]
unsafe impl Send for Inside {}

impl World {
    /// Starts MPI; nothing if it runs already, or if it does not let threads take turns.
    pub fn start() -> Option<Self> {
        let (universe, threading) = mpi::initialize_with_threading(Threading::Serialized)?;
        if threading < Threading::Serialized {
            return None;
        }
        let world = universe.world();
        let (rank, count) = (world.rank() as usize, world.size() as usize);
        Some(Self { rank, count, inside: Mutex::new(Some(Inside { world, _universe: universe })) })
    }

    /// Ends MPI, once all ranks call this. Nothing can be said afterwards.
    pub fn end(&self) {
        _ = self.inside.lock().map(|mut inside| inside.take());
    }

    /// Ends all processes at once. A thread that fails within a message cannot: then the process alone ends, and `mpirun`
    /// ends the others.
    pub fn abort(&self, status: i32) -> ! {
        if let Some(inside) = self.inside.try_lock().ok().as_deref().and_then(Option::as_ref) {
            inside.world.abort(status);
        }
        std::process::abort()
    }

    fn with<T>(&self, work: impl FnOnce(&SimpleCommunicator) -> T) -> T {
        let inside = self.inside.lock().expect("a thread that fails ends the process");
        work(&inside.as_ref().expect("ranks talk before they end").world)
    }
}

impl Ranks for World {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn exchange(&self, messages: &mut [Message<'_>]) {
        self.with(|world| {
            request::scope(|scope| {
                let (mut receives, mut sends) = (Vec::new(), Vec::new());
                for Message { rank, send, receive } in messages {
                    let other = world.process_at_rank(*rank as i32);
                    // Pieces between two ranks arrive in their order.
                    receive
                        .chunks_mut(PIECE)
                        .for_each(|piece| receives.push(other.immediate_receive_into(scope, piece)));
                    send.chunks(PIECE).for_each(|piece| sends.push(other.immediate_send(scope, piece)));
                }
                receives.into_iter().for_each(|request| _ = request.wait());
                sends.into_iter().for_each(|request| _ = request.wait());
            });
        });
    }

    fn sum(&self, numbers: &mut [i64]) {
        let own = numbers.to_vec();
        self.with(|world| world.all_reduce_into(&own[..], numbers, SystemOperation::sum()));
    }

    fn max(&self, numbers: &mut [i64]) {
        let own = numbers.to_vec();
        self.with(|world| world.all_reduce_into(&own[..], numbers, SystemOperation::max()));
    }
}
