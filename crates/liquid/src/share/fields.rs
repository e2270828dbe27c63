//! Fields of a rank: halos from the neighbours, and the whole on the first rank.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use unstick_grid::{CellField, FaceField};
use unstick_mlcp::fields::Window;
use unstick_mlcp::ranks::{Message, Reductions};

use super::Share;

/// Where the values of a field lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<const D: usize> {
    /// Cells along each axis that share a value.
    side: usize,
    /// Places behind the last cells of the grid.
    more: [usize; D],
    /// Whether there is a value for each line of cells alone.
    is_of_lines: bool,
}

impl<const D: usize> Places<D> {
    /// In cells.
    pub const CELLS: Self = Self { side: 1, more: [0; D], is_of_lines: false };

    /// At nodes.
    pub const NODES: Self = Self { side: 1, more: [1; D], is_of_lines: false };

    /// One for each line of cells along the first axis.
    pub const LINES: Self = Self { side: 1, more: [0; D], is_of_lines: true };

    /// On faces across an axis.
    pub fn faces(axis: usize) -> Self {
        Self { more: std::array::from_fn(|other| (other == axis) as usize), ..Self::CELLS }
    }

    /// The same where blocks of so many cells along each axis stand for cells.
    pub fn of_blocks(self, side: usize) -> Self {
        Self { side, ..self }
    }

    /// The places that belong to some cells of a grid alone.
    pub(super) fn own_of(&self, own: &Window<D>, cells: [usize; D]) -> Window<D> {
        self.of(own, |axis| own.first[axis] + own.size[axis] == cells[axis])
    }

    /// The places of some cells, and those behind them if they are meant.
    pub(super) fn of(&self, cells: &Window<D>, with_end: impl Fn(usize) -> bool) -> Window<D> {
        let range = |axis: usize| -> Range<usize> {
            let (first, end) = (cells.first[axis], cells.first[axis] + cells.size[axis]);
            let more = if with_end(axis) { self.more[axis] } else { 0 };
            if axis == 0 && self.is_of_lines { 0..1 } else { first / self.side..end.div_ceil(self.side) + more }
        };
        Window {
            first: std::array::from_fn(|axis| range(axis).start),
            size: std::array::from_fn(|axis| range(axis).len()),
        }
    }
}

/// A value of a field as ranks send it.
pub(crate) trait Wire: Copy + Default + Send + Sync {
    /// Plain bytes.
    type Word: Pod;

    fn word(self) -> Self::Word;

    fn of_word(word: Self::Word) -> Self;
}

macro_rules! plain {
    ($($number:ty),*) => {$(
        impl Wire for $number {
            type Word = Self;

            fn word(self) -> Self {
                self
            }

            fn of_word(word: Self) -> Self {
                word
            }
        }
    )*};
}
plain!(f64, u32, u64);

impl Wire for bool {
    type Word = u8;

    fn word(self) -> u8 {
        u8::from(self)
    }

    fn of_word(word: u8) -> Self {
        word != 0
    }
}

/// Adds the words of a window of a field, whose shape is given.
pub(super) fn words_in<T: Wire, const D: usize>(
    window: Window<D>,
    shape: [usize; D],
    field: &[T],
    words: &mut Vec<T::Word>,
) {
    words.reserve(window.count());
    for (at, part) in window.lines(shape, 0..window.count()) {
        words.extend(field[at..at + part.len()].iter().map(|value| value.word()));
    }
}

/// Writes words to a window of a field.
pub(super) fn put_in<T: Wire, const D: usize>(
    window: Window<D>,
    shape: [usize; D],
    words: &[T::Word],
    field: &mut [T],
) {
    for (at, part) in window.lines(shape, 0..window.count()) {
        let values = field[at..at + part.len()].iter_mut();
        values.zip(&words[part]).for_each(|(value, word)| *value = T::of_word(*word));
    }
}

impl<const D: usize> Share<D> {
    /// The places of a rank, those of the halo among them.
    pub(super) fn local_places(&self, places: &Places<D>, rank: usize) -> Window<D> {
        places.of(&self.local[rank], |_| true)
    }

    /// The places that it alone has.
    pub(super) fn own_places(&self, places: &Places<D>, rank: usize) -> Window<D> {
        places.own_of(&self.own[rank], self.cells())
    }

    /// All places.
    fn whole_places(&self, places: &Places<D>) -> Window<D> {
        places.of(&Window::whole(self.cells()), |_| true)
    }

    pub(super) fn cells(&self) -> [usize; D] {
        let shape = self.boxes.shape();
        std::array::from_fn(|axis| shape[axis])
    }

    /// Its own places, counted from the first that it has.
    pub fn inside_of(&self, places: &Places<D>) -> Window<D> {
        let me = self.ranks.rank();
        self.own_places(places, me).seen_from(self.local_places(places, me).first)
    }

    /// Fills the halos of some fields: one message to each neighbour.
    pub fn fill<T: Wire>(&self, fields: &mut [(Places<D>, &mut [T])]) {
        self.fill_cells(&self.local, fields);
    }

