//! Solids that move, at the start of each step: the device evaluates their shapes itself, or the host does and sends what
//! it finds.

use bytemuck::Zeroable;
use unstick_grid::{Grid, Motion};
use unstick_liquid::{Geometry, Setup, Simulation, Wall};

use super::memory::StepMemory;
use super::shapes::{by_rows, in_space, parts_of};
use super::transfer::write;
use crate::driver::Kernel;
use crate::error::GpuError;
use crate::layout::{DeviceFields, DeviceSolid, Pointer, ShapePart};

/// Who finds out where solids that move are.
pub(super) enum MovingSolids {
    /// Nothing moves.
    None,
    /// The device, from the parts of all solids.
    Device(Vec<DeviceSolid>),
    /// The host: a solid is a mesh, or given by values.
    Host,
}

impl MovingSolids {
    /// Those of a setup; their parts are added to a list.
    pub fn of<const D: usize>(setup: &Setup<D>, parts: &mut Vec<ShapePart>) -> Self {
        if !setup.has_motion() {
            return Self::None;
        }
        let shapes: Option<Vec<_>> = setup.solids.iter().map(|solid| parts_of(&solid.shape)).collect();
        let Some(shapes) = shapes else { return Self::Host };
        let solids = setup.solids.iter().zip(shapes).map(|(solid, shape)| {
            let (first, separates) = (parts.len() as i32, (solid.wall == Wall::Separating) as i32);
            parts.extend(&shape);
            DeviceSolid { first, parts: shape.len() as i32, separates, ..DeviceSolid::zeroed() }
        });
        Self::Device(solids.collect())
    }

    /// Whether anything moves.
    pub fn is_any(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Solids that the device places itself.
    pub fn count(&self) -> usize {
        if let Self::Device(solids) = self { solids.len() } else { 0 }
    }

    /// Brings all walls to a time, if any moves.
    pub fn place<const D: usize>(
        &self,
        memory: &mut StepMemory,
        host: &mut Simulation<D>,
        time: f64,
    ) -> Result<(), GpuError> {
        match self {
            Self::None => return Ok(()),
            Self::Device(solids) => {
                let solids: Vec<_> = solids.iter().zip(&host.setup().solids).collect();
                let grid = host.setup().grid;
                let now: Vec<_> = solids.iter().map(|(solid, of)| at_time(&grid, **solid, &of.motion, time)).collect();
                memory.driver.write(memory.args.liquid.solids.address(), bytemuck::cast_slice(&now))?;
                memory.total(Kernel::PlaceSolids, memory.counts.nodes())?;
                let driven = memory.totals()?.driven;
                host.note_wall_speed(driven);
            }
            Self::Host => {
                host.meet_solids(time);
                memory.send_moving_walls(host.geometry())?;
            }
        }
        memory.over_faces(Kernel::OpenWalls)
    }
}

/// A solid where it is at a time. Its velocity is a linear function of place.
fn at_time<const D: usize>(grid: &Grid<D>, solid: DeviceSolid, motion: &Motion<D>, time: f64) -> DeviceSolid {
    if matches!(motion, Motion::Still) {
        return solid;
    }
    let (pose, origin) = (motion.pose(time), grid.origin());
    let velocity = motion.velocity(time, origin);
    let mut gradient = [[0.0; D]; D];
    for along in 0..D {
        let (mut there, reach) = (origin, grid.spacing() * grid.cells()[along] as f64);
        there[along] += reach;
        let velocity_there = motion.velocity(time, there);
        (0..D).for_each(|axis| gradient[axis][along] = (velocity_there[axis] - velocity[axis]) / reach);
    }
    DeviceSolid {
        is_posed: 1,
        rotation: by_rows(pose.rotation()),
        translation: in_space(pose.translation()),
        velocity: in_space(velocity),
        gradient: by_rows(gradient),
        ..solid
    }
}

impl StepMemory {
    /// Sends what the host has found out about walls: distances at nodes, open space, kinds of walls, velocities. All
    /// else the device makes of them.
    fn send_moving_walls<const D: usize>(&mut self, geometry: &Geometry<D>) -> Result<(), GpuError> {
        let (driver, step) = (&mut *self.driver, self.args.liquid);
        driver.write(step.solid_exact.address(), bytemuck::cast_slice(geometry.solid.values()))?;
        let space = geometry.space.values();
        write(driver, step.space, space.len(), |cell| space[cell] as f32)?;
        let separating = geometry.separating.values();
        write(driver, step.separating, separating.len(), |cell| separating[cell] as u8)?;
        for (axis, velocity) in geometry.solid_velocity.iter().flatten().enumerate() {
            let velocity = velocity.values();
            write(driver, step.solid_velocity[axis], velocity.len(), |face| velocity[face] as f32)?;
        }
        Ok(())
    }

