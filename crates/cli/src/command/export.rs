//! `unstick export`: frames of a run that is over, in further formats.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use unstick::files::FileCount;
use unstick::scene::run::{Origin, Replay, RunRecord, data_files};
use unstick::scene::sink::{FrameSink as _, Shot, data_sinks};
use unstick::scene::{AnyScene, Dim, Dimension, Frame, ParticleFormat, Scene, SceneFile, SurfaceFormat, VolumeFormat};

use super::Verdict;
use super::run::{FrameBar, check_memory, stop_on_interrupt};
use crate::args::ExportArgs;
use crate::error::CommandError;
use crate::output;

/// Checks what is asked for, then goes through the frames.
pub fn run(args: &ExportArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let record = RunRecord::read(&args.folder)?;
    if record.compare.is_some() {
        let folder = args.folder.display();
        let message = format!("{folder} holds two runs, {folder}/sealed and {folder}/separating");
        return Err(CommandError::Run { message, help: Some("name one of the two".into()) });
    }
    let mut file = record.scene_file(&args.folder)?;
    ask(&mut file, args)?;
    let scene = file.scene()?;
    check_memory(&scene, 1)?;
    match scene {
        AnyScene::Plane(scene) => export(args, &record, scene, quiet),
        AnyScene::Space(scene) => export(args, &record, scene, quiet),
    }
}

/// Puts the wishes of the command line in place of those of the scene.
fn ask(file: &mut SceneFile, args: &ExportArgs) -> Result<(), CommandError> {
    let mut wanted: [Vec<&str>; 3] = Default::default();
    for word in &args.format {
        let (kind, name) = format(word)?;
        wanted[kind].push(name);
    }
    let list = |names: &[&str]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(",");
    let until = args.until.map(|until| format!(",until={until}")).unwrap_or_default();
    let formats: Vec<String> =
        KINDS.iter().zip(&wanted).map(|(kind, names)| format!("{kind}=[{}]", list(names))).collect();
    let (every, from, thin, half) = (args.every, args.from, args.thin, args.half);
    Ok(file.set(&format!(
        "output={{{},every={every},from={from}{until},thin={thin},vdb={{half={half}}}}}",
        formats.join(",")
    ))?)
}

const KINDS: [&str; 3] = ["particles", "surface", "volume"];

/// The kind and name of a format: `vdb`, or `surface:ply` where several kinds have it.
fn format(word: &str) -> Result<(usize, &str), CommandError> {
    let known: [Vec<&str>; 3] = [
        ParticleFormat::ALL.iter().map(|(name, _)| *name).collect(),
        SurfaceFormat::ALL.iter().map(|(name, _)| *name).collect(),
        VolumeFormat::ALL.iter().map(|(name, _)| *name).collect(),
    ];
    let (kind, name) = word.split_once(':').map_or((None, word), |(kind, name)| (Some(kind), name));
    let is_meant = |index: usize| kind.is_none_or(|kind| kind == KINDS[index]) && known[index].contains(&name);
    let meant: Vec<usize> = (0..3).filter(|&index| is_meant(index)).collect();
    match meant.as_slice() {
        [one] => Ok((*one, name)),
        [] => {
            let all = KINDS.iter().zip(&known).map(|(kind, names)| format!("{kind}: {}", names.join(", ")));
            let help = Some(all.collect::<Vec<_>>().join("\n"));
            Err(CommandError::Run { message: format!("there is no format `{word}`"), help })
        }
        several => {
            let names: Vec<String> = several.iter().map(|&index| format!("`{}:{name}`", KINDS[index])).collect();
            let message = format!("`{word}` can be several things, expected {}", names.join(" or "));
            Err(CommandError::Run { message, help: None })
        }
    }
}

fn export<const D: usize>(
    args: &ExportArgs,
    record: &RunRecord,
    scene: Scene<D>,
    quiet: bool,
) -> Result<Verdict, CommandError>
where
    Dim<D>: Dimension<D>,
{
    let scene = record.walls.map_or(scene.clone(), |wall| scene.with_walls(wall));
    let out = args.out.clone().unwrap_or_else(|| args.folder.clone());
    let title = scene.title.clone();
    let mut replay = Replay::open(scene, record, &args.folder)?;
    let shown = !quiet && !args.json;
    let bar = FrameBar::new(shown, &title, 0, replay.last());
    let outcome = write(&mut replay, &out, &stop_on_interrupt(), &bar);
    bar.finish();
    let Written { kept, computed, interrupted } = outcome?;
    let files = data_files(&out);
    if args.json {
        let counts: Vec<_> = files.iter().map(count).collect();
        let object = serde_json::json!({
            "folder": out, "frames": kept + computed, "kept": kept, "computed": computed, "finished": !interrupted, "data": counts,
        });
        output::print(object)?;
    } else if shown {
        output::print(format_args!(
            "{} frames in {}: {kept} from states that were kept, {computed} computed again",
            kept + computed,
            out.display()
        ))?;
        files.iter().try_for_each(output::print)?;
    }
    Ok(if interrupted { Verdict::Interrupted } else { Verdict::Done })
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
    out: &Path,
    stop: &AtomicBool,
    bar: &FrameBar,
) -> Result<Written, CommandError>
where
    Dim<D>: Dimension<D>,
{
    let mut sinks = data_sinks(replay.scene(), out);
    let (mut written, mut begun) = (Written::default(), false);
    for number in 0..=replay.last() {
        if !sinks.iter().any(|sink| sink.schedule.takes(number)) {
            continue;
        }
        match replay.seek(number, stop)? {
            Origin::Kept => written.kept += 1,
            Origin::Computed => written.computed += 1,
            Origin::Interrupted => {
                written.interrupted = true;
                break;
            }
        }
        let Some(simulation) = replay.simulation() else { continue };
        let frame = Frame::of(simulation, number);
        let shot = Shot { frame: &frame, simulation };
        for sink in &mut sinks {
            if !begun {
                sink.begin(&shot, replay.last())?;
            }
            let _ = sink.receive(&shot)?;
        }
        begun = true;
        bar.reached(number);
    }
    Ok(written)
}
