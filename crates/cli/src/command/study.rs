//! `unstick study`: reproduces published tables and figures.

use std::path::Path;

use unstick::gpu::Backend;
use unstick_lab::Destination;
use unstick_lab::study::lock::FolderLock;
use unstick_lab::study::result::StudyResult;
use unstick_lab::study::store::{Provenance, Store};
use unstick_lab::study::{self, Scope, Study, measure, present};

use super::Verdict;
use crate::args::StudyArgs;
use crate::error::CommandError;
use crate::output;
use crate::progress::TerminalProgress;

/// The default folder of the results.
const FOLDER: &str = "out/study";

/// Lists the studies, or makes the missing measurements of some and writes their pages.
pub fn run(args: &StudyArgs, quiet: bool) -> Result<Verdict, CommandError> {
    if args.list || args.names.is_empty() {
        output::print(list())?;
        return Ok(Verdict::Done);
    }
    let scope = if args.quick { Scope::Quick } else { Scope::Full };
    let studies = study::find(&args.names)?;
    let head = Provenance::here(args.backend)?;
    let selection = Selection::check(studies, scope, head.backend())?;
    let folder = args.out.as_deref().unwrap_or(Path::new(FOLDER));
    let (_hold, mut store) = open(args, folder, head)?;
    let say = |text: String| if quiet { Ok(()) } else { output::print(text) };
    if !args.show {
        say(selection.announcement(&store))?;
    }
    for study in selection.possible.iter().filter(|_| !args.show) {
        measure::measure(study, scope, args.only.as_deref(), &mut store, &TerminalProgress::new(!quiet))?;
        present::write(&StudyResult::of(study, scope, &store), store.provenance(), folder)?;
        say(format!("{}: {}", study.name, folder.join(format!("{}.html", study.name)).display()))?;
    }
    let results = selection.results(&store);
    // Other studies may share measurements; those that cannot be measured say why.
    for result in results.iter().filter(|result| !result.is_waiting()) {
        present::write(result, store.provenance(), folder)?;
    }
    let index = folder.join("index.html");
    Destination::check(&index, "html")?.write(&present::index(&results, store.provenance()))?;
    if let Some(tables) = &args.tables {
        present::write_tables(&results, store.provenance(), &command_line(args), tables)?;
        say(format!("The tables are in {}.", tables.display()))?;
    }
    say(format!("The studies are linked in {}.", index.display()))?;
    for (study, reason) in &selection.refused {
        output::note(format_args!("{} cannot be measured: {reason}", study.name));
    }
    Ok(if selection.refused.is_empty() { Verdict::Done } else { Verdict::Unsolved })
}

/// What is to be done.
struct Selection {
    scope: Scope,
    possible: Vec<&'static Study>,
    /// Studies that cannot be measured, and why.
    refused: Vec<(&'static Study, String)>,
}

impl Selection {
    /// Separates studies that can be measured from others. A single study that cannot be measured is an error.
    fn check(studies: Vec<&'static Study>, scope: Scope, backend: Backend) -> Result<Self, CommandError> {
        let is_alone = studies.len() == 1;
        let mut selection = Self { scope, possible: Vec::new(), refused: Vec::new() };
        for study in studies {
            match measure::check(study, scope, backend) {
                Ok(()) => selection.possible.push(study),
                Err(error) if is_alone => return Err(error.into()),
                Err(error) => selection.refused.push((study, error.to_string())),
            }
        }
        Ok(selection)
    }

    fn reason(&self, study: &Study) -> Option<&str> {
        let refused = self.refused.iter().find(|(refused, _)| refused.name == study.name);
        refused.map(|(_, reason)| reason.as_str())
    }

    /// One line on what is about to be measured, and how long it takes.
    fn announcement(&self, store: &Store) -> String {
        let minutes = measure::minutes(&self.possible, self.scope, |key| store.get(key).is_some());
        let count = self.possible.len();
        let studies = if count == 1 { "one study".into() } else { format!("{count} studies") };
        format!(
            "{studies}, about {} to go on two cores; {}\nCtrl-C loses one measurement; `--resume` continues",
            duration(minutes),
            store.provenance().describe()
        )
    }

    /// The results of every study, from what the store holds.
    fn results(&self, store: &Store) -> Vec<StudyResult> {
        let result = |study| {
            let result = StudyResult::of(study, self.scope, store);
            match self.reason(study) {
                Some(reason) => result.refused(reason),
                None => result,
            }
        };
        study::all().map(result).collect()
    }
}

/// Locks the folder and opens its measurements. Existing measurements are neither mixed nor discarded unless
/// the user asks for it.
fn open(args: &StudyArgs, folder: &Path, head: Provenance) -> Result<(FolderLock, Store), CommandError> {
    std::fs::create_dir_all(folder).map_err(|error| CommandError::unwritable(folder, error))?;
    let hold = FolderLock::take(folder)?;
    let store = match (Store::exists(folder), args.resume, args.fresh) {
        _ if args.show => Store::show(folder)?,
        (true, true, _) => Store::resume(folder, head)?,
        (true, false, false) => {
            let message = format!("{} holds measurements already", folder.display());
            let help = "keep them with `--resume`, discard them with `--fresh`, or name another folder with `--out`";
            return Err(CommandError::new(message).with_help(help));
        }
        _ => Store::create(folder, head)?,
    };
    Ok((hold, store))
}

fn list() -> String {
    let width = study::all().map(|study| study.name.len()).max().unwrap_or(0);
    let line = |study: &Study| {
        let (quick, full) = (duration(study.minutes.quick), duration(study.minutes.full));
        format!("{:width$}  {quick:>8}  {full:>8}  {}\n", study.name, study.title)
    };
    let head = format!("{:width$}  {:>8}  {:>8}\n", "study", "quick", "full");
    let all: Vec<_> = study::all().collect();
    let quick = measure::minutes(&all, Scope::Quick, |_| false);
    format!(
        "{head}{}\nStudies share measurements: all of them take about {} when quick.\n\
         Measure one: unstick study lai-6.10 --quick",
        study::all().map(line).collect::<String>(),
        duration(quick)
    )
}

/// Minutes in words.
fn duration(minutes: f64) -> String {
    match minutes {
        minutes if minutes <= 0.0 => "no time".into(),
        minutes if minutes < 1.0 => format!("{:.0} s", 60.0 * minutes),
        minutes if minutes < 100.0 => format!("{minutes:.0} min"),
        minutes => format!("{:.0} h", minutes / 60.0),
    }
}

/// The command line, as far as it affects the numbers.
fn command_line(args: &StudyArgs) -> String {
    let quick = if args.quick { " --quick" } else { "" };
    let backend = match args.backend {
        Backend::Cpu => "",
        Backend::Gpu => " --backend gpu",
        Backend::Auto => " --backend auto",
    };
    format!("unstick study {}{quick}{backend}", args.names.join(" "))
}
