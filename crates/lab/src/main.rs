//! `unstick-lab`: long checks of the program itself, for those who work on it.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use unstick_lab::soak::Soak;

/// Long checks of unstick itself.
#[derive(Parser)]
#[command(name = "unstick-lab", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate every scene with random values, audit every solve, and write a summary
    Soak(SoakArgs),
}

#[derive(Args)]
struct SoakArgs {
    /// How long
    #[arg(long, value_name = "M", required_unless_present = "trials")]
    minutes: Option<f64>,

    /// How many trials; 198 are every scene with both walls and all transports
    #[arg(long, value_name = "N")]
    trials: Option<usize>,

    /// Leads to all random values
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The first trial, to repeat one that failed
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: usize,

    /// Frames of each trial
    #[arg(long, value_name = "K", default_value_t = 20)]
    frames: usize,

    /// How long a trial may take; slow scenes then leave time for the others
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    longest: f64,

    /// Only scenes with one of these texts in their name
    #[arg(long, value_name = "TEXT,…", value_delimiter = ',')]
    only: Vec<String>,

    /// The summary
    #[arg(long, value_name = "FILE.md", default_value = "soak.md")]
    out: PathBuf,
}

fn main() -> ExitCode {
    let Cli { command: Command::Soak(args) } = Cli::parse();
    let time = args.minutes.map(|minutes| Duration::try_from_secs_f64(60.0 * minutes)).transpose();
    let (time, longest) = match (time, Duration::try_from_secs_f64(args.longest)) {
        (Ok(time), Ok(longest)) => (time, Some(longest)),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("error: `--minutes` or `--longest`: {error}");
            return ExitCode::from(2);
        }
    };
    let SoakArgs { trials, seed, first, frames, only, out, .. } = args;
    let summary = Soak { seed, first, trials, time, frames, longest, only }.run(|trial, account| {
        let verdict = match (account.failures.as_slice(), account.is_complete) {
            ([], true) => "sound".into(),
            ([], false) => "sound so far".into(),
            (failures, _) => failures.join("; "),
        };
        println!("{:5} {:22} {:4} cells {:6} steps  {verdict}", trial.number, trial.scene, trial.size, account.steps);
    });
    if let Err(error) = unstick::files::write_atomic(&out, summary.markdown().as_bytes()) {
        eprintln!("error: {}: {error}", out.display());
        return ExitCode::from(2);
    }
    println!("{} trials failed; see {}", summary.failed(), out.display());
    if summary.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
