//! The page: the files of `viewer/`, embedded in the program.

use std::sync::LazyLock;

use serde_json::json;
use unstick_scene::draw::{self, Palette};

/// A file of the page: address, type, content.
type Entry = (&'static str, &'static str, &'static [u8]);

macro_rules! page {
    ($($path:literal: $kind:expr),+ $(,)?) => {
        const FILES: &[Entry] =
            &[$((concat!("/", $path), $kind, include_bytes!(concat!("../../../viewer/", $path)))),+];
    };
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

page!(
    "index.html": "text/html; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "js/api.js": SCRIPT,
    "js/camera.js": SCRIPT,
    "js/detail.js": SCRIPT,
    "js/frames.js": SCRIPT,
    "js/gl.js": SCRIPT,
    "js/main.js": SCRIPT,
    "js/math.js": SCRIPT,
    "js/pack.js": SCRIPT,
    "js/palette.js": SCRIPT,
    "js/panel.js": SCRIPT,
    "js/plane.js": SCRIPT,
    "js/plots.js": SCRIPT,
    "js/sandbox.js": SCRIPT,
    "js/save.js": SCRIPT,
    "js/simulator.js": SCRIPT,
    "js/space.js": SCRIPT,
    "js/timeline.js": SCRIPT,
);

/// The address of the sandbox's simulator.
pub const SIMULATOR_ADDRESS: &str = "/wasm/sandbox.wasm";

/// The sandbox's simulator; none if the program was built without it.
#[cfg(has_sandbox)]
pub const SIMULATOR: Option<&[u8]> = Some(include_bytes!("../../../viewer/wasm/sandbox.wasm"));
#[cfg(not(has_sandbox))]
pub const SIMULATOR: Option<&[u8]> = None;

/// The type and content of the file at an address.
pub fn find(address: &str) -> Option<(&'static str, &'static [u8])> {
    match address {
        "/" => find("/index.html"),
        "/js/colours.js" => Some((SCRIPT, COLOURS.as_bytes())),
        SIMULATOR_ADDRESS => SIMULATOR.map(|bytes| ("application/wasm", bytes)),
        _ => FILES.iter().find(|(known, ..)| *known == address).map(|&(_, kind, bytes)| (kind, bytes)),
    }
}

/// The colours of the pictures as a module: the page has no palette of its own.
static COLOURS: LazyLock<String> = LazyLock::new(|| {
    let colours = json!({
        "foam": Palette::Foam.colours().as_flattened(),
        "viridis": Palette::Viridis.colours().as_flattened(),
        "ground": draw::GROUND,
        "solid": draw::SOLID,
        "separated": draw::SEPARATED,
    });
    format!("// Bytes of red, green and blue, as in the pictures of a run.\nexport const COLOURS = {colours};\n")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_of_the_page_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../viewer/js");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        for name in names {
            assert!(find(&format!("/js/{name}")).is_some(), "{name} is not in the list");
        }
    }

    #[test]
    fn the_page_uses_the_colours_of_the_pictures() {
        let (_, script) = find("/js/colours.js").unwrap();
        let text = std::str::from_utf8(script).unwrap();
        let object = text.split_once("COLOURS = ").unwrap().1.trim_end().trim_end_matches(';');
        let colours: serde_json::Value = serde_json::from_str(object).unwrap();
        for (name, palette) in [("foam", Palette::Foam), ("viridis", Palette::Viridis)] {
            assert_eq!(colours[name], json!(palette.colours().concat()), "{name}");
        }
    }
}