    /// The same within `reach` of the boxes alone.
    pub fn fill_near<T: Wire>(&self, reach: usize, fields: &mut [(Places<D>, &mut [T])]) {
        let around: Vec<Window<D>> = (0..self.ranks.count()).map(|rank| self.around(rank, reach)).collect();
        self.fill_cells(&around, fields);
    }

    /// Fills fields in those cells of each rank that belong to others.
    fn fill_cells<T: Wire>(&self, wanted: &[Window<D>], fields: &mut [(Places<D>, &mut [T])]) {
        let wanted = |places: &Places<D>, rank: usize| places.of(&wanted[rank], |_| true);
        let me = self.ranks.rank();
        let mut near = Vec::new();
        for other in (0..self.ranks.count()).filter(|&other| other != me) {
            let mut going = Vec::new();
            let mut coming = 0;
            for (places, values) in fields.iter() {
                let here = self.local_places(places, me);
                if let Some(sent) = self.own_places(places, me).common(&wanted(places, other)) {
                    words_in(sent.seen_from(here.first), here.size, values, &mut going);
                }
                let taken = self.own_places(places, other).common(&wanted(places, me));
                coming += taken.map_or(0, |window| window.count());
            }
            if !going.is_empty() || coming > 0 {
                near.push((other, going, vec![T::Word::zeroed(); coming]));
            }
        }
        let messages = near.iter_mut().map(|(other, going, coming)| Message::swap(*other, going, coming));
        self.ranks.exchange(&mut messages.collect::<Vec<_>>());
        for (other, _, coming) in near {
            let mut from = 0;
            for (places, values) in fields.iter_mut() {
                let here = self.local_places(places, me);
                if let Some(received) = self.own_places(places, other).common(&wanted(places, me)) {
                    let piece = &coming[from..from + received.count()];
                    put_in(received.seen_from(here.first), here.size, piece, values);
                    from += piece.len();
                }
            }
        }
    }

    /// The same for fields on all faces.
    pub fn fill_faces<T: Wire>(&self, reach: usize, fields: &mut FaceField<T, D>) {
        let faces = fields.iter_mut().enumerate().map(|(axis, field)| (Places::faces(axis), field.values_mut()));
        self.fill_near(reach, &mut faces.collect::<Vec<_>>());
    }

    /// The whole of a field on the first rank, made of the boxes of all.
    pub fn gather<T: Wire>(&self, places: Places<D>, values: &[T]) -> Option<CellField<T, D>> {
        let me = self.ranks.rank();
        let (here, own) = (self.local_places(&places, me), self.own_places(&places, me));
        let mut piece = Vec::with_capacity(own.count());
        words_in(own.seen_from(here.first), here.size, values, &mut piece);
        let all = 0..self.ranks.count();
        let lengths: Vec<usize> = all.map(|rank| self.own_places(&places, rank).count()).collect();
        let parts = self.ranks.gather(&piece, Some(&lengths));
        if me != 0 {
            return None;
        }
        let shape = self.whole_places(&places).size;
        let mut whole = CellField::filled(shape, T::default());
        for (rank, part) in parts.iter().enumerate() {
            put_in(self.own_places(&places, rank), shape, part, whole.values_mut());
        }
        Some(whole)
    }

    /// Hands a field that the first rank has to all, each its part with the halo.
    pub fn hand_out<T: Wire>(&self, places: Places<D>, whole: Option<&CellField<T, D>>, values: &mut [T]) {
        let part = |whole: &CellField<T, D>, rank: usize| {
            let mut words = Vec::new();
            words_in(self.local_places(&places, rank), whole.shape(), whole.values(), &mut words);
            words
        };
        let parts: Vec<Vec<T::Word>> =
            whole.map_or_else(Vec::new, |whole| (0..self.ranks.count()).map(|rank| part(whole, rank)).collect());
        let mut words = vec![T::Word::zeroed(); values.len()];
        let lengths: Vec<usize> =
            (0..self.ranks.count()).map(|rank| self.local_places(&places, rank).count()).collect();
        self.ranks.hand_out(&parts, &lengths, &mut words);
        values.iter_mut().zip(words).for_each(|(value, word)| *value = T::of_word(word));
    }

    /// The same for fields on all faces.
    pub fn gather_faces(&self, faces: &FaceField<f64, D>) -> Option<FaceField<f64, D>> {
        let whole: [_; D] = std::array::from_fn(|axis| self.gather(Places::faces(axis), faces[axis].values()));
        whole.iter().all(Option::is_some).then(|| whole.map(|field| field.expect("all of them are there")))
    }

    /// Numbers of the first rank, on all of them.
    pub fn tell<const N: usize>(&self, numbers: [i64; N]) -> [i64; N] {
        let mut told = if self.ranks.rank() == 0 { numbers } else { [0; N] };
        self.ranks.sum(&mut told);
        told
    }
}
