//! Sources and drains.
//!
//! Where particles can enter a source does not change, and the device has those sites; in a viscous liquid they move with it,
//! and the host sends them. In a step the device counts the particles
//! inside, and measures the room around each site. The host sorts the sites by it, as the processor does, and names
//! those where particles enter. The particles of a drain lose their cell, and the next sort leaves them out.

use unstick_liquid::{Emitter, Geometry, Setup, Simulation, cells_near, lattice_in};

use super::memory::StepMemory;
use super::shapes::{in_space, parts_of};
use super::transfer::{place_of, write};
use crate::driver::Kernel;
use crate::error::GpuError;
use crate::layout::{DeviceEmitter, DeviceFaces, ShapePart};

/// Why sources and drains of some shapes are not worked here.
pub(super) const EMITTER_SHAPE: GpuError = GpuError::Unsupported(
    "sources and drains that are meshes, or are joined in too many layers, are worked by the processor",
);

/// The sources and drains of a setup, and where particles can enter.
pub(super) struct Emitters<const D: usize> {
    emitters: Vec<DeviceEmitter>,
    /// The numbers of the cells that may have a part of each source.
    cells: Vec<Vec<usize>>,
    /// Where the liquid is not viscous: all sites of all sources.
    sites: Vec<[f64; D]>,
    /// Places for sites.
    room: usize,
}

impl<const D: usize> Emitters<D> {
    /// Those of a setup; their parts are added to a list.
    pub fn of(simulation: &Simulation<D>, parts: &mut Vec<ShapePart>) -> Result<Self, GpuError> {
        let (setup, geometry) = (simulation.setup(), simulation.geometry());
        let mut found = Self { emitters: Vec::new(), cells: Vec::new(), sites: Vec::new(), room: 0 };
        for emitter in &setup.emitters {
            let shape = parts_of(&emitter.shape).ok_or(EMITTER_SHAPE)?;
            let (first, first_site) = (parts.len() as i32, found.room as i32);
            parts.extend(&shape);
            let cells = if emitter.velocity.is_some() { cells_near(setup, &emitter.shape) } else { Vec::new() };
            let sites = match setup.has_stress() {
                // They move with the liquid: any place may have one in some step.
                true => cells.len() * setup.particles_per_cell(),
                false => {
                    found.sites.extend(free_sites((setup, geometry), emitter, &cells, 0.0));
                    found.sites.len() - found.room
                }
            };
            found.room += sites;
            found.cells.push(cells);
            found.emitters.push(DeviceEmitter {
                first,
                parts: shape.len() as i32,
                first_site,
                sites: sites as i32,
                velocity: in_space(emitter.velocity.unwrap_or([0.0; D])),
            });
        }
        Ok(found)
    }

    pub fn count(&self) -> usize {
        self.emitters.len()
    }

    /// The most sites that there can be: no more particles enter in a step.
    pub fn sites(&self) -> usize {
        self.room
    }

    /// Sends what does not change.
    pub fn send(&self, memory: &mut StepMemory, setup: &Setup<D>) -> Result<(), GpuError> {
        memory.driver.write(memory.args.liquid.emitters.address(), bytemuck::cast_slice(&self.emitters))?;
        send_sites(memory, setup, 0, &self.sites)
    }

    /// Where the liquid is viscous: finds the sites of a source at a time, and sends them.
    fn move_sites(
        &mut self,
        memory: &mut StepMemory,
        (setup, geometry): (&Setup<D>, &Geometry<D>),
        number: usize,
        time: f64,
    ) -> Result<(), GpuError> {
        let (emitter, of_device) = (&setup.emitters[number], &mut self.emitters[number]);
        let sites: Vec<_> = free_sites((setup, geometry), emitter, &self.cells[number], time).collect();
        send_sites(memory, setup, of_device.first_site as usize, &sites)?;
        of_device.sites = sites.len() as i32;
        let at = memory.args.liquid.emitters.at(number);
        memory.driver.write(at.address(), bytemuck::bytes_of(of_device))
    }

    /// Fills sources and empties drains that work at a time; true if any particle has come or gone.
    pub fn work(
        &mut self,
        memory: &mut StepMemory,
        (setup, geometry): (&Setup<D>, &Geometry<D>),
        time: f64,
        next_id: &mut u64,
    ) -> Result<bool, GpuError> {
        let before = memory.counts.particles;
        let (mut entered, mut gone) = (0, 0);
        // Sources first, as on the processor.
        for (number, _) in active(setup, time).filter(|(_, emitter)| emitter.velocity.is_some()) {
            if setup.has_stress() {
                self.move_sites(memory, (setup, geometry), number, time)?;
            }
            entered += self.fill_source(memory, number, next_id)?;
        }
        for (number, _) in active(setup, time).filter(|(_, emitter)| emitter.velocity.is_none()) {
            memory.step().emitter = number as i32;
            memory.total(Kernel::DrainParticles, memory.counts.particles)?;
            gone += memory.totals()?.inside as usize;
        }
        debug_assert_eq!(memory.counts.particles, before + entered, "particles that are gone are still counted");
        if entered + gone == 0 {
            return Ok(false);
        }
        memory.over_particles(Kernel::CountParticles)?;
        memory.sort_counted(before + entered - gone)?;
        memory.find_occupied()?;
        Ok(true)
    }

