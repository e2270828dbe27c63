//! An axis whose fine cells follow a body: deformation of the grid, one axis at a time.

use crate::axis::{Axis, AxisError};

/// The least that cells between the fine part and an end may measure on average, as a part of the fine ones.
const CLOSEST: f64 = 0.25;

/// Halvings of the interval that a ratio is sought in: enough for all bits.
const HALVINGS: usize = 80;

/// Ends that stay and fine cells that move with a body. There are always as many cells: those on either side of the fine
/// part grow by one ratio, which changes as the part moves. So nodes move smoothly, and a body stays where it is among
/// the fine cells.
///
/// ```
/// use unstick_flow::FollowingAxis;
///
/// let axis = FollowingAxis::new([0.0, 10.0], [-0.5, 0.5], 3.0, 0.1, 1.1)?;
/// let (here, there) = (axis.at(3.0), axis.at(7.0));
/// assert_eq!(here.cells(), there.cells());
/// assert!((there.width(there.cell_at(7.0)) - 0.1).abs() < 1e-12);
/// # Ok::<(), unstick_flow::AxisError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FollowingAxis {
    ends: [f64; 2],
    /// The fine part, from the centre of the body.
    core: [f64; 2],
    /// Cells below the fine part, in it, and above it.
    cells: [usize; 3],
}

impl FollowingAxis {
    /// Cells of about `spacing` in `core`, from the centre of the body. There are as many cells outside as grow by at
    /// most the ratio `growth` while the centre is at `centre`; there must be some on either side.
    pub fn new(ends: [f64; 2], core: [f64; 2], centre: f64, spacing: f64, growth: f64) -> Result<Self, AxisError> {
        let here = core.map(|place| centre + place);
        let length = ends[1] - ends[0];
        let axis = Axis::clustered(ends, here, spacing, growth, length.max(spacing))?;
        // A node in the middle of a fine cell's width of each border of the fine part is that border.
        let node_at = |place: f64| axis.nodes().partition_point(|&node| node < place - 0.5 * spacing);
        let [first, last] = here.map(node_at);
        let cells = [first, last - first, axis.cells() - last];
        if cells[0] == 0 || cells[2] == 0 {
            return Err(AxisError::Core { ends, core: here, spacing, growth });
        }
        let following = Self { ends, core, cells };
        // Cells may become small, but not so small that they are no cells.
        Axis::new(following.at(ends[0]).nodes().to_vec())?;
        Axis::new(following.at(ends[1]).nodes().to_vec())?;
        Ok(following)
    }

    /// The axis while the centre of the body is at a place. Close to an end the fine part stops, and the body goes on.
    pub fn at(&self, centre: f64) -> Axis {
        let spacing = (self.core[1] - self.core[0]) / self.cells[1] as f64;
        let least = |cells: usize| CLOSEST * spacing * cells as f64;
        let lowest = self.ends[0] + least(self.cells[0]) - self.core[0];
        let highest = self.ends[1] - least(self.cells[2]) - self.core[1];
        let centre = centre.min(highest).max(lowest);
        let [from, to] = self.core.map(|place| centre + place);
        let below = growing(from - self.ends[0], spacing, self.cells[0]);
        let above = growing(self.ends[1] - to, spacing, self.cells[2]);
        let mut nodes: Vec<f64> = below.iter().rev().map(|distance| from - distance).collect();
        nodes.extend((0..=self.cells[1]).map(|cell| from + cell as f64 * spacing));
        nodes.extend(above.iter().map(|distance| to + distance));
        let last = nodes.len() - 1;
        (nodes[0], nodes[last]) = (self.ends[0], self.ends[1]);
        Axis::of_ascending(nodes)
    }
}

/// Distances of the nodes of so many cells that fill `length`, each larger than the last by one ratio. The cell before
/// the first measures `spacing`.
fn growing(length: f64, spacing: f64, count: usize) -> Vec<f64> {
    let sum = |ratio: f64| spacing * (0..count).fold(0.0, |sum, _| (sum + 1.0) * ratio);
    let (mut low, mut high) = (0.0, (length / spacing).max(1.0));
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        (low, high) = if sum(middle) > length { (low, middle) } else { (middle, high) };
    }
    let (mut size, mut distance) = (spacing, 0.0);
    let mut next = || {
        size *= low;
        distance += size;
        distance
    };
    (0..count).map(|_| next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis() -> FollowingAxis {
        FollowingAxis::new([-3.0, 5.0], [-0.4, 0.6], 0.0, 0.05, 1.1).unwrap()
    }

    #[test]
    fn fine_cells_are_where_the_body_is_and_sizes_change_gradually() {
        let axis = axis();
        for centre in [-1.5, 0.0, 0.123, 2.0] {
            let here = axis.at(centre);
            assert_eq!(here.cells(), axis.at(0.0).cells());
            let fine = here.widths().filter(|width| (width - 0.05).abs() < 1e-12).count();
            assert!(fine >= 20, "{fine} fine cells around {centre}");
            assert!(here.nodes().iter().any(|node| (node - centre + 0.4).abs() < 1e-12));
            let widths: Vec<f64> = here.widths().collect();
            let steepest = widths.windows(2).map(|pair| (pair[1] / pair[0]).ln().abs()).fold(0.0, f64::max);
            assert!(steepest < 1.2f64.ln(), "{steepest} around {centre}");
        }
    }

    #[test]
    fn nodes_move_smoothly_and_ends_stay() {
        let axis = axis();
        let (step, at) = (1e-3, |centre| axis.at(centre));
        let [before, here, after] = [-step, 0.0, step].map(at);
        for node in 0..=here.cells() {
            let [before, here, after] = [&before, &here, &after].map(|axis| axis.nodes()[node]);
            let (speed, bend) = ((after - before) / (2.0 * step), (after - 2.0 * here + before) / (step * step));
            assert!((-1e-9..=1.0 + 1e-9).contains(&speed) && bend.abs() < 2.0, "node {node}: {speed} {bend}");
        }
        assert_eq!([here.nodes()[0], here.nodes()[here.cells()]], [-3.0, 5.0]);
    }

    #[test]
    fn fine_cells_wait_at_an_end() {
        let (far, end) = (axis().at(1e9), axis().at(5.0));
        assert_eq!(far, end);
        assert!(far.widths().all(|width| width > 1e-3), "{far:?}");
    }

    #[test]
    fn a_fine_part_that_leaves_no_cells_beside_it_is_refused() {
        let touching = FollowingAxis::new([0.0, 1.0], [-0.5, 0.2], 0.5, 0.1, 1.1);
        assert!(matches!(touching, Err(AxisError::Core { .. })), "{touching:?}");
        assert!(FollowingAxis::new([0.0, 1.0], [-0.2, 0.2], 0.9, 0.1, 1.1).is_err());
        assert!(FollowingAxis::new([0.0, 1.0], [-0.2, f64::NAN], 0.5, 0.1, 1.1).is_err());
    }
}
