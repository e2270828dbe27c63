//! `unstick export`: frames of a run that is over, in further formats.

use std::sync::atomic::AtomicBool;

use unstick::files::FileCount;
use unstick::scene::run::{AnyRunScene, DataKind, Origin, Replay, RunError, RunFolder, RunRecord, RunScene};
use unstick::scene::sink::{DataSink, FrameSink as _, data_sinks};
use unstick::scene::{ParticleFormat, SceneFile, SurfaceFormat, VolumeFormat, either};
use unstick_lab::Progress;
use unstick_lab::machine::Memory;

use super::Verdict;
use crate::args::ExportArgs;
use crate::error::CommandError;
use crate::interrupt;
use crate::output;
use crate::progress::TerminalProgress;

/// Checks what is asked for, then goes through the frames.
pub fn run(args: &ExportArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let source = RunFolder::new(&args.folder);
    let record = RunRecord::read(&source)?;
    if let Some(comparison) = &record.compare {
        let [one, other] = comparison.folders().map(|name| source.member(name));
        let (folder, one, other) = (args.folder.display(), one.path().display(), other.path().display());
        let message = format!("{folder} holds two runs, {one} and {other}");
        return Err(CommandError::new(message).with_help("name one of the two"));
    }
    let mut file = record.scene_file(&source)?;
    request(&mut file, args, record.cells.len())?;
    let export = Export { args, source, record, is_shown: !quiet && !args.json };
    either!(AnyRunScene::of(&file, export.record.walls)?, scene => export.carry_out(scene))
}

/// Puts what the command line asks for in the place of what the scene asks for.
fn request(file: &mut SceneFile, args: &ExportArgs, dimension: usize) -> Result<(), CommandError> {
    let wanted = args.format.iter().map(|word| format(word)).collect::<Result<Vec<_>, _>>()?;
    if let Some(Format { name, .. }) = wanted.iter().find(|format| dimension == 2 && format.needs_space()) {
        let message = format!("`{name}` needs three dimensions, and {} is a run in the plane", args.folder.display());
        return Err(
            CommandError::new(message).with_help("in the plane there are `--format vti` and `--format particles:vtp`")
        );
    }
    if let Some(until) = args.until.filter(|&until| until < args.from) {
        let from = args.from;
        return Err(CommandError::new(format_args!("the last frame, {until}, comes before the first, {from}")));
    }
    let list = |kind: DataKind| {
        let names = wanted.iter().filter(|format| format.kind == kind).map(|format| format!("\"{}\"", format.name));
        format!("{}=[{}]", kind.name(), names.collect::<Vec<_>>().join(","))
    };
    let until = args.until.map(|until| format!(",until={until}")).unwrap_or_default();
    let formats = DataKind::ALL.map(list);
    let (every, from, thin, half) = (args.every, args.from, args.thin, args.half);
    Ok(file.set(&format!(
        "output={{{},every={every},from={from}{until},thin={thin},vdb={{half={half}}}}}",
        formats.join(",")
    ))?)
}

/// A format that the command line asks for.
struct Format<'a> {
    kind: DataKind,
    name: &'a str,
}

impl Format<'_> {
    fn needs_space(&self) -> bool {
        self.kind == DataKind::Surface || self.name == "vdb"
    }
}

/// A format by its name: `vdb`, or `surface:ply` where several kinds have it.
fn format(word: &str) -> Result<Format<'_>, CommandError> {
    let known = |kind: DataKind| -> Vec<&str> {
        match kind {
            DataKind::Particles => ParticleFormat::ALL.iter().map(|(name, _)| *name).collect(),
            DataKind::Surface => SurfaceFormat::ALL.iter().map(|(name, _)| *name).collect(),
            DataKind::Volume => VolumeFormat::ALL.iter().map(|(name, _)| *name).collect(),
        }
    };
    let (asked, name) = word.split_once(':').map_or((None, word), |(kind, name)| (Some(kind), name));
    let is_meant = |kind: DataKind| asked.is_none_or(|asked| asked == kind.name()) && known(kind).contains(&name);
    let meant: Vec<DataKind> = DataKind::ALL.into_iter().filter(|&kind| is_meant(kind)).collect();
    match meant.as_slice() {
        [kind] => Ok(Format { kind: *kind, name }),
        [] => {
            let all = DataKind::ALL.map(|kind| format!("{}: {}", kind.name(), known(kind).join(", ")));
            Err(CommandError::new(format_args!("there is no format `{word}`")).with_help(all.join("\n")))
        }
        several => {
            let names: Vec<String> = several.iter().map(|kind| format!("`{}:{name}`", kind.name())).collect();
            let names = names.join(" or ");
            Err(CommandError::new(format_args!("`{word}` can be several things, expected {names}")))
        }
    }
}

