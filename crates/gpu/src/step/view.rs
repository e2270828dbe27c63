//! What there is to see of a liquid, on its way to the host while the next step runs: in single precision, and nothing
//! but what pictures and files show. What a device that fails cannot bring, the processor shows when it takes the steps
//! again.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::Pod;
use unstick_grid::{CellField, FaceField, Grid, multi_index};
use unstick_liquid::Simulation;
use unstick_parallel as parallel;

use super::Both;
use super::memory::StepMemory;
use crate::driver::{Download, Part, room_of};
use crate::error::GpuError;
use crate::layout::Pointer;

/// What there is to see of a liquid at one moment.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LiquidView<const D: usize> {
    /// Simulated seconds.
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// The surface: distance to the liquid at cell centres with films on solids, negative inside.
    pub surface: CellField<f64, D>,
    /// Distance to solids at the nodes, negative inside.
    pub solid: CellField<f64, D>,
    /// Where the particles are.
    pub positions: Vec<[f64; D]>,
    /// How they move.
    pub velocities: Vec<[f64; D]>,
    /// Their numbers.
    pub ids: Vec<u64>,
    /// Velocity across the faces.
    pub velocity: FaceField<f64, D>,
    /// Pressure in every cell divided by density.
    pub pressure: CellField<f64, D>,
    /// Cells whose wall has let go.
    pub separated: CellField<bool, D>,
}

impl<const D: usize> LiquidView<D> {
    /// What the processor shows.
    fn of(simulation: &Simulation<D>) -> Self {
        let state = simulation.state();
        Self {
            time: state.time,
            step: state.step,
            surface: simulation.surface().into_owned(),
            solid: simulation.geometry().solid.clone(),
            positions: state.particles.position.clone(),
            velocities: state.particles.velocity.clone(),
            ids: state.particles.id.clone(),
            velocity: state.velocity.clone(),
            pressure: state.pressure.clone(),
            separated: state.separated.clone(),
        }
    }
}

/// A view that is on its way. Steps go on meanwhile, and any thread may wait for it.
pub struct PendingView<const D: usize> {
    coming: ComingView<D>,
    awaited: Awaited<D>,
    both: Arc<Mutex<Both<D>>>,
}

impl<const D: usize> PendingView<D> {
    pub(super) fn new(coming: ComingView<D>, awaited: Awaited<D>, both: Arc<Mutex<Both<D>>>) -> Self {
        awaited.lock().push(AwaitedView { step: coming.moment.1, shown: None });
        Self { coming, awaited, both }
    }

    /// Waits until all of it has arrived. If the device fails before, the processor takes the steps up to there again,
    /// and the view is its own.
    pub fn wait(self) -> Result<LiquidView<D>, GpuError> {
        let Self { coming, awaited, both } = self;
        let step = coming.moment.1;
        let arrived = coming.arrive();
        if let Err(error) = &arrived {
            both.lock().unwrap_or_else(PoisonError::into_inner).lose_view(error);
        }
        let shown = awaited.take(step);
        arrived.or_else(|error| shown.ok_or(error))
    }
}

/// A view that has not arrived yet.
struct AwaitedView<const D: usize> {
    /// The step after which it was begun.
    step: u64,
    /// What the processor has shown instead.
    shown: Option<LiquidView<D>>,
}

/// All views that have not arrived yet.
pub(super) struct Awaited<const D: usize>(Arc<Mutex<Vec<AwaitedView<D>>>>);

impl<const D: usize> Default for Awaited<D> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<const D: usize> Clone for Awaited<D> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<const D: usize> Awaited<D> {
    fn lock(&self) -> MutexGuard<'_, Vec<AwaitedView<D>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the processor to those who await this moment.
    pub fn show(&self, simulation: &Simulation<D>) {
        let step = simulation.state().step;
        for awaited in self.lock().iter_mut().filter(|awaited| awaited.step == step) {
            awaited.shown = Some(LiquidView::of(simulation));
        }
    }

    /// Ends the waiting for a view.
    fn take(&self, step: u64) -> Option<LiquidView<D>> {
        let mut awaited = self.lock();
        let place = awaited.iter().position(|awaited| awaited.step == step)?;
        awaited.swap_remove(place).shown
    }
}

/// A view that the device sends.
pub(super) struct ComingView<const D: usize> {
    download: Box<dyn Download>,
    grid: Grid<D>,
    particles: usize,
    moment: (f64, u64),
    /// Solids that do not move come from the host.
    still: Option<Arc<CellField<f64, D>>>,
}

/// The parts of a download one after the other.
struct Parts<'a> {
    bytes: &'a [u8],
}

impl<'a> Parts<'a> {
    fn take<T: Pod>(&mut self, count: usize) -> &'a [T] {
        let part = (0, count * size_of::<T>());
        let (own, rest) = self.bytes.split_at(room_of(&part));
        self.bytes = rest;
        bytemuck::cast_slice(&own[..part.1])
    }

    fn take_field<const D: usize>(&mut self, shape: [usize; D], unit: f64) -> CellField<f64, D> {
        let values: &[f32] = self.take(shape.iter().product());
        let mut field = CellField::of_values(shape, parallel::filled(values.len(), 0.0));
        parallel::for_each((field.values_mut(), values), |(to, from)| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = unit * f64::from(*from));
        });
        field
    }

    /// A number along each axis for every particle.
    fn take_rows<const D: usize>(&mut self, count: usize) -> Vec<[f64; D]> {
        let columns: [&[f32]; D] = std::array::from_fn(|_| self.take(count));
        let row = |index: usize| std::array::from_fn(|axis| f64::from(columns[axis][index]));
        let mut rows = parallel::filled(count, [0.0; D]);
        parallel::for_each((0..count, rows.as_mut_slice()), |(range, rows): (Range<usize>, &mut [[f64; D]])| {
            range.zip(rows).for_each(|(index, slot)| *slot = row(index));
        });
        rows
    }
}

