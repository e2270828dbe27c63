//! Where the picture is taken from.

use super::vector::{Vector, cross, dot, minus, plus, times, unit};
use super::volume::Volume;

/// A line of sight.
pub(super) struct Ray {
    pub from: Vector,
    /// Of length one.
    pub along: Vector,
    /// How high in the picture, from 0 at the bottom to 1 at the top.
    pub height: f32,
}

impl Ray {
    #[inline]
    pub fn at(&self, distance: f32) -> Vector {
        plus(self.from, times(self.along, distance))
    }
}

/// A pinhole camera, in units of cells.
pub(super) struct Camera {
    eye: Vector,
    /// From the eye to the middle of the picture.
    forward: Vector,
    /// One pixel to the right and one upwards, at distance one.
    right: Vector,
    up: Vector,
    half: [f32; 2],
}

/// Where the camera stands: degrees to the right of the z axis, and above the horizon.
const AZIMUTH: f64 = 28.0;
const ELEVATION: f64 = 18.0;

/// Half the angle of view from top to bottom: a long lens, so that verticals stay upright.
const HALF_ANGLE: f32 = 15.0;

impl Camera {
    /// Looks at the open part of the domain so that all of it is in the picture.
    pub fn new(volume: &Volume, width: usize, height: usize) -> Self {
        let (azimuth, elevation) = (AZIMUTH.to_radians(), ELEVATION.to_radians());
        let back = [azimuth.sin() * elevation.cos(), elevation.sin(), azimuth.cos() * elevation.cos()];
        let back = unit(back.map(|value| value as f32));
        let right = unit(cross([0.0, 1.0, 0.0], back));
        let up = cross(back, right);
        let half = [0.5 * width as f32, 0.5 * height as f32];
        let steep = HALF_ANGLE.to_radians().tan();
        let [low, high] = volume.open;
        let middle = times(plus(low, high), 0.5);
        let corners = (0..8).map(|corner: usize| {
            std::array::from_fn(|axis| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] })
        });
        let fit = |far: f32, point: Vector| {
            let offset = minus(point, middle);
            let across = dot(offset, right).abs() * half[1] / half[0];
            far.max(dot(offset, back) + across.max(dot(offset, up).abs()) / steep)
        };
        // Round containers leave the corners of their box empty.
        let far = if volume.boxy { corners.fold(1.0, fit) } else { volume.open_nodes().fold(1.0, fit) };
        let pixel = steep / half[1];
        Self {
            eye: plus(middle, times(back, 1.06 * far)),
            forward: times(back, -1.0),
            right: times(right, pixel),
            up: times(up, pixel),
            half,
        }
    }

    /// The line of sight through a place of the picture, in pixels from the upper left corner.
    pub fn ray(&self, x: f32, y: f32) -> Ray {
        let sideways = plus(times(self.right, x - self.half[0]), times(self.up, self.half[1] - y));
        let along = unit(plus(self.forward, sideways));
        Ray { from: self.eye, along, height: 1.0 - 0.5 * y / self.half[1] }
    }

    /// Where a point is seen, how many pixels a cell takes there, and how far away it is.
    ///
    /// None behind the camera.
    pub fn project(&self, point: Vector) -> Option<([f32; 2], f32, f32)> {
        let offset = minus(point, self.eye);
        let ahead = dot(offset, self.forward);
        if ahead.is_nan() || ahead <= 1e-3 {
            return None;
        }
        let squared = dot(self.right, self.right);
        let [x, y] = [self.right, self.up].map(|axis| dot(offset, axis) / (squared * ahead));
        let scale = 1.0 / (squared.sqrt() * ahead);
        Some(([self.half[0] + x, self.half[1] - y], scale, dot(offset, offset).sqrt()))
    }
}
