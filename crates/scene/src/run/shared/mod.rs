//! Liquids that many ranks share as a physics to run.
//!
//! The first rank runs the session: it decides, writes and draws. Whatever its simulation is asked for, it tells the
//! others, which [follow](follow()): they take the same steps with their parts, send what there is to see, and write their
//! parts of checkpoints.

mod follow;
mod lead;
mod order;
#[cfg(test)]
mod tests;
mod together;

pub use follow::follow;

use std::fmt;
use std::sync::Arc;

use unstick_mlcp::ranks::Ranks;

use order::Order;

/// The ranks that share a run. All but the first [follow].
#[derive(Clone)]
pub struct SharedBy(pub Arc<dyn Ranks>);

impl fmt::Debug for SharedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBy({} ranks)", self.0.count())
    }
}

/// Tells the other ranks that the run is over.
pub fn dismiss(ranks: &dyn Ranks) {
    Order::Leave.tell(ranks);
}