struct Export<'a> {
    args: &'a ExportArgs,
    source: RunFolder,
    record: RunRecord,
    is_shown: bool,
}

impl Export<'_> {
    fn carry_out<const D: usize>(&self, scene: RunScene<D>) -> Result<Verdict, CommandError> {
        if let Some(memory) = Memory::of_this_machine() {
            scene.physics.check_memory(memory.available_bytes)?;
        }
        let out = self.args.out.as_ref().map_or(self.source.clone(), RunFolder::new);
        let mut replay = Replay::open(scene, &self.source, &self.record).map_err(|error| match error {
            RunError::NoCheckpoint { .. } => CommandError::new(error)
                .with_help("frames are made from a checkpoint: run the scene again with `--force`"),
            error => error.into(),
        })?;
        let sinks = data_sinks(replay.scene(), &out);
        let wanted: Vec<usize> =
            (0..=replay.last()).filter(|&number| sinks.iter().any(|sink| sink.takes(number))).collect();
        if wanted.is_empty() {
            let (folder, last, from) = (self.source.path().display(), replay.last(), self.args.from);
            let message = format!("no frame is asked for: {folder} has the frames 0 to {last}");
            return Err(
                CommandError::new(message).with_help(format!("`--from {from}` and `--every` leave none of them"))
            );
        }
        let progress = TerminalProgress::new(self.is_shown);
        let again = replay.frames_to_compute(wanted.iter().copied());
        if again > 0 {
            progress.announce(&format!(
                "{again} of {} frames are simulated again: their states were not kept (`output.states` keeps them)",
                replay.last()
            ));
        }
        out.create()?;
        let _claim = out.claim()?;
        progress.begin_frames(&self.record.title, 0, replay.last());
        interrupt::heed();
        let outcome = write(&mut replay, sinks, &wanted, &interrupt::flag(), &progress);
        progress.end();
        self.tell(&outcome?, &out)
    }

    fn tell(&self, written: &Written, out: &RunFolder) -> Result<Verdict, CommandError> {
        let Written { kept, computed, interrupted } = written;
        let (files, out, frames) = (out.data_files(), out.path(), kept + computed);
        if self.args.json {
            let counts: Vec<_> = files.iter().map(count).collect();
            let object = serde_json::json!({
                "folder": out, "frames": frames, "kept": kept, "computed": computed, "finished": !interrupted,
                "data": counts,
            });
            output::print(object)?;
        } else if self.is_shown {
            output::print(format_args!(
                "{frames} frames in {}: {kept} from states that were kept, {computed} computed again",
                out.display()
            ))?;
            files.iter().try_for_each(output::print)?;
        }
        Ok(if *interrupted { Verdict::Interrupted } else { Verdict::Done })
    }
}

/// A count as an object.
pub fn count(files: &FileCount) -> serde_json::Value {
    let FileCount { folder, extension, files, bytes } = files;
    serde_json::json!({ "folder": folder, "extension": extension, "files": files, "bytes": bytes })
}

#[derive(Default)]
struct Written {
    kept: usize,
    computed: usize,
    interrupted: bool,
}

fn write<const D: usize>(
    replay: &mut Replay<D>,
    mut sinks: Vec<DataSink<D>>,
    wanted: &[usize],
    stop: &AtomicBool,
    progress: &TerminalProgress,
) -> Result<Written, CommandError> {
    sinks.iter().try_for_each(|sink| sink.begin(replay.last()))?;
    let mut written = Written::default();
    for &number in wanted {
        match replay.seek(number, stop)? {
            Origin::Kept => written.kept += 1,
            Origin::Computed => written.computed += 1,
            Origin::Interrupted => {
                written.interrupted = true;
                break;
            }
        }
        let Some(frame) = replay.frame() else { continue };
        for sink in &mut sinks {
            let _ = sink.receive(&frame)?;
        }
        progress.reached(number);
    }
    Ok(written)
}
