//! Bodies in space, seen from the front and a little from the side and from above, without perspective.

use unstick_bodies::{RigidBody, Shape};
use unstick_flow::TensorGrid;
use unstick_grid::vector::{dot, minus, plus, times};

use crate::draw::colour::{Colour, from_bytes, mix};
use crate::draw::{GROUND, Image, Palette, PictureStyle};

/// Turn to the side and tilt, in radians.
const YAW: f64 = 0.5;
const TILT: f64 = 0.3;
/// From where the light comes, in terms of right, up and towards the viewer.
const LIGHT: [f64; 3] = [-0.45, 0.7, 0.55];
const FRAME: Colour = [0.36, 0.42, 0.5];
/// Bodies behind fade towards the ground by this much.
const HAZE: f32 = 0.45;

type Point = [f64; 3];

/// A view along parallel lines.
struct Camera {
    /// Right, up and towards the viewer.
    axes: [Point; 3],
    /// What is seen in the middle.
    centre: Point,
    /// Pixels per metre.
    zoom: f64,
    width: usize,
    height: usize,
    /// Half of what lies between the nearest and the farthest corner.
    reach: f64,
}

impl Camera {
    fn new(lower: Point, upper: Point, width: usize) -> Self {
        let ((sin, cos), (down, level)) = (YAW.sin_cos(), TILT.sin_cos());
        let towards = [-sin * level, down, cos * level];
        let right = [cos, 0.0, sin];
        let up = [sin * down, level, -cos * down];
        let size = minus(upper, lower);
        let extent = |axis: Point| (0..3).map(|k| (axis[k] * size[k]).abs()).sum::<f64>();
        let axes = [right, up, towards];
        let [across, high, deep] = axes.map(extent);
        let width = if high > across { ((width as f64 * across / high) as usize).max(width / 3) } else { width };
        let zoom = 0.94 * width as f64 / across;
        let even = |pixels: f64| ((pixels / 2.0).round() as usize).clamp(8, 1 << 13) * 2;
        let (width, height) = (even(width as f64), even(high * zoom + 0.06 * width as f64));
        Self { axes, centre: plus(lower, times(0.5, size)), zoom, width, height, reach: 0.5 * deep }
    }

    /// Pixels from the upper left corner, and metres towards the viewer.
    fn project(&self, point: Point) -> Point {
        let [right, up, towards] = self.axes.map(|axis| dot(axis, minus(point, self.centre)));
        [0.5 * self.width as f64 + self.zoom * right, 0.5 * self.height as f64 - self.zoom * up, towards]
    }

    /// The point that a pixel shows at a depth.
    fn point(&self, column: usize, row: usize, towards: f64) -> Point {
        let right = (column as f64 + 0.5 - 0.5 * self.width as f64) / self.zoom;
        let up = (0.5 * self.height as f64 - row as f64 - 0.5) / self.zoom;
        let offset = [right, up, towards];
        (0..3).fold(self.centre, |sum, k| plus(sum, times(offset[k], self.axes[k])))
    }
}

/// Draws all bodies in the frame of their box, the faster the brighter.
pub fn draw<const D: usize>(grid: &TensorGrid<D>, bodies: &[RigidBody<D>], style: &PictureStyle) -> Image {
    let [lower, upper] = grid.bounds().map(in_space);
    let camera = Camera::new(lower, upper, style.width);
    let mut image = Image::new(camera.width, camera.height, GROUND);
    let mut depths = vec![f64::NEG_INFINITY; camera.width * camera.height];
    let table = Palette::Viridis.table();
    let corners: Vec<Point> =
        (0..8usize).map(|bits| std::array::from_fn(|k| if bits >> k & 1 == 1 { upper[k] } else { lower[k] })).collect();
    let edges = (0..8usize).flat_map(|from| (0..3).map(move |k| (from, from | 1 << k))).filter(|(from, to)| from != to);
    for (from, to) in edges {
        line(&mut image, camera.project(corners[from]), camera.project(corners[to]));
    }
    for body in bodies {
        let speed = body.velocity().iter().map(|value| value * value).sum::<f64>().sqrt();
        let colour = table[((0.25 + 0.75 * speed / style.fastest).clamp(0.0, 1.0) * 255.0) as usize];
        draw_body(&mut image, &mut depths, &camera, body, colour);
    }
    image
}

