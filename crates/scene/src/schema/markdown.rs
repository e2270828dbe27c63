//! The reference of scene files, as `docs/scene-file.md` holds it.

use std::fmt::Write;

use super::shapes::{BODY_SHAPES, SHAPES};
use super::{Alternative, Alternatives, Kind, TABLES, Table, VISCOUS_TABLES};

/// Headings above the first table of each part, and what stands before it.
const PARTS: &[(&str, &str)] = &[
    ("", include_str!("before.md")),
    ("liquid", "## What there is\n"),
    ("transport", "## How it is computed\n"),
    ("output", "## What is written\n"),
];

/// The whole reference in Markdown.
pub fn markdown() -> String {
    let mut text = String::new();
    for table in TABLES {
        if let Some((_, part)) = PARTS.iter().find(|part| part.0 == table.name) {
            let _ = writeln!(text, "{part}");
        }
        if table.name == "transport" {
            // Shapes stand between what there is and how it is computed.
            let heading = text.rfind("## How it is computed").expect("just written");
            let after = text.split_off(heading);
            text += &shapes();
            text += &after;
        }
        write(&mut text, table, "");
    }
    let _ = writeln!(text, "{}", include_str!("viscous.md"));
    for table in VISCOUS_TABLES {
        write(&mut text, table, if table.name == "flow" { "" } else { " of a flow" });
    }
    text + include_str!("after.md")
}

fn write(text: &mut String, table: &Table, of: &str) {
    if !table.name.is_empty() {
        let name = if table.many { format!("[[{}]]", table.name) } else { format!("[{}]", table.name) };
        let _ = writeln!(text, "### `{name}`{of}\n");
    }
    if !table.text.is_empty() {
        let _ = writeln!(text, "{}\n", table.text);
    }
    let _ = writeln!(text, "| key | default | what it is |\n|---|---|---|");
    for key in table.keys.iter().filter(|key| !key.text.is_empty()) {
        let default = match key.default {
            "" => "required".to_owned(),
            "[]" => "none".to_owned(),
            quoted if quoted.starts_with('"') => format!("`{quoted}`"),
            other => other.to_owned(),
        };
        let _ = writeln!(text, "| `{}` | {default} | {} |", key.name, key.text);
    }
    text.push('\n');
    if !table.notes.is_empty() {
        let _ = writeln!(text, "{}\n", table.notes.trim_end());
    }
}

fn shapes() -> String {
    let mut text = String::from("## Shapes\n\nA shape is a table with one name in it.\n\n");
    list(&mut text, &SHAPES);
    text += "### Shapes of bodies\n\nThese lie about their centre of mass.\n\n";
    list(&mut text, &BODY_SHAPES);
    text
}

fn list(text: &mut String, shapes: &Alternatives) {
    *text += "| name | takes | what it is |\n|---|---|---|\n";
    for shape in shapes.each {
        let _ = writeln!(text, "| `{}` | {} | {} |", shape.name, takes(shape), shape.text);
    }
    text.push('\n');
}

fn takes(shape: &Alternative) -> String {
    match shape.kind {
        Kind::Table(table) => table.names().iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        Kind::ShapeList(_) => "a list of shapes".into(),
        _ => "a shape".into(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_reference_is_what_the_schema_says() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene-file.md");
        let found = std::fs::read_to_string(page).unwrap();
        assert!(found == super::markdown(), "write it anew: unstick scenes --reference > docs/scene-file.md");
    }
}
