//! `unstick generate`: writes a problem folder to try solvers on.

use std::fmt::Write;

use unstick::problems::Example;
use unstick_lab::source::check_example_memory;

use super::Verdict;
use crate::args::GenerateArgs;
use crate::error::CommandError;
use crate::output;

/// Writes the folder, or lists the examples without a name.
pub fn run(args: &GenerateArgs, quiet: bool) -> Result<Verdict, CommandError> {
    let (Some(name), Some(size), Some(out)) = (&args.name, args.size, &args.out) else {
        output::print(list())?;
        return Ok(Verdict::Done);
    };
    let example: Example = name.parse().map_err(CommandError::example)?;
    check_example_memory(args.dimension, size)?;
    let problem = example.generate(args.dimension, size, args.seed).map_err(CommandError::generate(example))?;
    problem.write(out).map_err(CommandError::new)?;
    if !quiet {
        let walls = problem.mlcp().wall_rows();
        let path = out.display();
        output::print(format_args!(
            "wrote {path}: {example} in {}D, {} unknowns, {walls} wall rows\nnext: unstick solve {path} --solver all",
            args.dimension,
            problem.size(),
        ))?;
    }
    Ok(Verdict::Done)
}

fn list() -> String {
    let width = Example::ALL.iter().map(|example| example.name().len()).max().unwrap_or(0);
    let mut text = String::from("Examples, in two and three dimensions and any size:\n");
    for example in Example::ALL {
        let _ = writeln!(text, "  {example:width$}  {}", example.summary());
    }
    text + "\nWrite one: unstick generate sphere-half --size 64 --out tank"
}
