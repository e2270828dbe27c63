//! Two runs side by side: the same scene with other walls, or with one setting changed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unstick_liquid::Wall;

use super::folder::{OF_SETTINGS, OF_WALLS};
use super::{AnyRunScene, RunError, RunFolder, RunRecord};
use crate::either;
use crate::file::{SceneError, SceneFile};

/// What differs between the two runs of a comparison.
///
/// ```
/// use unstick_scene::run::Comparison;
///
/// assert_eq!("sealed".parse(), Ok(Comparison::Walls(unstick_liquid::Wall::Sealed)));
/// assert_eq!("flow.viscosity=0.1".parse(), Ok(Comparison::Setting("flow.viscosity=0.1".into())));
/// assert!("glued".parse::<Comparison>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Comparison {
    /// All walls of one of the runs are of this kind.
    Walls(Wall),
    /// One of the runs has this setting, `KEY=VALUE`.
    Setting(String),
}

/// A text that is not a comparison.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `sealed`, `separating` or KEY=VALUE, found `{0}`")]
pub struct ParseComparisonError(String);

impl FromStr for Comparison {
    type Err = ParseComparisonError;

    fn from_str(text: &str) -> Result<Self, ParseComparisonError> {
        match text {
            "sealed" => Ok(Self::Walls(Wall::Sealed)),
            "separating" => Ok(Self::Walls(Wall::Separating)),
            setting if setting.contains('=') => Ok(Self::Setting(setting.into())),
            other => Err(ParseComparisonError(other.into())),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Walls(wall) => f.write_str(wall_name(*wall)),
            Self::Setting(setting) => f.write_str(setting),
        }
    }
}

/// One of the runs of a folder.
pub(super) struct Variant {
    /// Its folder within that of the comparison; none if it is the only one.
    pub folder: Option<&'static str>,
    /// What tells it from the other; empty if it is the only one.
    pub label: String,
    /// The scene as text.
    pub file: SceneFile,
    /// The kind of all walls, where the scene's own are overruled.
    pub walls: Option<Wall>,
}

impl Variant {
    /// The only run of a folder.
    pub fn only(file: SceneFile) -> Self {
        Self { folder: None, label: String::new(), file, walls: None }
    }

    /// Where it lies in the folder of all, and what is written of it there.
    pub fn place(&self, root: &RunFolder, record: &RunRecord) -> (RunFolder, RunRecord) {
        let Some(name) = self.folder else { return (root.clone(), record.clone()) };
        let (toml, label) = (self.file.to_toml(), Some(self.label.clone()));
        (root.member(name), RunRecord { toml, walls: self.walls, compare: None, label, ..record.clone() })
    }

    /// The scene as values.
    pub fn scene(&self) -> Result<AnyRunScene, SceneError> {
        AnyRunScene::of(&self.file, self.walls)
    }
}

impl Comparison {
    /// Names of the folders of the two runs.
    pub fn folders(&self) -> [&'static str; 2] {
        match self {
            Self::Walls(_) => OF_WALLS,
            Self::Setting(_) => OF_SETTINGS,
        }
    }

    /// What holds for the second run, as a sentence.
    pub(super) fn statement(&self) -> String {
        match self {
            Self::Walls(_) => format!("all walls of this scene are {self}"),
            Self::Setting(setting) => format!("this scene has `{setting}`"),
        }
    }

    /// The two runs.
    pub(super) fn variants(&self, file: &SceneFile) -> Result<[Variant; 2], RunError> {
        let [first, second] = self.folders();
        match self {
            Self::Walls(wall) => {
                check_walls(file, *wall)?;
                let of = |kind: Wall, folder| Variant {
                    folder: Some(folder),
                    label: format!("{} walls", wall_name(kind)),
                    file: file.clone(),
                    walls: (kind == *wall).then_some(kind),
                };
                Ok([of(Wall::Sealed, first), of(Wall::Separating, second)])
            }
            Self::Setting(setting) => {
                let mut changed = file.clone();
                changed.set(setting)?;
                if changed.to_toml() == file.to_toml() {
                    return Err(RunError::NothingToCompare(self.clone()));
                }
                let key = setting.split('=').next().unwrap_or_default().trim();
                let before = match file.value(key) {
                    Some(value) => format!("{key}={value}"),
                    None => format!("default {key}"),
                };
                let original = Variant { folder: Some(first), label: before, file: file.clone(), walls: None };
                Ok([original, Variant { folder: Some(second), label: setting.clone(), file: changed, walls: None }])
            }
        }
    }
}

fn wall_name(wall: Wall) -> &'static str {
    match wall {
        Wall::Sealed => OF_WALLS[0],
        Wall::Separating => OF_WALLS[1],
    }
}

fn check_walls(file: &SceneFile, wall: Wall) -> Result<(), RunError> {
    if file.is_viscous() {
        return Err(RunError::NoWalls(file.name().into()));
    }
    let is_same = either!(file.scene()?, scene => {
        scene.setup.border == wall && scene.setup.solids.iter().all(|solid| solid.wall == wall)
    });
    match is_same {
        true => Err(RunError::NothingToCompare(Comparison::Walls(wall))),
        false => Ok(()),
    }
}
