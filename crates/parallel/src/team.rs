//! A team of threads that wait for the next loop.
//!
//! Rayon wakes its threads for every loop. On sixteen of them that takes as long as a small loop itself. While a thread
//! [leads](lead), the other threads of its pool look for its next loop. Each begins with tasks of its own, the same ones
//! in every loop of a kind, whose data its caches still hold; then it helps others. A thread that the system has taken
//! away delays nobody, but for the task that it holds.
//!
//! Threads that find no loop do other work of the pool. Once there was none for a while they sleep for short times.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::clock::Instant;
use crate::join_tasks;

/// A loop: what to do with each number.
type Task<'t> = dyn Fn(usize) + Sync + 't;

/// Looks for a loop between two looks for other work of the pool: about a microsecond.
const LOOKS: usize = 32;

/// Looks for other work before a thread sleeps: together about a tenth of a millisecond.
const ROUNDS: usize = 64;

/// How long a thread sleeps at most before it looks for other work again.
const SLEEP: Duration = Duration::from_micros(200);

/// After this time those who did not come are asked again.
const PATIENCE: Duration = Duration::from_millis(1);

/// What this thread is at the moment.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Free,
    Leader,
    Member,
}

thread_local! {
    static ROLE: Cell<Role> = const { Cell::new(Role::Free) };
    /// The team that this thread leads, unless a loop of it is running.
    static LED: RefCell<Option<Arc<Team>>> = const { RefCell::new(None) };
    /// The team that it has led before.
    static KEPT: RefCell<Option<Arc<Team>>> = const { RefCell::new(None) };
}

/// A value in cache lines of its own.
#[repr(align(128))]
#[derive(Default)]
struct Apart<T>(T);

/// Tasks of one thread that nobody has begun: the first, and behind the last.
#[derive(Default)]
struct Tasks(AtomicU64);

impl Tasks {
    fn put(&self, first: usize, end: usize) {
        self.0.store(((first as u64) << 32) | end as u64, Ordering::Release);
    }

    /// Takes the first one.
    fn take(&self) -> Option<usize> {
        let rest = |tasks: u64| (tasks >> 32 < tasks & u32::MAX as u64).then(|| tasks + (1 << 32));
        self.0.fetch_update(Ordering::AcqRel, Ordering::Relaxed, rest).ok().map(|tasks| (tasks >> 32) as usize)
    }
}

/// The threads of a pool and the loop that they work on.
struct Team {
    /// The tasks of each thread.
    tasks: Vec<Apart<Tasks>>,
    /// What to do with them. Only who has taken a task reads it.
    task: Apart<AtomicPtr<&'static Task<'static>>>,
    /// How many loops there were.
    loops: Apart<AtomicUsize>,
    /// Tasks of the loop that are not done.
    left: Apart<AtomicUsize>,
    /// The first panic of a task.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    leader: AtomicUsize,
    /// Whether somebody leads.
    is_open: AtomicBool,
    /// Threads that look for loops, and those who were asked and have not answered.
    present: AtomicUsize,
    asked: AtomicUsize,
    asked_at: Mutex<Option<Instant>>,
    asleep: AtomicUsize,
    bed: Mutex<()>,
    bell: Condvar,
}

impl Team {
    fn of(threads: usize) -> Self {
        Self {
            tasks: (0..threads).map(|_| Apart::default()).collect(),
            task: Apart(AtomicPtr::new(null_mut())),
            loops: Apart::default(),
            left: Apart::default(),
            panic: Mutex::default(),
            leader: AtomicUsize::default(),
            is_open: AtomicBool::default(),
            present: AtomicUsize::default(),
            asked: AtomicUsize::default(),
            asked_at: Mutex::default(),
            asleep: AtomicUsize::default(),
            bed: Mutex::default(),
            bell: Condvar::default(),
        }
    }

    fn open(self: &Arc<Self>, leader: usize) {
        self.leader.store(leader, Ordering::Relaxed);
        self.is_open.store(true, Ordering::Release);
        *self.asked_at.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.ask();
    }

    fn close(&self) {
        self.is_open.store(false, Ordering::Release);
        self.wake();
    }

