//! Viscous flows with bodies as a physics to run.

use std::io::{Read, Write};
use std::sync::Arc;

use unstick_bodies::{Forces, RigidBody, Suspension, SuspensionSeconds, SuspensionState};
use unstick_gpu::Placement;
use unstick_grid::vector::length;

use super::RunError;
use super::edit::{Edit, edit_suspension};
use super::stepper::{Physics, RunScene, Snapshot, StateError, StepBound, StepRecord, Stepper, Value, read_state};
use super::table::{body_columns, write_body};
use crate::file::SceneError;
use crate::frame::Frame;
use crate::sink::view::flow_bytes;
use crate::viscous::{PathLines, ViscousScene, lattice};
use crate::warning::thin_bodies;

impl<const D: usize> From<ViscousScene<D>> for RunScene<D> {
    fn from(scene: ViscousScene<D>) -> Self {
        let (setup, grid) = (&scene.setup, lattice(&scene.setup.grid));
        let style = scene.picture_style();
        Self {
            title: scene.title.clone(),
            description: scene.description.clone(),
            frames: scene.frames,
            frame_seconds: scene.frame,
            cells: setup.grid.cells().to_vec(),
            grid,
            seed: 0,
            solids: Vec::new(),
            bodies: scene.bodies.clone(),
            path_lines: scene.output.bodies.unwrap_or(PathLines::suiting(scene.bodies.len())),
            output: scene.output.common.clone(),
            view_bytes: (scene.frames + 1) as f64 * flow_bytes(&grid, scene.bodies.len()),
            highest_pressure: setup.density * style.fastest * style.fastest,
            style,
            facts: vec![
                ("finest cell".into(), format!("{:.3e} m", setup.grid.finest())),
                ("bodies".into(), scene.bodies.len().to_string()),
                ("viscosity".into(), format!("{:?}", setup.viscosity)),
                ("density".into(), format!("{} kg/m³", setup.density)),
            ],
            warnings: thin_bodies(&scene.bodies, setup.grid.finest()).map(|warning| warning.to_string()).collect(),
            is_shared: false,
            may_copy: false,
            needs_device: false,
            physics: Arc::new(scene),
        }
    }
}

impl<const D: usize> Physics<D> for ViscousScene<D> {
    fn begin(&self) -> Result<Box<dyn Stepper<D>>, SceneError> {
        Ok(Box::new(ViscousStepper { suspension: self.suspension()?, scene: self.clone() }))
    }

    fn resume(&self, state: &mut dyn Read) -> Result<Box<dyn Stepper<D>>, StateError> {
        let state = read_state(state, |data| SuspensionState::restore(&self.setup.grid, self.bodies.len(), data))?;
        Ok(Box::new(ViscousStepper { suspension: ViscousScene::resume(self, state)?, scene: self.clone() }))
    }

    fn placement(&self) -> Result<Placement, SceneError> {
        Ok(Placement::Cpu(None))
    }

    fn check_memory(&self, available: u64) -> Result<(), SceneError> {
        ViscousScene::check_memory(self, available)
    }
}

/// Liquid and bodies, and the rule for the length of steps.
struct ViscousStepper<const D: usize> {
    suspension: Suspension<D>,
    scene: ViscousScene<D>,
}

/// The columns of `stats.csv` before the times of the stages.
const COLUMNS: &str = "step,time,dt,kinetic_energy,fastest_body,fastest_liquid,divergence,viscous_iterations,\
    pressure_iterations,contacts,contact_iterations,films,overlap";

/// The solves of a step, whose outcomes are the last columns of `stats.csv`.
const SOLVES: [&str; 5] = ["viscous", "pressure", "contact", "film", "position"];

impl<const D: usize> ViscousStepper<D> {
    fn fastest_body(&self) -> f64 {
        self.suspension.bodies().iter().map(|body| length(body.velocity())).fold(0.0, f64::max)
    }

    fn fastest_liquid(&self) -> f64 {
        let faces = self.suspension.flow().state().velocity.iter().flat_map(|field| field.values());
        faces.fold(0.0f64, |most, speed| most.max(speed.abs()))
    }

    fn kinetic_energy(&self) -> f64 {
        self.suspension.bodies().iter().map(RigidBody::kinetic_energy).sum()
    }
}

