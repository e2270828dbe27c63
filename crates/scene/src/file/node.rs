//! Values of a scene file that know their path and place, and checked ways to read them.

use super::error::{Place, SceneError, suggestion};
use crate::schema::{Alternatives, Table};

/// A value, its path (`grid.cells`) and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub path: String,
    pub place: Place,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Number(f64),
    Bool(bool),
    Date(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub name: String,
    pub place: Place,
    pub node: Node,
}

impl Node {
    /// What kind of value it is, in words.
    pub fn kind(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("the text \"{text}\""),
            Value::Integer(number) => number.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Bool(truth) => truth.to_string(),
            Value::Date(date) => date.clone(),
            Value::List(items) if items.len() == 1 => "a list of one".into(),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Table(_) => "a table".into(),
        }
    }

    /// `grid.cells` is …, expected …
    pub fn refuse(&self, expected: &str) -> SceneError {
        let message = format!("`{}` is {}, expected {expected}", self.path, self.kind());
        SceneError::at(&self.place, message, format!("expected {expected}"))
    }

    /// `grid.cells` … what is wrong with it.
    pub fn wrong(&self, what: &str, label: &str) -> SceneError {
        SceneError::at(&self.place, format!("`{}` {what}", self.path), label)
    }

    /// The fields of a table; refuses names that are not in the schema, and gives the nearest.
    pub fn fields(&self, table: &Table) -> Result<Fields<'_>, SceneError> {
        self.named(&table.names())
    }

    fn named(&self, known: &[&str]) -> Result<Fields<'_>, SceneError> {
        let Value::Table(entries) = &self.value else { return Err(self.refuse("a table")) };
        for entry in entries {
            if !known.contains(&entry.name.as_str()) {
                let within = if self.path.is_empty() { String::new() } else { format!(" in `{}`", self.path) };
                let message = format!("unknown key `{}`{within}", entry.name);
                let error = SceneError::at(&entry.place, message, "not known here");
                return Err(error.with_help(Some(suggestion(&entry.name, known))));
            }
        }
        Ok(Fields { node: self, entries })
    }

    pub fn text(&self) -> Result<&str, SceneError> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.refuse("a text in quotes")),
        }
    }

    pub fn truth(&self) -> Result<bool, SceneError> {
        match &self.value {
            Value::Bool(truth) => Ok(*truth),
            _ => Err(self.refuse("true or false")),
        }
    }

    pub fn number(&self) -> Result<f64, SceneError> {
        match &self.value {
            Value::Integer(number) => Ok(*number as f64),
            Value::Number(number) if number.is_finite() => Ok(*number),
            _ => Err(self.refuse("a number")),
        }
    }

    /// A number above zero.
    pub fn positive(&self) -> Result<f64, SceneError> {
        self.number().ok().filter(|&number| number > 0.0).ok_or_else(|| self.refuse("a positive number"))
    }

    /// A number from `lower` to `upper`.
    pub fn within(&self, lower: f64, upper: f64) -> Result<f64, SceneError> {
        let number = self.number().ok().filter(|number| (lower..=upper).contains(number));
        number.ok_or_else(|| self.refuse(&format!("a number from {lower} to {upper}")))
    }

    /// A whole number from `lower` to `upper`.
    pub fn count(&self, lower: usize, upper: usize) -> Result<usize, SceneError> {
        let count = match self.value {
            Value::Integer(number) => usize::try_from(number).ok().filter(|count| (lower..=upper).contains(count)),
            _ => None,
        };
        count.ok_or_else(|| match upper {
            usize::MAX => self.refuse(&format!("a whole number, {lower} or more")),
            _ => self.refuse(&format!("a whole number from {lower} to {upper}")),
        })
    }

    pub fn list(&self, expected: &str) -> Result<&[Node], SceneError> {
        match &self.value {
            Value::List(items) => Ok(items),
            _ => Err(self.refuse(expected)),
        }
    }

    /// As many numbers as there are axes.
    pub fn vector<const D: usize>(&self) -> Result<[f64; D], SceneError> {
        let expected = format!("{D} numbers, one per axis of `grid.cells`");
        let numbers = self.list(&expected)?.iter().map(Self::number).collect::<Result<Vec<_>, _>>();
        numbers?.try_into().map_err(|_| self.refuse(&expected))
    }

    /// One of several names.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, SceneError> {
        let names: Vec<&str> = choices.iter().map(|choice| choice.0).collect();
        let list = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let Value::Text(text) = &self.value else { return Err(self.refuse(&format!("one of {list}"))) };
        choices
            .iter()
            .find(|choice| choice.0 == text)
            .map(|choice| choice.1)
            .ok_or_else(|| self.refuse(&format!("one of {list}")).with_help(Some(suggestion(text, &names))))
    }

    /// The one entry of a table that names an alternative: `{ sphere = … }`.
    pub fn alternative(&self, what: &str, of: &Alternatives) -> Result<(&str, &Node), SceneError> {
        let known = of.names();
        let example = format!("a {what}, such as {{ {} = … }}", known[0]);
        let Value::Table(entries) = &self.value else { return Err(self.refuse(&example)) };
        self.named(&known)?;
        match entries.as_slice() {
            [entry] => Ok((&entry.name, &entry.node)),
            _ => {
                let message = format!("`{}` names {} shapes, expected {example}", self.path, entries.len());
                let several = (entries.len() > 1).then(|| "join several with { union = [ … ] }".to_owned());
                Err(SceneError::at(&self.place, message, "expected one name").with_help(several))
            }
        }
    }

    /// The value as TOML holds it.
    pub fn to_toml(&self) -> toml::Value {
        match &self.value {
            Value::Text(text) | Value::Date(text) => toml::Value::String(text.clone()),
            Value::Integer(number) => toml::Value::Integer(*number),
            Value::Number(number) => toml::Value::Float(*number),
            Value::Bool(truth) => toml::Value::Boolean(*truth),
            Value::List(items) => toml::Value::Array(items.iter().map(Self::to_toml).collect()),
            Value::Table(entries) => {
                toml::Value::Table(entries.iter().map(|entry| (entry.name.clone(), entry.node.to_toml())).collect())
            }
        }
    }
}

