//! Surface tension: the box around the liquid on which the curvature is found, and the filters over it.

use unstick_liquid::{Rules, Setup};
use unstick_mlcp::fields::Window;

use super::memory::StepMemory;
use crate::driver::Kernel;
use crate::error::GpuError;
use crate::layout::{MOST_TAPS, Pointer};

/// One side of a Gauss filter of some width, in cells, with its middle.
fn taps_of(width: f64) -> Vec<f64> {
    let reach = reach_of(width);
    let mut taps: Vec<f64> = (0..=reach).map(|tap| (-0.5 * (tap as f64 / width).powi(2)).exp()).collect();
    let sum = taps[0] + 2.0 * taps[1..].iter().sum::<f64>();
    taps.iter_mut().for_each(|tap| *tap /= sum);
    taps
}

/// How far such a filter reaches, in cells.
fn reach_of(width: f64) -> usize {
    (Rules::NOW.filter_end * width).ceil() as usize
}

/// Cells of the largest box that the curvature may need around a grid.
pub(super) fn most_places(cells: &[usize]) -> usize {
    let margin = 2 * reach_of(Rules::NOW.widest_filter);
    cells.iter().map(|count| count + 2 * margin).product()
}

impl StepMemory {
    /// Finds the curvature of the surface of the liquid in a window, for forces that act for a time of `kick`.
    pub fn find_tension<const D: usize>(
        &mut self,
        setup: &Setup<D>,
        kick: f64,
        window: Window<D>,
    ) -> Result<(), GpuError> {
        if self.args.liquid.smoothed.is_null() {
            return Ok(());
        }
        let (width, cells, spacing) = (setup.filter_width(kick), setup.grid.cells(), setup.grid.spacing());
        let taps = taps_of(width);
        let reach = taps.len() - 1;
        debug_assert!(taps.len() <= MOST_TAPS);
        // Where the border is near, the mirror image of the liquid counts.
        let margin = |way: usize| if way < 2 * reach { way + 2 * reach } else { Rules::NOW.beside_liquid };
        let step = self.step();
        (step.patch_first, step.patch_size) = ([0; 3], [1; 3]);
        for axis in 0..D {
            let (first, end) = (window.first[axis], window.first[axis] + window.size[axis]);
            let below = margin(first);
            step.patch_first[axis] = first as i32 - below as i32;
            step.patch_size[axis] = (end - first + below + margin(cells[axis] - end)) as i32;
        }
        (step.blur_reach, step.filter_width) = (reach as i32, width);
        step.tension_scale = kick * setup.tension / (setup.density * spacing * spacing);
        let at = step.taps.address();
        self.driver.write(at, bytemuck::cast_slice(&taps))?;
        let step = self.args.liquid;
        self.step().blur_to = step.excess;
        self.over_places(Kernel::FillParts)?;
        self.blur(step.excess, step.smoothed)?;
        self.blur(step.smoothed, step.smoothed_twice)?;
        self.total(Kernel::MeasureTension, self.counts.cells())?;
        self.over_places(Kernel::FindCurvature)?;
        self.blur(step.weight, step.weight_around)?;
        self.blur(step.curvature, step.curvature)?;
        self.over_places(Kernel::CorrectCurvature)?;
        self.blur(step.excess, step.curvature)
    }

    fn over_places(&mut self, kernel: Kernel) -> Result<(), GpuError> {
        let places = self.args.liquid.patch_size.iter().map(|&count| count as usize).product();
        self.driver.launch_items(kernel, places, &self.args)
    }

    /// The filter along all axes, one after the other.
    fn blur(&mut self, from: Pointer<f32>, to: Pointer<f32>) -> Result<(), GpuError> {
        let (dimension, between) = (self.counts.shape.dimension, self.args.liquid.between);
        for axis in 0..dimension {
            let step = self.step();
            step.blur_axis = axis as i32;
            step.blur_from = if axis == 0 { from } else { between[(axis - 1) % 2] };
            step.blur_to = if axis + 1 == dimension { to } else { between[axis % 2] };
            self.over_places(Kernel::BlurPatch)?;
        }
        Ok(())
    }
}
