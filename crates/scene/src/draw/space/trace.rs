//! What a line of sight meets.

use super::{
    camera::Ray,
    vector::{Vector, plus, times, unit},
    volume::{BLOCK, Block, Samples, Sign, Volume},
};

/// A place on a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub distance: f32,
    pub point: Vector,
    /// Of length one, out of what was hit.
    pub normal: Vector,
}

/// What a line of sight meets, from front to back.
#[derive(Default)]
pub(super) struct Trace {
    /// Where it enters a solid that stands in a box.
    pub block: Option<Hit>,
    /// Where it comes through the front wall.
    pub glass: Option<Hit>,
    /// Where it enters the liquid first.
    pub surface: Option<Hit>,
    /// How many cells it goes through liquid.
    pub thickness: f32,
    /// Where it ends, and whether on an obstacle.
    pub wall: Option<(Hit, bool)>,
}

impl Trace {
    /// Distance of the first thing that hides what is behind it.
    pub fn depth(&self) -> f32 {
        let nearer = |hit: Option<Hit>| hit.map_or(f32::INFINITY, |hit| hit.distance);
        nearer(self.surface).min(nearer(self.wall.map(|(hit, _)| hit)))
    }
}

/// Shortest step, longest near liquid, and longest near solids, in cells.
const STEPS: [f32; 3] = [0.45, 1.4, 4.0];
/// Beyond this many cells of liquid nothing is seen, as a part of the longest side.
const MURKY: f32 = 1.2;

/// Follows a ray until it meets a wall from the inside.
pub(super) fn follow(volume: &Volume, ray: &Ray) -> Trace {
    let mut trace = Trace::default();
    let Some((entry, exit)) = through_box(volume.open, ray) else { return trace };
    let murky = MURKY * volume.corner.iter().fold(0.0f32, |most, &side| most.max(side));
    let (mut here, mut point) = (entry.distance, entry.point);
    let Place { mut liquid, mut solid, mut step } = place(volume, ray, point);
    if solid > 0.0 {
        trace.glass = Some(entry);
    } else if volume.boxy && volume.solid.at(plus(point, times(entry.normal, -0.6))) < -0.05 {
        trace.block = Some(entry);
    }
    while here < exit.distance && trace.thickness < murky {
        let next = (here + step).min(exit.distance);
        point = ray.at(next);
        let Place { liquid: liquid_there, solid: solid_there, step: step_there } = place(volume, ray, point);
        if (liquid < 0.0, solid > 0.0) == (liquid_there < 0.0, solid_there > 0.0) && (liquid >= 0.0 || solid <= 0.0) {
            (here, liquid, solid, step) = (next, liquid_there, solid_there, step_there);
            continue;
        }
        // Where liquid and open space begin and end between here and there.
        let opens = crossing(&volume.solid, ray, [here, next], solid > 0.0, solid_there > 0.0);
        let dries = crossing(&volume.liquid, ray, [here, next], liquid >= 0.0, liquid_there >= 0.0);
        let open = span([here, next], solid > 0.0, solid_there > 0.0, opens);
        let wet = span([here, next], liquid < 0.0, liquid_there < 0.0, dries);
        if let (Some(at), true) = (opens, solid <= 0.0)
            && trace.glass.is_none()
        {
            trace.glass = Some(hit(ray, at, |point| times(volume.solid.gradient(point), -1.0)));
        }
        if let (Some(open), Some(wet)) = (open, wet) {
            let (start, end) = (open[0].max(wet[0]), open[1].min(wet[1]));
            if start < end {
                trace.thickness += end - start;
                trace.surface = trace.surface.or_else(|| Some(entered(volume, ray, &entry, start, wet[0])));
            }
        }
        if let (Some(at), true) = (opens, solid > 0.0) {
            let hit = hit(ray, at, |point| volume.solid.gradient(point));
            let beyond = plus(hit.point, times(hit.normal, -0.3));
            trace.wall = Some((hit, volume.is_obstacle(beyond)));
            return trace;
        }
        (here, liquid, solid, step) = (next, liquid_there, solid_there, step_there);
    }
    if solid > 0.0 && here >= exit.distance {
        trace.wall = Some((exit, false));
    }
    trace
}

/// How many cells of liquid lie between a point and the light; for faint shadows.
pub(super) fn liquid_towards(volume: &Volume, ray: &Ray) -> (f32, bool) {
    let Some((entry, exit)) = through_box(volume.open, ray) else { return (0.0, false) };
    let (mut here, mut thickness) = (entry.distance.max(0.6), 0.0);
    while here < exit.distance {
        let point = ray.at(here);
        let Place { liquid, solid, step } = place(volume, ray, point);
        if solid < 0.0 {
            return (thickness, volume.is_obstacle(point));
        }
        let length = step.max(1.0);
        // Half a cell around the surface counts in part: soft shadows.
        thickness += length * (0.5 - liquid).clamp(0.0, 1.0);
        here += length;
    }
    (thickness, false)
}

