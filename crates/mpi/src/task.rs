//! What the command does: makes or reads a problem, solves it on all ranks, and says what came of it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use unstick_mlcp::ranks::{Boxes, BoxesError, Message, Ranks};
use unstick_mlcp::{
    AnyPressureOperator, Mlcp, PressureOperator, ProblemError, SolveError, SolveReport, SolverName, Stop,
};
use unstick_problems::{Example, FileError, GenerateError, Problem, write_array};

use crate::counted::{Counted, Traffic};
use crate::measure::{Spread, peak_memory};

/// Where a problem comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// It is generated, each rank making its own rows.
    Example {
        /// Which one.
        example: Example,
        /// Two or three.
        dimension: usize,
        /// Cells along each axis.
        size: usize,
        /// Changes a small random part.
        seed: u64,
    },
    /// It is read from a folder, whole on every rank. Its rows must lie on a grid.
    Folder(PathBuf),
}

/// A solve on many ranks.
#[derive(Clone, Debug)]
pub struct Task {
    /// The problem.
    pub source: Source,
    /// The method; none but `best` works on many ranks.
    pub solver: SolverName,
    /// When to stop.
    pub stop: Stop,
    /// Solves, of which the fastest counts.
    pub repeat: usize,
    /// Where the answer goes, if anywhere: one file, written by the first rank.
    pub out: Option<PathBuf>,
}

/// What a solve on many ranks has found; the same on all of them but for the traffic.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Boxes along the second and the third axis.
    pub boxes: [usize; 2],
    /// Levels below the finest that ranks share.
    pub shared_levels: usize,
    /// The report of the solve.
    pub report: SolveReport,
    /// Seconds to make or read the rows.
    pub prepare: f64,
    /// Seconds of the fastest solve, with its set-up, on the slowest rank.
    pub solve: f64,
    /// The part of them for the set-up.
    pub setup: f64,
    /// A number that every bit of the answer goes into, whichever rank holds it.
    pub bits: u64,
    /// What this rank has sent in the fastest solve.
    pub traffic: Traffic,
    /// The share of the fastest solve that ranks spent in messages, waiting included.
    pub talk: Spread,
    /// Rows of a rank.
    pub rows: Spread,
    /// Largest memory of each process so far, in bytes; zero where the system does not tell.
    pub memory: Spread,
}

/// A task that cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There are too many ranks for the grid.
    #[error(transparent)]
    Boxes(#[from] BoxesError),
    /// An example that cannot be made.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A folder that cannot be read, or an answer that cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Rows that no solver would take.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The solve itself.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A problem without a grid to cut.
    #[error("the rows of the folder lie on no grid, so that there are no boxes to share; add a grid.json")]
    NoGrid,
}

/// The rows of a rank, and where they are among all.
struct Part<const D: usize> {
    operator: PressureOperator<D>,
    b: Vec<f64>,
    lower: Vec<f64>,
}

impl Task {
    /// Does it. All ranks call this together.
    pub fn run(&self, ranks: Arc<dyn Ranks>) -> Result<Finding, Fault> {
        let start = Instant::now();
        match &self.source {
            &Source::Example { example, dimension, size, seed } => {
                let boxes = Boxes::new(&vec![size; dimension], ranks.count())?;
                match dimension {
                    2 => self.generate::<2>(ranks, &boxes, example, size, seed, start),
                    3 => self.generate::<3>(ranks, &boxes, example, size, seed, start),
                    _ => Err(GenerateError::Dimension(dimension).into()),
                }
            }
            Source::Folder(folder) => {
                let problem = Problem::read(folder)?;
                match problem.mlcp().operator().pressure().ok_or(Fault::NoGrid)? {
                    AnyPressureOperator::Plane(whole) => self.share(ranks, problem.mlcp(), whole, start),
                    AnyPressureOperator::Space(whole) => self.share(ranks, problem.mlcp(), whole, start),
                }
            }
        }
    }

