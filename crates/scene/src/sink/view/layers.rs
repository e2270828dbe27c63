//! What each layer of a frame holds.

use std::ops::Range;

use unstick_grid::Grid;
use unstick_liquid::{interpolate_cells, interpolate_velocity};
use unstick_parallel as parallel;

use super::pack::Pack;
use crate::dimension::PlaneOrSpace;
use crate::frame::Frame;
use crate::sink::{Surface, surface_of};

/// The most particles in a frame. Of more, every second, third and so on is kept: they are sorted by cell, so all places
/// thin out alike.
pub(super) const MOST_PARTICLES: usize = 200_000;

/// Distances are kept within this many cells of the surface.
const REACH: f64 = 2.0;

/// `position`, `speed` and `pressure` of particles.
pub(super) fn particles<const D: usize>(frame: &Frame<D>, pack: &mut Pack) {
    let one_in = frame.positions.len().div_ceil(MOST_PARTICLES).max(1);
    pack.note("particles", frame.positions.len());
    let kept = frame.positions.len().div_ceil(one_in);
    pack.places("position", &frame.grid, frame.positions.iter().step_by(one_in).copied());
    add_levels(pack, "speed", of_all(kept, |number| norm(frame.velocities[number * one_in])));
    let pressure = |number: usize| interpolate_cells(&frame.grid, &frame.pressure, frame.positions[number * one_in]);
    add_pressure(pack, frame, of_all(kept, pressure));
}

/// A value for each of so many numbers, by all threads.
fn of_all(count: usize, value: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
    let mut values = parallel::filled(count, 0.0);
    parallel::for_each_scattered((0..count, values.as_mut_slice()), |(range, values): (Range<usize>, &mut [f64])| {
        range.zip(values).for_each(|(number, slot)| *slot = value(number));
    });
    values
}

fn norm<const D: usize>(vector: [f64; D]) -> f64 {
    vector.iter().map(|value| value * value).sum::<f64>().sqrt()
}

/// The liquid: fields in the plane, a mesh in space.
pub(super) fn surface<const D: usize>(frame: &Frame<D>, pack: &mut Pack) {
    match frame.either() {
        PlaneOrSpace::Plane(frame) => plane_fields(frame, pack),
        PlaneOrSpace::Space(frame) => space_mesh(frame, pack),
    }
}

/// Solids. In the plane `solid`, the distance at the nodes; in space a mesh with `solid_vertex`, `solid_normal`,
/// `solid_triangle`, which is open where it meets the border.
pub(super) fn solids<const D: usize>(frame: &Frame<D>, pack: &mut Pack) {
    let Some(frame) = frame.in_space() else { return distances(pack, "solid", &frame.grid, frame.solid.values()) };
    let mesh = Surface::open_of_nodes(&frame.grid, &frame.solid);
    add_mesh(pack, "solid_", &frame.grid, &mesh, &mesh.normals());
}

/// `separated`: the cells whose wall has let go.
pub(super) fn separated<const D: usize>(frame: &Frame<D>, pack: &mut Pack) {
    pack.cells("separated", &frame.separated);
}

/// The liquid in the plane: `liquid` (distance), `speed` and `pressure` of all cells.
fn plane_fields(frame: &Frame<2>, pack: &mut Pack) {
    let speed_of = |cell| {
        let [x, y] = interpolate_velocity(&frame.grid, &frame.velocity, frame.grid.centre(cell));
        x.hypot(y)
    };
    let is_liquid = |cell: [usize; 2]| frame.liquid.at(cell) < frame.grid.spacing();
    let speed = frame.grid.iter().map(|cell| if is_liquid(cell) { speed_of(cell) } else { 0.0 }).collect();
    distances(pack, "liquid", &frame.grid, frame.liquid.values());
    add_levels(pack, "speed", speed);
    add_pressure(pack, frame, frame.pressure.values().to_vec());
}

/// The surface in space: a mesh with `vertex`, `normal`, `triangle`, and `speed` and `pressure` of vertices, read a
/// cell below the surface, where the pressure is not that of the air.
fn space_mesh(frame: &Frame<3>, pack: &mut Pack) {
    let (grid, mesh) = (&frame.grid, surface_of(frame));
    let normals = mesh.normals();
    let below = |(vertex, normal): (&[f32; 3], &[f32; 3])| {
        std::array::from_fn(|axis| f64::from(vertex[axis]) - grid.spacing() * f64::from(normal[axis]))
    };
    let inside: Vec<[f64; 3]> = mesh.vertices.iter().zip(&normals).map(below).collect();
    add_mesh(pack, "", grid, &mesh, &normals);
    let speed = |vertex: usize| norm(interpolate_velocity(grid, &frame.velocity, inside[vertex]));
    add_levels(pack, "speed", of_all(inside.len(), speed));
    let pressure = |vertex: usize| interpolate_cells(grid, &frame.pressure, inside[vertex]);
    add_pressure(pack, frame, of_all(inside.len(), pressure));
}

fn add_mesh(pack: &mut Pack, prefix: &str, grid: &Grid<3>, mesh: &Surface, normals: &[[f32; 3]]) {
    let points = mesh.vertices.iter().map(|vertex| vertex.map(f64::from));
    pack.places(&format!("{prefix}vertex"), grid, points);
    pack.directions(&format!("{prefix}normal"), normals);
    pack.triangles(&format!("{prefix}triangle"), &mesh.triangles);
}

fn distances<const D: usize>(pack: &mut Pack, name: &str, grid: &Grid<D>, values: &[f64]) {
    let reach = REACH * grid.spacing();
    pack.levels(name, [-reach, reach], values.iter().copied());
}

/// Values from zero to the largest of them.
fn add_levels(pack: &mut Pack, name: &str, values: Vec<f64>) {
    let largest = values.iter().copied().fold(0.0, f64::max);
    pack.levels(name, [0.0, largest], values.into_iter());
}

/// Pressure from zero to the largest. That of a viscous flow is known up to a constant: its least value becomes zero.
fn add_pressure<const D: usize>(pack: &mut Pack, frame: &Frame<D>, mut values: Vec<f64>) {
    if frame.flow.is_some() {
        let least = frame.pressure.values().iter().copied().fold(f64::INFINITY, f64::min);
        values.iter_mut().for_each(|value| *value -= least);
    }
    add_levels(pack, "pressure", values);
}
