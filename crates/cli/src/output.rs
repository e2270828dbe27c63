//! Text on the two streams of the process.

use std::fmt::Display;
use std::io::{self, Write};

use crate::error::CommandError;

/// Prints text to standard output. It is no error if the reader has gone away.
pub fn print(text: impl Display) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(CommandError::new(format_args!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a remark to standard error. Failures are ignored: there is nowhere to report them.
pub fn note(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
