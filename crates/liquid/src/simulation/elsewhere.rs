//! What it takes to have steps taken elsewhere, as by a device: the numbers of the method, and the way back.

use super::Simulation;
use crate::distribution::{blocks, spread};
use crate::error::StepError;
use crate::particles::{scatter, trace};
use crate::pressure::pull;
use crate::setup::Setup;
use crate::solids::Geometry;
use crate::state::LiquidState;
use crate::viscosity::ViscousRules;
use crate::{surface, tension, volume};

/// The numbers of the method that no setup changes. Their meanings are with the stages that use them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rules {
    /// Seconds in which `flip` takes the part `pic` from the grid.
    pub blend_time: f64,
    /// Rate at which the affine part of `apic` fades, in 1/s.
    pub calming: f64,
    /// Particles are kept this far from solids, in cells.
    pub clearance: f64,
    /// Below this part of open space around a cell centre the density says nothing.
    pub too_closed: f64,
    /// Films thinner than this part of a cell are single particles.
    pub thinnest_film: f64,
    /// The least distance of two particles as a part of the one in full cells.
    pub least_distance: f64,
    /// One particle of so many looks for others that are too close, in turns.
    pub turns: u64,
    /// Small deviations of the density fade within this time, in seconds.
    pub fade: f64,
    /// Deviations up to this are small.
    pub small: f64,
    /// Part of what is beyond that a step makes good.
    pub at_once: f64,
    /// A step changes the volume of a block of cells at most by this part.
    pub most: f64,
    /// Blocks of which less than this part is open are left to themselves.
    pub least_room: f64,
    /// How well the projection of displacements is solved, relative to its start.
    pub displacement_tolerance: f64,
    /// Deviations of the density up to this are noise where volume is measured.
    pub noise: f64,
    /// The continuation of the pressure to a wall may change how far the wall pulls by this part.
    pub most_continued: f64,
    /// A cell that pulls by less than this part of that when it separates does not touch its wall.
    pub touching: f64,
    /// The widest filter of the curvature, in cells.
    pub widest_filter: f64,
    /// Such a filter ends so many widths from its middle.
    pub filter_end: f64,
    /// Cells beyond the liquid where its curvature is looked for.
    pub beside_liquid: usize,
    /// Those of viscous steps.
    pub viscous: ViscousRules,
}

impl Rules {
    /// Those of this version.
    pub const NOW: Self = Self {
        blend_time: scatter::BLEND_TIME,
        calming: scatter::CALMING,
        clearance: trace::CLEARANCE,
        too_closed: surface::TOO_CLOSED,
        thinnest_film: surface::THINNEST,
        least_distance: spread::LEAST_DISTANCE,
        turns: spread::TURNS,
        fade: blocks::FADE,
        small: blocks::SMALL,
        at_once: blocks::AT_ONCE,
        most: blocks::MOST,
        least_room: blocks::LEAST_ROOM,
        displacement_tolerance: blocks::TOLERANCE,
        noise: volume::NOISE,
        most_continued: pull::MOST_CONTINUED,
        touching: pull::TOUCHING,
        widest_filter: tension::LARGEST_WIDTH,
        filter_end: tension::smooth::END,
        beside_liquid: tension::patch::BESIDE,
        viscous: ViscousRules::NOW,
    };
}

impl<const D: usize> Setup<D> {
    /// The width of the filter of the curvature for forces that act for a time of `kick`, in cells.
    pub fn filter_width(&self, kick: f64) -> f64 {
        tension::filter_width(self, kick)
    }
}

impl<const D: usize> Simulation<D> {
    /// Goes on from a state to which steps were taken elsewhere. Its particles are sorted by cell, and `starts` says
    /// where those of each cell start, and the end. The state before takes its place.
    pub fn take_over(&mut self, state: &mut LiquidState<D>, starts: Vec<u32>) {
        debug_assert_eq!(starts.len(), self.setup.grid.len() + 1, "a start for each cell, and the end");
        std::mem::swap(&mut self.state, state);
        self.is_between_steps = true;
        self.fastest_of_all = None;
        self.starts = starts;
        self.meet_solids(self.state.met.time);
    }

    /// Brings the geometry of walls that move to a time, for who takes steps elsewhere.
    pub fn meet_solids(&mut self, time: f64) {
        let Some(still) = &self.still_solids else { return };
        self.geometry = Geometry::around(still, &self.setup, time);
        self.geometry_version += 1;
    }

    /// Lets the guard of [`check_speed`](Self::check_speed) know how fast walls were in steps taken elsewhere.
    pub fn note_wall_speed(&mut self, speed: f64) {
        self.guard.note_driven(speed);
    }

    /// Refuses a largest speed at the end of a step that was taken elsewhere, if nothing explains it.
    pub fn check_speed(&mut self, time: f64, dt: f64, speed: f64, energy: f64) -> Result<(), StepError> {
        let Self { guard, setup, geometry, .. } = self;
        guard.check((setup, geometry, None), (time, dt), speed, energy)
    }
}
