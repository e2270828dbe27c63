//! Problems as sparse matrices.

use unstick_mlcp::{CsrMatrix, Lattice, Mlcp, MlcpSolver};

use crate::report::UnstickReport;
use crate::status::{Failure, UnstickError, UnstickStatus, guarded};
use crate::threads::Threads;
use crate::{UnstickOptions, UnstickSolver, array, array_mut};

/// What a solver works on.
pub(crate) enum Work {
    /// A matrix. The arrays are the caller's, who keeps them as long as the solver.
    Matrix { problem: Mlcp<'static>, solver: Box<dyn MlcpSolver> },
    /// Fields, which come with every solve.
    Fields(Box<crate::fields::FieldWork>),
}

/// Arrays of compressed sparse rows, and where the rows lie if that is known.
struct Given {
    rows: usize,
    starts: *const u32,
    columns: *const u32,
    values: *const f64,
    shape: *const usize,
    dimensions: usize,
    cells: *const u32,
}

/// The same as slices.
struct Arrays {
    starts: &'static [u32],
    columns: &'static [u32],
    values: &'static [f64],
    grid: Option<GridArrays>,
}

/// The shape of a grid, and the cell of each row where not every cell has one.
struct GridArrays {
    shape: &'static [usize],
    cells: Option<&'static [u32]>,
}

/// Makes a solver for a symmetric matrix in compressed sparse rows.
///
/// `starts` has `rows + 1` entries; row i holds the entries `starts[i]` to `starts[i + 1]` of `columns` and `values`,
/// columns ascending. The arrays are borrowed: they must stay as they are until `unstick_free`. What the solver prepares
/// for the matrix it keeps from solve to solve.
///
/// # Safety
/// The arrays have the lengths that they promise. `options` and `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unstick_create(
    rows: usize,
    starts: *const u32,
    columns: *const u32,
    values: *const f64,
    options: *const UnstickOptions,
    solver: *mut *mut UnstickSolver,
    error: *mut UnstickError,
) -> UnstickStatus {
    let given =
        Given { rows, starts, columns, values, shape: std::ptr::null(), dimensions: 0, cells: std::ptr::null() };
    unsafe { guarded(error, || given.create(options, solver)) }
}

/// The same for rows on a grid, which makes solvers faster.
///
/// `shape` holds 2 or 3 numbers of cells; `cells` holds the cell x + nx (y + ny z) of each row, ascending, and may be
/// NULL where every cell has a row. The matrix must couple face neighbours only.
///
/// # Safety
/// As for `unstick_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unstick_create_on_grid(
    rows: usize,
    starts: *const u32,
    columns: *const u32,
    values: *const f64,
    shape: *const usize,
    dimensions: usize,
    cells: *const u32,
    options: *const UnstickOptions,
    solver: *mut *mut UnstickSolver,
    error: *mut UnstickError,
) -> UnstickStatus {
    let given = Given { rows, starts, columns, values, shape, dimensions, cells };
    let create = || {
        if given.shape.is_null() {
            return Err(Failure::Missing("the shape"));
        }
        unsafe { given.create(options, solver) }
    };
    unsafe { guarded(error, create) }
}

impl Given {
    /// # Safety
    /// As for [`unstick_create`].
    unsafe fn create(&self, options: *const UnstickOptions, out: *mut *mut UnstickSolver) -> Result<(), Failure> {
        let out = unsafe { out.as_mut() }.ok_or(Failure::Missing("the place of the solver"))?;
        *out = std::ptr::null_mut();
        let options = unsafe { UnstickOptions::given(options) };
        let (threads, solver) = (Threads::new(options.threads)?, unsafe { options.solver() }?);
        let (arrays, checks_symmetry) = (unsafe { self.arrays() }?, options.checks_symmetry);
        let problem = threads.install(|| arrays.problem(checks_symmetry))?;
        *out = Box::into_raw(Box::new(UnstickSolver { work: Work::Matrix { problem, solver }, threads }));
        Ok(())
    }

    /// # Safety
    /// As for [`unstick_create_on_grid`].
    unsafe fn arrays(&self) -> Result<Arrays, Failure> {
        // Row starts are 32 bits wide, and a negative number is a huge one here.
        if self.rows >= u32::MAX as usize {
            return Err(Failure::Argument(format!("the matrix has {} rows, expected fewer than 2³²", self.rows)));
        }
        let starts = unsafe { array(self.starts, self.rows + 1, "the array of row starts") }?;
        let entries = starts[self.rows] as usize;
        let columns = unsafe { array(self.columns, entries, "the array of columns") }?;
        let values = unsafe { array(self.values, entries, "the array of values") }?;
        let grid = if self.shape.is_null() { None } else { Some(unsafe { self.grid() }?) };
        Ok(Arrays { starts, columns, values, grid })
    }

