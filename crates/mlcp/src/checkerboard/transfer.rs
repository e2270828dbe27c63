//! Between two levels: residuals down, corrections up, both piecewise constant.

use unstick_parallel::{self as parallel, Chunks};

use super::level::{LONGEST, Level, NONE, Part, Span};
use super::sweep::defect_of_cut;

impl Part<'_, f32> {
    #[inline(always)]
    fn add(&mut self, parent: u32, value: f32) {
        if parent != NONE {
            *self.at(parent as usize) += value;
        }
    }
}

impl<const D: usize> Level<D> {
    /// Makes chunks of columns, for work that a coarse column owns.
    pub fn chunk_columns(&self, chunks: &mut Chunks) {
        let slots = |column| self.lines.of(column).iter().map(|line| Self::slots_of(line) as usize).sum();
        chunks.rebuild(1, (0..self.lines.frame.own()).map(slots));
    }

    /// b_H ← Pᵀ (b − A x) where the residual of the black cells is zero, as after a half-sweep over
    /// them. No `b` stands for zero on red cells.
    pub fn restrict_red(&self, coarse: &Self, columns: &Chunks, b: Option<&[f32]>, x: &[f32], coarse_b: &mut [f32]) {
        match b {
            Some(b) => self.restrict_defect::<true>(coarse, columns, b, x, coarse_b),
            None => self.restrict_defect::<false>(coarse, columns, &[], x, coarse_b),
        }
    }

    fn restrict_defect<const HAS_B: bool>(
        &self,
        coarse: &Self,
        columns: &Chunks,
        b: &[f32],
        x: &[f32],
        coarse_b: &mut [f32],
    ) {
        let (red, black) = x.split_at(self.slots);
        self.gather(
            coarse,
            columns,
            coarse_b,
            #[inline(always)]
            |span, coarse_b| {
                let mut strip = [0.0; LONGEST];
                for piece in self.pieces_in(&span) {
                    self.defect_of_piece::<HAS_B>(piece, 0, b, red, black, &mut strip);
                    let parents = &self.parents[piece.first as usize..piece.end()];
                    parents.iter().zip(&strip).for_each(|(&parent, defect)| coarse_b.add(parent, -defect));
                }
                for cut in self.cuts_in(0, &span) {
                    let defect = defect_of_cut::<D, HAS_B>(cut, b, red, black);
                    coarse_b.add(self.parents[cut.slot as usize], -defect);
                }
                for extra in self.extras_in(0, &span) {
                    coarse_b.add(self.parents[extra.own as usize], self.extra_term(0, extra, black));
                }
            },
        );
    }

    /// y ← Pᵀ x, all cells.
    pub fn restrict(&self, coarse: &Self, columns: &Chunks, x: &[f32], y: &mut [f32]) {
        self.gather(coarse, columns, y, |Span { slots, .. }, y| {
            let black = slots.start + self.slots..slots.end + self.slots;
            for cells in [slots, black] {
                self.parents[cells.clone()].iter().zip(&x[cells]).for_each(|(&parent, &x)| y.add(parent, x));
            }
        });
    }

    /// Calls `kernel` with the lines below every coarse column and the part of `y` that holds it.
    #[inline(always)]
    fn gather(&self, coarse: &Self, columns: &Chunks, y: &mut [f32], kernel: impl Fn(Span, &mut Part<f32>) + Sync) {
        let (red, black) = y.split_at_mut(coarse.slots);
        columns.for_each(
            (&mut red[1..coarse.end], &mut black[1..coarse.end]),
            #[inline(always)]
            |columns, place, (red, black)| {
                red.fill(0.0);
                black.fill(0.0);
                let mut y = Part { red, black, place, slots: coarse.slots };
                for column in columns {
                    if !coarse.lines.of(column).is_empty() {
                        self.columns_below(coarse, column).for_each(|span| kernel(span, &mut y));
                    }
                }
            },
        );
    }

    /// Lines below a coarse column; two fine columns side by side are one span.
    fn columns_below(&self, coarse: &Self, column: usize) -> impl Iterator<Item = Span> + '_ {
        let [y, z] = coarse.lines.place(column as u32);
        let [ny, nz] = self.lines.frame.columns;
        (2 * z..(2 * z + 2).min(nz)).map(move |z| {
            let (first, last) = (2 * y + ny * z, (2 * y + 1).min(ny - 1) + ny * z);
            let lines = self.lines.range(first).start..self.lines.range(last).end;
            let base = |line: usize| self.lines.lines.get(line).map_or(self.slots - 1, |line| line.base as usize);
            Span { slots: base(lines.start)..base(lines.end), lines }
        })
    }

    /// x ← x + P x_H on red cells; the black ones are about to be swept.
    pub fn prolong_to_red(&self, coarse_x: &[f32], red: &mut [f32]) {
        self.over_spans(
            red,
            #[inline(always)]
            |span, red| {
                for piece in self.pieces_in(&span) {
                    let red = &mut red[piece.first as usize - span.slots.start..][..piece.length as usize];
                    let parents = &self.parents[piece.first as usize..piece.end()];
                    red.iter_mut().zip(parents).for_each(|(x, &parent)| *x += coarse_x[parent as usize]);
                }
                for cut in self.cuts_in(0, &span).iter().filter(|cut| cut.inverse != 0.0) {
                    red[cut.slot as usize - span.slots.start] += coarse_x[self.parents[cut.slot as usize] as usize];
                }
            },
        );
        // Ghosts move as their ranks move them.
        for ghost in (self.end..self.slots - 1).filter(|&ghost| self.parents[ghost] != NONE && self.is_free(ghost)) {
            red[ghost] += coarse_x[self.parents[ghost] as usize];
        }
    }

    /// x ← P y, all cells.
    pub fn prolong(&self, y: &[f32], x: &mut [f32]) {
        parallel::for_each((self.parents.as_slice(), x), |(parents, x)| {
            for (x, &parent) in x.iter_mut().zip(parents) {
                *x = y.get(parent as usize).copied().unwrap_or(0.0);
            }
        });
    }
}
