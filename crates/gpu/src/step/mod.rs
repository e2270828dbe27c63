//! The whole step of a liquid on the device.
//!
//! Particles and fields stay in device memory from step to step. The host reads a few numbers in each step, and the
//! state when somebody asks for it. The stages are those of `unstick_liquid`, in the same order:
//!
//! ```text
//! solids        those that move are evaluated, or sent by the host
//! exchange      sources and drains
//! gather        particles → faces and density, a thread for each node
//! surface       density → distance to the liquid
//! viscosity     stress and drag, after a first pressure
//! pressure      the problem of `assemble.rs`, whose fields the device writes itself
//! extrapolate   beyond the liquid, out of solids
//! move          displacements, faces → particles, Runge–Kutta, out of solids, sorted by cell
//! ```

mod device;
mod exchange;
mod memory;
mod shapes;
mod solids;
mod stages;
mod tension;
mod transfer;
mod view;
mod viscous;
mod walls;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use unstick_grid::CellField;
use unstick_liquid::{Air, LiquidState, Setup, Simulation, StepError, StepReport};
use unstick_mlcp::PressureMethod;

use crate::error::GpuError;
use crate::solver::Gpu;
use crate::tally::Tally;
use device::{DeviceLiquid, Failure};
use exchange::EMITTER_SHAPE;
use shapes::parts_of;
use view::Awaited;
use viscous::is_known;

pub use view::{LiquidView, PendingView};

const SPLITTING: GpuError = GpuError::Unsupported("splittings run on the processor");

/// The most steps that the host lags behind before a view brings the whole state with it: if the device fails, the
/// processor takes them again.
const MOST_UNSEEN: usize = 64;

/// A liquid whose steps are taken on a device.
///
/// ```no_run
/// use unstick_gpu::{Gpu, GpuLiquid};
/// use unstick_grid::{Grid, SignedDistance};
/// use unstick_liquid::{Setup, Simulation};
///
/// let setup = Setup::new(Grid::<3>::unit(128)?);
/// let dam = Simulation::new(setup, &SignedDistance::cuboid([0.0; 3], [0.25, 0.5, 0.5]))?;
/// let mut dam = GpuLiquid::new(Gpu::first()?, dam).map_err(|(error, _simulation)| error)?;
/// while let Some(dt) = dam.next_step(0.5) {
///     dam.advance(dt)?;
/// }
/// dam.show(|dam| println!("{} particles", dam.state().particles.len())); // now the state comes back
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// If the device fails, the processor takes the steps since the host last had the state again, and goes on.
pub struct GpuLiquid<const D: usize> {
    /// The host's view is brought up to date when it is asked for. Views that are on their way have a share in it.
    both: Arc<Mutex<Both<D>>>,
    setup: Setup<D>,
    time: f64,
    step: u64,
    fastest: f64,
}

/// A liquid on the device and on the host.
struct Both<const D: usize> {
    host: Simulation<D>,
    /// None once it has failed.
    device: Option<DeviceLiquid<D>>,
    /// Memory for the next state that comes back.
    spare: Option<LiquidState<D>>,
    /// Lengths of the steps that the host has not seen.
    unseen: Vec<f64>,
    /// Distances of the solids, if none moves.
    still: Option<Arc<CellField<f64, D>>>,
    /// Views that have not arrived yet.
    awaited: Awaited<D>,
    /// A failure that no report has named yet.
    failure: Option<String>,
    /// Whether a step has failed: what there is then is its middle.
    is_broken: bool,
    /// Why the processor could not take the unseen steps again.
    error: Option<StepError>,
}

impl<const D: usize> GpuLiquid<D> {
    /// Says what of a setup the device does not do. Its pressure alone can still be solved for there.
    pub fn check(setup: &Setup<D>) -> Result<(), GpuError> {
        match () {
            () if matches!(setup.pressure.solver, PressureMethod::Splitting(_)) => Err(SPLITTING),
            () if setup.air != Air::Open => Err(GpuError::Unsupported("enclosed air is worked out by the processor")),
            () if setup.emitters.iter().any(|emitter| parts_of(&emitter.shape).is_none()) => Err(EMITTER_SHAPE),
            () if setup.has_contact_angles() => {
                Err(GpuError::Unsupported("contact angles other than 90 degrees are worked out by the processor"))
            }
            () if !is_known(setup) => {
                Err(GpuError::Unsupported("the kernels do not know this law of viscosity or drag"))
            }
            () => Ok(()),
        }
    }

