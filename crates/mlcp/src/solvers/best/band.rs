//! The rows at separating walls and a few layers beside them: where the active set is decided.
//!
//! Where a wall lets go, the pressure beside it and the flow onto it change with the root of the distance to the
//! front. A policy moves a front that is off by some cells about half the way at most: it pins too much and frees it
//! ring by ring. Over-relaxed projected sweeps over the band let the front settle before the policy is chosen. They
//! are much work for a processor, and so there are few of them.

use unstick_parallel as parallel;

use super::Rows;
use crate::checkerboard::refill;
use crate::pressure::PressureOperator;

/// Layers beside the wall rows.
const LAYERS: usize = 2;

/// Projected sweeps before a policy. Four would save a cycle on some problems and take longer.
const SWEEPS: usize = 2;

/// The same where the policy before has changed no row.
const SWEEPS_WHEN_SETTLED: usize = 1;

/// How far a sweep moves a row, in multiples of what its own equation asks for.
const RELAXATION: f64 = 1.6;

#[derive(Default)]
pub(super) struct Band {
    /// Red and black rows of the band, ascending.
    colours: [Vec<Place>; 2],
    /// The band and the layer next to it, whose residuals the sweeps change; ascending.
    touched: Vec<Place>,
    /// What the rows of one loop become, before it is written.
    values: Vec<f64>,
    is_seen: Vec<bool>,
    /// Rows of the layer that comes next.
    next: Vec<u32>,
}

/// A row, and its stretch in the operator.
#[derive(Clone, Copy)]
struct Place {
    row: u32,
    stretch: u32,
}

impl Band {
    /// Finds the band of the wall rows, which ascend; keeps the memory.
    pub fn rebuild<const D: usize>(&mut self, Rows { operator, .. }: Rows<D>, walls: impl Iterator<Item = u32>) {
        let Self { colours, touched, values, is_seen, next } = self;
        refill(is_seen, operator.diagonal.len(), false);
        touched.clear();
        extend_places(operator, walls, touched);
        touched.iter().for_each(|place| is_seen[place.row as usize] = true);
        let (mut layer, mut band) = (0, 0);
        for _ in 0..=LAYERS {
            band = touched.len();
            next.clear();
            for place in &touched[layer..] {
                operator.neighbours(place.stretch as usize, place.row, |column, _| {
                    if !std::mem::replace(&mut is_seen[column], true) {
                        next.push(column as u32);
                    }
                });
            }
            next.sort_unstable();
            layer = band;
            extend_places(operator, next.iter().copied(), touched);
        }
        // The last layer is beside the band.
        colours.iter_mut().for_each(Vec::clear);
        for place in &touched[..band] {
            let is_black = operator.lattice().place(place.row as usize).iter().sum::<usize>() % 2 == 1;
            colours[is_black as usize].push(*place);
        }
        for rows in colours.iter_mut().chain([&mut *touched]) {
            rows.sort_unstable_by_key(|place| place.row);
        }
        values.resize(touched.len(), 0.0);
    }

    /// Projected sweeps over the band, red rows first; r = A q + b is kept up to date. Fewer are enough once the
    /// active set has settled.
    pub fn relax<const D: usize>(
        &mut self,
        Rows { problem, operator }: Rows<D>,
        is_settled: bool,
        q: &mut [f64],
        r: &mut [f64],
    ) {
        let Self { colours, touched, values, .. } = self;
        let b = problem.b();
        let residual = |place: &Place, q: &[f64]| operator.residual_of(place.stretch as usize, place.row, q, b);
        let sweeps = if is_settled { SWEEPS_WHEN_SETTLED } else { SWEEPS };
        for places in (0..sweeps).flat_map(|_| colours.iter()) {
            write(places, values, q, |place, q| {
                let row = place.row as usize;
                let change = RELAXATION * residual(place, q) / operator.diagonal[row];
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

/// Appends rows, which ascend, with their stretches.
fn extend_places<const D: usize>(
    operator: &PressureOperator<D>,
    rows: impl Iterator<Item = u32>,
    places: &mut Vec<Place>,
) {
    let stretches = &operator.stretches;
    let mut stretch = 0;
    places.extend(rows.map(|row| {
        while stretches[stretch].first + stretches[stretch].length <= row {
            stretch += 1;
        }
        Place { row, stretch: stretch as u32 }
    }));
}
