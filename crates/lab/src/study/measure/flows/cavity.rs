//! The driven cavity \[Ghia1982\].

use unstick::flow::{Axis, Boundary, Flow, FlowSetup, StepError, TensorGrid};

use super::{Say, sound};
use crate::study::record::Findings;

/// The flow is steady when no velocity changes faster than this.
const STEADY: f64 = 1e-6;

pub fn run(reynolds: f64, cells: usize, say: Say) -> Result<Findings, StepError> {
    let axis = || sound(Axis::new((0..=cells).map(|node| gathered(node as f64 / cells as f64)).collect()));
    let mut setup = FlowSetup::new(TensorGrid::new([axis(), axis()]), 1.0 / reynolds);
    setup.sides[1][1] = Boundary::NoSlip { velocity: [1.0, 0.0] };
    let mut flow = sound(Flow::new(setup));
    let length = 0.35 / cells as f64;
    for step in 0.. {
        flow.advance(length, &mut [])?;
        if step % 100 == 0 {
            let state = flow.state();
            let pairs = state.velocity[0].values().iter().zip(state.previous[0].values());
            let change = pairs.map(|(now, before)| (now - before).abs()).fold(0.0, f64::max) / length;
            say(format!("time {:.1}, changes by {change:.1e}", state.time));
            if change < STEADY || state.time > 200.0 {
                break;
            }
        }
    }
    let velocity = &flow.state().velocity[0];
    let profile: Vec<(f64, f64)> =
        (0..cells).map(|row| (flow.setup().grid.axis(1).centre(row), velocity.at([cells / 2, row]))).collect();
    let (place, least) = lowest(&profile);
    Ok(Findings::default().with("least u", least).with("at y", place).drawing(format!("Re {reynolds}"), profile))
}

/// Maps 0 to 1 to itself and clusters points at both walls.
fn gathered(part: f64) -> f64 {
    let bend: f64 = 1.2;
    0.5 * (1.0 + (bend * (2.0 * part - 1.0)).tanh() / bend.tanh())
}

/// The lowest point of a curve, by the parabola through the three points around it.
fn lowest(curve: &[(f64, f64)]) -> (f64, f64) {
    let at = (1..curve.len() - 1).min_by(|&a, &b| curve[a].1.total_cmp(&curve[b].1)).unwrap_or(1);
    let [(x0, y0), (x1, y1), (x2, y2)] = [curve[at - 1], curve[at], curve[at + 1]];
    // Newton's form: y0 + first (x − x0) + second (x − x0)(x − x1).
    let first = (y1 - y0) / (x1 - x0);
    let second = ((y2 - y1) / (x2 - x1) - first) / (x2 - x0);
    let place = 0.5 * (x0 + x1) - 0.5 * first / second;
    (place, y0 + first * (place - x0) + second * (place - x0) * (place - x1))
}