    /// Puts a simulation on a device; it comes back if that fails.
    #[expect(clippy::result_large_err, reason = "the simulation comes back")]
    pub fn new(gpu: Gpu, mut simulation: Simulation<D>) -> Result<Self, (GpuError, Simulation<D>)> {
        let device = Self::check(simulation.setup()).and_then(|()| match simulation.bodies() {
            Some(_) => Err(GpuError::Unsupported("bodies afloat are coupled with the liquid on the processor")),
            None => DeviceLiquid::new(gpu, &mut simulation),
        });
        // Measured where all later speeds are: the bits of a resumed run are those of a straight one.
        let device = device.map(|device| (device.fastest(), device));
        let (fastest, device) = match device {
            Ok(measured) => measured,
            Err(error) => return Err((error, simulation)),
        };
        let state = simulation.state();
        let is_still = !simulation.setup().has_motion();
        let still = is_still.then(|| Arc::new(simulation.geometry().solid.clone()));
        Ok(Self {
            setup: simulation.setup().clone(),
            time: state.time,
            step: state.step,
            fastest,
            both: Arc::new(Mutex::new(Both {
                host: simulation,
                device: Some(device),
                spare: None,
                still,
                awaited: Awaited::default(),
                unseen: Vec::new(),
                failure: None,
                is_broken: false,
                error: None,
            })),
        })
    }

    /// All that does not change.
    pub fn setup(&self) -> &Setup<D> {
        &self.setup
    }

    /// Simulated seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps taken.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The speed of the fastest particle.
    pub fn fastest(&self) -> f64 {
        self.fastest
    }

    /// Length of the next step towards `time`; none if it is reached.
    pub fn next_step(&self, time: f64) -> Option<f64> {
        self.setup.next_step(self.time, time, || self.fastest)
    }

    /// What the device was asked for so far; nothing once it has failed.
    pub fn tally(&self) -> Tally {
        self.lock().device.as_ref().map_or_else(Tally::default, DeviceLiquid::tally)
    }

    /// Takes a step, as [`Simulation::advance`] does.
    pub fn advance(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let (time, speed) = (self.time, self.fastest);
        if !(dt > 0.0 && time + dt > time && dt.is_finite()) {
            return Err(StepError::TooShort { time, dt, speed });
        }
        let (report, fastest) = self.lock().advance(&self.setup, dt)?;
        (self.time, self.step, self.fastest) = (report.time, self.step + 1, fastest);
        Ok(report)
    }

    /// Shows the simulation as it is now, on the host.
    pub fn show<T>(&self, look: impl FnOnce(&Simulation<D>) -> T) -> T {
        let mut both = self.lock();
        both.bring_up_to_date();
        look(&both.host)
    }

    /// Begins to bring what there is to see now to the host. The next step may run meanwhile, and any thread may wait for
    /// the view. None if the device has failed: then the host has the state, which [`show`](Self::show) shows.
    pub fn begin_view(&self) -> Option<PendingView<D>> {
        let mut both = self.lock();
        if both.unseen.len() >= MOST_UNSEEN {
            both.bring_up_to_date();
        }
        let Both { device: Some(device), still, awaited, is_broken: false, .. } = &mut *both else { return None };
        let coming = device.begin_view(&self.setup.grid, still.clone()).ok()?;
        Some(PendingView::new(coming, awaited.clone(), self.both.clone()))
    }