impl<const D: usize> ComingView<D> {
    /// Waits until all of it has arrived.
    fn arrive(mut self) -> Result<LiquidView<D>, GpuError> {
        let (grid, count, (time, step)) = (self.grid, self.particles, self.moment);
        let (cells, spacing, origin) = (grid.cells(), grid.spacing(), grid.origin());
        let mut parts = Parts { bytes: self.download.wait()? };
        let of_particle: &[u32] = parts.take(count);
        let mut ids = parallel::filled(count, 0);
        parallel::for_each((ids.as_mut_slice(), parts.take::<u32>(count)), |(ids, sent)| {
            ids.iter_mut().zip(sent).for_each(|(id, sent)| *id = u64::from(*sent));
        });
        let (mut positions, velocities) = (parts.take_rows(count), parts.take_rows(count));
        parallel::for_each((positions.as_mut_slice(), of_particle), |(positions, of_particle)| {
            for (point, cell) in positions.iter_mut().zip(of_particle) {
                let cell = multi_index(cells, *cell as usize);
                *point = std::array::from_fn(|axis| origin[axis] + spacing * (cell[axis] as f64 + point[axis]));
            }
        });
        let velocity = std::array::from_fn(|axis| parts.take_field(grid.faces(axis), 1.0));
        let surface = parts.take_field(cells, spacing);
        let pressure = parts.take_field(cells, 1.0);
        let mut separated = CellField::filled(cells, false);
        let marks: &[u8] = parts.take(grid.len());
        parallel::for_each((separated.values_mut(), marks), |(separated, marks)| {
            separated.iter_mut().zip(marks).for_each(|(to, mark)| *to = *mark != 0);
        });
        let solid = match self.still.take() {
            Some(still) => (*still).clone(),
            None => parts.take_field(cells.map(|count| count + 1), spacing),
        };
        Ok(LiquidView { time, step, surface, solid, positions, velocities, ids, velocity, pressure, separated })
    }
}

impl StepMemory {
    /// Begins to bring a view to the host.
    pub fn begin_view<const D: usize>(
        &mut self,
        grid: &Grid<D>,
        moment: (f64, u64),
        still: Option<Arc<CellField<f64, D>>>,
    ) -> Result<ComingView<D>, GpuError> {
        fn part<T>(at: Pointer<T>, count: usize) -> Part {
            (at.address(), count * size_of::<T>())
        }
        let (step, count, cells) = (self.args.liquid, self.counts.particles, self.counts.cells());
        let now = step.particles_now;
        let mut parts = vec![part(now.cell, count), part(now.id, count)];
        parts.extend(now.offset[..D].iter().chain(&now.velocity[..D]).map(|&at| part(at, count)));
        parts.extend((0..D).map(|axis| part(step.velocity.value[axis], self.counts.faces(axis))));
        parts.extend([part(step.shown, cells), part(step.pressure, cells), part(step.separated, cells)]);
        if still.is_none() {
            parts.push(part(step.solid, self.counts.nodes()));
        }
        let download = self.driver.begin_download(&parts)?;
        Ok(ComingView { download, grid: *grid, particles: count, moment, still })
    }
}

#[cfg(all(test, feature = "emulation"))]
mod tests {
    use unstick_grid::SignedDistance;
    use unstick_liquid::Setup;

    use super::*;
    use crate::{Gpu, GpuLiquid};

    /// A copy that never arrives.
    struct Lost;

    impl Download for Lost {
        fn wait(&mut self) -> Result<&[u8], GpuError> {
            Err(GpuError::Driver { action: "send data", message: "the device is lost".into() })
        }
    }

    fn tank() -> Simulation<2> {
        let liquid = SignedDistance::cuboid([0.0; 2], [0.4, 0.7]);
        Simulation::new(Setup::new(Grid::<2>::unit(12).unwrap()), &liquid).unwrap()
    }

    #[test]
    fn what_a_lost_device_does_not_bring_the_processor_shows_and_goes_on() {
        let (mut on_host, mut liquid) = (tank(), GpuLiquid::new(Gpu::emulated(), tank()).map_err(|(e, _)| e).unwrap());
        let mut moments = Vec::new();
        for step in 0..5 {
            on_host.advance(0.01).unwrap();
            liquid.advance(0.01).unwrap();
            if step == 1 || step == 2 {
                let (both, grid) = (liquid.both.clone(), liquid.setup().grid);
                let awaited = both.lock().unwrap().awaited.clone();
                let moment = (liquid.time(), liquid.step());
                let coming = ComingView { download: Box::new(Lost), grid, particles: 0, moment, still: None };
                moments.push((PendingView::new(coming, awaited, both), on_host.state().clone()));
            }
        }
        for (pending, expected) in moments {
            let view = std::thread::spawn(|| pending.wait().unwrap()).join().unwrap();
            assert_eq!((view.time, view.step), (expected.time, expected.step));
            assert!(view.positions == expected.particles.position && view.velocity == expected.velocity);
        }
        liquid.show(|shown| assert!(shown.state() == on_host.state(), "it has taken all the steps again"));
        let report = liquid.advance(0.01).unwrap();
        assert!(report.device_failure.unwrap().contains("the device is lost"));
        assert!(liquid.advance(0.01).unwrap().device_failure.is_none(), "said once");
        assert!(liquid.begin_view().is_none());
    }
}
