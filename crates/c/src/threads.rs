//! The threads of a solver.

use std::thread::JoinHandle;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::status::Failure;

/// No machine has more cores. A number beyond is a mistake, such as a negative one.
const MOST: usize = 4096;

/// Threads that work for one solver and have ended when it is freed, so that the library may be unloaded then.
pub(crate) struct Threads {
    pool: Option<ThreadPool>,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    /// So many threads, or one for every core if that is zero.
    pub fn new(count: usize) -> Result<Self, Failure> {
        if count > MOST {
            return Err(Failure::Argument(format!("{count} threads are asked for, expected at most {MOST}")));
        }
        let mut own = Self { pool: None, handles: Vec::new() };
        let builder = ThreadPoolBuilder::new().num_threads(count).spawn_handler(|thread| {
            own.handles.push(std::thread::Builder::new().spawn(|| thread.run())?);
            Ok(())
        });
        own.pool = Some(builder.build().map_err(Failure::Threads)?);
        Ok(own)
    }

    /// Does some work on these threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        drop(self.pool.take()); // asks them to end
        self.handles.drain(..).for_each(|handle| drop(handle.join()));
    }
}
