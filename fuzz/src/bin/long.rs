//! Every target on as many inputs as asked for, on all threads. Stable Rust, one file, no other needed.
//!
//! ```text
//! unstick-fuzz 1000000                  so many inputs for every target
//! unstick-fuzz 1000000 --target mesh    for one
//! unstick-fuzz 1 --target mesh --from 4711    the input of a round again
//! unstick-fuzz … --threads 16 --findings DIR
//! ```
//!
//! The input of a round is always the same. Inputs that a reader did not survive, or that took more than 5 s or 2 GiB,
//! are written to the folder of findings. Exit status: 0 if there are none, 1 if there are some, 2 if refused.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use unstick_fuzz::watch::{self, Counting};
use unstick_fuzz::{TARGETS, Target};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const USAGE: &str = "usage: unstick-fuzz INPUTS [--target NAME] [--from ROUND] [--threads T] [--findings DIR]";

/// A thread that is busy with one input for so long is given up.
const LOST: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    match Request::read(std::env::args().skip(1)) {
        Ok(request) => request.carry_out(),
        Err(reason) => {
            eprintln!("{reason}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

struct Request {
    inputs: usize,
    from: usize,
    threads: usize,
    targets: Vec<Target>,
    findings: PathBuf,
}

impl Request {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let number = |word: Option<String>| {
            let word = word.ok_or("a number is missing")?;
            word.parse::<usize>().map_err(|_| format!("`{word}` is no number"))
        };
        let threads = std::thread::available_parallelism().map_or(1, Into::into);
        let inputs = number(words.next())?;
        let mut request = Self { inputs, from: 0, threads, targets: TARGETS.into(), findings: "findings".into() };
        while let Some(word) = words.next() {
            match word.as_str() {
                "--from" => request.from = number(words.next())?,
                "--threads" => request.threads = number(words.next())?.max(1),
                "--findings" => request.findings = words.next().ok_or("a folder is missing")?.into(),
                "--target" => {
                    let name = words.next().ok_or("a name is missing")?;
                    request.targets.retain(|target| target.name == name);
                    if request.targets.is_empty() {
                        return Err(format!(
                            "there is no target `{name}`: {}",
                            TARGETS.map(|target| target.name).join(", ")
                        ));
                    }
                }
                _ => return Err(format!("`{word}` is not known")),
            }
        }
        Ok(request)
    }

    fn carry_out(&self) -> ExitCode {
        std::panic::set_hook(Box::new(|_| {})); // what a reader says is in the findings
        let mut bad = 0;
        println!("{:16} {:>12} {:>10} {:>8} {:>8} {:>8}", "target", "inputs", "seconds", "panics", "slow", "large");
        for target in &self.targets {
            let tally = Session { request: self, target, seeds: (target.seeds)(), next: AtomicUsize::new(0) }.run();
            let Tally { done, seconds, found: [panics, slow, large] } = tally;
            println!("{:16} {done:>12} {seconds:>10.1} {panics:>8} {slow:>8} {large:>8}", target.name);
            bad += panics + slow + large + (self.inputs - done.min(self.inputs));
        }
        if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// What an input did that it must not.
#[derive(Clone, Copy)]
enum Fault {
    Panic,
    Slow,
    Large,
}

struct Tally {
    done: usize,
    seconds: f64,
    /// By [`Fault`].
    found: [usize; 3],
}

/// One target on all threads.
struct Session<'a> {
    request: &'a Request,
    target: &'a Target,
    seeds: Vec<Vec<u8>>,
    next: AtomicUsize,
}

impl Session<'_> {
    fn run(&self) -> Tally {
        let begun = Instant::now();
        let (done, found) = (AtomicUsize::new(0), Mutex::new([0; 3]));
        let busy: Vec<Mutex<Option<(usize, Instant)>>> = (0..self.request.threads).map(|_| Mutex::new(None)).collect();
        let lock =
            |slot: &Mutex<Option<(usize, Instant)>>, now| *slot.lock().unwrap_or_else(PoisonError::into_inner) = now;
        std::thread::scope(|scope| {
            let mut workers = Vec::new();
            for slot in &busy {
                let (done, found) = (&done, &found);
                let work = move || {
                    // Loops inside a reader stay on this thread, which counts its memory.
                    let _pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
                    while let Some(round) = self.next_round() {
                        lock(slot, Some((round, Instant::now())));
                        let fault = self.try_round(round);
                        lock(slot, None);
                        if let Some(fault) = fault {
                            self.keep(round, fault);
                            found.lock().unwrap_or_else(PoisonError::into_inner)[fault as usize] += 1;
                        }
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                };
                let worker = std::thread::Builder::new().name(self.target.name.into()).spawn_scoped(scope, work);
                workers.push(worker.expect("a thread that starts"));
            }
            while workers.iter().any(|worker| !worker.is_finished()) {
                std::thread::sleep(Duration::from_millis(50));
                for slot in &busy {
                    let now = *slot.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Some((round, _)) = now.filter(|(_, since)| since.elapsed() > LOST) {
                        self.keep(round, Fault::Slow);
                        eprintln!("{}: round {round} does not end; given up", self.target.name);
                        std::process::exit(1);
                    }
                }
            }
        });
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        Tally { done: done.into_inner(), seconds: begun.elapsed().as_secs_f64(), found }
    }

    fn next_round(&self) -> Option<usize> {
        let count = self.next.fetch_add(1, Ordering::Relaxed);
        (count < self.request.inputs).then_some(self.request.from + count)
    }

    fn try_round(&self, round: usize) -> Option<Fault> {
        let input = self.target.input(&self.seeds, round);
        watch::begin(self.target.name, round);
        let begun = Instant::now();
        let outcome = std::panic::catch_unwind(|| (self.target.run)(&input));
        match outcome {
            Err(_) => Some(Fault::Panic),
            Ok(()) if begun.elapsed() > watch::SLOW => Some(Fault::Slow),
            Ok(()) if watch::most_bytes() > watch::LARGE => Some(Fault::Large),
            Ok(()) => None,
        }
    }

    /// Writes the input of a round to the findings.
    fn keep(&self, round: usize, fault: Fault) {
        let kind = ["panic", "slow", "large"][fault as usize];
        let path = self.request.findings.join(format!("{}-{round}-{kind}", self.target.name));
        let written = std::fs::create_dir_all(&self.request.findings)
            .and_then(|()| std::fs::write(&path, self.target.input(&self.seeds, round)));
        match written {
            Ok(()) => eprintln!("{}: round {round}: {kind}, see {}", self.target.name, path.display()),
            Err(error) => eprintln!("{}: round {round}: {kind}; {}: {error}", self.target.name, path.display()),
        }
    }
}
