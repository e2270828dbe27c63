//! A field over the first two axes, with the bodies that it meets.

use rayon::prelude::*;
use unstick_bodies::RigidBody;
use unstick_flow::{Axis, TensorGrid};
use unstick_parallel::for_each_chunk;

use super::Show;
use crate::draw::colour::{Colour, from_bytes, mix, to_bytes};
use crate::draw::{FlowStyle, GROUND, Image, Palette};
use crate::frame::FlowFields;

const LEAST: [u8; 3] = [24, 78, 160];
const MIDDLE: [u8; 3] = [238, 239, 236];
const MOST: [u8; 3] = [190, 52, 36];

/// A body has two halves, so that one sees it turn.
const BODY: [[u8; 3]; 2] = [[236, 178, 92], [196, 122, 44]];
const BODY_EDGE: [u8; 3] = [70, 40, 16];

/// Pixels over the plane of the first two axes.
struct Plane {
    width: usize,
    height: usize,
    lower: [f64; 2],
    /// Metres per pixel, up to the rounding of the sides.
    pixel: [f64; 2],
    /// Where it lies along the third axis.
    depth: f64,
}

impl Plane {
    fn new<const D: usize>(grid: &TensorGrid<D>, width: usize, style: &FlowStyle) -> Self {
        let [lower, upper] = grid.bounds();
        let middle = if D == 3 { 0.5 * (lower[D - 1] + upper[D - 1]) } else { 0.0 };
        let [lower, upper] = style.window.unwrap_or([lower, upper].map(|corner| [corner[0], corner[1]]));
        let size: [f64; 2] = std::array::from_fn(|axis| upper[axis] - lower[axis]);
        let mut width = width.clamp(16, 1 << 13);
        // Tall boxes are drawn as high as others are wide.
        if size[1] > size[0] {
            width = ((width as f64 * size[0] / size[1]) as usize).max(width / 4).max(16);
        }
        let even = |pixels: f64| ((pixels / 2.0).round() as usize).clamp(8, 1 << 13) * 2;
        let (width, height) = (even(width as f64), even(width as f64 * size[1] / size[0]));
        Self {
            width,
            height,
            lower,
            pixel: [size[0] / width as f64, size[1] / height as f64],
            depth: style.slice.unwrap_or(middle),
        }
    }

    fn x(&self, column: usize) -> f64 {
        self.lower[0] + (column as f64 + 0.5) * self.pixel[0]
    }

    fn y(&self, row: usize) -> f64 {
        self.lower[1] + (self.height as f64 - row as f64 - 0.5) * self.pixel[1]
    }

    fn point<const D: usize>(&self, column: usize, row: usize) -> [f64; D] {
        let place = [self.x(column), self.y(row), self.depth];
        std::array::from_fn(|axis| place[axis])
    }
}

/// Draws the field and the bodies.
pub fn slice<const D: usize>(flow: &FlowFields<D>, bodies: &[RigidBody<D>], width: usize, style: &FlowStyle) -> Image {
    let grid = &flow.grid;
    let plane = Plane::new(grid, width, style);
    let values = values(flow, style.show, plane.depth);
    let table: Vec<[u8; 3]> = table(style.show).into_iter().map(to_bytes).collect();
    let mut image = Image::new(plane.width, plane.height, GROUND);
    let cells = grid.cells()[0];
    let columns: Vec<(usize, f64)> = (0..plane.width).map(|column| beside(grid.axis(0), plane.x(column))).collect();
    for_each_chunk(image.bytes_mut(), 3 * plane.width, |row, line| {
        let (below, up) = beside(grid.axis(1), plane.y(row));
        let rows = [below, below + 1].map(|row| &values[row * cells..][..cells]);
        for (pixel, &(left, right)) in line.chunks_exact_mut(3).zip(&columns) {
            let along = |row: &[f64]| row[left] + right * (row[left + 1] - row[left]);
            let value = along(rows[0]) + up * (along(rows[1]) - along(rows[0]));
            pixel.copy_from_slice(&table[place(style.show, value, style.scale)]);
        }
    });
    bodies.iter().for_each(|body| draw_body(&mut image, &plane, body));
    image
}

/// The cell centre before a place, and how far behind it the place lies as a part of the way to the next.
fn beside(axis: &Axis, at: f64) -> (usize, f64) {
    let cell = axis.cell_at(at);
    let left = if at < axis.centre(cell) { cell.saturating_sub(1) } else { cell }.min(axis.cells() - 2);
    let part = (at - axis.centre(left)) / (axis.centre(left + 1) - axis.centre(left));
    (left, part.clamp(0.0, 1.0))
}