    /// Writes the walls of a pressure problem, described in device memory.
    pub fn hand_over_walls(&mut self, fields: Pointer<DeviceFields>) -> Result<(), GpuError> {
        self.args.fields = fields;
        self.over_faces(Kernel::HandOverWalls)
    }
}

#[cfg(all(test, feature = "emulation"))]
mod tests {
    use bytemuck::Pod;
    use unstick_grid::{Pose, SignedDistance, Spin};
    use unstick_liquid::Solid;

    use super::*;
    use crate::solver::Gpu;
    use crate::step::memory::Counts;
    use crate::step::stages::set_rules;

    fn read<T: Pod>(memory: &mut StepMemory, at: Pointer<T>, count: usize) -> Vec<T> {
        let mut values = vec![T::zeroed(); count];
        memory.driver.read(at.address(), bytemuck::cast_slice_mut(&mut values)).unwrap();
        values
    }

    /// One solid of every simple shape and of every combination, some of which move, with walls of both kinds.
    fn crowd<const D: usize>(cells: [usize; D]) -> Setup<D> {
        let mut setup = Setup::new(Grid::new(cells, 0.1, [-0.3; D]).unwrap());
        let (low, high) = ([0.0; D], [0.31; D]);
        let turned = SignedDistance::cuboid(low, high).rotated(&Spin::about_axis([0.3, 0.2, 0.9]), [0.1; D]);
        let rod = SignedDistance::capsule([0.5; D], [0.9; D], 0.07).dilated(0.02);
        let cut = SignedDistance::sphere([0.7; D], 0.2).and(SignedDistance::half_space([0.65; D], high).complement());
        let far = SignedDistance::Union(vec![]).or(SignedDistance::sphere([0.2; D], 0.1).moved([0.9; D]));
        let mut velocity = [0.2; D];
        velocity[1] = -0.7;
        let motion = Motion::Steady { velocity, spin: Spin::about_axis([0.0, 0.4, 2.0]), pivot: [0.2; D] };
        let wall = Wall::Sealed;
        setup.solids = vec![
            Solid { wall, ..Solid::still(turned.or(rod.clone())) },
            Solid { motion: motion.clone(), ..Solid::still(cut) },
            Solid { motion, wall, ..Solid::still(rod.or(far).posed(&Pose::from_translation([-0.4; D]))) },
        ];
        setup
    }

    fn walls_are_those_of_the_processor<const D: usize>(cells: [usize; D], is_evaluated: bool) {
        let setup = crowd(cells);
        let mut host = Simulation::new(setup.clone(), &SignedDistance::cuboid([-0.3; D], [9.0; D])).unwrap();
        let mut parts = Vec::new();
        let solids = MovingSolids::of(&setup, &mut parts);
        let solids = if is_evaluated { solids } else { MovingSolids::Host };
        let counts =
            Counts { has_motion: true, solids: solids.count(), parts: parts.len(), ..Counts::of(&setup.grid, 0) };
        let mut memory = StepMemory::new(Gpu::emulated().driver(D).unwrap(), counts).unwrap();
        set_rules(&mut memory, &setup);
        memory.driver.write(memory.args.liquid.parts.address(), bytemuck::cast_slice(&parts)).unwrap();
        for time in [0.0, 0.37] {
            solids.place(&mut memory, &mut host, time).unwrap();
            let (expected, step) = (Geometry::at(&setup, time), memory.args.liquid);
            let mut agrees = |what: &str, at: Pointer<f32>, values: &[f64], unit: f64| {
                for (place, (found, value)) in read(&mut memory, at, values.len()).iter().zip(values).enumerate() {
                    let apart = (f64::from(*found) - value / unit).abs();
                    assert!(apart <= 2e-6 * (value / unit).abs().max(1.0), "{what} at {place}: {found} for {value}");
                }
            };
            agrees("distance", step.solid, expected.solid.values(), setup.grid.spacing());
            agrees("open part", step.cell_open, expected.cell_open.values(), 1.0);
            agrees("space", step.space, expected.space.values(), 1.0);
            for (axis, velocity) in expected.solid_velocity.iter().flatten().enumerate() {
                agrees("open face", step.open[axis], expected.open[axis].values(), 1.0);
                agrees("velocity", step.solid_velocity[axis], velocity.values(), 1.0);
            }
            let separating = read(&mut memory, step.separating, setup.grid.len());
            assert!(separating.iter().zip(expected.separating.values()).all(|(found, value)| (*found != 0) == *value));
        }
    }

    #[test]
    fn the_device_evaluates_every_shape_as_the_processor_does() {
        walls_are_those_of_the_processor([15, 14], true);
        walls_are_those_of_the_processor([15, 13, 14], true);
    }

    #[test]
    fn what_the_host_sends_becomes_the_same_walls() {
        walls_are_those_of_the_processor([15, 14], false);
        walls_are_those_of_the_processor([12, 13, 11], false);
    }
}
