//! Surface nets whose edges belong to two triangles each.
//!
//! Every sheet of the surface in a cube of the lattice has a vertex: the mean of where it crosses the edges of the cube.
//! Every edge of the lattice that is crossed makes two triangles between the vertices around it. One vertex for a whole
//! cube is not enough: where two sheets pass through a cube, or one passes twice through a side of it, four triangles
//! would share an edge. In the first case each sheet has its own vertex. In the second, if both cubes at the side are
//! alike, the inner corners of the side are joined, and the sheet falls into two [Wenger2013, ch. 3].

use std::ops::Range;

use unstick_parallel as parallel;

use super::sheets::{CONFIGURATIONS, Configuration, Sheets, Side, ends};

/// Crossings keep this part of an edge away from its ends. Vertices then lie inside of their cubes, so that no two of
/// them fall together.
const MARGIN: f32 = 0.01;

/// Triangles around what is inside; normals point outwards.
#[derive(Debug, Default)]
pub(super) struct Net {
    /// In steps of the lattice.
    pub vertices: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

/// The surface between negative and other values on a lattice, x fastest. It is open where it meets the border. Runs on
/// all threads, with the same net for any number of them.
pub(super) fn surface_net(values: &[f32], shape: [usize; 3]) -> Net {
    let lattice = Lattice { values, shape, strides: [1, shape[0], shape[0] * shape[1]] };
    let crossed = lattice.crossed_cubes();
    let vertices = parallel::list_scattered(crossed.as_slice(), |cubes: &[CrossedCube]| {
        let mut vertices = Vec::with_capacity(cubes.len());
        cubes.iter().for_each(|cube| lattice.add_vertices(cube, &mut vertices));
        vertices
    });
    let mut number = parallel::filled(values.len(), u32::MAX); // of a cube among those that are crossed
    crossed.iter().zip(0..).for_each(|(cube, count)| number[lattice.index(cube.place)] = count);
    let triangles = parallel::list_scattered(crossed.as_slice(), |cubes: &[CrossedCube]| {
        let mut triangles = Vec::with_capacity(2 * cubes.len());
        for cube in cubes {
            for axis in 0..3 {
                let others = [(axis + 1) % 3, (axis + 2) % 3];
                let [low, high] = ends(4 * axis).map(|corner| cube.inner >> corner & 1 == 1);
                if low == high || others.iter().any(|&other| cube.place[other] == 0) {
                    continue;
                }
                // The cubes around the edge, counter-clockwise as seen from its upper end.
                let [u, v] = others.map(|other| lattice.strides[other]);
                let around = [(0, 0), (u, 1), (u + v, 3), (v, 2)].map(|(back, side)| {
                    let cube = &crossed[number[lattice.index(cube.place) - back] as usize];
                    cube.first + u32::from(cube.sheets.of_edge[4 * axis + side])
                });
                let [a, b, c, d] = around;
                triangles.extend(halves(&vertices, if low { around } else { [d, c, b, a] }));
            }
        }
        triangles
    });
    Net { vertices, triangles }
}

/// A quadrilateral, cut along its shorter diagonal.
fn halves(vertices: &[[f32; 3]], [a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
    let distance = |from: u32, to: u32| -> f32 {
        let [from, to] = [from, to].map(|vertex| vertices[vertex as usize]);
        from.iter().zip(to).map(|(from, to)| (from - to) * (from - to)).sum()
    };
    match distance(a, c) < distance(b, d) {
        true => [[a, b, c], [a, c, d]],
        false => [[a, b, d], [b, c, d]],
    }
}

/// A cube that the surface passes through.
#[derive(Clone, Copy)]
struct CrossedCube {
    /// Its lowest corner.
    place: [usize; 3],
    /// A bit for each corner inside.
    inner: u8,
    /// The vertex of its first sheet; those of the others follow.
    first: u32,
    sheets: &'static Sheets,
}

struct Lattice<'a> {
    values: &'a [f32],
    shape: [usize; 3],
    strides: [usize; 3],
}

impl Lattice<'_> {
    fn index(&self, place: [usize; 3]) -> usize {
        (0..3).map(|axis| place[axis] * self.strides[axis]).sum()
    }

