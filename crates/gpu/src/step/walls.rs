//! What walls do that depends on place and time: how far they pull, κ, and how they drag. The host evaluates both at the cells beside
//! walls, and sends a number for each cell.

use unstick_grid::{CellField, Varying};
use unstick_liquid::{Drag, Geometry, Setup};

use super::memory::StepMemory;
use super::transfer::write;
use crate::error::GpuError;

/// Which numbers the walls of a setup need.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallNumbers {
    /// Walls pull.
    pub pulls: bool,
    /// κ is not the same everywhere and at all times.
    pub has_controls: bool,
    /// Walls drag.
    pub drags: bool,
    /// The numbers change from step to step.
    changes: bool,
}

impl WallNumbers {
    pub fn of<const D: usize>(setup: &Setup<D>) -> Self {
        let adhesions = setup.solids.iter().map(|solid| &solid.adhesion).chain([&setup.border_adhesion]);
        let controls = setup.solids.iter().filter_map(|solid| solid.control.as_ref()).chain([&setup.control]);
        let drags: Vec<_> = setup.drags().filter_map(number_of).collect();
        let is_steady = |value: &Varying<D>| value.constant().is_some();
        let (pulls, has_controls) = (setup.pulls(), setup.uniform_control().is_none());
        let drag = setup.has_stress() && !drags.is_empty();
        let changes = setup.has_motion() || !adhesions.chain(controls).chain(drags).all(is_steady);
        Self { pulls, has_controls, drags: drag, changes: changes && (pulls || has_controls || drag) }
    }

    /// Whether they are to be sent again at the start of a step.
    pub fn change(&self) -> bool {
        self.changes
    }

    /// Sends them as they are at a time.
    pub fn send<const D: usize>(
        &self,
        memory: &mut StepMemory,
        setup: &Setup<D>,
        geometry: &Geometry<D>,
        time: f64,
    ) -> Result<(), GpuError> {
        let (driver, step) = (&mut *memory.driver, memory.args.liquid);
        let grid = &setup.grid;
        let at_walls = |value: &(dyn Fn([usize; D]) -> f64 + Sync)| {
            CellField::from_fn(grid, |cell| if geometry.is_at_wall(cell) { value(cell) } else { 0.0 })
        };
        let fields = [
            self.pulls.then(|| (step.adhesion, at_walls(&|cell| geometry.adhesion(setup, time, cell) / setup.density))),
            self.has_controls.then(|| (step.control_at, at_walls(&|cell| geometry.control(setup, time, cell)))),
            self.drags
                .then(|| (step.viscous.drag, CellField::from_fn(grid, |cell| drag_at(setup, geometry, time, cell)))),
        ];
        for (at, field) in fields.into_iter().flatten() {
            let values = field.values();
            write(driver, at, values.len(), |cell| values[cell] as f32)?;
        }
        Ok(())
    }
}

/// The slip length or the coefficient of friction of a wall, if it drags.
fn number_of<const D: usize>(drag: &Drag<D>) -> Option<&Varying<D>> {
    match drag {
        Drag::SlipLength(number) | Drag::Friction(number) => Some(number),
        _ => None,
    }
}

/// What the wall of a cell does to liquid that slides along it: a slip length in metres, which is infinite where nothing
/// drags, or the coefficient of friction with the sign of minus.
fn drag_at<const D: usize>(setup: &Setup<D>, geometry: &Geometry<D>, time: f64, cell: [usize; D]) -> f64 {
    let drag = geometry.drag(setup, cell);
    let Some(number) = number_of(drag) else { return f64::INFINITY };
    // What a formula makes negative is nothing. What it makes no number ends the solve, which says so.
    let value = number.at(setup.grid.centre(cell), time);
    let value = if value < 0.0 { 0.0 } else { value };
    if matches!(drag, Drag::Friction(_)) { -value } else { value }
}
