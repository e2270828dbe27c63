//! Bounds on the unknowns of a level: projected sweeps, policies, and a start from the coarse levels.

use unstick_parallel::{self as parallel, refill};

use super::Aggregation;
use super::chunks;
use super::cycle::{dot, scale, solve_coarse};
use super::level::{Level, NONE};

/// Projected sweeps that smooth what comes from the coarser level.
const SWEEPS: usize = 2;

/// Policies on each coarse level. More are no use: the error of the coarse level itself remains.
const POLICIES: usize = 2;

/// Policies on the coarsest level, where they cost nothing.
const POLICIES_AT_THE_END: usize = 6;

/// The problem on one level: x ≥ floor, A x − load ≥ 0 complementary to it, A x = load where there is no floor.
#[derive(Default)]
pub(crate) struct Bounded {
    pub(super) load: Vec<f32>,
    /// −∞ where there is none.
    pub(super) floor: Vec<f32>,
    pub(super) x: Vec<f32>,
}

/// What a problem is posed from: rows of the matrix in double precision.
pub(crate) struct Posed<'p> {
    pub r: &'p [f64],
    pub q: &'p [f64],
    pub lower: &'p [f64],
    /// The residual that becomes one.
    pub norm: f64,
}

impl Aggregation {
    /// What a correction of one means to an iterate whose residual of `norm` was posed.
    pub fn scale(&self, norm: f64) -> f64 {
        norm / self.unit
    }

    /// Poses the problem of a correction, from zero.
    pub fn pose(&self, posed: &Posed, problem: &mut Bounded) {
        let (size, inverse, scale) = (posed.r.len(), -1.0 / posed.norm, self.scale(posed.norm));
        problem.load.resize(size, 0.0);
        problem.floor.resize(size, 0.0);
        refill(&mut problem.x, size, 0.0);
        let lanes = (0..size, problem.load.as_mut_slice(), problem.floor.as_mut_slice());
        parallel::for_each(lanes, |(places, load, floor)| {
            for ((place, load), floor) in places.zip(load).zip(floor) {
                let row = self.order.row(place);
                *load = (inverse * posed.r[row]) as f32;
                *floor = ((posed.lower[row] - posed.q[row]) / scale) as f32;
            }
        });
    }

    /// Projected sweeps, there and back.
    pub fn relax(&mut self, number: usize, problem: &mut Bounded) {
        let before = &mut self.vectors[number].before;
        self.levels[number].relax_bounded(SWEEPS, problem, before);
    }

    /// Pins the rows of a level that their floor holds and frees all others; at least one row of each list of `loose`
    /// ones is pinned. Pinned rows are moved to their floor. Returns how many have changed.
    pub fn choose(&mut self, number: usize, problem: &mut Bounded, loose: &[Vec<u32>]) -> usize {
        let level = &self.levels[number];
        let mut wanted = vec![false; level.rows()];
        parallel::for_each((0..level.rows(), wanted.as_mut_slice()), |(places, wanted)| {
            places.zip(wanted).for_each(|(place, wanted)| *wanted = level.slack(place, problem) <= 0.0);
        });
        for rows in loose {
            let places = || rows.iter().map(|&row| self.order.place(row as usize));
            if !places().any(|place| wanted[place]) {
                let slack = |place: &usize| level.slack(*place, problem);
                let least = places().min_by(|a, b| slack(a).total_cmp(&slack(b)));
                least.into_iter().for_each(|place| wanted[place] = true);
            }
        }
        let Bounded { floor, x, .. } = problem;
        parallel::for_each((wanted.as_slice(), floor.as_slice(), x.as_mut_slice()), |(wanted, floor, x)| {
            wanted.iter().zip(floor).zip(x).filter(|((wanted, _), _)| **wanted).for_each(|((_, floor), x)| *x = *floor);
        });
        self.follow(number, |place| wanted[place])
    }

    /// q ← q + scale x, and at its bound exactly on pinned rows.
    pub fn accept(&self, problem: &Bounded, scale: f64, lower: &[f64], q: &mut [f64]) {
        self.add(|place| scale * problem.x[place] as f64, lower, q);
    }

    /// q ← q + correction, and at its bound exactly on pinned rows.
    pub(super) fn add(&self, correction: impl Fn(usize) -> f64 + Sync, lower: &[f64], q: &mut [f64]) {
        let inverse = &self.levels[0].inverse;
        parallel::for_each((0..q.len(), q), |(rows, q)| {
            for (row, q) in rows.zip(q) {
                let place = self.order.place(row);
                *q = if inverse[place] > 0.0 { *q + correction(place) } else { lower[row] };
            }
        });
    }

    /// Solves a problem on the finest level approximately, coarse levels first. Nothing may be pinned, and nothing is
    /// afterwards.
    pub fn nested_start(&mut self, finest: &mut Bounded, coarse: &mut Vec<Bounded>) {
        let last = self.levels.len() - 1;
        coarse.resize_with(last, Bounded::default);
        for number in 1..=last {
            let (above, below) = coarse.split_at_mut(number - 1);
            self.levels[number - 1].restrict_problem(above.last().unwrap_or(finest), &mut below[0]);
        }
        for number in (1..=last).rev() {
            let (above, below) = coarse.split_at_mut(number - 1);
            self.improve(number, &mut below[0]);
            let above = above.last_mut().unwrap_or(finest);
            let before = &mut self.vectors[number - 1].before;
            self.levels[number - 1].prolong_problem(&below[0].x, above, before);
            self.relax(number - 1, above);
        }
    }

