//! Values of fields between the places where they are stored: bilinear in 2D, trilinear in 3D.
//!
//! Points come in groups: `W` at once, each step of the way for all of them, so that the vector unit works on all. A group
//! is stored by axis: one coordinate of all its points, then the next. One point is a group of one, with the same bits. What
//! does not depend on the points is found once for many of them, by a [`FaceReader`].

use unstick_grid::{CellField, FaceField, Grid};

/// Points of a group: as many as a vector register has numbers on most machines.
pub(crate) const GROUP: usize = 4;

/// A number of a group: for each of its points.
type Of<const W: usize, T = f64> = [T; W];

/// Points of a group, or vectors there, by axis.
pub(crate) type Group<const D: usize, const W: usize> = [Of<W>; D];

/// 2⁵²: numbers from here on have no fraction, and the lower bits of their mantissa count.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// Points as a group.
#[inline(always)]
pub(crate) fn by_axis<const D: usize, const W: usize>(points: [[f64; D]; W]) -> Group<D, W> {
    // Plain loops are inlined, unlike closures that make arrays, and so they are compiled for the vector unit of the caller.
    let mut group = [[0.0; W]; D];
    for axis in 0..D {
        for point in 0..W {
            group[axis][point] = points[point][axis];
        }
    }
    group
}

/// The points of a group.
#[inline(always)]
pub(crate) fn by_point<const D: usize, const W: usize>(group: Group<D, W>) -> [[f64; D]; W] {
    let mut points = [[0.0; D]; W];
    for point in 0..W {
        for axis in 0..D {
            points[point][axis] = group[axis][point];
        }
    }
    points
}

/// The places of a lattice along one axis.
#[derive(Clone, Copy)]
struct Along {
    last: f64,
    /// The last place that has another one behind it.
    most: f64,
}

impl Along {
    fn new(count: usize) -> Self {
        Self { last: (count - 1) as f64, most: count.saturating_sub(2) as f64 }
    }

    /// The number of the stored value below a place, and the part of the way to the next.
    #[inline(always)]
    fn split<const W: usize>(self, place: Of<W>) -> (Of<W>, Of<W>) {
        let (mut below, mut part) = ([0.0; W], [0.0; W]);
        for point in 0..W {
            let from_first = if place[point] < 0.0 { 0.0 } else { place[point] };
            let clamped = if from_first > self.last { self.last } else { from_first };
            let floor = clamped.floor();
            below[point] = if floor < self.most { floor } else { self.most };
            part[point] = clamped - below[point];
        }
        (below, part)
    }
}

/// The corner of the cube of stored values around a point, and the part of the way through it.
#[inline(always)]
pub(crate) fn locate<const D: usize>(shape: [usize; D], place: [f64; D]) -> ([usize; D], [f64; D]) {
    let (mut corner, mut part) = ([0; D], [0.0; D]);
    for axis in 0..D {
        let ([below], [way]) = Along::new(shape[axis]).split([place[axis]]);
        (corner[axis], part[axis]) = (below as usize, way);
    }
    (corner, part)
}

/// The values of a lattice, by cubes of neighbours.
#[derive(Clone, Copy)]
struct Cubes<'f, const D: usize> {
    /// Distance in memory between neighbours along each axis.
    strides: [f64; D],
    /// The same for the two values of a cube along the first axis: zero where there is but one.
    step: usize,
    /// The values from each line along the first axis of the first cube on. All have as many as there are places at which a
    /// cube may begin, and one step more.
    lines: [&'f [f64]; 4],
}

impl<'f, const D: usize> Cubes<'f, D> {
    #[inline(always)]
    fn new(field: &'f CellField<f64, D>) -> Self {
        let (shape, values) = (field.shape(), field.values());
        let (mut strides, mut steps, mut stride) = ([0.0; D], [0; D], 1);
        for axis in 0..D {
            strides[axis] = stride as f64;
            steps[axis] = if shape[axis] > 1 { stride } else { 0 };
            stride *= shape[axis];
        }
        let count = values.len() - steps[1..].iter().sum::<usize>();
        let mut lines: [&[f64]; 4] = [&[]; 4];
        for (choice, line) in lines.iter_mut().enumerate().take(1 << (D - 1)) {
            let first: usize = (1..D).map(|axis| (choice >> (axis - 1) & 1) * steps[axis]).sum();
            *line = &values[first..first + count];
        }
        Self { strides, step: steps[0], lines }
    }

