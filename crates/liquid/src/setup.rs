//! The values of a simulation that do not change while it runs.

use serde::{Deserialize, Serialize};
use unstick_flow::Viscosity;
use unstick_grid::{Grid, Motion, SignedDistance, Varying};
use unstick_mlcp::{PressureMethod, SolveReport, Splitting, Stop, Unconverged};

use crate::air::Air;
use crate::error::{SetupError, StepError};
use crate::pressure::splitting::SplittingParams;

/// The usual contact angle, in degrees.
const RIGHT_ANGLE: f64 = 90.0;

/// What a wall does to liquid that moves away from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wall {
    /// Lets go: the wall pushes, never pulls.
    #[default]
    Separating,
    /// Holds on: the classic wall.
    Sealed,
}

/// What a wall does to liquid that slides along it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Drag<const D: usize> {
    /// Nothing: liquid slips.
    #[default]
    None,
    /// Shear stress ρν u/b for liquid that slides at the velocity u: Navier's law. The slip length b, in metres, is as far
    /// behind the wall as the velocity would vanish. Zero is the wall to which liquid sticks.
    SlipLength(Varying<D>),
    /// Shear stress up to this part of the pressure on the wall: Coulomb's law. Liquid that needs less stays in place. It
    /// needs no viscosity, and without it acts on the layer of cells at the wall.
    Friction(Varying<D>),
}

impl<const D: usize> Drag<D> {
    /// The wall to which liquid sticks.
    pub fn no_slip() -> Self {
        Self::SlipLength(0.0.into())
    }

    /// Its number, which may depend on place and time; none if it does nothing.
    pub fn number(&self) -> Option<&Varying<D>> {
        match self {
            Self::None => None,
            Self::SlipLength(number) | Self::Friction(number) => Some(number),
        }
    }
}

/// A solid and what its surface does.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid<const D: usize> {
    /// The shape before the motion moves it.
    pub shape: SignedDistance<D>,
    /// What its surface does to the liquid.
    pub wall: Wall,
    /// What it does to liquid that slides along it.
    pub drag: Drag<D>,
    /// How it moves.
    pub motion: Motion<D>,
    /// σ of its surface, in Pa: see [`Setup::border_adhesion`]. Default 0.
    pub adhesion: Varying<D>,
    /// κ of its surface; none if it is [`Setup::control`]. Default none.
    pub control: Option<Varying<D>>,
    /// Angle at which the surface of the liquid meets it: see [`Setup::border_contact_angle`]. Default 90.
    pub contact_angle: f64,
}

impl<const D: usize> Solid<D> {
    /// A solid at rest with separating walls.
    pub fn still(shape: SignedDistance<D>) -> Self {
        Self {
            shape,
            wall: Wall::Separating,
            drag: Drag::None,
            motion: Motion::Still,
            adhesion: Varying::default(),
            control: None,
            contact_angle: RIGHT_ANGLE,
        }
    }

    /// Distance of a point at a time, negative inside.
    pub fn distance(&self, time: f64, point: [f64; D]) -> f64 {
        match self.motion {
            Motion::Still => self.shape.at(point),
            _ => self.shape.at(self.motion.pose(time).apply_inverse(point)),
        }
    }
}

/// How velocity travels with the liquid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// Particles carry velocity and take on its changes on the grid. A part `pic` is taken from the grid itself.
    Flip {
        /// Part that comes from the grid in a hundredth of a second, 0 to 1: less is livelier, more is calmer. Default
        /// 0.05.
        pic: f64,
    },
    /// Particles carry an affine velocity field each.
    Apic,
    /// The grid carries velocity by tracing back; particles only mark the liquid.
    SemiLagrangian,
}

impl Default for Transport {
    fn default() -> Self {
        Self::Flip { pic: 0.05 }
    }
}

/// Acceleration of everything, constant or given at times and linear in between.
#[derive(Clone, Debug, PartialEq)]
pub enum Gravity<const D: usize> {
    /// The same at all times.
    Constant([f64; D]),
    /// (time, acceleration), with ascending times. The first and the last value hold beyond their times.
    Table(Vec<(f64, [f64; D])>),
}

