//! Scene files: TOML in, values out. Every key is described in `docs/scene-file.md`.

mod body;
mod error;
mod keyframes;
mod motion;
mod node;
mod output;
mod parse;
mod pressure;
mod read;
mod set;
mod shape;
mod varying;
mod viscous;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use unstick_mlcp::nearest;

pub use error::{Place, SceneError, Source};

use crate::catalogue;
use crate::scene::AnyScene;
use crate::viscous::AnyViscousScene;
use node::Node;

/// A scene as text, with whatever the command line sets, not yet understood.
#[derive(Clone, Debug)]
pub struct SceneFile {
    name: String,
    folder: PathBuf,
    root: Node,
}

impl SceneFile {
    /// A scene of the catalogue by its bare name, or a file by its path.
    pub fn find(name: &str) -> Result<Self, SceneError> {
        if let Some(entry) = catalogue::find(name) {
            return Self::parse(entry.name, &format!("scenes/{}.toml", entry.name), entry.text, Path::new("."));
        }
        let path = Path::new(name);
        let looks_like_a_path = name.contains(['/', '\\']) || path.extension().is_some_and(|end| end == "toml");
        if looks_like_a_path || path.is_file() {
            return Self::read(path);
        }
        let help = match nearest(name, catalogue::names()) {
            Some(best) => format!("did you mean `{best}`? `unstick scenes` lists them all"),
            None => "`unstick scenes` lists them; a file is named by its path: `./my.toml`".into(),
        };
        Err(SceneError::anywhere(format!("there is no scene `{name}`")).with_help(Some(help)))
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let text = std::fs::read(path).map_err(|error| SceneError::unreadable(path, &error))?;
        let text = String::from_utf8(text)
            .map_err(|_| SceneError::anywhere(format!("{}: not a text in UTF-8", path.display())))?;
        let name = path.file_stem().map_or("scene".into(), |stem| stem.to_string_lossy().into_owned());
        Self::parse(&name, &path.display().to_string(), &text, path.parent().unwrap_or(Path::new(".")))
    }

    /// Parses a text. Errors call it `origin`; meshes are looked for in `folder`.
    pub fn parse(name: &str, origin: &str, text: &str, folder: &Path) -> Result<Self, SceneError> {
        let source = Arc::new(Source { name: origin.into(), text: text.into() });
        Ok(Self { name: name.into(), folder: folder.to_owned(), root: Node::parse(&source)? })
    }

    /// Changes one value: `grid.cells=[64,64]`. What it is set to is checked with all the rest.
    pub fn set(&mut self, assignment: &str) -> Result<(), SceneError> {
        set::set(&mut self.root, assignment)
    }

    /// The value at a path, as `--set` names it; none if it is left out.
    pub fn value(&self, path: &str) -> Option<String> {
        let root = self.root.to_toml();
        let found = path.split('.').try_fold(&root, |value, key| match value {
            toml::Value::Array(items) => items.get(key.parse::<usize>().ok()?),
            value => value.get(key),
        });
        found.map(toml::Value::to_string)
    }

    /// The bare name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where meshes are looked for.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The whole scene as TOML, with everything that was set, without comments.
    pub fn to_toml(&self) -> String {
        document(self.root.to_toml())
    }

    /// What decides how the liquid moves: the scene without title, output, number of frames, where the pressure is solved
    /// for and what to do when a solve falls short. Those may change when a run is resumed.
    pub fn physics(&self) -> String {
        let mut value = self.root.to_toml();
        if let Some(table) = value.as_table_mut() {
            ["title", "description", "output"].iter().for_each(|key| drop(table.remove(*key)));
            let keys = ["time.frames", "pressure.backend", "pressure.on_unconverged", "flow.on_unconverged"];
            for (part, key) in keys.iter().filter_map(|key| key.split_once('.')) {
                if let Some(part) = table.get_mut(part).and_then(|part| part.as_table_mut()) {
                    part.remove(key);
                }
            }
            // `--set` of such a key leaves a table behind that is empty now.
            table.retain(|_, value| value.as_table().is_none_or(|part| !part.is_empty()));
        }
        document(value)
    }

    /// Whether it is a scene of viscous flow, which [`Self::viscous_scene`] gives.
    pub fn is_viscous(&self) -> bool {
        viscous::flow_of(&self.root).is_some()
    }

    /// Checks everything and gives it as values: a viscous flow.
    pub fn viscous_scene(&self) -> Result<AnyViscousScene, SceneError> {
        viscous::scene(&self.name, &self.root, &self.folder)
    }

    /// Checks everything and gives it as values: a liquid with a surface. Viscous flows are refused.
    pub fn scene(&self) -> Result<AnyScene, SceneError> {
        if let Some(flow) = viscous::flow_of(&self.root) {
            let message = format!("`{}` is a viscous flow that fills its box, without a surface", self.name);
            let help = Some("this works with liquids that have one; `unstick run` runs both kinds".into());
            return Err(SceneError::at(&flow.place, message, "a scene of another kind").with_help(help));
        }
        read::scene(&self.name, &self.root, &self.folder)
    }
}

/// A table as a whole file, not as a value within one.
fn document(value: toml::Value) -> String {
    match value {
        toml::Value::Table(table) => table.to_string(),
        other => other.to_string(),
    }
}