    /// Keeps a source full: as many particles enter as have left it, at the places with most room.
    fn fill_source(&self, memory: &mut StepMemory, number: usize, next_id: &mut u64) -> Result<usize, GpuError> {
        let DeviceEmitter { first_site, sites, .. } = self.emitters[number];
        let (first_site, sites) = (first_site as usize, sites as usize);
        memory.step().emitter = number as i32;
        memory.total(Kernel::CountInside, memory.counts.particles)?;
        memory.driver.launch_items(Kernel::MeasureSites, sites, &memory.args)?;
        let present = memory.totals()?.inside as usize;
        let mut room = vec![0f64; sites];
        let at = memory.args.liquid.site_room.at(first_site);
        memory.driver.read(at.address(), bytemuck::cast_slice_mut(&mut room))?;
        let mut free: Vec<u32> = (0..sites as u32).filter(|&site| room[site as usize] >= 0.0).collect();
        let entering = free.len().saturating_sub(present);
        if entering == 0 {
            return Ok(0);
        }
        if *next_id + entering as u64 > u64::from(u32::MAX) {
            return Err(GpuError::Unsupported("more particles have come than 32-bit numbers count"));
        }
        free.sort_by(|&a, &b| room[b as usize].total_cmp(&room[a as usize]));
        let chosen: Vec<u32> = free[..entering].iter().map(|site| first_site as u32 + site).collect();
        let step = memory.step();
        (step.entering, step.next_id) = (entering as i32, *next_id as u32);
        let at = step.chosen.address();
        memory.driver.write(at, bytemuck::cast_slice(&chosen))?;
        memory.driver.launch_items(Kernel::EnterParticles, entering, &memory.args)?;
        memory.set_particles(memory.counts.particles + entering);
        *next_id += entering as u64;
        Ok(entering)
    }

    /// Gives the liquid inside of sources that work at a time their velocity, on these faces.
    pub fn prescribe(
        &self,
        memory: &mut StepMemory,
        setup: &Setup<D>,
        time: f64,
        faces: DeviceFaces,
    ) -> Result<(), GpuError> {
        for number in sources_at(setup, time) {
            let step = memory.step();
            (step.emitter, step.spreading) = (number as i32, faces);
            memory.over_faces(Kernel::PrescribeFaces)?;
        }
        Ok(())
    }
}

fn active<const D: usize>(setup: &Setup<D>, time: f64) -> impl Iterator<Item = (usize, &Emitter<D>)> {
    setup.emitters.iter().enumerate().filter(move |(_, emitter)| (emitter.start..emitter.end).contains(&time))
}

/// The numbers of the sources that work at a time.
pub(super) fn sources_at<const D: usize>(setup: &Setup<D>, time: f64) -> Vec<usize> {
    let sources = active(setup, time).filter(|(_, emitter)| emitter.velocity.is_some());
    sources.map(|(number, _)| number).collect()
}

/// The sites of a source at a time that are not in solids. Solids that move set sites free and take them: the device looks at
/// each step.
fn free_sites<'a, const D: usize>(
    (setup, geometry): (&'a Setup<D>, &'a Geometry<D>),
    emitter: &'a Emitter<D>,
    cells: &'a [usize],
    time: f64,
) -> impl Iterator<Item = [f64; D]> {
    let sites = lattice_in(setup, &emitter.shape, emitter.shift(setup, time), cells.iter().copied());
    sites.filter(move |&site| setup.has_motion() || geometry.distance(&setup.grid, site) > 0.0)
}

/// Sends sites from a number on.
fn send_sites<const D: usize>(
    memory: &mut StepMemory,
    setup: &Setup<D>,
    first: usize,
    sites: &[[f64; D]],
) -> Result<(), GpuError> {
    let (driver, step) = (&mut *memory.driver, memory.args.liquid);
    let places: Vec<_> = sites.iter().map(|&site| place_of(&setup.grid, site)).collect();
    write(driver, step.site_cell.at(first), places.len(), |site| setup.grid.index(places[site].0) as u32)?;
    for axis in 0..D {
        write(driver, step.site_point[axis].at(first), places.len(), |site| sites[site][axis])?;
        write(driver, step.site_offset[axis].at(first), places.len(), |site| places[site].1[axis])?;
    }
    Ok(())
}
