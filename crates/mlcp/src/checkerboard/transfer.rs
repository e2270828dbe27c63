//! Between two levels: residuals down, corrections up, both piecewise constant.

use super::level::{INSIDE, LONGEST, Level, NONE, Piece};
use crate::parallel::{self, Chunks};
use crate::simd::vectorised;

impl<const D: usize> Level<D> {
    /// Chunks of columns, for work that a coarse column owns.
    pub fn column_chunks(&self) -> Chunks {
        let columns = 0..self.lines.columns[0] * self.lines.columns[1];
        Chunks::new(
            1,
            columns.map(|column| self.lines.of(column).iter().map(|line| Self::slots_of(line) as usize).sum()),
        )
    }

    /// b_H ← Pᵀ (b − A x) where the residual of the black cells is zero, as after a half-sweep over
    /// them. No `b` stands for zero on red cells.
    pub fn restrict_red(&self, coarse: &Self, columns: &Chunks, b: Option<&[f32]>, x: &[f32], coarse_b: &mut [f32]) {
        let (red, black) = x.split_at(self.slots);
        let (coarse_red, coarse_black) = coarse_b.split_at_mut(coarse.slots);
        let own = (&mut coarse_red[1..coarse.slots - 1], &mut coarse_black[1..coarse.slots - 1]);
        columns.fold(
            own,
            &|columns, place, (coarse_red, coarse_black): (&mut [f32], &mut [f32])| {
                vectorised(
                    #[inline(always)]
                    || {
                        coarse_red.fill(0.0);
                        coarse_black.fill(0.0);
                        let mut strip = [0.0; LONGEST];
                        for column in columns {
                            for piece in self.pieces_below(coarse, column) {
                                self.residual_of_piece(piece, 0, b, red, black, &mut strip);
                                let parents = &self.parents[piece.first as usize..piece.end()];
                                for (&parent, residual) in parents.iter().zip(&strip) {
                                    let parent = parent as usize;
                                    if parent < coarse.slots {
                                        coarse_red[parent - place] += residual;
                                    } else if parent != NONE as usize {
                                        coarse_black[parent - coarse.slots - place] += residual;
                                    }
                                }
                            }
                        }
                    },
                )
            },
            &|(), ()| (),
        );
    }

    /// x ← x + P x_H on red cells; the black ones are about to be swept.
    pub fn prolong_to_red(&self, coarse_x: &[f32], red: &mut [f32]) {
        self.over_pieces(
            &mut red[1..self.slots - 1],
            #[inline(always)]
            |piece, red| {
                let parents = &self.parents[piece.first as usize..piece.end()];
                if piece.block == INSIDE {
                    red.iter_mut().zip(parents).for_each(|(x, &parent)| *x += coarse_x[parent as usize]);
                    return;
                }
                let inverse = &self.coefficients[piece.array(0, 1)..][..piece.length as usize];
                for ((x, &parent), &inverse) in red.iter_mut().zip(parents).zip(inverse) {
                    if inverse != 0.0 {
                        *x += coarse_x[parent as usize];
                    }
                }
            },
        );
    }

    /// y ← Pᵀ x, all cells.
    pub fn restrict(&self, coarse: &Self, columns: &Chunks, x: &[f32], y: &mut [f32]) {
        let (red, black) = y.split_at_mut(coarse.slots);
        let own = (&mut red[1..coarse.slots - 1], &mut black[1..coarse.slots - 1]);
        columns.fold(
            own,
            &|columns, place, (red, black): (&mut [f32], &mut [f32])| {
                red.fill(0.0);
                black.fill(0.0);
                for piece in columns.flat_map(|column| self.pieces_below(coarse, column)) {
                    for cells in
                        [piece.first as usize..piece.end(), piece.first as usize + self.slots..piece.end() + self.slots]
                    {
                        for (&parent, x) in self.parents[cells.clone()].iter().zip(&x[cells]) {
                            let parent = parent as usize;
                            if parent < coarse.slots {
                                red[parent - place] += x;
                            } else if parent != NONE as usize {
                                black[parent - coarse.slots - place] += x;
                            }
                        }
                    }
                }
            },
            &|(), ()| (),
        );
    }

    /// x ← P y, all cells.
    pub fn prolong(&self, y: &[f32], x: &mut [f32]) {
        parallel::for_each((self.parents.as_slice(), x), |(parents, x)| {
            for (x, &parent) in x.iter_mut().zip(parents) {
                *x = y.get(parent as usize).copied().unwrap_or(0.0);
            }
        });
    }

    fn pieces_below<'l>(&'l self, coarse: &Self, column: usize) -> impl Iterator<Item = &'l Piece<D>> + 'l {
        let [y, z] = coarse.lines.place(column as u32);
        let [ny, nz] = self.lines.columns;
        let columns = [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().map(move |(dy, dz)| (2 * y + dy, 2 * z + dz));
        columns.filter(move |&(y, z)| y < ny && z < nz).flat_map(move |(y, z)| {
            let column = y + ny * z;
            &self.pieces[self.pieces_from[column] as usize..self.pieces_from[column + 1] as usize]
        })
    }
}