/// A body where the plane cuts it.
fn draw_body<const D: usize>(image: &mut Image, plane: &Plane, body: &RigidBody<D>) {
    let (lower, upper) = body.bounds();
    if D == 3 && !(lower[D - 1] <= plane.depth && plane.depth <= upper[D - 1]) {
        return;
    }
    let pixel = plane.pixel[0];
    let clip = |value: f64, limit: usize| value.clamp(0.0, limit as f64) as usize;
    let columns = clip((lower[0] - plane.lower[0]) / plane.pixel[0] - 2.0, plane.width)
        ..clip((upper[0] - plane.lower[0]) / plane.pixel[0] + 3.0, plane.width);
    let from_top = |y: f64| plane.height as f64 - (y - plane.lower[1]) / plane.pixel[1];
    let rows = clip(from_top(upper[1]) - 2.0, plane.height)..clip(from_top(lower[1]) + 3.0, plane.height);
    let (flat, edge) = (BODY.map(from_bytes), from_bytes(BODY_EDGE));
    for row in rows {
        for column in columns.clone() {
            let point = plane.point(column, row);
            let distance = body.distance(point);
            let cover = (0.5 - distance / pixel).clamp(0.0, 1.0) as f32;
            if cover > 0.0 {
                let side = body.pose().apply_inverse(point)[0];
                let half = (0.5 + side / pixel).clamp(0.0, 1.0) as f32;
                let rim = (1.5 + distance / pixel).clamp(0.0, 1.0) as f32;
                image.blend(column, row, mix(mix(flat[0], flat[1], half), edge, 0.7 * rim), cover);
            }
        }
    }
}

/// The field at the cell centres of the first two axes.
fn values<const D: usize>(flow: &FlowFields<D>, show: Show, depth: f64) -> Vec<f64> {
    let grid = &flow.grid;
    let cells = grid.cells();
    // Layers around the plane, and how much of the upper one counts.
    let (layer, part) = if D == 3 { beside(grid.axis(D - 1), depth) } else { (0, 0.0) };
    let at = |column: usize, row: usize, layer: usize| {
        let cell: [usize; D] = std::array::from_fn(|axis| [column, row, layer][axis]);
        match show {
            Show::Speed => speed(flow, cell),
            Show::Vorticity => vorticity(flow, cell),
            Show::Pressure => flow.pressure.at(cell),
        }
    };
    let value = |number: usize| {
        let (column, row) = (number % cells[0], number / cells[0]);
        let near = at(column, row, layer);
        if D == 3 { near + part * (at(column, row, layer + 1) - near) } else { near }
    };
    (0..cells[0] * cells[1]).into_par_iter().map(value).collect()
}

/// One component of the velocity in the middle of a cell.
fn component<const D: usize>(flow: &FlowFields<D>, axis: usize, cell: [usize; D]) -> f64 {
    let mut above = cell;
    above[axis] += 1;
    0.5 * (flow.velocity[axis].at(cell) + flow.velocity[axis].at(above))
}

fn speed<const D: usize>(flow: &FlowFields<D>, cell: [usize; D]) -> f64 {
    (0..D).map(|axis| component(flow, axis, cell).powi(2)).sum::<f64>().sqrt()
}

/// ∂v/∂x − ∂u/∂y, one-sided at the border.
fn vorticity<const D: usize>(flow: &FlowFields<D>, cell: [usize; D]) -> f64 {
    let grid = &flow.grid;
    let slope = |of: usize, along: usize| {
        let (mut below, mut above) = (cell, cell);
        below[along] = cell[along].saturating_sub(1);
        above[along] = (cell[along] + 1).min(grid.cells()[along] - 1);
        let line = grid.axis(along);
        (component(flow, of, above) - component(flow, of, below))
            / (line.centre(above[along]) - line.centre(below[along]))
    };
    slope(1, 0) - slope(0, 1)
}

/// 256 colours of a field: from none to most, or from least over none to most.
pub(super) fn table(show: Show) -> Vec<Colour> {
    if show == Show::Speed {
        return Palette::default().table();
    }
    let [least, middle, most] = [LEAST, MIDDLE, MOST].map(from_bytes);
    let colour = |entry: usize| {
        let part = entry as f32 / 127.5 - 1.0;
        if part < 0.0 { mix(middle, least, -part) } else { mix(middle, most, part) }
    };
    (0..256).map(colour).collect()
}

/// The place of a value among them.
fn place(show: Show, value: f64, scale: f64) -> usize {
    let part = if show == Show::Speed { value / scale } else { 0.5 + 0.5 * value / scale };
    (part.clamp(0.0, 1.0) * 255.0) as usize
}
