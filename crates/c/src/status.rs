//! What came of a call.

use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use unstick_mlcp::{MatrixError, ParseNameError, ProblemError, SolveError};

/// What came of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnstickStatus {
    /// Done. Whether a solve has converged is in its report.
    Ok = 0,
    /// An argument makes no sense: a name, a tolerance, a pointer.
    BadArgument = 1,
    /// The matrix, the right-hand side, the bounds or the fields make no problem.
    BadProblem = 2,
    /// The solver found no answer at all.
    SolveFailed = 3,
    /// The system gives no threads.
    NoThreads = 4,
    /// A fault of this library; please report it.
    Internal = 5,
}

/// Room for the text of an error.
#[repr(C)]
pub struct UnstickError {
    /// What was found and what was expected, in UTF-8, with a zero byte at its end. Empty after success.
    pub message: [c_char; 512],
}

/// Why a call did nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0} is NULL")]
    Missing(&'static str),
    #[error("{0} is no text in UTF-8")]
    NotText(&'static str),
    #[error("{0}")]
    Argument(String),
    #[error(transparent)]
    Name(#[from] ParseNameError),
    #[error(transparent)]
    Problem(#[from] ProblemError),
    #[error(transparent)]
    Solve(#[from] SolveError),
    #[error("there are no threads: {0}")]
    Threads(rayon::ThreadPoolBuildError),
}

impl From<MatrixError> for Failure {
    fn from(error: MatrixError) -> Self {
        Self::Problem(error.into())
    }
}

impl Failure {
    fn status(&self) -> UnstickStatus {
        match self {
            Self::Missing(_) | Self::NotText(_) | Self::Argument(_) | Self::Name(_) => UnstickStatus::BadArgument,
            Self::Solve(SolveError::Parameter { .. }) => UnstickStatus::BadArgument,
            Self::Problem(_) | Self::Solve(SolveError::Problem(_)) => UnstickStatus::BadProblem,
            Self::Solve(_) => UnstickStatus::SolveFailed,
            Self::Threads(_) => UnstickStatus::NoThreads,
        }
    }
}

/// Runs a call; its failure becomes a code, and a text where there is room for one.
///
/// # Safety
/// `error` is NULL or points to room for a text.
pub(crate) unsafe fn guarded(error: *mut UnstickError, call: impl FnOnce() -> Result<(), Failure>) -> UnstickStatus {
    let (status, text) = match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => (UnstickStatus::Ok, String::new()),
        Ok(Err(failure)) => (failure.status(), failure.to_string()),
        Err(_) => (UnstickStatus::Internal, "a fault inside the library; please report it".to_owned()),
    };
    if let Some(error) = unsafe { error.as_mut() } {
        error.write(&text);
    }
    status
}

impl UnstickError {
    /// Writes as much of a text as there is room for, whole letters only.
    fn write(&mut self, text: &str) {
        let room = self.message.len() - 1;
        let most = (0..=room.min(text.len())).rev().find(|&length| text.is_char_boundary(length)).unwrap_or(0);
        let bytes = text.as_bytes()[..most].iter().chain(std::iter::once(&0));
        self.message.iter_mut().zip(bytes).for_each(|(place, &byte)| *place = byte as c_char);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_letters() {
        let mut error = UnstickError { message: [1; 512] };
        error.write(&"é".repeat(600));
        assert_eq!((error.message[509] != 0, error.message[510]), (true, 0));
    }

    #[test]
    fn a_panic_stays_inside() {
        let mut error = UnstickError { message: [1; 512] };
        let status = unsafe { guarded(&mut error, || panic!("on purpose")) };
        assert_eq!(status, UnstickStatus::Internal);
        assert_ne!(error.message[0], 0);
    }
}
