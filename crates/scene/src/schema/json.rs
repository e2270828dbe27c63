//! The schema in the form that editors read: JSON Schema, draft 2020-12.

use serde_json::{Map, Value, json};

use super::root::ROOT;
use super::shapes::{BODY_SHAPES, SHAPES};
use super::{Alternatives, Key, Kind, Table, viscous};

/// A JSON Schema of scene files; editors complete and check keys with it.
pub fn json() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scene file of unstick",
        "type": "object",
        "if": { "required": ["flow"] },
        "then": table(&viscous::ROOT),
        "else": table(&ROOT),
        "$defs": { SHAPES.name: alternatives(&SHAPES), BODY_SHAPES.name: alternatives(&BODY_SHAPES) },
    })
}

fn table(table: &Table) -> Value {
    let keys: Map<String, Value> = table.keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    let needed = table
        .keys
        .iter()
        .filter(|key| key.default.is_empty() && (!key.text.is_empty() || ["grid", "flow"].contains(&key.name)));
    let needed: Vec<&str> = needed.map(|key| key.name).collect();
    json!({ "type": "object", "properties": keys, "required": needed, "additionalProperties": false })
}

fn property(key: &Key) -> Value {
    let mut value = kind(key.kind);
    if let Value::Object(entries) = &mut value {
        if !key.text.is_empty() {
            entries.insert("description".into(), json!(key.text));
        }
        if let Ok(toml) = toml::from_str::<toml::Table>(&format!("x = {}", key.default)) {
            entries.insert("default".into(), serde_json::to_value(&toml["x"]).unwrap_or_default());
        }
    }
    value
}

fn kind(kind: Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Number => json!({ "type": "number" }),
        Kind::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Kind::Within(lower, upper) => json!({ "type": "number", "minimum": lower, "maximum": upper }),
        Kind::Count(least) => json!({ "type": "integer", "minimum": least }),
        Kind::Vector => axes(json!({ "type": "number" })),
        Kind::Numbers => json!({ "type": "array", "items": { "type": "number" }, "minItems": 2 }),
        Kind::Counts => axes(json!({ "type": "integer", "minimum": 1 })),
        Kind::Turn => json!({ "oneOf": [{ "type": "number" }, axes(json!({ "type": "number" }))] }),
        Kind::Choice(names) => json!({ "enum": names }),
        Kind::Choices(names) => {
            json!({ "oneOf": [{ "enum": names }, { "type": "array", "items": { "enum": names } }] })
        }
        Kind::Formats(names, inner) => {
            let one = json!({ "anyOf": [{ "enum": names }, table(inner)] });
            json!({ "anyOf": [one, { "type": "array", "items": one }] })
        }
        Kind::Shape(shapes) => json!({ "$ref": format!("#/$defs/{}", shapes.name) }),
        Kind::ShapeList(shapes) => {
            json!({ "type": "array", "minItems": 1, "items": { "$ref": format!("#/$defs/{}", shapes.name) } })
        }
        Kind::Table(inner) => table(inner),
        Kind::Tables(inner) => json!({ "type": "array", "items": table(inner) }),
        Kind::Either(kinds) => json!({ "anyOf": kinds.iter().map(|&each| self::kind(each)).collect::<Vec<_>>() }),
    }
}

fn axes(item: Value) -> Value {
    json!({ "type": "array", "items": item, "minItems": 2, "maxItems": 3 })
}

fn alternatives(of: &Alternatives) -> Value {
    let each: Map<String, Value> = of.each.iter().map(|each| (each.name.to_owned(), kind(each.kind))).collect();
    json!({ "type": "object", "properties": each, "additionalProperties": false, "minProperties": 1, "maxProperties": 1 })
}
