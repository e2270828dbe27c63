//! How a scene is computed.

use super::{Kind, Table, optional};

/// `[contact]`.
pub(crate) static CONTACT: Table = Table::new("contact", &[
        optional(
            "model",
            Kind::Choice(&["none", "pairwise", "sequential", "springs", "lcp"]),
            "\"lcp\"",
            "`\"lcp\"`: one complementarity problem over all contacts; `\"sequential\"`: impulses in turn until nothing \
             changes; `\"pairwise\"`: each contact once; `\"springs\"`: the discrete element method; `\"none\"`",
        ),
        optional(
            "solver",
            Kind::Text,
            "\"mprgp\"",
            "of `lcp`, by [name](solvers/README.md): `\"psor\"`, `\"newton+cg/jacobi\"`, …",
        ),
        optional(
            "tolerance",
            Kind::Positive,
            "1e-5 or 1e-6",
            "of `lcp` as a part of the largest approach velocity (1e-5), of `sequential` in m/s (1e-6)",
        ),
        optional("cycles", Kind::Count(1), "1000", "largest number, of `lcp`"),
        optional("sweeps", Kind::Count(1), "200, of `sequential`", "largest number, of `sequential`"),
        optional("stiffness", Kind::Positive, "1e4, of `springs`", "of `springs`, N/m"),
        optional("wall_restitution", Kind::Within(0.0, 1.0), "the body's", "at walls"),
        optional("wall_friction", Kind::Within(0.0, 1e6), "the body's", "at walls"),
])
.with_text("How bodies collide with each other, the border and solids.")
.with_notes("After every step overlapping bodies are pushed apart, down to an overlap of a thousandth of the smallest body.");

/// `[transport]`.
pub(crate) static TRANSPORT: Table = Table::new(
    "transport",
    &[
        optional(
            "kind",
            Kind::Choice(&["flip", "apic", "semi-lagrangian"]),
            "\"flip\"",
            "`\"flip\"`, `\"apic\"` or `\"semi-lagrangian\"`",
        ),
        optional(
            "pic",
            Kind::Within(0.0, 1.0),
            "0.05",
            "part of the grid's own velocity that `flip` takes on in 0.01 s: less is livelier, more is calmer",
        ),
        optional("particles_per_axis", Kind::Count(1), "2", "particles of a full cell along each axis, up to 4"),
    ],
);

/// `[pressure]`.
pub(crate) static PRESSURE: Table = Table::new("pressure", &[
        optional(
            "solver",
            Kind::Text,
            "\"best\"",
            "by [name](solvers/README.md), as in `unstick solve`; or a splitting: `\"admm\"`, `\"iop\"`, \
             `\"reclassify\"`, `\"iop-bc\"`",
        ),
        optional(
            "backend",
            Kind::Choice(&["cpu", "gpu", "auto"]),
            "\"cpu\"",
            "where it runs: `\"cpu\"`, `\"gpu\"`, or `\"auto\"`: on the GPU where there is one that has the solver, \
             else on the processor. A GPU takes whole steps where it can",
        ),
        optional("tolerance", Kind::Within(0.0, 1.0), "1e-6", "natural residual to reach, relative to that at zero"),
        optional(
            "on_unconverged",
            Kind::Choice(&["error", "shorten-step", "accept"]),
            "\"error\"",
            "`\"error\"` ends the run (a checkpoint is kept), `\"shorten-step\"` halves the step, `\"accept\"` goes on",
        ),
        optional("splitting", Kind::Table(&SPLITTING), "see below", "for splittings only"),
])
.with_notes("With `\"gpu\"` a machine without a suitable GPU refuses the scene before anything is written. The GPU takes whole \
            steps, and the state comes back for frames and checkpoints. Scenes with bodies, enclosed air or \
            splittings run on the processor. Those with contact angles other than 90 degrees, or with sources or drains that are meshes, have at most their pressure solved for there. A warning says so. If the device fails on the \
            way, the processor takes the steps since the last checkpoint again, at most some dozens; then a run with `\"gpu\"` ends with a checkpoint, and one \
            with `\"auto\"` goes on without the device and says so. `stats.csv` names what solved each step: `best`, or \
            `best on gpu`. The backend is not part of the scene: a run can be resumed on another machine. The answers \
            agree to the tolerance. The bits depend on the machine: they are the same from run to run and after \
            `--resume` on one device, and differ on another device or on the processor.");

const PARTS: &[&str] = &["velocity", "divergence"];

/// `[pressure.splitting]`.
pub(crate) static SPLITTING: Table = Table::new(
    "pressure.splitting",
    &[
        optional("inner", Kind::Positive, "1e-3", "outflow that a linear solve may leave, in h/(2 Δt)"),
        optional("outer", Kind::Positive, "1e-2", "outflow at which the outer loop ends"),
        optional(
            "absolute",
            Kind::Positive,
            "1e-3",
            "difference of the velocities at which `admm` ends, and `iop` if it stops on them",
        ),
        optional("relative", Kind::Within(0.0, 1.0), "1e-3", "the same as a part of the velocities"),
        optional(
            "stop",
            Kind::Choice(PARTS),
            "velocity in `admm`, divergence in `iop`",
            "what they stop on: `\"velocity\"` or `\"divergence\"`; `iop-bc` stops on the divergence",
        ),
        optional(
            "mark",
            Kind::Choice(&["velocity", "pressure", "before"]),
            "\"velocity\"",
            "what decides that liquid leaves a wall: the `\"velocity\"` or the `\"pressure\"` of the first solve, or the \
             velocity `\"before\"` it",
        ),
        optional(
            "marked",
            Kind::Choice(&["faces", "cells"]),
            "\"faces\"",
            "what is left then: `\"faces\"`, or whole solid `\"cells\"` as published",
        ),
        optional("take_back", Kind::Bool, "true", "whether a wall that liquid flows into is held again; `false` as published"),
        optional("max_iterations", Kind::Count(1), "1000", "largest number of outer iterations"),
    ],
)
.with_text("For splittings only. They do not use `tolerance`; see [splittings.md](splittings.md).");

/// `[volume]`.
pub(crate) static VOLUME: Table = Table::new(
    "volume",
    &[optional("correction", Kind::Bool, "true", "holds the density of the particles, and with it the volume")],
);
