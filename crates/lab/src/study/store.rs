//! The store of measurements. Each is on disk as soon as it is made.
//!
//! One file holds the measurements of all studies: a first line that says where they were made, then a line of JSON
//! for each measurement. Studies share measurements. A torn last line, left by a process that was killed, is dropped.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use unstick::files::write_atomic;
use unstick::gpu::{Backend, Gpu};

use super::record::Record;
use crate::LabError;
use crate::machine;

/// Name of the file.
const FILE: &str = "measurements.jsonl";

/// Where, and with which program, something was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of the program.
    pub unstick: String,
    /// Name of the processor.
    pub processor: String,
    /// Threads it had.
    pub threads: usize,
    /// The GPU that solved problems; none if the processor did it all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Device>,
}

/// A GPU, and which problems it solved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// What it is called.
    pub name: String,
    /// Whether it was alone: solvers that it lacks were skipped instead of running on the processor.
    pub is_alone: bool,
}

/// The file and what it holds.
pub struct Store {
    path: PathBuf,
    provenance: Provenance,
    file: File,
    records: HashMap<String, Record>,
}

#[derive(Serialize, Deserialize)]
struct StoredRecord {
    key: String,
    record: Record,
}

impl Provenance {
    /// The current machine. A missing GPU is refused if the backend demands one.
    pub fn here(backend: Backend) -> Result<Self, LabError> {
        let device = |gpu: Gpu| Ok(Device { name: gpu.name()?, is_alone: backend == Backend::Gpu });
        let gpu = match backend {
            Backend::Cpu => None,
            Backend::Gpu => Some(Gpu::first().and_then(device)?),
            Backend::Auto => Gpu::first().and_then(device).ok(),
        };
        Ok(Self {
            unstick: env!("CARGO_PKG_VERSION").into(),
            processor: machine::processor().unwrap_or_else(|| "an unknown processor".into()),
            threads: rayon::current_num_threads(),
            gpu,
        })
    }

    /// Where solvers run.
    pub fn backend(&self) -> Backend {
        match &self.gpu {
            None => Backend::Cpu,
            Some(device) if device.is_alone => Backend::Gpu,
            Some(_) => Backend::Auto,
        }
    }
}

impl Store {
    /// Whether a folder holds measurements.
    pub fn exists(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    /// An empty store; replaces an existing one.
    pub fn create(folder: &Path, provenance: Provenance) -> Result<Self, LabError> {
        let path = folder.join(FILE);
        let head = serde_json::to_string(&provenance).map_err(|error| LabError::writing(&path)(error.into()))? + "\n";
        write_atomic(&path, head.as_bytes()).map_err(LabError::writing(&path))?;
        let file = OpenOptions::new().append(true).open(&path).map_err(LabError::writing(&path))?;
        Ok(Self { path, provenance, file, records: HashMap::new() })
    }

    /// The store of a folder, to continue measuring. Refused if another machine or backend made it.
    pub fn resume(folder: &Path, here: Provenance) -> Result<Self, LabError> {
        Self::open(folder, Some(here))
    }

    /// The store of a folder, to look at.
    pub fn show(folder: &Path) -> Result<Self, LabError> {
        Self::open(folder, None)
    }

    /// Opens the store of a folder if its provenance is as required.
    fn open(folder: &Path, here: Option<Provenance>) -> Result<Self, LabError> {
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path).map_err(LabError::writing(&path))?;
        let mut lines = text.split_inclusive('\n');
        let found: Option<Provenance> = lines.next().and_then(|line| serde_json::from_str(line).ok());
        let damaged = |reason: String| LabError::Measurements { path: path.clone(), reason };
        let provenance = match (found, here) {
            (Some(found), Some(here)) if found != here => {
                let (measured_by, this) = (found.describe(), here.describe());
                return Err(LabError::OtherMachine { path, measured_by, this });
            }
            (Some(found), _) => found,
            (None, _) => return Err(damaged("the first line does not say what measured it".into())),
        };
        let mut records = HashMap::new();
        let mut sound = text.len();
        for line in lines {
            match serde_json::from_str::<StoredRecord>(line) {
                Ok(line) => drop(records.insert(line.key, line.record)),
                Err(_) if !line.ends_with('\n') => sound -= line.len(),
                Err(error) => return Err(damaged(format!("a broken line: {error}"))),
            }
        }
        let file = OpenOptions::new().append(true).open(&path).map_err(LabError::writing(&path))?;
        file.set_len(sound as u64).map_err(LabError::writing(&path))?;
        Ok(Self { path, provenance, file, records })
    }