/// The fields of a table whose names are all known.
pub(crate) struct Fields<'a> {
    node: &'a Node,
    entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    pub fn get(&self, name: &str) -> Option<&'a Node> {
        self.entries.iter().find(|entry| entry.name == name).map(|entry| &entry.node)
    }

    pub fn need(&self, name: &str) -> Result<&'a Node, SceneError> {
        self.get(name).ok_or_else(|| {
            let within = if self.node.path.is_empty() { "the scene".into() } else { format!("`{}`", self.node.path) };
            SceneError::at(&self.node.place, format!("{within} has no `{name}`"), format!("`{name}` is missing"))
        })
    }

    /// Reads a field, or keeps what was there.
    pub fn read<T>(
        &self,
        name: &str,
        target: &mut T,
        read: impl FnOnce(&'a Node) -> Result<T, SceneError>,
    ) -> Result<(), SceneError> {
        if let Some(node) = self.get(name) {
            *target = read(node)?;
        }
        Ok(())
    }

    /// A text, or what is usual.
    pub fn text(&self, name: &str, usual: &str) -> Result<String, SceneError> {
        Ok(self.get(name).map_or(Ok(usual), Node::text)?.to_owned())
    }

    /// The fields of a table within; none are given where there is no such table.
    pub fn inner(&self, name: &str, table: &Table) -> Result<Fields<'a>, SceneError> {
        self.get(name).map_or(Ok(Fields { node: self.node, entries: &[] }), |node| node.fields(table))
    }

    /// The tables `[[name]]`.
    pub fn tables(&self, name: &str) -> Result<&'a [Node], SceneError> {
        self.get(name).map_or(Ok(&[]), |node| node.list(&format!("tables, each after [[{name}]]")))
    }

    /// Refuses the first of these fields that is given.
    pub fn exclude(&self, names: &[&str], what: &str, label: &str) -> Result<(), SceneError> {
        match names.iter().find_map(|name| self.get(name)) {
            Some(node) => Err(node.wrong(what, label)),
            None => Ok(()),
        }
    }
}

/// The path of an entry of a table.
pub(super) fn inner_path(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
