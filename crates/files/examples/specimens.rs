//! Writes one file of every format into a folder, and `expected.json` with what readers should find.
//!
//! `cargo run --release -p unstick-files --example specimens -- DIR`

use std::path::Path;

use serde_json::json;
use unstick_files::usd::{MovingObject, ObjectShape, Stage, World};
use unstick_files::vdb::{Grids, Liquid, Precision};
use unstick_files::{Fields, Points, Surface, gltf, npz, obj, ply, usd, vdb, vtk, write_atomic};
use unstick_grid::{CellField, FaceField, Grid, Pose, SignedDistance, sample_cells, sample_nodes};

const RADIUS: f64 = 0.3;
const CENTRE: [f64; 3] = [0.55, 0.5, 0.45];

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "specimens".into());
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder.join("surface"))?;
    // Sizes are no powers of two and the origin is not zero, so errors of half a cell show.
    let grid = Grid::new([37, 41, 45], 0.025, [0.0, -0.1, -0.2]).map_err(std::io::Error::other)?;
    let ball = SignedDistance::sphere(CENTRE, RADIUS);
    let distance = sample_cells(&grid, |point| ball.at(point).clamp(-0.025, 0.025));
    let velocity: FaceField<f64, 3> =
        std::array::from_fn(|axis| CellField::of_shape(grid.faces(axis), |[i, j, k]| velocity(axis, i, j, k)));
    let pressure = sample_cells(&grid, |point| (-1000.0 * ball.at(point)).max(0.0));
    let liquid = Liquid { frame: 7, time: 0.07, grid, distance: &distance, velocity: &velocity, pressure: &pressure };
    let grids = [Grids::Surface, Grids::Velocity, Grids::Pressure];
    let put = |name: &str, bytes: Vec<u8>| write_atomic(&folder.join(name), &bytes);
    put("ball.vdb", vdb::liquid(&liquid, &grids, Precision::Single))?;
    put("half.vdb", vdb::liquid(&liquid, &grids, Precision::Half))?;
    put("empty.vdb", {
        let nothing = CellField::from_fn(&grid, |_| 0.025);
        let none = CellField::from_fn(&grid, |_| 0.0);
        vdb::liquid(&Liquid { distance: &nothing, pressure: &none, ..liquid }, &grids, Precision::Single)
    })?;
    let band = vdb::narrow_band(&grid, &distance, vdb::BAND);
    let expected: Vec<u8> = CellField::of_shape(grid.cells(), |cell| {
        let found = band.at(cell.map(|index| index as i32));
        (found.clamp(-3.0, 3.0) * grid.spacing()) as f32
    })
    .values()
    .iter()
    .flat_map(|value| value.to_le_bytes())
    .collect();
    put("surface.f32", expected)?;
    put("pressure.f32", pressure.values().iter().flat_map(|&value| (value as f32).to_le_bytes()).collect())?;

    let surface = Surface::of_distance(&grid, &distance, 0.07).with_velocity(|[x, y, z]| [z, x, y]);
    put("ball.ply", ply::surface(&surface))?;
    put("ball.obj", obj::surface(&surface))?;
    put("ball.glb", gltf::surface(&surface))?;
    put("ball.vtp", vtk::surface(&surface))?;

    let position: Vec<[f64; 3]> = (0..1001).map(|k| [f64::from(k) * 1e-3, 0.5, -0.25]).collect();
    let id: Vec<u64> = (0..1001).rev().collect(); // of which the last one has the number zero, and is kept
    let points = Points { time: 0.07, position: &position, velocity: &position, id: &id, thin: 10 };
    put("points.ply", ply::points(&points))?;
    put("points.vtk", vtk::legacy_points(&points))?;
    put("points.vtp", vtk::points(&points))?;
    put("points.npz", npz::points(&points))?;

    let solid = sample_nodes(&grid, |point| point[0]);
    let cells = vec![("liquid", distance.values().iter().map(|&value| value as f32).collect())];
    let fields = Fields { time: 0.07, grid, cells, velocity: &velocity, nodes: vec![("solid", &solid)] };
    put("fields.vtk", vtk::legacy_fields(&fields))?;
    put("fields.vti", vtk::fields(&fields))?;
    put("fields.pvd", vtk::pvd(&[(0.0, "fields.vti".into()), (0.07, "fields.vti".into())]))?;

    let objects = vec![
        MovingObject { name: "marble".into(), shape: ObjectShape::Sphere { radius: 0.05 } },
        MovingObject { name: "crate_".into(), shape: ObjectShape::Cuboid { half: [0.1, 0.2, 0.3] } },
        MovingObject { name: "pill".into(), shape: ObjectShape::Capsule { half_length: 0.1, radius: 0.02 } },
        MovingObject { name: "rock".into(), shape: ObjectShape::Mesh(surface.clone()) },
    ];
    let numbers = [0usize, 5, 10];
    for number in numbers {
        let shift = [0.005 * number as f64, 0.0, 0.0];
        let moved = Surface::of_distance(&grid, &sample_cells(&grid, |[x, y, z]| ball.at([x - shift[0], y, z])), 0.0)
            .with_velocity(|_| [1.0, 0.0, 0.0]);
        let turn = Pose::from_axis_angle([0.0, 0.0, 1.0], 0.1 * number as f64).then(&Pose::from_translation(shift));
        let poses: Vec<_> = objects.iter().map(|object| (object.name.clone(), turn)).collect();
        put(&format!("surface/{number:04}.usda"), usd::frame(number, &moved, &poses))?;
    }
    let names = objects.iter().map(|object| object.name.as_str());
    put("surface/manifest.usda", usd::manifest(names))?;
    put("surface/world.usda", usd::world(&World { walls: Some(surface.clone()), objects }))?;
    let stage = Stage {
        title: "specimens".into(),
        frame_seconds: 0.01,
        world: "./surface/world.usda".into(),
        manifest: "./surface/manifest.usda".into(),
    };
    let frames = numbers.map(|number| (number, format!("./surface/{number:04}.usda")));
    put("stage.usda", usd::stage(&stage, &frames))?;

    let expected = json!({
        "cells": grid.cells(), "spacing": grid.spacing(), "origin": grid.origin(), "background": (0.075f32),
        "centre": CENTRE, "radius": RADIUS, "vertices": surface.vertices.len(), "triangles": surface.triangles.len(),
        "bounds": surface.bounds(),
    });
    put("expected.json", expected.to_string().into_bytes())
}

/// A value that single precision represents exactly and that differs on every face and axis.
fn velocity(axis: usize, i: usize, j: usize, k: usize) -> f64 {
    (axis + 1) as f64 + i as f64 / 64.0 + j as f64 / 4096.0 + k as f64 / 262_144.0
}
