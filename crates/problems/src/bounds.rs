//! The bounds of rows, from a mask of walls.

use unstick_mlcp::ProblemError;

/// Which rows are walls, from zeros and ones.
pub fn wall_mask(wall: &[f64], rows: usize) -> Result<Vec<bool>, ProblemError> {
    let what = "the wall mask";
    if wall.len() != rows {
        return Err(ProblemError::Length { what, expected: rows, found: wall.len() });
    }
    let as_bool = |(row, &value): (usize, &f64)| match value {
        0.0 => Ok(false),
        1.0 => Ok(true),
        value => Err(ProblemError::Value { what, row, value, expected: "0 or 1" }),
    };
    wall.iter().enumerate().map(as_bool).collect()
}

/// The bound of every row: what is given or zero on walls, −∞ on equation rows. What is given for equation rows is
/// ignored.
pub fn lower_bounds(walls: &[bool], bounds: Option<Vec<f64>>) -> Result<Vec<f64>, ProblemError> {
    let what = "the lower bound";
    let mut lower = bounds.unwrap_or_else(|| vec![0.0; walls.len()]);
    if lower.len() != walls.len() {
        return Err(ProblemError::Length { what, expected: walls.len(), found: lower.len() });
    }
    for (row, (bound, &wall)) in lower.iter_mut().zip(walls).enumerate() {
        if !wall {
            *bound = f64::NEG_INFINITY;
        } else if !bound.is_finite() {
            return Err(ProblemError::Value { what, row, value: *bound, expected: "a finite number on a wall row" });
        }
    }
    Ok(lower)
}
