//! Interpolation from a coarse level to the next finer one.
//!
//! A fine cell lies a quarter of a coarse cell from the centre of its block, towards one neighbour
//! along each axis. With the block's own unknown these make the triangle or tetrahedron of
//! \[Lai2021, figs. 5.4 and 5.5\]; with the neighbours' neighbours the square or cube.
//!
//! A neighbour may be missing. Behind a solid it has no weight, and the other weights are scaled to sum
//! to one: constants are kept. In air its value is zero, and nothing is scaled.

use super::params::{MultigridVariant, Transfer};
use super::sites::{Direction, NONE, Sites};
use super::sparse::Sparse;

/// What stands at a corner of the simplex or cube around a fine cell.
#[derive(Clone, Copy, PartialEq)]
enum Corner {
    Unknown(usize),
    Air,
    Solid,
}

/// P: row i holds the coarse unknowns that fine unknown i is interpolated from.
pub(crate) fn interpolation(variant: MultigridVariant, fine: &Sites, coarse: &Sites, parents: &[u32]) -> Sparse {
    let mut p = Sparse::new(coarse.len());
    let mut corners = Vec::new();
    for site in 0..fine.len() {
        if parents[site] != NONE {
            let cell = FineCell { variant, fine, coarse, parents, site };
            match variant.transfer {
                Transfer::Constant => p.push(parents[site], 1.0),
                Transfer::Barycentric => cell.barycentric(&mut corners),
                Transfer::Linear => cell.linear(&mut corners),
            }
            push_row(variant.one_sided, &corners, &mut p);
            corners.clear();
        }
        p.end_row();
    }
    p
}

/// Weights of corners that exist, scaled for those behind solids.
fn push_row(one_sided: bool, corners: &[(Corner, f64)], p: &mut Sparse) {
    let behind_solid: f64 = corners.iter().filter(|corner| corner.0 == Corner::Solid).map(|corner| corner.1).sum();
    let scale = if one_sided { 1.0 / (1.0 - behind_solid) } else { 1.0 };
    for &(corner, weight) in corners {
        if let Corner::Unknown(unknown) = corner {
            p.push(unknown as u32, weight * scale);
        }
    }
}

struct FineCell<'s> {
    variant: MultigridVariant,
    fine: &'s Sites,
    coarse: &'s Sites,
    parents: &'s [u32],
    site: usize,
}

impl FineCell<'_> {
    fn parent(&self) -> usize {
        self.parents[self.site] as usize
    }

    /// Where the cell lies in its block.
    fn direction(&self, axis: usize) -> Direction {
        Direction { axis, upwards: self.fine.places[self.site][axis] % 2 == 1 }
    }

    /// ¼ for every neighbour, the rest for the block itself.
    fn barycentric(&self, corners: &mut Vec<(Corner, f64)>) {
        let dimension = self.fine.dimension;
        corners.push((Corner::Unknown(self.parent()), 1.0 - 0.25 * dimension as f64));
        corners.extend((0..dimension).map(|axis| (self.neighbour(self.direction(axis)), 0.25)));
    }

    /// Products of ¾ and ¼; corners by the set of axes along which they are away.
    fn linear(&self, corners: &mut Vec<(Corner, f64)>) {
        let dimension = self.fine.dimension;
        for axes in 0..1usize << dimension {
            let away = axes.count_ones() as i32;
            let weight = 0.25f64.powi(away) * 0.75f64.powi(dimension as i32 - away);
            let corner = match away {
                0 => Corner::Unknown(self.parent()),
                1 => self.neighbour(self.direction(axes.trailing_zeros() as usize)),
                _ => self.far_corner(axes, corners),
            };
            corners.push((corner, weight));
        }
    }

    /// The corner one step away: behind the cell's own face where that is open, behind any face of
    /// its part of the block otherwise.
    fn neighbour(&self, direction: Direction) -> Corner {
        let parent = self.parent();
        if !self.variant.one_sided {
            let unknown = self.coarse.unknown_at(parent, &[direction]);
            return unknown.map_or(Corner::Air, Corner::Unknown);
        }
        match self.fine.strongest(self.site, direction) {
            Some(other) if self.parents[other] != NONE => Corner::Unknown(self.parents[other] as usize),
            _ => self.step(parent, direction),
        }
    }

    /// The corner several steps away, by the first way that leads there.
    fn far_corner(&self, axes: usize, nearer: &[(Corner, f64)]) -> Corner {
        let away = || (0..self.fine.dimension).filter(|&axis| axes >> axis & 1 == 1);
        if !self.variant.one_sided {
            let steps: Vec<_> = away().map(|axis| self.direction(axis)).collect();
            return self.coarse.unknown_at(self.parent(), &steps).map_or(Corner::Air, Corner::Unknown);
        }
        let ways = away().map(|axis| match nearer[axes & !(1 << axis)].0 {
            Corner::Unknown(unknown) => self.step(unknown, self.direction(axis)),
            missing => missing,
        });
        ways.fold(Corner::Solid, |found, way| match (found, way) {
            (Corner::Unknown(_), _) | (Corner::Air, Corner::Solid) => found,
            _ => way,
        })
    }

    fn step(&self, coarse: usize, direction: Direction) -> Corner {
        match self.coarse.strongest(coarse, direction) {
            Some(unknown) => Corner::Unknown(unknown),
            None if self.coarse.air[coarse] & direction.bit() != 0 => Corner::Air,
            None => Corner::Solid,
        }
    }
}
