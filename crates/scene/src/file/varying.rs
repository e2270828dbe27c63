//! Numbers that depend on place and time, as a scene writes them: a number, a formula, a table in time or a picture.

use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use exmex::prelude::*;
use exmex::{FlatEx, FloatOpsFactory, MakeOperators, Operator};
use unstick_grid::{Formula, Grid, Picture, Varying};

use super::error::{SceneError, suggestion};
use super::node::{Node, Value};
use crate::schema;

/// Formulas are as long as this at most, in bytes.
const LONGEST: usize = 4096;

/// Functions and constants of formulas: those of the crate, and a step from 0 to 1 where its argument is zero.
#[derive(Clone, Debug)]
struct Functions;

impl MakeOperators<f64> for Functions {
    fn make<'a>() -> Vec<Operator<'a, f64>> {
        let mut all = FloatOpsFactory::<f64>::make();
        all.push(Operator::make_unary("step", |value| f64::from(u8::from(value >= 0.0))));
        all
    }
}

/// Reads a number that may depend on place and time. `least` is the least that it may be, anywhere on the grid at the start.
pub(super) fn varying<const D: usize>(
    node: &Node,
    grid: &Grid<D>,
    folder: &Path,
    least: f64,
) -> Result<Varying<D>, SceneError> {
    let found = match &node.value {
        Value::Text(text) => Varying::Formula(formula(node, text)?),
        Value::List(items) => Varying::Table(table(items)?),
        Value::Table(_) => Varying::Picture(picture(node, grid, folder)?),
        _ => Varying::Constant(node.number().map_err(|_| node.refuse(EXPECTED))?),
    };
    let is_fine = |value: f64| value.is_finite() && value >= least;
    let values = match &found {
        Varying::Table(table) => {
            table.iter().map(|entry| entry.1).find(|&value| !is_fine(value)).map(|value| (None, value))
        }
        _ => grid.iter().map(|cell| grid.centre(cell)).find_map(|point| {
            let value = found.at(point, 0.0);
            (!is_fine(value)).then_some((Some(point), value))
        }),
    };
    let Some((point, value)) = values else { return Ok(found) };
    let expected = if least == 0.0 { "a number that is zero or more" } else { "a finite number" };
    Err(match (point, &found) {
        (Some(point), Varying::Formula(_)) => node.wrong(
            &format!("is {value} at {point:?} at the start, expected {expected}"),
            "not everywhere such a number",
        ),
        _ => node.wrong(&format!("is {value}, expected {expected}"), "not such a number"),
    })
}

const EXPECTED: &str = "a number, a formula in quotes, a list of { time, value }, or { image = \"…\" }";

fn formula<const D: usize>(node: &Node, text: &str) -> Result<Formula<D>, SceneError> {
    let refuse = |what: &str| node.wrong(&format!("is \"{text}\": {what}"), "not a formula");
    if text.len() > LONGEST {
        return Err(node.wrong(&format!("has {} bytes, expected {LONGEST} at most", text.len()), "too long"));
    }
    if let Some(power) = negated_power(text) {
        let help = format!("write `-({power})` or `(-{}`", power.replacen('^', ")^", 1));
        return Err(refuse("a minus before a power is read in two ways").with_help(Some(help)));
    }
    let parsed = FlatEx::<f64, Functions>::parse(text).map_err(|error| refuse(error.msg()))?;
    let known = &["x", "y", "z", "t"];
    let mut places = Vec::new();
    for name in parsed.var_names() {
        let place = known.iter().position(|known| known == name).filter(|&place| place != 2 || D == 3);
        places.push(place.ok_or_else(|| {
            let axes = if D == 2 { "`x`, `y`" } else { "`x`, `y`, `z`" };
            let error = refuse(&format!("`{name}` is unknown, expected {axes}, `t` or a function"));
            error.with_help(Some(suggestion(name, known)))
        })?);
    }
    let value = move |point: [f64; D], time: f64| {
        let mut given = [0.0; 4];
        given[..D].copy_from_slice(&point);
        given[3] = time;
        let variables: Vec<f64> = places.iter().map(|&place| given[place]).collect();
        parsed.eval(&variables).unwrap_or(f64::NAN)
    };
    Ok(Formula { text: text.to_owned(), value: Arc::new(value) })
}

