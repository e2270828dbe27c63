//! The pressure matrix with some walls open.

use unstick_mlcp::{CsrMatrix, Mlcp, ProblemError};

use super::SplittingInput;
use super::closed_faces::{ClosedFace, ClosedFaces};
use crate::pressure::NO_ROW;

impl<const D: usize> ClosedFaces<D> {
    /// The matrix in which the closed faces that are `open` carry flow as well: air at the centre of
    /// the cell behind, or the liquid that is there \[Eckert2014, §3.2\].
    pub fn equations(
        &self,
        input: &SplittingInput<D>,
        is_open: impl Fn(&ClosedFace<D>) -> bool,
    ) -> Result<Mlcp<'static>, ProblemError> {
        let mut added: Vec<(u32, u32, f64)> = Vec::new();
        for face in self.list.iter().filter(|face| is_open(face)) {
            let ClosedFace { lower, upper, area, .. } = *face;
            added.extend(face.rows().map(|row| (row as u32, row as u32, area)));
            if lower != NO_ROW && upper != NO_ROW {
                added.extend([(lower, upper, -area), (upper, lower, -area)]);
            }
        }
        added.sort_by_key(|&(row, column, _)| (row, column));
        let sealed = input.rows.matrix();
        let mut rest = added.as_slice();
        let matrix = CsrMatrix::from_rows(sealed.rows(), |row, entries| {
            entries.extend(sealed.row(row));
            let count = rest.iter().take_while(|(at, ..)| *at as usize == row).count();
            for &(_, column, value) in &rest[..count] {
                match entries.binary_search_by_key(&(column as usize), |&(column, _)| column) {
                    Ok(place) => entries[place].1 += value,
                    Err(place) => entries.insert(place, (column as usize, value)),
                }
            }
            rest = &rest[count..];
        })?;
        let size = matrix.rows();
        Mlcp::on_lattice(input.rows.lattice().clone(), &matrix, vec![0.0; size])
    }
}
