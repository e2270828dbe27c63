//! Where a value was written: a text and a place in it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A text that values come from: a file, an embedded scene, an argument.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// What people call it: a path, or `--set`.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// A part of a text.
#[derive(Clone, PartialEq, Eq)]
pub struct Place {
    /// The text.
    pub source: Arc<Source>,
    /// Bytes of it, first to one past the last.
    pub span: Range<usize>,
}

impl Place {
    /// Line and column, both from 1; columns count characters.
    pub fn line_and_column(&self) -> (usize, usize) {
        let before = self.source.text.get(..self.span.start).unwrap_or(&self.source.text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|&letter| letter != '\n').count() + 1;
        (line, column)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.line_and_column();
        write!(f, "{}:{line}:{column}", self.source.name)
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
