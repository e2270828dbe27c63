//! Columns in two bytes: a row of the own chunk by its place there, a row of another chunk by its place in a list that
//! the chunk has of those.

use std::ops::Range;

use unstick_parallel as parallel;

use super::chunks;

/// The column of an entry, not looked up yet.
#[derive(Clone, Copy)]
pub(super) struct Column<'c> {
    code: usize,
    place: usize,
    others: &'c Others,
}

impl Column<'_> {
    /// Whether it lies in the own chunk.
    #[inline]
    pub fn is_near(self) -> bool {
        self.code < FAR
    }

    /// Its row, where the own chunk begins at `first`.
    #[inline]
    pub fn row(self, first: usize) -> usize {
        match self.others.rows.get(self.code.wrapping_sub(FAR)) {
            _ if self.is_near() => first + self.code,
            Some(&row) => row as usize,
            None => self.others.listed(self.place),
        }
    }

    /// Its value, where those [around](Columns::around) the chunk are at hand. `all` are those of all rows.
    #[inline]
    pub fn of<T: Copy>(self, around: &[T], all: &[T]) -> T {
        match around.get(self.code) {
            Some(&value) => value,
            None => all[self.others.listed(self.place)],
        }
    }
}

/// Codes from this one on stand for rows of other chunks.
const FAR: usize = chunks::LENGTH;

/// The code of entries whose column is looked up by the place of the entry.
const LISTED: usize = u16::MAX as usize;

/// Columns of all entries, row after row.
#[derive(Default)]
pub(super) struct Columns {
    codes: Vec<u16>,
    chunks: Vec<Others>,
}

/// Rows of other chunks that a chunk is coupled with.
#[derive(Default)]
pub(super) struct Others {
    /// Each of them once, ascending, as many as there are codes.
    rows: Vec<u32>,
    /// The column of every entry from `first` on, where codes do not suffice: rows that are coupled with half of all.
    all: Vec<u32>,
    first: u32,
}

impl Columns {
    /// Keeps `columns`, of rows that begin at `starts` in chunks that begin at `borders`.
    pub fn of(columns: &[u32], starts: &[u32], borders: &[u32]) -> Self {
        let places = |rows: Range<usize>| starts[rows.start] as usize..starts[rows.end] as usize;
        let chunks =
            chunks::map(borders, &|rows| Others::of(&columns[places(rows.clone())], rows.start, places(rows).start));
        let mut codes = parallel::filled(columns.len(), 0u16);
        let entry_borders: Vec<u32> = borders.iter().map(|&border| starts[border as usize]).collect();
        chunks::for_each(&entry_borders, (columns, codes.as_mut_slice()), &|chunk, (columns, codes)| {
            let first = borders[chunk];
            codes.iter_mut().zip(columns).for_each(|(code, &column)| *code = chunks[chunk].code(column, first));
        });
        Self { codes, chunks }
    }

    /// The columns at some places, in a row of a chunk.
    #[inline]
    pub fn at(&self, chunk: usize, places: Range<usize>) -> impl Iterator<Item = Column<'_>> + Clone {
        let others = &self.chunks[chunk];
        let codes = self.codes[places.clone()].iter();
        codes.zip(places).map(move |(&code, place)| Column { code: code as usize, place, others })
    }

    /// The values of a chunk, which are `own`, and of all rows that it is coupled with, in the order of their codes. A
    /// loop over entries then has no choice to make, and all that it reads is in the cache.
    pub fn around<T: Copy + Default>(&self, chunk: usize, own: &[T], all: &[T]) -> Vec<T> {
        let others = &self.chunks[chunk].rows;
        let mut around = Vec::with_capacity(if others.is_empty() { own.len() } else { FAR + others.len() });
        around.extend_from_slice(own);
        if !others.is_empty() {
            around.resize(FAR, T::default());
            around.extend(others.iter().map(|&row| all[row as usize]));
        }
        around
    }

    /// How many entries there are.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.codes.len()
    }
}

impl Others {
    /// What a chunk is coupled with whose rows begin at `first_row` and whose entries begin at `first`.
    fn of(columns: &[u32], first_row: usize, first: usize) -> Self {
        let is_far = |&column: &u32| (column as usize).wrapping_sub(first_row) >= chunks::LENGTH;
        let mut rows: Vec<u32> = columns.iter().copied().filter(is_far).collect();
        rows.sort_unstable();
        rows.dedup();
        let is_listed = rows.len() > LISTED - FAR;
        rows.truncate(LISTED - FAR);
        rows.shrink_to_fit();
        Self { rows, all: if is_listed { columns.to_vec() } else { Vec::new() }, first: first as u32 }
    }

    fn code(&self, column: u32, first_row: u32) -> u16 {
        let near = column.wrapping_sub(first_row) as usize;
        let code = if near < FAR { near } else { self.rows.binary_search(&column).map_or(LISTED, |place| FAR + place) };
        code as u16
    }

    #[cold]
    fn listed(&self, place: usize) -> usize {
        self.all[place - self.first as usize] as usize
    }
}