fn draw_body<const D: usize>(
    image: &mut Image,
    depths: &mut [f64],
    camera: &Camera,
    body: &RigidBody<D>,
    colour: Colour,
) {
    let reach = body.shape().reach();
    let [x, y, towards] = camera.project(in_space(body.position()));
    let span = |at: f64, limit: usize| {
        let clip = |value: f64| value.clamp(0.0, limit as f64) as usize;
        clip(at - reach * camera.zoom - 1.0)..clip(at + reach * camera.zoom + 2.0)
    };
    for row in span(y, camera.height) {
        for column in span(x, camera.width) {
            let Some((depth, normal)) = hit(camera, body, column, row, towards, reach) else { continue };
            let seen = &mut depths[row * camera.width + column];
            if depth > *seen {
                *seen = depth;
                let facing = camera.axes.map(|axis| dot(axis, normal));
                let light = (0.35 + 0.75 * dot(facing, LIGHT).max(0.0)) as f32;
                let behind = (0.5 - 0.5 * depth / camera.reach).clamp(0.0, 1.0) as f32;
                let lit = colour.map(|value| (value * light).min(1.0));
                let ground = from_bytes(GROUND);
                image.blend(column, row, mix(lit, ground, HAZE * behind), 1.0);
            }
        }
    }
}

/// Where the line of a pixel meets a body first, and the normal there.
fn hit<const D: usize>(
    camera: &Camera,
    body: &RigidBody<D>,
    column: usize,
    row: usize,
    towards: f64,
    reach: f64,
) -> Option<(f64, Point)> {
    let centre = in_space(body.position());
    if let Shape::Sphere { radius } = body.shape() {
        let offset = minus(camera.point(column, row, towards), centre);
        let rise = (radius * radius - dot(offset, offset)).max(-1.0);
        let depth = (rise > 0.0).then(|| rise.sqrt())?;
        let normal = times(1.0 / radius, plus(offset, times(depth, camera.axes[2])));
        return Some((towards + depth, normal));
    }
    let distance = |point: Point| body.distance(std::array::from_fn(|k| point[k]));
    let (mut depth, near) = (towards + reach, 1e-3 * reach);
    for _ in 0..64 {
        let gap = distance(camera.point(column, row, depth));
        if gap < near {
            let at = camera.point(column, row, depth);
            let slope = |k: usize| {
                let mut beside = at;
                beside[k] += near;
                distance(beside) - gap
            };
            let normal: Point = std::array::from_fn(slope);
            let size = dot(normal, normal).sqrt().max(f64::MIN_POSITIVE);
            return Some((depth, times(1.0 / size, normal)));
        }
        depth -= gap;
        if depth < towards - reach {
            return None;
        }
    }
    None
}

fn line(image: &mut Image, from: Point, to: Point) {
    let steps = (to[0] - from[0]).abs().max((to[1] - from[1]).abs()).ceil().max(1.0);
    for step in 0..=steps as usize {
        let part = step as f64 / steps;
        let [x, y] = [0, 1].map(|k| from[k] + part * (to[k] - from[k]));
        if x >= 0.0 && y >= 0.0 && (x as usize) < image.width() && (y as usize) < image.height() {
            image.blend(x as usize, y as usize, FRAME, 0.8);
        }
    }
}

fn in_space<const D: usize>(point: [f64; D]) -> Point {
    std::array::from_fn(|axis| point.get(axis).copied().unwrap_or(0.0))
}
