//! The command as people and scripts meet it. One binary, so that there is one to link.

use std::path::Path;

use assert_cmd::Command;

mod backend;
mod bench;
mod export;
mod run;
mod solve;
mod study;
mod view;
mod viscous;

/// The command, run in a folder of its own.
fn unstick(folder: impl AsRef<Path>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_unstick"));
    command.current_dir(folder).env_remove("RUST_BACKTRACE").env("NO_COLOR", "1");
    command
}