    /// Refuses a state that nothing can go on from.
    pub fn check_state(&self) -> Result<(), StepError> {
        let mut both = self.lock();
        both.bring_up_to_date();
        match both.is_broken {
            true => Err(StepError::Broken { step: self.step }),
            false => both.host.check_state(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Both<D>> {
        self.both.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<const D: usize> Both<D> {
    /// Takes a step where the liquid is; also says how fast anything is afterwards.
    fn advance(&mut self, setup: &Setup<D>, dt: f64) -> Result<(StepReport, f64), StepError> {
        if self.is_broken {
            let step = self.host.state().step + self.unseen.len() as u64;
            return Err(self.error.take().unwrap_or(StepError::Broken { step }));
        }
        if let Some(device) = &mut self.device {
            let stepped = device.advance(setup, &mut self.host, dt);
            match stepped {
                Ok(report) => {
                    self.unseen.push(report.dt); // which may be less
                    return Ok((report, device.fastest()));
                }
                Err(Failure::Step(error)) => {
                    self.is_broken = true;
                    return Err(error);
                }
                Err(Failure::Refused(error)) => return Err(error),
                Err(Failure::Device(message)) => self.lose(message)?,
            }
        }
        let mut report = self.host.advance(dt)?;
        report.device_failure = self.failure.take().or(report.device_failure);
        Ok((report, self.host.fastest()))
    }

    /// Goes on without the device: the processor takes the steps that it has not seen.
    fn lose(&mut self, message: String) -> Result<(), StepError> {
        self.device = None;
        self.failure = Some(message);
        let unseen = std::mem::take(&mut self.unseen);
        self.awaited.show(&self.host);
        let retaken = unseen.into_iter().try_for_each(|dt| {
            self.host.advance(dt)?;
            self.awaited.show(&self.host);
            Ok(())
        });
        self.is_broken = retaken.is_err();
        retaken
    }

    /// A view has not arrived: the device has failed.
    fn lose_view(&mut self, error: &GpuError) {
        if self.device.is_some() && !self.is_broken {
            self.error = self.lose(error.to_string()).err();
        }
    }

    /// Brings the state of the host to where the device is.
    fn bring_up_to_date(&mut self) {
        let (false, false, Some(device)) = (self.is_broken, self.unseen.is_empty(), &mut self.device) else { return };
        // Beside the state of the host: if the device fails now, the steps are taken again from there.
        let state = self.spare.get_or_insert_with(|| LiquidState::empty(&self.host.setup().grid));
        state.met.clone_from(&self.host.state().met);
        match device.receive(self.host.setup(), state) {
            Ok(starts) => {
                self.host.take_over(state, starts);
                self.unseen.clear();
            }
            Err(error) => {
                self.error = self.lose(error.to_string()).err();
            }
        }
    }
}

#[cfg(all(test, feature = "emulation"))]
mod tests {
    use unstick_grid::{Formula, Grid, SignedDistance, Varying};
    use unstick_liquid::{Drag, Transport, Unconverged, Viscosity};
    use unstick_mlcp::Stop;

    use super::*;

    /// No solve for the pressure reaches such a tolerance.
    fn tank(transport: Transport) -> GpuLiquid<2> {
        tank_of(|setup| (setup.pressure.tolerance, setup.transport) = (1e-300, transport))
    }

    fn tank_of(change: impl FnOnce(&mut Setup<2>)) -> GpuLiquid<2> {
        let mut setup = Setup::new(Grid::<2>::unit(8).unwrap());
        setup.pressure.on_unconverged = Unconverged::ShortenStep;
        change(&mut setup);
        let tank = Simulation::new(setup, &SignedDistance::cuboid([0.0; 2], [0.4, 0.7])).unwrap();
        GpuLiquid::new(Gpu::emulated(), tank).map_err(|(error, _)| error).unwrap()
    }

    fn solve_to(liquid: &GpuLiquid<2>, tolerance: f64) {
        liquid.lock().device.as_mut().unwrap().set_stop(Stop::relative(tolerance));
    }

    /// A wait takes about as long as some kernels.
    #[test]
    fn a_step_waits_for_what_the_host_decides_and_for_little_else() {
        let mut liquid = tank(Transport::default());
        solve_to(&liquid, 1e-6);
        for step in 0..4 {
            let before = liquid.tally();
            let report = liquid.advance(0.01).unwrap();
            let (asked, density) = (liquid.tally() - before, report.density);
            // Each policy and each cycle ends with a number that the host looks at.
            let looks = report.cycles + report.inner_iterations + density.iterations;
            assert!(asked.waits <= looks as u64 + 9, "step {step}: {asked:?}, {looks} looks");
            assert!(step == 0 || asked.launches <= 3 * report.cycles as u64 + 60, "step {step}: {asked:?}");
            assert_eq!(asked.allocations, 0);
        }
    }

    /// Stress fails after the pressure has been predicted, which was no step of the liquid.
    #[test]
    fn a_step_whose_stress_is_no_number_leaves_its_start() {
        let is_wrong_at_last = |[x, _]: [f64; 2], time: f64| if time > 0.025 && x < 0.2 { f64::NAN } else { 0.1 };
        let value = Arc::new(is_wrong_at_last);
        let viscous = |setup: &mut Setup<2>| {
            (setup.pressure.tolerance, setup.viscosity) = (1e-6, Viscosity::Newtonian(0.1));
            setup.border_drag =
                Drag::SlipLength(Varying::Formula(Formula { text: "0.1".into(), value: value.clone() }));
        };
        let (mut liquid, mut straight) = (tank_of(viscous), tank_of(viscous));
        for liquid in [&mut liquid, &mut straight] {
            (0..3).for_each(|_| drop(liquid.advance(0.01).unwrap()));
        }
        for _ in 0..2 {
            let refused = liquid.advance(0.01).unwrap_err();
            assert!(matches!(refused, StepError::ViscosityUnconverged { .. }), "{refused}");
        }
        let start = straight.show(|shown| shown.state().clone());
        assert!(liquid.show(|shown| *shown.state() == start) && liquid.check_state().is_ok());
    }

    #[test]
    fn a_step_that_is_refused_leaves_its_start_and_a_shorter_one_is_as_if_nothing_had_been() {
        for transport in [Transport::default(), Transport::SemiLagrangian] {
            let (mut liquid, mut straight) = (tank(transport), tank(transport));
            for liquid in [&mut liquid, &mut straight] {
                solve_to(liquid, 1e-6);
                (0..3).for_each(|_| drop(liquid.advance(0.01).unwrap()));
            }
            let start = straight.show(|shown| shown.state().clone());
            solve_to(&liquid, 1e-300);
            assert!(matches!(liquid.advance(0.01), Err(StepError::Unconverged { .. })));
            assert!(liquid.check_state().is_ok() && liquid.show(|shown| *shown.state() == start), "{transport:?}");
            for liquid in [&mut liquid, &mut straight] {
                solve_to(liquid, 1e-6);
                (0..2).for_each(|_| drop(liquid.advance(0.005).unwrap()));
            }
            assert!(liquid.show(|shown| shown.state().clone()) == straight.show(|shown| shown.state().clone()));
        }
    }
}
