//! Three-dimensional frames.
//!
//! Rays are followed through the distances of liquid and solids. Walls that face away from the
//! camera are glass, the others matte: one looks into the container as into a doll's house. Solids
//! that touch no border of the domain are obstacles and darker.

mod camera;
mod shade;
mod trace;
mod vector;
mod volume;

use rayon::prelude::*;
use unstick_parallel::{for_each_chunk, list};

use super::Image;
use super::colour::{Colour, blend_byte, srgb_from_linear, to_bytes};
use super::text::stamp;
use crate::frame::Frame;
use camera::Camera;
use volume::Volume;

/// The colour of drops too small for the surface.
const DROP: Colour = [0.80, 0.91, 1.0];
/// Two neighbouring pixels that differ by more than this are drawn again, more finely.
const CONTRAST: u8 = 12;
/// Places within a pixel where it is then looked at.
const FINE: [[f32; 2]; 4] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];

/// Draws a frame, three quarters as high as it is wide.
pub(super) fn draw(frame: &Frame<3>, width: usize) -> Image {
    let side = |pixels: usize| pixels.clamp(16, 1 << 14).next_multiple_of(2);
    let (width, height) = (side(width), side(width * 3 / 4));
    let volume = Volume::new(frame);
    let camera = Camera::new(&volume, width, height);
    let mut image = Image::new(width, height, [0; 3]);
    let mut depths = vec![0f32; width * height];
    let rows = image.bytes_mut().par_chunks_exact_mut(3 * width).zip(depths.par_chunks_exact_mut(width));
    rows.enumerate().for_each(|(y, (line, depths))| {
        for (x, (pixel, depth)) in line.chunks_exact_mut(3).zip(depths).enumerate() {
            let (colour, far) = look(&volume, &camera, x, y, [0.5; 2]);
            pixel.copy_from_slice(&to_bytes(colour));
            *depth = far;
        }
    });
    refine(&mut image, &volume, &camera);
    draw_spray(&mut image, &depths, &volume, &camera, frame);
    stamp(&mut image, frame.time);
    image
}

/// The colour (sRGB) of a place within a pixel, and how far away it is.
fn look(volume: &Volume, camera: &Camera, x: usize, y: usize, within: [f32; 2]) -> (Colour, f32) {
    let ray = camera.ray(x as f32 + within[0], y as f32 + within[1]);
    let trace = trace::follow(volume, &ray);
    let colour = shade::colour(volume, &ray, &trace);
    (colour.map(|value| srgb_from_linear(value.clamp(0.0, 1.0))), trace.depth())
}

/// Draws pixels that differ from a neighbour again, at four places each.
fn refine(image: &mut Image, volume: &Volume, camera: &Camera) {
    let (width, coarse) = (image.width(), image.clone());
    let height = image.height();
    let differs = |x: usize, y: usize| {
        let here = coarse.pixel(x, y);
        let neighbours = [(x + 1, y), (x.wrapping_sub(1), y), (x, y + 1), (x, y.wrapping_sub(1))];
        neighbours.iter().filter(|&&(x, y)| x < width && y < height).any(|&(x, y)| {
            let there = coarse.pixel(x, y);
            (0..3).any(|channel| here[channel].abs_diff(there[channel]) > CONTRAST)
        })
    };
    for_each_chunk(image.bytes_mut(), 3 * width, |y, line| {
        for (x, pixel) in line.chunks_exact_mut(3).enumerate().filter(|&(x, _)| differs(x, y)) {
            let mut sum = [0.0; 3];
            for within in FINE {
                let (colour, _) = look(volume, camera, x, y, within);
                sum = vector::plus(sum, colour);
            }
            for (byte, value) in pixel.iter_mut().zip(sum) {
                *byte = blend_byte(*byte, value / FINE.len() as f32, 1.0);
            }
        }
    });
}

/// Draws particles outside the liquid as small discs, hidden by what is nearer.
fn draw_spray(image: &mut Image, depths: &[f32], volume: &Volume, camera: &Camera, frame: &Frame<3>) {
    let width = image.width();
    let is_spray = |place: &vector::Vector| {
        let within = (0..3).all(|axis| (0.0..=volume.corner[axis]).contains(&place[axis]));
        // A quarter of a cell of grace: particles just under a smoothed crest belong to it.
        within && volume.liquid.at(*place) >= 0.25
    };
    let spray = list(frame.positions.as_slice(), |positions| {
        positions.iter().map(|position| volume.place(*position)).filter(is_spray).collect()
    });
    for place in spray {
        let Some((at, scale, far)) = camera.project(place) else { continue };
        let radius = (0.2 * scale).clamp(0.6, 3.0);
        let opacity = |column: usize, row: usize| if far < depths[row * width + column] { 0.8 } else { 0.0 };
        image.disc(at, radius, DROP, opacity);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::synthetic;

    const WIDTH: usize = 160;

    #[test]
    fn a_ball_of_liquid_is_blue_in_the_middle_and_walls_are_grey() {
        let image = draw(&synthetic::ball_in_a_box(), WIDTH);
        let [red, _, blue] = image.pixel(80, 62);
        assert!(blue > red.saturating_add(40), "{:?}", image.pixel(80, 62));
        let [red, green, blue] = image.pixel(80, 105);
        assert!(red.abs_diff(blue) < 40 && green > 70, "{:?}", [red, green, blue]);
        assert_ne!(image.pixel(1, 1), image.pixel(80, 105));
    }

    #[test]
    fn spray_is_hidden_behind_the_liquid() {
        let frame = synthetic::ball_in_a_box();
        let seen = |position: [f64; 3]| {
            let (positions, velocities) = (vec![position], vec![[1.0, 0.0, 0.0]]);
            draw(&Frame { positions, velocities, ..frame.clone() }, WIDTH) != draw(&frame, WIDTH)
        };
        // Along the line from the ball to the camera.
        let [front, back] = [0.4, -0.4].map(|reach| [0.4465, 0.309, 0.8397].map(|towards| 0.5 + reach * towards));
        assert!(seen(front) && !seen(back) && !seen([0.5; 3]));
    }

    #[test]
    fn the_same_bits_for_any_number_of_threads() {
        let frame = synthetic::wave_in_a_sphere(24);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| draw(&frame, WIDTH))
        };
        assert_eq!(with(1), with(5));
    }

    #[test]
    fn frames_without_liquid_and_of_odd_shapes_are_drawn() {
        let mut frame = synthetic::ball_in_a_box();
        frame.liquid = unstick_grid::CellField::from_fn(&frame.grid, |_| f64::INFINITY);
        frame.positions = vec![[f64::NAN; 3], [9.0; 3]];
        frame.velocities = vec![[0.0; 3]; 2];
        draw(&frame, WIDTH);
        frame.solid = unstick_grid::CellField::of_shape(frame.solid.shape(), |_| -1.0);
        draw(&frame, WIDTH);
        draw(&synthetic::sheet(), WIDTH);
    }
}