    /// The field inside the cubes at `corner`.
    #[inline(always)]
    fn within<const W: usize>(&self, corner: Group<D, W>, part: Group<D, W>) -> Of<W> {
        match self.step {
            0 => self.within_lines::<W, 0>(corner, part),
            _ => self.within_lines::<W, 1>(corner, part),
        }
    }

    /// The same where the step is known.
    #[inline(always)]
    fn within_lines<const W: usize, const STEP: usize>(&self, corner: Group<D, W>, part: Group<D, W>) -> Of<W> {
        let mut starts = [WHOLE; W];
        for axis in 0..D {
            for point in 0..W {
                starts[point] += corner[axis][point] * self.strides[axis];
            }
        }
        // The corners of the cube in pairs along the first axis, which lie side by side in memory. Then one axis after the
        // other is interpolated away, the last one first.
        let count = self.lines[0].len();
        let mut pairs = [[[0.0; 2]; W]; 4];
        for choice in 0..1 << (D - 1) {
            let line = &self.lines[choice][..count]; // so one check of a place serves all lines
            for point in 0..W {
                // Vector units convert no number to an integer, but they add.
                let first = starts[point].to_bits() as u32 as usize;
                let beside = &line[first..first + 1 + STEP];
                pairs[choice][point] = [beside[0], beside[STEP]];
            }
        }
        for axis in (1..D).rev() {
            let half = 1 << (axis - 1);
            for corner in 0..half {
                for point in 0..W {
                    for side in 0..2 {
                        let (from, to) = (pairs[corner][point][side], pairs[corner + half][point][side]);
                        pairs[corner][point][side] = from + part[axis][point] * (to - from);
                    }
                }
            }
        }
        let mut found = [0.0; W];
        for point in 0..W {
            let [from, to] = pairs[0][point];
            found[point] = from + part[0][point] * (to - from);
        }
        found
    }
}

/// The field at a place in units of its own lattice; constant beyond its border.
#[inline(always)]
fn interpolate<const D: usize, const W: usize>(field: &CellField<f64, D>, places: Group<D, W>) -> Of<W> {
    let (mut corner, mut part) = ([[0.0; W]; D], [[0.0; W]; D]);
    for axis in 0..D {
        (corner[axis], part[axis]) = Along::new(field.shape()[axis]).split(places[axis]);
    }
    Cubes::new(field).within(corner, part)
}

/// The points of a group in units of cells.
#[inline(always)]
fn in_cells<const D: usize, const W: usize>(grid: &Grid<D>, mut points: Group<D, W>) -> Group<D, W> {
    for axis in 0..D {
        for point in 0..W {
            points[axis][point] = grid.in_cells_along(axis, points[axis][point]);
        }
    }
    points
}

/// A cell-centred field at a point.
#[inline(always)]
pub fn interpolate_cells<const D: usize>(grid: &Grid<D>, field: &CellField<f64, D>, point: [f64; D]) -> f64 {
    let [found] = interpolate(field, by_axis([grid.in_cells(point).map(|place| place - 0.5)]));
    found
}

/// A field stored at nodes at a point.
#[inline(always)]
pub(crate) fn interpolate_nodes<const D: usize>(grid: &Grid<D>, field: &CellField<f64, D>, point: [f64; D]) -> f64 {
    let [found] = interpolate(field, by_axis([grid.in_cells(point)]));
    found
}

/// Gradient of a field stored at nodes at the points of a group, by differences over a tenth of a cell; not normalised.
#[inline(always)]
pub(crate) fn gradient_of_nodes<const D: usize, const W: usize>(
    grid: &Grid<D>,
    field: &CellField<f64, D>,
    points: Group<D, W>,
) -> Group<D, W> {
    let reach = 0.1 * grid.spacing();
    let mut gradient = [[0.0; W]; D];
    for along in 0..D {
        let (mut below, mut above) = (points, points);
        for point in 0..W {
            below[along][point] -= reach;
            above[along][point] += reach;
        }
        let (below, above) = (interpolate(field, in_cells(grid, below)), interpolate(field, in_cells(grid, above)));
        for point in 0..W {
            gradient[along][point] = (above[point] - below[point]) / (2.0 * reach);
        }
    }
    gradient
}

