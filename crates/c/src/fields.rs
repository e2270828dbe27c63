//! Problems as the fields of a fluid code.

use unstick_mlcp::fields::{FieldSolver, PressureFields, RowSolver, WallFields};

use crate::matrix::Work;
use crate::report::UnstickReport;
use crate::status::{Failure, UnstickError, UnstickStatus, guarded};
use crate::threads::Threads;
use crate::{UnstickOptions, UnstickSolver, array, array_mut};

/// A pressure problem on a staggered grid. The first axis is fastest in memory; along an axis there is one face more
/// than there are cells. In the plane the third number of cells is zero and the third pointers are not read.
#[repr(C)]
pub struct UnstickFields {
    /// Cells along x, y and z.
    pub cells: [usize; 3],
    /// Length of a cell.
    pub spacing: f64,
    /// Distance to the surface of the liquid at the centre of every cell, negative inside.
    pub liquid: *const f64,
    /// Velocity across the faces of each axis, before the pressure acts.
    pub velocity: [*const f64; 3],
    /// Open part of every face, exactly zero where it is closed.
    pub open: [*const f64; 3],
    /// Whether the liquid may leave the wall of a cell.
    pub separating: *const bool,
}

/// A solver for each dimension.
pub(crate) struct FieldWork {
    plane: RowSolver<2>,
    space: RowSolver<3>,
}

/// Makes a solver for problems that come as fields.
///
/// # Safety
/// `options` and `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unstick_create_for_fields(
    options: *const UnstickOptions,
    solver: *mut *mut UnstickSolver,
    error: *mut UnstickError,
) -> UnstickStatus {
    let create = || {
        let out = unsafe { solver.as_mut() }.ok_or(Failure::Missing("the place of the solver"))?;
        *out = std::ptr::null_mut();
        let options = unsafe { UnstickOptions::given(options) };
        let (threads, plane, space) =
            (Threads::new(options.threads)?, unsafe { options.solver() }?, unsafe { options.solver() }?);
        let work = FieldWork { plane: RowSolver::new(plane), space: RowSolver::new(space) };
        *out = Box::into_raw(Box::new(UnstickSolver { work: Work::Fields(Box::new(work)), threads }));
        Ok(())
    };
    unsafe { guarded(error, create) }
}

/// Solves for the scaled pressure q = Δt p / (ρ h) of every cell.
///
/// `q` holds the start and receives the answer, zero in cells without liquid. The new velocity across an open face is
/// the old one less the difference of q across it, divided by θ at the surface. `has_let_go` and `report` may be NULL.
///
/// # Safety
/// The fields have the lengths that their grid asks for. No other call uses the solver meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn unstick_solve_fields(
    solver: *mut UnstickSolver,
    fields: *const UnstickFields,
    q: *mut f64,
    has_let_go: *mut bool,
    report: *mut UnstickReport,
    error: *mut UnstickError,
) -> UnstickStatus {
    let place = unsafe { UnstickReport::emptied(report) };
    let solve = || {
        let UnstickSolver { work, threads } = unsafe { solver.as_mut() }.ok_or(Failure::Missing("the solver"))?;
        let Work::Fields(work) = work else {
            return Err(Failure::Argument("the solver was made for a matrix".into()));
        };
        let FieldWork { plane, space } = &mut **work;
        let fields = unsafe { fields.as_ref() }.ok_or(Failure::Missing("the struct of fields"))?;
        let account = match fields.cells {
            [nx, ny, 0] => unsafe { fields.solve([nx, ny], threads, plane, q, has_let_go) }?,
            cells => unsafe { fields.solve(cells, threads, space, q, has_let_go) }?,
        };
        if let Some(place) = place {
            *place = account;
        }
        Ok(())
    };
    unsafe { guarded(error, solve) }
}

impl UnstickFields {
    /// # Safety
    /// As for [`unstick_solve_fields`].
    unsafe fn solve<const D: usize>(
        &self,
        cells: [usize; D],
        threads: &Threads,
        solver: &mut RowSolver<D>,
        q: *mut f64,
        has_let_go: *mut bool,
    ) -> Result<UnstickReport, Failure> {
        if !(self.spacing > 0.0 && self.spacing.is_finite()) {
            return Err(Failure::Argument(format!("the spacing is {}, expected a positive number", self.spacing)));
        }
        let product = |counts: [usize; D]| {
            let size = counts.iter().try_fold(1usize, |size, &count| size.checked_mul(count));
            size.filter(|&size| size < u32::MAX as usize)
                .ok_or_else(|| Failure::Argument(format!("a grid of {cells:?} cells is too large")))
        };
        let count = product(cells)?;
        let faces = |axis: usize| product(std::array::from_fn(|other| cells[other] + (other == axis) as usize));
        let (mut velocity, mut open) = ([&[][..]; D], [&[][..]; D]);
        for axis in 0..D {
            velocity[axis] = unsafe { array(self.velocity[axis], faces(axis)?, "the velocity") }?;
            open[axis] = unsafe { array(self.open[axis], faces(axis)?, "the open part of faces") }?;
        }
        let whole = vec![1.0; count];
        // A divergence is not asked for, so the open part of cells is not read.
        let walls = WallFields {
            version: 0,
            open,
            separating: unsafe { array(self.separating, count, "the mask of separating walls") }?,
            cell_open: &whole,
            flow: None,
        };
        let liquid = unsafe { array(self.liquid, count, "the distance to the liquid") }?;
        let fields = PressureFields {
            cells,
            spacing: self.spacing,
            walls,
            liquid,
            velocity,
            divergence: None,
            control: 0.0,
            lower: None,
        };
        let q = unsafe { array_mut(q, count, "q") }?;
        let mut own = Vec::new();
        let mask = match has_let_go.is_null() {
            true => {
                own.resize(count, false);
                &mut own[..]
            }
            false => unsafe { array_mut(has_let_go, count, "the mask of cells that have let go") }?,
        };
        let report = threads.install(|| solver.solve_fields(&fields, q, mask))?;
        Ok((&report).into())
    }
}
