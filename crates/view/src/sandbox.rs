//! The sandbox as one file that needs no server: scripts and simulator inside, so that it opens from a disk.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use unstick_files::page::document;

use crate::error::ViewError;
use crate::page::content;

/// The scripts that the sandbox is made of, each after those it uses.
const SCRIPTS: [&str; 8] =
    ["math.js", "palette.js", "pack.js", "gl.js", "plane.js", "camera.js", "simulator.js", "sandbox.js"];

/// Writes `index.html` into a folder, which is made; returns its path.
pub fn write_sandbox(folder: &Path) -> Result<PathBuf, ViewError> {
    let path = folder.join("index.html");
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, whole_page()));
    written.map_err(|source| ViewError::Write { path: path.clone(), source })?;
    Ok(path)
}

/// Everything in one page.
fn whole_page() -> String {
    let text = |path: &str| String::from_utf8_lossy(content(path)).into_owned();
    let mut script: String = SCRIPTS.iter().map(|name| joinable(&text(&format!("/js/{name}")))).collect();
    let bytes = STANDARD.encode(content("/sandbox.wasm"));
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

/// A module as a part of one script: its imports are there already, its exports need no word. Every import stands on
/// a line of its own, and names differ between modules.
fn joinable(module: &str) -> String {
    let lines = module.lines().filter(|line| !line.starts_with("import "));
    lines.map(|line| format!("{}\n", line.strip_prefix("export ").unwrap_or(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_complete_in_itself() {
        let folder = tempfile::tempdir().unwrap();
        let page = std::fs::read_to_string(write_sandbox(&folder.path().join("new")).unwrap()).unwrap();
        assert!(page.contains("class Sandbox") && page.contains("class PlaneRenderer"));
        for outside in ["import ", "export ", "src=", "href=", "http://", "https://"] {
            let found = page.lines().find(|line| line.contains(outside) && !line.trim_start().starts_with("//"));
            assert!(found.is_none_or(|line| line.len() > 10_000), "{outside}: {found:?}");
        }
    }
}
