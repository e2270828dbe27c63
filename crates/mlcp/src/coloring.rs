//! Groups of rows that do not touch each other, so that each group can be relaxed at once.

use crate::csr::CsrMatrix;
use crate::lattice::Lattice;

/// Rows by colour; no two rows of a colour are coupled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Coloring {
    colors: Vec<Vec<u32>>,
}

impl Coloring {
    /// Red and black: rows by the parity of their cell on a grid.
    pub fn red_black(lattice: &Lattice) -> Self {
        let mut colors = vec![Vec::new(), Vec::new()];
        for row in 0..lattice.cells().len() {
            colors[lattice.place(row).iter().sum::<usize>() % 2].push(row as u32);
        }
        Self { colors }
    }

    /// The first colour that no neighbour has, row after row. Finds red and black on grids.
    pub fn greedy(matrix: &CsrMatrix) -> Self {
        let mut color_of = vec![usize::MAX; matrix.rows()];
        let mut colors: Vec<Vec<u32>> = Vec::new();
        let mut taken = Vec::new();
        for row in 0..matrix.rows() {
            taken.clear();
            taken.extend(matrix.row(row).filter(|&(_, value)| value != 0.0).map(|(column, _)| color_of[column]));
            let color = (0..).find(|color| !taken.contains(color)).unwrap_or(0);
            if color == colors.len() {
                colors.push(Vec::new());
            }
            colors[color].push(row as u32);
            color_of[row] = color;
        }
        Self { colors }
    }

    /// The rows of every colour.
    pub fn colors(&self) -> &[Vec<u32>] {
        &self.colors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_takes_two_colours() {
        let line = CsrMatrix::from_rows(5, |row, entries| {
            for column in row.saturating_sub(1)..(row + 2).min(5) {
                entries.push((column, if row == column { 2.0 } else { -1.0 }));
            }
        })
        .unwrap();
        let coloring = Coloring::greedy(&line);
        assert_eq!(coloring, Coloring::red_black(&Lattice::new(&[5, 1], vec![0, 1, 2, 3, 4]).unwrap()));
        assert_eq!(coloring.colors(), [vec![0, 2, 4], vec![1, 3]]);
    }
}