impl<const D: usize> Stepper<D> for ViscousStepper<D> {
    fn time(&self) -> f64 {
        self.suspension.flow().state().time
    }

    fn step(&self) -> u64 {
        self.suspension.flow().state().step
    }

    fn next_step(&self, time: f64) -> Option<f64> {
        self.scene.next_step(&self.suspension, time)
    }

    fn bound(&self) -> StepBound {
        StepBound {
            speed: self.fastest_body().max(self.fastest_liquid()),
            cell: self.suspension.flow().setup().grid.finest(),
            cfl: self.scene.cfl,
        }
    }

    fn advance(&mut self, step_length: f64) -> Result<StepRecord, RunError> {
        let before = self.suspension.state();
        let report = match self.suspension.advance(step_length) {
            Ok(report) => report,
            Err(error) => {
                // A step that failed leaves the state in its middle.
                self.suspension.set_state(before);
                return Err(error.into());
            }
        };
        let state = self.suspension.flow().state();
        let (flow, contact) = (&report.flow, &report.contact);
        let mut values = vec![
            Value::Count(state.step),
            Value::Number(state.time),
            Value::Number(flow.length),
            Value::Number(self.kinetic_energy()),
            Value::Number(self.fastest_body()),
            Value::Number(self.fastest_liquid()),
            Value::Small(flow.divergence),
            Value::Count(flow.viscous.iterations as u64),
            Value::Count(flow.pressure.iterations as u64),
            Value::Count(contact.contacts as u64),
            Value::Count(contact.impulse_solve.iterations as u64),
            Value::Count(report.films as u64),
            Value::Small(contact.deepest),
        ];
        values.extend(report.seconds.parts().map(|(_, seconds)| Value::Seconds(seconds)));
        let is_contact_solved = contact.impulse_solve.converged() && contact.friction_solve.converged();
        let [viscous, pressure, film, position] =
            [flow.viscous, flow.pressure, report.film_solve, contact.position_solve].map(|solve| solve.converged());
        let solves = [viscous, pressure, is_contact_solved, film, position];
        values.extend(solves.map(Value::Bool));
        Ok(StepRecord { values, converged: solves.iter().all(|&solved| solved), ..StepRecord::default() })
    }

    fn edit(&mut self, edit: Edit<D>) -> Result<(), RunError> {
        edit_suspension(&mut self.suspension, edit)
    }

    fn check_state(&self) -> Result<(), RunError> {
        Ok(self.suspension.check_finite()?)
    }

    fn frame(&self, number: usize) -> Frame<D> {
        Frame::of_suspension(&self.suspension, number)
    }

    fn store(&self, to: &mut dyn Write) -> Result<(), StateError> {
        Snapshot::store(&self.suspension.state(), to)
    }

    fn snapshot(&self, may_copy: bool) -> Option<Box<dyn Snapshot>> {
        may_copy.then(|| Box::new(self.suspension.state()) as _)
    }

    fn columns(&self) -> Vec<String> {
        let stages = SuspensionSeconds::default().parts().map(|(stage, _)| format!("seconds_{stage}"));
        let names = COLUMNS.split(',').map(str::to_owned);
        names.chain(stages).chain(SOLVES.iter().map(|solve| format!("{solve}_converged"))).collect()
    }

    fn summary(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("step", Value::Count(self.step())),
            ("time", Value::Number(self.time())),
            ("kinetic_energy", Value::Number(self.kinetic_energy())),
        ]
    }

    fn body_columns(&self) -> String {
        body_columns::<D>()
    }

    fn write_bodies(&self, lines: &mut String) {
        let (suspension, step, time) = (&self.suspension, self.step(), self.time());
        let forces = suspension.forces().iter().zip(suspension.contact_forces());
        for (body, (liquid, contact)) in suspension.bodies().iter().zip(forces) {
            let forces = Forces { liquid: liquid.force, torque: liquid.torque, contact: contact.force };
            write_body(lines, step, time, body, &forces);
            lines.push('\n');
        }
    }
}

impl<const D: usize> Snapshot for SuspensionState<D> {
    fn store(&self, to: &mut dyn Write) -> Result<(), StateError> {
        Ok(postcard::to_io(&self.to_data(), to).map(drop)?)
    }
}
