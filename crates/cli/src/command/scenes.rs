//! `unstick scenes`: the built-in scenes.

use std::fmt::Write;

use unstick::mlcp::nearest;
use unstick::scene::{SceneFile, catalogue, schema};

use super::Verdict;
use crate::args::ScenesArgs;
use crate::error::CommandError;
use crate::output;

/// Lists the scenes, or prints one, the reference or the schema.
pub fn run(args: &ScenesArgs) -> Result<Verdict, CommandError> {
    if args.reference {
        output::print(schema::markdown().trim_end())?;
        return Ok(Verdict::Done);
    }
    if args.schema {
        output::print(format!("{:#}", schema::json()))?;
        return Ok(Verdict::Done);
    }
    let Some(name) = &args.name else {
        output::print(list()?)?;
        return Ok(Verdict::Done);
    };
    let Some(entry) = catalogue::find(name) else {
        let best = nearest(name, catalogue::names());
        let help = best.map_or("`unstick scenes` lists them all".into(), |best| format!("did you mean `{best}`?"));
        return Err(CommandError::Run { message: format!("there is no scene `{name}`"), help: Some(help) });
    };
    output::print(entry.text.trim_end())?;
    Ok(Verdict::Done)
}

fn list() -> Result<String, CommandError> {
    let width = catalogue::names().map(str::len).max().unwrap_or(0);
    let mut text = String::new();
    for entry in catalogue::ALL {
        let scene = SceneFile::find(entry.name)?.scene()?;
        let cells = scene.cells().iter().map(usize::to_string).collect::<Vec<_>>().join("×");
        let name = entry.name;
        let _ = writeln!(text, "{name:width$}  {}D  {cells:9}  {}", scene.dimension(), scene.description());
    }
    text += "\nViscous flows that fill their box, with bodies in them:\n\n";
    for entry in catalogue::VISCOUS {
        let scene = SceneFile::find(entry.name)?.viscous_scene()?;
        let cells = scene.cells().iter().map(usize::to_string).collect::<Vec<_>>().join("×");
        let name = entry.name;
        let _ = writeln!(text, "{name:width$}  {}D  {cells:9}  {}", scene.dimension(), scene.description());
    }
    Ok(text + "\nRun one: unstick run stairs-hard\nBegin your own: unstick scenes stairs > my-stairs.toml")
}