    /// # Safety
    /// As for [`unstick_create_on_grid`].
    unsafe fn grid(&self) -> Result<GridArrays, Failure> {
        if !matches!(self.dimensions, 2 | 3) {
            return Err(Failure::Argument(format!("the grid has {} dimensions, expected 2 or 3", self.dimensions)));
        }
        let shape = unsafe { array(self.shape, self.dimensions, "the shape") }?;
        let cells = match self.cells.is_null() {
            true => None,
            false => Some(unsafe { array(self.cells, self.rows, "the array of cells") }?),
        };
        Ok(GridArrays { shape, cells })
    }
}

impl Arrays {
    /// The problem whose right-hand side is zero.
    fn problem(&self, checks_symmetry: bool) -> Result<Mlcp<'static>, Failure> {
        let matrix = CsrMatrix::from_raw(self.starts, self.columns, self.values)?;
        if checks_symmetry {
            matrix.check_symmetric_positive()?;
        }
        let zeros = vec![0.0; matrix.rows()];
        Ok(match &self.grid {
            Some(grid) => Mlcp::on_lattice(grid.lattice(&matrix)?, &matrix, zeros)?,
            None => Mlcp::new(matrix, zeros)?,
        })
    }
}

impl GridArrays {
    /// The lattice, after a check that the matrix couples face neighbours only.
    fn lattice(&self, matrix: &CsrMatrix) -> Result<Lattice, Failure> {
        let (shape, rows) = (self.shape, matrix.rows());
        let cells = match self.cells {
            Some(cells) => cells.to_vec(),
            None => {
                let size = shape.iter().try_fold(1usize, |size, &count| size.checked_mul(count));
                if size != Some(rows) {
                    let text = format!("the grid of {shape:?} cells does not have one for each of the {rows} rows");
                    return Err(Failure::Argument(text));
                }
                (0..rows as u32).collect()
            }
        };
        let lattice = Lattice::new(shape, cells)
            .ok_or_else(|| Failure::Argument(format!("the cells do not ascend within a grid of {shape:?}")))?;
        match lattice.first_coupling_beyond_neighbours(matrix) {
            None => Ok(lattice),
            Some((row, column)) => {
                let text = format!("row {row} is coupled with row {column}, whose cell is no face neighbour");
                Err(Failure::Argument(text))
            }
        }
    }
}

/// Solves for one right-hand side.
///
/// `lower` is the bound of each row, −∞ on equation rows; NULL makes every row an equation. `x` holds the start (zeros,
/// or the answer of the step before) and receives the answer. `has_let_go`, if it is not NULL, says of each row whether
/// its bound holds it. `report` may be NULL.
///
/// # Safety
/// The arrays have as many entries as the matrix has rows. No other call uses the solver meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unstick_solve(
    solver: *mut UnstickSolver,
    b: *const f64,
    lower: *const f64,
    x: *mut f64,
    has_let_go: *mut bool,
    report: *mut UnstickReport,
    error: *mut UnstickError,
) -> UnstickStatus {
    let place = unsafe { UnstickReport::emptied(report) };
    let solve = || {
        let UnstickSolver { work, threads } = unsafe { solver.as_mut() }.ok_or(Failure::Missing("the solver"))?;
        let Work::Matrix { problem, solver } = work else {
            return Err(Failure::Argument("the solver was made for fields".into()));
        };
        let rows = problem.size();
        let b = unsafe { array(b, rows, "b") }?;
        let lower = if lower.is_null() { None } else { Some(unsafe { array(lower, rows, "the lower bound") }?) };
        let x = unsafe { array_mut(x, rows, "x") }?;
        let account = threads.install(|| {
            let problem: Mlcp = problem.with_b(b)?;
            let problem = match lower {
                Some(lower) => problem.with_lower(lower)?,
                None => problem,
            };
            Ok::<_, Failure>(solver.solve(&problem, x)?)
        })?;
        if !has_let_go.is_null() {
            let mask = unsafe { array_mut(has_let_go, rows, "the mask of rows that have let go") }?;
            mask.fill(false);
            account.let_go().iter().for_each(|&row| mask[row as usize] = true);
        }
        if let Some(place) = place {
            *place = (&account).into();
        }
        Ok(())
    };
    unsafe { guarded(error, solve) }
}
