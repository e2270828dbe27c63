//! `unstick generate`: a problem folder to try solvers on.

use std::fmt::Write;

use unstick::mlcp::generate::Example;
use unstick_lab::machine::Memory;

use super::Verdict;
use crate::args::GenerateArgs;
use crate::error::CommandError;
use crate::output;

/// What making and writing an example takes at most, as measured.
const BYTES_PER_CELL: f64 = 200.0;

/// Writes the folder, or lists the examples if none is named.
pub fn run(args: &GenerateArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let (Some(name), Some(size), Some(out)) = (&args.name, args.size, &args.out) else {
        output::print(list())?;
        return Ok(Verdict::Done);
    };
    let example: Example = name.parse().map_err(CommandError::example)?;
    check_memory(args.dimension, size)?;
    let folder =
        example.generate(args.dimension, size, args.seed).map_err(|error| CommandError::Generate { example, error })?;
    folder.write(out).map_err(CommandError::writing)?;
    if !quiet {
        let walls = folder.lower.iter().filter(|bound| bound.is_finite()).count();
        let path = out.display();
        output::print(format_args!(
            "wrote {path}: {example} in {}D, {} unknowns, {walls} wall rows\nnext: unstick solve {path} --solver all",
            args.dimension,
            folder.b.len(),
        ))?;
    }
    Ok(Verdict::Done)
}

/// Refuses sizes that would not fit, before the system ends the process for it.
pub fn check_memory(dimension: usize, size: usize) -> Result<(), CommandError> {
    let Some(memory) = Memory::of_this_machine() else { return Ok(()) };
    let needed = (size as f64).powf(dimension as f64) * BYTES_PER_CELL;
    let available = memory.available_bytes as f64;
    if needed <= available {
        return Ok(());
    }
    let largest = (available / BYTES_PER_CELL).powf(1.0 / dimension as f64) as usize;
    Err(CommandError::Memory {
        size,
        needed,
        available,
        help: format!("about {largest} cells along each axis would fit"),
    })
}

fn list() -> String {
    let width = Example::ALL.iter().map(|example| example.name().len()).max().unwrap_or(0);
    let mut text = String::from("Examples, in two and three dimensions and any size:\n");
    for example in Example::ALL {
        let _ = writeln!(text, "  {example:width$}  {}", example.summary());
    }
    text + "\nWrite one: unstick generate sphere-half --size 64 --out tank"
}
