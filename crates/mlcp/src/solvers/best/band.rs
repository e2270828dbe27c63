//! The rows at separating walls and a few layers beside them: where the active set is decided.
//!
//! Where a wall lets go, the pressure beside it and the flow onto it change with the root of the distance to the
//! front, and a policy moves a front that is off by some cells no more than about half the way. The policy pins
//! too much and frees it ring by ring. Over-relaxed projected sweeps over the band let the front settle before the
//! policy is chosen. That is no small work for a processor, and so there are few of them.

use unstick_parallel as parallel;

use crate::pressure::PressureOperator;
use crate::problem::Mlcp;

/// Layers beside the wall rows.
const LAYERS: usize = 2;

/// Projected sweeps before a policy. Four would save a cycle on some problems and take longer.
const SWEEPS: usize = 2;

/// The same where the policy before has changed no row.
const SWEEPS_WHEN_SETTLED: usize = 1;

/// How far a sweep moves a row, in multiples of what its own equation asks for.
const RELAXATION: f64 = 1.6;

pub(super) struct Band<'p, const D: usize> {
    problem: &'p Mlcp<'p>,
    operator: &'p PressureOperator<D>,
    /// Red and black rows of the band, ascending.
    colours: [Vec<Place>; 2],
    /// The band and the layer next to it, whose residuals the sweeps change; ascending.
    touched: Vec<Place>,
    /// What the rows of one loop become, before it is written.
    values: Vec<f64>,
}

/// A row, and its stretch in the operator.
#[derive(Clone, Copy)]
struct Place {
    row: u32,
    stretch: u32,
}

impl<'p, const D: usize> Band<'p, D> {
    /// The band of the wall rows, which ascend.
    pub fn new(problem: &'p Mlcp<'p>, operator: &'p PressureOperator<D>, walls: impl Iterator<Item = u32>) -> Self {
        let mut layer = places(operator, walls);
        let mut is_seen = vec![false; problem.size()];
        layer.iter().for_each(|place| is_seen[place.row as usize] = true);
        let mut touched = layer.clone();
        let mut band = Vec::new();
        for depth in 0..=LAYERS {
            if depth == LAYERS {
                band.clone_from(&touched);
            }
            let mut next = Vec::new();
            for place in &layer {
                operator.neighbours(place.stretch as usize, place.row, |column, _| {
                    if !std::mem::replace(&mut is_seen[column], true) {
                        next.push(column as u32);
                    }
                });
            }
            next.sort_unstable();
            layer = places(operator, next.into_iter());
            touched.extend_from_slice(&layer);
        }
        for rows in [&mut band, &mut touched] {
            rows.sort_unstable_by_key(|place| place.row);
        }
        let is_black = |place: &Place| operator.lattice().place(place.row as usize).iter().sum::<usize>() % 2 == 1;
        let (black, red) = band.into_iter().partition(is_black);
        let values = vec![0.0; touched.len()];
        Self { problem, operator, colours: [red, black], touched, values }
    }

    /// Projected sweeps over the band, red rows first; r = A q + b is kept up to date. A few are enough once the
    /// active set has settled.
    pub fn relax(&mut self, is_settled: bool, q: &mut [f64], r: &mut [f64]) {
        let Self { problem, operator, colours, touched, values } = self;
        let b = problem.b();
        let residual = |place: &Place, q: &[f64]| operator.residual_of(place.stretch as usize, place.row, q, b);
        let sweeps = if is_settled { SWEEPS_WHEN_SETTLED } else { SWEEPS };
        for places in (0..sweeps).flat_map(|_| colours.iter()) {
            write(places, values, q, |place, q| {
                let row = place.row as usize;
                let change = RELAXATION * residual(place, q) / operator.diagonal_of(row);
                (q[row] - change).max(problem.lower()[row])
            });
        }
        let q = &*q;
        write(touched, values, r, |place, _| residual(place, q));
    }

    /// Bytes that all sweeps before a policy move: iterate, right-hand side, bound and diagonal of every row, and the places.
    pub fn bytes(&self) -> usize {
        let rows = self.colours.iter().map(Vec::len).sum::<usize>();
        SWEEPS * rows * (2 * 8 + 3 * 8 + size_of::<Place>()) + self.touched.len() * (3 * 8 + size_of::<Place>())
    }
}

/// Gives `x` new values at some places, all of them computed from the old ones.
fn write(places: &[Place], values: &mut [f64], x: &mut [f64], value: impl Fn(&Place, &[f64]) -> f64 + Sync) {
    let (values, old) = (&mut values[..places.len()], &*x);
    parallel::for_each((&mut *values, places), |(values, places)| {
        values.iter_mut().zip(places).for_each(|(new, place)| *new = value(place, old));
    });
    places.iter().zip(values).for_each(|(place, new)| x[place.row as usize] = *new);
}

/// Finds the stretches of rows, which ascend.
fn places<const D: usize>(operator: &PressureOperator<D>, rows: impl Iterator<Item = u32>) -> Vec<Place> {
    let stretches = operator.stretches();
    let mut stretch = 0;
    let mut place = |row: u32| {
        while stretches[stretch].first + stretches[stretch].length <= row {
            stretch += 1;
        }
        Place { row, stretch: stretch as u32 }
    };
    rows.map(&mut place).collect()
}