    /// A few policies on a coarse level.
    fn improve(&mut self, number: usize, problem: &mut Bounded) {
        let is_last = number + 1 == self.levels.len();
        for _ in 0..if is_last { POLICIES_AT_THE_END } else { POLICIES } {
            let changes = self.choose(number, problem, &[]);
            if is_last && changes == 0 && problem.x.iter().any(|&x| x != 0.0) {
                break;
            }
            let level = &self.levels[number];
            level.residual(problem, &mut self.vectors[number].b);
            solve_coarse(&self.levels[number..], &mut self.vectors[number..], self.factors.as_ref());
            let correction = self.vectors[number].x.as_slice();
            parallel::for_each((problem.x.as_mut_slice(), correction), |(x, correction)| {
                x.iter_mut().zip(correction).for_each(|(x, correction)| *x += correction);
            });
        }
        self.follow(number, |_| false);
        problem.lift();
    }
}

impl Bounded {
    fn lift(&mut self) {
        parallel::for_each((self.x.as_mut_slice(), self.floor.as_slice()), |(x, floor)| {
            x.iter_mut().zip(floor).for_each(|(x, floor)| *x = x.max(*floor));
        });
    }
}

impl Level {
    /// How far a row is from being held by its floor: A_ii (x − floor) − r. Infinite where there is no floor.
    fn slack(&self, row: usize, problem: &Bounded) -> f32 {
        let Bounded { load, floor, x } = problem;
        if floor[row] == f32::NEG_INFINITY {
            return f32::INFINITY;
        }
        let beside: f32 = self.rows.row(row).map(|(column, value)| value * x[column]).sum();
        self.diagonal[row] * (x[row] - floor[row]) + load[row] - self.diagonal[row] * x[row] - beside
    }

    /// b ← load − A x, zero on pinned rows.
    fn residual(&self, problem: &Bounded, b: &mut [f32]) {
        self.product(&problem.x, b);
        parallel::for_each((0..self.rows(), b), |(rows, b)| {
            for (row, b) in rows.zip(b) {
                *b = if self.inverse[row] > 0.0 { problem.load[row] - *b } else { 0.0 };
            }
        });
    }

    /// Gauss–Seidel sweeps in which no row sinks below its floor, one way and back. Pinned rows move like all others.
    fn relax_bounded(&self, sweeps: usize, problem: &mut Bounded, before: &mut [f32]) {
        let Bounded { load, floor, x } = problem;
        for sweep in 0..sweeps {
            parallel::for_each((&mut *before, x.as_slice()), |(before, x)| before.copy_from_slice(x));
            let before = &*before;
            chunks::for_each(&self.borders, x.as_mut_slice(), &|chunk, x| {
                let (first, length) = (self.borders[chunk] as usize, x.len());
                let mut around = self.rows.columns.around(chunk, x, before);
                let relax = |row: usize| {
                    let known = self.inverse[row];
                    let inverse = if known > 0.0 { known } else { self.inverse_of(row, self.diagonal[row]) };
                    self.relax(row, inverse, first, load[row], before, &mut around);
                    let x = &mut around[row - first];
                    *x = x.max(floor[row]);
                };
                match sweep % 2 {
                    0 => (first..first + length).for_each(relax),
                    _ => (first..first + length).rev().for_each(relax),
                }
                x.copy_from_slice(&around[..length]);
            });
        }
    }

    /// The problem on the next coarser level, from zero. An aggregate may not sink below the highest floor of its rows.
    fn restrict_problem(&self, problem: &Bounded, coarse: &mut Bounded) {
        let count = self.aggregates.count();
        refill(&mut coarse.x, count, 0.0);
        coarse.load.resize(count, 0.0);
        coarse.floor.resize(count, 0.0);
        let lanes = (0..count, coarse.load.as_mut_slice(), coarse.floor.as_mut_slice());
        parallel::for_each(lanes, |(aggregates, load, floor)| {
            for ((aggregate, load), floor) in aggregates.zip(load).zip(floor) {
                let members = || self.aggregates.members(aggregate).iter().map(|&row| row as usize);
                *load = members().map(|row| problem.load[row]).sum();
                *floor = members().map(|row| problem.floor[row]).fold(f32::NEG_INFINITY, f32::max);
            }
        });
    }

    /// Takes over the answer of the next coarser level: smoothed, and scaled to the least energy. What is constant on
    /// aggregates is too stiff, and therefore too small.
    fn prolong_problem(&self, coarse: &[f32], problem: &mut Bounded, before: &mut [f32]) {
        parallel::for_each((0..self.rows(), problem.x.as_mut_slice()), |(rows, x)| {
            for (row, x) in rows.zip(x) {
                let parent = self.aggregates.parents[row];
                *x = if parent == NONE { 0.0 } else { coarse[parent as usize] };
            }
        });
        let mut free =
            Bounded { load: vec![0.0; self.rows()], floor: vec![f32::NEG_INFINITY; self.rows()], x: Vec::new() };
        std::mem::swap(&mut free.x, &mut problem.x);
        self.relax_bounded(SWEEPS, &mut free, before);
        std::mem::swap(&mut free.x, &mut problem.x);
        let energy = self.product(&problem.x, before);
        let gain = dot(&problem.x, &problem.load);
        if energy > 0.0 && gain > 0.0 {
            scale((gain / energy) as f32, &mut problem.x);
        }
        problem.lift();
    }
}
