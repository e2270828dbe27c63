//! An error as text for a terminal: what is wrong, where it was written, what to do.

use std::io::IsTerminal;

use unstick::scene::file::Place;

use crate::error::CommandError;

/// The report on an error, in colour where people see it.
///
/// ```text
/// error: there is no key `celss`
///   --> tank.toml:3:1
///    |
///  3 | celss = [64, 64]
///    | ^^^^^ unknown
///   help: did you mean `cells`?
/// ```
pub fn text(error: &CommandError) -> String {
    let is_coloured = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let (red, blue, plain) = if is_coloured { ("\x1b[1;31m", "\x1b[1;34m", "\x1b[0m") } else { ("", "", "") };
    let mut text = format!("{red}error:{plain} {}", error.message);
    if let Some((place, label)) = &error.place {
        text += &excerpt(place, label);
    }
    if let Some(help) = &error.help {
        text += &format!("\n  {blue}help:{plain} {}", help.replace('\n', "\n        "));
    }
    text
}

/// The line of a text that is meant, with a mark below.
fn excerpt(place: &Place, label: &str) -> String {
    let (number, column) = place.line_and_column();
    let line = place.source.text.lines().nth(number - 1).unwrap_or_default();
    let meant = place.source.text.get(place.span.clone()).unwrap_or_default();
    let meant = meant.lines().next().unwrap_or_default().chars().count();
    let room = (line.chars().count() + 1).saturating_sub(column).max(1);
    let marks = "^".repeat(meant.clamp(1, room));
    let (number, indent) = (number.to_string(), " ".repeat(column - 1));
    let gutter = " ".repeat(number.len());
    format!("\n {gutter}--> {place}\n {gutter} |\n {number} | {line}\n {gutter} | {indent}{marks} {label}")
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use unstick::scene::SceneFile;

    use super::*;

    #[test]
    fn a_scene_that_is_refused_is_shown_where_it_was_written() {
        let file = SceneFile::parse("tank", "tank.toml", "[grid]\ncells = [\"a\", 3]\n", Path::new("."));
        let error = file.and_then(|file| file.scene()).unwrap_err();
        let report = text(&error.into());
        let lines: Vec<&str> = report.lines().collect();
        assert!(lines[0].starts_with("error: "), "{report}");
        assert_eq!(lines[1..4], ["  --> tank.toml:2:10", "   |", " 2 | cells = [\"a\", 3]"], "{report}");
        assert!(lines[4].starts_with("   |          ^^^"), "{report}");
    }

    #[test]
    fn help_of_several_lines_is_indented() {
        let error = CommandError::new("no").with_help("one\ntwo");
        assert_eq!(text(&error), "error: no\n  help: one\n        two");
    }
}
