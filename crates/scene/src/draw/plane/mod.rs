//! Two-dimensional frames.

mod view;

use unstick_grid::{CellField, Grid};
use unstick_parallel::for_each_chunk;

use super::colour::{Colour, blend_byte, from_bytes, mix};
use super::text::{draw_scale, short, stamp};
use super::{GROUND, Image, Palette, PictureStyle, SEPARATED, SOLID};
use crate::frame::Frame;
use view::{Rows, View};

const LIQUID_EDGE: [u8; 3] = [120, 190, 240];
const SOLID_EDGE: [u8; 3] = [150, 159, 170];
const LOW_PRESSURE: [u8; 3] = [104, 174, 230];
const HIGH_PRESSURE: [u8; 3] = [14, 34, 104];

/// Draws a frame: liquid, particles, walls that have let go, solids, time; in this order.
pub(super) fn draw(frame: &Frame<2>, style: &PictureStyle) -> Image {
    let view = View::new(frame, style.width);
    let mut image = Image::new(view.width, view.height, GROUND);
    let table = Palette::default().table();
    fill_liquid(&mut image, &view, frame, &Shading::new(frame, style, &table));
    draw_particles(&mut image, &view, frame, &table, style.fastest);
    mark_separated(&mut image, &view, frame);
    fill_solids(&mut image, &view, frame);
    stamp(&mut image, frame.time);
    if !frame.velocities.is_empty() {
        draw_scale(&mut image, &table, &format!("{} m/s", short(style.fastest)));
    }
    image
}

fn fill_liquid(image: &mut Image, view: &View, frame: &Frame<2>, shading: &Shading) {
    let distances = Rows::new(view, &frame.liquid, 0.5, view.reach);
    let values = Rows::new(view, shading.field(frame), 0.5, f64::MAX);
    let edge = from_bytes(LIQUID_EDGE);
    for_each_chunk(image.bytes_mut(), 3 * view.width, |row, line| {
        let distance = distances.read(view, row);
        let value = values.read(view, row);
        for (x, pixel) in line.chunks_exact_mut(3).enumerate() {
            let colour = mix(shading.colour(value[x]), edge, 0.4 * view.edge(distance[x]));
            blend(pixel, colour, view.cover(distance[x]));
        }
    });
}

fn fill_solids(image: &mut Image, view: &View, frame: &Frame<2>) {
    let distances = Rows::new(view, &frame.solid, 0.0, view.reach);
    let (flat, edge) = (from_bytes(SOLID), from_bytes(SOLID_EDGE));
    for_each_chunk(image.bytes_mut(), 3 * view.width, |row, line| {
        for (pixel, distance) in line.chunks_exact_mut(3).zip(distances.read(view, row)) {
            blend(pixel, mix(flat, edge, view.edge(distance)), view.cover(distance));
        }
    });
}

#[inline]
fn blend(pixel: &mut [u8], colour: Colour, opacity: f32) {
    if opacity > 0.0 {
        for (byte, target) in pixel.iter_mut().zip(colour) {
            *byte = blend_byte(*byte, target, opacity);
        }
    }
}

fn draw_particles(image: &mut Image, view: &View, frame: &Frame<2>, table: &[Colour], fastest: f64) {
    let radius = (0.27 * view.zoom as f32).clamp(0.7, 3.5);
    for (&position, speed) in frame.positions.iter().zip(frame.speeds()) {
        // Inside the liquid its own shading says the same, in a picture that compresses ten times as well.
        let depth = cell_of(&frame.grid, position).map_or(f64::INFINITY, |cell| frame.liquid.at(cell));
        if depth < -0.5 * frame.grid.spacing() {
            continue;
        }
        let entry = (speed / fastest.max(f64::MIN_POSITIVE) * 255.0) as usize;
        image.disc(view.pixel_of(frame, position), radius, table[entry.min(255)], |_, _| 0.9);
    }
}

fn mark_separated(image: &mut Image, view: &View, frame: &Frame<2>) {
    let colour = from_bytes(SEPARATED);
    let [across, up] = frame.grid.cells();
    for &[x, y] in frame.separated.iter().filter(|&&[x, y]| x < across && y < up) {
        let edge = |cells: usize| (cells as f64 * view.zoom).round() as usize;
        let (bottom, top) = (view.height.saturating_sub(edge(y)), view.height.saturating_sub(edge(y + 1)));
        for row in top..bottom.min(view.height) {
            for column in edge(x)..edge(x + 1).min(view.width) {
                image.blend(column, row, colour, 0.85);
            }
        }
    }
}

/// A field and its colours.
enum Shading<'a> {
    Speed { speed: CellField<f64, 2>, table: &'a [Colour], fastest: f64 },
    Pressure { highest: f64 },
}

impl<'a> Shading<'a> {
    fn new(frame: &Frame<2>, style: &PictureStyle, table: &'a [Colour]) -> Self {
        if style.pressure {
            let highest = frame.pressure.values().iter().copied().fold(0.0, f64::max);
            return Self::Pressure { highest: highest.max(f64::MIN_POSITIVE) };
        }
        Self::Speed { speed: mean_speed(frame), table, fastest: style.fastest }
    }

