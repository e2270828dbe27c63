//! A grid cut into boxes, one for each rank.

use std::ops::Range;

use crate::pressure::lines::{Frame, SIDES};

/// The level of a hierarchy that one rank takes over has about this many cells at most: fewer are swept faster by one
/// rank than borders are exchanged.
const GATHERED: usize = 1 << 15;

/// A grid cut into boxes across all axes but the first. Lines along the first axis stay whole: their cells are the
/// values that vector units work on, and sums over them have the same order for any number of ranks.
///
/// Borders lie between blocks of cells that become one cell on the coarsest shared level.
///
/// ```
/// use unstick_mlcp::ranks::Boxes;
///
/// let boxes = Boxes::new(&[64, 64, 64], 4)?;
/// assert_eq!(boxes.own(3), [32..64, 32..64]);
/// assert!(Boxes::new(&[64, 16], 64).is_err());
/// # Ok::<(), unstick_mlcp::ranks::BoxesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boxes {
    shape: [usize; 3],
    /// Borders along the second and the third axis, with both ends.
    borders: [Vec<usize>; 2],
    /// Levels below the finest that are shared; the last of them is gathered.
    levels: usize,
}

/// A grid that cannot be cut into so many boxes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a grid of {shape:?} cells cannot be shared by {ranks} ranks, since boxes are cut across all axes but the first"
)]
pub struct BoxesError {
    /// Cells along each axis.
    pub shape: Vec<usize>,
    /// Ranks.
    pub ranks: usize,
}

impl Boxes {
    /// Cuts a grid with two or three axes into boxes of about the same size with as little surface as possible.
    pub fn new(shape: &[usize], ranks: usize) -> Result<Self, BoxesError> {
        let cells = |level: usize| shape.iter().map(|count| count.div_ceil(1 << level)).product::<usize>();
        let levels = (1..32).find(|&level| cells(level) <= GATHERED);
        Self::sharing(shape, ranks, levels.unwrap_or(32))
    }

    /// The same with a number of levels below the finest that ranks share, if there are as many: those are left out whose
    /// blocks are too few, and those on which nothing is left to coarsen. At least one is shared.
    pub fn sharing(shape: &[usize], ranks: usize, levels: usize) -> Result<Self, BoxesError> {
        let refusal = || BoxesError { shape: shape.to_vec(), ranks };
        let cells: [usize; 3] = std::array::from_fn(|axis| shape.get(axis).copied().unwrap_or(1));
        let is_large = |level: &usize| cells.iter().any(|count| count.div_ceil(1 << level) > 4);
        let levels = (1..=levels).take_while(is_large).last().unwrap_or(1);
        if !matches!(shape.len(), 2 | 3) || shape.contains(&0) || ranks == 0 {
            return Err(refusal());
        }
        // Smaller blocks where large ones are too few.
        let found = (1..=levels).rev().find_map(|levels| {
            let blocks = [1, 2].map(|axis| cells[axis].div_ceil(1 << levels));
            let counts = (1..=ranks).filter(|one| ranks.is_multiple_of(*one)).map(|one| [one, ranks / one]);
            let fitting = counts.filter(|counts| (0..2).all(|axis| counts[axis] <= blocks[axis]));
            // The most loaded rank counts, with its surface.
            let cost = |counts: &[usize; 2]| {
                let [y, z] = [0, 1].map(|axis| blocks[axis].div_ceil(counts[axis]) << levels);
                let surface = (counts[0] - 1).min(2) * z + (counts[1] - 1).min(2) * y;
                y * z + surface
            };
            Some((levels, blocks, fitting.min_by_key(cost)?))
        });
        let (levels, blocks, counts) = found.ok_or_else(refusal)?;
        let borders = std::array::from_fn(|axis| {
            let border = |part: usize| (part * blocks[axis] / counts[axis]) << levels;
            (0..=counts[axis]).map(|part| border(part).min(cells[axis + 1])).collect()
        });
        Ok(Self { shape: cells, borders, levels })
    }

