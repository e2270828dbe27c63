//! Groups of rows that do not touch each other, so that each group can be relaxed at once.

use crate::csr::CsrMatrix;

/// Rows by colour; no two rows of a colour are coupled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coloring {
    colors: Vec<Vec<u32>>,
}

impl Coloring {
    /// Red and black: rows by the parity of their cell on a grid.
    pub fn red_black(parities: impl IntoIterator<Item = bool>) -> Self {
        let mut colors = vec![Vec::new(), Vec::new()];
        for (row, odd) in parities.into_iter().enumerate() {
            colors[odd as usize].push(row as u32);
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

    /// Whether every row has one colour and no two coupled rows share theirs.
    pub fn fits(&self, matrix: &CsrMatrix) -> bool {
        let mut color_of = vec![usize::MAX; matrix.rows()];
        for (color, rows) in self.colors.iter().enumerate() {
            for &row in rows {
                match color_of.get_mut(row as usize) {
                    Some(slot) if *slot == usize::MAX => *slot = color,
                    _ => return false,
                }
            }
        }
        let uncoupled = |row: usize| {
            matrix.row(row).all(|(column, value)| column == row || value == 0.0 || color_of[column] != color_of[row])
        };
        (0..matrix.rows()).all(|row| color_of[row] != usize::MAX && uncoupled(row))
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
        let greedy = Coloring::greedy(&line);
        assert_eq!(greedy, Coloring::red_black((0..5).map(|row| row % 2 == 1)));
        assert!(greedy.fits(&line));
        assert!(!Coloring::red_black([false; 5]).fits(&line));
        assert!(!Coloring::red_black([false; 4]).fits(&line));
    }
}
