//! Liquids with a surface as a physics to run.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use unstick_bodies::FloatingBodies;
use unstick_gpu::{Backend, Placement};
use unstick_liquid::{LiquidState, Simulation, Stage, StepReport, Viscosity};

use super::RunError;
use super::edit::{Edit, edit_liquid};
use super::parts::{self, Parts};
use super::stepper::{
    DeviceWork, Physics, RunScene, Snapshot, StateError, StepBound, StepRecord, Stepper, Value, read_state,
};
use super::table::{body_columns, write_body};
use crate::draw::PictureStyle;
use crate::file::SceneError;
use crate::frame::Frame;
use crate::scene::Scene;
use crate::sink::view::liquid_bytes;
use crate::viscous::PathLines;

impl<const D: usize> From<Scene<D>> for RunScene<D> {
    fn from(scene: Scene<D>) -> Self {
        let (setup, style) = (&scene.setup, scene.picture_style());
        let particles = scene.particles_needed();
        Self {
            title: scene.title.clone(),
            description: scene.description.clone(),
            frames: scene.frames,
            frame_seconds: scene.frame,
            cells: setup.grid.cells().to_vec(),
            grid: setup.grid,
            seed: setup.seed,
            solids: setup.solids.clone(),
            bodies: scene.bodies.clone(),
            path_lines: PathLines::Step,
            output: scene.output.clone(),
            view_bytes: (scene.frames + 1) as f64 * liquid_bytes(&setup.grid, particles),
            // ρ g H / 2, where the speed is that of a fall through the height H.
            highest_pressure: 0.25 * setup.density * style.fastest * style.fastest,
            style,
            facts: vec![
                ("solver".into(), setup.pressure.solver.to_string()),
                ("tolerance".into(), format!("{:e}", setup.pressure.tolerance)),
            ]
            .into_iter()
            .chain(viscosity_fact(&setup.viscosity))
            .collect(),
            warnings: {
                let of_shapes = scene.warnings().into_iter().map(|warning| warning.to_string());
                let of_pressure = setup.pressure.warning().map(str::to_owned);
                let of_tension = setup.warning().map(str::to_owned);
                of_pressure.into_iter().chain(of_tension).chain(scene.device_remark()).chain(of_shapes).collect()
            },
            is_shared: false,
            may_copy: false,
            needs_device: scene.backing.backend == Backend::Gpu,
            physics: Arc::new(scene),
        }
    }
}

/// The viscosity as the report shows it, if there is any.
fn viscosity_fact(law: &Viscosity) -> Option<(String, String)> {
    let words = match *law {
        Viscosity::Newtonian(0.0) => return None,
        Viscosity::Newtonian(value) => format!("{value:e} m²/s"),
        law => format!("{:e} m²/s at rest, {:e} m²/s at a shear of 1/s", law.at(0.0), law.at(1.0)),
    };
    Some(("viscosity".into(), words))
}

impl<const D: usize> Scene<D> {
    /// How pictures look.
    pub fn picture_style(&self) -> PictureStyle {
        let output = &self.output;
        PictureStyle { width: output.width, fastest: self.typical_speed(), pressure: output.pressure, flow: None }
    }
}

impl<const D: usize> Physics<D> for Scene<D> {
    fn begin(&self) -> Result<Box<dyn Stepper<D>>, SceneError> {
        self.stepper(None)
    }

    fn resume(&self, state: &mut dyn Read) -> Result<Box<dyn Stepper<D>>, StateError> {
        let state = read_state(state, |data| LiquidState::restore(&self.setup.grid, data))?;
        Ok(self.stepper(Some(state))?)
    }

    fn resume_parts(&self, folder: &Path, parts: &Parts) -> Result<Box<dyn Stepper<D>>, StateError> {
        let grid = &self.setup.grid;
        let mut whole = LiquidState::empty(grid);
        for (rank, cells) in parts.windows(grid.cells())?.into_iter().enumerate() {
            whole.take_part(&parts::read(folder, rank, parts.step, cells, grid)?, cells);
        }
        Ok(self.stepper(Some(whole))?)
    }

    fn placement(&self) -> Result<Placement, SceneError> {
        Scene::placement(self)
    }

    fn work_of_device(&self) -> DeviceWork {
        Scene::work_of_device(self)
    }

    fn check_memory(&self, available: u64) -> Result<(), SceneError> {
        Scene::check_memory(self, available)
    }
}

/// The columns of `stats.csv` before the times of the stages.
const COLUMNS: &str = "step,time,dt,particles,volume,surface_volume,kinetic_energy,potential_energy,surface_energy,\
    divergence,complementarity,unknowns,wall_rows,active_rows,solver,converged,cycles,inner_iterations,residual,\
    viscous_iterations,viscous_residual,bubbles,bubble_volume";

