//! `unstick view`: run folders in a browser.

use std::process::{Command, Stdio};

use unstick_view::{Options, Server, ViewError, write_sandbox};

use super::Verdict;
use crate::args::ViewArgs;
use crate::error::{CommandError, RUN_HELP};
use crate::output;

/// Serves until the process ends, or writes the sandbox if asked to.
pub fn run(args: &ViewArgs, quiet: bool) -> Result<Verdict, CommandError> {
    if let Some(folder) = &args.save_sandbox {
        let path = write_sandbox(folder, args.force)?;
        output::print(format_args!("The sandbox is {}; it needs no server.", path.display()))?;
        return Ok(Verdict::Done);
    }
    let defaults = Options::default();
    let options = Options {
        folders: args.folders.clone(),
        address: args.bind.unwrap_or(defaults.address),
        port: args.port.unwrap_or(defaults.port),
        token: args.token.clone(),
    };
    let server = match Server::bind(&options) {
        // The user did not choose the port, so any free one will do.
        Err(ViewError::Bind { .. }) if args.port.is_none() => Server::bind(&Options { port: 0, ..options })?,
        bound => bound?,
    };
    let address = server.url();
    output::print(&address)?;
    if !quiet {
        output::note("Ctrl-C ends the server; runs go on without it");
    }
    if !args.no_open {
        open(&address);
    }
    server.serve();
    Ok(Verdict::Done)
}

/// Opens the address in a browser if the system can. The address is printed in any case.
fn open(address: &str) {
    let (program, arguments): (_, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]), // the first argument of `start` is a title
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.spawn();
}

impl From<ViewError> for CommandError {
    fn from(error: ViewError) -> Self {
        let help = match &error {
            ViewError::NoRun { .. } => RUN_HELP,
            ViewError::NeedsToken(_) => {
                "add `--token` with 16 letters or more; or leave out `--bind` and go through \
                 `ssh -L 8642:localhost:8642 HOST`"
            }
            ViewError::Exists(_) => "`--force` replaces it",
            ViewError::Bind { .. } => "another `--port` may be free; `--port 0` takes any",
            _ => return Self::new(error),
        };
        Self::new(error).with_help(help)
    }
}
