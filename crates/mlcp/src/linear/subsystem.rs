//! The linear system of one nonlinear iteration, never assembled.

use std::sync::Mutex;

use unstick_parallel as parallel;

use crate::csr::CsrMatrix;
use crate::error::SolveError;
use crate::operator::LinearOperator;

/// S = Λ D A D Λ + Σ + (I − Λ): the operator seen through a mask, a scaling and a diagonal.
///
/// Λ keeps the free rows; the others are *pinned* and the system is the identity there. This is the
/// Schur-reduced Newton system of [Andersen2017b, eq. (43)] and the policy system of
/// [Lai2021, eq. (5.8)] with Σ = 0 and D = I, the penalty system of [Lai2021, eq. (5.14)] with Σ the
/// penalties, and the Fischer–Burmeister system with Σ and D its derivatives. D keeps the diagonal
/// of the last two near that of A, so that no method meets entries of very different size.
///
/// Vectors given to it vanish on pinned rows (every Krylov vector does), which makes the mask on
/// the input free of cost.
pub struct Subsystem<'s> {
    operator: &'s dyn LinearOperator,
    free: Option<&'s [bool]>,
    scale: Option<&'s [f64]>,
    shift: Option<&'s [f64]>,
    scratch: Mutex<Vec<f64>>,
}

impl<'s> Subsystem<'s> {
    /// The operator itself, every row free.
    pub fn whole(operator: &'s dyn LinearOperator) -> Self {
        Self { operator, free: None, scale: None, shift: None, scratch: Mutex::new(Vec::new()) }
    }

    /// Pins the rows that are not `free`.
    pub fn with_free(mut self, free: &'s [bool]) -> Self {
        self.free = Some(free);
        self
    }

    /// Scales rows and columns by `scale` and adds `shift` to the diagonal.
    pub fn with_diagonals(mut self, scale: &'s [f64], shift: &'s [f64]) -> Self {
        self.scale = Some(scale);
        self.shift = Some(shift);
        self
    }

    /// The operator behind the mask.
    pub fn operator(&self) -> &'s dyn LinearOperator {
        self.operator
    }

    /// What preconditioners read: the operator, or the simpler one that it names.
    pub fn nearby(&self) -> &'s dyn LinearOperator {
        self.operator.nearby().unwrap_or(self.operator)
    }

    /// The assembled matrix behind the mask, which `part` needs.
    pub fn matrix(&self, part: &'static str) -> Result<&'s CsrMatrix<'s>, SolveError> {
        self.nearby().csr().ok_or(SolveError::NeedsMatrix(part))
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.operator.size()
    }

    /// Whether a row is not pinned.
    #[inline]
    pub fn is_free(&self, row: usize) -> bool {
        self.free.is_none_or(|free| free[row])
    }

    /// Whether it is the operator itself, without mask or diagonals.
    pub fn is_whole(&self) -> bool {
        self.free.is_none() && self.scale.is_none()
    }

    /// Whether it is more than the operator seen through a mask.
    pub fn has_diagonals(&self) -> bool {
        self.scale.is_some()
    }

    /// S_ij from a_ij, for two rows that are both free.
    #[inline]
    pub fn entry(&self, row: usize, column: usize, value: f64) -> f64 {
        let scaled = self.scale.map_or(value, |scale| scale[row] * value * scale[column]);
        if row == column { scaled + self.shift.map_or(0.0, |shift| shift[row]) } else { scaled }
    }

    /// S_ii.
    #[inline]
    pub fn diagonal(&self, row: usize) -> f64 {
        if self.is_free(row) { self.entry(row, row, self.operator.diagonal()[row]) } else { 1.0 }
    }

    /// y ← S x for x that vanishes on pinned rows; returns xᵀ S x.
    pub fn apply_dot(&self, x: &[f64], y: &mut [f64]) -> f64 {
        // The compact form multiplies faster than the entries do, and may not have them yet.
        let matrix = if self.operator.pressure().is_some() { None } else { self.operator.csr() };
        match (self.free, self.scale, matrix) {
            (None, None, _) => self.operator.apply_dot(x, y),
            (_, _, Some(matrix)) => parallel::sum((0..x.len(), y), |(rows, y)| {
                let mut total = 0.0;
                for (row, y) in rows.zip(y) {
                    *y = if self.is_free(row) { self.row_dot(matrix, row, x) } else { 0.0 };
                    total += *y * x[row];
                }
                total
            }),
            _ => self.apply_dot_by_products(x, y),
        }
    }

    /// y ← S x for x that vanishes on pinned rows.
    pub fn apply(&self, x: &[f64], y: &mut [f64]) {
        if self.is_whole() {
            self.operator.apply(x, y);
        } else {
            self.apply_dot(x, y);
        }
    }

    #[inline]
    fn row_dot(&self, matrix: &CsrMatrix, row: usize, x: &[f64]) -> f64 {
        let (Some(scale), Some(shift)) = (self.scale, self.shift) else {
            return matrix.row_dot(row, x);
        };
        let sum: f64 = matrix.row(row).map(|(column, value)| value * scale[column] * x[column]).sum();
        scale[row] * sum + shift[row] * x[row]
    }

    /// The same through products with the operator alone.
    fn apply_dot_by_products(&self, x: &[f64], y: &mut [f64]) -> f64 {
        let (Some(scale), Some(shift)) = (self.scale, self.shift) else {
            self.operator.apply(x, y);
            return self.masked_dot(x, y);
        };
        let mut scaled = self.scratch.lock().expect("no holder of this lock panics");
        scaled.resize(x.len(), 0.0);
        parallel::for_each((x, scale, scaled.as_mut_slice()), |(x, scale, scaled)| {
            x.iter().zip(scale).zip(scaled).for_each(|((x, s), y)| *y = s * x);
        });
        self.operator.apply(&scaled, y);
        parallel::for_each((x, scale, shift, &mut *y), |(x, scale, shift, y)| {
            for (((x, scale), shift), y) in x.iter().zip(scale).zip(shift).zip(y) {
                *y = scale * *y + shift * x;
            }
        });
        self.masked_dot(x, y)
    }

    fn masked_dot(&self, x: &[f64], y: &mut [f64]) -> f64 {
        parallel::sum((0..x.len(), x, y), |(rows, x, y)| {
            let mut total = 0.0;
            for ((row, x), y) in rows.zip(x).zip(y) {
                if !self.is_free(row) {
                    *y = 0.0;
                }
                total += x * *y;
            }
            total
        })
    }

    /// Writes S out, pinned rows as rows of the identity.
    pub fn assemble(&self, part: &'static str) -> Result<CsrMatrix<'static>, SolveError> {
        let matrix = self.matrix(part)?;
        let assembled = CsrMatrix::from_rows(self.size(), |row, entries| {
            if !self.is_free(row) {
                entries.push((row, 1.0));
                return;
            }
            for (column, value) in matrix.row(row).filter(|&(column, _)| self.is_free(column)) {
                entries.push((column, self.entry(row, column, value)));
            }
        });
        assembled.map_err(|error| SolveError::Problem(error.into()))
    }
}
