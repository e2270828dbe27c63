//! One direction of a stretched grid.

use serde::{Deserialize, Serialize};

/// Where the cells of one axis begin and end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    nodes: Vec<f64>,
}

/// Cells of an axis at most.
const MOST_CELLS: usize = 1 << 20;

/// Sizes of cells, in metres, whose volumes and their inverses are numbers with room to spare.
const SIZES: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

/// An axis that was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AxisError {
    /// Fewer than two cells.
    #[error("an axis of {0} cells: expected at least 2")]
    Cells(usize),
    /// More cells than an axis can have.
    #[error("an axis from {} to {} of more than {MOST_CELLS} cells: expected larger cells or a shorter axis", ends[0], ends[1])]
    TooMany {
        /// Where the axis begins and ends.
        ends: [f64; 2],
    },
    /// A cell so small or so large that its volume is no number.
    #[error("cell {cell} of an axis measures {size:e} m: expected {:e} to {:e}", SIZES.start(), SIZES.end())]
    Size {
        /// Which cell, from 0.
        cell: usize,
        /// Its size.
        size: f64,
    },
    /// Nodes that do not ascend.
    #[error("node {index} of an axis is at {node}, the one before it at {before}: expected ascending finite numbers")]
    Order {
        /// Which node, from 0.
        index: usize,
        /// Its place.
        node: f64,
        /// The place of the node before.
        before: f64,
    },
    /// A fine part outside of the axis, or no sizes to fill it with.
    #[error(
        "a fine part from {} to {} with cells of {spacing} that grow by {growth}: \
         expected it between {} and {}, a positive size and a growth of at least 1",
        core[0], core[1], ends[0], ends[1]
    )]
    Core {
        /// Where the axis begins and ends.
        ends: [f64; 2],
        /// Where the fine part begins and ends.
        core: [f64; 2],
        /// Size of its cells.
        spacing: f64,
        /// Largest ratio of neighbouring sizes.
        growth: f64,
    },
}

impl Axis {
    /// Cells of equal size.
    pub fn uniform(from: f64, to: f64, cells: usize) -> Result<Self, AxisError> {
        if cells > MOST_CELLS {
            return Err(AxisError::TooMany { ends: [from, to] });
        }
        let size = (to - from) / cells.max(1) as f64;
        Self::new((0..=cells).map(|node| if node == cells { to } else { from + node as f64 * size }).collect())
    }

    /// Cells between given nodes.
    pub fn new(nodes: Vec<f64>) -> Result<Self, AxisError> {
        if nodes.len() < 3 {
            return Err(AxisError::Cells(nodes.len().saturating_sub(1)));
        }
        let is_ascending = |pair: &[f64]| pair[0] < pair[1] && pair[0].is_finite() && pair[1].is_finite();
        match nodes.windows(2).position(|pair| !is_ascending(pair)) {
            Some(index) => Err(AxisError::Order { index: index + 1, node: nodes[index + 1], before: nodes[index] }),
            None => Self { nodes }.checked(),
        }
    }

    /// Cells between nodes that are known to ascend.
    pub(crate) fn of_ascending(nodes: Vec<f64>) -> Self {
        Self { nodes }
    }

    fn checked(self) -> Result<Self, AxisError> {
        let found = self.widths().enumerate().find(|(_, size)| !SIZES.contains(size));
        found.map_or(Ok(self), |(cell, size)| Err(AxisError::Size { cell, size }))
    }

    /// Cells of about `spacing` within `core` that grow outwards by at most the ratio `growth`, up to `coarsest`.
    ///
    /// ```
    /// use unstick_flow::Axis;
    ///
    /// let axis = Axis::clustered([0.0, 10.0], [4.0, 5.0], 0.1, 1.1, 0.5)?;
    /// let finest = axis.widths().fold(f64::INFINITY, f64::min);
    /// assert!((finest - 0.1).abs() < 1e-12 && axis.widths().all(|width| width < 0.5 * 1.01));
    /// # Ok::<(), unstick_flow::AxisError>(())
    /// ```
    pub fn clustered(
        ends: [f64; 2],
        core: [f64; 2],
        spacing: f64,
        growth: f64,
        coarsest: f64,
    ) -> Result<Self, AxisError> {
        let is_inside = ends[0] <= core[0] && core[0] < core[1] && core[1] <= ends[1];
        let is_sized = spacing > 0.0 && spacing <= coarsest && growth >= 1.0 && coarsest.is_finite();
        if !is_inside || !is_sized || !ends.iter().all(|end| end.is_finite()) {
            return Err(AxisError::Core { ends, core, spacing, growth });
        }
        let too_many = || AxisError::TooMany { ends };
        let cells = ((core[1] - core[0]) / spacing).round().max(1.0);
        if cells > MOST_CELLS as f64 {
            return Err(too_many());
        }
        let spacing = (core[1] - core[0]) / cells;
        let grow = |length: f64| growing(length, spacing, growth, coarsest).ok_or_else(too_many);
        let (below, above) = (grow(core[0] - ends[0])?, grow(ends[1] - core[1])?);
        let mut nodes: Vec<f64> = below.iter().rev().map(|distance| core[0] - distance).collect();
        nodes.extend((0..=cells as usize).map(|cell| core[0] + cell as f64 * spacing));
        nodes.extend(above.iter().map(|distance| core[1] + distance));
        let last = nodes.len() - 1;
        (nodes[0], nodes[last]) = (ends[0], ends[1]);
        Self::new(nodes)
    }

