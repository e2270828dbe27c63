//! The five scenes of [Andersen2017b, sec. 6.2]: total volume over five seconds.

use unstick_grid::{Grid, SignedDistance};
use unstick_liquid::{Setup, Simulation, Solid, Wall};

type Shape = SignedDistance<2>;

fn cuboid(x: [f64; 2], y: [f64; 2]) -> Shape {
    SignedDistance::cuboid([x[0], y[0]], [x[1], y[1]])
}

/// Solids and liquid of a scene.
fn scene(number: usize) -> (Vec<Shape>, Shape) {
    let room = || cuboid([0.1, 0.9], [0.1, 0.9]).complement();
    let column = || cuboid([0.1, 0.3], [0.1, 0.7]);
    let disc = |x: f64, y: f64, radius: f64| SignedDistance::sphere([x, y], radius);
    match number {
        1 => {
            let solids = vec![disc(0.5, 0.5, 0.4).complement(), cuboid([0.2, 0.8], [0.4, 0.6])];
            (solids, SignedDistance::half_space([0.5, 0.5], [-1.0, 0.0]))
        }
        2 => {
            let both = disc(0.3, 0.5, 0.25).or(disc(0.7, 0.5, 0.25));
            (vec![both.clone().complement()], both.complement().dilated(0.0575))
        }
        3 => {
            let baffles = [([0.3, 0.9], [0.6, 0.7]), ([0.1, 0.7], [0.4, 0.5]), ([0.3, 0.9], [0.2, 0.3])];
            let mut solids = vec![room()];
            solids.extend(baffles.map(|(x, y)| cuboid(x, y)));
            (solids, disc(0.8, 0.8, 0.1))
        }
        4 => (vec![room()], column()),
        _ => (vec![room()], column().or(cuboid([0.7, 0.9], [0.1, 0.7]))),
    }
}

/// Largest relative deviation of the volume in five seconds, and that of the surface's volume at their end.
fn drift(number: usize, wall: Wall, correction: bool, run: u32) -> (f64, f64) {
    let (solids, liquid) = scene(number);
    let mut setup = Setup::new(Grid::<2>::unit(100).unwrap());
    setup.cfl += 0.002 * f64::from(run); // another run by chance
    setup.solids = solids.into_iter().map(Solid::still).collect();
    setup.volume_correction = correction;
    let mut simulation = Simulation::new(setup.with_walls(wall), &liquid).unwrap();
    let start = simulation.volume();
    let report = simulation.advance_to(5.0).unwrap();
    let most = report.steps.iter().fold(0.0f64, |most, step| most.max((step.volume / start - 1.0).abs()));
    let surface = report.steps.last().unwrap().surface_volume / report.steps[0].surface_volume - 1.0;
    let (most_percent, surface_percent) = (100.0 * most, 100.0 * surface);
    println!("scene {number}, {wall:?}: at most {most_percent:.2} %, surface at the end {surface_percent:+.1} %");
    (most, surface)
}

fn volume_is_held(wall: Wall) {
    for number in 1..=5 {
        // In the maze much of the liquid ends as films and drops. They are thinner than a cell of this grid, and how
        // many of them the surface shows is a matter of chance: the mean of a few runs is not.
        let (runs, most, most_of_surface) = if number == 3 { (0..4, 0.01, 0.04) } else { (0..1, 0.005, 0.01) };
        let count = runs.clone().count() as f64;
        let drifts: Vec<_> = runs.map(|run| drift(number, wall, true, run)).collect();
        let drift = drifts.iter().map(|(drift, _)| drift).sum::<f64>() / count;
        let surface = drifts.iter().map(|(_, surface)| surface).sum::<f64>() / count;
        assert!(drift < most, "scene {number}: {:.2} %", 100.0 * drift);
        assert!(surface.abs() < most_of_surface, "scene {number}: the surface encloses {:+.1} %", 100.0 * surface);
    }
}

#[test]
fn separating_walls_hold_the_volume() {
    volume_is_held(Wall::Separating);
}

#[test]
fn sealed_walls_hold_the_volume() {
    volume_is_held(Wall::Sealed);
}

#[test]
fn without_the_correction_much_of_it_is_lost() {
    assert!(drift(4, Wall::Separating, false, 0).0 > 0.05);
}
