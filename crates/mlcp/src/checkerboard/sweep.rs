//! Loops over one colour of a level: Gauss–Seidel half-sweeps, residuals, products.

use super::level::{Cut, Extra, LANES, Level, Piece, Span};

/// The neighbours of a piece, one slice of its length for every face of a cell.
pub(super) struct Neighbours<'x> {
    pair: &'x [f32],
    across: &'x [f32],
    sides: [[&'x [f32]; 2]; 2],
}

impl<'x> Neighbours<'x> {
    #[inline(always)]
    fn new<const D: usize>(piece: &Piece<D>, colour: usize, other: &'x [f32]) -> Self {
        let (first, length) = (piece.first as usize, piece.length as usize);
        let shifted = |offset: isize| &other[first.wrapping_add_signed(offset)..][..length];
        let side = |axis: usize, side: usize| if axis < D { shifted(piece.offsets[axis][side] as isize) } else { &[] };
        Self {
            pair: shifted(0),
            across: shifted(piece.across(colour)),
            sides: [[side(1, 0), side(1, 1)], [side(2, 0), side(2, 1)]],
        }
    }

    /// Σ x_j over all neighbours, for some cells.
    #[inline(always)]
    fn sums<const D: usize>(&self, at: usize) -> [f32; LANES] {
        let (pair, across) = (lanes(self.pair, at), lanes(self.across, at));
        let [south, north] = self.sides[0].map(|side| lanes(side, at));
        let mut sums = std::array::from_fn(|i| (pair[i] + across[i]) + (south[i] + north[i]));
        if D == 3 {
            let [below, above] = self.sides[1].map(|side| lanes(side, at));
            (0..LANES).for_each(|i| sums[i] += below[i] + above[i]);
        }
        sums
    }
}

/// Some entries of a slice.
#[inline(always)]
fn lanes(x: &[f32], at: usize) -> &[f32; LANES] {
    x[at..].first_chunk().expect("slices are as long as the piece")
}

impl<const D: usize> Level<D> {
    /// One half of a Gauss–Seidel sweep: x_i ← (b_i + Σ c_ij x_j) / A_ii for all cells of a colour.
    ///
    /// `b` and `own` are of the colour, `other` of the other one; no `b` stands for zero.
    pub fn half_sweep(&self, colour: usize, b: Option<&[f32]>, other: &[f32], own: &mut [f32]) {
        self.half_sweep_inside(colour, b, other, own);
        self.halo.fill(own);
    }

    /// The same, without the ghosts.
    pub fn half_sweep_inside(&self, colour: usize, b: Option<&[f32]>, other: &[f32], own: &mut [f32]) {
        match b {
            Some(b) => self.sweep::<true>(colour, b, other, own),
            None => self.sweep::<false>(colour, &[], other, own),
        }
    }

    fn sweep<const HAS_B: bool>(&self, colour: usize, b: &[f32], other: &[f32], own: &mut [f32]) {
        let (weight, load) = (1.0 / (2 * D) as f32, 1.0 / self.unit);
        self.over_spans(
            own,
            #[inline(always)]
            |span, own| {
                let start = span.slots.start;
                for piece in self.pieces_in(&span) {
                    let (first, length) = (piece.first as usize, piece.length as usize);
                    let own = &mut own[first - start..][..length];
                    let b = if HAS_B { &b[first..][..length] } else { b };
                    let x = Neighbours::new(piece, colour, other);
                    in_lanes(
                        own,
                        #[inline(always)]
                        |at| {
                            let sums = x.sums::<D>(at);
                            if HAS_B {
                                let b = lanes(b, at);
                                std::array::from_fn(|i| weight * (load * b[i] + sums[i]))
                            } else {
                                sums.map(|sum| weight * sum)
                            }
                        },
                    );
                }
                for cut in self.cuts_in(colour, &span) {
                    let slot = cut.slot as usize;
                    let load = if HAS_B { b[slot] } else { 0.0 };
                    own[slot - start] = cut.inverse * (load + cut.sum(other));
                }
                for extra in self.extras_in(colour, &span) {
                    let inverse =
                        self.cut_index(extra.own as usize).map_or(0.0, |index| self.cuts[colour][index].inverse);
                    own[extra.own as usize - start] += inverse * extra.coupling * other[extra.slot as usize];
                }
            },
        );
    }

    /// The same half-sweep where all neighbours are zero: x_i ← b_i / A_ii.
    pub fn first_half_sweep(&self, colour: usize, b: &[f32], own: &mut [f32]) {
        self.first_half_sweep_inside(colour, b, own);
        self.halo.fill(own);
    }

    /// The same, without the ghosts.
    pub fn first_half_sweep_inside(&self, colour: usize, b: &[f32], own: &mut [f32]) {
        let weight = 1.0 / (2.0 * D as f32 * self.unit);
        self.over_spans(
            own,
            #[inline(always)]
            |span, own| {
                own.iter_mut().zip(&b[span.slots.clone()]).for_each(|(x, b)| *x = weight * b);
                for cut in self.cuts_in(colour, &span) {
                    own[cut.slot as usize - span.slots.start] = cut.inverse * b[cut.slot as usize];
                }
            },
        );
    }

    /// y ← A x − b for the cells of a colour in a span, zero where they are pinned; `y` is of the
    /// span. No `b` stands for zero.
    #[inline(always)]
    pub(super) fn defect<const HAS_B: bool>(
        &self,
        span: &Span,
        colour: usize,
        b: &[f32],
        own: &[f32],
        other: &[f32],
        y: &mut [f32],
    ) {
        let start = span.slots.start;
        for piece in self.pieces_in(span) {
            let (first, length) = (piece.first as usize, piece.length as usize);
            let y = &mut y[first - start..][..length];
            self.defect_of_piece::<HAS_B>(piece, colour, b, own, other, y);
        }
        for cut in self.cuts_in(colour, span) {
            y[cut.slot as usize - start] = defect_of_cut::<D, HAS_B>(cut, b, own, other);
        }
        for extra in self.extras_in(colour, span) {
            y[extra.own as usize - start] -= self.extra_term(colour, extra, other);
        }
    }

    #[inline(always)]
    pub(super) fn defect_of_piece<const HAS_B: bool>(
        &self,
        piece: &Piece<D>,
        colour: usize,
        b: &[f32],
        own: &[f32],
        other: &[f32],
        y: &mut [f32],
    ) {
        let (first, length) = (piece.first as usize, piece.length as usize);
        let x = Neighbours::new(piece, colour, other);
        let own = &own[first..][..length];
        let b = if HAS_B { &b[first..][..length] } else { b };
        let y = &mut y[..length];
        in_lanes(
            y,
            #[inline(always)]
            |at| {
                let (own, sums) = (lanes(own, at), x.sums::<D>(at));
                let products: [f32; LANES] = std::array::from_fn(|i| self.unit * (2.0 * D as f32 * own[i] - sums[i]));
                if HAS_B {
                    let b = lanes(b, at);
                    std::array::from_fn(|i| products[i] - b[i])
                } else {
                    products
                }
            },
        );
    }

    /// c_ij x_j of a further coupling, zero where the cell is pinned.
    #[inline(always)]
    pub(super) fn extra_term(&self, colour: usize, extra: &Extra, other: &[f32]) -> f32 {
        let is_free = self.cut_index(extra.own as usize).is_some_and(|index| self.cuts[colour][index].inverse != 0.0);
        if is_free { extra.coupling * other[extra.slot as usize] } else { 0.0 }
    }

    #[inline(always)]
    pub(super) fn pieces_in(&self, span: &Span) -> &[Piece<D>] {
        &self.pieces[self.pieces_from[span.lines.start] as usize..self.pieces_from[span.lines.end] as usize]
    }

    #[inline(always)]
    pub(super) fn cuts_in(&self, colour: usize, span: &Span) -> &[Cut<D>] {
        &self.cuts[colour][self.cuts_from[span.lines.start] as usize..self.cuts_from[span.lines.end] as usize]
    }

    #[inline(always)]
    pub(super) fn extras_in(&self, colour: usize, span: &Span) -> &[Extra] {
        let extras = &self.extras[colour];
        if extras.is_empty() {
            return extras;
        }
        let first = extras.partition_point(|extra| (extra.own as usize) < span.slots.start);
        let count = extras[first..].partition_point(|extra| (extra.own as usize) < span.slots.end);
        &extras[first..first + count]
    }

    /// Calls `kernel` with spans and their part of one colour, or of anything else that there is for every slot.
    #[inline(always)]
    pub(super) fn over_spans<T: Send>(&self, own: &mut [T], kernel: impl Fn(Span, &mut [T]) + Sync) {
        self.chunks.for_each(
            &mut own[1..self.end],
            #[inline(always)]
            |lines, place, own: &mut [T]| kernel(Span { lines, slots: place..place + own.len() }, own),
        );
    }
}

/// y ← values, `LANES` at a time. The last few are computed together with some that were computed before: this is
/// cheaper than one by one.
#[inline(always)]
fn in_lanes(y: &mut [f32], values: impl Fn(usize) -> [f32; LANES]) {
    let length = y.len();
    debug_assert!(length >= LANES, "no piece is shorter");
    let mut at = 0;
    loop {
        y[at..at + LANES].copy_from_slice(&values(at));
        if at + LANES == length {
            return;
        }
        at = (at + LANES).min(length - LANES);
    }
}

#[inline(always)]
pub(super) fn defect_of_cut<const D: usize, const HAS_B: bool>(
    cut: &Cut<D>,
    b: &[f32],
    own: &[f32],
    other: &[f32],
) -> f32 {
    let slot = cut.slot as usize;
    let product = cut.diagonal * own[slot] - cut.sum(other);
    let defect = if HAS_B { product - b[slot] } else { product };
    if cut.inverse == 0.0 { 0.0 } else { defect }
}