impl<const D: usize> Gravity<D> {
    /// The acceleration at a time.
    pub fn at(&self, time: f64) -> [f64; D] {
        let table = match self {
            Self::Constant(value) => return *value,
            Self::Table(table) => table,
        };
        let after = table.partition_point(|entry| entry.0 <= time);
        match (after.checked_sub(1).map(|before| table[before]), table.get(after)) {
            (Some((start, from)), Some(&(end, to))) => {
                let part = (time - start) / (end - start);
                std::array::from_fn(|axis| from[axis] + part * (to[axis] - from[axis]))
            }
            (Some((_, value)), None) => value,
            (None, Some(&(_, value))) => value,
            (None, None) => [0.0; D],
        }
    }
}

/// How the pressure is solved for.
#[derive(Clone, Debug, PartialEq)]
pub struct PressureParams {
    /// Solver or splitting by name; default `best`.
    pub solver: PressureMethod,
    /// Natural residual to reach, relative to that at zero. Default 1e-6; splittings have thresholds of
    /// their own.
    pub tolerance: f64,
    /// Thresholds and choices of the splittings.
    pub splitting: SplittingParams,
    /// What to do when the tolerance is missed.
    pub on_unconverged: Unconverged,
}

impl PressureParams {
    /// When a solver may stop.
    pub fn stop(&self) -> Stop {
        Stop::relative(self.tolerance)
    }

    /// Refuses an answer that misses its tolerance, unless it may.
    pub fn accept(&self, time: f64, report: SolveReport) -> Result<SolveReport, StepError> {
        if report.converged() || self.on_unconverged == Unconverged::Accept {
            return Ok(report);
        }
        Err(StepError::Unconverged {
            time,
            solver: report.solver().into(),
            outcome: report.outcome(),
            residual: report.reached(),
            target: report.target(),
        })
    }

    /// A warning for the user before a long run: see [`SplittingParams::warning`].
    pub fn warning(&self) -> Option<&'static str> {
        let stops_on_divergence = match self.solver {
            PressureMethod::Solver(_) => false,
            PressureMethod::Splitting(name) => match name.splitting() {
                Splitting::Reclassify => false,
                splitting => !self.splitting.stops_on_velocity(splitting),
            },
        };
        self.splitting.warning().filter(|_| stops_on_divergence)
    }
}

impl Default for PressureParams {
    fn default() -> Self {
        let solver = "best".parse().expect("a name of the catalogue");
        let splitting = SplittingParams::default();
        Self { solver, tolerance: 1e-6, splitting, on_unconverged: Unconverged::default() }
    }
}

/// A source or drain, which works while the time is in its range.
#[derive(Clone, Debug, PartialEq)]
pub struct Emitter<const D: usize> {
    /// Where.
    pub shape: SignedDistance<D>,
    /// Velocity of the liquid that enters. A drain has none: it removes the liquid that it covers.
    pub velocity: Option<[f64; D]>,
    /// Start, in seconds.
    pub start: f64,
    /// End.
    pub end: f64,
}