    /// The same ends with two cells: for checks that need little memory.
    pub fn whole(&self) -> Self {
        let ends = [self.nodes[0], self.nodes[self.cells()]];
        Self { nodes: vec![ends[0], 0.5 * (ends[0] + ends[1]), ends[1]] }
    }

    /// Whether it is another with its inner nodes moved: as many cells between the same ends.
    pub fn is_moved(&self, other: &Self) -> bool {
        let ends = |axis: &Self| [axis.nodes[0], axis.nodes[axis.cells()]];
        self.cells() == other.cells() && ends(self) == ends(other)
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Where cells begin and end.
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// Size of a cell.
    pub fn width(&self, cell: usize) -> f64 {
        self.nodes[cell + 1] - self.nodes[cell]
    }

    /// Sizes of all cells.
    pub fn widths(&self) -> impl Iterator<Item = f64> + '_ {
        self.nodes.windows(2).map(|pair| pair[1] - pair[0])
    }

    /// Middle of a cell.
    pub fn centre(&self, cell: usize) -> f64 {
        0.5 * (self.nodes[cell] + self.nodes[cell + 1])
    }

    /// Length from end to end.
    pub fn length(&self) -> f64 {
        self.nodes[self.cells()] - self.nodes[0]
    }

    /// The cell that a place lies in, the nearest one for places outside.
    pub fn cell_at(&self, place: f64) -> usize {
        self.nodes.partition_point(|&node| node <= place).clamp(1, self.cells()) - 1
    }
}

/// Distances of the nodes of cells that fill `length`: each larger than the last by one ratio, at most `growth`. None if
/// there are too many.
fn growing(length: f64, spacing: f64, growth: f64, coarsest: f64) -> Option<Vec<f64>> {
    if length <= 1e-9 * spacing {
        return Some(Vec::new());
    }
    let sizes =
        |count: usize, ratio: f64| (1..=count).map(move |power| (spacing * ratio.powi(power as i32)).min(coarsest));
    let mut filled = 0.0;
    let reaches = |size: f64| {
        filled += size;
        filled >= length
    };
    let count = sizes(MOST_CELLS, growth).position(reaches)? + 1;
    // Bisection for the ratio at which so many cells fill the length. If equal cells are already too long, scale them.
    let (mut low, mut high) = (1.0, growth);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let is_long = sizes(count, middle).sum::<f64>() > length;
        (low, high) = if is_long { (low, middle) } else { (middle, high) };
    }
    let scale = length / sizes(count, high).sum::<f64>();
    let mut distance = 0.0;
    let places = sizes(count, high).map(|size| {
        distance += size * scale;
        distance
    });
    Some(places.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clustered_cells_grow_slowly_and_fill_the_axis() {
        let axis = Axis::clustered([0.0, 2.2], [0.12, 0.35], 0.00125, 1.05, 0.04).unwrap();
        let widths: Vec<f64> = axis.widths().collect();
        assert_eq!((axis.nodes()[0], axis.nodes()[axis.cells()]), (0.0, 2.2));
        for pair in widths.windows(2) {
            let ratio = pair[1] / pair[0];
            assert!(ratio < 1.06 && ratio > 1.0 / 1.06, "{pair:?}");
        }
        assert_eq!(axis.cell_at(0.2), axis.nodes().iter().filter(|&&node| node <= 0.2).count() - 1);
    }

    #[test]
    fn axes_without_end_are_refused_before_they_are_built() {
        let clustered = |to: f64, spacing: f64| Axis::clustered([0.0, to], [0.0, 0.5], spacing, 1.1, 8.0 * spacing);
        for (to, spacing) in [(1.0, 1e-300), (1.0, 1e-12), (1e300, 0.01), (1e6, 1e-2)] {
            assert_eq!(clustered(to, spacing), Err(AxisError::TooMany { ends: [0.0, to] }), "{to:e}, {spacing:e}");
        }
        // Many cells that grow slowly take no longer than they must.
        assert!(clustered(1e4, 0.01).unwrap().cells() > 100_000);
        assert_eq!(Axis::uniform(0.0, 1.0, usize::MAX), Err(AxisError::TooMany { ends: [0.0, 1.0] }));
        assert!(matches!(Axis::uniform(0.0, 1e-35, 4), Err(AxisError::Size { cell: 0, .. })));
        assert!(matches!(Axis::uniform(0.0, 1e105, 4), Err(AxisError::Size { cell: 0, .. })));
    }

    #[test]
    fn impossible_axes_are_refused_with_their_numbers() {
        assert_eq!(Axis::uniform(0.0, 1.0, 1), Err(AxisError::Cells(1)));
        let error = Axis::new(vec![0.0, 1.0, 0.5]).unwrap_err();
        assert_eq!(error, AxisError::Order { index: 2, node: 0.5, before: 1.0 });
        assert!(Axis::uniform(0.0, f64::NAN, 4).is_err());
        assert!(Axis::clustered([0.0, 1.0], [0.5, 1.5], 0.1, 1.1, 0.2).is_err());
    }
}
