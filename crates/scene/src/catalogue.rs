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
        /// All of them, in the order in which they are listed.
        pub const ALL: &[CatalogueEntry] = &[$(
            CatalogueEntry { name: $name, text: include_str!(concat!("../../../scenes/", $name, ".toml")) }
        ),+];
    };
}

catalogue!(
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
    "float",
    "lid-bounce",
    "rest",
    "sealed-full",
);

/// The scene of that name.
pub fn find(name: &str) -> Option<&'static CatalogueEntry> {
    ALL.iter().find(|entry| entry.name == name)
}
