//! Keyframes from a table in a file (CSV), as animation programs write them.
//!
//! The first line names the columns: `time`; `x`, `y`, `z`, how far the pivot has moved; and the rotation,
//! in degrees as `turn` in the plane or `turn_x`, `turn_y`, `turn_z` (axis times angle) in space, or there as
//! a quaternion `qw`, `qx`, `qy`, `qz`. Empty lines and those that begin with `#` are left out.

use std::f64::consts::TAU;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use unstick_grid::vector::{dot, length, minus, times};
use unstick_grid::{Keyframe, Keyframes, MotionError};

use super::error::{Place, SceneError, Source, suggestion};
use super::motion::about;
use super::node::Node;

const PLANE: [&str; 4] = ["time", "x", "y", "turn"];
const SPACE: [&str; 11] = ["time", "x", "y", "z", "turn_x", "turn_y", "turn_z", "qw", "qx", "qy", "qz"];
const QUATERNION: [&str; 4] = ["qw", "qx", "qy", "qz"];

/// Reads a file; `asked` is where the scene names it.
pub(super) fn read_table<const D: usize>(
    path: &Path,
    pivot: [f64; D],
    asked: &Node,
) -> Result<Keyframes<D>, SceneError> {
    let name = path.display().to_string();
    let refuse = |reason: &str| {
        let message = format!("the keyframes cannot be read: {name}: {reason}");
        SceneError::at(&asked.place, message, "expected a table of keyframes")
    };
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => refuse("there is no such file"),
        _ => refuse(&error.to_string()),
    })?;
    let known: &[&str] = if D == 2 { &PLANE } else { &SPACE };
    let table = Table::parse(Arc::new(Source { name: name.clone(), text }), known)?;
    let (mut frames, mut before) = (Vec::new(), [0.0; 3]);
    for row in &table.rows {
        let value = |name: &str| table.value(row, name);
        let turn = if table.has(QUATERNION[0]) {
            rotation_vector(QUATERNION.map(value), before)
                .ok_or_else(|| SceneError::at(&row.place, "a quaternion of four zeros", "expected a rotation"))?
        } else if D == 2 {
            [0.0, 0.0, value("turn").to_radians()]
        } else {
            ["turn_x", "turn_y", "turn_z"].map(|name| value(name).to_radians())
        };
        before = turn;
        let rotation = if D == 2 { about([0.0, 0.0, 1.0], turn[2]) } else { about(turn, length(turn)) };
        let translation = std::array::from_fn(|axis| value(["x", "y", "z"][axis]));
        frames.push(Keyframe { time: value("time"), translation, rotation });
    }
    Keyframes::new(pivot, frames).map_err(|error| match &error {
        MotionError::Order { index, time, before } => {
            let message = format!("the time {time} follows {before}, expected strictly ascending times");
            SceneError::at(&table.rows[*index].place, message, "not later than the line before")
        }
        MotionError::Empty => refuse("it has no lines after the names of its columns"),
        _ => refuse(&error.to_string()),
    })
}

struct Row {
    place: Place,
    values: Vec<f64>,
}

struct Table {
    names: Vec<String>,
    rows: Vec<Row>,
}

impl Table {
    fn parse(source: Arc<Source>, known: &[&str]) -> Result<Self, SceneError> {
        let place = |span: Range<usize>| Place { source: source.clone(), span };
        let mut lines = lines(&source.text);
        let Some((start, header)) = lines.next() else {
            let label = format!("expected columns: {}", known.join(", "));
            return Err(SceneError::at(&place(0..0), "an empty table", label));
        };
        let mut names: Vec<String> = Vec::new();
        for (span, name) in cells(start, header) {
            if !known.contains(&name) || names.iter().any(|given| given == name) {
                let message = format!("the column `{name}` is unknown here, or named twice");
                return Err(SceneError::at(&place(span), message, "expected a column of keyframes")
                    .with_help(Some(suggestion(name, known))));
            }
            names.push(name.to_owned());
        }
        let table = Self { names, rows: Vec::new() };
        let whole = place(start..start + header.len());
        if !table.has("time") {
            return Err(SceneError::at(&whole, "there is no column `time`", "expected the names of the columns"));
        }
        let quaternion = QUATERNION.iter().filter(|name| table.has(name)).count();
        let turns = ["turn_x", "turn_y", "turn_z"].iter().any(|name| table.has(name));
        if quaternion > 0 && (quaternion < 4 || turns) {
            let message = "a rotation is either turn_x, turn_y, turn_z or all of qw, qx, qy, qz";
            return Err(SceneError::at(&whole, message, "expected one of the two"));
        }
        let mut rows = Vec::new();
        for (start, line) in lines {
            let mut values = Vec::new();
            for (span, cell) in cells(start, line) {
                let number = cell.parse::<f64>().ok().filter(|number| number.is_finite());
                values.push(number.ok_or_else(|| {
                    SceneError::at(&place(span), format!("`{cell}` is no number"), "expected a finite number")
                })?);
            }
            let place = place(start..start + line.len());
            if values.len() != table.names.len() {
                let (expected, found) = (table.names.len(), values.len());
                let message = format!("expected {expected} numbers, one per column, found {found}");
                return Err(SceneError::at(&place, message, "another number of columns"));
            }
            rows.push(Row { place, values });
        }
        Ok(Self { rows, ..table })
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|given| given == name)
    }

    /// The value in a column; zero where there is no such column.
    fn value(&self, row: &Row, name: &str) -> f64 {
        self.names.iter().position(|given| given == name).map_or(0.0, |column| row.values[column])
    }
}

/// Lines that say something, each with its place.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let place = start;
        start += line.len();
        let line = line.trim_end();
        (!line.trim().is_empty() && !line.trim_start().starts_with('#')).then_some((place, line))
    })
}

/// The cells of a line, without the white space around them, each with its place.
fn cells(start: usize, line: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut place = start;
    line.split(',').map(move |cell| {
        let begin = place + cell.len() - cell.trim_start().len();
        place += cell.len() + 1;
        (begin..begin + cell.trim().len(), cell.trim())
    })
}

/// Axis times angle of a quaternion; of all that mean the same rotation, the one nearest to `before`.
fn rotation_vector([w, x, y, z]: [f64; 4], before: [f64; 3]) -> Option<[f64; 3]> {
    let sine = length([x, y, z]);
    if w == 0.0 && sine == 0.0 {
        return None;
    }
    let angle = 2.0 * sine.atan2(w);
    // Where nothing is turned any axis will do: that of the line before keeps the motion steady.
    let axis =
        if sine > 1e-12 { times(1.0 / sine, [x, y, z]) } else { times(1.0 / length(before).max(1e-300), before) };
    let turns = ((dot(before, axis) - angle) / TAU).round();
    let vector = times(angle + TAU * turns, axis);
    Some(if length(minus(vector, before)).is_finite() { vector } else { times(angle, axis) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quaternions_of_a_steady_spin_go_on_beyond_a_turn() {
        let mut before = [0.0; 3];
        for step in 0..40 {
            let angle = 0.3 * f64::from(step);
            // Programs switch the sign of a quaternion as they like.
            let sign = if step % 3 == 0 { -1.0 } else { 1.0 };
            let (sine, cosine) = (0.5 * angle).sin_cos();
            before = rotation_vector([sign * cosine, 0.0, sign * sine, 0.0], before).unwrap();
            assert!(
                (before[1] - angle).abs() < 1e-9 && before[0].abs() + before[2].abs() < 1e-12,
                "{angle}: {before:?}"
            );
        }
        assert_eq!(rotation_vector([0.0; 4], before), None);
    }
}
