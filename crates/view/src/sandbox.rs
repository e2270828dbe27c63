//! The sandbox as one file: scripts and simulator are inside, so it opens from a disk without a server.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use unstick_files::page::document;
use unstick_files::write_atomic;

use crate::error::ViewError;
use crate::page::{SIMULATOR, find};

/// The scripts of the sandbox. Each stands after those it imports.
const SCRIPTS: [&str; 9] =
    ["colours.js", "math.js", "palette.js", "pack.js", "gl.js", "plane.js", "camera.js", "simulator.js", "sandbox.js"];

/// Whether this program was built with the sandbox: `viewer/build.sh` builds it.
pub const fn has_sandbox() -> bool {
    SIMULATOR.is_some()
}

/// Writes the sandbox as `index.html` into a folder, which is created; returns its path. A file of that name is refused,
/// with `force` replaced.
pub fn write_sandbox(folder: &Path, force: bool) -> Result<PathBuf, ViewError> {
    let path = destination(folder, force)?;
    let page = page(SIMULATOR.ok_or(ViewError::NoSandbox)?);
    let written = std::fs::create_dir_all(folder).and_then(|()| write_atomic(&path, page.as_bytes()));
    written.map_err(|source| ViewError::Write { path: path.clone(), source })?;
    Ok(path)
}

/// Where the page goes, if nothing is lost by that.
fn destination(folder: &Path, force: bool) -> Result<PathBuf, ViewError> {
    let path = folder.join("index.html");
    match path.symlink_metadata().is_ok() && !force {
        true => Err(ViewError::Exists(path)),
        false => Ok(path),
    }
}

/// The page with everything inside.
fn page(simulator: &[u8]) -> String {
    let text = |address: &str| String::from_utf8_lossy(find(address).map_or(&[], |(_, bytes)| bytes)).into_owned();
    let mut script: String = SCRIPTS.iter().map(|name| inlined(&text(&format!("/js/{name}")))).collect();
    let bytes = STANDARD.encode(simulator);
    script += &format!("const WASM = \"{bytes}\";\n{START}");
    let style = text("/style.css");
    let body = format!(
        "<header><h1>unstick</h1></header>\n<main id=\"sandbox\"></main>\n\
         <script type=\"module\">\n{script}</script>\n"
    );
    document("unstick: sandbox", &style, &body)
}

const START: &str = "\
const bytes = Uint8Array.from(atob(WASM), (letter) => letter.charCodeAt(0));
document.documentElement.dataset.theme = matchMedia(\"(prefers-color-scheme: dark)\").matches ? \"dark\" : \"light\";
const sandbox = new Sandbox(document.getElementById(\"sandbox\"), async () => bytes.buffer);
sandbox.resume();
window.unstick = { sandbox: () => sandbox };
";

/// A module as part of one script, without its imports and without the word `export`.
///
/// This works because every import stands on a line of its own and no two modules use the same name.
fn inlined(module: &str) -> String {
    let lines = module.lines().filter(|line| !line.starts_with("import "));
    lines.map(|line| format!("{}\n", line.strip_prefix("export ").unwrap_or(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        let page = page(b"\0asm");
        assert!(
            page.contains("class Sandbox") && page.contains("class PlaneRenderer") && page.contains("const COLOURS")
        );
        assert!(page.contains("const WASM = \"AGFzbQ==\""));
        for outside in ["import ", "export ", "src=", "href=", "http://", "https://"] {
            let found = page.lines().find(|line| line.contains(outside) && !line.trim_start().starts_with("//"));
            assert_eq!(found, None, "{outside}");
        }
    }

    #[test]
    fn a_page_that_is_there_is_replaced_only_when_asked_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index.html");
        std::fs::write(&path, "mine").unwrap();
        assert!(matches!(write_sandbox(folder.path(), false), Err(ViewError::Exists(found)) if found == path));
        assert_eq!(destination(folder.path(), true).unwrap(), path);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    }

    #[test]
    fn the_sandbox_is_written_or_its_absence_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        match write_sandbox(&folder.path().join("new"), false) {
            Ok(path) => assert!(has_sandbox() && std::fs::read_to_string(path).unwrap().contains("const WASM")),
            Err(error) => assert!(!has_sandbox() && error.to_string().contains("viewer/build.sh"), "{error}"),
        }
    }
}