    /// The same grid cut anew, so that the most loaded rank has as little to do as borders between blocks allow. `weights`
    /// are those of all lines of cells along the first axis, the second axis fastest; a rank also spends `beside` on each
    /// line within `reach` of its box. All ranks must give the same numbers.
    ///
    /// ```
    /// use unstick_mlcp::ranks::Boxes;
    ///
    /// let boxes = Boxes::new(&[64, 64], 2)?;
    /// let low: Vec<f64> = (0..64).map(|y| if y < 16 { 1.0 } else { 0.0 }).collect();
    /// assert_eq!(boxes.balanced(&low, 0.0, 0).own(0)[0], 0..8);
    /// # Ok::<(), unstick_mlcp::ranks::BoxesError>(())
    /// ```
    pub fn balanced(&self, weights: &[f64], beside: f64, reach: usize) -> Self {
        let [_, ny, nz] = self.shape;
        let blocks = [ny, nz].map(|cells| cells.div_ceil(1 << self.levels));
        let mut of_blocks = [0, 1].map(|axis| vec![0.0; blocks[axis]]);
        for (line, weight) in weights.iter().enumerate() {
            of_blocks[0][(line % ny) >> self.levels] += weight;
            of_blocks[1][(line / ny) >> self.levels] += weight;
        }
        let ranks = self.counts()[0] * self.counts()[1];
        let counts = (1..=ranks).filter(|one| ranks.is_multiple_of(*one)).map(|one| [one, ranks / one]);
        let fitting = counts.filter(|counts| (0..2).all(|axis| counts[axis] <= blocks[axis]));
        let cut = |counts: [usize; 2]| {
            let borders = std::array::from_fn(|axis| {
                let blocks = equal_parts(&of_blocks[axis], counts[axis]);
                blocks.into_iter().map(|block| (block << self.levels).min(self.shape[axis + 1])).collect()
            });
            Self { borders, ..self.clone() }
        };
        let found = fitting.map(cut).map(|boxes| (boxes.largest_load(weights, beside, reach), boxes));
        found.min_by(|one, other| one.0.total_cmp(&other.0)).map_or_else(|| self.clone(), |(_, boxes)| boxes)
    }

    /// What the most loaded rank has to do, in the measure of [`balanced`](Self::balanced).
    pub fn largest_load(&self, weights: &[f64], beside: f64, reach: usize) -> f64 {
        let [_, ny, nz] = self.shape;
        let of_rank = |rank: usize| {
            let [y, z] = self.own(rank);
            let own: f64 = z.clone().flat_map(|z| &weights[z * ny + y.start..z * ny + y.end]).sum();
            let wide =
                |range: &Range<usize>, end: usize| (range.end + reach).min(end) - range.start.saturating_sub(reach);
            own + beside * (wide(&y, ny) * wide(&z, nz) - y.len() * z.len()) as f64
        };
        (0..self.counts()[0] * self.counts()[1]).map(of_rank).fold(0.0, f64::max)
    }

    /// The same boxes of a grid whose cells are blocks of `side` cells, a power of two that is no more than the blocks of
    /// the coarsest shared level. Ranks share so many levels less; with none below the finest, that one is gathered.
    pub fn of_blocks(&self, side: usize) -> Self {
        let in_blocks = |count: usize| count.div_ceil(side);
        let borders = self.borders.each_ref().map(|borders| borders.iter().map(|&border| in_blocks(border)).collect());
        Self { shape: self.shape.map(in_blocks), borders, levels: self.levels - side.ilog2() as usize }
    }

    /// How many there are along the second and the third axis.
    pub fn counts(&self) -> [usize; 2] {
        [0, 1].map(|axis| self.borders[axis].len() - 1)
    }

    /// Levels below the finest that ranks share; the last of them is gathered on one.
    pub fn shared_levels(&self) -> usize {
        self.levels
    }

    /// Cells of the whole grid along each axis; 1 where there is none.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Cells of the box of a rank along the second and the third axis. Along the first it has them all.
    pub fn own(&self, rank: usize) -> [Range<usize>; 2] {
        let place = self.place(rank);
        [0, 1].map(|axis| self.borders[axis][place[axis]]..self.borders[axis][place[axis] + 1])
    }

    /// The rank whose box has a line of cells, given by its places along the second and the third axis.
    pub fn owner(&self, line: [usize; 2]) -> usize {
        let part = |axis: usize| self.borders[axis].partition_point(|&border| border <= line[axis]) - 1;
        part(0) + self.counts()[0] * part(1)
    }

    /// Where the box of a rank lies among those along the second and the third axis.
    pub fn place(&self, rank: usize) -> [usize; 2] {
        let [count, _] = self.counts();
        [rank % count, rank / count]
    }

    /// The columns of a rank.
    pub(crate) fn frame(&self, rank: usize) -> Frame {
        let own = self.own(rank);
        Frame { columns: [own[0].len(), own[1].len()], first: [own[0].start, own[1].start], has_sides: true }
    }

