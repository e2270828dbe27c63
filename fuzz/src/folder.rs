//! Folders of several files, of which the input replaces one.

use std::path::Path;

use tempfile::TempDir;

/// The files of a sound folder: path and content.
pub type Files = Vec<(String, Vec<u8>)>;

/// Reads all files below a folder, in the order of their paths.
pub fn files_of(root: &Path) -> Files {
    let mut files = Files::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder was just written").flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if let (Ok(name), Ok(content)) = (path.strip_prefix(root), std::fs::read(&path)) {
                files.push((name.to_string_lossy().into_owned(), content));
            }
        }
    }
    files.sort();
    files
}

/// One input per file: the number of the file in `chosen`, and its content.
pub fn seeds(files: &Files, chosen: &[&str]) -> Vec<Vec<u8>> {
    let content = |name: &&str| files.iter().find(|(known, _)| known == name).map(|(_, content)| content.as_slice());
    let seed = |(number, name)| [&[number as u8][..], content(name).unwrap_or_default()].concat();
    chosen.iter().enumerate().map(seed).collect()
}

/// Writes the folder with one of the chosen files replaced by the input.
pub fn with_replaced(files: &Files, chosen: &[&str], input: &[u8]) -> Option<TempDir> {
    let (&number, content) = input.split_first()?;
    let replaced = chosen[usize::from(number) % chosen.len()];
    let folder = tempfile::tempdir().ok()?;
    let others = files.iter().filter(|(name, _)| name != replaced).map(|(name, content)| (name.as_str(), &content[..]));
    for (name, content) in others.chain([(replaced, content)]) {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent()?).ok()?;
        std::fs::write(path, content).ok()?;
    }
    Some(folder)
}
