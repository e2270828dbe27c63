//! Where the time of a run goes beside its steps: every second on the clock is in a column of `stats.csv`.

use std::time::{Duration, Instant};

use super::stepper::Value;

/// What a run does beside its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Data files and the viewer's files, as far as the run waits for them.
    Files,
    /// Pictures, as far as the run waits for them.
    Pictures,
    /// Checkpoints and states that are kept.
    Checkpoints,
}

/// The columns of [`RunClock::take`].
pub(super) const COLUMNS: [&str; 4] = ["seconds_files", "seconds_pictures", "seconds_checkpoints", "seconds_rest"];

/// Notes the time since the last line of `stats.csv`.
#[derive(Debug)]
pub(super) struct RunClock {
    since: Instant,
    spent: [Duration; 3],
}

impl RunClock {
    pub fn start() -> Self {
        Self { since: Instant::now(), spent: [Duration::ZERO; 3] }
    }

    /// Does some work and books its time.
    pub fn time<T>(&mut self, work: Work, action: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = action();
        self.book(work, start.elapsed());
        result
    }

    pub fn book(&mut self, work: Work, time: Duration) {
        self.spent[work as usize] += time;
    }

    /// The time since the last line in the order of [`COLUMNS`], where a step has told of so many seconds itself. The
    /// clock starts again.
    pub fn take(&mut self, in_step: f64) -> [Value; 4] {
        let [files, pictures, checkpoints] = self.spent.map(|time| time.as_secs_f64());
        let known = in_step + files + pictures + checkpoints;
        let rest = (self.since.elapsed().as_secs_f64() - known).max(0.0);
        *self = Self::start();
        [files, pictures, checkpoints, rest].map(Value::Seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_time_is_in_one_of_the_columns() {
        let start = Instant::now();
        let mut clock = RunClock::start();
        clock.time(Work::Files, || std::thread::sleep(Duration::from_millis(20)));
        clock.book(Work::Checkpoints, Duration::from_millis(5));
        std::thread::sleep(Duration::from_millis(30));
        let values = clock.take(0.004).map(|value| match value {
            Value::Seconds(seconds) => seconds,
            other => panic!("{other:?}"),
        });
        let all = values.iter().sum::<f64>() + 0.004;
        assert!(values[0] >= 0.02 && values[2] == 0.005 && all >= 0.05 && all <= start.elapsed().as_secs_f64());
    }
}
