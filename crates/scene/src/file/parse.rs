//! From text to nodes.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Place, SceneError, Source};
use super::node::{Entry, Node, Value, inner_path};

impl Node {
    /// Parses a whole file.
    pub fn parse(source: &Arc<Source>) -> Result<Self, SceneError> {
        let text = Text { source, offset: 0 };
        let table = DeTable::parse(&source.text).map_err(|error| text.refuse(&error))?;
        Ok(Self { path: String::new(), place: text.place(table.span()), value: text.table("", table.get_ref())? })
    }

    /// Parses one value that is a part of a text.
    pub fn parse_value(place: &Place, path: String) -> Result<Self, SceneError> {
        let text = Text { source: &place.source, offset: place.span.start };
        let value = DeValue::parse(&place.source.text[place.span.clone()]).map_err(|error| text.refuse(&error))?;
        text.node(path, &value)
    }
}

/// A text whose parsed values become nodes; spans are counted from the offset.
struct Text<'a> {
    source: &'a Arc<Source>,
    offset: usize,
}

impl Text<'_> {
    fn place(&self, span: Range<usize>) -> Place {
        Place { source: self.source.clone(), span: span.start + self.offset..span.end + self.offset }
    }

    fn refuse(&self, error: &toml::de::Error) -> SceneError {
        let Range { start, end } = self.place(error.span().unwrap_or(0..0)).span;
        let length = self.source.text.len();
        let place = Place { source: self.source.clone(), span: start.min(length)..end.min(length) };
        SceneError::at(&place, format!("not valid TOML: {}", error.message().trim()), "here")
    }

    fn table(&self, path: &str, table: &DeTable<'_>) -> Result<Value, SceneError> {
        let mut entries = Vec::new();
        for (key, value) in table.iter() {
            let name = key.get_ref().to_string();
            let node = self.node(inner_path(path, &name), value)?;
            entries.push(Entry { name, place: self.place(key.span()), node });
        }
        entries.sort_by_key(|entry| entry.place.span.start);
        Ok(Value::Table(entries))
    }

    fn node(&self, path: String, value: &Spanned<DeValue<'_>>) -> Result<Node, SceneError> {
        let place = self.place(value.span());
        let too_large = || SceneError::at(&place, format!("`{path}` does not fit a number"), "too large");
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(integer) => {
                let number = i64::from_str_radix(integer.as_str(), integer.radix());
                Value::Integer(number.map_err(|_| too_large())?)
            }
            DeValue::Float(float) => Value::Number(float.as_str().parse().map_err(|_| too_large())?),
            DeValue::Boolean(truth) => Value::Bool(*truth),
            DeValue::Datetime(date) => Value::Date(date.to_string()),
            DeValue::Array(items) => {
                let nodes = items.iter().enumerate().map(|(index, item)| self.node(format!("{path}[{index}]"), item));
                Value::List(nodes.collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => self.table(&path, table)?,
        };
        Ok(Node { path, place, value })
    }
}