    /// Asks all threads of the pool to come, unless they are here, or were asked and have not answered.
    fn ask(self: &Arc<Self>) {
        if self.present.load(Ordering::Relaxed) + 1 >= self.tasks.len() || self.asked.load(Ordering::Relaxed) > 0 {
            return;
        }
        let mut asked_at = self.asked_at.lock().unwrap_or_else(PoisonError::into_inner);
        if asked_at.is_some_and(|at| at.elapsed() < PATIENCE) {
            return;
        }
        *asked_at = Some(Instant::now());
        self.asked.store(self.tasks.len(), Ordering::Relaxed);
        let team = self.clone();
        rayon::spawn_broadcast(move |thread| {
            team.asked.fetch_sub(1, Ordering::Relaxed);
            if thread.index() != team.leader.load(Ordering::Relaxed) && ROLE.get() == Role::Free {
                let _role = Changed::to(Role::Member);
                team.present.fetch_add(1, Ordering::Relaxed);
                team.attend(thread.index());
                team.present.fetch_sub(1, Ordering::Relaxed);
            }
        });
    }

    fn wake(&self) {
        if self.asleep.load(Ordering::Relaxed) > 0 {
            self.bell.notify_all();
        }
    }

    /// Works on loops until nobody leads.
    fn attend(&self, me: usize) {
        let (mut seen, mut looks, mut rounds) = (0, 0, 0);
        while self.is_open.load(Ordering::Acquire) {
            let loops = self.loops.0.load(Ordering::Acquire);
            if loops != seen {
                (seen, looks, rounds) = (loops, 0, 0);
                self.work(me);
            } else if looks < LOOKS {
                looks += 1;
                spin_loop();
            } else if rayon::yield_now() == Some(rayon::Yield::Executed) {
                (looks, rounds) = (0, 0);
            } else if rounds < ROUNDS {
                (looks, rounds) = (0, rounds + 1);
                std::thread::yield_now();
            } else {
                looks = 0;
                self.asleep.fetch_add(1, Ordering::Relaxed);
                let bed = self.bed.lock().unwrap_or_else(PoisonError::into_inner);
                drop(self.bell.wait_timeout(bed, SLEEP));
                self.asleep.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    /// Calls `task` with all numbers below `count`, on all threads.
    #[allow(unsafe_code)]
    fn run(self: &Arc<Self>, count: usize, task: &Task) {
        // SAFETY: only the lifetime changes. Who reads `task` has taken one of the tasks, and this function returns once
        // all of them are done, so the loop outlives every use of it. Nothing between here and there panics: `work`
        // catches the panics of tasks.
        let task: &'static Task<'static> = unsafe { std::mem::transmute::<&Task, &'static Task<'static>>(task) };
        self.ask();
        self.task.0.store((&raw const task).cast_mut(), Ordering::Relaxed);
        self.left.0.store(count, Ordering::Relaxed);
        let threads = self.tasks.len();
        for (thread, Apart(tasks)) in self.tasks.iter().enumerate() {
            tasks.put(thread * count / threads, (thread + 1) * count / threads);
        }
        self.loops.0.fetch_add(1, Ordering::Release);
        self.wake();
        self.work(self.leader.load(Ordering::Relaxed));
        let mut looks = 0;
        while self.left.0.load(Ordering::Acquire) > 0 {
            looks += 1;
            if looks % (LOOKS * LOOKS) == 0 { std::thread::yield_now() } else { spin_loop() }
        }
        let panic = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Does what this thread has to do in a loop, then what others have left.
    #[allow(unsafe_code)]
    fn work(&self, me: usize) {
        let mut done = 0;
        let (mine, others) = (self.tasks.iter().skip(me), self.tasks.iter().take(me));
        for Apart(tasks) in mine.chain(others) {
            while let Some(number) = tasks.take() {
                // SAFETY: `run` has stored the pointer before it put the task, which this thread has taken, so it is
                // that of the loop which runs; and `run` waits for this task to be done.
                let task = unsafe { *self.task.0.load(Ordering::Relaxed) };
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| task(number))) {
                    self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
                }
                done += 1;
            }
        }
        if done > 0 {
            self.left.0.fetch_sub(done, Ordering::Release);
        }
    }
}

/// Has a role until it is dropped, also when work panics.
struct Changed(Role);

impl Changed {
    fn to(role: Role) -> Self {
        Self(ROLE.replace(role))
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        ROLE.set(self.0);
    }
}

/// Ends a team when it is dropped.
struct Closes;

impl Drop for Closes {
    fn drop(&mut self) {
        let team = LED.take();
        team.iter().for_each(|team| team.close());
        KEPT.set(team);
    }
}

/// Does `work`, whose loops begin without delay: the other threads of the pool wait for them. On a thread of no pool, or
/// one that works for a team already, nothing changes.
///
/// ```
/// use unstick_parallel::{lead, vector};
///
/// let x = vec![1.0; 100_000];
/// let squared = rayon::scope(|_| lead(|| vector::dot(&x, &x)));
/// assert_eq!(squared, 1e5);
/// ```
pub fn lead<T>(work: impl FnOnce() -> T) -> T {
    let threads = rayon::current_num_threads();
    let me = rayon::current_thread_index().filter(|_| threads > 1 && ROLE.get() == Role::Free);
    let Some(me) = me else { return work() };
    let kept = KEPT.take().filter(|team| team.tasks.len() == threads);
    let team = kept.unwrap_or_else(|| Arc::new(Team::of(threads)));
    let _role = Changed::to(Role::Leader);
    team.open(me);
    LED.set(Some(team));
    let _closes = Closes;
    work()
}

/// Calls `task` with all numbers below `count`: by the team if this thread leads one, or as rayon shares work.
pub(crate) fn call(count: usize, task: &Task) {
    match if count > 1 { LED.take() } else { None } {
        Some(team) => Led(team).0.run(count, task),
        None => call_half(0, count, task),
    }
}

/// A team that runs a loop. It is put back afterwards, also when a task panics.
struct Led(Arc<Team>);

impl Drop for Led {
    fn drop(&mut self) {
        LED.set(Some(self.0.clone()));
    }
}

fn call_half(first: usize, count: usize, task: &Task) {
    match count {
        0 => (),
        1 => task(first),
        _ => {
            let half = count / 2;
            join_tasks(&mut || call_half(first, half, task), &mut || call_half(first + half, count - half, task));
        }
    }
}

/// Whether the loops of this thread are those of a team.
pub(crate) fn is_led() -> bool {
    LED.with_borrow(Option::is_some)
}

/// Tells the team of this thread that there is other work.
pub(crate) fn wake() {
    LED.with_borrow(|team| team.iter().for_each(|team| team.wake()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn every_task_of_every_loop_is_called_once() {
        for threads in [1, 2, 3, 8] {
            in_pool(threads, || {
                lead(|| {
                    for count in (0..400).map(|number| number * 7 % 65) {
                        let calls: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
                        call(count, &|number| _ = calls[number].fetch_add(1, Ordering::Relaxed));
                        assert!(calls.iter().all(|calls| calls.load(Ordering::Relaxed) == 1), "{threads} threads");
                    }
                });
            });
        }
    }

    #[test]
    fn loops_inside_of_tasks_and_beside_them_are_done() {
        let sum = AtomicUsize::new(0);
        let add = |number: usize| _ = sum.fetch_add(number, Ordering::Relaxed);
        in_pool(4, || {
            lead(|| {
                call(8, &|_| lead(|| call(8, &add)));
                crate::join(|| call(8, &add), || lead(|| call(8, &add)));
                std::thread::sleep(10 * SLEEP); // until all sleep
                call(8, &add);
            });
            lead(|| call(8, &add));
        });
        assert_eq!(sum.into_inner(), 12 * 28);
    }

    #[test]
    fn a_panic_of_a_task_reaches_the_leader_and_the_team_goes_on() {
        in_pool(3, || {
            lead(|| {
                for unlucky in 0..20 {
                    let done = AtomicUsize::new(0);
                    let result = catch_unwind(AssertUnwindSafe(|| {
                        call(20, &|number| {
                            assert!(number != unlucky, "task {number}");
                            done.fetch_add(1, Ordering::Relaxed);
                        });
                    }));
                    assert_eq!(*result.unwrap_err().downcast::<String>().unwrap(), format!("task {unlucky}"));
                    assert_eq!(done.into_inner(), 19);
                }
            });
        });
    }

    #[test]
    fn two_teams_of_one_pool_do_not_wait_for_each_other() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let sum = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    pool.install(|| {
                        lead(|| (0..500).for_each(|_| call(9, &|number| _ = sum.fetch_add(number, Ordering::Relaxed))));
                    });
                });
            }
        });
        assert_eq!(sum.into_inner(), 4 * 500 * 36);
    }
}
