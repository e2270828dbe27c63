//! The page, as it lies in `viewer/`, inside the program.

use crate::http::Response;

/// A file of the page: address, type, content.
type Entry = (&'static str, &'static str, &'static [u8]);

macro_rules! page {
    ($($path:literal: $kind:expr),+ $(,)?) => {
        /// All files.
        pub const FILES: &[Entry] =
            &[$((concat!("/", $path), $kind, include_bytes!(concat!("../../../viewer/", $path)))),+];
    };
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

page!(
    "index.html": "text/html; charset=utf-8",
    "style.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "sandbox.wasm": "application/wasm",
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

/// The file at an address.
pub fn find(path: &str) -> Option<Response> {
    let path = if path == "/" { "/index.html" } else { path };
    FILES.iter().find(|(known, ..)| *known == path).map(|(_, kind, bytes)| Response::embedded(kind, bytes))
}

/// The content of a file of the page, which is there.
pub fn content(path: &str) -> &'static [u8] {
    FILES.iter().find(|(known, ..)| *known == path).map_or(&[], |(.., bytes)| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_of_the_page_is_in_the_program() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../viewer/js");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        for name in names {
            assert!(!content(&format!("/js/{name}")).is_empty(), "{name} is not in the list");
        }
    }
}