/// A power with a minus before it, such as `-x^2`, which people read as −(x²) and the parser as (−x)².
fn negated_power(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let skip = |from: usize, is_part: &dyn Fn(u8) -> bool| {
        from + bytes[from..].iter().take_while(|byte| is_part(**byte)).count()
    };
    let skip_space = |from: usize| skip(from, &|byte| byte.is_ascii_whitespace());
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_';
    (0..bytes.len()).filter(|&at| bytes[at] == b'-').find_map(|at| {
        let before = text[..at].trim_end();
        let is_sign = before.is_empty() || before.ends_with(|last: char| "(,+-*/^".contains(last));
        let start = skip_space(at + 1);
        let mut end = skip_space(skip(start, &is_word));
        if bytes.get(end) == Some(&b'(') {
            let mut depth = 0i32;
            while end < bytes.len() {
                depth += i32::from(bytes[end] == b'(') - i32::from(bytes[end] == b')');
                end += 1;
                if depth == 0 {
                    break;
                }
            }
            end = skip_space(end);
        }
        let is_power = is_sign && bytes.get(end) == Some(&b'^');
        is_power.then(|| &text[start..skip(skip_space(end + 1), &is_word)])
    })
}

fn table(items: &[Node]) -> Result<Arc<[(f64, f64)]>, SceneError> {
    let mut table: Vec<(f64, f64)> = Vec::new();
    for item in items {
        let fields = item.fields(&schema::MOMENT)?;
        let time = fields.need("time")?;
        let entry = (time.number()?, fields.need("value")?.number()?);
        if table.last().is_some_and(|last| entry.0 <= last.0) {
            return Err(time.refuse("a time after the one before"));
        }
        table.push(entry);
    }
    Ok(table.into())
}

/// A picture in shades of grey over a plane of the domain.
fn picture<const D: usize>(node: &Node, grid: &Grid<D>, folder: &Path) -> Result<Picture, SceneError> {
    let fields = node.fields(&schema::IMAGE)?;
    let (file, mut black, mut white) = (fields.need("image")?, 0.0, 1.0);
    fields.read("black", &mut black, Node::number)?;
    fields.read("white", &mut white, Node::number)?;
    let planes = [("xy", [0, 1]), ("xz", [0, 2]), ("yz", [1, 2])];
    let planes = if D == 2 { &planes[..1] } else { &planes };
    let mut axes = [0, 1];
    fields.read("plane", &mut axes, |node| node.choice(planes))?;
    let path = folder.join(file.text()?);
    let refuse = |reason: String| {
        let message = format!("the picture cannot be read: {}: {reason}", path.display());
        SceneError::at(&file.place, message, "expected a PNG file")
    };
    let opened = std::fs::File::open(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => refuse("there is no such file".into()),
        _ => refuse(error.to_string()),
    })?;
    let mut decoder = png::Decoder::new(BufReader::new(opened));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| refuse(error.to_string()))?;
    let size = reader.output_buffer_size().ok_or_else(|| refuse("it is too large".into()))?;
    let mut bytes = vec![0; size];
    let info = reader.next_frame(&mut bytes).map_err(|error| refuse(error.to_string()))?;
    let (width, height, samples) = (info.width as usize, info.height as usize, info.color_type.samples());
    // The brightness of a pixel [ITU-R BT.709]; what is transparent is black.
    let grey = |pixel: &[u8]| match pixel {
        [grey] => f64::from(*grey),
        [grey, alpha] => f64::from(*grey) * f64::from(*alpha) / 255.0,
        [red, green, blue, rest @ ..] => {
            let bright = 0.2126 * f64::from(*red) + 0.7152 * f64::from(*green) + 0.0722 * f64::from(*blue);
            bright * rest.first().map_or(1.0, |alpha| f64::from(*alpha) / 255.0)
        }
        [] => 0.0,
    };
    let rows = bytes[..width * height * samples].chunks_exact(width * samples).rev(); // the first row is at the top
    let values =
        rows.flat_map(|row| row.chunks_exact(samples)).map(|pixel| black + grey(pixel) / 255.0 * (white - black));
    let (lower, upper) = (grid.origin(), grid.node(grid.cells()));
    Ok(Picture {
        size: [width, height],
        values: values.collect(),
        axes,
        lower: axes.map(|axis| lower[axis]),
        length: axes.map(|axis| upper[axis] - lower[axis]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minus_before_a_power_is_found_and_one_before_anything_else_is_not() {
        for (text, power) in
            [("-x^2", "x^2"), ("3*(- sin(x) ^ 2)", "sin(x) ^ 2"), ("2^-x^2", "x^2"), ("-(x+1)^y", "(x+1)^y")]
        {
            assert_eq!(negated_power(text), Some(power), "{text}");
        }
        for text in ["1-x^2", "(x)-y^2", "-(x^2)", "-x", "", "-", "-(", "x^-2", "-x*y^2"] {
            assert_eq!(negated_power(text), None, "{text}");
        }
    }
}
