//! `unstick study`: tables and figures of the literature, measured anew.

use std::path::Path;

use unstick::gpu::Backend;
use unstick_lab::Destination;
use unstick_lab::study::hold::Hold;
use unstick_lab::study::sheet::Sheet;
use unstick_lab::study::store::{Head, Store};
use unstick_lab::study::{self, Pace, Study, measure, present};

use super::Verdict;
use crate::args::StudyArgs;
use crate::error::CommandError;
use crate::output;
use crate::progress::TerminalProgress;

/// Where results go unless something else is said.
const FOLDER: &str = "out/study";

/// Lists the studies, or measures what is missing of those asked for and writes their pages.
pub fn run(args: &StudyArgs, quiet: bool) -> Result<Verdict, CommandError> {
    if args.names.is_empty() {
        output::print(list())?;
        return Ok(Verdict::Done);
    }
    let pace = if args.quick { Pace::Quick } else { Pace::Full };
    let studies = study::find(&args.names)?;
    let head = Head::here(args.backend.into())?;
    let plan = Plan::check(studies, pace, head.backend())?;
    let folder = args.out.as_deref().unwrap_or(Path::new(FOLDER));
    let (_hold, mut store) = open(args, folder, head)?;
    let say = |text: String| if quiet { Ok(()) } else { output::print(text) };
    if !args.show {
        say(plan.announcement(&store))?;
    }
    for study in plan.possible.iter().filter(|_| !args.show) {
        measure::measure(study, pace, args.only.as_deref(), &mut store, &TerminalProgress::new(!quiet))?;
        present::write(&Sheet::of(study, pace, &store), store.head(), folder)?;
        say(format!("{}: {}", study.name, folder.join(format!("{}.html", study.name)).display()))?;
    }
    let sheets = plan.sheets(&store);
    // Studies that share measurements have numbers too; those that cannot be carried out say why.
    for sheet in sheets.iter().filter(|sheet| !sheet.is_waiting()) {
        present::write(sheet, store.head(), folder)?;
    }
    let index = folder.join("index.html");
    Destination::check(&index, "html")?.write(&present::index(&sheets, store.head()))?;
    if let Some(tables) = &args.tables {
        present::write_tables(&sheets, store.head(), &command_line(args), tables)?;
        say(format!("The tables are in {}.", tables.display()))?;
    }
    say(format!("The studies are linked in {}.", index.display()))?;
    for (study, reason) in &plan.refused {
        output::note(format_args!("{} cannot be carried out: {reason}", study.name));
    }
    Ok(if plan.refused.is_empty() { Verdict::Done } else { Verdict::Unsolved })
}

/// What is going to be done.
struct Plan {
    pace: Pace,
    possible: Vec<&'static Study>,
    /// Studies that cannot be carried out, and why.
    refused: Vec<(&'static Study, String)>,
}

impl Plan {
    /// Tells studies that can be carried out from others. One that was asked for alone is refused.
    fn check(studies: Vec<&'static Study>, pace: Pace, backend: Backend) -> Result<Self, CommandError> {
        let is_alone = studies.len() == 1;
        let mut plan = Self { pace, possible: Vec::new(), refused: Vec::new() };
        for study in studies {
            match measure::check(study, pace, backend) {
                Ok(()) => plan.possible.push(study),
                Err(error) if is_alone => return Err(error.into()),
                Err(error) => plan.refused.push((study, error.to_string())),
            }
        }
        Ok(plan)
    }

    fn reason(&self, study: &Study) -> Option<&str> {
        let refused = self.refused.iter().find(|(refused, _)| refused.name == study.name);
        refused.map(|(_, reason)| reason.as_str())
    }

    /// What is going to be measured, and how long it takes.
    fn announcement(&self, store: &Store) -> String {
        let minutes = measure::minutes(&self.possible, self.pace, |key| store.get(key).is_some());
        let count = self.possible.len();
        let studies = if count == 1 { "one study".into() } else { format!("{count} studies") };
        format!(
            "{studies}, about {} to go on two cores; {}\nCtrl-C loses one measurement, `--resume` goes on",
            duration(minutes),
            store.head().describe()
        )
    }

    /// Every study of the catalogue with what the store holds of it.
    fn sheets(&self, store: &Store) -> Vec<Sheet> {
        let sheet = |study| {
            let sheet = Sheet::of(study, self.pace, store);
            match self.reason(study) {
                Some(reason) => sheet.refused(reason),
                None => sheet,
            }
        };
        study::all().map(sheet).collect()
    }
}

/// The measurements of the folder, or none, for this command alone. What is there is neither mixed nor
/// lost unasked.
fn open(args: &StudyArgs, folder: &Path, head: Head) -> Result<(Hold, Store), CommandError> {
    std::fs::create_dir_all(folder)
        .map_err(|error| CommandError::Destination { path: folder.to_owned(), reason: error.to_string() })?;
    let hold = Hold::take(folder)?;
    let store = match (Store::exists(folder), args.resume, args.fresh) {
        _ if args.show => Store::show(folder)?,
        (true, true, _) => Store::resume(folder, head)?,
        (true, false, false) => {
            return Err(CommandError::Run {
                message: format!("{} holds measurements already", folder.display()),
                help: Some(
                    "keep them with `--resume`, discard them with `--fresh`, or name another folder with `--out`"
                        .into(),
                ),
            });
        }
        _ => Store::create(folder, head)?,
    };
    Ok((hold, store))
}

fn list() -> String {
    let width = study::all().map(|study| study.name.len()).max().unwrap_or(0);
    let line = |study: &Study| {
        let [quick, full] = study.minutes.map(duration);
        format!("{:width$}  {quick:>8}  {full:>8}  {}\n", study.name, study.title)
    };
    let head = format!("{:width$}  {:>8}  {:>8}\n", "study", "quick", "full");
    let all: Vec<_> = study::all().collect();
    let quick = measure::minutes(&all, Pace::Quick, |_| false);
    format!(
        "{head}{}\nStudies share measurements: all of them take about {} when quick.\n\
         Carry one out: unstick study lai-6.10 --quick",
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

/// What was typed, as far as it decides the numbers.
fn command_line(args: &StudyArgs) -> String {
    let quick = if args.quick { " --quick" } else { "" };
    let backend = match Backend::from(args.backend) {
        Backend::Cpu => "",
        Backend::Gpu => " --backend gpu",
        Backend::Auto => " --backend auto",
    };
    format!("unstick study {}{quick}{backend}", args.names.join(" "))
}
