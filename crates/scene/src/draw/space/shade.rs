//! The colour of what a line of sight meets. Colours are linear here.

use super::{
    camera::Ray,
    trace::{self, Hit, Trace},
    vector::{Vector, dot, minus, mix, plus, times, unit},
    volume::Volume,
};

/// Towards the light: high, a little to the left, from the viewer's side.
const LIGHT: Vector = [-0.36, 0.86, 0.36];
const WALL: Vector = [0.52, 0.55, 0.58];
const OBSTACLE: Vector = [0.20, 0.19, 0.18];
/// What liquid scatters where it is thick.
const DEEP: Vector = [0.010, 0.105, 0.34];
/// What is left of light, per channel, on the way through: exponents per longest side.
const ABSORPTION: Vector = [9.0, 3.0, 1.4];
const GLASS: Vector = [0.55, 0.65, 0.75];

/// The colour of a line of sight.
pub(super) fn colour(volume: &Volume, ray: &Ray, trace: &Trace) -> Vector {
    let behind = backdrop(ray.height);
    let mut colour = match &trace.wall {
        Some((hit, true)) => wall(volume, ray, hit, OBSTACLE),
        Some((hit, false)) => mix(behind, wall(volume, ray, hit, WALL), 0.9),
        None => behind,
    };
    if let Some(surface) = &trace.surface {
        colour = liquid(volume, ray, surface, trace.thickness, colour);
    }
    if let Some(glass) = &trace.glass {
        let facing = dot(glass.normal, ray.along).abs().min(1.0);
        colour = mix(colour, GLASS, 0.02 + 0.30 * (1.0 - facing).powi(4));
    }
    match &trace.block {
        Some(hit) => mix(colour, wall(volume, ray, hit, WALL), 0.45),
        None => colour,
    }
}

/// Behind everything: slate, lighter above.
fn backdrop(height: f32) -> Vector {
    mix([0.009, 0.012, 0.017], [0.032, 0.043, 0.060], height)
}

/// What a mirror would show: a bright soft sky, a horizon, dim ground.
fn surroundings(direction: Vector) -> Vector {
    let up = direction[1];
    if up > 0.0 {
        mix([0.62, 0.72, 0.82], [0.95, 1.0, 1.05], up.sqrt())
    } else {
        mix([0.35, 0.40, 0.45], [0.10, 0.12, 0.14], (-up).sqrt())
    }
}

fn wall(volume: &Volume, ray: &Ray, hit: &Hit, paint: Vector) -> Vector {
    let light = unit(LIGHT);
    let start = plus(hit.point, times(hit.normal, 0.5));
    // Corners are darker: how much nearer the solids are two cells out than they would be on a plane.
    let near = domain_distance(volume, plus(hit.point, times(hit.normal, 3.0)));
    let corner = 0.6 + 0.4 * (near / 3.0).clamp(0.0, 1.0);
    let (thickness, blocked) = trace::liquid_towards(volume, &Ray { from: start, along: light, height: 0.0 });
    let shadow = if blocked { 0.35 } else { 0.45 + 0.55 * (-0.25 * thickness).exp() };
    let lit = dot(hit.normal, light).max(0.0) * shadow;
    let sky = 0.5 + 0.5 * hit.normal[1];
    // Walls seen at a grazing angle are darker, so that round containers look round.
    let facing = dot(hit.normal, ray.along).abs();
    let rim = 0.45 + 0.55 * (facing * 1.6).min(1.0);
    times(paint, rim * corner * (0.30 + 0.25 * sky + 0.55 * lit))
}

/// Distance to the solids or to the border of the domain.
fn domain_distance(volume: &Volume, point: Vector) -> f32 {
    (0..3).fold(volume.solid.at(point), |least, axis| {
        least.min(point[axis] - volume.open[0][axis]).min(volume.open[1][axis] - point[axis])
    })
}

fn liquid(volume: &Volume, ray: &Ray, hit: &Hit, thickness: f32, behind: Vector) -> Vector {
    let normal = if dot(hit.normal, ray.along) > 0.0 { times(hit.normal, -1.0) } else { hit.normal };
    let facing = -dot(normal, ray.along);
    let longest = volume.corner.iter().fold(1.0f32, |most, &side| most.max(side));
    let light = unit(LIGHT);
    let wrapped = (0.5 + 0.5 * dot(normal, light)).powi(2);
    let body = times(DEEP, 0.55 + 1.0 * wrapped);
    let glow = times([0.03, 0.16, 0.22], wrapped * (-4.0 * thickness / longest).exp());
    let inside: Vector = std::array::from_fn(|channel| {
        let left = (-ABSORPTION[channel] * thickness / longest).exp();
        behind[channel] * (0.35 * left + 0.50 * left * left) + (body[channel] + glow[channel]) * (1.0 - 0.75 * left)
    });
    let mirrored = minus(ray.along, times(normal, 2.0 * dot(normal, ray.along)));
    let fresnel = 0.03 + 0.75 * (1.0 - facing.clamp(0.0, 1.0)).powi(5);
    let spark = dot(mirrored, light).max(0.0).powi(60);
    let colour = mix(inside, surroundings(mirrored), fresnel);
    plus(colour, times([1.0, 1.0, 1.0], 0.45 * spark))
}
