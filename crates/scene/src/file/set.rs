//! `--set key=value`: any value of a scene, changed from the command line.

use std::ops::Range;
use std::sync::Arc;

use super::error::{Place, SceneError, Source};
use super::node::{Entry, Node, Value, inner_path};

/// Changes one value; the keys of a path need not be there yet, but are checked like all others.
pub(crate) fn set(root: &mut Node, assignment: &str) -> Result<(), SceneError> {
    let source = Arc::new(Source { name: "--set".into(), text: assignment.to_owned() });
    let place = |span: Range<usize>| Place { source: source.clone(), span };
    let refuse = |message| SceneError::at(&place(0..assignment.len()), message, "expected key=value");
    let Some(equals) = assignment.find('=') else {
        let example = Some("for example `--set grid.cells=[64,64]`".into());
        return Err(refuse(format!("`{assignment}` sets nothing")).with_help(example));
    };
    let path = trimmed(assignment, 0..equals);
    let place_of_value = place(trimmed(assignment, equals + 1..assignment.len()));
    let name = &assignment[path.clone()];
    let value = Node::parse_value(&place_of_value, name.to_owned()).or_else(|error| {
        let word = bare_word(&assignment[place_of_value.span.clone()]).ok_or(error)?;
        Ok(Node { path: name.to_owned(), place: place_of_value.clone(), value: Value::Text(word.to_owned()) })
    })?;
    let mut start = path.start;
    let mut keys = Vec::new();
    for key in name.split('.') {
        if key.is_empty() {
            return Err(refuse(format!("`{assignment}`: a part of the path is empty")));
        }
        keys.push((key, place(start..start + key.len())));
        start += key.len() + 1;
    }
    insert(root, &keys, value)
}

/// A range of a text without the white space at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start().len();
    start..start + part.trim().len()
}

/// Words like `sealed` and `policy+cg/mic0` need no quotes on a command line.
fn bare_word(text: &str) -> Option<&str> {
    let plain = |letter: char| letter.is_alphanumeric() || "+/-_.: ".contains(letter);
    (text.starts_with(char::is_alphabetic) && text.chars().all(plain)).then_some(text)
}

fn insert(node: &mut Node, keys: &[(&str, Place)], value: Node) -> Result<(), SceneError> {
    let Some(((key, place), rest)) = keys.split_first() else {
        *node = value;
        return Ok(());
    };
    let (path, inner) = (node.path.clone(), inner_path(&node.path, key));
    match &mut node.value {
        Value::Table(entries) => {
            let index = entries.iter().position(|entry| entry.name == *key).unwrap_or_else(|| {
                let empty = Node { path: inner, place: place.clone(), value: Value::Table(Vec::new()) };
                entries.push(Entry { name: (*key).to_owned(), place: place.clone(), node: empty });
                entries.len() - 1
            });
            insert(&mut entries[index].node, rest, value)
        }
        Value::List(items) => {
            let count = items.len();
            let index = key.parse::<usize>().ok().filter(|&index| index < count);
            match index {
                Some(index) => insert(&mut items[index], rest, value),
                None => {
                    let message = format!("`{path}` has {count} entries, counted from 0; there is no `{key}`");
                    Err(SceneError::at(place, message, "no such entry"))
                }
            }
        }
        _ => Err(SceneError::at(place, format!("`{path}` is {}, it has no parts", node.kind()), "no such part")),
    }
}