/// The solves of a step, whose outcomes are the last columns of `stats.csv`.
const SOLVES: [&str; 5] = ["pressure", "viscosity", "density", "contact", "coupling"];

impl<const D: usize> Stepper<D> for Simulation<D> {
    fn time(&self) -> f64 {
        self.state().time
    }

    fn step(&self) -> u64 {
        self.state().step
    }

    fn next_step(&self, time: f64) -> Option<f64> {
        Simulation::next_step(self, time)
    }

    fn bound(&self) -> StepBound {
        let setup = self.setup();
        StepBound { speed: self.fastest(), cell: setup.grid.spacing(), cfl: setup.cfl }
    }

    fn advance(&mut self, length: f64) -> Result<StepRecord, RunError> {
        let report = Simulation::advance(self, length)?;
        Ok(record_of(report, self.state().step))
    }

    fn edit(&mut self, edit: Edit<D>) -> Result<(), RunError> {
        edit_liquid(self, edit)
    }

    fn check_state(&self) -> Result<(), RunError> {
        Ok(Simulation::check_state(self)?)
    }

    fn frame(&self, number: usize) -> Frame<D> {
        Frame::of(self, number)
    }

    fn store(&self, to: &mut dyn Write) -> Result<(), StateError> {
        Snapshot::store(self.state(), to)
    }

    fn snapshot(&self, may_copy: bool) -> Option<Box<dyn Snapshot>> {
        may_copy.then(|| Box::new(self.state().copied()) as _)
    }

    fn columns(&self) -> Vec<String> {
        columns()
    }

    fn summary(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("step", Value::Count(self.state().step)),
            ("time", Value::Number(self.state().time)),
            ("particles", Value::Count(self.state().particles.len() as u64)),
            ("volume", Value::Number(self.volume())),
            ("surface_volume", Value::Number(self.surface_volume())),
        ]
    }

    fn body_columns(&self) -> String {
        body_columns::<D>() + ",contacts,overlap"
    }

    fn write_bodies(&self, lines: &mut String) {
        let Some(floating) = FloatingBodies::of(self) else { return };
        let (state, contact) = (self.state(), floating.contact());
        for (body, forces) in floating.world().bodies().iter().zip(floating.forces()) {
            write_body(lines, state.step, state.time, body, forces);
            lines.push_str(&format!(",{},{:e}\n", contact.contacts, contact.deepest));
        }
    }
}

impl<const D: usize> Snapshot for LiquidState<D> {
    fn store(&self, to: &mut dyn Write) -> Result<(), StateError> {
        Ok(postcard::to_io(&self.to_data(), to).map(drop)?)
    }
}

/// The columns of `stats.csv`.
pub(super) fn columns() -> Vec<String> {
    let stages = Stage::ALL.iter().map(|stage| format!("seconds_{}", stage.name()));
    let solves = SOLVES.iter().map(|solve| format!("{solve}_converged"));
    COLUMNS.split(',').map(str::to_owned).chain(stages).chain(solves).collect()
}

/// The line of a step, which was the `step`th.
pub(super) fn record_of(report: StepReport, step: u64) -> StepRecord {
    let mut values = vec![
        Value::Count(step),
        Value::Number(report.time),
        Value::Number(report.dt),
        Value::Count(report.particles as u64),
        Value::Number(report.volume),
        Value::Number(report.surface_volume),
        Value::Number(report.kinetic_energy),
        Value::Number(report.potential_energy),
        Value::Number(report.surface_energy),
        Value::Small(report.divergence),
        Value::Small(report.complementarity),
        Value::Count(report.unknowns as u64),
        Value::Count(report.wall_rows as u64),
        Value::Count(report.active_rows as u64),
        Value::Text(report.solver),
        Value::Bool(report.converged),
        Value::Count(report.cycles as u64),
        Value::Count(report.inner_iterations as u64),
        Value::Small(report.residual),
        Value::Count(report.viscosity.iterations as u64),
        Value::Small(report.viscosity.residual),
        Value::Count(report.bubbles as u64),
        Value::Number(report.bubble_volume),
    ];
    values.extend(report.seconds.map(|seconds| Value::Seconds(seconds.as_secs_f64())));
    let others = [report.viscosity, report.density, report.contacts, report.coupling].map(|solve| solve.converged());
    values.extend(std::iter::once(report.pressure_converged).chain(others).map(Value::Bool));
    let (converged, device_failure) = (report.converged, report.device_failure);
    StepRecord { values, converged, device_failure, history: report.history }
}
