//! The command `unstick`.

mod args;
mod command;
mod error;
mod interrupt;
mod output;
mod progress;
mod report;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use command::Verdict;
use error::CommandError;

/// Fresh memory for large arrays comes in huge pages.
#[global_allocator]
static MEMORY: unstick_memory::HugePages = unstick_memory::HugePages;

/// Exit status of a command that was refused or failed.
const REFUSED: u8 = 2;

/// Exit status after Ctrl-C, as shells have it.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(Verdict::Done) => ExitCode::SUCCESS,
        Ok(Verdict::Unsolved) => ExitCode::FAILURE,
        Ok(Verdict::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) => {
            output::note(report::text(&error));
            ExitCode::from(REFUSED)
        }
    }
}

fn run(cli: &Cli) -> Result<Verdict, CommandError> {
    // `bench` accepts several numbers of threads and builds a pool for each.
    if let (Some(threads), false) = (cli.threads, matches!(cli.command, Some(Command::Bench(_)))) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        let refuse = |error| CommandError::new(format_args!("{threads} threads could not be started: {error}"));
        pool.build_global().map_err(refuse)?;
    }
    match &cli.command {
        None => command::run::default_job(cli.quiet),
        Some(Command::Run(args)) => command::run::run(args, cli.quiet),
        Some(Command::Export(args)) => command::export::run(args, cli.quiet),
        Some(Command::Scenes(args)) => command::scenes::run(args),
        Some(Command::Capture(args)) => command::capture::run(args, cli.quiet),
        Some(Command::Demo(args)) => command::demo::run(args, cli.quiet),
        Some(Command::Solve(args)) => command::solve::run(args, cli.quiet),
        Some(Command::Solvers) => command::solvers::run(),
        Some(Command::Bench(args)) => command::bench::run(args, cli.quiet),
        Some(Command::Study(args)) => command::study::run(args, cli.quiet),
        Some(Command::Generate(args)) => command::generate::run(args, cli.quiet),
        Some(Command::Doctor(args)) => command::doctor::run(args),
        Some(Command::View(args)) => command::view::run(args, cli.quiet),
    }
}