    /// What is read at each pixel.
    fn field<'f>(&'f self, frame: &'f Frame<2>) -> &'f CellField<f64, 2> {
        match self {
            Self::Speed { speed, .. } => speed,
            _ => &frame.pressure,
        }
    }

    #[inline]
    fn colour(&self, value: f64) -> Colour {
        match self {
            Self::Speed { table, fastest, .. } => table[((value / fastest * 255.0) as usize).min(255)],
            Self::Pressure { highest } => {
                mix(from_bytes(LOW_PRESSURE), from_bytes(HIGH_PRESSURE), (value / highest).clamp(0.0, 1.0) as f32)
            }
        }
    }
}

/// Mean speed of the particles of each cell; cells without any take that of their neighbours.
fn mean_speed(frame: &Frame<2>) -> CellField<f64, 2> {
    let grid = &frame.grid;
    let mut sum = CellField::from_fn(grid, |_| 0.0);
    let mut count = CellField::from_fn(grid, |_| 0.0);
    for (&position, speed) in frame.positions.iter().zip(frame.speeds()) {
        if speed.is_finite()
            && let Some(cell) = cell_of(grid, position)
        {
            *sum.at_mut(cell) += speed;
            *count.at_mut(cell) += 1.0;
        }
    }
    // Two rounds are enough for the cells that a surface touches.
    for _ in 0..2 {
        let (known_sum, known_count) = (sum.clone(), count.clone());
        for cell in grid.iter().filter(|&cell| known_count.at(cell) == 0.0) {
            for other in grid.neighbours(cell) {
                *sum.at_mut(cell) += known_sum.at(other);
                *count.at_mut(cell) += known_count.at(other);
            }
        }
    }
    CellField::from_fn(grid, |cell| if count.at(cell) > 0.0 { sum.at(cell) / count.at(cell) } else { 0.0 })
}

/// The cell of a point; none outside of the grid.
fn cell_of(grid: &Grid<2>, point: [f64; 2]) -> Option<[usize; 2]> {
    let place = grid.in_cells(point);
    let is_inside = (0..2).all(|axis| place[axis] >= 0.0 && place[axis] < grid.cells()[axis] as f64);
    is_inside.then(|| place.map(|place| place as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::synthetic;

    const STYLE: PictureStyle = PictureStyle { width: 200, fastest: 2.0, pressure: false, flow: None };

    #[test]
    fn liquid_is_blue_solids_are_grey_and_air_is_ground() {
        let image = draw(&synthetic::disc_in_a_box(), &STYLE);
        assert_eq!((image.width(), image.height()), (200, 200));
        assert_eq!(image.pixel(100, 100), Palette::default().colours()[0]);
        assert_eq!(image.pixel(3, 100), SOLID);
        assert_eq!(image.pixel(30, 30), GROUND);
    }

    #[test]
    fn borders_are_smooth() {
        let image = draw(&synthetic::disc_in_a_box(), &STYLE);
        let rising = (130..170).filter(|&x| {
            let blue = image.pixel(x, 100)[2];
            blue != image.pixel(100, 100)[2] && blue != GROUND[2]
        });
        assert!((1..6).contains(&rising.count()));
    }

    #[test]
    fn fast_particles_are_bright_and_walls_that_let_go_are_orange() {
        let mut frame = synthetic::disc_in_a_box();
        (frame.positions, frame.velocities) = (vec![[0.5, 0.5], [0.3, 0.85]], vec![[0.0; 2], [2.0, 0.0]]);
        frame.separated = vec![[4, 20]];
        let image = draw(&frame, &STYLE);
        assert!(image.pixel(60, 30).iter().all(|&byte| byte > 180), "{:?}", image.pixel(60, 30));
        let [red, green, blue] = image.pixel(22, 97);
        assert!(red > 200 && green > 100 && blue < 60);
    }

    #[test]
    fn pressure_darkens_the_liquid() {
        let mut frame = synthetic::disc_in_a_box();
        frame.pressure = CellField::from_fn(&frame.grid, |[_, y]| 40.0 - y as f64);
        let image = draw(&frame, &PictureStyle { pressure: true, ..STYLE });
        assert!(image.pixel(100, 125)[1] < image.pixel(100, 75)[1]);
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads() {
        let frame = synthetic::dam_break(48);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| draw(&frame, &STYLE))
        };
        assert_eq!(with(1), with(5));
    }

    #[test]
    fn infinite_distances_and_stray_particles_do_no_harm() {
        let mut frame = synthetic::disc_in_a_box();
        frame.liquid = CellField::from_fn(&frame.grid, |_| f64::INFINITY);
        (frame.positions, frame.velocities) =
            (vec![[-7.0, 99.0], [f64::NAN, 0.0]], vec![[f64::NAN; 2], [f64::INFINITY; 2]]);
        frame.separated = vec![[1000, 0]];
        assert_eq!(draw(&frame, &STYLE).pixel(100, 100), GROUND);
    }
}