/// Everything that does not change while a simulation runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup<const D: usize> {
    /// The lattice. Its border is a wall.
    pub grid: Grid<D>,
    /// What the border does.
    pub border: Wall,
    /// σ of the border, in Pa: how hard a separating wall pulls at the liquid that touches it before it lets go. Zero
    /// never pulls, and a sealed wall pulls without limit. What varies to less than zero does not pull there. Default 0.
    pub border_adhesion: Varying<D>,
    /// What the border does to liquid that slides along it.
    pub border_drag: Drag<D>,
    /// Solids beside the border.
    pub solids: Vec<Solid<D>>,
    /// Acceleration. Default 9.81 along −y.
    pub gravity: Gravity<D>,
    /// Density in kg/m³ (kg/m² in 2D). Default 1000; only pressures, energies and what tension does depend on it.
    pub density: f64,
    /// What the air around the liquid does. Default [`Air::Open`].
    pub air: Air<D>,
    /// γ: surface tension in N/m (N in 2D), zero for none. Water has 0.072. Default 0.
    pub tension: f64,
    /// Angle in degrees, measured in the liquid, at which its surface meets the border where there is surface tension. A
    /// border that likes the liquid has less than 90. Default 90.
    pub border_contact_angle: f64,
    /// Kinematic viscosity, in m²/s. Default 0.
    pub viscosity: Viscosity,
    /// Error of the viscous solve, relative to the largest change that it makes to the velocity. Default 1e-4.
    pub viscosity_tolerance: f64,
    /// How velocity travels.
    pub transport: Transport,
    /// How the pressure is solved for.
    pub pressure: PressureParams,
    /// Cells that the fastest particle may cross in a step. Default 1.
    pub cfl: f64,
    /// Longest step in seconds. Default 0.01.
    pub max_step: f64,
    /// Particles of a full cell along each axis. Default 2.
    pub particles_per_axis: usize,
    /// Whether the density of the particles, and with it the volume, is held. Default true.
    pub volume_correction: bool,
    /// κ: the least speed at which liquid leaves separating walls that have let go \[Andersen2017b, eq. (48)\]. A
    /// positive one drives it off, a negative one lets it come back. Default 0.
    pub control: Varying<D>,
    /// Sources and drains.
    pub emitters: Vec<Emitter<D>>,
    /// Seed of the jitter of particles. Default 0.
    pub seed: u64,
}

impl<const D: usize> Setup<D> {
    /// A closed box of separating walls under gravity, all else by default.
    pub fn new(grid: Grid<D>) -> Self {
        let mut gravity = [0.0; D];
        gravity[1] = -9.81;
        Self {
            grid,
            border: Wall::Separating,
            border_adhesion: Varying::default(),
            border_drag: Drag::None,
            solids: Vec::new(),
            gravity: Gravity::Constant(gravity),
            density: 1000.0,
            air: Air::Open,
            tension: 0.0,
            border_contact_angle: RIGHT_ANGLE,
            viscosity: Viscosity::Newtonian(0.0),
            viscosity_tolerance: 1e-4,
            transport: Transport::default(),
            pressure: PressureParams::default(),
            cfl: 1.0,
            max_step: 0.01,
            particles_per_axis: 2,
            volume_correction: true,
            control: Varying::default(),
            emitters: Vec::new(),
            seed: 0,
        }
    }

    /// The same with every wall of one kind.
    pub fn with_walls(mut self, wall: Wall) -> Self {
        self.border = wall;
        self.solids.iter_mut().for_each(|solid| solid.wall = wall);
        self
    }

    /// Layers of faces around the liquid that velocity is carried to: particles may move through them in a step.
    pub(crate) fn layers(&self) -> usize {
        self.cfl.ceil() as usize + 2
    }

    /// Particles of a full cell.
    pub fn particles_per_cell(&self) -> usize {
        self.particles_per_axis.pow(D as u32)
    }

    /// Whether any solid moves.
    pub fn has_motion(&self) -> bool {
        self.solids.iter().any(|solid| !matches!(solid.motion, Motion::Still))
    }

    /// The sources that work at a time: where, and the velocity of the liquid that enters.
    pub(crate) fn sources(&self, time: f64) -> impl Iterator<Item = (&SignedDistance<D>, [f64; D])> {
        let active = self.emitters.iter().filter(move |emitter| (emitter.start..emitter.end).contains(&time));
        active.filter_map(|emitter| Some((&emitter.shape, emitter.velocity?)))
    }

    /// Whether the border or a solid pulls.
    pub fn pulls(&self) -> bool {
        self.adhesions().any(|adhesion| !adhesion.is_zero())
    }

    fn adhesions(&self) -> impl Iterator<Item = &Varying<D>> {
        self.solids.iter().map(|solid| &solid.adhesion).chain([&self.border_adhesion])
    }

    /// κ where it is the same at all walls and all times.
    pub fn uniform_control(&self) -> Option<f64> {
        let is_usual = |solid: &Solid<D>| solid.control.as_ref().is_none_or(|control| *control == self.control);
        self.control.constant().filter(|_| self.solids.iter().all(is_usual))
    }

