//! A scene that is refused, in words for the person who wrote it, and where it was written.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use unstick_mlcp::nearest;

/// Why a scene is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{message}", place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default())]
pub struct SceneError {
    /// What is wrong, what was expected.
    pub message: String,
    /// Where it was written, if anywhere.
    pub place: Option<Place>,
    /// What was expected at that place, in a few words.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl SceneError {
    pub(crate) fn at(place: &Place, message: impl Into<String>, label: impl Into<String>) -> Self {
        Self { message: message.into(), place: Some(place.clone()), label: label.into(), help: None }
    }

    pub(crate) fn anywhere(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None, label: String::new(), help: None }
    }

    pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        let missing = error.kind() == std::io::ErrorKind::NotFound;
        let reason = if missing { "there is no such file".to_owned() } else { error.to_string() };
        Self::anywhere(format!("{}: {reason}", path.display()))
    }

    pub(crate) fn with_help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }
}

/// “did you mean …?”, or the list itself.
pub(crate) fn suggestion(name: &str, known: &[&str]) -> String {
    let list = || known.iter().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
    match nearest(name, known.iter().copied()) {
        Some(best) => format!("did you mean `{best}`?"),
        None => format!("known here: {}", list()),
    }
}

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