    /// Where it was measured.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The folder it is in.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// A measurement, if it is there.
    pub fn get(&self, key: &str) -> Option<&Record> {
        self.records.get(key)
    }

    /// Stores a measurement. It is on disk when this returns.
    pub fn put(&mut self, key: String, record: Record) -> Result<(), LabError> {
        let line = StoredRecord { key, record };
        write_line(&mut self.file, &line).map_err(LabError::writing(&self.path))?;
        self.records.insert(line.key, line.record);
        Ok(())
    }
}

impl Provenance {
    /// One line for people.
    pub fn describe(&self) -> String {
        let threads = if self.threads == 1 { "thread" } else { "threads" };
        let gpu = match &self.gpu {
            None => String::new(),
            Some(Device { name, is_alone: true }) => {
                format!("; problems solved on gpu ({name}) by solvers that it has")
            }
            Some(Device { name, .. }) => format!("; problems solved on gpu ({name}) where it has the solver"),
        };
        format!("unstick {} on {}, {} {threads}{gpu}", self.unstick, self.processor, self.threads)
    }
}

fn write_line(file: &mut File, value: &impl Serialize) -> std::io::Result<()> {
    let mut text = serde_json::to_string(value)?;
    text.push('\n');
    file.write_all(text.as_bytes())?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::record::Step;

    fn here() -> Provenance {
        Provenance::here(Backend::Cpu).unwrap()
    }

    fn step(cycles: f64) -> Record {
        Record::Step(Step { cycles, ..Step::default() })
    }

    #[test]
    fn measurements_survive_and_a_torn_line_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::create(folder.path(), here()).unwrap();
        store.put("one".into(), step(1.0)).unwrap();
        drop(store);
        let path = folder.path().join(FILE);
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{whole}{{\"key\":\"two\",\"rec")).unwrap();

        let mut store = Store::resume(folder.path(), here()).unwrap();
        assert_eq!((store.get("one"), store.get("two")), (Some(&step(1.0)), None));
        store.put("two".into(), step(2.0)).unwrap();
        assert_eq!(Store::resume(folder.path(), here()).unwrap().get("two"), Some(&step(2.0)));
    }

    #[test]
    fn measurements_of_another_machine_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let head = Provenance { processor: "an abacus".into(), ..here() };
        std::fs::write(folder.path().join(FILE), serde_json::to_string(&head).unwrap() + "\n").unwrap();
        let error = Store::resume(folder.path(), here()).err().unwrap().to_string();
        assert!(error.contains("an abacus"), "{error}");
    }

    #[test]
    fn measurements_of_another_backend_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        drop(Store::create(folder.path(), here()).unwrap());
        let path = folder.path().join(FILE);
        let head = std::fs::read_to_string(&path).unwrap();
        assert!(!head.contains("gpu"), "a file of the processor says what it said before there was a choice");
        for is_alone in [true, false] {
            let there = Provenance { gpu: Some(Device { name: "an engine".into(), is_alone }), ..here() };
            let error = Store::resume(folder.path(), there.clone()).err().unwrap().to_string();
            assert!(error.contains("an engine"), "{error}");
            drop(Store::create(folder.path(), there.clone()).unwrap());
            assert_eq!(Store::resume(folder.path(), there.clone()).unwrap().provenance(), &there);
            assert!(Store::resume(folder.path(), here()).is_err());
            std::fs::write(&path, &head).unwrap();
        }
    }
}