/// Distances to liquid and solids at a place, and how far it is safe to go from there.
struct Place {
    liquid: f32,
    solid: f32,
    step: f32,
}

/// Reads the distances at a point of the ray; blocks without a surface are not read but skipped.
#[inline]
fn place(volume: &Volume, ray: &Ray, point: Vector) -> Place {
    let (at, Block { liquid: liquid_sign, solid: solid_sign, clear }) = volume.block(point);
    let value = |sign: Sign, samples: &Samples| match sign {
        Sign::Inside => -1.0,
        Sign::Outside => 1.0,
        Sign::Mixed => samples.at(point),
    };
    let (liquid, solid) = (value(liquid_sign, &volume.liquid), value(solid_sign, &volume.solid));
    let step = if clear > 0 {
        beyond(at, clear, ray, point)
    } else {
        // Distances to solids can be trusted; those to liquid come from particles.
        let to_solid = if solid_sign == Sign::Mixed { solid.abs().max(STEPS[0]) } else { f32::INFINITY };
        let dry = liquid_sign != Sign::Mixed || solid < 0.0;
        let to_liquid = if dry { f32::INFINITY } else { (0.9 * liquid.abs()).clamp(STEPS[0], STEPS[1]) };
        to_solid.min(to_liquid).min(STEPS[2])
    };
    Place { liquid, solid, step }
}

/// How far it is to the end of the blocks around this one in which nothing changes.
#[inline]
fn beyond(block: [usize; 3], clear: u8, ray: &Ray, point: Vector) -> f32 {
    let clear = i32::from(clear);
    let mut least = f32::INFINITY;
    for axis in 0..3 {
        let along = ray.along[axis];
        if along.abs() > 1e-7 {
            let border = block[axis] as i32 + if along > 0.0 { clear } else { 1 - clear };
            least = least.min(((border * BLOCK as i32) as f32 - point[axis]) / along);
        }
    }
    least.max(0.0) + 2e-3
}

/// Where a sign changes between two places of the ray; none where it does not.
fn crossing(samples: &Samples, ray: &Ray, [mut low, mut high]: [f32; 2], before: bool, after: bool) -> Option<f32> {
    if before == after {
        return None;
    }
    for _ in 0..8 {
        let middle = 0.5 * (low + high);
        if (samples.at(ray.at(middle)) >= 0.0) == before { low = middle } else { high = middle }
    }
    Some(0.5 * (low + high))
}

/// The part of an interval where something holds.
fn span([from, to]: [f32; 2], before: bool, after: bool, change: Option<f32>) -> Option<[f32; 2]> {
    match (before, after) {
        (true, true) => Some([from, to]),
        (true, false) => Some([from, change.unwrap_or(to)]),
        (false, true) => Some([change.unwrap_or(from), to]),
        (false, false) => None,
    }
}

/// The place where liquid is entered: through its own surface, or through the wall it touches.
fn entered(volume: &Volume, ray: &Ray, entry: &Hit, start: f32, wet: f32) -> Hit {
    if start <= entry.distance + 1e-3 {
        *entry
    } else if start > wet + 1e-4 {
        hit(ray, start, |point| times(volume.solid.gradient(point), -1.0))
    } else {
        hit(ray, start, |point| volume.liquid.gradient(point))
    }
}

fn hit(ray: &Ray, distance: f32, normal: impl Fn(Vector) -> Vector) -> Hit {
    let point = ray.at(distance);
    Hit { distance, point, normal: unit(normal(point)) }
}

/// Where the ray enters and leaves a box, with the normals of a container around it:
/// towards the camera in front, into the box behind.
fn through_box([low, high]: [Vector; 2], ray: &Ray) -> Option<(Hit, Hit)> {
    let (mut near, mut far) = ((0.0f32, [0.0; 3]), (f32::INFINITY, [0.0; 3]));
    for axis in 0..3 {
        let along = ray.along[axis];
        if along.abs() < 1e-9 {
            if !(low[axis]..=high[axis]).contains(&ray.from[axis]) {
                return None;
            }
            continue;
        }
        let sides = [low, high].map(|corner| (corner[axis] - ray.from[axis]) / along);
        let mut normal = [0.0; 3];
        normal[axis] = -along.signum();
        if sides[0].min(sides[1]) > near.0 {
            near = (sides[0].min(sides[1]), normal);
        }
        if sides[0].max(sides[1]) < far.0 {
            far = (sides[0].max(sides[1]), normal);
        }
    }
    let hit = |(distance, normal): (f32, Vector)| Hit { distance, point: ray.at(distance), normal };
    (near.0 + 1e-4 < far.0).then(|| (hit(near), hit(far)))
}