    fn generate<const D: usize>(
        &self,
        ranks: Arc<dyn Ranks>,
        boxes: &Boxes,
        example: Example,
        size: usize,
        seed: u64,
        start: Instant,
    ) -> Result<Finding, Fault> {
        let counted = Arc::new(Counted::new(ranks));
        let ranks: Arc<dyn Ranks> = counted.clone();
        let rows = example.generate_part::<D>(&ranks, boxes, size, seed)?;
        let part = Part { operator: rows.operator, b: rows.b, lower: rows.lower };
        self.solve(&counted, boxes, part, start)
    }

    fn share<const D: usize>(
        &self,
        ranks: Arc<dyn Ranks>,
        problem: &Mlcp,
        whole: &PressureOperator<D>,
        start: Instant,
    ) -> Result<Finding, Fault> {
        let boxes = Boxes::new(whole.lattice().shape(), ranks.count())?;
        let counted = Arc::new(Counted::new(ranks));
        let ranks: Arc<dyn Ranks> = counted.clone();
        let (operator, rows) = PressureOperator::part_of(&ranks, &boxes, whole)?;
        let of = |values: &[f64]| rows.iter().map(|&row| values[row as usize]).collect();
        let part = Part { operator, b: of(problem.b()), lower: of(problem.lower()) };
        self.solve(&counted, &boxes, part, start)
    }

    fn solve<const D: usize>(
        &self,
        ranks: &Arc<Counted>,
        boxes: &Boxes,
        part: Part<D>,
        start: Instant,
    ) -> Result<Finding, Fault> {
        let own = boxes.own(ranks.rank());
        let nx = boxes.shape()[0] as u64;
        let ny = boxes.shape()[1] as u64;
        // Cells of the whole grid, by which an answer is known whatever the ranks.
        let cell_of = |cell: u32| {
            let (column, columns) = (cell as u64 / nx, own[0].len() as u64);
            let (y, z) = (column % columns + own[0].start as u64, column / columns + own[1].start as u64);
            cell as u64 % nx + nx * (y + ny * z)
        };
        let cells: Vec<u64> = part.operator.lattice().cells().iter().map(|&cell| cell_of(cell)).collect();
        let rows = cells.len();
        let problem = Mlcp::new(part.operator, part.b)?.with_lower(part.lower)?;
        let prepare = start.elapsed().as_secs_f64();
        let mut solver = self.solver.build(&self.stop);
        let mut q = vec![0.0; rows];
        let mut fastest: Option<(f64, f64, SolveReport, Traffic)> = None;
        for _ in 0..self.repeat.max(1) {
            q.fill(0.0);
            ranks.take();
            let start = Instant::now();
            let report = solver.solve(&problem, &mut q)?;
            let seconds = start.elapsed().as_secs_f64();
            let traffic = ranks.take();
            let setup = report.setup_time().as_secs_f64();
            let [seconds, setup] = slowest(&**ranks, [seconds, setup]);
            if fastest.as_ref().is_none_or(|(least, ..)| seconds < *least) {
                fastest = Some((seconds, setup, report, traffic));
            }
        }
        let (solve, setup, report, traffic) = fastest.expect("there is one solve at least");
        if let Some(path) = &self.out {
            write_answer(&**ranks, path, &cells, &q)?;
        }
        Ok(Finding {
            boxes: boxes.counts(),
            shared_levels: boxes.shared_levels(),
            prepare,
            solve,
            setup,
            bits: bits_of(&**ranks, &cells, &q),
            traffic,
            talk: Spread::over(&**ranks, (traffic.exchanging + traffic.reducing) / solve.max(f64::MIN_POSITIVE)),
            rows: Spread::over(&**ranks, rows as f64),
            memory: Spread::over(&**ranks, peak_memory() as f64),
            report,
        })
    }
}

/// The largest of numbers that are not negative, over all ranks.
fn slowest<const N: usize>(ranks: &dyn Ranks, numbers: [f64; N]) -> [f64; N] {
    let mut bits = numbers.map(|number| number.to_bits() as i64);
    ranks.max(&mut bits);
    bits.map(|bits| f64::from_bits(bits as u64))
}