    /// The same on a coarser level.
    pub(crate) fn frame_at(&self, rank: usize, level: usize) -> Frame {
        (0..level).fold(self.frame(rank), |frame, _| frame.coarser())
    }

    /// Cells of the whole grid on a coarser level.
    pub(crate) fn shape_at(&self, level: usize) -> [usize; 3] {
        self.shape.map(|count| count.div_ceil(1 << level))
    }

    /// The ranks beside each side of a box.
    pub(crate) fn neighbours(&self, rank: usize) -> [Option<usize>; 4] {
        let counts = self.counts();
        SIDES.map(|(axis, is_upper)| {
            let mut place = self.place(rank);
            place[axis] = if is_upper { place[axis] + 1 } else { place[axis].checked_sub(1)? };
            (place[axis] < counts[axis]).then(|| place[0] + counts[0] * place[1])
        })
    }
}

/// Where to cut a list into so many parts of about the same weight, each with one entry at least: with both ends.
fn equal_parts(weights: &[f64], parts: usize) -> Vec<usize> {
    let total: f64 = weights.iter().sum();
    let (mut borders, mut sum, mut end) = (vec![0], 0.0, 0);
    for part in 1..parts {
        let (least, most) = (borders[part - 1] + 1, weights.len() - (parts - part));
        // An entry goes to the side that has more of it.
        while end < most && (end < least || sum + 0.5 * weights[end] <= total * part as f64 / parts as f64) {
            sum += weights[end];
            end += 1;
        }
        borders.push(end);
    }
    borders.push(weights.len());
    borders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_cut_into_equal_parts_none_of_which_is_empty() {
        assert_eq!(equal_parts(&[1.0; 6], 3), [0, 2, 4, 6]);
        assert_eq!(equal_parts(&[9.0, 1.0, 1.0, 1.0], 3), [0, 1, 2, 4]);
        assert_eq!(equal_parts(&[0.0, 0.0, 0.0, 4.0], 2), [0, 3, 4]);
        assert_eq!(equal_parts(&[0.0; 3], 3), [0, 1, 2, 3]);
    }

    #[test]
    fn balanced_boxes_follow_the_load_and_never_make_it_worse_than_even_ones_by_much() {
        let boxes = Boxes::sharing(&[16, 64, 64], 8, 2).unwrap();
        // All of the load lies in the lower left quarter.
        let weights: Vec<f64> =
            (0..64 * 64).map(|line| if line % 64 < 32 && line / 64 < 32 { 100.0 } else { 1.0 }).collect();
        let balanced = boxes.balanced(&weights, 0.0, 0);
        let mean = weights.iter().sum::<f64>() / 8.0;
        assert!(boxes.largest_load(&weights, 0.0, 0) > 3.8 * mean);
        assert!(balanced.largest_load(&weights, 0.0, 0) < 1.15 * mean);
        assert_eq!(balanced.shared_levels(), boxes.shared_levels());
        let columns: usize = (0..8).map(|rank| balanced.frame(rank).own()).sum();
        assert_eq!(columns, 64 * 64);
        // Wide halos make boxes compact.
        assert_eq!(boxes.balanced(&vec![1.0; 64 * 64], 1.0, 8).counts().iter().max(), Some(&4));
    }

    #[test]
    fn boxes_cover_the_grid_once_and_begin_at_blocks() {
        for (shape, ranks) in
            [(vec![50, 37, 41], 6), (vec![128, 128, 128], 8), (vec![33, 40], 3), (vec![16, 16, 16], 1)]
        {
            let boxes = Boxes::new(&shape, ranks).unwrap();
            let columns: usize = (0..ranks).map(|rank| boxes.frame(rank).own()).sum();
            assert_eq!(columns, shape[1..].iter().product::<usize>());
            for rank in 0..ranks {
                let [y, z] = boxes.own(rank);
                let [blocks, fine] = [boxes.of_blocks(2).own(rank), boxes.own(rank)];
                assert!((0..2).all(|axis| blocks[axis] == (fine[axis].start / 2..fine[axis].end.div_ceil(2))));
                assert!(boxes.owner([y.start, z.start]) == rank && boxes.owner([y.end - 1, z.end - 1]) == rank);
                assert!(
                    boxes.own(rank).iter().all(|own| !own.is_empty() && own.start.is_multiple_of(1 << boxes.levels))
                );
                for (side, other) in boxes.neighbours(rank).into_iter().enumerate() {
                    let back = other.map(|other| boxes.neighbours(other)[side ^ 1]);
                    assert!(back.is_none_or(|back| back == Some(rank)));
                }
            }
        }
    }
}
