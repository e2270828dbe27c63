//! The command as people and scripts meet it. One binary, so that there is one to link.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

mod backend;
mod bench;
mod export;
mod run;
mod solve;
mod study;
mod view;
mod viscous;

/// What `--json` prints, whatever the command: an object on each line.
fn objects(printed: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(printed).unwrap();
    let object = |line: &str| -> Value { serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")) };
    let objects: Vec<Value> = text.lines().map(object).collect();
    assert!(!objects.is_empty() && objects.iter().all(Value::is_object), "{text}");
    objects
}

/// The command, run in a folder of its own.
fn unstick(folder: impl AsRef<Path>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unstick"));
    command.current_dir(folder).env_remove("RUST_BACKTRACE").env("NO_COLOR", "1");
    command
}
