//! A problem that owns all its parts.

use std::fmt;

use unstick_grid::Grid;
use unstick_mlcp::fields::FieldRows;
use unstick_mlcp::{CsrMatrix, Mlcp, PressureOperator, ProblemError};

use crate::grid::GridInfo;

/// A complementarity problem that owns all its parts: cheap to clone, ready to solve, and one step from a folder.
///
/// Where the rows lie on a grid and couple face neighbours only, the operator is a [`PressureOperator`]. It is made once,
/// and its entries are assembled when somebody reads them.
///
/// ```
/// use unstick_mlcp::{CsrMatrix, SolverName};
/// use unstick_problems::Problem;
///
/// let matrix = CsrMatrix::from_triplets(2, [(0, 0, 2.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 2.0)])?;
/// let lower = vec![0.0, f64::NEG_INFINITY]; // a wall and an equation
/// let written = Problem::new(matrix, vec![2.0, -1.0])?.with_lower(lower)?;
///
/// let parent = tempfile::tempdir()?;
/// let folder = parent.path().join("problem");
/// written.write(&folder)?;
/// let problem = Problem::read(&folder)?;
/// assert_eq!(problem, written);
///
/// let mut q = vec![0.0; problem.size()];
/// let report = "best".parse::<SolverName>()?.build(&Default::default()).solve(problem.mlcp(), &mut q)?;
/// assert_eq!((report.converged(), report.wall_rows()), (true, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Problem {
    mlcp: Mlcp<'static>,
    start: Option<Vec<f64>>,
    grid: Option<GridInfo>,
}

impl Problem {
    /// A problem of equations; [`with_lower`](Self::with_lower) adds walls.
    pub fn new(matrix: CsrMatrix<'static>, b: Vec<f64>) -> Result<Self, ProblemError> {
        Ok(Self { mlcp: Mlcp::new(matrix, b)?, start: None, grid: None })
    }

    /// The same for rows on a grid, which solvers use where it explains the matrix.
    pub fn on_grid(grid: GridInfo, matrix: CsrMatrix<'static>, b: Vec<f64>) -> Result<Self, ProblemError> {
        let mlcp = match grid.lattice_of(&matrix) {
            Some(lattice) if lattice.dimension() == 2 => Mlcp::new(PressureOperator::<2>::keeping(lattice, matrix), b)?,
            Some(lattice) => Mlcp::new(PressureOperator::<3>::keeping(lattice, matrix), b)?,
            None => Mlcp::new(matrix, b)?,
        };
        Ok(Self { mlcp, start: None, grid: Some(grid) })
    }

    /// The rows of a problem that was given as fields on `grid`.
    pub fn from_rows<const D: usize>(grid: &Grid<D>, rows: FieldRows<D>) -> Result<Self, ProblemError> {
        let FieldRows { operator, b, lower, .. } = rows;
        let grid = GridInfo {
            shape: grid.cells().to_vec(),
            spacing: grid.spacing(),
            origin: grid.origin().to_vec(),
            cells: operator.lattice().cells().iter().map(|&cell| cell as usize).collect(),
        };
        Ok(Self { mlcp: Mlcp::new(operator, b)?.with_lower(lower)?, start: None, grid: Some(grid) })
    }

    /// Sets every bound; −∞ makes a row an equation.
    pub fn with_lower(mut self, lower: Vec<f64>) -> Result<Self, ProblemError> {
        self.mlcp = self.mlcp.with_lower(lower)?;
        Ok(self)
    }

    /// Adds a starting iterate or a known answer.
    pub fn with_start(mut self, start: Vec<f64>) -> Result<Self, ProblemError> {
        self.mlcp.check_iterate(&start)?;
        self.start = Some(start);
        Ok(self)
    }

    /// The problem as solvers see it.
    pub fn mlcp(&self) -> &Mlcp<'static> {
        &self.mlcp
    }

    /// The problem alone, for those who need neither a start nor the grid.
    pub fn into_mlcp(self) -> Mlcp<'static> {
        self.mlcp
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.mlcp.size()
    }

    /// The assembled matrix, made when first asked for and kept.
    pub fn matrix(&self) -> &CsrMatrix<'_> {
        self.mlcp.operator().csr().expect("assembled matrices and pressure operators have entries")
    }

    /// A starting iterate or a known answer, where there is one.
    pub fn start(&self) -> Option<&[f64]> {
        self.start.as_deref()
    }

    /// Where the rows lie, where that is known.
    pub fn grid(&self) -> Option<&GridInfo> {
        self.grid.as_ref()
    }
}

impl PartialEq for Problem {
    /// Compares what a folder would hold.
    fn eq(&self, other: &Self) -> bool {
        self.matrix() == other.matrix()
            && self.mlcp.b() == other.mlcp.b()
            && self.mlcp.lower() == other.mlcp.lower()
            && self.start == other.start
            && self.grid == other.grid
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem")
            .field("matrix", self.matrix())
            .field("b", &self.mlcp.b())
            .field("lower", &self.mlcp.lower())
            .field("start", &self.start)
            .field("grid", &self.grid)
            .finish()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of three cells.
    fn line() -> CsrMatrix<'static> {
        let row = |row: usize, entries: &mut Vec<(usize, f64)>| {
            let neighbours = row.saturating_sub(1)..(row + 2).min(3);
            entries.extend(neighbours.map(|column| (column, if row == column { 2.0 } else { -1.0 })));
        };
        CsrMatrix::from_rows(3, row).unwrap()
    }

    fn on_grid(shape: [usize; 2], cells: &[usize]) -> Problem {
        let grid = GridInfo { shape: shape.to_vec(), spacing: 0.5, origin: vec![0.0; 2], cells: cells.to_vec() };
        Problem::on_grid(grid, line(), vec![0.0; 3]).unwrap()
    }

    #[test]
    fn the_operator_is_compact_where_the_grid_explains_the_matrix_and_the_entries_are_those_given() {
        let is_compact = |problem: &Problem| problem.mlcp().operator().pressure().is_some();
        let compact = on_grid([2, 2], &[0, 1, 3]);
        assert!(is_compact(&compact) && *compact.matrix() == line());
        let assembled = on_grid([2, 2], &[3, 1, 0]);
        assert!(!is_compact(&assembled) && *assembled.matrix() == line());
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let problem = || Problem::new(line(), vec![0.0; 3]).unwrap();
        assert!(Problem::new(line(), vec![0.0; 2]).is_err());
        assert!(problem().with_lower(vec![0.0; 2]).is_err());
        assert!(problem().with_start(vec![f64::NAN; 3]).is_err());
    }
}
