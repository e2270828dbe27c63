//! The coarsest level, solved exactly.

use super::level::Level;

/// More cells than this are not factorised: they belong to a level of a single block, whose cells
/// are not coupled.
const LARGEST: usize = 160;

/// A dense Cholesky factor of the free cells.
#[derive(Debug, Default)]
pub(super) struct Coarsest {
    cells: Vec<u32>,
    /// Rows of the factor L one behind the other; the diagonal holds its inverse, zero where a
    /// pivot vanishes (a pocket, whose answer is known up to a constant). Empty where the matrix is
    /// diagonal.
    factor: Vec<f64>,
    /// A_ii⁻¹ where the matrix is diagonal.
    inverse: Vec<f32>,
    work: Vec<f64>,
}

impl Coarsest {
    /// Whether a level is coarse enough.
    pub fn suits<const D: usize>(level: &Level<D>) -> bool {
        let most = level.shape.iter().max().copied().unwrap_or(1);
        most == 1 || (most <= 4 && level.cells() <= LARGEST)
    }

    /// Factorises the level as it is.
    pub fn factorise<const D: usize>(&mut self, level: &Level<D>) {
        self.cells.clear();
        for line in &level.lines.lines {
            let cells = (line.from..line.end()).map(|place| level.cell_at(line, place));
            self.cells.extend(cells.filter(|&cell| level.is_free(cell)).map(|cell| cell as u32));
        }
        let size = self.cells.len();
        self.factor.clear();
        self.inverse.clear();
        if size > LARGEST {
            self.inverse.extend(self.cells.iter().map(|&cell| 1.0 / level.diagonal(cell as usize)));
            return;
        }
        let mut place = vec![usize::MAX; 2 * level.slots];
        self.cells.iter().enumerate().for_each(|(row, &cell)| place[cell as usize] = row);
        self.factor.resize(size * size, 0.0);
        self.work.resize(size, 0.0);
        for (row, &cell) in self.cells.iter().enumerate() {
            self.factor[row * size + row] = level.diagonal(cell as usize) as f64;
            level.couplings(cell as usize, |coupling| {
                if place[coupling.cell] < row {
                    self.factor[row * size + place[coupling.cell]] -= coupling.value as f64;
                }
            });
        }
        for row in 0..size {
            for column in 0..=row {
                let dot: f64 = (0..column).map(|k| self.factor[row * size + k] * self.factor[column * size + k]).sum();
                let value = self.factor[row * size + column] - dot;
                self.factor[row * size + column] = if column < row {
                    value * self.factor[column * size + column]
                } else if value > 1e-6 * self.factor[row * size + row] {
                    1.0 / value.sqrt()
                } else {
                    0.0
                };
            }
        }
    }

    /// x ← A⁻¹ b.
    pub fn solve(&mut self, b: &[f32], x: &mut [f32]) {
        x.fill(0.0);
        if !self.inverse.is_empty() {
            for (&cell, inverse) in self.cells.iter().zip(&self.inverse) {
                x[cell as usize] = inverse * b[cell as usize];
            }
            return;
        }
        let (size, work) = (self.cells.len(), &mut self.work);
        for row in 0..size {
            let dot: f64 = (0..row).map(|k| self.factor[row * size + k] * work[k]).sum();
            work[row] = (b[self.cells[row] as usize] as f64 - dot) * self.factor[row * size + row];
        }
        for row in (0..size).rev() {
            work[row] *= self.factor[row * size + row];
            let value = work[row];
            (0..row).for_each(|k| work[k] -= self.factor[row * size + k] * value);
            x[self.cells[row] as usize] = value as f32;
        }
    }
}
