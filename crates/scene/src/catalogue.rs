//! The scenes that come with the program.

/// A scene of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct CatalogueEntry {
    /// Bare name.
    pub name: &'static str,
    /// The TOML of it, comments included.
    pub text: &'static str,
}

macro_rules! catalogue {
    ($($name:literal),+ $(,)?) => {
        &[$(CatalogueEntry { name: $name, text: include_str!(concat!("../../../scenes/", $name, ".toml")) }),+]
    };
}

/// Liquids with a surface, in the order in which they are listed.
pub const ALL: &[CatalogueEntry] = catalogue!(
    "dam-break",
    "dam-break-3d",
    "dam-break-cube",
    "stairs",
    "stairs-3d",
    "stairs-hard",
    "stairs-hard-3d",
    "sphere-cubes",
    "circle-half",
    "square-half",
    "sphere-half",
    "sphere-cuboid",
    "two-spheres",
    "maze",
    "disc-around-box",
    "two-discs",
    "column",
    "two-columns",
    "ceiling-drop",
    "adhesion",
    "drop-oscillating",
    "honey",
    "slump",
    "bubble-rising",
    "glugging-bottle",
    "float",
    "lid-bounce",
    "rest",
    "sealed-full",
);

/// Viscous flows, likewise.
pub const VISCOUS: &[CatalogueEntry] = catalogue!(
    "cavity",
    "cavity-particles",
    "cylinder-channel",
    "cylinder-channel-3d",
    "oscillating-cylinder",
    "settling-sphere",
    "settling-disk",
    "kissing",
    "fluidised-bed",
    "sedimentation-5000",
);

/// Names of all scenes.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().chain(VISCOUS).map(|entry| entry.name)
}

/// The scene of that name, of either kind.
pub fn find(name: &str) -> Option<&'static CatalogueEntry> {
    ALL.iter().chain(VISCOUS).find(|entry| entry.name == name)
}
