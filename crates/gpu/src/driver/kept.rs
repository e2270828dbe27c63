//! Compiled kernels that the next process finds again: compiling them takes longer than many a run of the solvers.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// Where the kernels of one text, compiled in one way, are kept.
pub(super) struct Kept {
    path: PathBuf,
}

impl Kept {
    /// The place in the user's folder for such things, if there is one. `way` is all that the result depends on beside
    /// the text.
    pub fn of(text: &str, way: &[String]) -> Option<Self> {
        Some(Self::within(&cache()?.join("unstick"), text, way))
    }

    fn within(folder: &Path, text: &str, way: &[String]) -> Self {
        let half = |salt: u8| hash_of(&(salt, text, way));
        Self { path: folder.join(format!("kernels-{:016x}{:016x}.ptx", half(0), half(1))) }
    }

    /// What was kept; none if nothing was, or it is damaged.
    pub fn read(&self) -> Option<String> {
        let kept = fs::read_to_string(&self.path).ok()?;
        let (head, compiled) = kept.split_once('\n')?;
        (head == head_of(compiled)).then(|| compiled.to_owned())
    }

    /// Keeps the kernels. A reader sees all of them or none.
    pub fn write(&self, compiled: &str) -> io::Result<()> {
        let unfinished = self.path.with_extension(std::process::id().to_string());
        fs::create_dir_all(self.path.parent().unwrap_or(&self.path))?;
        let written = fs::write(&unfinished, format!("{}\n{compiled}", head_of(compiled)));
        let kept = written.and_then(|()| fs::rename(&unfinished, &self.path));
        kept.inspect_err(|_| drop(fs::remove_file(&unfinished)))
    }
}

/// A comment of the language that says what follows.
fn head_of(compiled: &str) -> String {
    format!("// unstick {:016x}", hash_of(&compiled))
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The user's folder for what can be made again.
fn cache() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).filter(|path: &OsString| !path.is_empty()).map(PathBuf::from);
    let own = |home: PathBuf| home.join(if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" });
    let folder = named("XDG_CACHE_HOME").or_else(|| named("LOCALAPPDATA")).or_else(|| named("HOME").map(own));
    folder.filter(|folder| folder.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found_again_by_text_and_way_and_damage_is_noticed() {
        let folder = std::env::temp_dir().join(format!("unstick-kept-{}", std::process::id()));
        let way = |dimension: u32| vec![format!("-DDIM={dimension}")];
        let kept = Kept::within(&folder, "text", &way(2));
        assert!(kept.read().is_none());
        kept.write("compiled\nkernels\n").unwrap();
        assert_eq!(Kept::within(&folder, "text", &way(2)).read().unwrap(), "compiled\nkernels\n");
        assert!(Kept::within(&folder, "text", &way(3)).read().is_none());
        assert!(Kept::within(&folder, "other text", &way(2)).read().is_none());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no temporary file is left");
        let sound = fs::read_to_string(&kept.path).unwrap();
        for damaged in [&sound[..sound.len() - 1], &sound.replace("kernels", "kernals"), "", "\n"] {
            fs::write(&kept.path, damaged).unwrap();
            assert!(kept.read().is_none(), "{damaged}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