/// A number made of every bit of the answer: the sum over all cells of a hash of cell and value.
fn bits_of(ranks: &dyn Ranks, cells: &[u64], q: &[f64]) -> u64 {
    let mix = |mut word: u64| {
        word = (word ^ word >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        word ^ word >> 29
    };
    let words = cells.iter().zip(q).map(|(&cell, q)| mix(mix(cell + 1) ^ q.to_bits()));
    let own = words.fold(0u64, u64::wrapping_add);
    // Halves, so that the sum of all ranks cannot overflow.
    let mut halves = [(own >> 32) as i64, (own & 0xffff_ffff) as i64];
    ranks.sum(&mut halves);
    ((halves[0] as u64) << 32).wrapping_add(halves[1] as u64)
}

/// Writes the answer in the order of rows. The first rank gathers it, so it must fit there.
fn write_answer(ranks: &dyn Ranks, path: &std::path::Path, cells: &[u64], q: &[f64]) -> Result<(), FileError> {
    let mut lengths = vec![0; ranks.count()];
    lengths[ranks.rank()] = cells.len() as i64;
    ranks.sum(&mut lengths);
    let own: Vec<u8> =
        cells.iter().zip(q).flat_map(|(cell, q)| [cell.to_le_bytes(), q.to_le_bytes()]).flatten().collect();
    if ranks.rank() != 0 {
        ranks.exchange(&mut [Message { rank: 0, send: &own, receive: &mut [] }]);
        return Ok(());
    }
    let mut parts: Vec<Vec<u8>> = lengths.iter().map(|&length| vec![0; 16 * length as usize]).collect();
    let others = parts.iter_mut().enumerate().skip(1);
    ranks.exchange(&mut others.map(|(rank, receive)| Message { rank, send: &[], receive }).collect::<Vec<_>>());
    parts[0] = own;
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    let entries = parts.iter().flat_map(|part| part.chunks(16)).map(|entry| (word(&entry[..8]), word(&entry[8..])));
    let mut all: Vec<(u64, u64)> = entries.collect();
    all.sort_unstable();
    let values: Vec<f64> = all.into_iter().map(|(_, bits)| f64::from_bits(bits)).collect();
    write_array(path, &values)
}

#[cfg(test)]
mod tests {
    use unstick_mlcp::ranks::team;

    use super::*;

    fn task(source: Source) -> Task {
        let solver = "best".parse().expect("a name");
        Task { source, solver, stop: Stop::default(), repeat: 1, out: None }
    }

    #[test]
    fn rows_that_each_rank_makes_give_the_answer_of_one_rank() {
        for (example, dimension, size) in
            [(Example::SphereHalf, 3, 20), (Example::CubeLid, 3, 17), (Example::ThinPlates, 2, 44)]
        {
            let on = |count| {
                let source = Source::Example { example, dimension, size, seed: 3 };
                let found = team(count, 1, |ranks| task(source.clone()).run(ranks).unwrap());
                assert!(found.iter().all(|one| one.bits == found[0].bits && one.report.converged()));
                (found[0].bits, found[0].report.rows(), found[0].report.active_rows())
            };
            let one = on(1);
            let whole = example.generate(dimension, size, 3).unwrap();
            assert_eq!(one.1, whole.size());
            assert!([2, 3, 4].map(on).iter().all(|found| *found == one), "{example}");
        }
    }

    #[test]
    fn too_many_ranks_are_refused_on_all_of_them() {
        let source = Source::Example { example: Example::CubeLid, dimension: 2, size: 8, seed: 0 };
        let found = team(5, 1, |ranks| task(source.clone()).run(ranks).err().map(|fault| fault.to_string()));
        assert!(found.iter().all(|fault| fault.as_ref().is_some_and(|text| text.contains("5 ranks"))), "{found:?}");
    }
}