    /// What the border and the solids do to liquid that slides along them.
    pub fn drags(&self) -> impl Iterator<Item = &Drag<D>> {
        self.solids.iter().map(|solid| &solid.drag).chain([&self.border_drag])
    }

    /// The contact angles of all walls.
    pub(crate) fn contact_angles(&self) -> impl Iterator<Item = f64> {
        self.solids.iter().map(|solid| solid.contact_angle).chain([self.border_contact_angle])
    }

    /// Whether the surface of the liquid meets any wall at another angle than 90 degrees.
    pub fn has_contact_angles(&self) -> bool {
        self.tension > 0.0 && self.contact_angles().any(|angle| angle != RIGHT_ANGLE)
    }

    /// Whether walls hold liquid by its surface tension. Splittings know no walls that do.
    pub(crate) fn is_wetting(&self) -> bool {
        self.has_contact_angles() && matches!(self.pressure.solver, PressureMethod::Solver(_))
    }

    /// Whether walls may differ in how they pull liquid, drive it off, drag it or meet its surface.
    pub(crate) fn has_dials(&self) -> bool {
        self.pulls()
            || self.uniform_control().is_none()
            || self.drags().any(|drag| *drag != Drag::None)
            || self.has_contact_angles()
    }

    /// A warning for the user before a long run: tension where it cannot be relied on, and what has no effect.
    pub fn warning(&self) -> Option<&'static str> {
        let has_angles = self.contact_angles().any(|angle| angle != RIGHT_ANGLE);
        match self.tension > 0.0 {
            true if !self.solids.is_empty() && !has_angles => {
                Some("surface tension at solids that are oblique or round lets drops creep along them")
            }
            false if has_angles => Some("contact angles do nothing without surface tension: `tension` is 0"),
            _ => None,
        }
    }

    /// Refuses values that make no sense.
    pub fn check(&self) -> Result<(), SetupError> {
        let positive = [
            ("the density", self.density),
            ("the CFL number", self.cfl),
            ("the longest step", self.max_step),
            ("the pressure tolerance", self.pressure.tolerance),
            ("the viscous tolerance", self.viscosity_tolerance),
        ];
        for (what, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(SetupError::NotPositive { what, value });
            }
        }
        if let Transport::Flip { pic } = self.transport
            && !(0.0..=1.0).contains(&pic)
        {
            return Err(SetupError::Blend(pic));
        }
        if !(self.tension >= 0.0 && self.tension.is_finite()) {
            return Err(SetupError::Tension(self.tension));
        }
        if let Some(angle) = self.contact_angles().find(|&angle| !(angle > 0.0 && angle < 180.0)) {
            return Err(SetupError::ContactAngle(angle));
        }
        if !self.viscosity.is_valid() {
            return Err(SetupError::Viscosity(self.viscosity));
        }
        let mut numbers = self.drags().filter_map(Drag::number).filter_map(Varying::constant);
        if let Some(value) = numbers.find(|&value| !(value >= 0.0 && value.is_finite())) {
            return Err(SetupError::Drag(value));
        }
        self.pressure.splitting.check()?;
        if let PressureMethod::Splitting(name) = self.pressure.solver
            && self.uniform_control() != Some(0.0)
        {
            let control = self.uniform_control().map_or("a field".into(), |control| control.to_string());
            return Err(SetupError::NoControl { splitting: name.splitting().name(), control });
        }
        let constants = self.adhesions().filter_map(Varying::constant);
        if let Some(adhesion) = constants.into_iter().find(|&adhesion| !(adhesion >= 0.0 && adhesion.is_finite())) {
            return Err(SetupError::Adhesion(adhesion));
        }
        if let PressureMethod::Splitting(name) = self.pressure.solver
            && self.pulls()
        {
            return Err(SetupError::NoAdhesion(name.splitting().name()));
        }
        if let PressureMethod::Splitting(name) = self.pressure.solver
            && self.air != Air::Open
        {
            return Err(SetupError::NoEnclosedAir(name.splitting().name()));
        }
        if !(1..=4).contains(&self.particles_per_axis) {
            return Err(SetupError::ParticlesPerAxis(self.particles_per_axis));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravity_is_linear_between_times_and_held_beyond_them() {
        let gravity = Gravity::Table(vec![(1.0, [0.0, -8.0]), (3.0, [4.0, 0.0])]);
        assert_eq!([0.0, 2.0, 9.0].map(|time| gravity.at(time)), [[0.0, -8.0], [2.0, -4.0], [4.0, 0.0]]);
        assert_eq!(Gravity::<2>::Table(Vec::new()).at(1.0), [0.0; 2]);
    }

    #[test]
    fn values_that_make_no_sense_are_refused() {
        let refused = |change: &dyn Fn(&mut Setup<2>)| {
            let mut setup = Setup::new(Grid::<2>::unit(4).unwrap());
            assert_eq!(setup.check(), Ok(()));
            change(&mut setup);
            setup.check().unwrap_err()
        };
        let zero = SetupError::NotPositive { what: "the CFL number", value: 0.0 };
        assert_eq!(refused(&|setup| setup.cfl = 0.0), zero);
        assert_eq!(refused(&|setup| setup.transport = Transport::Flip { pic: 1.5 }), SetupError::Blend(1.5));
        assert_eq!(refused(&|setup| setup.tension = -0.1), SetupError::Tension(-0.1));
        for angle in [0.0, 180.0, -60.0, f64::NAN] {
            let found = refused(&|setup| setup.border_contact_angle = angle);
            assert!(matches!(found, SetupError::ContactAngle(value) if value.to_bits() == angle.to_bits()));
            let shape = SignedDistance::half_space([0.0; 2], [0.0, 1.0]);
            let solid = Solid { contact_angle: angle, ..Solid::still(shape) };
            assert!(matches!(refused(&|setup| setup.solids.push(solid.clone())), SetupError::ContactAngle(_)));
        }
        assert_eq!(refused(&|setup| setup.particles_per_axis = 5), SetupError::ParticlesPerAxis(5));
        let with_control = refused(&|setup| {
            setup.pressure.solver = "iop".parse().unwrap();
            setup.control = 0.1.into();
        });
        assert_eq!(with_control, SetupError::NoControl { splitting: "iop", control: "0.1".into() });
        for adhesion in [-1.0, f64::INFINITY] {
            assert_eq!(refused(&|setup| setup.border_adhesion = adhesion.into()), SetupError::Adhesion(adhesion));
        }
        let with_pull = refused(&|setup| {
            setup.pressure.solver = "admm".parse().unwrap();
            setup.border_adhesion = 10.0.into();
        });
        assert_eq!(with_pull, SetupError::NoAdhesion("admm"));
    }

    #[test]
    fn contact_angles_without_tension_come_with_a_warning() {
        let mut setup = Setup::new(Grid::<2>::unit(4).unwrap());
        setup.solids.push(Solid::still(SignedDistance::sphere([0.5; 2], 0.2)));
        assert_eq!(setup.warning(), None);
        setup.solids[0].contact_angle = 60.0;
        assert!(setup.warning().is_some() && !setup.has_contact_angles());
        setup.tension = 0.072;
        assert!(setup.warning().is_none() && setup.has_contact_angles());
        setup.solids[0].contact_angle = 90.0;
        assert!(setup.warning().unwrap().contains("creep"));
        setup.solids.clear();
        assert_eq!(setup.warning(), None);
    }

    #[test]
    fn a_solid_that_moves_is_measured_where_it_is() {
        let motion = Motion::Steady { velocity: [1.0, 0.0], spin: unstick_grid::Spin::none(), pivot: [0.0; 2] };
        let ball = Solid { motion, ..Solid::still(SignedDistance::sphere([0.0; 2], 1.0)) };
        assert!((ball.distance(2.0, [2.0, 0.0]) + 1.0).abs() < 1e-12 && ball.distance(0.0, [2.0, 0.0]) == 1.0);
    }
}
