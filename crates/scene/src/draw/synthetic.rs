//! Frames made up for tests and for looking at.

use unstick_grid::{CellField, Grid, Random, SignedDistance};

use crate::Frame;

fn frame<const D: usize>(
    size: usize,
    liquid: impl Fn([f64; D]) -> f64 + Sync,
    solid: impl Fn([f64; D]) -> f64 + Sync,
) -> Frame<D> {
    Frame { number: 3, time: 0.42, ..Frame::at_rest(Grid::unit(size).unwrap(), liquid, solid) }
}

/// A disc of liquid in the middle of a box with thick walls.
pub(super) fn disc_in_a_box() -> Frame<2> {
    let (disc, container) = (SignedDistance::sphere([0.5; 2], 0.25), SignedDistance::cuboid([0.1; 2], [0.9; 2]));
    frame(40, |point| disc.at(point), |point| -container.at(point))
}

/// A wave that has run up the right wall of a box and along its ceiling.
pub(super) fn dam_break(size: usize) -> Frame<2> {
    let container = SignedDistance::cuboid([0.06; 2], [0.94; 2]);
    let jet = SignedDistance::cuboid([0.86, 0.1], [1.0, 1.0]).or(SignedDistance::cuboid([0.45, 0.88], [1.0, 1.0]));
    let pool = |[x, y]: [f64; 2]| (y - 0.25 - 0.08 * (9.0 * x).sin() - 0.25 * (x - 0.3).max(0.0).powi(2)) / 1.3;
    let liquid = |point: [f64; 2]| pool(point).min(jet.at(point));
    let mut frame = frame(size, liquid, |point| -container.at(point));
    let mut random = Random::new(1);
    let count = 12 * size * size / 10;
    while frame.positions.len() < count {
        let point = [random.unit(), random.unit()];
        if container.at(point) > -0.003 || liquid(point) > 0.0 && random.unit() > 0.01 {
            continue;
        }
        frame.positions.push(point);
        let speed = 0.4 + 3.0 * point[1] * (0.7 + 0.3 * (14.0 * point[0]).sin()) + 0.2 * random.unit();
        frame.velocities.push([speed, 0.0]);
    }
    let wall = |cell: [usize; 2]| {
        let centre = frame.grid.centre(cell);
        let depth = -container.at(centre) * size as f64;
        (0.0..1.0).contains(&depth) && centre[1] > 0.9 && (0.5..0.8).contains(&centre[0])
    };
    frame.separated = frame.grid.iter().filter(|&cell| wall(cell)).collect();
    frame.pressure = CellField::from_fn(&frame.grid, |cell| {
        let centre = frame.grid.centre(cell);
        if liquid(centre) < 0.0 { 9810.0 * (0.35 - centre[1]).max(0.0) } else { 0.0 }
    });
    frame
}

/// A ball of liquid in the middle of the domain.
pub(super) fn ball_in_a_box() -> Frame<3> {
    let ball = SignedDistance::sphere([0.5; 3], 0.25);
    frame(24, |point| ball.at(point), |_| 1.0)
}

/// A single layer of cells, all liquid.
pub(super) fn sheet() -> Frame<3> {
    let mut sheet = ball_in_a_box();
    sheet.grid = Grid::new([5, 1, 3], 0.2, [0.0; 3]).unwrap();
    sheet.liquid = CellField::from_fn(&sheet.grid, |_| -1.0);
    sheet.solid = CellField::of_shape([6, 2, 4], |_| 1.0);
    sheet
}

/// A wave that has run up the right side of a spherical container around an obstacle.
pub(super) fn wave_in_a_sphere(size: usize) -> Frame<3> {
    let container = SignedDistance::sphere([0.5; 3], 0.4);
    let post = SignedDistance::cuboid([0.3, 0.3, 0.4], [0.42, 0.5, 0.6]);
    let liquid = |[x, y, z]: [f64; 3]| {
        let swell = 0.34 + 0.05 * (13.0 * x).sin() * (7.0 * z).cos() + 1.6 * (x - 0.55).max(0.0).powi(2);
        let sheet = (y - 0.86).abs().max((x - 0.6).abs() - 0.14).max((z - 0.5).abs() - 0.12) - 0.02;
        let bead = SignedDistance::sphere([0.45, 0.66, 0.55], 0.05).at([x, y, z]);
        ((y - swell) / 1.4).min(sheet).min(bead)
    };
    let mut frame = frame(size, liquid, |point| (-container.at(point)).min(post.at(point)));
    scatter(&mut frame, liquid, |point| container.at(point) < -0.01);
    frame
}

fn scatter(frame: &mut Frame<3>, liquid: impl Fn([f64; 3]) -> f64, inside: impl Fn([f64; 3]) -> bool) {
    let mut random = Random::new(2);
    while frame.positions.len() < 600 {
        let point = [random.unit(), random.unit(), random.unit()];
        if inside(point) && liquid(point) > 0.01 && liquid(point) < 0.3 * random.unit() {
            frame.positions.push(point);
            frame.velocities.push([1.0, 0.0, 0.0]);
        }
    }
}
