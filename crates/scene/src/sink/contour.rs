//! The surface of plane liquid as closed lines.

use std::collections::HashMap;

use crate::frame::Frame;

/// Line segments around the liquid, which lies to the left of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contour {
    /// Seconds.
    pub time: f64,
    /// Positions.
    pub vertices: Vec<[f64; 2]>,
    /// Two vertices each.
    pub segments: Vec<[u32; 2]>,
}

/// The boundary of what is liquid and not solid, by marching squares over the cell centres.
///
/// A layer around the grid counts as air, so that lines are closed where liquid meets the border. Where
/// two corners of a square across from each other are liquid, they are kept apart.
pub fn contour_of(frame: &Frame<2>) -> Contour {
    let mut lines = Lines::new(frame);
    let [width, height] = lines.shape;
    for [x, y] in (0..height - 1).flat_map(|y| (0..width - 1).map(move |x| [x, y])) {
        let corners = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]]; // counter-clockwise
        let is_liquid = corners.map(|corner| lines.at(corner) < 0.0);
        let after = |side: usize| (side + 1) % 4;
        for end in (0..4).filter(|&side| is_liquid[side] && !is_liquid[after(side)]) {
            // A stretch of liquid corners ends on this side of the square. Where it has begun, the line leaves.
            let begin = (1..4).map(|back| (end + 4 - back) % 4).find(|&side| !is_liquid[side]);
            let ends =
                [Some(end), begin].map(|side| side.map(|side| lines.vertex(corners[side], corners[after(side)])));
            if let [Some(from), Some(to)] = ends {
                lines.contour.segments.push([from, to]);
            }
        }
    }
    lines.contour
}

/// Lines under construction; squares that share an edge share its vertex.
struct Lines<'a> {
    frame: &'a Frame<2>,
    /// Centres of cells, and of a layer around them.
    shape: [usize; 2],
    distances: Vec<f64>,
    contour: Contour,
    vertices: HashMap<[[usize; 2]; 2], u32>,
}

impl<'a> Lines<'a> {
    fn new(frame: &'a Frame<2>) -> Self {
        let [width, height] = frame.grid.cells().map(|count| count + 2);
        let distance = |[x, y]: [usize; 2]| match (1..width - 1).contains(&x) && (1..height - 1).contains(&y) {
            true => frame.inside([x - 1, y - 1]),
            false => 0.5 * frame.grid.spacing(),
        };
        let distances = (0..width * height).map(|place| distance([place % width, place / width])).collect();
        let contour = Contour { time: frame.time, ..Contour::default() };
        Self { frame, shape: [width, height], distances, contour, vertices: HashMap::new() }
    }

    fn at(&self, [x, y]: [usize; 2]) -> f64 {
        self.distances[x + self.shape[0] * y]
    }

    /// The vertex between two places of which one is liquid: where the distance is zero if it is linear.
    fn vertex(&mut self, one: [usize; 2], other: [usize; 2]) -> u32 {
        let (one, other) = (one.min(other), one.max(other));
        if let Some(&vertex) = self.vertices.get(&[one, other]) {
            return vertex;
        }
        let part = self.at(one) / (self.at(one) - self.at(other));
        let (origin, spacing) = (self.frame.grid.origin(), self.frame.grid.spacing());
        self.contour.vertices.push(std::array::from_fn(|axis| {
            let place = one[axis] as f64 + part * (other[axis] as f64 - one[axis] as f64);
            origin[axis] + (place - 0.5) * spacing // place 1 is the centre of cell 0
        }));
        let vertex = self.contour.vertices.len() as u32 - 1;
        self.vertices.insert([one, other], vertex);
        vertex
    }
}

#[cfg(test)]
mod tests {
    use unstick_grid::{Grid, SignedDistance};

    use super::*;

    fn frame(liquid: &SignedDistance<2>, solid: &SignedDistance<2>) -> Frame<2> {
        let grid = Grid::<2>::unit(40).unwrap();
        Frame { time: 0.5, ..Frame::at_rest(grid, |point| liquid.at(point), |point| solid.at(point)) }
    }

    /// What lies to the left of the lines.
    fn area(contour: &Contour) -> f64 {
        let part = |&[from, to]: &[u32; 2]| {
            let ([x0, y0], [x1, y1]) = (contour.vertices[from as usize], contour.vertices[to as usize]);
            0.5 * (x0 * y1 - x1 * y0)
        };
        contour.segments.iter().map(part).sum()
    }

    /// Every vertex is left as often as it is reached.
    fn is_closed(contour: &Contour) -> bool {
        let mut balance = vec![0i32; contour.vertices.len()];
        for &[from, to] in &contour.segments {
            balance[from as usize] += 1;
            balance[to as usize] -= 1;
        }
        balance.iter().all(|&count| count == 0)
    }

    #[test]
    fn a_disc_has_the_area_of_a_disc_and_lies_to_the_left() {
        let nothing = SignedDistance::sphere([9.0; 2], 1.0);
        let contour = contour_of(&frame(&SignedDistance::sphere([0.5; 2], 0.3), &nothing));
        let exact = std::f64::consts::PI * 0.09;
        assert!(is_closed(&contour) && (area(&contour) / exact - 1.0).abs() < 0.002, "{}", area(&contour));
        let radius = |[x, y]: &[f64; 2]| ((x - 0.5).powi(2) + (y - 0.5).powi(2)).sqrt();
        assert!(contour.vertices.iter().all(|vertex| (radius(vertex) - 0.3).abs() < 0.001));
    }

    #[test]
    fn lines_are_closed_at_the_border_and_around_solids() {
        let liquid = SignedDistance::cuboid([-1.0; 2], [2.0, 0.5]);
        let contour = contour_of(&frame(&liquid, &SignedDistance::sphere([0.5, 0.25], 0.1)));
        let exact = 0.5 - std::f64::consts::PI * 0.01;
        assert!(is_closed(&contour) && (area(&contour) / exact - 1.0).abs() < 0.02, "{}", area(&contour));
    }

    #[test]
    fn without_liquid_there_is_no_line() {
        let nothing = SignedDistance::sphere([9.0; 2], 1.0);
        assert_eq!(contour_of(&frame(&nothing, &nothing)), Contour { time: 0.5, ..Contour::default() });
    }
}
