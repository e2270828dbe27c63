//! A scene that is refused, in words for the person who wrote it.

use std::path::Path;

use unstick_mlcp::nearest;

use super::source::Place;

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
