//! What walls do that depends on place and time: how far they pull, and κ. The host evaluates both at the cells beside
//! walls, and sends a number for each cell.

use unstick_grid::{CellField, Varying};
use unstick_liquid::{Geometry, Setup};

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
    /// The numbers change from step to step.
    changes: bool,
}

impl WallNumbers {
    pub fn of<const D: usize>(setup: &Setup<D>) -> Self {
        let adhesions = setup.solids.iter().map(|solid| &solid.adhesion).chain([&setup.border_adhesion]);
        let controls = setup.solids.iter().filter_map(|solid| solid.control.as_ref()).chain([&setup.control]);
        let is_steady = |value: &Varying<D>| value.constant().is_some();
        let (pulls, has_controls) = (setup.pulls(), setup.uniform_control().is_none());
        let changes = setup.has_motion() || !adhesions.chain(controls).all(is_steady);
        Self { pulls, has_controls, changes: changes && (pulls || has_controls) }
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
        ];
        for (at, field) in fields.into_iter().flatten() {
            let values = field.values();
            write(driver, at, values.len(), |cell| values[cell] as f32)?;
        }
        Ok(())
    }
}