    /// The cubes that are crossed, in the order of their places.
    fn crossed_cubes(&self) -> Vec<CrossedCube> {
        let [width, height, depth] = self.shape.map(|count| count.saturating_sub(1));
        let mut crossed = parallel::list_scattered(0..height * depth, |lines: Range<usize>| {
            let mut cubes = Vec::new();
            for (line, x) in lines.flat_map(|line| (0..width).map(move |x| (line, x))) {
                let place = [x, line % height, line / height];
                let inner = self.inner_corners(place);
                if inner != 0 && inner != 255 {
                    cubes.push(CrossedCube { place, inner, first: 0, sheets: self.sheets(place, inner) });
                }
            }
            cubes
        });
        let mut vertices = 0;
        for cube in &mut crossed {
            cube.first = vertices;
            vertices += u32::from(cube.sheets.count);
        }
        crossed
    }

    fn corner(&self, cube: [usize; 3], corner: usize) -> f32 {
        self.values[self.index(cube) + self.index([corner & 1, corner >> 1 & 1, corner >> 2])]
    }

    fn inner_corners(&self, cube: [usize; 3]) -> u8 {
        (0..8).map(|corner| u8::from(self.corner(cube, corner) < 0.0) << corner).sum()
    }

    /// The sheets of a cube, with regard to the cube across the side that one of them crosses twice.
    fn sheets(&self, cube: [usize; 3], inner: u8) -> &'static Sheets {
        let found: &'static Configuration = &CONFIGURATIONS[usize::from(inner)];
        let Some(side) = found.crossed_twice else { return &found.apart };
        let across = self.across(cube, side).map(|other| &CONFIGURATIONS[usize::from(self.inner_corners(other))]);
        let (axis, upper) = side;
        match across.is_some_and(|other| other.crossed_twice == Some((axis, 1 - upper))) {
            true => &found.joined,
            false => &found.apart,
        }
    }

    /// The cube at a side of a cube; none beyond the border.
    fn across(&self, mut cube: [usize; 3], (axis, upper): Side) -> Option<[usize; 3]> {
        cube[axis] = if upper == 1 { cube[axis] + 1 } else { cube[axis].checked_sub(1)? };
        (cube[axis] + 1 < self.shape[axis]).then_some(cube)
    }

    /// Adds the vertex of each sheet of a cube.
    fn add_vertices(&self, cube: &CrossedCube, vertices: &mut Vec<[f32; 3]>) {
        let &CrossedCube { place: cube, inner, sheets, .. } = cube;
        let (mut sums, mut counts) = ([[0.0f32; 3]; 4], [0.0f32; 4]); // a cube has at most four sheets
        for edge in 0..12 {
            let [low, high] = ends(edge);
            if (inner >> low ^ inner >> high) & 1 == 1 {
                let [from, to] = [low, high].map(|corner| self.corner(cube, corner));
                let part = Some(from / (from - to)).filter(|part| !part.is_nan()); // between infinities there is none
                let part = part.unwrap_or(0.5).clamp(MARGIN, 1.0 - MARGIN);
                let sheet = usize::from(sheets.of_edge[edge]);
                counts[sheet] += 1.0;
                for axis in 0..3 {
                    let along = if axis == edge / 4 { part } else { (low >> axis & 1) as f32 };
                    sums[sheet][axis] += along;
                }
            }
        }
        vertices.extend(
            sums.iter()
                .zip(counts)
                .take(usize::from(sheets.count))
                .map(|(sum, count)| std::array::from_fn(|axis| cube[axis] as f32 + sum[axis] / count)),
        );
    }
}
