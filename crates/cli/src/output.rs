//! Text on the two streams of the process.

use std::fmt::Display;
use std::io::{self, Write};

use crate::error::CommandError;

/// Prints a line, or several, to standard output. A reader that has gone away is no error.
pub fn print(text: impl Display) -> Result<(), CommandError> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CommandError::Stdout(error.to_string())),
        _ => Ok(()),
    }
}

/// Tells people something beside the result, on standard error; there is no one to tell if that fails.
pub fn note(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
