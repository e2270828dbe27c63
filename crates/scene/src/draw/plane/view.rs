//! From cells to pixels.

use unstick_grid::CellField;

use crate::Frame;

/// How pixels and cells lie over each other.
pub(super) struct View {
    pub width: usize,
    pub height: usize,
    /// Pixels per cell.
    pub zoom: f64,
    /// Distances beyond this many metres look alike.
    pub reach: f64,
    /// Metres per pixel.
    pixel: f64,
}

impl View {
    pub fn new(frame: &Frame<2>, width: usize) -> Self {
        let [across, up] = frame.grid.cells();
        let width = width.clamp(16, 1 << 14).next_multiple_of(2);
        let zoom = width as f64 / across as f64;
        let height = ((up as f64 * zoom / 2.0).round() as usize).clamp(1, 1 << 14) * 2;
        let spacing = frame.grid.spacing();
        Self { width, height, zoom, reach: 4.0 * spacing, pixel: spacing / zoom }
    }

    /// Height of the middle of a row of pixels, in cells above the lower border.
    fn cells_up(&self, row: usize) -> f64 {
        (self.height as f64 - row as f64 - 0.5) / self.zoom
    }

    /// Where a point lies, in pixels from the upper left corner.
    pub fn pixel_of(&self, frame: &Frame<2>, point: [f64; 2]) -> [f32; 2] {
        let [x, y]: [f64; 2] =
            std::array::from_fn(|axis| (point[axis] - frame.grid.origin()[axis]) / frame.grid.spacing());
        [(x * self.zoom) as f32, (self.height as f64 - y * self.zoom) as f32]
    }

    /// Part of a pixel that a shape covers whose distance is known at its middle.
    #[inline]
    pub fn cover(&self, distance: f64) -> f32 {
        (0.5 - distance / self.pixel).clamp(0.0, 1.0) as f32
    }

    /// A line about a pixel and a half wide along the border of a shape, 1 in its middle.
    #[inline]
    pub fn edge(&self, distance: f64) -> f32 {
        (1.25 - distance.abs() / self.pixel).clamp(0.0, 1.0) as f32
    }
}

/// A field read between its samples, one row of pixels after another.
pub(super) struct Rows<'a> {
    field: &'a CellField<f64, 2>,
    /// Where the first sample lies, in cells: 0 at nodes, 0.5 at centres.
    first: f64,
    /// Sample to the left of each pixel, and how far to the right of it the pixel lies.
    places: Vec<(usize, f64)>,
    limit: f64,
}

impl<'a> Rows<'a> {
    pub fn new(view: &View, field: &'a CellField<f64, 2>, first: f64, limit: f64) -> Self {
        let place = |x: usize| Self::place((x as f64 + 0.5) / view.zoom - first, field.shape()[0]);
        Self { field, first, places: (0..view.width).map(place).collect(), limit }
    }

    fn place(at: f64, samples: usize) -> (usize, f64) {
        let at = at.clamp(0.0, (samples - 1) as f64);
        let left = (at as usize).min(samples.saturating_sub(2));
        (left, at - left as f64)
    }

    /// The values at the middles of the pixels of one row.
    pub fn read(&self, view: &View, row: usize) -> Vec<f64> {
        let [across, up] = self.field.shape();
        let (below, part) = Self::place(view.cells_up(row) - self.first, up);
        let line = |up: usize| &self.field.values()[up * across..(up + 1) * across];
        // The order of the bounds turns what is not a number into the upper limit: outside.
        let tame = |value: f64| value.min(self.limit).max(-self.limit);
        let (low, high) = (line(below), line((below + 1).min(up - 1)));
        let blended: Vec<f64> =
            low.iter().zip(high).map(|(&low, &high)| tame(low) + (tame(high) - tame(low)) * part).collect();
        let at = |&(left, part): &(usize, f64)| {
            let (near, far) = (blended[left], blended[(left + 1).min(across - 1)]);
            near + (far - near) * part
        };
        self.places.iter().map(at).collect()
    }
}
