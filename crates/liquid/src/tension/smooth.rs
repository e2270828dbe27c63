//! A Gauss filter.

use unstick_grid::{CellField, multi_index};
use unstick_mlcp::fields::Window;
use unstick_parallel as parallel;

use crate::cells::strides;

/// The Gauss kernel ends so many widths from its middle.
pub(crate) const END: f64 = 3.0;

/// A Gauss kernel: its middle, and one side of it.
pub(super) struct Kernel(Vec<f64>);

impl Kernel {
    /// A kernel of some width, in cells.
    pub fn of_width(width: f64) -> Self {
        let reach = (END * width).ceil() as usize;
        let mut taps: Vec<f64> = (0..=reach).map(|tap| (-0.5 * (tap as f64 / width).powi(2)).exp()).collect();
        let sum = taps[0] + 2.0 * taps[1..].iter().sum::<f64>();
        taps.iter_mut().for_each(|tap| *tap /= sum);
        Self(taps)
    }

    /// How far it reaches, in cells.
    pub fn reach(&self) -> usize {
        self.0.len() - 1
    }
}

/// G field, with zeros outside.
pub(super) fn blur<const D: usize>(kernel: &Kernel, field: &CellField<f64, D>) -> CellField<f64, D> {
    let (mut from, mut to) = (field.clone(), field.clone());
    for axis in 0..D {
        blur_along(kernel, axis, &from, &mut to);
        std::mem::swap(&mut from, &mut to);
    }
    from
}

fn blur_along<const D: usize>(kernel: &Kernel, axis: usize, from: &CellField<f64, D>, to: &mut CellField<f64, D>) {
    let shape = from.shape();
    let (stride, count, from) = (strides(shape)[axis] as isize, shape[axis] as isize, from.values());
    let values = to.values_mut();
    parallel::for_each((0..values.len(), values), |(places, values)| {
        for (at, part) in Window::whole(shape).lines(shape, places) {
            let (line, length) = (&mut values[part.clone()], part.len() as isize);
            line.fill(0.0);
            let (at, place) = (at as isize, multi_index(shape, at)[axis] as isize);
            for tap in -(kernel.reach() as isize)..=kernel.reach() as isize {
                // Places of the line whose source lies in the field.
                let (start, end) = match axis {
                    0 => ((-tap - place).clamp(0, length), (count - tap - place).clamp(0, length)),
                    _ if (0..count).contains(&(place + tap)) => (0, length),
                    _ => continue,
                };
                if start < end {
                    let weight = kernel.0[tap.unsigned_abs()];
                    let source = &from[(at + start + tap * stride) as usize..];
                    let line = &mut line[start as usize..end as usize];
                    line.iter_mut().zip(source).for_each(|(value, source)| *value += weight * source);
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_is_shortened_as_gauss_says_along_every_axis() {
        let (width, wave) = (1.5, 0.7f64);
        let kernel = Kernel::of_width(width);
        for axis in 0..3 {
            let shape = std::array::from_fn(|other| if other == axis { 41 } else { 15 });
            let field = CellField::<f64, 3>::of_shape(shape, |place| (wave * (place[axis] as f64 - 20.0)).cos());
            let mut middle = [7; 3];
            middle[axis] = 20;
            // The kernel ends at three widths, and there are zeros beyond the field only further away.
            let expected = (-0.5 * (wave * width).powi(2)).exp();
            assert!((blur(&kernel, &field).at(middle) - expected).abs() < 3e-3, "{axis}");
        }
        let corner = blur(&kernel, &CellField::<f64, 2>::filled([30, 30], 1.0)).at([0, 29]);
        assert!((corner - (0.5 + 0.5 * kernel.0[0]).powi(2)).abs() < 1e-12, "{corner}");
    }
}
