//! Two-dimensional frames.

mod marks;
mod shading;
mod view;

use unstick_parallel::for_each_chunk;

use super::{
    GROUND, Image, Palette, SOLID,
    colour::{Colour, blend_byte, from_bytes, mix},
    legend::{draw_legend, stamp},
};
use crate::Frame;
use marks::{draw_particles, mark_separated};
use shading::Shading;
use view::{Rows, View};

const LIQUID: [u8; 3] = [36, 88, 150];
const LIQUID_EDGE: [u8; 3] = [120, 190, 240];
const SOLID_EDGE: [u8; 3] = [150, 159, 170];

/// What a user may turn.
#[derive(Clone, Debug)]
pub struct PlaneOptions {
    /// Width in pixels; the height follows from the domain, both made even. Default 480.
    pub width: usize,
    /// Draw the particles at the surface and in the air, coloured by speed. Default yes.
    pub particles: bool,
    /// Colours from slow to fast. Default [`Palette::Foam`].
    pub palette: Palette,
    /// The speed (m/s) at the bright end of the palette. Default none: chosen for each frame so
    /// that one particle in a hundred is faster. Give one for movies, or their colours flicker.
    pub fastest: Option<f64>,
    /// How the inside of the liquid is filled. Default by speed, like the particles.
    pub fill: Fill,
    /// Mark wall cells that have let go. Default yes.
    pub separated: bool,
    /// Write the time into the corner. Default yes.
    pub time_stamp: bool,
    /// Show what the colours of the particles mean. Default yes.
    pub legend: bool,
}

/// How the inside of the liquid is filled.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Fill {
    /// The brighter, the faster.
    #[default]
    Speed,
    /// One soft blue.
    Flat,
    /// The darker, the higher the pressure.
    Pressure {
        /// The pressure (Pa) at the dark end; none: the highest of the frame.
        highest: Option<f64>,
    },
}

impl Default for PlaneOptions {
    fn default() -> Self {
        Self {
            width: 480,
            particles: true,
            palette: Palette::default(),
            fastest: None,
            fill: Fill::default(),
            separated: true,
            time_stamp: true,
            legend: true,
        }
    }
}

/// Draws a frame: liquid, particles, walls that have let go, solids, time; in this order.
pub fn draw(frame: &Frame<2>, options: &PlaneOptions) -> Image {
    let view = View::new(frame, options.width);
    let mut image = Image::new(view.width, view.height, GROUND);
    let fastest = options.fastest.unwrap_or_else(|| nearly_fastest(frame));
    let table = options.palette.table();
    fill_liquid(&mut image, &view, frame, &Shading::new(frame, options.fill, &table, fastest));
    if options.particles {
        draw_particles(&mut image, &view, frame, &table, fastest);
    }
    if options.separated {
        mark_separated(&mut image, &view, frame);
    }
    fill_solids(&mut image, &view, frame);
    if options.time_stamp {
        stamp(&mut image, frame.time);
    }
    if options.legend && options.particles && !frame.velocities.is_empty() {
        draw_legend(&mut image, &table, fastest);
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

/// A speed that one particle in a hundred exceeds, rounded up to two digits.
fn nearly_fastest(frame: &Frame<2>) -> f64 {
    let mut sorted: Vec<f64> = frame.speeds().filter(|speed| speed.is_finite()).collect();
    if sorted.is_empty() {
        return 1.0;
    }
    let place = (sorted.len() - 1) * 99 / 100;
    let (_, &mut speed, _) = sorted.select_nth_unstable_by(place, f64::total_cmp);
    if speed < 1e-6 {
        return 1.0;
    }
    let digit = 10f64.powf(speed.log10().floor() - 1.0);
    (speed / digit).ceil() * digit
}

#[cfg(test)]
mod tests {
    use unstick_grid::CellField;

    use super::*;
    use crate::draw::synthetic;

    fn plain() -> PlaneOptions {
        PlaneOptions { width: 200, fill: Fill::Flat, time_stamp: false, legend: false, ..PlaneOptions::default() }
    }

    #[test]
    fn liquid_is_blue_solids_are_grey_and_air_is_ground() {
        let image = draw(&synthetic::disc_in_a_box(), &plain());
        assert_eq!((image.width(), image.height()), (200, 200));
        assert_eq!(image.pixel(100, 100), LIQUID);
        assert_eq!(image.pixel(3, 100), SOLID);
        assert_eq!(image.pixel(30, 30), GROUND);
    }

    #[test]
    fn borders_are_smooth() {
        let image = draw(&synthetic::disc_in_a_box(), &plain());
        let rising = (130..170).filter(|&x| {
            let blue = image.pixel(x, 100)[2];
            blue != LIQUID[2] && blue != GROUND[2]
        });
        assert!((1..6).contains(&rising.count()));
    }

    #[test]
    fn fast_particles_are_bright_and_walls_that_let_go_are_orange() {
        let mut frame = synthetic::disc_in_a_box();
        (frame.positions, frame.velocities) = (vec![[0.5, 0.5], [0.3, 0.85]], vec![[0.0; 2], [2.0, 0.0]]);
        frame.separated = vec![[4, 20]];
        let image = draw(&frame, &PlaneOptions { fastest: Some(2.0), ..plain() });
        assert!(image.pixel(60, 30).iter().all(|&byte| byte > 180), "{:?}", image.pixel(60, 30));
        let [red, green, blue] = image.pixel(22, 97);
        assert!(red > 200 && green > 100 && blue < 60);
    }

    #[test]
    fn pressure_darkens_the_liquid() {
        let mut frame = synthetic::disc_in_a_box();
        frame.pressure = CellField::from_fn(&frame.grid, |[_, y]| 40.0 - y as f64);
        let image = draw(&frame, &PlaneOptions { fill: Fill::Pressure { highest: None }, ..plain() });
        assert!(image.pixel(100, 125)[1] < image.pixel(100, 75)[1]);
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads() {
        let frame = synthetic::dam_break(48);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| draw(&frame, &PlaneOptions::default()))
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
        assert_eq!(draw(&frame, &plain()).pixel(100, 100), GROUND);
    }
}
