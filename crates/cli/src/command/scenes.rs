//! `unstick scenes`: the built-in scenes.

use std::fmt::Write;

use unstick::mlcp::nearest;
use unstick::scene::catalogue::{self, CatalogueEntry};
use unstick::scene::run::AnyRunScene;
use unstick::scene::{SceneFile, either, schema};

use super::Verdict;
use crate::args::ScenesArgs;
use crate::error::CommandError;
use crate::output;

/// Lists the scenes, or prints one, the reference or the schema.
pub fn run(args: &ScenesArgs) -> Result<Verdict, CommandError> {
    let text = match &args.name {
        _ if args.reference => schema::markdown(),
        _ if args.schema => format!("{:#}", schema::json()),
        Some(name) => text_of(name)?.to_owned(),
        None => list()?,
    };
    output::print(text.trim_end())?;
    Ok(Verdict::Done)
}

fn text_of(name: &str) -> Result<&'static str, CommandError> {
    catalogue::find(name).map(|entry| entry.text).ok_or_else(|| {
        let best = nearest(name, catalogue::names());
        let help = best.map_or("`unstick scenes` lists them all".into(), |best| format!("did you mean `{best}`?"));
        CommandError::new(format_args!("there is no scene `{name}`")).with_help(help)
    })
}

fn list() -> Result<String, CommandError> {
    let width = catalogue::names().map(str::len).max().unwrap_or(0);
    let mut text = String::new();
    let heading = "\nViscous flows that fill their box, with bodies in them:\n\n";
    for (heading, entries) in [("", catalogue::ALL), (heading, catalogue::VISCOUS)] {
        text += heading;
        for &CatalogueEntry { name, .. } in entries {
            let scene = AnyRunScene::of(&SceneFile::find(name)?, None)?;
            let (cells, description) = either!(&scene, scene => (&scene.cells, &scene.description));
            let cells = cells.iter().map(usize::to_string).collect::<Vec<_>>().join("×");
            let _ = writeln!(text, "{name:width$}  {}D  {cells:9}  {description}", scene.dimension());
        }
    }
    Ok(text + "\nRun one: unstick run stairs-hard\nBegin your own: unstick scenes stairs > my-stairs.toml")
}