/// Where a point lies on the lattice of faces across `axis`.
#[inline(always)]
pub(crate) fn in_faces<const D: usize>(place: [f64; D], axis: usize) -> [f64; D] {
    let mut shifted = place;
    for other in 0..D {
        if other != axis {
            shifted[other] -= 0.5;
        }
    }
    shifted
}

/// Reads a velocity stored at faces.
#[derive(Clone, Copy)]
pub(crate) struct FaceReader<'f, const D: usize> {
    grid: Grid<D>,
    /// Along each axis: the faces across it, and the centres of cells.
    faces: [Along; D],
    cells: [Along; D],
    components: [Cubes<'f, D>; D],
}

impl<'f, const D: usize> FaceReader<'f, D> {
    #[inline(always)]
    pub fn new(grid: &Grid<D>, velocity: &'f FaceField<f64, D>) -> Self {
        Self {
            grid: *grid,
            faces: grid.cells().map(|count| Along::new(count + 1)),
            cells: grid.cells().map(Along::new),
            components: velocity.each_ref().map(Cubes::new),
        }
    }

    /// The velocity at the points of a group.
    #[inline(always)]
    pub fn at<const W: usize>(&self, points: Group<D, W>) -> Group<D, W> {
        // Along each axis a place is needed twice: among the faces across it, and among cell centres.
        let places = in_cells(&self.grid, points);
        let (mut among_faces, mut among_cells) = ([([0.0; W], [0.0; W]); D], [([0.0; W], [0.0; W]); D]);
        for axis in 0..D {
            let mut shifted = places[axis];
            for point in 0..W {
                shifted[point] -= 0.5;
            }
            among_faces[axis] = self.faces[axis].split(places[axis]);
            among_cells[axis] = self.cells[axis].split(shifted);
        }
        // Each component is compiled by itself, so that it is known which places it takes.
        let mut found = [[0.0; W]; D];
        found[0] = self.component::<W, 0>(&among_faces, &among_cells);
        found[1] = self.component::<W, 1>(&among_faces, &among_cells);
        if D == 3 {
            found[D - 1] = self.component::<W, 2>(&among_faces, &among_cells);
        }
        found
    }

    #[inline(always)]
    fn component<const W: usize, const COMPONENT: usize>(
        &self,
        among_faces: &[(Of<W>, Of<W>); D],
        among_cells: &[(Of<W>, Of<W>); D],
    ) -> Of<W> {
        let (mut corner, mut part) = ([[0.0; W]; D], [[0.0; W]; D]);
        for axis in 0..D {
            (corner[axis], part[axis]) = if axis == COMPONENT { among_faces[axis] } else { among_cells[axis] };
        }
        self.components[COMPONENT].within(corner, part)
    }
}

/// A velocity stored at faces at a point.
#[inline(always)]
pub fn interpolate_velocity<const D: usize>(grid: &Grid<D>, velocity: &FaceField<f64, D>, point: [f64; D]) -> [f64; D] {
    let [found] = by_point(FaceReader::new(grid, velocity).at(by_axis([point])));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_functions_are_reproduced() {
        let grid = Grid::<3>::unit(5).unwrap();
        let linear = |p: [f64; 3]| 1.0 + 2.0 * p[0] - 3.0 * p[1] + 0.5 * p[2];
        let cells = CellField::from_fn(&grid, |cell| linear(grid.centre(cell)));
        let faces: FaceField<f64, 3> = std::array::from_fn(|axis| {
            CellField::of_shape(grid.faces(axis), |face| linear(grid.face_centre(axis, face)))
        });
        let point = [0.33, 0.41, 0.62];
        assert!((interpolate_cells(&grid, &cells, point) - linear(point)).abs() < 1e-12);
        let velocity = interpolate_velocity(&grid, &faces, point);
        assert!(velocity.iter().all(|value| (value - linear(point)).abs() < 1e-12));
    }
}
