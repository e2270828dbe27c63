//! The transform that fits the two ends of an axis.

use std::f64::consts::PI;
use std::sync::Arc;

use rustdct::{DctPlanner, Dst1, TransformType2And3, TransformType4};

use super::recognise::NotABox;
use crate::linear::fit;

/// Waves along one axis.
pub(super) struct Transform {
    waves: Waves,
    length: usize,
}

enum Waves {
    /// An axis of one cell without sides.
    None,
    /// Wall to wall.
    Cosines(Arc<dyn TransformType2And3<f64>>),
    /// Open to open.
    Sines(Arc<dyn TransformType2And3<f64>>),
    /// Wall to open.
    WallToOpen(Arc<dyn TransformType4<f64>>),
    /// Open to wall.
    OpenToWall(Arc<dyn TransformType4<f64>>),
    /// Zero one cell beyond both ends.
    Beyond(Arc<dyn Dst1<f64>>),
}

impl Transform {
    pub fn new(planner: &mut DctPlanner<f64>, length: usize, sides: [f64; 2]) -> Result<Self, NotABox> {
        let waves = match sides {
            _ if length == 1 => Waves::None,
            [0.0, 0.0] => Waves::Cosines(planner.plan_dct2(length)),
            [2.0, 2.0] => Waves::Sines(planner.plan_dst2(length)),
            [0.0, 2.0] => Waves::WallToOpen(planner.plan_dct4(length)),
            [2.0, 0.0] => Waves::OpenToWall(planner.plan_dst4(length)),
            [1.0, 1.0] => Waves::Beyond(planner.plan_dst1(length)),
            _ => return Err(NotABox::Surface(0)),
        };
        Ok(Self { waves, length })
    }

    /// Values to waves.
    pub fn forward(&self, line: &mut [f64], scratch: &mut Vec<f64>) {
        fit(scratch, self.scratch());
        match &self.waves {
            Waves::None => {}
            Waves::Cosines(plan) => plan.process_dct2_with_scratch(line, scratch),
            Waves::Sines(plan) => plan.process_dst2_with_scratch(line, scratch),
            Waves::WallToOpen(plan) => plan.process_dct4_with_scratch(line, scratch),
            Waves::OpenToWall(plan) => plan.process_dst4_with_scratch(line, scratch),
            Waves::Beyond(plan) => plan.process_dst1_with_scratch(line, scratch),
        }
    }

    /// Waves to values, up to [`Self::scale`].
    pub fn backward(&self, line: &mut [f64], scratch: &mut Vec<f64>) {
        fit(scratch, self.scratch());
        match &self.waves {
            Waves::Cosines(plan) => plan.process_dct3_with_scratch(line, scratch),
            Waves::Sines(plan) => plan.process_dst3_with_scratch(line, scratch),
            _ => self.forward(line, scratch),
        }
    }

    /// What there and back multiplies by.
    pub fn scale(&self) -> f64 {
        match self.waves {
            Waves::None => 1.0,
            Waves::Beyond(_) => (self.length + 1) as f64 / 2.0,
            _ => self.length as f64 / 2.0,
        }
    }

    /// Eigenvalue of a wave.
    pub fn eigenvalue(&self, wave: usize) -> f64 {
        let (wave, length) = (wave as f64, self.length as f64);
        let angle = match self.waves {
            Waves::None => 0.0,
            Waves::Cosines(_) => PI * wave / length,
            Waves::Sines(_) => PI * (wave + 1.0) / length,
            Waves::WallToOpen(_) | Waves::OpenToWall(_) => PI * (wave + 0.5) / length,
            Waves::Beyond(_) => PI * (wave + 1.0) / (length + 1.0),
        };
        4.0 * (0.5 * angle).sin().powi(2)
    }

    fn scratch(&self) -> usize {
        match &self.waves {
            Waves::None => 0,
            Waves::Cosines(plan) | Waves::Sines(plan) => plan.get_scratch_len(),
            Waves::WallToOpen(plan) | Waves::OpenToWall(plan) => plan.get_scratch_len(),
            Waves::Beyond(plan) => plan.get_scratch_len(),
        }
    }
}
